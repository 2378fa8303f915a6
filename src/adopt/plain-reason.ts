import { CONFIGURATIONS } from '../admission/configurations.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { YURTHUB_RIGHTS } from '../pools/node-conversion.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { isOwn } from './recognized-object.js';

/** Kinds of OpenYurt whose objects name or select pools, or replace Pods on their nodes. */
const OF_POOLS =
  /^(?:(?:YurtAppSet|YurtAppDaemon|YurtAppOverrider|YurtStaticSet)\.apps|PoolService\.network|PlatformAdmin\.iot)\.openyurt\.io$/;

/** Why an object that concerns edge pools is a plain one; undefined for objects that do not. */
export function plainReason(object: PlainMap, cluster: EdgeCluster): string | undefined {
  const groupKind = groupKindOf(object);
  const { name } = mapAt(object, 'metadata');
  if (OF_POOLS.test(groupKind)) {
    return groupKind === 'YurtStaticSet.apps.openyurt.io' && /^yurt-?hub/.test(String(name))
      ? 'the chart yurthub writes it; cluster.ts has yurthub: true'
      : `${String(object.kind)} is written as it is`;
  }
  if (groupKind === 'Secret' && object.type === 'bootstrap.kubernetes.io/token') {
    return 'a token for joins: BootstrapToken makes one of JoinToken.inline(…) and an expiration (docs/join.md). Remove it when it has expired';
  }
  // rights of all nodes concern no pool
  if (isOwn(object) && name !== YURTHUB_RIGHTS) {
    return ownReason(object);
  }
  if (Object.values(CONFIGURATIONS).some((each) => each.kind === object.kind && each.name === name)) {
    return 'OpenYurtWebhooks writes all webhooks of the release, with its own labels';
  }
  return selectionReason(object, cluster);
}

function selectionReason(object: PlainMap, cluster: EdgeCluster): string | undefined {
  const specs = podPlaces(object).map((place) => podSpecAt(object, place));
  const selects = (key: string, ...operators: readonly string[]): boolean =>
    specs.some((spec) =>
      (requiredTerms(spec) ?? [])
        .flatMap(expressionsOf)
        .some((each) => each.key === key && operators.includes(String(each.operator))),
    );
  const isOn = (key: string): boolean =>
    specs.some((spec) => mapAt(spec, 'nodeSelector')[key] !== undefined) || selects(key, 'In', 'Exists');
  return isOn(cluster.nodePoolLabel)
    ? 'it runs on nodes of a pool without the network of the node: no class writes that'
    : isOn(cluster.hostNetworkLabel.key)
      ? 'it runs on every host-network pool, also on later ones: HostNetworkWorkload names its pools'
      : selects(cluster.nodePoolLabel, 'NotIn', 'DoesNotExist')
        ? 'it is kept off pools by their names, and a later one is not among them: ExcludedWorkload keeps it off all host-network nodes'
        : undefined;
}

function ownReason({ kind }: PlainMap): string {
  return kind === 'ConfigMap' || kind === 'KubeadmConfigTemplate'
    ? 'it is a join, which NodeJoin or KubeadmConfigTemplate makes of settings that it does not show: write them (docs/join.md), and remove it'
    : 'a declaration of this library has made it, of settings that it does not show';
}

import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { HOST_NETWORK_LABEL, OWN_LABELS } from '../kubernetes/labels.js';
import { hostNetworkTaint } from '../kubernetes/taint.js';
import { type NodePoolAttributes, planNodePool } from '../pools/node-pool.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, same } from '../base/plain-data.js';
import {
  attempted,
  comparingScope,
  differences,
  isMark,
  keptFields,
  type MayDiffer,
  type Recognition,
} from './recognized-object.js';
import { itemsOf } from '../kubernetes/field-values.js';

export function isNodePool(object: PlainMap): boolean {
  return groupKindOf(object) === 'NodePool.apps.openyurt.io';
}

/** Whether the nodes of a NodePool run only hostNetwork Pods: by its spec, or by the annotation that older releases need for an upgrade. */
export function isHostNetworkPool(object: PlainMap): boolean {
  const annotations = mapAt(mapAt(object, 'metadata'), 'annotations');
  return mapAt(object, 'spec').hostNetwork === true || annotations[HOST_NETWORK_LABEL] === 'true';
}

/** How a NodePool is declared. What the class adds to it and the object does not have, is removed again: the object stays what it is. */
export function recognizePool(object: PlainMap, cluster: EdgeCluster): Recognition {
  const version = cluster.nodePoolApiVersion();
  if (version === undefined || !VERSIONS.includes(String(object.apiVersion))) {
    return { reason: `OpenYurt ${cluster.openYurt} writes NodePools in ${version ?? 'no version'}` };
  }
  const [first, ...others] = [[HOST_NETWORK_LABEL], []].map((written) =>
    recognizedWith(poolProps(object, cluster, written), object, cluster),
  ) as [Recognition, ...Recognition[]];
  // a pool that was upgraded has the annotation that only older releases need
  const found = [first, ...others].filter(({ recognized }) => recognized !== undefined);
  return found.find(({ recognized }) => recognized?.kept === undefined) ?? found[0] ?? first;
}

function recognizedWith(props: PlainMap, object: PlainMap, cluster: EdgeCluster): Recognition {
  const mode = isHostNetworkPool(object) ? 'host-network' : 'regular';
  const className = mode === 'regular' ? 'RegularNodePool' : 'HostNetworkNodePool';
  const poolName = String(mapAt(object, 'metadata').name);
  const input = { cluster, poolName, ...props } as NodePoolInput;
  const plan = attempted(() =>
    planNodePool({ subject: className, mode, makesObject: true }, input, comparingScope(poolName)),
  );
  if ('refused' in plan) {
    return { reason: `${className} refuses ${plan.refused}` };
  }
  const made = plan.made.objects[0]?.object as PlainMap;
  const kept = keptFields(made, object, (...field) => isMark(...field) || isKept(...field));
  return kept !== undefined
    ? { recognized: { className, props, ...kept } }
    : { reason: `${className} would write another ${fieldsText(differences(made, object))}` };
}

/** Versions with the same fields of a NodePool. */
const VERSIONS: readonly string[] = ['v1beta1', 'v1beta2'].map((version) => `apps.openyurt.io/${version}`);

/** What a class writes or not although it means the same: its default, the annotation that an upgrade needs, and the version of the API. */
const isKept: MayDiffer = ([first, field, key], made, there) => {
  const isAnnotation = first === 'metadata' && field === 'annotations' && there === undefined;
  return (
    first === 'apiVersion' ||
    (first === 'spec' && field === 'hostNetwork' && made === undefined && there === false) ||
    (first === 'spec' && field === 'leaderElectionStrategy' && there === undefined) ||
    (isAnnotation && (key === HOST_NETWORK_LABEL || (isMap(made) && Object.keys(made).join() === HOST_NETWORK_LABEL)))
  );
};

/** A path of fields, for a comment. */
export function fieldsText(paths: readonly ObjectPath[]): string {
  const shown = paths.slice(0, 3).map((path) => path.join('.'));
  return `${shown.join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
}

/** @param written annotations that the class writes */
function poolProps(object: PlainMap, cluster: EdgeCluster, written: readonly string[]): PlainMap {
  const { labels, annotations, ...metadata } = withoutField(mapAt(object, 'metadata'), 'name');
  const { type, ...spec } = withoutField(mapAt(object, 'spec'), 'hostNetwork');
  const known = ['labels', 'annotations', 'taints', ...RELEASE_FIELDS];
  const fields = Object.entries(spec).filter(([field]) => known.includes(field));
  const extra = Object.entries(spec).filter(([field]) => !known.includes(field));
  const isDefault = cluster.hasNodePoolField('leaderElectionStrategy') && spec.leaderElectionStrategy === 'random';
  const own = {
    ...metadata,
    ...besides(labels, 'labels', Object.keys(OWN_LABELS)),
    ...besides(annotations, 'annotations', written),
  };
  const ofMode = hostNetworkTaint(cluster.hostNetworkLabel);
  const taints = itemsOf(spec.taints);
  // the class adds it behind all others
  const isRegistered = isHostNetworkPool(object) && same(taints.at(-1), ofMode);
  const others = isRegistered ? { taints: taints.slice(0, -1) } : {};
  return {
    ...(type === 'Edge' || type === undefined ? {} : { type }),
    ...(isRegistered ? { registrationTaint: true } : {}),
    ...Object.fromEntries(
      Object.entries({ ...Object.fromEntries(fields), ...others }).filter(
        ([field, value]) =>
          !(isRegistered && field === 'taints' && same(value, [])) &&
          !(field === 'leaderElectionStrategy' && isDefault),
      ),
    ),
    ...(extra.length === 0 ? {} : { extraSpec: Object.fromEntries(extra) }),
    ...(Object.keys(own).length === 0 ? {} : { metadata: own }),
  };
}

function withoutField(map: PlainMap, field: string): PlainMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== field));
}

function besides(map: unknown, field: string, keys: readonly string[]): PlainMap {
  const own = Object.entries(isMap(map) ? map : {}).filter(([key]) => !keys.includes(key));
  return own.length === 0 ? {} : { [field]: Object.fromEntries(own) };
}

/**
 * The attributes of a host-network pool.
 *
 * @param makesObject whether the program declares its NodePool
 */
export function poolAttributes(
  poolName: string,
  cluster: EdgeCluster,
  props: PlainMap,
  makesObject: boolean,
  declared = comparingScope(poolName).declared,
): NodePoolAttributes {
  const kind = { subject: 'HostNetworkNodePool', mode: 'host-network', makesObject } as const;
  return planNodePool(kind, { cluster, poolName, ...props }, comparingScope(poolName, declared)).attributes;
}

import { type OpenYurtRelease, isConvertedLater } from '../cluster/openyurt-releases.js';
import { EDGE_WORKER_LABEL, HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { YURTHUB_RIGHTS, yurthubRights } from '../pools/node-conversion.js';
import type { PoolFact } from '../preconditions/node-pool-facts.js';
import { type PlainMap, mapAt } from '../base/plain-data.js';
import { printManifests } from '../base/yaml-print.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';
import { nameOf } from '../kubernetes/object.js';
import { shellCommand } from '../base/shell.js';

/** What the steps of OpenYurt are computed from. */
export interface OpenYurtUpgrade {
  readonly from: OpenYurtRelease;
  readonly to: OpenYurtRelease;
  /** Version of the image: `1.7.0`. */
  readonly version: string;
  readonly objects: readonly PlainMap[];
  readonly pools: readonly PoolFact[];
  /** Whether nodes without yurthub are converted by the new release, instead of being kept as they are. */
  readonly convertNodes: boolean;
}

const ANNOTATION = `${HOST_NETWORK_LABEL}=${TRUE}`;

/** All steps of an upgrade of OpenYurt, in order. */
export function openYurtSteps(upgrade: OpenYurtUpgrade): UpgradeStep[] {
  return [
    annotatePools(upgrade),
    replacePlainPods(upgrade),
    retiredStep(upgrade),
    keepNodes(upgrade),
    rightsStep(upgrade),
    applyCrds(upgrade),
    upgradeYurtManager(upgrade),
    verifyPools(upgrade),
    rewritePools(upgrade),
  ].filter((step) => step !== undefined);
}

function annotatePools({ from, pools }: OpenYurtUpgrade): UpgradeStep | undefined {
  if (!isConvertedLater(from)) {
    return undefined;
  }
  // the field decides: a label on a node can be of a person, and a pool can never be changed back
  const odd = pools.filter(({ hostNetwork, hasHostNetworkNodes }) => hasHostNetworkNodes && !hostNetwork);
  const regular = `: ${odd.map(({ name }) => name).join(', ')} (regular, although nodes of it have the label of a host-network pool)`;
  return upgradeStep({
    id: 'annotate-pools',
    what: `Annotate every host-network pool with ${ANNOTATION}, and no other${odd.length === 0 ? '' : regular}.`,
    why: 'A later release converts stored pools, and reads only the annotation: without it a host-network pool becomes a regular one.',
    pods: 'keep running',
    parts: ['annotate-pools'],
    variables: { version: from.nodePoolVersion },
  });
}

function replacePlainPods({ from, to }: OpenYurtUpgrade): UpgradeStep | undefined {
  return !from.hostNetworkFilter || to.hostNetworkFilter
    ? undefined
    : upgradeStep({
        id: 'replace-plain-pods',
        what: 'Replace the Pods on host-network nodes that are not hostNetwork Pods.',
        why: `yurthub of OpenYurt ${from.release} shows kubelet every Pod of such a node as a hostNetwork Pod; the one of ${to.release} does not, and a node without CNI cannot start them.`,
        pods: 'Pods of these workloads are replaced',
        place: 'program',
        commands: [
          'Run them with hostNetwork: true (HostNetworkWorkload), or exclude them from host-network nodes (ExcludedWorkload), and apply the program.',
          'kubectl get pods --all-namespaces --output=wide shows the Pods; none on a host-network node may have another address than its node.',
        ],
        wayBack: 'apply the earlier manifests of these workloads',
        parts: ['replace-plain-pods'],
      });
}

/** Whether the nodes of Edge pools without yurthub get a label, so that the new release leaves them as they are. */
const keepsNodes = ({ from, to, convertNodes }: OpenYurtUpgrade): boolean =>
  from.conversion === undefined && to.conversion !== undefined && !convertNodes;

function keepNodes(upgrade: OpenYurtUpgrade): UpgradeStep | undefined {
  const { from, to } = upgrade;
  return !keepsNodes(upgrade)
    ? undefined
    : upgradeStep({
        id: 'keep-nodes',
        what: `Label the nodes of Edge pools that have no yurthub with ${EDGE_WORKER_LABEL}=${TRUE}, as the cluster has them then.`,
        why: `yurt-manager of ${to.release} converts every node of an Edge pool without this label: it cordons the node, installs yurthub, and stops all containers. From then on its webhook refuses the label. Leave the step out with --convert-nodes.`,
        pods: 'keep running; without this step all containers of the node are stopped and started again',
        parts: ['keep-nodes'],
        variables: { release: to.release, version: from.nodePoolVersion },
      });
}

function rightsStep({ from, to }: OpenYurtUpgrade): UpgradeStep | undefined {
  return from.conversion !== undefined || to.conversion?.rights !== 'missing'
    ? undefined
    : upgradeStep({
        id: 'yurthub-rights',
        what: `Give nodes the rights that yurthub needs: ${YURTHUB_RIGHTS} in ClusterRole, Role and their bindings, for the group system:nodes.`,
        why: `No chart that ${to.release} requires has them: without them the conversion of a node fails after 21 minutes, and the node stays cordoned (openyurtio/openyurt#2551, #2716). Those of the chart yurthub are named yurt-hub, as in a later chart yurt-manager, which Helm then refuses to install; and they go with that chart.`,
        pods: 'keep running',
        parts: ['yurthub-rights'],
        files: [{ path: 'files/yurthub-rights.yaml', content: printManifests(yurthubRights()) }],
      });
}

function applyCrds({ from, to }: OpenYurtUpgrade): UpgradeStep {
  const changesStorage = from.nodePoolVersion !== to.nodePoolVersion;
  return upgradeStep({
    id: 'crds',
    what: `Apply the CustomResourceDefinitions of OpenYurt ${to.release}.`,
    why: 'Helm does not upgrade them, and the new yurt-manager does not start without them. Until the next step is done, writes of NodePools can fail.',
    pods: 'keep running',
    variables: { version: to.nodePoolVersion },
    ...(changesStorage
      ? {
          parts: ['crds'],
          noWayBack: `the API server records ${to.nodePoolVersion} as a stored version at once, and ${from.release} cannot read it. Restore the snapshot of etcd, with the earlier images and charts.`,
        }
      : { parts: ['crds', 'crds-back'] }),
  });
}

function upgradeYurtManager(upgrade: OpenYurtUpgrade): UpgradeStep {
  const { from, to, version, pools } = upgrade;
  const changesStorage = from.nodePoolVersion !== to.nodePoolVersion;
  return upgradeStep({
    id: 'yurt-manager',
    what: `Upgrade yurt-manager to ${version}, with the webhooks of that release.`,
    why: 'The tag is set: charts of earlier releases name the image of the release before them. Values that were given at the installation are kept. yurt-manager would keep the webhooks of the earlier release, so both webhook configurations are replaced by those of the chart.',
    pods: pools.some(({ hostNetwork }) => hostNetwork)
      ? 'keep running; nodes keep their labels. While yurt-manager restarts, its webhooks are skipped, and only admission policies hold'
      : 'keep running',
    variables: {
      version: to.nodePoolVersion,
      tag: `v${version}`,
      keeps_nodes: keepsNodes(upgrade) ? 'yes' : '',
    },
    ...(changesStorage
      ? {
          parts: ['yurt-manager'],
          noWayBack: `${from.release} cannot read pools that are stored as ${to.nodePoolVersion}. Restore the snapshot of etcd.`,
        }
      : { parts: ['yurt-manager', 'yurt-manager-back'] }),
  });
}

function verifyPools({ from, to, pools }: OpenYurtUpgrade): UpgradeStep | undefined {
  const expected = pools.filter(({ hostNetwork }) => hostNetwork);
  return from.nodePoolVersion === to.nodePoolVersion || expected.length === 0
    ? undefined
    : upgradeStep({
        id: 'host-network-pools',
        what: 'Check that every host-network pool still is one, and repair those that are not.',
        why: `Pools without the annotation were lost by the conversion. OpenYurt refuses to change the field; with the annotation, a write through ${from.nodePoolVersion} sets it, also while the pool has nodes.`,
        pods: 'keep running',
        parts: ['host-network-pools'],
        variables: { version: to.nodePoolVersion, before: from.nodePoolVersion },
        noWayBack: 'it only restores the pools as they were',
        files: [{ path: 'files/host-network-pools.txt', content: expected.map(({ name }) => `${name}\n`).join('') }],
      });
}

function rewritePools({ from, to }: OpenYurtUpgrade): UpgradeStep | undefined {
  const { nodePoolVersion: version } = to;
  return from.nodePoolVersion === version
    ? undefined
    : upgradeStep({
        id: 'rewrite-pools',
        what: `Write every NodePool once, so that it is stored as ${version}.`,
        why: 'A pool that is stored in an older version can be read only while yurt-manager, which converts it, is up: admission policies with live pools need them after a restart of the API server.',
        pods: 'keep running',
        parts: ['rewrite-pools'],
        variables: { version },
        noWayBack: `${from.release} cannot read pools that are stored as ${version}. Restore the snapshot of etcd.`,
      });
}

/** Versions of YurtAppSet are not those of an OpenYurt release (`pkg/apis/apps/v1beta1/yurtappset_types.go`, 1.5 and later). */
const YURT_APP_SET = 'apps.openyurt.io/v1beta1';

const OVERRIDER = 'YurtAppOverrider';

/** A YurtAppSet that runs what a YurtAppDaemon runs: one workload for each selected pool, from the same template. */
export function yurtAppSetOf(daemon: PlainMap): PlainMap {
  const { name, namespace, labels } = mapAt(daemon, 'metadata');
  const { workloadTemplate, nodepoolSelector, revisionHistoryLimit } = mapAt(daemon, 'spec');
  return {
    apiVersion: YURT_APP_SET,
    kind: 'YurtAppSet',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec: {
      nodepoolSelector,
      ...(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit }),
      workload: { workloadTemplate },
    },
  };
}

/** Replaces workloads whose controller the new release does not have; undefined if there are none. */
function retiredStep({
  from,
  to,
  objects,
}: {
  readonly from: OpenYurtRelease;
  readonly to: OpenYurtRelease;
  readonly objects: readonly PlainMap[];
}): UpgradeStep | undefined {
  const retired = to.retiredKinds.filter((kind) => !from.retiredKinds.includes(kind));
  const found = objects.filter(({ kind }) => retired.includes(String(kind)));
  if (found.length === 0) {
    return undefined;
  }
  const daemons = found.filter(({ kind }) => kind !== OVERRIDER);
  const file = 'files/yurtappsets.yaml';
  const kinds = [...new Set(found.map(({ kind }) => `${String(kind).toLowerCase()}s.apps.openyurt.io`))].join(',');
  return upgradeStep({
    id: 'retired-workloads',
    what: `Replace ${found.map(nameOf).join(', ')}.`,
    why: `OpenYurt ${to.release} has no controller for them: their Deployments would keep running, and nothing would change them any more.`,
    pods: 'are replaced; Pods with host ports can start only after the old ones have ended',
    place: 'program',
    parts: ['retired-workloads'],
    variables: { kinds },
    commands: [
      ...(daemons.length === 0
        ? []
        : [
            `Declare a YurtAppSet in place of each YurtAppDaemon; ${file} has one for each. A DaemonSet on the pool (HostNetworkWorkload) is simpler for hostNetwork Pods.`,
            ...daemons.map((daemon) => {
              const { namespace, name } = mapAt(daemon, 'metadata');
              const at = typeof namespace === 'string' ? namespace : 'default';
              return shellCommand(
                'kubectl',
                '--namespace',
                at,
                'delete',
                'yurtappdaemons.apps.openyurt.io',
                String(name),
              );
            }),
            `kubectl apply --server-side --filename=${file}`,
          ]),
      ...(daemons.length === found.length
        ? []
        : [`Write the overrides of each ${OVERRIDER} as workloadTweaks of its YurtAppSet, and delete it.`]),
    ],
    wayBack: 'apply the objects in the folder backup again, while the earlier release runs',
    files: daemons.length === 0 ? [] : [{ path: file, content: printManifests(daemons.map(yurtAppSetOf)) }],
  });
}

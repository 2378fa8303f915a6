import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { type HostNetworkLabel, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import { tolerates } from '../workloads/pool-selection.js';
import type { Taint } from '../kubernetes/taint.js';
import { asRegular, isHostNetworkNode, type PlacementNode } from './node.js';
import { nodeAffinityMatches, termMatches, unmetIn } from './node-affinity-match.js';

/** Most alternatives of a node affinity that a reason names. */
const MOST_TERMS = 3;

const HOSTNAME = 'kubernetes.io/hostname';

/** Tolerations that the DaemonSet controller adds to its Pods (daemonset_util.go AddOrUpdateDaemonPodTolerations). */
const DAEMON_TOLERATIONS: readonly PlainMap[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

function tolerationsOf(podSpec: PlainMap, isDaemon: boolean): PlainMap[] {
  const own = Array.isArray(podSpec.tolerations) ? podSpec.tolerations.filter(isMap) : [];
  const network =
    podSpec.hostNetwork === true
      ? [{ key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }]
      : [];
  return isDaemon ? [...own, ...DAEMON_TOLERATIONS, ...network] : own;
}

/**
 * Why a Pod cannot run on a node; undefined if it can. Implements the scheduler's filters NodeAffinity and TaintToleration, and the DaemonSet
 * controller's tolerations. Resources, ports and Pod affinity are not considered. A Pod with `spec.nodeName` is bound, without the scheduler, and so
 * without `NoSchedule` taints: it runs on this node only, if kubelet accepts it (nodeaffinity, NoExecute).
 *
 * @param node an example node of a pool may have the names of the nodes that it stands for
 */
export function whyNotOn(
  podSpec: PlainMap,
  node: PlacementNode & { readonly names?: readonly string[] },
  isDaemon = false,
  label: HostNetworkLabel = OPENYURT_HOST_NETWORK,
): string | undefined {
  const { nodeName } = podSpec;
  const isBound = typeof nodeName === 'string' && nodeName !== '';
  if (isBound && nodeName !== node.name) {
    return (node.names ?? []).includes(nodeName)
      ? whyNotOn(
          podSpec,
          { ...node, name: nodeName, labels: { ...node.labels, [HOSTNAME]: nodeName } },
          isDaemon,
          label,
        )
      : `spec.nodeName ${nodeName}`;
  }
  const taint = (node.taints ?? []).find(
    (candidate: Taint) =>
      candidate.effect !== 'PreferNoSchedule' &&
      !(isBound && candidate.effect === 'NoSchedule') &&
      !tolerationsOf(podSpec, isDaemon).some((toleration) => tolerates(toleration, candidate)),
  );
  if (!nodeAffinityMatches(podSpec, node)) {
    return affinityReason(podSpec, node, label);
  }
  return taint === undefined
    ? undefined
    : `taint ${taint.key}${taint.value === undefined ? '' : `=${taint.value}`}:${taint.effect}`;
}

function affinityReason(podSpec: PlainMap, node: PlacementNode, label: HostNetworkLabel): string {
  const missing = Object.entries(mapAt(podSpec, 'nodeSelector')).find(
    ([key, value]) => node.labels[key] !== (value ?? ''),
  );
  if (missing !== undefined) {
    return `nodeSelector ${missing[0]}=${String((missing[1] as string | null) ?? '')}`;
  }
  const regular = asRegular(node, label);
  const terms = requiredTerms(podSpec) ?? [];
  const isExcluded = isHostNetworkNode(node, label) && terms.some((term) => termMatches(term, regular));
  if (isExcluded) {
    return 'excluded from host-network nodes';
  }
  // terms are alternatives; the values of the node are left out, so that pools with the same reason are shown together
  const unmet = [...new Set(terms.map((term) => unmetIn(term, node)))];
  const shown =
    unmet.length > MOST_TERMS ? [...unmet.slice(0, MOST_TERMS), `${unmet.length - MOST_TERMS} more`] : unmet;
  return `required node affinity ${unmet.length === 0 ? 'without a term, which matches no node' : shown.join(' or ')}`;
}

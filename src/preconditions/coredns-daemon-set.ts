import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { partialOf, type WorkloadInput } from '../kubernetes/object-input.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { checkedElsewhere, oneOf, plain, type PropertyTable } from '../base/property-table.js';
import { compute, holdsUnknown } from '../base/unknown.js';
import { checkTolerations } from '../kubernetes/scheduling-fields.js';
import type { Toleration } from '../kubernetes/taint.js';
import { ANTI_AFFINITY, daemonSetOf, isToleratingAll, refusesOwnPods } from './coredns-pods.js';
import { isAppliedByKubectl, reach, readDocument } from './documents.js';
import { kubeadmCoreDns } from './kubeadm-coredns.js';
import {
  isApplied,
  notApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionInput,
  type PreconditionStep,
  step,
  type Work,
} from './precondition.js';
import { type ProxyNames, proxyNamesOf } from './proxy-names.js';
import { writeStep } from './write-step.js';

/**
 * Settings of the precondition that runs CoreDNS as a DaemonSet.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsDaemonSetSettings {
  /** Whether CoreDNS becomes a DaemonSet.
   * @default - only with `guide: 'tunnel'` */
  readonly apply?: boolean;
  /** The current Deployment `kube-system/coredns` of the cluster: a plain object or YAML text. The DaemonSet gets its Pod spec, and the rollback restores its
   * replicas.
   * @default - the Deployment that the kubeadm of the minor writes */
  readonly deployment?: WorkloadInput;
  /** Image of CoreDNS.
   * @default - the image of the Deployment */
  readonly image?: string;
  /** Mounts the hosts file of a tunnel at /etc/edge; see {@link CorefileSettings.proxyNames}.
   * @default - `yurt-tunnel` with `guide: 'tunnel'`, none otherwise */
  readonly proxyNames?: ProxyNames;
  /** Tolerations in addition to those of the Deployment, for regular nodes with taints. The toleration of every taint, as on OpenYurt's page, is removed.
   * @default - none */
  readonly tolerations?: Toleration[];
}

const NAME = { namespace: 'kube-system', name: 'coredns' } as const;
export const DEPLOYMENT = { kind: 'Deployment', ...NAME } as const;
export const DAEMON_SET = { kind: 'DaemonSet', ...NAME } as const;

export const DAEMON_SET_PROPERTIES: PropertyTable<CoreDnsDaemonSetSettings> = {
  apply: plain(checkBoolean),
  deployment: checkedElsewhere,
  image: (image, problems) => {
    if (image !== undefined && (typeof image !== 'string' || !/^[^\s]+$/.test(image))) {
      const hint = "write 'registry.k8s.io/coredns/coredns:<tag>'";
      problems.add('EDGE_VALUE', `${showValue(image)} is not the name of an image`, hint);
    }
  },
  proxyNames: oneOf('yurt-tunnel', 'raven'),
  tolerations: checkTolerations,
};

/** Whether and why a cluster needs CoreDNS on each of its regular nodes. */
export function adviseCoreDnsDaemonSet(cluster: EdgeCluster, guide: PreconditionGuide = 'release'): PreconditionAdvice {
  const component = 'coredns-daemon-set';
  if (guide === 'tunnel') {
    const reason = 'DNS requests do not cross pools, so each node needs its own CoreDNS';
    return { component, need: 'required', reason };
  }
  const where = cluster.hasOpenYurt() ? 'in pools that have a Pod network' : 'on sites that have a Pod network';
  return {
    component,
    need: 'optional',
    reason: `DNS is local ${where}, and works while the site is offline; host-network nodes cannot use it and are excluded`,
  };
}

/** What the steps depend on. */
interface Given {
  readonly daemonSet: PlainMap;
  readonly replicas: number;
  readonly isByKubectl: boolean;
}

/** Plans the DaemonSet, the Deployment with 0 replicas, and the rollback. */
export function planCoreDnsDaemonSet(
  input: PreconditionInput & CoreDnsDaemonSetSettings,
  problems: ProblemList,
): PlannedPrecondition {
  const { cluster, guide, image, tolerations } = input;
  const advice = adviseCoreDnsDaemonSet(cluster, guide);
  if (!isApplied(advice, input.apply)) {
    return notApplied(advice);
  }
  const at = problems.at('deployment');
  const deployment =
    input.deployment === undefined ? kubeadmCoreDns(cluster) : readDocument(input.deployment, DEPLOYMENT, at);
  const podSpec = mapAt(mapAt(mapAt(deployment ?? {}, 'spec'), 'template'), 'spec');
  if (deployment !== undefined && !hasCoreDns(podSpec)) {
    const place = at.at('spec', 'template', 'spec', 'containers');
    place.add('EDGE_WRONG_OBJECT', 'the Deployment has no container coredns', 'write the Deployment of CoreDNS');
  }
  if (deployment === undefined || problems.problems.length > 0) {
    return planned(advice, input, undefined, undefined);
  }
  const drafted = daemonSetOf(deployment, { image, tolerations, names: proxyNamesOf(guide, input.proxyNames) });
  const excluded = excludeWorkload(cluster, drafted, {}, at);
  const given = {
    daemonSet: excluded?.manifest ?? drafted,
    replicas: compute(reach(deployment, ['spec', 'replicas']), replicasToRestore),
    isByKubectl: isAppliedByKubectl(deployment),
  };
  const warnings = [...(excluded?.warnings ?? []), ...warningsAbout(podSpec, deployment)];
  return planned(advice, input, given, WORK, warnings);
}

const KUBECTL = 'kubectl --namespace kube-system';

/** Checks that a Pod of the DaemonSet is ready. `rollout status` succeeds at once for a DaemonSet without matching nodes, and the cluster would have no DNS. */
export const DAEMON_SET_ANSWERS = `test "0$(${KUBECTL} get daemonset coredns --ignore-not-found --output=jsonpath='{.status.numberReady}')" -gt 0`;

/** Checks that a Pod of the Deployment is ready. `rollout status` also succeeds at once for a Deployment with 0 replicas. */
const DEPLOYMENT_ANSWERS = `test "0$(${KUBECTL} get deployment coredns --output=jsonpath='{.status.readyReplicas}')" -gt 0`;

const WORK: Work<Given> = {
  steps: ({ daemonSet, isByKubectl }) => [
    step('start CoreDNS on each ordinary node, beside the Deployment, and wait until it answers', {
      manifests: [daemonSet],
      commands: [`${KUBECTL} rollout status daemonset/coredns --timeout=5m`, DAEMON_SET_ANSWERS],
    }),
    writeStep('scale the Deployment to zero, now that the DaemonSet answers', {
      partial: withReplicas(0),
      isByKubectl,
    }),
  ],
  others: ({ replicas, isByKubectl }) => ({
    rollback: [
      startDeployment(replicas, isByKubectl),
      step('delete the DaemonSet, now that the Deployment answers', {
        commands: [DEPLOYMENT_ANSWERS, `${KUBECTL} delete daemonset coredns --ignore-not-found`],
      }),
    ],
    // kubeadm preserves the number of replicas of its Deployment, and has no DaemonSet of CoreDNS
    lostAfter: [],
  }),
};

/** @param isByKubectl whether the Deployment was created by client-side `kubectl apply` */
export function startDeployment(replicas: number, isByKubectl: boolean): PreconditionStep {
  return writeStep('start the Deployment again, and wait until it answers', {
    partial: withReplicas(replicas),
    isByKubectl,
    commands: [`${KUBECTL} rollout status deployment/coredns --timeout=5m`],
  });
}

function withReplicas(replicas: unknown): PlainMap {
  return partialOf('apps/v1', DEPLOYMENT, { spec: { replicas } });
}

/** The former number of replicas; if it is 0, because CoreDNS is already a DaemonSet, the number that kubeadm writes. */
function replicasToRestore(before: unknown): number {
  const isNone = typeof before === 'number' && before < 1;
  return isNone ? 2 : typeof before === 'number' ? before : 1;
}

function hasCoreDns(podSpec: PlainMap): boolean {
  const { containers } = podSpec;
  return (
    Array.isArray(containers) &&
    containers.some((container: unknown) => isMap(container) && container.name === 'coredns')
  );
}

/** Warnings about fields of the Deployment that the DaemonSet does not have. */
function warningsAbout(podSpec: PlainMap, deployment: PlainMap): EdgeWarning[] {
  const labels = reach(deployment, ['spec', 'template', 'metadata', 'labels']);
  const terms = reach(podSpec, ANTI_AFFINITY);
  return [
    ...(isToleratingAll(podSpec.tolerations) ? [TOLERATION_WARNING] : []),
    ...(!holdsUnknown([terms, labels]) && refusesOwnPods(terms, labels) ? [ANTI_AFFINITY_WARNING] : []),
  ];
}

const TOLERATION_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.tolerations',
  message:
    'the toleration of every taint is removed from the DaemonSet: with it, CoreDNS would run on nodes that are tainted for other purposes',
  hint: 'write tolerations of the taints of your regular nodes',
};

const ANTI_AFFINITY_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.affinity.podAntiAffinity',
  message:
    'the required anti-affinity to its own Pods on the same node is removed from the DaemonSet: with it, the Pods could not start next to those of the Deployment; a DaemonSet has only one Pod per node anyway',
  hint: 'nothing needs to be done',
};

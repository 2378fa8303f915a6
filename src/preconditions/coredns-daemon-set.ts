import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { copyOf, isMap, mapAt, type PlainMap, withChangeAt } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { partialOf, readNamedObject } from '../kubernetes/object-reference.js';
import { checkOneOf, showValue } from '../validation/properties.js';
import type { Toleration } from '../kubernetes/taint.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import { kubeadmCoreDns } from './kubeadm-coredns.js';
import {
  isApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionInput,
  type PreconditionStep,
  step,
} from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FOLDER, type ProxyNames, proxyNamesOf } from './proxy-names.js';
import { writeStep } from './write-step.js';

/**
 * How CoreDNS becomes a DaemonSet.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsDaemonSetSettings {
  /** Whether CoreDNS is to become a DaemonSet.
   * @default - only in the tunnel era */
  readonly apply?: boolean;
  /** The Deployment `kube-system/coredns` as it is in the cluster: a plain object or YAML text. Its Pod spec is taken over, and its replicas are what
   * the way back restores.
   * @default - the Deployment that kubeadm of the minor writes */
  readonly deployment?: WorkloadInput;
  /** Image of CoreDNS.
   * @default - the one of the Deployment */
  readonly image?: string;
  /** Mounts the hosts file of a tunnel at /etc/edge; see {@link CorefileSettings.proxyNames}.
   * @default - `yurt-tunnel` in the tunnel era, nobody's otherwise */
  readonly proxyNames?: ProxyNames;
  /** Tolerations besides those of the Deployment, for ordinary nodes with taints of their own. OpenYurt's page tolerates everything; that is left out.
   * @default - none */
  readonly tolerations?: Toleration[];
}

const NAME = { namespace: 'kube-system', name: 'coredns' } as const;
export const DEPLOYMENT = { kind: 'Deployment', ...NAME } as const;
export const DAEMON_SET = { kind: 'DaemonSet', ...NAME } as const;

/** Whether and why a cluster needs CoreDNS on each of its ordinary nodes. */
export function adviseCoreDnsDaemonSet(cluster: EdgeCluster, era: PreconditionEra = 'release'): PreconditionAdvice {
  const component = 'coredns-daemon-set';
  if (era === 'tunnel') {
    const reason = 'names are not resolved across pools, so each node asks the CoreDNS beside it';
    return { component, need: 'required', reason };
  }
  const where = cluster.hasOpenYurt() ? 'in pools that have a Pod network' : 'on sites that have a Pod network';
  return {
    component,
    need: 'optional',
    reason: `it keeps DNS near, ${where}, and working while the site is offline; host-network nodes can not use it and are kept out`,
  };
}

/** Plans the DaemonSet, the Deployment without replicas, and the way back. */
export function planCoreDnsDaemonSet(
  input: PreconditionInput & CoreDnsDaemonSetSettings,
  problems: ProblemList,
): PlannedPrecondition {
  const { cluster, era } = input;
  const advice = adviseCoreDnsDaemonSet(cluster, era);
  checkOneOf(input.proxyNames, ['yurt-tunnel', 'raven'], problems.at('proxyNames'));
  if (input.image !== undefined && (typeof input.image !== 'string' || !/^[^\s]+$/.test(input.image))) {
    problems
      .at('image')
      .add('EDGE_VALUE', `${showValue(input.image)} is not an image`, "write 'registry.k8s.io/coredns/coredns:<tag>'");
  }
  if (!isApplied(advice, input.apply)) {
    return planned(advice, input, () => ({}));
  }
  const at = problems.at('deployment');
  const deployment =
    input.deployment === undefined ? kubeadmCoreDns(cluster) : readNamedObject(input.deployment, DEPLOYMENT, at);
  const podSpec = mapAt(mapAt(mapAt(deployment ?? {}, 'spec'), 'template'), 'spec');
  if (deployment !== undefined && !hasCoreDns(podSpec)) {
    const place = at.at('spec', 'template', 'spec', 'containers');
    place.add('EDGE_WRONG_OBJECT', 'there is no container coredns', 'give the Deployment of CoreDNS');
  }
  if (deployment === undefined || problems.problems.length > 0) {
    return planned(advice, input, () => ({}));
  }
  const drafted = daemonSetOf(deployment, input);
  const excluded = excludeWorkload(cluster, drafted, {}, at);
  const replicas = replicasToRestore(mapAt(deployment, 'spec').replicas);
  const tolerated = toleratesAll(podSpec);
  const warnings = [
    ...(excluded?.warnings ?? []),
    ...(tolerated ? [TOLERATION_WARNING] : []),
    ...(withoutOwnAntiAffinity(podSpec, deployment) === podSpec ? [] : [ANTI_AFFINITY_WARNING]),
  ];
  return planned(
    advice,
    input,
    () => ({
      steps: [
        step('start CoreDNS on each ordinary node, beside the Deployment, and wait until it answers', {
          manifests: [excluded?.manifest ?? drafted],
          commands: [`${KUBECTL} rollout status daemonset/coredns --timeout=5m`, SOMEBODY_ANSWERS],
        }),
        writeStep('only then let the Deployment go', { partial: withReplicas(0), present: deployment }),
      ],
      reversal: [
        startDeployment(replicas, deployment),
        step('only then let the DaemonSet go', {
          commands: [DEPLOYMENT_ANSWERS, `${KUBECTL} delete daemonset coredns --ignore-not-found`],
        }),
      ],
      // kubeadm keeps the number of replicas of its Deployment, and knows no DaemonSet
      lostAfter: [],
    }),
    warnings,
  );
}

/** @param present the Deployment as it is */
export function startDeployment(replicas: number, present: PlainMap | undefined): PreconditionStep {
  return writeStep('start the Deployment again, and wait until it answers', {
    partial: withReplicas(replicas),
    present,
    commands: [`${KUBECTL} rollout status deployment/coredns --timeout=5m`],
  });
}

function withReplicas(replicas: unknown): PlainMap {
  return partialOf('apps/v1', DEPLOYMENT, { spec: { replicas } });
}

const KUBECTL = 'kubectl --namespace kube-system';

/** A DaemonSet for which there is no node is rolled out at once; the cluster would be left without DNS. */
export const SOMEBODY_ANSWERS = `test "0$(${KUBECTL} get daemonset coredns --ignore-not-found --output=jsonpath='{.status.numberReady}')" -gt 0`;

/** A Deployment without replicas is rolled out at once too. */
const DEPLOYMENT_ANSWERS = `test "0$(${KUBECTL} get deployment coredns --output=jsonpath='{.status.readyReplicas}')" -gt 0`;

/** As many as before; where there were none, because a DaemonSet took over already, as many as kubeadm makes. */
function replicasToRestore(before: unknown): number {
  const isNone = typeof before === 'number' && before < 1;
  return isNone ? 2 : typeof before === 'number' ? before : 1;
}

const TOLERATION_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.tolerations',
  message:
    'the toleration of every taint is left out of the DaemonSet: with it CoreDNS would run on every node that is tainted for somebody else',
  hint: 'name the taints of your ordinary nodes in tolerations',
};

const ANTI_AFFINITY_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.affinity.podAntiAffinity',
  message:
    'the required anti-affinity to its own Pods on the same node is left out of the DaemonSet, which has one Pod on a node anyway: beside the Deployment it could not start',
  hint: 'nothing is to be done',
};

/** The Pod spec without required anti-affinity on the node to Pods with its own labels; the same object where it has none. */
function withoutOwnAntiAffinity(podSpec: PlainMap, deployment: PlainMap): PlainMap {
  const own = mapAt(mapAt(mapAt(mapAt(deployment, 'spec'), 'template'), 'metadata'), 'labels');
  const affinity = mapAt(podSpec, 'affinity');
  const { [REQUIRED]: terms, ...preferred } = mapAt(affinity, 'podAntiAffinity');
  const isOwn = (term: unknown): boolean =>
    isMap(term) && term.topologyKey === 'kubernetes.io/hostname' && selects(mapAt(term, 'labelSelector'), own);
  if (!Array.isArray(terms) || !terms.some(isOwn)) {
    return podSpec;
  }
  const kept = terms.filter((term) => !isOwn(term));
  const podAntiAffinity = { ...preferred, ...(kept.length === 0 ? {} : { [REQUIRED]: kept }) };
  const others = Object.fromEntries(Object.entries(affinity).filter(([field]) => field !== 'podAntiAffinity'));
  return {
    ...podSpec,
    affinity: { ...others, ...(Object.keys(podAntiAffinity).length === 0 ? {} : { podAntiAffinity }) },
  };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Whether a label selector takes labels (apimachinery, LabelSelector). */
function selects(selector: PlainMap, labels: PlainMap): boolean {
  const expressions: unknown[] = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  const holds = (expression: unknown): boolean => {
    const { key, operator, values } = isMap(expression) ? expression : {};
    const value = labels[String(key)];
    const isIn = Array.isArray(values) && values.includes(value);
    switch (operator) {
      case 'In':
        return isIn;
      case 'NotIn':
        return !isIn;
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  };
  return (
    Object.entries(mapAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    expressions.every(holds)
  );
}

function hasCoreDns(podSpec: PlainMap): boolean {
  const { containers } = podSpec;
  return (
    Array.isArray(containers) &&
    containers.some((container: unknown) => isMap(container) && container.name === 'coredns')
  );
}

const isEverything = (toleration: unknown): boolean =>
  isMap(toleration) && toleration.operator === 'Exists' && toleration.key === undefined;

function toleratesAll(podSpec: PlainMap): boolean {
  return Array.isArray(podSpec.tolerations) && podSpec.tolerations.some(isEverything);
}

/** The Pod template of the Deployment in a DaemonSet; only what the form needs differs. */
function daemonSetOf(deployment: PlainMap, input: PreconditionInput & CoreDnsDaemonSetSettings): PlainMap {
  const { selector, template } = mapAt(deployment, 'spec');
  const names = proxyNamesOf(input.era, input.proxyNames);
  const podSpec = withChangeAt({ template }, ['template', 'spec'], (spec) => {
    const own: unknown[] = Array.isArray(spec.tolerations) ? spec.tolerations : [];
    const tolerations = [...own.filter((each) => !isEverything(each)), ...(input.tolerations ?? [])];
    const volumes: unknown[] = Array.isArray(spec.volumes) ? spec.volumes : [];
    return {
      ...withoutOwnAntiAffinity(spec, deployment),
      tolerations,
      containers: (spec.containers as PlainMap[]).map((container) => containerOf(container, input.image, names)),
      ...(names === undefined ? {} : { volumes: [...volumes.filter((each) => !isHosts(each)), hostsVolume(names)] }),
    };
  });
  const { labels } = mapAt(deployment, 'metadata');
  return copyOf({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...NAME, labels: { ...(isMap(labels) ? labels : {}), ...OWN_LABELS } },
    spec: {
      selector,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: podSpec.template,
    },
  });
}

const isHosts = (item: unknown): boolean => isMap(item) && item.name === 'hosts';

/** Optional, because CoreDNS must start without it: the tunnel that writes it needs DNS itself. */
function hostsVolume(names: ProxyNames): PlainMap {
  return { name: 'hosts', configMap: { name: HOSTS_CONFIG_MAPS[names], optional: true } };
}

function containerOf(container: PlainMap, image: string | undefined, names: ProxyNames | undefined): PlainMap {
  if (container.name !== 'coredns') {
    return container;
  }
  const mounts: unknown[] = Array.isArray(container.volumeMounts) ? container.volumeMounts : [];
  const hosts = { name: 'hosts', mountPath: HOSTS_FOLDER, readOnly: true };
  return {
    ...container,
    ...(image === undefined ? {} : { image }),
    ...(names === undefined ? {} : { volumeMounts: [...mounts.filter((each) => !isHosts(each)), hosts] }),
  };
}

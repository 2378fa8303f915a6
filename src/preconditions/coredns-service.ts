import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { trafficDistributions } from '../cluster/kubernetes-capabilities.js';
import { recommendsTopologyAnnotation } from '../cluster/openyurt-capabilities.js';
import type { TrafficDistribution } from '../cluster/kubernetes-minors.js';
import { type WorkloadInput, partialOf } from '../kubernetes/object-input.js';
import { mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { shellCommand } from '../base/shell.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { checkedElsewhere, oneOf, plain, type PropertyTable } from '../base/property-table.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import { DAEMON_SET_ANSWERS, seenDaemonSet } from './coredns-daemon-set.js';
import { given, isAppliedByKubectl, reach, readDocument } from './documents.js';
import {
  type ClusterState,
  type PreconditionKind,
  type Seen,
  type Undo,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionInput,
  step,
  type Work,
} from './precondition.js';
import { writeStep } from './write-step.js';

/**
 * Settings of the precondition that keeps requests to CoreDNS within a pool or a node.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsServiceSettings {
  /** Whether the Service is changed.
   * @default - only with `guide: 'tunnel'` */
  readonly apply?: boolean;
  /** The current Service `kube-system/kube-dns` of the cluster: a plain object or YAML text. The rollback restores its topology.
   * @default - the Service that kubeadm writes, without topology */
  readonly service?: WorkloadInput;
  /** `annotation`: OpenYurt's annotation, for yurthub. `trafficDistribution`: the field of the Service, for kube-proxy.
   * @default - annotation if the documentation of the OpenYurt release recommends it (1.4 to 1.6), or the minor does not support `trafficDistribution`
   * (before Kubernetes 1.31); trafficDistribution otherwise */
  readonly topology?: 'annotation' | 'trafficDistribution';
  /** Whether requests stay within the pool, or on the node.
   * @default pool */
  readonly within?: 'pool' | 'node';
}

export const SERVICE = { kind: 'Service', namespace: 'kube-system', name: 'kube-dns' } as const;

/** OpenYurt pkg/yurthub/filter/servicetopology/filter.go */
const TOPOLOGY_ANNOTATION = 'openyurt.io/topologyKeys';
const ANNOTATION_VALUES = { pool: 'openyurt.io/nodepool', node: 'kubernetes.io/hostname' } as const;

const FIELD = 'trafficDistribution';
const FIELD_VALUES: Readonly<Record<'pool' | 'node', readonly TrafficDistribution[]>> = {
  pool: ['PreferSameZone', 'PreferClose'],
  node: ['PreferSameNode'],
};

/** The default topology for a cluster; undefined if it supports neither. */
function topologyOf(
  cluster: EdgeCluster,
  guide: PreconditionGuide = 'release',
): CoreDnsServiceSettings['topology'] | undefined {
  const obeysField = trafficDistributions(cluster).length > 0;
  if (cluster.hasOpenYurt() && (guide === 'tunnel' || recommendsTopologyAnnotation(cluster) || !obeysField)) {
    return 'annotation';
  }
  return obeysField ? FIELD : undefined;
}

const PROPERTIES: PropertyTable<CoreDnsServiceSettings> = {
  apply: plain(checkBoolean),
  service: checkedElsewhere,
  // it determines whether `guide: 'tunnel'` requires the change
  topology: plain(oneOf('annotation', FIELD)),
  within: oneOf('pool', 'node'),
};

const NO_EFFECT = 'it has no effect on nodes without kube-proxy, which cannot reach the Service at all';

/** Whether and why a cluster needs it. */
function advise(
  cluster: EdgeCluster,
  guide: PreconditionGuide = 'release',
  topology = topologyOf(cluster, guide),
): PreconditionAdvice {
  const component = 'coredns-service';
  if (topology === 'annotation') {
    const reason = `yurthub shows kube-proxy only endpoints of the same pool, so every pool with kube-proxy needs its own CoreDNS (DaemonSet), or has no DNS; ${NO_EFFECT}`;
    return { component, need: guide === 'tunnel' ? 'required' : 'optional', reason };
  }
  if (topology === undefined) {
    const reason = `the kube-proxy of Kubernetes ${cluster.kubernetes} does not support ${FIELD}, and without OpenYurt nothing reads the annotation`;
    return { component, need: 'none', reason };
  }
  return {
    component,
    need: 'optional',
    reason: `kube-proxy prefers endpoints in the zone of the node, and uses others if there are none; a pool is a zone only if its nodes have the label topology.kubernetes.io/zone; ${NO_EFFECT}`,
  };
}

type Topology = NonNullable<CoreDnsServiceSettings['topology']>;
type Within = NonNullable<CoreDnsServiceSettings['within']>;

/** What the steps depend on. */
interface Given {
  readonly topology: Topology;
  readonly within: Within;
  /** Values of trafficDistribution that the minor supports. */
  readonly obeyed: readonly TrafficDistribution[];
  /** Current topology of the Service. */
  readonly before: { readonly annotation?: unknown; readonly field?: unknown };
  readonly isByKubectl: boolean;
  readonly isKubeadm: boolean;
}

/** Plans the change of the Service. */
function plan(input: PreconditionInput & CoreDnsServiceSettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, guide, within = 'pool' } = input;
  const topology = input.topology ?? topologyOf(cluster, guide);
  const advice = advise(cluster, guide, topology);
  const service =
    input.service === undefined ? undefined : readDocument(input.service, SERVICE, problems.at('service'));
  if (topology !== undefined && problems.problems.length === 0) {
    checkObeyed(cluster, topology, within, problems);
  }
  if (topology === undefined || problems.problems.length > 0) {
    return planned(advice, input, undefined, undefined);
  }
  const given = {
    topology,
    within,
    obeyed: trafficDistributions(cluster),
    before: {
      annotation: reach(service, ['metadata', 'annotations', TOPOLOGY_ANNOTATION]),
      field: reach(service, ['spec', FIELD]),
    },
    isByKubectl: isAppliedByKubectl(service),
    isKubeadm: cluster.distribution === 'kubeadm',
  };
  return planned(advice, input, given, WORK);
}

/** With the annotation, pools without CoreDNS have no DNS; so this checks the DaemonSet, even if it is not applied here. */
const GUARD = step('check that a DaemonSet of CoreDNS answers', {
  commands: [
    `${DAEMON_SET_ANSWERS} || { echo 'no Pod of DaemonSet kube-system/coredns is ready: pools without CoreDNS would have no DNS' >&2; exit 1; }`,
  ],
});

const WORK: Work<Given> = {
  steps: (given) => [
    ...(given.topology === 'annotation' ? [GUARD] : []),
    writeStep(text`prefer endpoints in the same ${given.within}`, {
      partial: wantedPartial(given),
      isByKubectl: given.isByKubectl,
    }),
  ],
  others: (given) => ({
    rollback: [
      writeStep('restore the earlier topology setting', {
        partial: partialBefore(given),
        isByKubectl: given.isByKubectl,
        instead: wantedPartial(given),
      }),
    ],
    // kubeadm writes the Service again (phases/addons/dns, createDNSService)
    lostAfter: given.isKubeadm ? ['kubeadm upgrade'] : [],
  }),
};

function checkObeyed(cluster: EdgeCluster, topology: Topology, within: Within, problems: ProblemList): void {
  if (topology === 'annotation') {
    if (!cluster.hasOpenYurt()) {
      problems
        .at('topology')
        .add('EDGE_FIELD_NOT_IN_RELEASE', 'without OpenYurt nothing reads the annotation', `write '${FIELD}'`);
    }
    return;
  }
  const obeyed = trafficDistributions(cluster);
  if (!isUnknown(within) && fieldValue({ within, obeyed }) === undefined) {
    const hint = within === 'node' && obeyed.length > 0 ? "write within: 'pool'" : "write topology: 'annotation'";
    problems
      .at(within === 'node' ? 'within' : 'topology')
      .add(
        'EDGE_FIELD_NOT_IN_RELEASE',
        `Kubernetes ${cluster.kubernetes} does not support ${FIELD} within the ${within}`,
        hint,
      );
  }
}

function fieldValue({ within, obeyed }: Pick<Given, 'within' | 'obeyed'>): TrafficDistribution | undefined {
  return FIELD_VALUES[within].find((each) => obeyed.includes(each));
}

function wantedPartial({ topology, within, obeyed }: Given): PlainMap {
  return topology === 'annotation'
    ? partialOf('v1', SERVICE, {
        metadata: { annotations: { [TOPOLOGY_ANNOTATION]: compute(within, (near) => ANNOTATION_VALUES[near]) } },
      })
    : partialOf('v1', SERVICE, { spec: { [FIELD]: compute({ within, obeyed }, fieldValue) } });
}

/** The partial object with the former values; an apply removes fields that it does not have. */
function partialBefore({ topology, before: { annotation, field } }: Given): PlainMap {
  return partialOf('v1', SERVICE, {
    ...(topology === 'annotation' && annotation !== undefined
      ? { metadata: { annotations: { [TOPOLOGY_ANNOTATION]: annotation } } }
      : {}),
    ...(topology === FIELD && field !== undefined ? { spec: { [FIELD]: field } } : {}),
  });
}

function seenService(
  state: ClusterState,
  { cluster, guide }: { readonly cluster: EdgeCluster; readonly guide?: PreconditionGuide },
): Seen | undefined {
  const service = state.coreDnsService;
  if (service === undefined) {
    return undefined;
  }
  const annotation = mapAt(mapAt(service, 'metadata'), 'annotations')[TOPOLOGY_ANNOTATION];
  const field = mapAt(service, 'spec').trafficDistribution;
  const isAnnotation = topologyOf(cluster, guide) === 'annotation';
  const shown = [
    ...(annotation === undefined ? [] : [`${TOPOLOGY_ANNOTATION}: ${showValue(annotation)}`]),
    ...(field === undefined ? [] : [`trafficDistribution: ${showValue(field)}`]),
  ];
  const present = isAnnotation ? annotation !== undefined : shown.length > 0;
  return { present, found: shown.join(', ') || 'no topology' };
}

/** By command, because an apply does not remove a field that another field manager owns. */
function undoService({ coreDnsService }: ClusterState): Undo {
  const annotate = (...words: readonly string[]): string =>
    shellCommand('kubectl', '--namespace', 'kube-system', 'annotate', 'service', 'kube-dns', ...words);
  const value = valueAt(coreDnsService, ['metadata', 'annotations', TOPOLOGY_ANNOTATION]);
  const isThere = typeof value === 'string';
  return {
    steps: [step('remove the annotation', { commands: isThere ? [annotate(`${TOPOLOGY_ANNOTATION}-`)] : [] })],
    rollback: [
      step('write the annotation again', {
        commands: isThere ? [annotate('--overwrite', `${TOPOLOGY_ANNOTATION}=${value}`)] : [],
      }),
    ],
  };
}

export const COREDNS_SERVICE: PreconditionKind<CoreDnsServiceSettings> = {
  component: 'coredns-service',
  properties: PROPERTIES,
  advise: (cluster, guide, settings) => advise(cluster, guide, settings.topology),
  plan,
  shownBy: 'the Service kube-system/kube-dns',
  find: seenService,
  settingsOf: ({ coreDnsService }) => ({ apply: true, ...given('service', coreDnsService) }),
  changed: ({ coreDnsService }) => [coreDnsService],
  whyUnwritten: (state, { found, cluster, guide }) => {
    const daemonSet = seenDaemonSet(state);
    const hasDns = daemonSet !== undefined && daemonSet.harm === undefined;
    return found === 'missing' && topologyOf(cluster, guide) === 'annotation' && !hasDns
      ? 'without a DaemonSet of CoreDNS, pools would have no DNS with the annotation; needs the Deployment and DaemonSet kube-system/coredns'
      : undefined;
  },
  undo: undoService,
};

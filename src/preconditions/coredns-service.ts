import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { trafficDistributions } from '../cluster/kubernetes-capabilities.js';
import { recommendsTopologyAnnotation } from '../cluster/openyurt-capabilities.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { partialOf, readNamedObject } from '../kubernetes/object-reference.js';
import { checkOneOf } from '../validation/properties.js';
import type { TrafficDistribution } from '../cluster/releases.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import { SOMEBODY_ANSWERS } from './coredns-daemon-set.js';
import {
  isApplied,
  planned,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionInput,
  step,
} from './precondition.js';
import { writeStep } from './write-step.js';

/**
 * How requests to CoreDNS are kept near.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsServiceSettings {
  /** Whether the Service is to be changed.
   * @default - only in the tunnel era */
  readonly apply?: boolean;
  /** The Service `kube-system/kube-dns` as it is in the cluster: a plain object or YAML text. The way back restores what it says.
   * @default - one that says nothing of topology, as kubeadm writes it */
  readonly service?: WorkloadInput;
  /** By OpenYurt's annotation, which yurthub obeys, or by the field `trafficDistribution`, which kube-proxy obeys.
   * @default - the annotation where the documents of the OpenYurt release recommend it (1.4 to 1.6) or the minor obeys no `trafficDistribution`
   * (before Kubernetes 1.31); `trafficDistribution` otherwise */
  readonly topology?: 'annotation' | 'trafficDistribution';
  /** Requests stay within a pool, or on the node.
   * @default pool */
  readonly within?: 'pool' | 'node';
}

export const SERVICE = { kind: 'Service', namespace: 'kube-system', name: 'kube-dns' } as const;

/** OpenYurt pkg/yurthub/filter/servicetopology/filter.go */
export const TOPOLOGY_ANNOTATION = 'openyurt.io/topologyKeys';
const ANNOTATION_VALUES = { pool: 'openyurt.io/nodepool', node: 'kubernetes.io/hostname' } as const;

const FIELD = 'trafficDistribution';
const FIELD_VALUES: Readonly<Record<'pool' | 'node', readonly TrafficDistribution[]>> = {
  pool: ['PreferSameZone', 'PreferClose'],
  node: ['PreferSameNode'],
};

/** Which of the two a cluster is given; undefined where it obeys neither. */
export function topologyOf(
  cluster: EdgeCluster,
  era: PreconditionEra = 'release',
): CoreDnsServiceSettings['topology'] | undefined {
  const obeysField = trafficDistributions(cluster).length > 0;
  if (cluster.hasOpenYurt() && (era === 'tunnel' || recommendsTopologyAnnotation(cluster) || !obeysField)) {
    return 'annotation';
  }
  return obeysField ? FIELD : undefined;
}

const NO_EFFECT = 'on nodes without kube-proxy it means nothing: there the Service is not reachable at all';

/** Whether and why a cluster needs it. */
export function adviseCoreDnsService(
  cluster: EdgeCluster,
  era: PreconditionEra = 'release',
  topology = topologyOf(cluster, era),
): PreconditionAdvice {
  const component = 'coredns-service';
  if (topology === 'annotation') {
    const reason = `yurthub shows kube-proxy only the endpoints of the same pool, so every pool with kube-proxy needs a CoreDNS of its own (DaemonSet) or has no DNS; ${NO_EFFECT}`;
    return { component, need: era === 'tunnel' ? 'required' : 'optional', reason };
  }
  if (topology === undefined) {
    const reason = `no kube-proxy of Kubernetes ${cluster.kubernetes} obeys ${FIELD}, and without OpenYurt nobody reads the annotation`;
    return { component, need: 'none', reason };
  }
  return {
    component,
    need: 'optional',
    reason: `kube-proxy prefers endpoints in the zone of the node and uses others where there are none; a pool is a zone only if its nodes carry topology.kubernetes.io/zone; ${NO_EFFECT}`,
  };
}

/** Plans the change of the Service. */
export function planCoreDnsService(
  input: PreconditionInput & CoreDnsServiceSettings,
  problems: ProblemList,
): PlannedPrecondition {
  const { cluster, era, within = 'pool' } = input;
  checkOneOf(input.topology, ['annotation', FIELD], problems.at('topology'));
  checkOneOf(input.within, ['pool', 'node'], problems.at('within'));
  const topology = input.topology ?? topologyOf(cluster, era);
  const advice = adviseCoreDnsService(cluster, era, topology);
  const atService = problems.at('service');
  const given = input.service === undefined ? undefined : readNamedObject(input.service, SERVICE, atService);
  const value =
    topology === undefined || problems.problems.length > 0 ? undefined : wanted(cluster, topology, within, problems);
  if (!isApplied(advice, input.apply)) {
    return planned(advice, input, () => ({}));
  }
  return planned(advice, input, () =>
    value === undefined
      ? {}
      : {
          steps: [
            ...(topology === 'annotation' ? [GUARD] : []),
            writeStep(`answer from within the ${within} where that is possible`, { partial: value, present: given }),
          ],
          reversal: [
            writeStep('say of topology what was said before', {
              partial: asBefore(given, value),
              present: given,
              instead: value,
            }),
          ],
          // kubeadm writes the Service anew (phases/addons/dns, createDNSService)
          lostAfter: cluster.distribution === 'kubeadm' ? ['kubeadm upgrade'] : [],
        },
  );
}

/** Also where the DaemonSet is not made beside it: the annotation would leave pools without CoreDNS without DNS. */
const GUARD = step('go on only where a DaemonSet of CoreDNS answers', {
  commands: [
    `${SOMEBODY_ANSWERS} || { echo 'no Pod of DaemonSet kube-system/coredns is ready: pools without CoreDNS would have no DNS' >&2; exit 1; }`,
  ],
});

function wanted(
  cluster: EdgeCluster,
  topology: 'annotation' | typeof FIELD,
  within: 'pool' | 'node',
  problems: ProblemList,
): PlainMap | undefined {
  if (topology === 'annotation') {
    if (!cluster.hasOpenYurt()) {
      problems
        .at('topology')
        .add('EDGE_FIELD_NOT_IN_RELEASE', 'without OpenYurt nobody reads the annotation', `write '${FIELD}'`);
      return undefined;
    }
    return partialOf('v1', SERVICE, {
      metadata: { annotations: { [TOPOLOGY_ANNOTATION]: ANNOTATION_VALUES[within] } },
    });
  }
  const obeyed = trafficDistributions(cluster);
  const value = FIELD_VALUES[within].find((each) => obeyed.includes(each));
  if (value === undefined) {
    const hint = within === 'node' && obeyed.length > 0 ? "write within: 'pool'" : "write topology: 'annotation'";
    problems
      .at(within === 'node' ? 'within' : 'topology')
      .add(
        'EDGE_FIELD_NOT_IN_RELEASE',
        `Kubernetes ${cluster.kubernetes} obeys no ${FIELD} within the ${within}`,
        hint,
      );
    return undefined;
  }
  return partialOf('v1', SERVICE, { spec: { [FIELD]: value } });
}

/** The same partial object with what was there: a field that is left out is one that the apply removes. */
function asBefore(given: PlainMap | undefined, value: PlainMap): PlainMap {
  const annotation = mapAt(mapAt(given ?? {}, 'metadata'), 'annotations')[TOPOLOGY_ANNOTATION];
  const field = mapAt(given ?? {}, 'spec')[FIELD];
  const isField = value.spec !== undefined;
  return partialOf('v1', SERVICE, {
    ...(!isField && annotation !== undefined
      ? { metadata: { annotations: { [TOPOLOGY_ANNOTATION]: annotation } } }
      : {}),
    ...(isField && field !== undefined ? { spec: { [FIELD]: field } } : {}),
  });
}

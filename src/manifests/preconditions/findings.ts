import type { ProblemList } from '../../errors.js';
import { readCorefile } from '../corefile/corefile.js';
import type { EdgeCluster } from '../edge-cluster.js';
import { mapAt, valueAt } from '../kubernetes-object.js';
import { showValue } from '../properties.js';
import type { ClusterState } from './cluster-state.js';
import { adviseCorefile } from './corefile.js';
import { KUBEADM_CONTROLLERS, runsNodeLifecycle } from './controllers.js';
import { adviseCoreDnsDaemonSet } from './coredns-daemon-set.js';
import { adviseCoreDnsService, TOPOLOGY_ANNOTATION, topologyOf } from './coredns-service.js';
import { adviseKubeControllerManager } from './kube-controller-manager.js';
import { adviseKubeProxy, namesKubeconfig } from './kube-proxy.js';
import type { PreconditionAdvice, PreconditionEra } from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FILE } from './proxy-names.js';
import { readClusterConfiguration } from './cluster-configuration.js';
import { readStaticPod } from './static-pod.js';

/**
 * Whether a cluster has what it should. `unknown`: what was read does not show it.
 *
 * @category Prepare the cluster
 */
export type FindingState = 'fine' | 'missing' | 'harmful' | 'obsolete' | 'unknown';

/** What was found of one precondition. */
export interface PreconditionFinding extends PreconditionAdvice {
  readonly state: FindingState;
  /** What the cluster has, in a few words. */
  readonly found: string;
}

/** What a cluster has: in words, and whether that is the precondition. */
interface Seen {
  readonly present: boolean;
  readonly found: string;
}

/** Looks at every precondition. Texts that can not be read are problems. */
export function findPreconditions(
  cluster: EdgeCluster,
  era: PreconditionEra | undefined,
  state: ClusterState,
  problems: ProblemList,
): PreconditionFinding[] {
  const names = state.objects.some(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === HOSTS_CONFIG_MAPS.raven,
  );
  return [
    finding(adviseKubeControllerManager(cluster, era), seenControllers(state, problems)),
    finding(adviseCorefile(cluster, era, names), seenCorefile(state, problems)),
    finding(adviseCoreDnsService(cluster, era), seenService(cluster, era, state)),
    finding(adviseCoreDnsDaemonSet(cluster, era), seenDaemonSet(state)),
    finding(adviseKubeProxy(cluster, era), seenKubeProxy(state, problems)),
  ];
}

/** What shows the state of a component. */
const SOURCES: Readonly<Record<PreconditionAdvice['component'], string>> = {
  'kube-controller-manager':
    '/etc/kubernetes/manifests/kube-controller-manager.yaml, the ConfigMap kubeadm-config, or the Pods of kube-system',
  corefile: 'the ConfigMap kube-system/coredns',
  'coredns-service': 'the Service kube-system/kube-dns',
  'coredns-daemon-set': 'the Deployment and DaemonSet kube-system/coredns',
  'kube-proxy': 'the ConfigMap kube-system/kube-proxy',
};

function finding(advice: PreconditionAdvice, seen: Seen | undefined): PreconditionFinding {
  if (seen === undefined) {
    return { ...advice, state: 'unknown', found: `nothing of it was read; give ${SOURCES[advice.component]}` };
  }
  const { present, found } = seen;
  const states: Readonly<Record<PreconditionAdvice['need'], FindingState>> = {
    required: present ? 'fine' : 'missing',
    optional: 'fine',
    none: present ? 'obsolete' : 'fine',
    harmful: present ? 'harmful' : 'fine',
  };
  return { ...advice, state: states[advice.need], found };
}

/** The value of `--controllers` that holds now; undefined where nothing tells. */
export function presentControllers(state: ClusterState, problems: ProblemList): string | undefined {
  const pod = state.staticPod === undefined ? undefined : readStaticPod(state.staticPod, problems.at('staticPod'));
  if (state.staticPod !== undefined) {
    return pod?.controllers ?? '';
  }
  // where the replicas differ, the one that still runs it decides
  const running = state.runningControllers.find(runsNodeLifecycle) ?? state.runningControllers[0];
  if (running !== undefined || state.clusterConfiguration === undefined) {
    return running;
  }
  const at = problems.at('clusterConfiguration');
  return readClusterConfiguration(state.clusterConfiguration, at)?.controllers ?? KUBEADM_CONTROLLERS;
}

function seenControllers(state: ClusterState, problems: ProblemList): Seen | undefined {
  const value = presentControllers(state, problems);
  return value === undefined
    ? undefined
    : { present: !runsNodeLifecycle(value), found: value === '' ? 'no --controllers' : `--controllers=${value}` };
}

function seenCorefile({ corefile }: ClusterState, problems: ProblemList): Seen | undefined {
  const text = valueAt(corefile, ['data', 'Corefile']);
  if (typeof text !== 'string') {
    return undefined;
  }
  const read = readCorefile(text, problems.at('ConfigMap kube-system/coredns', 'data', 'Corefile'));
  const present = read?.has('hosts', HOSTS_FILE) ?? false;
  return { present, found: `${present ? 'a' : 'no'} hosts plugin with ${HOSTS_FILE}` };
}

function seenService(cluster: EdgeCluster, era: PreconditionEra | undefined, state: ClusterState): Seen | undefined {
  const service = state.coreDnsService;
  if (service === undefined) {
    return undefined;
  }
  const annotation = mapAt(mapAt(service, 'metadata'), 'annotations')[TOPOLOGY_ANNOTATION];
  const field = mapAt(service, 'spec').trafficDistribution;
  const isAnnotation = topologyOf(cluster, era) === 'annotation';
  const shown = [
    ...(annotation === undefined ? [] : [`${TOPOLOGY_ANNOTATION}: ${showValue(annotation)}`]),
    ...(field === undefined ? [] : [`trafficDistribution: ${showValue(field)}`]),
  ];
  const present = isAnnotation ? annotation !== undefined : shown.length > 0;
  return { present, found: shown.join(', ') || 'nothing about topology' };
}

function seenDaemonSet({ coreDnsDaemonSet, coreDnsDeployment }: ClusterState): Seen | undefined {
  if (coreDnsDaemonSet === undefined && coreDnsDeployment === undefined) {
    return undefined;
  }
  const replicas = valueAt(coreDnsDeployment, ['spec', 'replicas']);
  const deployment = coreDnsDeployment === undefined ? 'no Deployment' : `a Deployment of ${showValue(replicas ?? 1)}`;
  return {
    present: coreDnsDaemonSet !== undefined,
    found: `${coreDnsDaemonSet === undefined ? 'no' : 'a'} DaemonSet, ${deployment}`,
  };
}

function seenKubeProxy({ kubeProxyConfig }: ClusterState, problems: ProblemList): Seen | undefined {
  const text = valueAt(kubeProxyConfig, ['data', 'config.conf']);
  if (typeof text !== 'string') {
    return undefined;
  }
  const named = namesKubeconfig(text, problems.at('ConfigMap kube-system/kube-proxy', 'data', 'config.conf'));
  return { present: named === false, found: named === false ? 'no kubeconfig' : 'a kubeconfig' };
}

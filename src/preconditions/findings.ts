import { EdgeError, type ProblemList } from '../errors.js';
import { type Corefile, readCorefile } from './corefile/corefile.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { mapAt, valueAt } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import type { ClusterState } from './cluster-state.js';
import { adviseCorefile } from './coredns-corefile.js';
import { runsNodeLifecycle } from './controllers.js';
import { controllersIn } from './controllers-fixes.js';
import { adviseCoreDnsDaemonSet } from './coredns-daemon-set.js';
import { adviseCoreDnsService, TOPOLOGY_ANNOTATION, topologyOf } from './coredns-service.js';
import { adviseKubeControllerManager } from './kube-controller-manager.js';
import { adviseKubeProxy, namesKubeconfig } from './kube-proxy.js';
import type { PreconditionAdvice, PreconditionEra } from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FILE } from './proxy-names.js';

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
  /** Why nothing is written for the gap, and what to do.
   * @default - there is no gap, or something is written */
  readonly unwritten?: string;
  /** What to know before what is written is applied.
   * @default - nothing */
  readonly warning?: string;
}

/** What a cluster has: in words, and whether that is the precondition. */
interface Seen {
  readonly present: boolean;
  readonly found: string;
}

/** Looks at every precondition. Texts that cannot be read are problems. */
export function findPreconditions(
  cluster: EdgeCluster,
  era: PreconditionEra | undefined,
  state: ClusterState,
  problems: ProblemList,
): PreconditionFinding[] {
  const names = state.objects.some(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === HOSTS_CONFIG_MAPS.raven,
  );
  const corefile = adviseCorefile(cluster, era, names);
  const controllers = adviseKubeControllerManager(cluster, era);
  return [
    finding(controllers, seenControllers(state, controllers, problems)),
    finding(corefile, seenCorefile(state, corefile, problems)),
    daemonSetFinding(adviseCoreDnsDaemonSet(cluster, era), state),
    finding(adviseCoreDnsService(cluster, era), seenService(cluster, era, state)),
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

/** Where the nodes differ: it is off only where all have it off, and does harm where one has. */
function seenControllers(state: ClusterState, { need }: PreconditionAdvice, problems: ProblemList): Seen | undefined {
  const values = controllersIn(state, problems);
  const isOff = (value: string): boolean => !runsNodeLifecycle(value);
  return values.length === 0
    ? undefined
    : {
        present: need === 'required' ? values.every(isOff) : values.some(isOff),
        found: values.map((value) => (value === '' ? 'no --controllers' : `--controllers=${value}`)).join(' and '),
      };
}

function answersAll(corefile: Corefile): boolean {
  try {
    return corefile.withHosts({ file: HOSTS_FILE }).toString() === corefile.toString();
  } catch (error) {
    if (error instanceof EdgeError) {
      return false;
    }
    throw error;
  }
}

function seenCorefile(
  { corefile }: ClusterState,
  { need }: PreconditionAdvice,
  problems: ProblemList,
): Seen | undefined {
  const text = valueAt(corefile, ['data', 'Corefile']);
  if (typeof text !== 'string') {
    return undefined;
  }
  const read = readCorefile(text, problems.at('ConfigMap kube-system/coredns', 'data', 'Corefile'));
  const isThere = read?.has('hosts', HOSTS_FILE) ?? false;
  // zones, or a fallthrough for some of them, leave names out
  const present = need === 'required' ? isThere && read !== undefined && answersAll(read) : isThere;
  if (isThere && !present) {
    return {
      present,
      found: `a hosts plugin with ${HOSTS_FILE} that does not answer all names, or lets too few fall through`,
    };
  }
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

/** Whether somebody answers DNS is looked at too: in no release is it fine that nobody does. */
function daemonSetFinding(advice: PreconditionAdvice, state: ClusterState): PreconditionFinding {
  const seen = seenDaemonSet(state);
  return seen?.dns === false
    ? { ...advice, state: 'harmful', found: `no DNS: ${seen.found}`, reason: NO_DNS }
    : finding(advice, seen);
}

const NO_DNS = 'nobody answers DNS in this cluster: the Deployment has no replicas, and no Pod of a DaemonSet is ready';

/** What is there instead of the Deployment: a DaemonSet counts when it answers and the Deployment is gone. */
export function seenDaemonSet({
  coreDnsDaemonSet,
  coreDnsDeployment,
}: ClusterState): (Seen & { readonly dns: boolean }) | undefined {
  if (coreDnsDaemonSet === undefined && coreDnsDeployment === undefined) {
    return undefined;
  }
  const replicas = coreDnsDeployment === undefined ? 0 : (valueAt(coreDnsDeployment, ['spec', 'replicas']) ?? 1);
  const { numberReady: ready, desiredNumberScheduled: desired } = mapAt(coreDnsDaemonSet ?? {}, 'status');
  // manifests from a folder have no status, and say nothing of it
  const answers = coreDnsDaemonSet !== undefined && (ready === undefined ? desired === undefined : Number(ready) > 0);
  const pods =
    ready === undefined && desired === undefined
      ? ''
      : ` (${showValue(ready ?? 0)} of ${showValue(desired)} Pods ready)`;
  const deployment = coreDnsDeployment === undefined ? 'no Deployment' : `a Deployment of ${showValue(replicas)}`;
  return {
    present: answers && replicas === 0,
    found: `${coreDnsDaemonSet === undefined ? 'no' : 'a'} DaemonSet${pods}, ${deployment}`,
    dns: answers || replicas !== 0,
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

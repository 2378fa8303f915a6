import { EdgeError, type ProblemList } from '../base/errors.js';
import { type Corefile, readCorefile } from './corefile.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { mapAt, valueAt } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import type { ClusterState } from './cluster-state.js';
import { adviseCorefile } from './coredns-corefile.js';
import { runsNodeLifecycle } from './kube-controllers.js';
import { controllersIn } from './controllers-fixes.js';
import { adviseCoreDnsDaemonSet } from './coredns-daemon-set.js';
import { adviseCoreDnsService, TOPOLOGY_ANNOTATION, topologyOf } from './coredns-service.js';
import { adviseKubeControllerManager } from './kube-controller-manager.js';
import { adviseKubeProxy, namesKubeconfig } from './kube-proxy.js';
import type { PreconditionAdvice, PreconditionGuide } from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FILE } from './proxy-names.js';

/** Whether a cluster is in the state that its release needs. `unknown`: the files do not show it. */
export type FindingState = 'fine' | 'missing' | 'harmful' | 'obsolete' | 'unknown';

/** The state of one precondition in a cluster. */
export interface PreconditionFinding extends PreconditionAdvice {
  readonly state: FindingState;
  /** What the cluster has, short. */
  readonly found: string;
  /** Why no fix is written, and what to do.
   * @default - there is nothing to fix, or a fix is written */
  readonly unwritten?: string;
  /** What to consider before the fix is applied.
   * @default - nothing */
  readonly warning?: string;
}

/** What a cluster has, and whether that is the precondition. */
interface Seen {
  readonly present: boolean;
  readonly found: string;
}

/** Finds the state of every precondition. Invalid documents are problems. */
export function findPreconditions(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  state: ClusterState,
  problems: ProblemList,
): PreconditionFinding[] {
  const names = state.objects.some(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === HOSTS_CONFIG_MAPS.raven,
  );
  const corefile = adviseCorefile(cluster, guide, names);
  const controllers = adviseKubeControllerManager(cluster, guide);
  return [
    finding(controllers, seenControllers(state, controllers, problems)),
    finding(corefile, seenCorefile(state, corefile, problems)),
    daemonSetFinding(adviseCoreDnsDaemonSet(cluster, guide), state),
    finding(adviseCoreDnsService(cluster, guide), seenService(cluster, guide, state)),
    finding(adviseKubeProxy(cluster, guide), seenKubeProxy(state, problems)),
  ];
}

/** Documents that show the state of a component. */
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
    return { ...advice, state: 'unknown', found: `not read; needs ${SOURCES[advice.component]}` };
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

/** If the nodes differ: a required change is present if all nodes have it, a harmful one if any node has it. */
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
  // with zones, or a fallthrough for some zones, it does not answer all names
  const present = need === 'required' ? isThere && read !== undefined && answersAll(read) : isThere;
  if (isThere && !present) {
    return {
      present,
      found: `a hosts plugin with ${HOSTS_FILE} that does not answer all names, or whose fallthrough is missing or incomplete`,
    };
  }
  return { present, found: `${present ? 'a' : 'no'} hosts plugin with ${HOSTS_FILE}` };
}

function seenService(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  state: ClusterState,
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

/** Finds the state of the DaemonSet, and whether the cluster has DNS at all, which every release needs. */
function daemonSetFinding(advice: PreconditionAdvice, state: ClusterState): PreconditionFinding {
  const seen = seenDaemonSet(state);
  return seen?.dns === false
    ? { ...advice, state: 'harmful', found: `no DNS: ${seen.found}`, reason: NO_DNS }
    : finding(advice, seen);
}

const NO_DNS =
  'the cluster has no DNS: the Deployment of CoreDNS has no replicas, and no Pod of a DaemonSet of CoreDNS is ready';

/** Whether CoreDNS is a DaemonSet: it has ready Pods, and the Deployment has no replicas. */
export function seenDaemonSet({
  coreDnsDaemonSet,
  coreDnsDeployment,
}: ClusterState): (Seen & { readonly dns: boolean }) | undefined {
  if (coreDnsDaemonSet === undefined && coreDnsDeployment === undefined) {
    return undefined;
  }
  const replicas = coreDnsDeployment === undefined ? 0 : (valueAt(coreDnsDeployment, ['spec', 'replicas']) ?? 1);
  const { numberReady: ready, desiredNumberScheduled: desired } = mapAt(coreDnsDaemonSet ?? {}, 'status');
  // manifests that were not read from a cluster have no status
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

import { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ClusterState } from './cluster-state.js';
import { readClusterConfiguration } from './cluster-configuration.js';
import { KUBEADM_CONTROLLERS, runsNodeLifecycle } from './controllers.js';
import {
  type KubeControllerManagerSettings,
  patchedValues,
  undoKubeControllerManager,
} from './kube-controller-manager.js';
import type { Precondition } from './precondition.js';
import { readStaticPod, runningControllersOf, runningFlagsOf } from './static-pod.js';

/** Values of `--controllers` in a cluster, each once: of the manifests that were read, of the Pods, and else what kubeadm would write. */
export function controllersIn(state: ClusterState, problems: ProblemList): string[] {
  const { staticPods, controllerManagers, clusterConfiguration } = state;
  const written = staticPods.map((text) => readStaticPod(text, problems.at('staticPod'))?.controllers ?? '');
  const values = [...written, ...controllerManagers.map(runningControllersOf)];
  return values.length === 0 && clusterConfiguration !== undefined
    ? [configuredIn(state, problems)]
    : [...new Set(values)];
}

/** What kubeadm writes when it writes the static Pod again. */
function configuredIn({ clusterConfiguration: text }: ClusterState, problems: ProblemList): string {
  const read = text === undefined ? undefined : readClusterConfiguration(text, problems.at('clusterConfiguration'));
  return read?.controllers ?? KUBEADM_CONTROLLERS;
}

/** The settings for the controllers of a cluster. */
export function controllerSettings(state: ClusterState): KubeControllerManagerSettings {
  const [staticPod] = state.staticPods;
  const { clusterConfiguration } = state;
  const [running] = controllersIn(state, new ProblemList());
  return {
    apply: true,
    ...(staticPod === undefined && running !== undefined && running !== '' ? { controllers: running } : {}),
    ...(staticPod === undefined ? {} : { staticPod }),
    ...(clusterConfiguration === undefined ? {} : { clusterConfiguration }),
  };
}

const MANIFEST = '/etc/kubernetes/manifests/kube-controller-manager.yaml';

/** Why no file can close the gap without taking something else away; undefined where one can. */
export function whyNotWritten(cluster: EdgeCluster, state: ClusterState): string | undefined {
  const values = controllersIn(state, new ProblemList());
  const [value = ''] = values;
  if (values.length > 1 || state.staticPods.length > 1) {
    return `the control-plane nodes differ; give ${MANIFEST} of each in a run of its own, without the Pods, with an --out of its own`;
  }
  if (state.staticPods.length === 1) {
    return undefined;
  }
  if (cluster.distribution !== 'kubeadm') {
    return `kubeadm did not make this control plane; give ${MANIFEST}, or change --controllers where it is set`;
  }
  const configured = configuredIn(state, new ProblemList());
  const isPatched = !runsNodeLifecycle(value) && patchedValues(configured).includes(value);
  return value === configured || isPatched
    ? undefined
    : `give ${MANIFEST}: kubeadm would write ${configured}, so what the Pods run with would be lost if it wrote the manifest again`;
}

/** Flags that kubeadm itself writes (cmd/kubeadm/app/phases/controlplane, getControllerManagerCommand, 1.22 to 1.37). */
const KUBEADM_FLAGS: readonly string[] = [
  'allocate-node-cidrs',
  'authentication-kubeconfig',
  'authorization-kubeconfig',
  'bind-address',
  'client-ca-file',
  'cluster-cidr',
  'cluster-name',
  'cluster-signing-cert-file',
  'cluster-signing-key-file',
  'controllers',
  'feature-gates',
  'kubeconfig',
  'leader-elect',
  'node-cidr-mask-size-ipv4',
  'node-cidr-mask-size-ipv6',
  'port',
  'requestheader-client-ca-file',
  'root-ca-file',
  'service-account-private-key-file',
  'service-cluster-ip-range',
  'use-service-account-credentials',
];

/** What a manifest that kubeadm writes again would lose; undefined where nothing, or where the manifest itself is edited. */
export function lostFlags({
  staticPods,
  controllerManagers,
  clusterConfiguration: text,
}: ClusterState): string | undefined {
  const configured = text === undefined ? [] : (readClusterConfiguration(text, new ProblemList())?.names ?? []);
  const known = [...KUBEADM_FLAGS, ...configured];
  const flags = new Set(controllerManagers.flatMap(runningFlagsOf).filter((flag) => !known.includes(flag)));
  return staticPods.length > 0 || flags.size === 0
    ? undefined
    : `kubeadm writes the static Pod again, which would lose what only the Pods have: ${[...flags].map((flag) => `--${flag}`).join(', ')}; give ${MANIFEST}, which is edited instead`;
}

/** Turns the node lifecycle controller on again. */
export function turnedOn(
  cluster: EdgeCluster,
  state: ClusterState,
): Pick<Precondition, 'files' | 'steps' | 'rollback' | 'rollbackFiles'> {
  const [value = ''] = controllersIn(state, new ProblemList());
  const { clusterConfiguration, staticPod, controllers } = controllerSettings(state);
  // a configuration in which the controller is on already is not what turned it off
  const isCause = !runsNodeLifecycle(configuredIn(state, new ProblemList()));
  const documents = { staticPod, controllers, ...(isCause ? { clusterConfiguration } : {}) };
  return undoKubeControllerManager(cluster, documents, value);
}

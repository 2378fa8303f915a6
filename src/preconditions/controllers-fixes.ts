import { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ClusterState } from './cluster-state.js';
import { readClusterConfiguration } from './cluster-configuration.js';
import { KUBEADM_CONTROLLERS, runsNodeLifecycle } from './kube-controllers.js';
import {
  type KubeControllerManagerSettings,
  patchedValues,
  undoKubeControllerManager,
} from './kube-controller-manager.js';
import type { Precondition } from './precondition.js';
import { readStaticPod, runningControllersOf, runningFlagsOf } from './controller-manager-manifest.js';

/** Distinct values of `--controllers` in a cluster: of the manifests and the Pods, else the value that kubeadm would write. */
export function controllersIn(state: ClusterState, problems: ProblemList): string[] {
  const { staticPods, controllerManagers, clusterConfiguration } = state;
  const written = staticPods.map((text) => readStaticPod(text, problems.at('staticPod'))?.controllers ?? '');
  const values = [...written, ...controllerManagers.map(runningControllersOf)];
  return values.length === 0 && clusterConfiguration !== undefined
    ? [configuredIn(state, problems)]
    : [...new Set(values)];
}

/** The value that kubeadm would write into the static Pod. */
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

/** Why no file can fix the finding without losing other settings; undefined if one can. */
export function whyNotWritten(cluster: EdgeCluster, state: ClusterState): string | undefined {
  const values = controllersIn(state, new ProblemList());
  const [value = ''] = values;
  if (values.length > 1 || state.staticPods.length > 1) {
    return `the control-plane nodes differ; run this once per node with its ${MANIFEST}, without the Pods, and with a separate --out`;
  }
  if (state.staticPods.length === 1) {
    return undefined;
  }
  if (cluster.distribution !== 'kubeadm') {
    return `kubeadm did not create this control plane; needs ${MANIFEST}, or change --controllers where it is set`;
  }
  const configured = configuredIn(state, new ProblemList());
  const isPatched = !runsNodeLifecycle(value) && patchedValues(configured).includes(value);
  return value === configured || isPatched
    ? undefined
    : `needs ${MANIFEST}: kubeadm would write the manifest again with ${configured}, and the value of the Pods would be lost`;
}

/** Flags that kubeadm writes (cmd/kubeadm/app/phases/controlplane, getControllerManagerCommand, 1.22 to 1.37). */
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

/** Warns about flags that are lost if kubeadm writes the manifest again; undefined if there are none, or if the manifest is edited instead. */
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
    : `kubeadm writes the static Pod again, and flags that only the Pods have would be lost: ${[...flags].map((flag) => `--${flag}`).join(', ')}; with ${MANIFEST}, this file is edited instead`;
}

/** Turns the node lifecycle controller on again. */
export function turnedOn(
  cluster: EdgeCluster,
  state: ClusterState,
): Pick<Precondition, 'files' | 'steps' | 'rollback' | 'rollbackFiles'> {
  const [value = ''] = controllersIn(state, new ProblemList());
  const { clusterConfiguration, staticPod, controllers } = controllerSettings(state);
  // if the controller is on in the configuration, the configuration did not turn it off
  const isCause = !runsNodeLifecycle(configuredIn(state, new ProblemList()));
  const documents = { staticPod, controllers, ...(isCause ? { clusterConfiguration } : {}) };
  return undoKubeControllerManager(cluster, documents, value);
}

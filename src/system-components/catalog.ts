import type { KubeadmPatchTarget } from '../cluster/kubernetes-minors.js';
import type { NodeSelectorTerm } from '../kubernetes/node-affinity.js';

/** Which tool writes the objects of a component, and can revert a patch of them. */
export type ComponentOwner = 'kubeadm' | 'manifest' | 'helm' | 'operator';

/** One workload of a system component, as its project ships it. */
export interface ComponentWorkload {
  /** API version of the workload.
   * @default apps/v1 */
  readonly apiVersion?: string;
  /** Kind of the workload. */
  readonly kind: 'DaemonSet' | 'Deployment' | 'StatefulSet';
  /** Namespace of the workload. */
  readonly namespace: string;
  /** Name of the workload. */
  readonly name: string;
  /** Its shipped required node affinity terms. A patch must contain them, because the required node affinity is one atomic value.
   * @default - none */
  readonly requiredTerms?: NodeSelectorTerm[];
  /** Its patch target in kubeadm.
   * @default - none */
  readonly kubeadmPatchTarget?: KubeadmPatchTarget;
  /** Names of all containers of its Pods.
   * @default - not known */
  readonly containers?: string[];
}

/** A system component, as data. */
export interface ComponentData {
  /** Short name, used in options and reports. */
  readonly name: string;
  /** Which tool writes its objects. */
  readonly owner: ComponentOwner;
  /** Its workloads. */
  readonly workloads: readonly ComponentWorkload[];
  /** Why patches cannot exclude it, and what to do instead if there is no admission policy either.
   * @default - patches can exclude it */
  readonly notExcludable?: string;
  /** A note for the user.
   * @default - none */
  readonly note?: string;
}

// The components as their projects ship them, with their sources.

/** kube-proxy of kubeadm: hostNetwork, tolerates everything, no affinity (kubeadm phases/addons/proxy/manifests.go, 1.24 to 1.37). */
export const KUBE_PROXY: ComponentData = {
  name: 'kube-proxy',
  owner: 'kubeadm',
  workloads: [
    {
      kind: 'DaemonSet',
      namespace: 'kube-system',
      name: 'kube-proxy',
      kubeadmPatchTarget: 'kubeproxydaemonset',
      containers: ['kube-proxy'],
    },
  ],
};

/** CoreDNS of kubeadm: no node affinity; patches do not change its preferred podAntiAffinity (phases/addons/dns/manifests.go). */
export const COREDNS: ComponentData = {
  name: 'coredns',
  owner: 'kubeadm',
  workloads: [
    {
      kind: 'Deployment',
      namespace: 'kube-system',
      name: 'coredns',
      kubeadmPatchTarget: 'corednsdeployment',
      containers: ['coredns'],
    },
  ],
};

/** CoreDNS of OpenYurt's documentation: a DaemonSet with the same name that tolerates everything (openyurt.io, coredns-prepare). */
export const COREDNS_DAEMON_SET: ComponentData = {
  name: 'coredns-daemon-set',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'coredns' }],
};

/** A CoreDNS DaemonSet with the name yurt-coredns, as in some installations; in OpenYurt's documentation its name is coredns. */
export const YURT_COREDNS: ComponentData = {
  name: 'yurt-coredns',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'yurt-coredns' }],
};

// shipped since v0.13.0 (Documentation/kube-flannel.yml) and hard-coded in the Helm chart
const LINUX: NodeSelectorTerm = { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] };

/** flannel v0.19.0 and later, in its own namespace. */
export const FLANNEL: ComponentData = {
  name: 'flannel',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-flannel', name: 'kube-flannel-ds', requiredTerms: [LINUX] }],
};

/** flannel v0.13.0 to v0.18.1, in kube-system. */
export const FLANNEL_KUBE_SYSTEM: ComponentData = {
  name: 'flannel-kube-system',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-flannel-ds', requiredTerms: [LINUX] }],
  note: 'this is flannel up to v0.18; from v0.19 on its namespace is kube-flannel: use the component flannel',
};

/** Calico by manifest (projectcalico/calico manifests/calico.yaml v3.24 to v3.32): no affinity, calico-node tolerates everything. */
export const CALICO: ComponentData = {
  name: 'calico',
  owner: 'manifest',
  workloads: [
    { kind: 'DaemonSet', namespace: 'kube-system', name: 'calico-node' },
    { kind: 'Deployment', namespace: 'kube-system', name: 'calico-kube-controllers' },
  ],
};

/** Calico by the Tigera operator, which writes the DaemonSets again and so reverts patches (tigera/operator v1.36 to v1.42). */
export const CALICO_OPERATOR: ComponentData = {
  name: 'calico-operator',
  owner: 'operator',
  workloads: [
    { kind: 'DaemonSet', namespace: 'calico-system', name: 'calico-node' },
    { kind: 'DaemonSet', namespace: 'calico-system', name: 'csi-node-driver' },
  ],
  notExcludable:
    'the Tigera operator reverts patches on its DaemonSets; set spec.calicoNodeDaemonSet.spec.template.spec.affinity and spec.csiNodeDriverDaemonSet.spec.template.spec.affinity of the Installation "default" instead (the value replaces the whole affinity)',
};

// install/kubernetes/cilium/values.yaml, envoy.affinity, since 1.16
const NO_SCHEDULE: NodeSelectorTerm = {
  matchExpressions: [{ key: 'cilium.io/no-schedule', operator: 'NotIn', values: ['true'] }],
};

/** The Cilium agent and its Envoy, by Helm chart 1.16 to 1.19. The agent ships no node affinity, Envoy ships one term. */
export const CILIUM: ComponentData = {
  name: 'cilium',
  owner: 'helm',
  workloads: [
    { kind: 'DaemonSet', namespace: 'kube-system', name: 'cilium' },
    { kind: 'DaemonSet', namespace: 'kube-system', name: 'cilium-envoy', requiredTerms: [NO_SCHEDULE] },
    { kind: 'Deployment', namespace: 'kube-system', name: 'cilium-operator' },
  ],
  note: 'the chart values affinity, envoy.affinity and operator.affinity are more durable than a patch; cilium-envoy exists by default only from 1.16 on (write absent in components if it does not exist); on every node on which it runs, the agent renames other CNI configuration files',
};

/** NodeLocal DNSCache (kubernetes cluster/addons/dns/nodelocaldns, 1.18 to 1.36): no affinity, no nodeSelector, tolerates everything. */
export const NODE_LOCAL_DNS: ComponentData = {
  name: 'node-local-dns',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'node-local-dns' }],
};

/** metrics-server by manifest (kubernetes-sigs/metrics-server v0.6 to v0.9): no node affinity. */
export const METRICS_SERVER: ComponentData = {
  name: 'metrics-server',
  owner: 'manifest',
  workloads: [{ kind: 'Deployment', namespace: 'kube-system', name: 'metrics-server' }],
};

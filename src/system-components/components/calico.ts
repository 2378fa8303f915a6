import type { ComponentData } from './component.js';

/** Calico by manifest (projectcalico/calico manifests/calico.yaml v3.24 to v3.32): no affinity, calico-node tolerates everything. */
export const CALICO: ComponentData = {
  name: 'calico',
  owner: 'manifest',
  workloads: [
    { kind: 'DaemonSet', namespace: 'kube-system', name: 'calico-node' },
    { kind: 'Deployment', namespace: 'kube-system', name: 'calico-kube-controllers' },
  ],
};

/** Calico by the Tigera operator, which renders the DaemonSets anew and so reverts any patch on them (tigera/operator v1.36 to v1.42). */
export const CALICO_OPERATOR: ComponentData = {
  name: 'calico-operator',
  owner: 'operator',
  workloads: [
    { kind: 'DaemonSet', namespace: 'calico-system', name: 'calico-node' },
    { kind: 'DaemonSet', namespace: 'calico-system', name: 'csi-node-driver' },
  ],
  cannotKeepOff:
    'the Tigera operator reverts patches on its DaemonSets; set spec.calicoNodeDaemonSet.spec.template.spec.affinity and spec.csiNodeDriverDaemonSet.spec.template.spec.affinity of the Installation "default" instead (the value replaces the whole affinity)',
};

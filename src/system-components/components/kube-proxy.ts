import type { ComponentData } from './component.js';

/** kube-proxy as kubeadm writes it: hostNetwork, tolerates everything, no affinity (kubeadm phases/addons/proxy/manifests.go, 1.24 to 1.37). */
export const KUBE_PROXY: ComponentData = {
  name: 'kube-proxy',
  owner: 'kubeadm',
  workloads: [
    { kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy', kubeadmPatchTarget: 'kubeproxydaemonset' },
  ],
};

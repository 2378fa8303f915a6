/** Kubelet flags and fields that the join sets, or that have their own property, with what to write instead. */

const IN_RESERVATION = 'write it in the reservation';

/** Reserved flags. */
export const RESERVED_KUBELET_FLAGS: Readonly<Record<string, string>> = {
  'node-labels': 'write labels: { … }',
  'register-with-taints': 'write taints: [{ … }]',
  'hostname-override': "write nodeName: '…'",
  'container-runtime-endpoint': "write criSocket: 'unix:///…'",
  config: 'write kubeletConfiguration: { … }; kubeadm sets the flag',
  kubeconfig: 'leave it out: kubeadm sets it',
  'bootstrap-kubeconfig': 'leave it out: kubeadm sets it',
  'kube-reserved': 'write kubeReserved: { … } in the reservation',
  'system-reserved': 'write systemReserved: { … } in the reservation',
  'eviction-hard': 'write evictionHard: { … } in the reservation',
  'eviction-soft': IN_RESERVATION,
  'eviction-soft-grace-period': IN_RESERVATION,
  'eviction-minimum-reclaim': IN_RESERVATION,
  'eviction-max-pod-grace-period': IN_RESERVATION,
  'enforce-node-allocatable': IN_RESERVATION,
  'kube-reserved-cgroup': IN_RESERVATION,
  'system-reserved-cgroup': IN_RESERVATION,
};

/** Reserved fields of the KubeletConfiguration. */
export const RESERVED_KUBELET_FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'leave it out',
  kind: 'leave it out',
  kubeReserved: 'write it in the reservation',
  systemReserved: 'write it in the reservation',
  evictionHard: 'write it in the reservation',
  evictionSoft: 'write it in the reservation',
  evictionSoftGracePeriod: 'write it in the reservation',
  evictionMinimumReclaim: 'write it in the reservation',
  evictionMaxPodGracePeriod: 'write it in the reservation',
  enforceNodeAllocatable: 'write it in the reservation',
  kubeReservedCgroup: 'write it in the reservation',
  systemReservedCgroup: 'write it in the reservation',
  registerWithTaints: 'write taints: [{ … }]',
};

/** Part of the table of releases. Flags that kubelet no longer has, by the minor that took them away (`cmd/kubelet/app/options` of each). */
export const REMOVED_KUBELET_FLAGS: Readonly<Record<string, readonly string[]>> = {
  '1.23': ['experimental-bootstrap-kubeconfig', 'seccomp-profile-root'],
  '1.24': [
    'cni-bin-dir',
    'cni-cache-dir',
    'cni-conf-dir',
    'docker-endpoint',
    'dynamic-config-dir',
    'experimental-check-node-capabilities-before-mount',
    'experimental-dockershim-root-directory',
    'image-pull-progress-deadline',
    'network-plugin',
    'network-plugin-mtu',
    'non-masquerade-cidr',
    'really-crash-for-testing',
  ],
  '1.25': ['experimental-kernel-memcg-notification'],
  '1.27': ['container-runtime', 'master-service-namespace'],
  '1.31': ['iptables-drop-bit', 'iptables-masquerade-bit', 'keep-terminated-pod-volumes'],
  '1.34': ['cloud-config', 'register-schedulable'],
  '1.35': ['pod-infra-container-image'],
};

import type { ComponentData } from './component.js';

/** CoreDNS as kubeadm writes it: no node affinity; its preferred podAntiAffinity is a sibling that a patch leaves alone (phases/addons/dns/manifests.go). */
export const COREDNS: ComponentData = {
  name: 'coredns',
  owner: 'kubeadm',
  workloads: [
    { kind: 'Deployment', namespace: 'kube-system', name: 'coredns', kubeadmPatchTarget: 'corednsdeployment' },
  ],
};

/** CoreDNS as OpenYurt's documents make it: a DaemonSet of the same name that tolerates everything (openyurt.io, coredns-prepare). */
export const COREDNS_DAEMON_SET: ComponentData = {
  name: 'coredns-daemon-set',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'coredns' }],
};

/** A CoreDNS DaemonSet under the name yurt-coredns, as some installations call it; OpenYurt's own documents call it coredns. */
export const YURT_COREDNS: ComponentData = {
  name: 'yurt-coredns',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'yurt-coredns' }],
};

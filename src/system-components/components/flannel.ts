import type { NodeSelectorTerm } from '../../kubernetes/node-affinity.js';
import type { ComponentData } from './component.js';

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
  note: 'this is flannel up to v0.18; from v0.19 on it lives in the namespace kube-flannel (SystemComponent.FLANNEL)',
};

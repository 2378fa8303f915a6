import type { NodeSelectorTerm } from '../../kubernetes/node-affinity.js';
import type { ComponentData } from './component.js';

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
  note: 'the chart values affinity, envoy.affinity and operator.affinity last longer than a patch; cilium-envoy exists by default only from 1.16 on (see components to leave it out); if the agent ever runs on a node it renames foreign CNI files there',
};

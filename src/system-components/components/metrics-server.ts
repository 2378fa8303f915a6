import type { ComponentData } from './component.js';

/** metrics-server by manifest (kubernetes-sigs/metrics-server v0.6 to v0.9): no node affinity. */
export const METRICS_SERVER: ComponentData = {
  name: 'metrics-server',
  owner: 'manifest',
  workloads: [{ kind: 'Deployment', namespace: 'kube-system', name: 'metrics-server' }],
};

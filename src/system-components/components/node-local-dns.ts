import type { ComponentData } from './component.js';

/** NodeLocal DNSCache (kubernetes cluster/addons/dns/nodelocaldns, 1.18 to 1.36): no affinity, no nodeSelector, tolerates everything. */
export const NODE_LOCAL_DNS: ComponentData = {
  name: 'node-local-dns',
  owner: 'manifest',
  workloads: [{ kind: 'DaemonSet', namespace: 'kube-system', name: 'node-local-dns' }],
};

import { ApiObject, Chart } from 'cdk8s';
import type { EdgeApp } from 'edge-nodepools';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools';

/** A chart whose objects no other delivery has: a pool and a ConfigMap. */
export function ownChart(app: EdgeApp, name: string, value: string): Chart {
  const chart = new Chart(app, name);
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name });
  new HostNetworkNodePool(chart, 'pool', { cluster, poolName: name });
  new ApiObject(chart, 'settings', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { value },
  });
  return chart;
}

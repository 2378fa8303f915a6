// The example of the README: `npm run docs` puts it there, with the YAML that it makes.
import { App, Chart } from 'cdk8s';
import { EdgeCluster, ExcludedWorkload, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';

export const app = new App();
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
const beijing = new HostNetworkNodePool(chart, 'beijing', { cluster, poolName: 'beijing' });

const workload = (kind: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `registry.example/${name}:1.0`, ports: [{ containerPort: 9110 }] }] },
    },
  },
});
new ExcludedWorkload(chart, 'web', { cluster, workload: workload('Deployment', 'web') }); // needs the Pod network
new HostNetworkWorkload(chart, 'collector', { pool: beijing, workload: workload('DaemonSet', 'collector') });
app.synth();

// The example of the README: `npm run docs` puts it there, with the YAML that it makes.
import { App, Chart } from 'cdk8s';
import { EdgeCluster, ExcludedWorkload, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';

export const app = new App();
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });

// A site without a Pod network: its nodes run only hostNetwork Pods.
const beijing = new HostNetworkNodePool(chart, 'beijing', { cluster, poolName: 'beijing' });

const pods = (name: string, port: number) => ({
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name, image: `registry.example/${name}:1.0`, ports: [{ containerPort: port }] }] },
  },
});

// Needs the Pod network, so it is excluded from the nodes of Beijing.
new ExcludedWorkload(chart, 'web', {
  cluster,
  workload: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: pods('web', 8080) },
});

// Runs on every node of Beijing, in the network of the node.
new HostNetworkWorkload(chart, 'collector', {
  pool: beijing,
  workload: {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'collector' },
    spec: pods('collector', 9110),
  },
});

app.synth();

// What others wrote, kept off host-network nodes by a transform: a Helm chart, and YAML.
import * as kubernetes from '@pulumi/kubernetes';
import { EdgeCluster, excludeFromHostNetworkPools, HostNetworkNodePool } from 'edge-nodepools/pulumi';

export interface AddOnsSettings {
  /** Folder of a chart. */
  readonly chart: string;
  readonly yaml: string;
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as AddOnsSettings;
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

new HostNetworkNodePool('yard', { cluster, poolName: 'yard' });

const transforms = [excludeFromHostNetworkPools(cluster, { kinds: ['DaemonSet', 'Deployment'] })];
new kubernetes.helm.v4.Chart(
  'agent',
  { chart: settings.chart, namespace: 'add-ons', values: { server: { replicas: 2 } }, skipAwait: true },
  { transforms },
);
new kubernetes.yaml.v2.ConfigGroup('logging', { yaml: settings.yaml, skipAwait: true }, { transforms });

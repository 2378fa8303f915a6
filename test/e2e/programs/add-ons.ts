// Third-party workloads, excluded from host-network nodes by a transform: a Helm chart, and YAML.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { BootstrapToken, EdgeCluster, excludeFromHostNetworkPools, HostNetworkNodePool } from 'edge-nodepools/pulumi';

export interface AddOnsSettings {
  /** Folder of a chart. */
  readonly chart: string;
  readonly yaml: string;
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as AddOnsSettings;
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

// for all workloads in the stack
pulumi.runtime.registerResourceTransform(excludeFromHostNetworkPools(cluster, { onContradiction: 'skip' }));

const place = pulumi.secret('yard');
new HostNetworkNodePool('yard', { cluster, poolName: 'yard', labels: { place } });
new BootstrapToken('token', { token: pulumi.secret('bbbbbb.7f3acanary7f3aca'), expiration: '2100-01-01T00:00:00Z' });
const namespace = new kubernetes.core.v1.Namespace('late');
new kubernetes.core.v1.ServiceAccount('late', { metadata: { namespace: namespace.metadata.name } });
new kubernetes.core.v1.Secret('login', { metadata: { namespace: 'add-ons', name: 'login' }, stringData: { place } });

// for one chart
const transforms = [excludeFromHostNetworkPools(cluster, { kinds: ['DaemonSet', 'Deployment'] })];
new kubernetes.helm.v4.Chart(
  'agent',
  { chart: settings.chart, namespace: 'add-ons', values: { server: { replicas: 2 } }, skipAwait: true },
  { transforms },
);
new kubernetes.yaml.v2.ConfigGroup('logging', { yaml: settings.yaml, skipAwait: true });

// A fleet as in a user's Pulumi program. E2E_SETTINGS contains what the tests vary.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  RegularNodePool,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
} from 'edge-nodepools/pulumi';

export interface FleetSettings {
  readonly poolName?: string;
  readonly interConnectivity?: boolean;
  readonly site?: string;
  readonly image?: string;
  /** The pool `north` on the host network, or not, by the option `aliases` the same as before. */
  readonly north?: 'host-network' | 'regular';
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as FleetSettings;

// without kubelets no rollout ends
const annotations = { 'pulumi.com/skipAwait': 'true' };

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

const namespace = new kubernetes.core.v1.Namespace('edge-system', { metadata: { name: 'edge-system' } });
const site = new kubernetes.core.v1.ConfigMap('site', {
  metadata: { name: 'site', namespace: namespace.metadata.name },
  data: { city: 'Beijing' },
});

const east = new HostNetworkNodePool('east', {
  cluster,
  poolName: settings.poolName ?? 'east',
  interConnectivity: settings.interConnectivity,
  labels: { site: settings.site ?? 'east' },
  taints: [{ key: 'site', value: 'east', effect: 'NoSchedule' }],
});
// only the API server knows this name
const late = new HostNetworkNodePool('late', { cluster, poolName: pulumi.interpolate`site-${site.metadata.uid}` });
const [North, before] =
  settings.north === 'host-network'
    ? [HostNetworkNodePool, 'RegularNodePool']
    : [RegularNodePool, 'HostNetworkNodePool'];
const aliases = settings.north === undefined ? [] : [{ type: `edge-nodepools:index:${before}` }];
new North('north', { cluster, poolName: 'north' }, { aliases });

const template = (app: string, image: string): object => ({
  metadata: { labels: { app } },
  spec: { automountServiceAccountToken: false, containers: [{ name: app, image, ports: [{ containerPort: 9110 }] }] },
});

new HostNetworkWorkload('collector', {
  pools: [east, late],
  workload: {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'collector', namespace: namespace.metadata.name },
    spec: {
      selector: { matchLabels: { app: 'collector' } },
      template: template('collector', settings.image ?? 'registry.example/collector:1'),
    },
  },
});

new ExcludedWorkload('web', {
  cluster,
  workload: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: namespace.metadata.name, annotations },
    spec: { selector: { matchLabels: { app: 'web' } }, template: template('web', 'registry.example/web:1') },
  },
});

const provider = new kubernetes.Provider('own', {});
new PoolAdmission('admission', { cluster }, { providers: [provider] });

export const latePool = late.poolName;

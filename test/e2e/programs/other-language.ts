// Like an SDK of another language: the component is created in the provider plugin, and only its arguments are sent.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

export interface OtherLanguageSettings {
  readonly interConnectivity?: boolean;
  /** A join whose token is refused. */
  readonly refused?: boolean;
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as OtherLanguageSettings;

class Remote extends pulumi.ComponentResource {
  declare public readonly poolName: pulumi.Output<string>;
  declare public readonly joinLabels: pulumi.Output<Record<string, string>>;
  declare public readonly userData: pulumi.Output<string>;

  constructor(kind: string, name: string, args: pulumi.Inputs) {
    const outputs = { poolName: undefined, joinLabels: undefined, userData: undefined };
    super(`edge-nodepools:index:${kind}`, name, { ...outputs, ...args }, {}, true);
  }
}

const cluster = { openYurt: '1.7', kubernetes: '1.34' };
const site = new kubernetes.core.v1.ConfigMap('remote-site', { metadata: { name: 'remote-site' } });

const pool = new Remote('HostNetworkNodePool', 'remote', {
  cluster,
  poolName: 'remote',
  labels: { site: 'remote' },
  taints: [{ key: 'site', value: pulumi.secret('canary-7f3a'), effect: 'NoSchedule' }],
  interConnectivity: settings.interConnectivity,
});
new Remote('RegularNodePool', 'remote-late', { cluster, poolName: pulumi.interpolate`remote-${site.metadata.uid}` });
new Remote('HostNetworkWorkload', 'remote-agent', {
  cluster,
  pools: [{ poolName: 'remote' }],
  workload: {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'remote-agent', namespace: 'default', annotations: { 'pulumi.com/skipAwait': 'true' } },
    spec: {
      selector: { matchLabels: { app: 'remote-agent' } },
      template: {
        metadata: { labels: { app: 'remote-agent' } },
        spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1', ports: [{ containerPort: 9110 }] }] },
      },
    },
  },
});

const join = new Remote('NodeJoin', 'remote-join', {
  cluster: { ...cluster, apiServer: 'api.shops.example:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] },
  pool: { poolName: 'remote' },
  token: pulumi.secret('aaaaaa.7f3acanary7f3aca'),
});

if (settings.refused === true) {
  new Remote('NodeJoin', 'refused', { cluster, pool: { poolName: 'remote' }, token: 'canary-7f3a' });
}

export const { joinLabels } = pool;
export const { userData } = join;

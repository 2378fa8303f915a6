// A secret in every Input, except names: the identity of a resource cannot be secret.
import * as pulumi from '@pulumi/pulumi';
import {
  BootstrapToken,
  EdgeCluster,
  RegularNodePool,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  ExclusionStrategy,
  NodeJoin,
  OpenYurtWebhooks,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools/pulumi';

export interface SecretsSettings {
  /** Prefix of each secret. */
  readonly canary: string;
  /** A CA bundle. */
  readonly caBundle: string;
  /** A bootstrap token. */
  readonly token: string;
}

const { canary, caBundle, token } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as SecretsSettings;
const secret = (what: string): pulumi.Output<string> => pulumi.secret(`${canary}-${what}`);

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
const metadata = (what: string): Record<string, Record<string, pulumi.Output<string>>> => ({
  labels: { place: secret(`${what}-own-label`) },
  annotations: { 'example.com/note': secret(`${what}-own-annotation`) },
});

const pool = new HostNetworkNodePool('hidden', {
  cluster,
  poolName: 'hidden',
  labels: { place: secret('node-label') },
  annotations: { 'example.com/place': secret('node-annotation') },
  taints: [{ key: 'place', value: secret('taint'), effect: 'NoSchedule' }],
  enableLeaderElection: true,
  leaderElectionStrategy: 'mark',
  leaderNodeLabelSelector: { leader: secret('leader') },
  poolScopeMetadata: [{ group: '', version: 'v1', resource: secret('resource') }],
  metadata: metadata('pool'),
});
new RegularNodePool('hidden-edge', {
  cluster,
  poolName: 'hidden-edge',
  labels: { place: secret('edge-node-label') },
  metadata: metadata('edge-pool'),
});

const workload = (app: string, kind: string): any => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {
    name: app,
    namespace: 'default',
    annotations: { 'pulumi.com/skipAwait': 'true', 'example.com/note': secret(`${app}-annotation`) },
  },
  spec: {
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app, place: secret(`${app}-pod-label`) } },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: app,
            image: pulumi.interpolate`registry.example/${secret(`${app}-image`)}:1`,
            args: [secret(`${app}-argument`)],
            env: [{ name: 'PASSWORD', value: secret(`${app}-environment`) }],
          },
        ],
      },
    },
  },
});

new HostNetworkWorkload('hidden-agent', {
  pool,
  apiServer: pulumi.interpolate`${secret('api-server')}.example.com:6443`,
  workload: workload('hidden-agent', 'DaemonSet'),
});
new ExcludedWorkload('hidden-web', { cluster, workload: workload('hidden-web', 'Deployment') });
new PoolWebhook('guard', {
  cluster,
  type: 'validating',
  metadata: { name: 'guard', annotations: { 'example.com/note': secret('webhook-annotation') } },
  webhooks: [
    {
      name: 'pods.guard.example.com',
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] }],
      url: pulumi.interpolate`https://${secret('host')}.example.com/${secret('path')}`,
      caBundle: pulumi.secret(caBundle),
      failurePolicy: 'Ignore',
    },
  ],
});
new OpenYurtWebhooks('openyurt', {
  cluster,
  // those that decide whether the objects above can be written are unchanged
  exclude: ['nodepools', 'nodes', 'pods'],
  metadata: metadata('openyurt'),
});
new PoolAdmission('admission', {
  cluster,
  otherPools: [secret('other-pool')],
  breakGlassGroups: [secret('group')],
  excludedNamespaces: [secret('namespace')],
  namePrefix: 'hidden',
  metadata: metadata('admission'),
});
new EdgeSystemComponents('components', {
  cluster,
  exclude: [SystemComponent.FLANNEL],
  strategy: ExclusionStrategy.ADMISSION_POLICY,
  policyName: 'hidden-system-components',
});

const join = new NodeJoin('hidden-join', {
  pool: HostNetworkNodePool.fromPoolName({
    cluster: EdgeCluster.of({
      openYurt: '1.7',
      kubernetes: '1.36',
      apiServer: 'api.shops.example:6443',
      caCertHashes: [`sha256:${'0'.repeat(64)}`],
    }),
    poolName: 'hidden',
  }),
  token: pulumi.secret(token),
  publish: true,
  labels: { place: secret('join-label') },
  kubeletExtraArgs: { 'node-ip': '10.0.0.9', 'provider-id': secret('provider-id') },
  files: [{ path: '/etc/place', content: secret('file') }],
  preJoinCommands: [['echo', secret('command')]],
});
new BootstrapToken('hidden-token', {
  token: pulumi.secret(token),
  expiration: 'never',
  description: secret('description'),
});
new EdgePreconditions('hidden-dns', {
  cluster,
  only: ['corefile'],
  corefile: {
    corefile: '.:53 {\n    errors\n    kubernetes cluster.local\n    forward . /etc/resolv.conf\n    reload\n}\n',
    forwarders: [{ zone: pulumi.interpolate`${secret('zone')}.example`, to: ['10.1.0.2'] }],
  },
});

export const { userData, userDataBase64, script, files, joinConfiguration } = join;
export const { joinLabels, taints, tolerations } = pool;

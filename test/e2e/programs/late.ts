// Outputs of whole maps, workloads and addresses, each with a value that only the cluster knows.
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgePreconditions,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
} from 'edge-nodepools/pulumi';

export interface LateSettings {
  /** Adds a pool with a label value that the API server would refuse. */
  readonly refused?: boolean;
  /** Omits the label in the late labels. */
  readonly shorter?: boolean;
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as LateSettings;

const site = new kubernetes.core.v1.ConfigMap('late-site', { metadata: { name: 'late-site', namespace: 'default' } });
const { uid } = site.metadata;

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: pulumi.interpolate`api-${uid}.example:6443`,
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});
const labels = uid.apply((id): Record<string, string> =>
  settings.shorter === true ? { site: id } : { site: id, of: 'late' },
);
const pool = new HostNetworkNodePool('late', { cluster, poolName: 'late', labels });

const workload = (app: string, kind: string): pulumi.Output<any> =>
  uid.apply((id) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: app, namespace: 'default', annotations: { 'pulumi.com/skipAwait': 'true' } },
    spec: {
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app, site: id } },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: app, image: 'registry.example/agent:1', ports: [{ containerPort: 9111 }] }],
        },
      },
    },
  }));
new HostNetworkWorkload('late-agent', { pool, workload: workload('late-agent', 'DaemonSet') });
new ExcludedWorkload('late-web', { cluster, workload: workload('late-web', 'Deployment') });

const join = new NodeJoin('late-join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), publish: false });
export const { userData } = join;
export { uid };

const { data } = kubernetes.core.v1.ConfigMap.get('coredns', 'kube-system/coredns');
new EdgePreconditions('late-dns', {
  cluster,
  only: ['corefile'],
  corefile: {
    corefile: data.apply(({ Corefile = '' }) => Corefile),
    forwarders: [{ zone: 'site-hz.example', to: ['10.1.0.2'] }],
  },
});

if (settings.refused === true) {
  new HostNetworkNodePool('refused', {
    cluster,
    poolName: 'refused',
    labels: uid.apply((id) => ({ site: `not a label: ${id}` })),
  });
}

// A stack that lives through releases of OpenYurt and Kubernetes. E2E_SETTINGS contains what the tests vary.
import * as kubernetes from '@pulumi/kubernetes';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools/pulumi';

export interface ReleasesSettings {
  readonly openYurt: string;
  readonly kubernetes: string;
  /** Distinguishes the objects of two stacks in one cluster. */
  readonly name: string;
  /** `upsertExistingObjects` of the provider. */
  readonly upsert: boolean;
  /** Uses MutatingAdmissionPolicy on Kubernetes 1.34, where it is off by default. */
  readonly optIn?: 'v1beta1';
  /** Groups that its policies exempt. */
  readonly breakGlassGroups?: string[];
}

const { name, upsert, optIn, breakGlassGroups, ...versions } = JSON.parse(
  process.env.E2E_SETTINGS ?? '{}',
) as ReleasesSettings;
const provider = new kubernetes.Provider('cluster', { upsertExistingObjects: upsert });
const options = { providers: [provider] };
const cluster = EdgeCluster.of(versions);
const mutatingAdmissionPolicy = versions.kubernetes === '1.34' ? optIn : undefined;

const taints = [{ key: 'site', value: name, effect: 'NoSchedule' as const }];
const pool = new HostNetworkNodePool(
  'pool',
  { cluster, poolName: `${name}-pool`, labels: { site: name }, annotations: { 'example.com/site': name }, taints },
  options,
);
new RegularNodePool('regular', { cluster, poolName: `${name}-regular`, labels: { site: name } }, options);

const workload = (app: string, kind: string): any => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: app, namespace: 'default', annotations: { 'pulumi.com/skipAwait': 'true' } },
  spec: {
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { automountServiceAccountToken: false, containers: [{ name: app, image: `registry.example/${app}:1` }] },
    },
  },
});
new HostNetworkWorkload('agent', { pool, workload: workload(`${name}-agent`, 'DaemonSet') }, options);
new ExcludedWorkload('web', { cluster, workload: workload(`${name}-web`, 'Deployment') }, options);
new PoolAdmission('admission', { cluster, namePrefix: name, mutatingAdmissionPolicy, breakGlassGroups }, options);
new PoolWebhook(
  'guard',
  {
    cluster,
    type: 'validating',
    metadata: { name: `${name}-guard` },
    webhooks: [
      {
        name: 'things.guard.example.com',
        rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'], operations: ['CREATE'] }],
        url: 'https://guard.example.com/things',
        failurePolicy: 'Ignore',
      },
    ],
  },
  options,
);
new EdgeSystemComponents(
  'system',
  {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY],
    policyName: `${name}-system-components`,
    mutatingAdmissionPolicy,
  },
  options,
);

import type { Chart } from 'cdk8s';
import { type EdgeCluster, OpenYurtWebhooks, type OpenYurtWebhooksProps, PoolWebhook } from 'edge-nodepools';
import { CA_BUNDLE } from './ca-bundle.js';
import { hasWebhookMatchConditions } from '../../src/cluster/kubernetes-capabilities.js';
import { openYurtKeepsMatchConditions } from '../../src/cluster/openyurt-capabilities.js';

type MakeEntry<T> = (name: string, fill: (chart: Chart) => void) => T;

/** All settings of OpenYurt's webhooks. */
export function withEverySetting(cluster: EdgeCluster): OpenYurtWebhooksProps {
  const keepsConditions = hasWebhookMatchConditions(cluster) && openYurtKeepsMatchConditions(cluster);
  return {
    cluster,
    timeoutSeconds: 5,
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
    },
    webhooks: {
      nodes: {
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        objectSelector: {
          matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'DoesNotExist' }],
        },
      },
      nodepools: { timeoutSeconds: 30 },
      ...(cluster.hasPodWebhook() && keepsConditions
        ? {
            pods: {
              matchConditions: [
                {
                  name: 'annotated',
                  expression:
                    "has(object.metadata.annotations) && 'apps.openyurt.io/exclude-host-network-pool' in object.metadata.annotations",
                },
              ],
            },
          }
        : {}),
    },
    controllers: ['-nodelifecycle', '*'],
    metadata: { labels: { team: 'edge' }, annotations: { note: 'yes' } },
  };
}

/** OpenYurt's webhooks as shipped, and with every setting. They are separate entries, because the objects have the same names. */
export function openYurtWebhooks<T>(cluster: EdgeCluster, entry: MakeEntry<T>): T[] {
  return [
    entry(`webhooks of ${String(cluster)}, as shipped`, (chart) => {
      new OpenYurtWebhooks(chart, 'webhooks', { cluster });
    }),
    entry(`webhooks of ${String(cluster)}, with settings`, (chart) => {
      new OpenYurtWebhooks(chart, 'webhooks', withEverySetting(cluster));
    }),
  ];
}

/** Webhooks of the user's own admission servers. */
export function poolWebhooks<T>(cluster: EdgeCluster, entry: MakeEntry<T>): T {
  return entry(`webhooks of one’s own on ${String(cluster)}`, (chart) => {
    const service = { name: 'guard', namespace: 'edge-system' };
    const presets: ('nodes' | 'pods' | 'nodepools')[] = cluster.hasOpenYurt()
      ? ['nodes', 'pods', 'nodepools']
      : ['nodes', 'pods'];
    new PoolWebhook(chart, 'validating', {
      cluster,
      type: 'validating',
      metadata: { name: 'guard' },
      webhooks: presets.map((rule) => ({
        name: `${rule}.guard.example.com`,
        rules: [rule],
        service: { ...service, path: `/${rule}/`, port: 8443 },
        caBundle: CA_BUNDLE,
      })),
    });
    new PoolWebhook(chart, 'mutating', {
      cluster,
      type: 'mutating',
      injectCaFrom: 'edge-system/guard-tls',
      webhooks: [
        { name: 'least.guard.example.com', rules: ['pods'], service },
        {
          name: 'most.guard.example.com',
          url: 'https://guard.example.com:8443/pods',
          rules: [
            'nodes',
            {
              apiGroups: ['', 'apps'],
              apiVersions: ['*'],
              resources: ['pods/*', '*/status', '*'],
              operations: ['CREATE', 'UPDATE'],
              scope: 'Namespaced',
            },
          ],
          failurePolicy: 'Ignore',
          timeoutSeconds: 1,
          sideEffects: 'NoneOnDryRun',
          admissionReviewVersions: ['v1', 'v1beta1', 'v9'],
          matchPolicy: 'Exact',
          reinvocationPolicy: 'IfNeeded',
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
          objectSelector: { matchExpressions: [{ key: 'edge', operator: 'Exists' }] },
          ...(hasWebhookMatchConditions(cluster)
            ? {
                matchConditions: [
                  { name: 'example.com/not-nodes', expression: "!('system:nodes' in request.userInfo.groups)" },
                ],
              }
            : {}),
        },
      ],
    });
  });
}

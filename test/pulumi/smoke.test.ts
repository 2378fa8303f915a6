import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { objectsIn, record } from './recorded.js';

it('smokes', async () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const r = await record(() => {
    const pool = new HostNetworkNodePool('a', {
      cluster,
      poolName: pulumi.output('late'),
      labels: { x: pulumi.secret('s3') },
      taints: [{ key: 'k', value: pulumi.output('v'), effect: 'NoSchedule' }],
    });
    new HostNetworkWorkload('w', {
      pool,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'w' },
        spec: {
          replicas: pulumi.output(2),
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [{ name: 'c', image: pulumi.output('img'), ports: [{ containerPort: pulumi.output(8080) }] }],
            },
          },
        },
      },
    });
    new ExcludedWorkload('e', {
      cluster,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: pulumi.output('web') },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: pulumi.output('img') }] },
          },
        },
      },
    });
    new PoolAdmission('adm', { cluster, pools: 'listed' });
    new HostNetworkNodePool('b', { cluster, poolName: 'after' });
    new EdgeSystemComponents('sys', { cluster, keepOff: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL] });
    new PoolWebhook('hook', {
      cluster,
      type: 'validating',
      webhooks: [
        {
          name: pulumi.output('a.b.c'),
          rules: ['pods'],
          url: pulumi.output('https://x.example/y'),
          caBundle: pulumi.output('x'),
        } as never,
      ],
      metadata: { name: 'hook' },
    } as never);
  });
  for (const o of objectsIn(r)) console.log(o.type, o.name, JSON.stringify(o.inputs).slice(0, 900));
});

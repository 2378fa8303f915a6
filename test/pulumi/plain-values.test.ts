/** Where only a plain value makes sense, an Output is refused with its path, and there is no other problem about it. */
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgePreconditions,
  EdgeSystemComponents,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { record } from './recorded.js';

const late: any = pulumi.output('late');
const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});
const components = { flannel: { namespace: 'cni' } };
const join = (more: any): NodeJoin => {
  const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
  return new NodeJoin('it', { pool, token: JoinToken.fromFile('/run/token'), ...more });
};
const exclude = (more: any): EdgeSystemComponents =>
  new EdgeSystemComponents('it', { cluster, exclude: [SystemComponent.FLANNEL], ...more });

it.each<[path: string, () => unknown]>([
  ['systemReserved.cpu', () => NodeReservation.of({ systemReserved: { cpu: late } })],
  ['', () => NodeReservation.preset(late, { capacity: { cpu: '2', memory: '4Gi' } })],
  ['name', () => SystemComponent.of({ name: late, kind: 'DaemonSet', namespace: 'kube-system' })],
  ['namespace', () => SystemComponent.of({ name: 'agent', kind: 'DaemonSet', namespace: late })],
  ['kind', () => SystemComponent.of({ name: 'agent', kind: late, namespace: 'kube-system' })],
  [
    'metadata.name',
    () => SystemComponent.fromManifest({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: late } }),
  ],
  ['name', () => JoinToken.fromSecret({ name: late, namespace: 'kube-system' })],
  ['kinds', () => excludeFromHostNetworkPools(cluster, { kinds: late })],
  ['kinds[0]', () => excludeFromHostNetworkPools(cluster, { kinds: [late] })],
  ['names[1]', () => excludeFromHostNetworkPools(cluster, { names: ['web', late] })],
  ['namespaces[0]', () => excludeFromHostNetworkPools(cluster, { namespaces: [late] })],
  ['onContradiction', () => excludeFromHostNetworkPools(cluster, { onContradiction: late })],
  ['podTemplatePaths.Rollout', () => excludeFromHostNetworkPools(cluster, { podTemplatePaths: { Rollout: late } })],
  ['openYurt', () => EdgeCluster.of({ openYurt: late, kubernetes: '1.34' })],
  ['allowNewer', () => EdgeCluster.of({ openYurt: '1.99', kubernetes: '1.34', allowNewer: late })],
  ['distribution', () => EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', distribution: late })],
  ['exclude', () => exclude({ exclude: late, components })],
  ['exclude', () => exclude({ exclude: [late], components })],
  ['components', () => exclude({ components: late })],
  ['components.flannel', () => exclude({ components: { flannel: late } })],
  ['components.flannel.strategy', () => exclude({ components: { flannel: { strategy: late } } })],
  ['components.flannel.absent', () => exclude({ components: { flannel: { absent: [late] } } })],
  ['via', () => join({ via: late, yurtadm: { membership: 'node-labels' } })],
  ['yurtadm', () => join({ via: 'yurtadm', yurtadm: late })],
  ['publish', () => join({ publish: late })],
  ['corefile.forwarders', () => new EdgePreconditions('it', { cluster, corefile: { forwarders: late } })],
])('%s', async (path, declare) => {
  let error: any;
  await record(() => {
    try {
      declare();
    } catch (thrown) {
      error = thrown;
    }
  });
  const problems: string[] = error.problems
    ? error.problems.map((problem: any) => `${problem.code} ${problem.path}: ${problem.message}`)
    : error.errors.map((problem: any) => `${problem.reason.split(':')[0]} ${problem.propertyPath}:${problem.reason}`);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.startsWith(`EDGE_KNOWN_LATER ${path}:`)).toBe(true);
  expect(problems[0]).toContain('must be a plain value, not an Output');
});

/**
 * Where only a plain value makes sense, an Output is refused with its path, and there is no other problem about it.
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { record, recordRefusal } from './recorded.js';

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
const hz = (): any => HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
const WEB: any = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
};
const exclude = (more: any): EdgeSystemComponents =>
  new EdgeSystemComponents('it', { cluster, exclude: [SystemComponent.FLANNEL], ...more });

it.each<[path: string, () => unknown]>([
  ['systemReserved.cpu', () => NodeReservation.of({ systemReserved: { cpu: late } })],
  ['', () => NodeReservation.of(late)],
  ['diskSize', () => NodeReservation.of({ diskSize: late })],
  ['diskSize', () => NodeReservation.preset('edge-small', { diskSize: late })],
  ['kubeReserved', () => NodeReservation.of({ kubeReserved: late })],
  ['cluster', () => excludeFromHostNetworkPools(late)],
  ['path', () => JoinToken.fromFile(late)],
  ['command', () => JoinToken.fromCommand(late)],
  ['options', () => JoinToken.fromCommand('x', late)],
  ['options.timeoutSeconds', () => JoinToken.fromCommand('x', { timeoutSeconds: late })],
  ['', () => JoinToken.fromSecret(late)],
  ['reservation', () => new HostNetworkNodePool('it', { cluster, poolName: 'hz', reservation: late })],
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
  ['podTemplatePaths.CronJob', () => excludeFromHostNetworkPools(cluster, { podTemplatePaths: { CronJob: late } })],
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
  ['machines', () => join({ machines: late })],
  ['service', () => join({ service: { until: late } })],
  ['retainPublished', () => join({ retainPublished: late })],
  ['fieldManager', () => exclude({ fieldManager: late })],
  ['force', () => exclude({ force: late })],
  ['await', () => exclude({ await: late })],
  ['await', () => new ExcludedWorkload('it', { cluster, workload: WEB, await: late })],
  ['await', () => new HostNetworkWorkload('it', { pool: hz(), workload: WEB, await: late })],
  ['fieldManager', () => new EdgePreconditions('it', { cluster, only: ['corefile'], fieldManager: late })],
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

it('a token that is an Output is given as it is', () => {
  expect(() => JoinToken.inline(late)).toThrow('write token: output; it is always treated as a secret');
});

it('what was given to a cluster as an Output cannot be read from it', async () => {
  const releases = { openYurt: '1.7', kubernetes: '1.36' } as const;
  const given = EdgeCluster.of({ ...releases, apiServer: late, caCertHashes: [late], yurthub: late });
  expect(given.openYurt).toBe('1.7');
  expect(given.toString()).toBe('OpenYurt 1.7 on Kubernetes 1.36');
  await recordRefusal(() => {
    const pool = new HostNetworkNodePool('it', { cluster: given, poolName: 'hz' });
    for (const each of [given, pool.cluster]) {
      expect(each).toBeInstanceOf(EdgeCluster);
      for (const read of [
        () => each.apiServer,
        () => each.caCertHashes,
        () => each.yurthub,
        () => each.apiServerEndpoint(),
      ]) {
        expect(read).toThrow(/EDGE_KNOWN_LATER {2}\w+: this was given as an Output/);
      }
      expect(each.clusterDomain).toBe('cluster.local');
    }
  });
  expect(cluster.apiServer).toBe('10.0.0.1:6443');
});

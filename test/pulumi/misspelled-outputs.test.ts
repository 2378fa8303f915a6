/** A misspelled property is refused at once, also when its value is an Output: dropping it would drop what was asked for. */
import * as pulumi from '@pulumi/pulumi';
import {
  BootstrapToken,
  EdgeCluster,
  RegularNodePool,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type IHostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  OpenYurtWebhooks,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { EtcdCluster } from 'edge-nodepools/pulumi/control-plane';
import { daemonSet } from '../bad-inputs/case.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { record } from './recorded.js';

/** An Output that is unknown in a preview: whoever drops it never sees its value. */
const late = new (pulumi.Output as any)(
  new Set(),
  Promise.resolve(),
  Promise.resolve(false),
  Promise.resolve(false),
  Promise.resolve(new Set()),
);
const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});
const poolOf = (): IHostNetworkNodePool => HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
const token = JoinToken.fromFile('/run/token');
const taint = { key: 'edge', effect: 'NoSchedule' };

it.each<[path: string, near: string, declare: (wrong: any) => unknown]>([
  ['labelz', 'labels', (wrong) => new HostNetworkNodePool('it', { cluster, poolName: 'hz', ...wrong })],
  ['anotations', 'annotations', (wrong) => new RegularNodePool('it', { cluster, poolName: 'hz', ...wrong })],
  [
    'taints[0].valeu',
    'value',
    (wrong) => new HostNetworkNodePool('it', { cluster, poolName: 'hz', taints: [{ ...taint, ...wrong }] }),
  ],
  [
    'podTemplatPath',
    'podTemplatePath',
    (wrong) => new ExcludedWorkload('it', { cluster, workload: daemonSet(), ...wrong }),
  ],
  [
    'dnsPolicie',
    'dnsPolicy',
    (wrong) => new HostNetworkWorkload('it', { pool: poolOf(), workload: daemonSet(), ...wrong }),
  ],
  [
    'components.flannel.namespce',
    'namespace',
    (wrong) =>
      new EdgeSystemComponents('it', {
        cluster,
        exclude: [SystemComponent.FLANNEL],
        components: { flannel: wrong },
      }),
  ],
  ['guarantes', 'guarantees', (wrong) => new PoolAdmission('it', { cluster, ...wrong })],
  ['tokn', 'token', (wrong) => new NodeJoin('it', { pool: poolOf(), token, ...wrong })],
  ['namespce', 'namespace', (wrong) => new KubeadmConfigTemplate('it', { pool: poolOf(), ...wrong })],
  ['expiratoin', 'expiration', (wrong) => new BootstrapToken('it', { token: untold(), ...wrong })],
  ['onyl', 'only', (wrong) => new EdgePreconditions('it', { cluster, ...wrong })],
  ['webhoks', 'webhooks', (wrong) => new OpenYurtWebhooks('it', { cluster, ...wrong })],
  [
    'injectCaForm',
    'injectCaFrom',
    (wrong) =>
      new PoolWebhook('it', { cluster, type: 'validating', metadata: { name: 'guard' }, webhooks: [], ...wrong }),
  ],
  [
    'quotas',
    'quota',
    (wrong) =>
      new EtcdCluster('it', { cluster, name: 'edge', members: MEMBERS, certificates: { source: 'files' }, ...wrong }),
  ],
  ['namespacs', 'namespaces', (wrong) => excludeFromHostNetworkPools(cluster, wrong)],
  ['apiServr', 'apiServer', (wrong) => EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', ...wrong })],
])('%s', async (path, near, declare) => {
  const name = path.slice(path.lastIndexOf('.') + 1);
  let error: any;
  const { resources } = await record(() => {
    try {
      declare({ [name]: late });
    } catch (thrown) {
      error = thrown;
    }
  }, true);
  const problems: { path: string; text: string }[] = (error.errors ?? error.problems).map((problem: any) => ({
    path: problem.propertyPath ?? problem.path,
    text: problem.reason ?? `${problem.code}: ${problem.message}; ${problem.hint}`,
  }));
  const found = problems.find((problem) => problem.path === path);
  expect(found?.text).toMatch(/^EDGE_UNKNOWN_PROPERTY: /);
  expect([found?.text.includes(near), near]).toEqual([true, near]);
  expect(resources.filter(({ type }) => type.startsWith('kubernetes:'))).toEqual([]);
});

/** What a program writes that forgets pulumi.interpolate. */
// eslint-disable-next-line @typescript-eslint/no-base-to-string -- that is the mistake
const told = `${pulumi.output('hz').toString()}-1`;
const inPod = (field: object): any => daemonSet({ containers: [{ name: 'a', image: 'a:1', ...field }] });

it.each<[path: string, declare: () => unknown]>([
  ['name', () => new HostNetworkNodePool(told, { cluster, poolName: 'hz' })],
  ['poolName', () => new HostNetworkNodePool('it', { cluster, poolName: told })],
  ['annotations.owner', () => new RegularNodePool('it', { cluster, poolName: 'hz', annotations: { owner: told } })],
  ['labels', () => new RegularNodePool('it', { cluster, poolName: 'hz', labels: { [told]: 'hz' } })],
  ['apiServer', () => EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', apiServer: `${told}:6443` })],
  [
    'workload.spec.template.spec.containers[0].image',
    () => new HostNetworkWorkload('it', { pool: poolOf(), workload: inPod({ image: told }) }),
  ],
  [
    'workload.spec.template.spec.containers[0].args[0]',
    () => new ExcludedWorkload('it', { cluster, workload: inPod({ args: [JSON.stringify({ to: late })] }) }),
  ],
  ['workload', () => new ExcludedWorkload('it', { cluster, workload: `kind: ${told}` })],
  ['files[0].content', () => new NodeJoin('it', { pool: poolOf(), token, files: [{ path: '/etc/a', content: told }] })],
  ['kubeletExtraArgs.v', () => new NodeJoin('it', { pool: poolOf(), token, kubeletExtraArgs: { v: told } })],
  ['value', () => JoinToken.inline(told)],
  ['namePrefix', () => new PoolAdmission('it', { cluster, namePrefix: told })],
  [
    'fieldManager',
    () => new EdgeSystemComponents('it', { cluster, exclude: [SystemComponent.FLANNEL], fieldManager: told }),
  ],
])('an Output in a text: %s', async (path, declare) => {
  let error: any;
  const { resources } = await record(() => {
    try {
      declare();
    } catch (thrown) {
      error = thrown;
    }
  });
  const problems = error.errors ?? error.problems;
  expect(problems.map((problem: any) => problem.propertyPath ?? problem.path)).toEqual([path]);
  expect(error.message).toMatch(/interpolate|not an Output|give the Output itself/);
  expect(error.message).not.toContain('Calling [to');
  expect(resources.filter(({ type }) => type.startsWith('kubernetes:'))).toEqual([]);
});

function untold(): JoinToken {
  return JoinToken.inline('abcdef.0123456789abcdef');
}

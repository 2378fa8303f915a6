import { inspect } from 'node:util';
import * as pulumi from '@pulumi/pulumi';
import {
  BootstrapToken,
  EdgeCluster,
  EdgeError,
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
  RegularNodePool,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { Declarations } from '../../src/cluster/scope.js';
import { planNodePool } from '../../src/pools/node-pool.js';
import { asInputErrors, type KnownSecret, printable, withoutSecrets } from '../../src/pulumi/input-errors.js';
import { EtcdCluster } from 'edge-nodepools/pulumi/control-plane';
import { daemonSet } from '../bad-inputs/case.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { record } from './recorded.js';

const CANARY = 'canary-7f3a is "no" label value';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** The problems of a pool, when all of its values are known. */
function refusal(args: object): EdgeError {
  const kind = { subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: true } as const;
  try {
    const scope = {
      path: 'east',
      owner: {},
      declared: new Declarations(),
      atEnd: (produce: () => unknown) => produce(),
    };
    planNodePool(kind, { cluster, poolName: 'east', ...args }, scope);
  } catch (error) {
    return error as EdgeError;
  }
  throw new Error('nothing was refused');
}

const textOf = ({ message, problems, stack }: EdgeError): string => JSON.stringify([message, problems, stack]);

const taint = (key: string): object => ({ key, effect: 'NoSchedule', value: CANARY });

describe('an option of a resource among the properties', () => {
  it.each(['provider', 'dependsOn', 'parent', 'protect', 'ignoreChanges'])(
    'is %s, and belongs behind them',
    (option) => {
      let error: any;
      try {
        new RegularNodePool('office', { cluster, poolName: 'office', [option]: [] });
      } catch (thrown) {
        error = thrown;
      }
      expect(error.errors).toEqual([
        {
          propertyPath: option,
          reason: `EDGE_UNKNOWN_PROPERTY: there is no property ${option}; it is an option of Pulumi: write new RegularNodePool('office', {…}, { ${option}: … })`,
        },
      ]);
    },
  );
});

describe('withoutSecrets', () => {
  it.each<[string, object, string[]]>([
    ['a label', { labels: { place: CANARY } }, ['labels.place']],
    ['the value of a taint', { taints: [taint('one')] }, ['taints[0].value']],
    ['a value that stands twice', { taints: [taint('one'), taint('two')] }, ['taints[0].value', 'taints[1].value']],
    ['a name', { poolName: CANARY }, ['poolName']],
  ])('hides %s', (_, args, paths) => {
    const error = refusal(args);
    expect(textOf(error)).toContain('canary-7f3a');
    const secrets: KnownSecret[] = paths.map((path) => ({ path, value: CANARY }));
    const hidden = withoutSecrets(error, secrets);
    expect(textOf(hidden)).not.toContain('canary-7f3a');
    expect(hidden.problems.map(({ code, path }) => [code, path])).toEqual(
      error.problems.map(({ code, path }) => [code, path]),
    );
  });

  it('hides a secret in a problem at another path', () => {
    const error = new EdgeError('HostNetworkNodePool east', [
      { code: 'EDGE_DUPLICATE', path: 'poolName', message: `${JSON.stringify(CANARY)} is there`, hint: 'take another' },
    ]);
    expect(textOf(withoutSecrets(error, [{ path: 'labels.place', value: CANARY }]))).not.toContain('canary-7f3a');
  });

  it('finds a long secret in the whole text, of which the engine gets only the beginning and the end', () => {
    const long = `secret ${'x'.repeat(100_000)}`;
    const error = new EdgeError('HostNetworkNodePool east', [
      { code: 'EDGE_DUPLICATE', path: 'poolName', message: `${long} is there`, hint: 'take another' },
    ]);
    const { errors, message } = asInputErrors(error) as pulumi.InputPropertiesError;
    for (const shown of [message, errors?.[0]?.reason]) {
      expect(shown?.length).toBeLessThan(500);
      expect(shown).toContain('(100016 characters)');
    }
    expect(textOf(withoutSecrets(error, [{ path: 'labels.place', value: long }]))).not.toContain('secret x');
  });

  it('does not change other problems', () => {
    const error = refusal({ labels: { place: 'no label', other: 'not this either' } });
    const hidden = withoutSecrets(error, [{ path: 'labels.place', value: 'no label' }]);
    const [first, second] = hidden.problems;
    expect(first?.message).toContain('(value redacted)');
    expect(second).toEqual(error.problems[1]);
    expect(withoutSecrets(error, []).problems).toEqual(error.problems);
  });
});

describe('printable', () => {
  const inspected = (stack: string): string => {
    const error = new Error('refused');
    error.stack = stack;
    return inspect(Object.assign(printable(error), { promise: Promise.resolve() }), { colors: true });
  };

  it('prints an error as its stack, without the frames on which util.inspect of Node.js 20 and 22 never ends', () => {
    const own = '    at check (/app/node_modules/edge-nodepools/lib/pulumi/declaration.js:9:9)';
    const message = 'Error: refused\n  EDGE_LABEL  at /app/node_modules/@pulumi/output.ts';
    const frames = [
      '    at /app/node_modules/@pulumi/output.ts:378:13',
      '    at applyHelperAsync (/app/node_modules/@pulumi/output.ts:516:31)',
      '    at run (C:\\app\\node_modules\\@pulumi\\output.ts:1:1)',
    ];
    expect(inspected([message, frames[0], own, ...frames.slice(1)].join('\n'))).toBe(`${message}\n${own}`);
  });

  it('does not change an error without a stack', () => {
    expect(printable('refused')).toBe('refused');
  });
});

/** A misspelled property is refused at once, also when its value is an Output: dropping it would drop what was asked for. */
describe('a misspelled property', () => {
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
    [
      'files[0].content',
      () => new NodeJoin('it', { pool: poolOf(), token, files: [{ path: '/etc/a', content: told }] }),
    ],
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
});

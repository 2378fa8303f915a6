import { inspect } from 'node:util';
import type * as pulumi from '@pulumi/pulumi';
import { RegularNodePool } from 'edge-nodepools/pulumi';
import { EdgeCluster, EdgeError } from '../../src/index.js';
import { Declarations } from '../../src/cluster/scope.js';
import { planNodePool } from '../../src/pools/node-pool.js';
import { asInputErrors, type KnownSecret, printable, withoutSecrets } from '../../src/pulumi/input-errors.js';

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

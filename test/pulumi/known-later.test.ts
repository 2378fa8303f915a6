/** Values that decide more than their own place. */
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgeSystemComponents,
  excludeFromHostNetworkPools,
  ExcludedWorkload,
  HostNetworkNodePool,
  PoolAdmission,
} from 'edge-nodepools/pulumi';
import { daemonSet, deployment, untyped as js } from '../bad-inputs/case.js';
import { record } from './recorded.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

const ARGS = { custom: true, type: 'kubernetes:apps/v1:Deployment', name: 'it', opts: {} };

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing is refused');
}

const codesOf = (error: unknown): string[] =>
  (error as pulumi.InputPropertiesError).errors.map(
    ({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`,
  );

describe('what must be known', () => {
  const text = JSON.stringify(daemonSet());

  it.each<[string, string, () => unknown]>([
    ['a map', 'labels', () => new HostNetworkNodePool('it', js({ cluster, poolName: 'a', labels: pulumi.output({}) }))],
    [
      'a list',
      'taints',
      () => new HostNetworkNodePool('it', js({ cluster, poolName: 'a', taints: Promise.resolve([]) })),
    ],
    [
      'a switch',
      'registrationTaint',
      () => new HostNetworkNodePool('it', js({ cluster, poolName: 'a', registrationTaint: pulumi.output(true) })),
    ],
    [
      'the cluster',
      'cluster',
      () => new HostNetworkNodePool('it', js({ cluster: pulumi.output(cluster), poolName: 'a' })),
    ],
    ['what is excluded', 'exclude', () => new EdgeSystemComponents('it', js({ cluster, exclude: pulumi.output([]) }))],
    [
      'the text of a workload',
      'workload',
      () => new ExcludedWorkload('it', js({ cluster, workload: pulumi.output(text) })),
    ],
    [
      'the text of a workload, as a secret',
      'workload',
      () => new ExcludedWorkload('it', js({ cluster, workload: pulumi.secret(text) })),
    ],
    [
      'a whole workload',
      'workload',
      () => new ExcludedWorkload('it', js({ cluster, workload: Promise.resolve(daemonSet()) })),
    ],
  ])('%s is named, with what to write', async (_, path, program) => {
    const codes: string[] = [];
    await record(async () => {
      codes.push(...codesOf(thrownBy(program)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    expect(codes).toEqual([`EDGE_KNOWN_LATER ${path}`]);
  });
});

describe('what is refused only when all of it is known', () => {
  const late = (value: unknown): any => pulumi.output(value);
  const taint = (key: unknown): any => ({ key, effect: 'NoSchedule' });
  const container = (name: string): any => ({ name, image: name, ports: [{ name: late('http') }] });

  it.each<[string, RegExp, () => unknown]>([
    [
      'two values that are the same',
      /EDGE_DUPLICATE +taints\[1\]/,
      () => new HostNetworkNodePool('it', { cluster, poolName: 'a', taints: [taint(late('a')), taint(late('a'))] }),
    ],
    [
      'a value that is written nowhere',
      /EDGE_VALUE +expectedNodes/,
      () => new HostNetworkNodePool('it', { cluster, poolName: 'a', expectedNodes: late(-5) }),
    ],
  ])('%s fails the update', async (_, expected, program) => {
    const { errors } = await record(async () => {
      program();
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    expect(errors.join('\n')).toMatch(expected);
    expect(errors).toHaveLength(1);
  });

  it('and nothing is said of what is right', async () => {
    const { errors } = await record(async () => {
      new HostNetworkNodePool('it', {
        cluster,
        poolName: 'a',
        taints: [taint(late('a')), taint(late('b'))],
        expectedNodes: late(5),
      });
      new ExcludedWorkload('web', { cluster, workload: deployment({ containers: [container('a'), container('b')] }) });
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    expect(errors).toEqual([]);
  });
});

describe('names of children', () => {
  it('are apart where the names of the objects are known later', async () => {
    const { resources } = await record(() => {
      const newer = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
      new PoolAdmission('admission', { cluster: newer, namePrefix: pulumi.output('edge') });
    });
    const children = resources.filter(({ type }) => type.startsWith('kubernetes:')).map(({ name }) => name);
    expect(children).toContain('admission-validatingadmissionpolicy-immutable-pools');
    expect(children.length).toBeGreaterThan(5);
  });
});

describe('what a rule refuses', () => {
  const fromPoolName = (args: object): unknown => HostNetworkNodePool.fromPoolName({ cluster, ...args } as never);

  it('is told at once, all of it, while values of others are still to come', async () => {
    const labels = { 'a b': pulumi.output('x'), fine: pulumi.output('y') };
    const codes: string[] = [];
    await record(async () => {
      try {
        new HostNetworkNodePool('it', { cluster, poolName: 'Bei_Jing', labels });
      } catch (error) {
        codes.push(String(error).split('\n')[0] as string, ...codesOf(error));
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect(codes).toEqual([
      'Error: HostNetworkNodePool it: 2 problems',
      'EDGE_NAME poolName',
      'EDGE_LABEL labels["a b"]',
    ]);
  });

  it('must be plain where every value that could come would be refused', () => {
    expect(codesOf(thrownBy(() => fromPoolName({ poolName: 'a', registrationTaint: pulumi.output(true) })))).toEqual([
      'EDGE_KNOWN_LATER registrationTaint',
    ]);
  });

  it('is told without what stands for a value', async () => {
    await record(() => {
      const workload: any = { ...deployment(), metadata: { name: pulumi.output('web') }, spec: { template: 1 } };
      const error = thrownBy(() => excludeFromHostNetworkPools(cluster)({ ...ARGS, props: workload }));
      expect(String(error)).toMatch(/^Error: excludeFromHostNetworkPools on Deployment /);
      expect(String(error)).not.toMatch(/known-later-\d/);
    });
  });
});

/**
 * Outputs whose value contains others, and attributes that are accessors of a class.
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';
import { record, type Recorded, recordRefusal } from './recorded.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

/** An Output of labels, one of which is an Output itself: `apply` does not look into what it returns. */
const labelsWith = (site: unknown): any => pulumi.output('east').apply((region) => ({ region, site }) as any);

const poolWith = (labels: unknown): HostNetworkNodePool =>
  new HostNetworkNodePool('it', { cluster, poolName: 'a', labels: labels as any });

async function nodePoolWith(site: unknown): Promise<Recorded> {
  const { resources } = await record(() => poolWith(labelsWith(site)));
  return resources.find(({ type }) => type.endsWith(':NodePool')) as Recorded;
}

/** The key by which the engine knows a secret. */
const SECRET = '4dabf18193072939515e22adb298388d';

describe('an Output in the value of an Output', () => {
  it.each<[string, () => unknown]>([
    ['an Output', () => pulumi.output('north')],
    ['a Promise', () => Promise.resolve('north')],
    ['an Output of an Output', () => pulumi.output('x').apply(() => pulumi.output('north'))],
  ])('%s is unwrapped', async (_, site) => {
    const { inputs, wire } = await nodePoolWith(site());
    expect(inputs.spec).toMatchObject({ labels: { region: 'east', site: 'north' } });
    expect(JSON.stringify(wire)).not.toContain(SECRET);
  });

  it('that is secret keeps the value secret', async () => {
    expect(JSON.stringify((await nodePoolWith(pulumi.secret('north'))).wire)).toContain(SECRET);
  });

  it('is validated', async () => {
    const errors = await recordRefusal(() => poolWith(labelsWith(pulumi.output('no label'))));
    expect(errors).toMatch(/EDGE_LABEL +labels\.site/);
  });
});

describe('arguments that a program changes later', () => {
  it.each([
    ['plain values', () => 'north'],
    ['an Output', () => pulumi.output('north')],
  ])('are those of the declaration: %s', async (_, siteOf: () => any) => {
    const found: unknown[] = [];
    const { resources } = await record(() => {
      const site = siteOf();
      const taints: any[] = [{ key: 'a', value: 'a', effect: 'NoSchedule' }];
      const metadata = { annotations: { depot: 'a' } };
      const pool = new HostNetworkNodePool('it', { cluster, poolName: 'a', labels: { site }, taints, metadata });
      taints.push({ key: 'b', value: 'b', effect: 'NoExecute' });
      taints[0].value = 'b';
      metadata.annotations.depot = 'b';
      pulumi.output(pool.taints).apply((all) => found.push(all));
    });
    const nodePool = resources.find(({ type }) => type.endsWith(':NodePool')) as Recorded;
    const taints = [{ key: 'a', value: 'a', effect: 'NoSchedule' }];
    expect(nodePool.inputs).toMatchObject({ spec: { taints }, metadata: { annotations: { depot: 'a' } } });
    expect(found).toEqual([taints]);
  });
});

describe('attributes of pools', () => {
  class DepotPool extends HostNetworkNodePool {}

  it('are Outputs of their own pool, and the same at every read', async () => {
    const names: string[][] = [];
    await record(() => {
      const pools = [
        new HostNetworkNodePool('a', { cluster, poolName: 'a' }),
        new HostNetworkNodePool('b', { cluster, poolName: 'b', expectedNodes: 3 }),
        new DepotPool('c', { cluster, poolName: 'c' }),
      ];
      for (const pool of pools) {
        expect(pool.poolName).toBe(pool.poolName);
      }
      expect(pools.map(({ expectedNodes }) => expectedNodes === undefined)).toEqual([true, false, true]);
      pulumi.all(pools.map(({ poolName }) => poolName)).apply((all) => names.push(all));
    });
    expect(names).toEqual([['a', 'b', 'c']]);
  });
});

/** Warnings of a Pulumi program: one entry per code, and those that are accepted are not shown. */
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools/pulumi';
import { daemonSet } from '../bad-inputs/case.js';
import { record } from './recorded.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });

/** Declares workloads without ports, which is a warning of each. */
function declare(count: number, parent?: pulumi.Resource): HostNetworkWorkload[] {
  const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
  return Array.from({ length: count }, (_, index) => {
    const workload = daemonSet({ containers: [{ name: 'a', image: 'b' }] });
    return new HostNetworkWorkload(
      `w${index}`,
      { pool, workload: { ...workload, metadata: { name: `w${index}` } } },
      { parent },
    );
  });
}

function named(name: string, podSpec: object): any {
  return { ...daemonSet(podSpec), metadata: { name } };
}

const noPorts = (warnings: readonly string[]): string[] => warnings.filter((text) => text.includes('EDGE_NO_PORTS'));

describe('warnings of a program', () => {
  it('have one entry per code, with the count and the first three places', async () => {
    const { warnings } = await record(() => declare(5));
    const [entry, ...others] = noPorts(warnings);
    expect(others).toEqual([]);
    expect(entry).toMatch(
      /EDGE_NO_PORTS, 5 times:\n {2}w0 spec\S*: .*\n {2}w1 .*\n {2}w2 .*\n {4}-> .*\n {2}and 2 more/,
    );
  });

  it('have their places in the order of declaration, also those that depend on an Output', async () => {
    const ports = [60001, pulumi.output(60002), 60003].map((containerPort) => ({ containerPort }));
    const late = { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: pulumi.output(60000) }] }] };
    const { warnings } = await record(() => {
      const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
      new HostNetworkWorkload('late', { pool, workload: named('late', late) });
      new HostNetworkWorkload('mixed', {
        pool,
        workload: named('mixed', { containers: [{ name: 'a', image: 'b', ports }] }),
      });
    });
    const [entry, ...others] = warnings.filter((text) => text.includes('EDGE_PORT'));
    expect(others).toEqual([]);
    expect(entry).toMatch(/4 times:\n {2}late .*: 60000 .*\n {2}mixed .*: 60001 .*\n {2}mixed .*: 60002 .*\n/);
  });

  it('about a secret are neither shown nor counted', async () => {
    const entryWith = async (secret: number): Promise<string[]> => {
      const ports = [pulumi.secret(secret), 60003, 60004].map((containerPort) => ({ containerPort }));
      const { warnings } = await record(() => {
        const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
        const workload = named('w', { containers: [{ name: 'a', image: 'b', ports }] });
        new HostNetworkWorkload('w', { pool, workload });
      });
      return warnings.filter((text) => text.includes('EDGE_PORT'));
    };
    const bad = await entryWith(60001);
    expect(bad).toEqual([expect.stringMatching(/EDGE_PORT, 2 times:\n.* 60003 .*\n.* 60004 /)]);
    expect(await entryWith(8080)).toEqual(bad);
  });

  it('are accepted at a component, at its parent, and for the whole program', async () => {
    const reason = 'it listens on a socket';
    const one = await record(() => EdgeWarnings.accept(declare(2)[0] as HostNetworkWorkload, 'EDGE_NO_PORTS', reason));
    expect(noPorts(one.warnings)).toEqual([expect.stringMatching(/EDGE_NO_PORTS spec/)]);
    const parent = await record(() => {
      const site = new pulumi.ComponentResource('a:b:C', 'site');
      declare(2, site);
      EdgeWarnings.accept(site, 'EDGE_NO_PORTS', reason);
    });
    expect(noPorts(parent.warnings)).toEqual([]);
    const all = await record(() => {
      EdgeWarnings.accept('program', 'EDGE_NO_PORTS', reason);
      declare(2);
    });
    expect(noPorts(all.warnings)).toEqual([]);
    const other = await record(() => {
      EdgeWarnings.accept('program', 'EDGE_DNS', reason);
      declare(2);
    });
    expect(noPorts(other.warnings)).toHaveLength(1);
  });

  it('are accepted only with a scope, a code and a reason', async () => {
    await record(() => {
      expect(() => EdgeWarnings.accept(undefined as never, 'EDGE_DNS', 'r')).toThrow(/the scope is missing/);
      expect(() => EdgeWarnings.accept('stack' as never, 'EDGE_DNS', 'r')).toThrow(/the scope is text/);
      expect(() => EdgeWarnings.accept('program', 'EDGE_DSN' as never, 'r')).toThrow(/did you mean 'EDGE_DNS'/);
      expect(() => EdgeWarnings.accept('program', 'EDGE_DNS', '')).toThrow(/the reason is missing/);
    });
  });

  it('a component without a name is refused', async () => {
    await record(() => {
      expect(() => new HostNetworkNodePool(undefined as never, { cluster, poolName: 'a' })).toThrow(
        /name .*is missing/,
      );
      expect(() => new (HostNetworkNodePool as any)({ cluster, poolName: 'a' })).toThrow(/name .*is a map/);
    });
  });
});

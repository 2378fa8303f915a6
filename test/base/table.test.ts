import { inspect } from 'node:util';
import { ApiObject, App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  footprint,
  HostNetworkNodePool,
  manifestsOf,
  placeFleet,
  PoolAdmission,
  type PrintableReport,
  SystemComponent,
} from 'edge-nodepools';
import { fleetDiff } from 'edge-nodepools/checks';
import fc from 'fast-check';
import { fleetOverview, overviewText } from '../../src/fleet/fleet-overview.js';
import { textTable, wrappedText } from '../../src/base/table.js';
import { daemonSet } from '../bad-inputs/case.js';
import { runs } from '../depth.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
const LONG = 'a-workload-with-a-name-of-sixty-three-characters-which-is-the-mos';

function reports(): Record<string, PrintableReport<object>> {
  const app = Testing.app();
  const chart = new Chart(app, 'fleet');
  const pools = ['beijing', 'hangzhou', LONG.slice(0, 63)].map(
    (poolName) => new HostNetworkNodePool(chart, poolName, { cluster, poolName }),
  );
  const exclude = SystemComponent.known();
  const system = new EdgeSystemComponents(chart, 'system', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
    exclude: exclude.filter(({ name }) => !/coredns-|flannel-|calico$/.test(name)),
  });
  const mixin = ExcludedWorkload.mixin({ cluster });
  const other = new Chart(new App(), 'other');
  other.with(mixin);
  new ApiObject(other, 'plain', daemonSet());
  new ExcludedWorkload(other, 'agent', { cluster, workload: daemonSet() });
  const manifests = [...manifestsOf(app), daemonSet()];
  return {
    ExcludedWorkload: new ExcludedWorkload(chart, 'web', { cluster, workload: daemonSet() }).report,
    mixin: mixin.report,
    EdgeSystemComponents: system.report,
    notExcluded: system.notExcluded,
    PoolAdmission: new PoolAdmission(chart, 'admission', { cluster, guarantees: { strict: true } }).report,
    EdgePreconditions: new EdgePreconditions(chart, 'preconditions', { cluster }).report,
    placeFleet: placeFleet(manifests, pools),
    footprint: footprint(manifests, pools),
  };
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('a table', () => {
  it('fits 100 columns and has every character of its cells, in any order of lines', () => {
    const cell = fc.oneof(fc.string({ maxLength: 12 }), fc.lorem({ maxCount: 30 }), fc.constant(LONG.repeat(3)));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 6 }),
        (columns, rows) => {
          const head = Array.from({ length: columns }, (_, index) => `C${index}`);
          const text = textTable(head, rows);
          const lines = text.split('\n');
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
          expect(lines.filter((line) => /\s$/.test(line) && /\S/.test(line) && line.endsWith(' '))).toEqual([]);
          const shown = rows.flatMap((row) => row.slice(0, columns));
          const sorted = (all: readonly string[]): string => [...words(all.join(' ')).join('')].sort().join('');
          expect(sorted([text])).toBe(sorted([...head, ...shown]));
        },
      ),
      runs(400),
    );
  });

  it('breaks lines between words', () => {
    const text = 'one two three '.repeat(20).trim();
    expect(words(wrappedText(text))).toEqual(words(text));
    expect(wrappedText(text).split('\n').length).toBe(3);
  });

  it('begins a line of a cell at a line feed', () => {
    expect(textTable(['A', 'B'], [['1\n2', 'x']])).toBe('A  B\n1  x\n2');
  });
});

describe('a report', () => {
  const all = reports();

  it.each(Object.keys(all))('of %s prints itself as a table of at most 100 columns', (name) => {
    const report = all[name] as PrintableReport<object>;
    const text = String(report);
    const [head = '', ...rows] = text.split('\n');
    expect(head).toMatch(/^[A-Z][A-Z -]+( {2,}[A-Z -]+)+$/);
    expect(rows.length).toBeGreaterThan(0);
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(text).not.toMatch(/undefined|\[object|NaN/);
  });

  it.each(Object.keys(all))('of %s is plain data in every other way', (name) => {
    const report = all[name] as object;
    const copy: object = JSON.parse(JSON.stringify(report));
    expect(report).toEqual(copy);
    expect(structuredClone(report)).toStrictEqual(report);
    expect(Object.keys(report)).toEqual(Object.keys(copy));
    expect(inspect(report, { depth: 9 })).toBe(inspect(copy, { depth: 9 }));
  });
});

describe('a text of lines', () => {
  const name = fc
    .string({ unit: fc.constantFrom('a', 'b', '-'), size: 'max', maxLength: 61 })
    .map((middle) => `a${middle}z`);
  const names = fc.record({ pool: name, namespace: name, workload: name });

  it('fits 100 columns, and has every name whole where it fits', () => {
    fc.assert(
      fc.property(
        names,
        fc.oneof(fc.string({ maxLength: 90 }), fc.lorem({ maxCount: 30 })),
        ({ pool, namespace, workload }, image) => {
          const metadata = { name: workload, namespace };
          const web = (of: string): any => ({
            ...daemonSet({ containers: [{ name: 'a', image: of }], nodeSelector: { [workload]: pool } }),
            metadata,
          });
          const poolObject = new HostNetworkNodePool(Testing.chart(), 'p', { cluster, poolName: pool });
          const labels = { ...poolObject.joinLabels, [pool]: 'x' };
          const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: pool, labels } };
          const texts = [
            String(fleetDiff([web('a')], [web(`b${image}`), node])),
            overviewText(fleetOverview([node, web('a'), { ...web('a'), kind: 'Deployment' }])),
          ];
          const long = texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 100);
          expect(long).toEqual([]);
          if (`DaemonSet ${namespace}/${workload}`.length < 80) {
            texts.forEach((text) => expect(text).toContain(`DaemonSet ${namespace}/${workload}`));
          }
        },
      ),
      runs(200),
    );
  });
});

describe('manifestsOf', () => {
  it('has what the synth of an app writes, with the patches of system components', () => {
    const app = Testing.app();
    const chart = new Chart(app, 'fleet');
    new ApiObject(chart, 'web', { apiVersion: 'apps/v1', kind: 'Deployment' });
    const { patchChart } = new EdgeSystemComponents(chart, 'system', {
      cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
      exclude: [SystemComponent.KUBE_PROXY],
    });
    expect(manifestsOf(app)).toEqual([...Testing.synth(chart), ...Testing.synth(patchChart as Chart)]);
    expect(manifestsOf(app).map(({ kind }) => kind)).toEqual(['Deployment', 'DaemonSet']);
    expect(manifestsOf(chart)).toEqual(manifestsOf(app));
    expect(manifestsOf(new Chart(app, 'other'))).toEqual([]);
  });

  it('has the objects of one construct, without loading cdk8s', () => {
    const chart = Testing.chart();
    const system = new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
    new ApiObject(chart, 'web', { apiVersion: 'apps/v1', kind: 'Deployment' });
    expect(manifestsOf(system).map(({ kind }) => kind)).toEqual([
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'DaemonSet',
    ]);
  });

  it.each([
    [undefined, 'EDGE_MISSING'],
    [[], 'EDGE_TYPE'],
    ['app', 'EDGE_TYPE'],
  ])('refuses %p', (scope, code) => {
    expect(() => manifestsOf(scope as never)).toThrow(expect.objectContaining({ code, path: 'scope' }));
  });
});

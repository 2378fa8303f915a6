import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ApiObject, Chart } from 'cdk8s';
import { EdgeApp } from 'edge-nodepools';
import { type DeliveryLayer, fromOci } from 'edge-nodepools/delivery';
import { tarGzip } from '../../src/base/tar.js';
import { runs } from '../depth.js';
import { chartOf, delivery, filesIn, folder, NAMES, synth } from './shops.js';

const OCI = fromOci({ url: 'oci://registry.example/shops' });

function extracted(archive: Uint8Array): Map<string, string> {
  const into = folder();
  execFileSync('tar', ['--extract', '--gzip', '--directory', into], { input: archive });
  return filesIn(into);
}

describe('an archive', () => {
  it('is one for tar, with the files that it was given, and the same bytes for any order of them', () => {
    const path = fc
      .stringMatching(/^[a-z0-9]{1,30}(\/[a-z0-9.-]{1,60}[a-z0-9]){0,3}$/)
      .filter((text) => !text.includes('..'));
    const file = fc.record({ path, content: fc.string({ unit: 'grapheme', maxLength: 1500 }) });
    const isApart = (a: string, b: string): boolean => a !== b && !a.startsWith(`${b}/`) && !b.startsWith(`${a}/`);
    const files = fc
      .array(file, { minLength: 1, maxLength: 4 })
      .filter((all) =>
        all.every((one, index) => all.every((other, at) => at === index || isApart(one.path, other.path))),
      );
    fc.assert(
      fc.property(files, (all) => {
        const archive = tarGzip(all);
        expect(extracted(archive)).toEqual(
          new Map([...all].sort((a, b) => (a.path < b.path ? -1 : 1)).map((each) => [each.path, each.content])),
        );
        expect(Buffer.from(tarGzip([...all].reverse())).equals(archive)).toBe(true);
      }),
      runs(60),
    );
  });

  it('of a long path has it in two fields, and refuses what fits into none', () => {
    const long = `${'a'.repeat(150)}/${'b'.repeat(100)}`;
    const [[found] = []] = [...extracted(tarGzip([{ path: long, content: 'c' }]))];
    expect(found).toBe(long);
    expect(() => tarGzip([{ path: 'b'.repeat(101), content: '' }])).toThrow(RangeError);
  });

  it.each(NAMES)('of a site has its folder, with %s, and is not written again', (engine) => {
    const outdir = folder();
    const build = (app: EdgeApp): unknown => delivery(app, engine, ['lab', 'beijing'], { props: { source: OCI } });
    const files = synth((app) => build(app as EdgeApp), { outdir });
    const archive = join(outdir, 'oci', 'lab.tar.gz');
    const inside = extracted(readFileSync(archive));
    expect(inside.size).toBe(3);
    inside.forEach((text, path) => expect(files.get(`sites/lab/${path}`)).toBe(text));
    const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
    utimesSync(archive, 1, 1);
    synth((app) => build(app as EdgeApp), { outdir });
    expect(statSync(archive).mtimeMs).toBe(1000);
    expect(createHash('sha256').update(readFileSync(archive)).digest('hex')).toBe(digest);
    expect(readdirSync(join(outdir, 'oci')).sort()).toEqual(['beijing.tar.gz', 'lab.tar.gz']);
  });
});

describe('the report', () => {
  it('counts the objects of each layer, and has the waves as a table and a picture', () => {
    const app = new EdgeApp({ outdir: folder() });
    const { report } = delivery(app, 'argo-cd', ['lab', 'beijing'], {
      props: { rollout: {}, partials: 'engine' },
      site: (_, wave) => ({ wave: 1 - wave }),
      chart: (name) => chartOf(app, name, { patches: name === 'lab' }),
    });
    expect(
      report.sites.map(({ site, wave, layers }) => [site, wave, layers.pools, layers.workloads, layers.patches]),
    ).toEqual([
      ['lab', 1, 1, 1, 1],
      ['beijing', 0, 1, 1, 0],
    ]);
    expect(report.waves).toEqual([
      { wave: 0, sites: ['beijing'] },
      { wave: 1, sites: ['lab'] },
    ]);
    expect(report.sites[0]?.delivered.pools).toEqual(['NodePool tills']);
    report.sites.forEach(({ delivered, layers }) =>
      Object.entries(delivered).forEach(([layer, names]) => expect(names).toHaveLength(layers[layer as DeliveryLayer])),
    );
    const table = String(report);
    expect(table).not.toMatch(/\b1 (errors|warnings)/);
    expect(table.indexOf('beijing')).toBeLessThan(table.indexOf('lab'));
    expect(report.picture).toMatch(/^<svg [^]*>wave 0<[^]*>beijing<[^]*>wave 1<[^]*>lab<[^]*<\/svg>\n$/);
    // the templates of both workloads have no labels, which the check finds
    expect(report.sites.map(({ findings }) => findings.length > 0)).toEqual([true, true]);
  });

  it('refuses sites that an object of the engine cannot list', () => {
    const app = new EdgeApp({ outdir: folder() });
    const labels = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${'a'.repeat(60)}.example/${'b'.repeat(60)}${index}`, 'c'.repeat(63)]),
    );
    const chart = new Chart(app, 'shared');
    new ApiObject(chart, 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'tills' } });
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    delivery(app, 'argo-cd', names, { props: { source: OCI }, chart: () => chart, site: () => ({ labels }) });
    mkdirSync(app.outdir, { recursive: true });
    expect(() => app.synth()).toThrow(/EDGE_SIZE {2}\["ApplicationSet argocd\/fleet"\]/);
  });

  it('refuses a site that the object of the engine cannot list', () => {
    const app = new EdgeApp({ outdir: folder() });
    const chart = new Chart(app, 'lab');
    for (let index = 0; index < 2200; index++) {
      new ApiObject(chart, `a${index}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `a${index}`, namespace: 'tills' },
      });
    }
    delivery(app, 'argo-cd', ['lab'], { chart: () => chart });
    mkdirSync(app.outdir, { recursive: true });
    expect(() => app.synth()).toThrow(/EDGE_SIZE {2}sites\[0\]/);
  });
});

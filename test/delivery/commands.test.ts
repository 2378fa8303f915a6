/** `check` and `diff` over all sites at once: each site is a cluster of its own. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../src/cli/main.js';
import { siteOfFile } from '../../src/fleet/site-files.js';
import { LAYER_FOLDERS } from '../../src/delivery/delivery-layer.js';
import { chartOf, delivery, filesIn, folder, NAMES, synth } from './shops.js';

const SITES = ['beijing', 'hangzhou', 'lab'];

function run(args: readonly string[]): { readonly code: unknown; readonly out: string; readonly err: string } {
  let [out, err] = ['', ''];
  const code = main(args, {
    stdin: () => '',
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const json = (args: readonly string[]): any => JSON.parse(run([...args, '--json']).out);

/** The manifests of three shops, without what is wrong in the chart of these tests: it has no selector. */
function dist(engine: (typeof NAMES)[number]): string {
  const outdir = folder();
  synth(
    (app) =>
      delivery(app, engine, SITES, {
        chart: (name) => chartOf(app, name, { patches: true }),
        props: { partials: 'engine' },
      }),
    { outdir },
  );
  return outdir;
}

const change = (outdir: string, site: string, from: string, to: string): void => {
  const file = join(outdir, `sites/${site}/30-workloads/${site}.k8s.yaml`);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

describe.each(NAMES)('the files of %s', (engine) => {
  const outdir = dist(engine);

  it('are those of their site, or of none', () => {
    const paths = [...filesIn(outdir).keys()];
    expect(paths.filter((path) => siteOfFile(path) !== undefined).sort()).toEqual(
      paths.filter((path) => path.startsWith('sites/')),
    );
    paths
      .filter((path) => path.startsWith('sites/'))
      .forEach((path) => expect(siteOfFile(path)).toBe(path.split('/')[1]));
    Object.values(LAYER_FOLDERS).forEach((layer) => expect(siteOfFile(`a/${layer}/b.yaml`)).toBe('a'));
  });

  it('check: finds in all what it finds in each, and nothing twice; parts of objects of others are none that lack fields', () => {
    const all = json(['check', outdir]);
    const each = SITES.map((site) => json(['check', join(outdir, 'sites', site)]));
    expect(all.findings).toEqual(each.flatMap(({ findings }) => findings as unknown[]));
    expect(all.findings.length).toBeGreaterThan(2);
    expect(new Set(all.findings.map(({ object }: any) => object as string))).toEqual(
      new Set(['Deployment tills/till']),
    );
    expect(all.sites.map(({ site, objects, errors }: any) => [site, objects, errors])).toEqual(
      SITES.map((site, index) => [
        site,
        each[index].objects,
        each[index].findings.filter(({ level }: any) => level === 'error').length,
      ]),
    );
    expect(all.files).toBe([...filesIn(outdir).keys()].filter((path) => /\.(yaml|json)$/.test(path)).length);
  });

  it('check: names the sites with findings only, and fails as for one', () => {
    const copy = folder();
    cpSync(outdir, copy, { recursive: true });
    SITES.slice(1).forEach((site) => rmSync(join(copy, `sites/${site}/30-workloads`), { recursive: true }));
    const { code, out } = run(['check', copy]);
    expect(code).toBe(1);
    expect(out.match(/^site .*$/gm)).toEqual(['site beijing']);
    expect(out).toMatch(/\n1 of 3 sites with findings: \d+ errors?, \d+ warnings? in \d+ objects of \d+ files\n$/);
    rmSync(join(copy, 'sites/beijing/30-workloads'), { recursive: true });
    expect(run(['check', copy])).toMatchObject({ code: 0, out: expect.stringMatching(/^0 of 3 sites/) });
  });

  it('diff: compares site by site', () => {
    const copy = folder();
    cpSync(outdir, copy, { recursive: true });
    expect(run(['diff', outdir, copy])).toMatchObject({ code: 0, out: '0 of 3 sites differ\n' });
    change(copy, 'beijing', 'till:1', 'till:2');
    rmSync(join(copy, 'sites/hangzhou'), { recursive: true });
    const { code, out } = run(['diff', join(outdir, 'sites'), join(copy, 'sites')]);
    expect(code).toBe(1);
    expect(out.match(/^site .*$/gm)).toEqual(['site beijing', 'site hangzhou']);
    expect(out).toMatch(/\n2 of 3 sites differ\n$/);
    const { sites } = json(['diff', outdir, copy]);
    expect(sites.map(({ site }: any) => site as string)).toEqual(SITES);
    const alone = json(['diff', join(outdir, 'sites/beijing'), join(copy, 'sites/beijing')]);
    expect(sites[0]).toEqual({ site: 'beijing', ...alone });
    expect(sites[2].workloads).toEqual([]);
  });

  it('diff: refuses all sites beside one cluster', () => {
    const { code, err } = run(['diff', join(outdir, 'sites/beijing'), outdir]);
    expect([code, err]).toEqual([2, expect.stringContaining('write the folder of one site')]);
  });
});

import { cpSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { ApiObject, App, Chart } from 'cdk8s';
import { EdgeApp, EdgeWarnings } from 'edge-nodepools';
import { argoCd, FleetDelivery } from 'edge-nodepools/delivery';
import { isFullDepth, runs } from '../depth.js';
import {
  chartOf,
  clusterOf,
  delivery,
  type EngineName,
  filesIn,
  folder,
  GIT,
  type Manifest,
  NAMES,
  objectsOf,
  problemsOf,
  synth,
} from './shops.js';

const identity = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

function copied(outdir: string): string {
  const copy = folder();
  cpSync(outdir, copy, { recursive: true });
  return copy;
}

describe.each(NAMES)('a delivery by %s', (engine) => {
  const sites = ['lab', 'beijing', 'hangzhou'];

  it('writes each object of a site into one layer, and no chart beside it', () => {
    const app = new EdgeApp({ outdir: folder() });
    const chart = chartOf(app, 'lab');
    delivery(app, engine, ['lab'], { chart: () => chart });
    const expected = (chart.toJson() as Manifest[]).map(identity).sort();
    app.synth();
    const files = filesIn(app.outdir);
    expect(objectsOf(files, 'sites/').map(identity).sort()).toEqual(expected);
    const kinds = (layer: string): string[] => [
      ...new Set(objectsOf(files, `sites/lab/${layer}`).map(({ kind }) => kind)),
    ];
    expect(kinds('10-pools')).toEqual(['NodePool']);
    expect(kinds('20-policies').every((kind) => /AdmissionPolicy(Binding)?$/.test(kind))).toBe(true);
    expect(kinds('30-workloads')).toEqual(['Deployment']);
    expect([...files.keys()].filter((path) => !/^(sites\/lab|argo-cd|flux|\.edge-)/.test(path))).toEqual([]);
  });

  it('writes the same bytes with an App of cdk8s', () => {
    const build = (app: App): unknown =>
      delivery(app, engine, sites, { props: { rollout: {} }, site: (_, wave) => ({ wave }) });
    const ofApp = synth(build, { AppClass: App });
    expect(ofApp.size).toBeGreaterThan(10);
    expect(ofApp).toEqual(synth(build));
  });

  it('puts only manifests of the site below its folder: an engine reads all of it', () => {
    const files = synth((app) => delivery(app, engine, sites));
    const below = [...files.keys()].filter((path) => path.startsWith('sites/'));
    expect(below.filter((path) => !/^sites\/[a-z]+\/\d0-[a-z]+\/[a-z0-9-]+\.k8s\.yaml$/.test(path))).toEqual([]);
    const engines = objectsOf(files, engine === 'flux' ? 'flux' : 'argo-cd').map(({ apiVersion }) => apiVersion);
    expect(engines.length).toBeGreaterThan(2);
    expect(engines.filter((version) => !/argoproj\.io|fluxcd\.io/.test(version))).toEqual([]);
  });

  it('touches only the files of the site that has changed', () => {
    const outdir = folder();
    const build = (image: string) => (app: App) =>
      delivery(app, engine, sites, {
        chart: (name) => chartOf(app, name, { image: name === 'beijing' ? image : 'till:1' }),
      });
    const before = synth(build('till:1'), { outdir });
    before.forEach((_, path) => utimesSync(join(outdir, path), 1, 1));
    const after = synth(build('till:2'), { outdir });
    const touched = [...after.keys()].filter((path) => statSync(join(outdir, path)).mtimeMs !== 1000);
    expect(touched).toEqual(['sites/beijing/30-workloads/beijing.k8s.yaml']);
    expect([...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path)).toEqual(touched);
  });

  it('removes or reports the files of a site that is gone, and what delivers it', () => {
    const outdir = folder();
    const of = (names: readonly string[], prune?: boolean): EdgeApp => {
      // in one process all apps of a folder count
      const app = new EdgeApp({ outdir: copied(outdir), ...(prune === undefined ? {} : { prune }) });
      delivery(app, engine, names);
      app.synth();
      return app;
    };
    synth((app) => delivery(app, engine, sites), { outdir });
    const stale = of(['lab', 'hangzhou']).staleFiles;
    expect(stale.length).toBe(4);
    expect(stale.every((path) => path.includes('beijing'))).toBe(true);
    const pruned = of(['lab', 'hangzhou'], true).outdir;
    expect([...filesIn(pruned)].filter(([path, text]) => path.includes('beijing') || text.includes('beijing'))).toEqual(
      [],
    );
  });

  it('reports them with an App of cdk8s, too', () => {
    const outdir = folder();
    synth((app) => delivery(app, engine, sites), { outdir, AppClass: App });
    const app = new App({ outdir: copied(outdir) });
    delivery(app, engine, ['lab']);
    EdgeWarnings.setMode(app, 'error');
    EdgeWarnings.accept(app, 'EDGE_NOT_GUARANTEED', 'a test');
    expect(() => app.synth()).toThrow(/EDGE_STALE_FILES/);
  });

  it('refuses a file that an engine would read as a manifest, and writes nothing', () => {
    const outdir = folder();
    const stray = join(outdir, 'sites/lab/site.json');
    mkdirSync(dirname(stray), { recursive: true });
    writeFileSync(stray, '{}');
    expect(problemsOf(() => synth((app) => delivery(app, engine, ['lab']), { outdir }))).toEqual([
      { code: 'EDGE_ARTIFACT', path: '["sites/lab/site.json"]' },
    ]);
    expect([...filesIn(outdir).keys()]).toEqual(['sites/lab/site.json']);
  });

  it('writes a chart of several sites into each', () => {
    const files = synth((app) => {
      const common = new Chart(app, 'common');
      new ApiObject(common, 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } });
      delivery(app, engine, sites, { chart: () => common });
    });
    const texts = sites.map((site) => files.get(`sites/${site}/30-workloads/common.k8s.yaml`));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('kind: ConfigMap');
  });

  it('refuses partial objects, delivers those that hold, or leaves them apart', () => {
    const of = (partials: 'refuse' | 'engine' | 'apart' | undefined): Map<string, string> =>
      synth((app) =>
        delivery(app, engine, ['lab'], {
          chart: (name) => chartOf(app, name, { patches: true }),
          props: partials === undefined ? {} : { partials },
        }),
      );
    expect(problemsOf(() => of(undefined))).toEqual([
      { code: 'EDGE_STRATEGY', path: 'sites[0]["DaemonSet kube-system/kube-proxy"]' },
    ]);
    expect([...of('apart').keys()].filter((path) => path.includes('atches'))).toEqual([
      'patches/lab-system-patches.k8s.yaml',
    ]);
    const held = of('engine');
    expect([...held.keys()].filter((path) => path.includes('atches.k8s'))).toEqual([
      'sites/lab/40-patches/lab-system-patches.k8s.yaml',
    ]);
    const [partial] = objectsOf(held, 'sites/lab/40-patches');
    expect(partial?.metadata.annotations).toEqual(
      engine === 'flux'
        ? { 'kustomize.toolkit.fluxcd.io/prune': 'disabled', 'kustomize.toolkit.fluxcd.io/ssa': 'Merge' }
        : { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' },
    );
    expect(partial?.spec.selector).toEqual(
      engine === 'flux' ? { matchLabels: { 'k8s-app': 'kube-proxy' } } : undefined,
    );
  });

  it('synthesizes the same bytes twice, whatever the sites', () => {
    const site = fc.record({
      name: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
      wave: fc.nat(3),
      region: fc.constantFrom('north', 'south'),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(site, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
        fc.constantFrom<'keep' | 'prune'>('keep', 'prune'),
        (given, deletion) => {
          const build = (list: typeof given) => (app: App) =>
            delivery(
              app,
              engine,
              list.map(({ name }) => name),
              {
                props: { deletion, rollout: {} },
                site: (_, index) => ({ wave: list[index]?.wave ?? 0, labels: { region: list[index]?.region ?? '' } }),
              },
            );
          const first = synth(build(given));
          expect(synth(build(given))).toEqual(first);
          // what is of one site does not depend on the others
          const [only] = given;
          const alone = synth(build([only as (typeof given)[number]]));
          const own = [...alone].filter(([path]) => path.startsWith(`sites/${only?.name}/`));
          expect(own.length).toBe(3);
          own.forEach(([path, text]) => expect(first.get(path)).toBe(text));
        },
      ),
      runs(40),
    );
  });
});

describe('the work of a delivery', () => {
  it.each(NAMES)('of %s grows with the sites, not with their square', (engine) => {
    const bytes = (count: number): number => {
      const names = Array.from({ length: count }, (_, index) => `s${String(index).padStart(4, '0')}`);
      let rendered = 0;
      const app = new EdgeApp({ outdir: folder() });
      const common = new Chart(app, 'common');
      const object = new ApiObject(common, 'a', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'tills' },
      });
      const toJson = object.toJson.bind(object);
      object.toJson = () => {
        rendered++;
        return toJson();
      };
      const made = delivery(app, engine, names, {
        chart: () => common,
        props: { rollout: {} },
        site: (_, index) => ({ wave: index % 3 }),
      });
      app.synth();
      expect(rendered).toBe(1);
      expect(JSON.stringify(made.engineObjects).length).toBeGreaterThan(100);
      return [...filesIn(app.outdir).values()].reduce((sum, text) => sum + text.length, 0);
    };
    const [some, many] = isFullDepth ? [100, 1000] : [20, 200];
    const [few, more] = [bytes(some), bytes(many)];
    expect(more / few).toBeLessThan(10.5);
  });
});

it('the charts of a site are those that are in it when the app is synthesized', () => {
  const files = synth((app) => {
    const chart = new Chart(app, 'lab');
    new FleetDelivery(app, 'delivery', {
      source: GIT,
      engine: argoCd(),
      sites: [{ name: 'lab', cluster: clusterOf('argo-cd', 'lab'), charts: [chart] }],
    });
    new ApiObject(new Chart(chart, 'late'), 'object', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'tills' },
    });
  });
  expect(objectsOf(files, 'sites/lab/30-workloads').map(({ kind }) => kind)).toEqual(['ConfigMap']);
});

it.each<[EngineName, string]>([
  ['argo-cd', 'argo-cd/sites/other.json'],
  ['flux', 'flux/kustomization.yaml'],
  ['flux', 'flux-gates/wave-0/other.yaml'],
])('%s: refuses %s, which the engine would read, too', (engine, path) => {
  const outdir = folder();
  mkdirSync(dirname(join(outdir, path)), { recursive: true });
  writeFileSync(join(outdir, path), '{}');
  expect(problemsOf(() => synth((app) => delivery(app, engine, ['lab']), { outdir }))).toEqual([
    { code: 'EDGE_ARTIFACT', path: `["${path}"]` },
  ]);
});

/** Two deliveries in one place: an engine reads its folder as a whole, and would deliver the sites of both. */
import { cpSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiObject, type App, Chart } from 'cdk8s';
import { EdgeApp, EdgeError } from 'edge-nodepools';
import { argoCd, type DeliveredCharts, FleetDelivery, type FleetDeliveryProps, flux } from 'edge-nodepools/delivery';
import { clusterOf, delivery, filesIn, folder, GIT, NAMES, synth } from './shops.js';

/** The problem of a program, as `code path: message -> hint`; none if it runs. */
function refused(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return error instanceof EdgeError
      ? error.problems.map(({ code, path, message, hint }) => `${code} ${path}: ${message} -> ${hint}`)
      : [String(error)];
  }
}

const ENGINES = { 'argo-cd': argoCd(), flux: flux() } as const;

function add(app: App, id: string, engine: keyof typeof ENGINES, site: string, name = id): FleetDelivery {
  const chart = new Chart(app, `chart-${site}`, { namespace: 'tills' });
  new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap' });
  return new FleetDelivery(app, id, {
    name,
    engine: ENGINES[engine],
    source: GIT,
    sites: [{ name: site, charts: [chart] }],
  });
}

const names = Object.keys(ENGINES) as (keyof typeof ENGINES)[];
const PAIRS = names.flatMap((one) => names.map((other) => [one, other] as const));

describe('a second delivery in one app', () => {
  it.each(PAIRS)('is refused: %s and %s', (one, other) => {
    const app = new EdgeApp({ outdir: folder() });
    add(app, 'one', one, 'lab');
    expect(refused(() => add(app, 'two', other, 'beijing'))).toEqual([
      expect.stringMatching(
        /^EDGE_DUPLICATE scope: the app has the FleetDelivery one already, .* -> write another app with its own outdir, and another path/,
      ),
    ]);
  });

  it('is fine when the first has gone, or was refused itself', () => {
    const app = new EdgeApp({ outdir: folder() });
    add(app, 'one', 'argo-cd', 'lab');
    app.node.tryRemoveChild('one');
    expect(refused(() => add(app, 'One', 'argo-cd', 'Beijing'))).not.toEqual([]);
    expect(refused(() => add(app, 'two', 'argo-cd', 'hangzhou'))).toEqual([]);
  });
});

describe('the deliveries of two apps in one folder', () => {
  const of = (outdir: string, ...given: (readonly [name: string, site: string])[]): string[] =>
    given.flatMap(([name, site]) =>
      refused(() => {
        const app = new EdgeApp({ outdir });
        add(app, 'delivery', 'argo-cd', site, name);
        app.synth();
      }),
    );

  it('are refused', () => {
    const expected = [expect.stringMatching(/^EDGE_DUPLICATE scope: another app has written the delivery one into /)];
    expect(of(folder(), ['one', 'lab'], ['two', 'beijing'])).toEqual(expected);
    expect(of(folder(), ['one', 'lab'], ['two', 'lab'])).toEqual(expected);
    expect(of(folder(), ['one', 'lab'], ['one', 'beijing'])).toEqual(expected);
  });

  it('are fine in two folders, and so is the same one once more', () => {
    expect([...of(folder(), ['one', 'lab']), ...of(folder(), ['two', 'beijing'])]).toEqual([]);
    expect(of(folder(), ['one', 'lab'], ['one', 'lab'])).toEqual([]);
  });
});

describe.each(NAMES)('%s: a synth after one with deletion: prune', (engine) => {
  interface Synth {
    readonly names: readonly string[];
    /** The clusters of the sites.
     * @default - those of their names */
    readonly clusters?: readonly string[];
    readonly props?: Partial<FleetDeliveryProps>;
  }

  const LAB: Synth = { names: ['lab', 'beijing'] };
  const PEKING: Synth = { names: ['lab', 'peking'], clusters: ['lab', 'beijing'] };
  const KEPT: Partial<FleetDeliveryProps> = { deletion: 'keep' };
  const other = engine === 'flux' ? argoCd() : flux();
  const NAME = engine === 'flux' ? 'Flux' : 'Argo CD';

  /** What the last of some synths refuses; each is in a checkout of its own, because a process knows what its apps have written into a folder. */
  function refusedAfter(begin: string, ...synths: readonly Synth[]): string[] {
    let outdir = begin;
    return synths.flatMap(({ names, clusters = names, props = {} }, index) => {
      const former = outdir;
      outdir = folder();
      cpSync(former, outdir, { recursive: true });
      const by = props.engine?.engine ?? engine;
      const cluster = (at: number): Partial<DeliveredCharts> => ({
        cluster: props.engine?.runsOn === 'sites' ? undefined : clusterOf(by, clusters[at] as string),
      });
      const found = refused(() =>
        synth(
          (app) => delivery(app, by, names, { props: { deletion: 'prune', ...props }, site: (_, at) => cluster(at) }),
          { outdir },
        ),
      );
      if (found.length > 0) {
        expect([index, filesIn(outdir)]).toEqual([synths.length - 1, filesIn(former)]);
      }
      return found.map((each) => each.replace(/(?<! engine):.*/, ''));
    });
  }

  it.each<[string, readonly Synth[], readonly string[]]>([
    ['the same', [LAB, LAB], []],
    ['a site has another name', [LAB, PEKING], ['EDGE_CONTRADICTION sites[1].name']],
    ['also in a synth that keeps', [LAB, { ...PEKING, props: KEPT }], ['EDGE_CONTRADICTION sites[1].name']],
    ['but after one that keeps', [LAB, { ...LAB, props: KEPT }, PEKING], []],
    ['also after a synth without it', [LAB, { names: ['lab'] }, PEKING], ['EDGE_CONTRADICTION sites[1].name']],
    ['also after several', [LAB, { names: ['lab'] }, { names: ['lab'] }, PEKING], ['EDGE_CONTRADICTION sites[1].name']],
    ['but it comes back', [LAB, { names: ['lab'] }, LAB, LAB], []],
    [
      'two have the name of each other',
      [LAB, { names: ['lab', 'beijing'], clusters: ['beijing', 'lab'] }],
      ['EDGE_CONTRADICTION sites[0].name', 'EDGE_CONTRADICTION sites[1].name'],
    ],
    ['a site gets another cluster', [LAB, { ...LAB, clusters: ['lab', 'other'] }], []],
    ['the delivery has another name', [LAB, { ...LAB, props: { name: 'other' } }], ['EDGE_CONTRADICTION name']],
    [
      'another engine',
      [LAB, { ...LAB, props: { engine: other } }],
      [`EDGE_CONTRADICTION engine: ${NAME} delivered these sites`],
    ],
    [
      'an engine in each site',
      [LAB, { ...LAB, props: { engine: engine === 'flux' ? flux({ runsOn: 'sites' }) : argoCd({ runsOn: 'sites' }) } }],
      [`EDGE_CONTRADICTION engine: ${NAME} ran on the hub, and now runs in each site`],
    ],
  ])('%s', (_, synths, expected) => {
    expect(refusedAfter(folder(), ...synths)).toEqual(expected);
  });

  it('a name is free when somebody says that the objects are gone', () => {
    const outdir = folder();
    const record = join(outdir, '.edge-delivery');
    const props = { deletion: 'prune' } as const;
    synth((app) => delivery(app, engine, LAB.names, { props }), { outdir });
    const later = folder();
    cpSync(record, join(later, '.edge-delivery'));
    synth((app) => delivery(app, engine, ['lab'], { props }), { outdir: later });
    const { left, ...rest } = JSON.parse(readFileSync(join(later, '.edge-delivery'), 'utf8'));
    expect(Object.keys(left)).toEqual(['beijing']);
    expect(refusedAfter(later, PEKING)).toEqual(['EDGE_CONTRADICTION sites[1].name']);
    writeFileSync(join(later, '.edge-delivery'), JSON.stringify(rest));
    expect(refusedAfter(later, PEKING)).toEqual([]);
  });

  it('a record that is gone from a folder of a synth is refused', () => {
    const outdir = folder();
    const props = { deletion: 'prune' } as const;
    synth((app) => delivery(app, engine, LAB.names, { props }), { outdir });
    unlinkSync(join(outdir, '.edge-delivery'));
    expect(refusedAfter(outdir, PEKING)).toEqual(['EDGE_ARTIFACT [".edge-delivery"]']);
  });

  it.each(['', '{}', '<<<<<<< HEAD', '{"engine":"flux","runsOn":"hub","name":"a","deletion":"prune","sites":[]}'])(
    'a record that no synth has written, %j, is refused',
    (text) => {
      const outdir = folder();
      writeFileSync(join(outdir, '.edge-delivery'), text);
      expect(refusedAfter(outdir, LAB)).toEqual(['EDGE_ARTIFACT [".edge-delivery"]']);
    },
  );
});

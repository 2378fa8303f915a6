/** Two deliveries in one place: an engine reads its folder as a whole, and would deliver the sites of both. */
import { ApiObject, type App, Chart } from 'cdk8s';
import { EdgeApp, EdgeError } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux } from 'edge-nodepools/delivery';
import { folder, GIT } from './shops.js';

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

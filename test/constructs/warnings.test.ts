import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeError, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { deployment } from '../bad-inputs/case.js';

function appWithWarning(): App {
  const app = new App();
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const chart = new Chart(app, 'chart');
  new HostNetworkNodePool(chart, 'a', { cluster, poolName: 'a' });
  new HostNetworkNodePool(chart, 'b', { cluster, poolName: 'b' });
  new ExcludedWorkload(new Chart(app, 'other'), 'web', { cluster, workload: deployment() });
  return app;
}

describe('EdgeWarnings', () => {
  let printed: string[];
  beforeEach(() => {
    printed = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  });
  afterEach(() => jest.restoreAllMocks());

  it('of a cluster are in a tree once, and are printed once at synth, with code and hint', () => {
    const app = appWithWarning();
    expect(EdgeWarnings.of(app)).toEqual([
      expect.objectContaining({ code: 'EDGE_UNTESTED_PAIR', construct: 'chart/a' }),
    ]);
    app.synthYaml();
    app.synthYaml();
    app.charts.forEach((chart) => Testing.synth(chart));
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(
      /^warning: chart\/a\n {2}EDGE_UNTESTED_PAIR {2}EdgeCluster\.kubernetes: .*1\.36.*\n {6}-> try it/,
    );
  });

  it('can be silenced', () => {
    const app = appWithWarning();
    EdgeWarnings.setMode(app, 'silent');
    app.synthYaml();
    expect(printed).toEqual([]);
  });

  it('can fail the synth', () => {
    const app = appWithWarning();
    EdgeWarnings.setMode(app.charts[0] as Chart, 'error');
    expect(() => app.synthYaml()).toThrow(/EDGE_UNTESTED_PAIR/);
  });

  it('can be accepted at a construct, with a reason, and the others are not', () => {
    const app = new App();
    const [one, other] = ['one', 'other'].map((name) => new Chart(app, name)) as [Chart, Chart];
    for (const chart of [one, other]) {
      EdgeWarnings.add(chart, [{ code: 'EDGE_NO_PORTS', path: 'a', message: 'm', hint: 'h' }]);
    }
    EdgeWarnings.accept(one, 'EDGE_NO_PORTS', 'it listens on a socket');
    EdgeWarnings.setMode(app, 'error');
    expect(() => app.synthYaml()).toThrow(/^warnings are errors here: 1 problem\n {2}EDGE_NO_PORTS {2}other a: m/);
    EdgeWarnings.accept(app, 'EDGE_NO_PORTS', 'all of them do');
    app.synthYaml();
    EdgeWarnings.setMode(app, 'print');
    app.synthYaml();
    expect(printed).toEqual([]);
    expect(EdgeWarnings.of(app).map(({ construct, accepted }) => [construct, accepted])).toEqual([
      ['one', 'it listens on a socket'],
      ['other', 'all of them do'],
    ]);
  });

  it.each<[string, () => unknown, string]>([
    ['no scope', () => EdgeWarnings.accept(undefined as never, 'EDGE_DNS', 'r'), 'EDGE_MISSING scope'],
    ['a misspelled code', () => EdgeWarnings.accept(new App(), 'EDGE_DSN' as never, 'r'), 'EDGE_VALUE code'],
    ['no code', () => EdgeWarnings.accept(new App(), undefined as never, 'r'), 'EDGE_VALUE code'],
    ['no reason', () => EdgeWarnings.accept(new App(), 'EDGE_DNS', ' '), 'EDGE_MISSING reason'],
    ['a mode without scope', () => EdgeWarnings.setMode('error' as never, undefined as never), 'EDGE_TYPE scope'],
    ['the warnings of nothing', () => EdgeWarnings.of(undefined as never), 'EDGE_MISSING scope'],
  ])('refuse %s', (_, run, expected) => {
    let error: any;
    try {
      run();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(EdgeError);
    expect(`${error.code} ${error.path}`).toBe(expected);
    expect(error.message).not.toContain('undefined');
  });

  it('can be added by a user’s own construct', () => {
    const app = new App();
    const chart = new Chart(app, 'chart');
    EdgeWarnings.add(chart, [{ code: 'EDGE_VALUE', path: 'a', message: 'm', hint: 'h' }]);
    app.synthYaml();
    expect(printed).toEqual([
      'warning: chart\n  EDGE_VALUE  a: m\n      -> h\n  see node_modules/edge-nodepools/docs/troubleshooting.md#edge_value\n',
    ]);
  });
});

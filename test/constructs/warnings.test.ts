import { ApiObject, App, Chart, Testing, Yaml } from 'cdk8s';
import { EdgeApp, EdgeCluster, EdgeError, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { deployment } from '../bad-inputs/case.js';
import { ProblemList } from '../../src/base/errors.js';
import { objectsFromYaml } from '../../src/base/yaml-text.js';
import { parseNodes } from '../../src/base/yaml-nodes.js';
import { valueOf } from '../../src/base/yaml-values.js';
import { scalars } from '../e2e/groups/yaml/scalars.js';

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
      expect.objectContaining({ code: 'EDGE_UNCLAIMED_PAIR', construct: 'chart/a' }),
    ]);
    app.synthYaml();
    app.synthYaml();
    app.charts.forEach((chart) => Testing.synth(chart));
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(
      /^warning: chart\/a\n {2}EDGE_UNCLAIMED_PAIR {2}EdgeCluster\.kubernetes: .*1\.36.*\n {6}-> try it/,
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
    expect(() => app.synthYaml()).toThrow(/EDGE_UNCLAIMED_PAIR/);
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

/** Text that cdk8s prints so that Kubernetes reads something else is reported; the reader here is that of post-render, which the group yaml compares with Go's. */
describe('text that cdk8s prints', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

  /** The texts that are reported in a workload. */
  function toldOf(texts: readonly string[]): string[] {
    const chart = new Chart(new App(), 'chart');
    const given: any = deployment();
    given.spec.template.spec.containers[0].args = texts;
    new ExcludedWorkload(chart, 'web', { cluster, workload: given });
    return EdgeWarnings.of(chart).flatMap(({ code, path }) =>
      code === 'EDGE_YAML' ? [texts[Number(/args\[(\d+)\]$/.exec(path)?.[1])] as string] : [],
    );
  }

  /** Whether a text is another one after cdk8s has printed it. */
  function isMisread(text: string): boolean {
    try {
      const [read]: any[] = parseNodes(Yaml.stringify({ text })).roots.map((root) => valueOf(root));
      // the reader takes a block that begins with a line of a tab; Go does not
      return read.text !== text || /^\n*\t\n/.test(text);
    } catch {
      return true;
    }
  }

  it('text that is read as something else is reported, and no other text', () => {
    const texts = scalars().filter((_, index) => index % 20 === 0);
    const others = [
      'a\u2028b',
      'a\u0085',
      '\u2029',
      'a\n\u2028b\n',
      'a\nb\n',
      ' a\n b\n',
      '\n\na',
      '\ta',
      '\ta\nb',
      '\n\ta',
      '\n\n\ta\nb\n',
      '\t\n',
      '  \n',
      ' \n \n',
      ' \t\n',
      'a\u007fb',
      'a\u009f',
      '\n\t\n',
      '\t',
      ' \ta\nb',
      'a\n\tb',
      '\ufeff',
      '\ufeffa\nb',
      '0o17',
      '-0B1',
      '0o18',
    ];
    const misread = [...texts, ...others].filter(isMisread);
    expect(toldOf([...texts, ...others])).toEqual(misread);
    expect(misread).toEqual(expect.arrayContaining(['a\u2028b', '0o17', '-0B1', '\ta\nb', '\n\ta']));
    expect(misread.length).toBeGreaterThan(20);
  });

  it('EdgeApp prints so that it is read as it is, and reports none of it', () => {
    const texts = [
      ...scalars().filter((_, index) => index % 20 === 0),
      'a\u2028b',
      'a\u0085',
      '0o17',
      '\ta\nb',
      '\n\ta',
      '\u007f\n\ufeff',
      '  \n',
      '\u{1f600}\u2029',
    ];
    const app = new EdgeApp();
    const chart = new Chart(app, 'chart');
    const given: any = deployment();
    given.spec.template.spec.containers[0].args = texts;
    new ExcludedWorkload(chart, 'web', { cluster, workload: given });
    const data = Object.fromEntries(texts.map((text, index) => [`a${index}`, text]));
    new ApiObject(chart, 'texts', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'texts' }, data });
    expect(EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_YAML')).toEqual([]);
    const text = app.synthYaml();
    // kubectl takes a file that begins with { for JSON as a whole
    expect(text.startsWith('---\n{')).toBe(true);
    const [web, read] = objectsFromYaml(text, new ProblemList()) as any[];
    expect(web.spec.template.spec.containers[0].args).toEqual(texts);
    expect(read.data).toEqual(data);
  });

  it('keys, too, with the place and what is read', () => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    new HostNetworkNodePool(new Chart(app, 'chart'), 'a', { cluster, poolName: 'a', labels: { '0o17': '0X1f' } });
    expect(Yaml.stringify({ '0o17': '0X1f' })).toBe('0o17: 0X1f\n');
    expect(EdgeWarnings.of(app).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'spec.labels["0o17"]: cdk8s prints the text "0o17" so that Kubernetes reads 15',
      'spec.labels["0o17"]: cdk8s prints the text "0X1f" so that Kubernetes reads 31',
    ]);
  });
});

/** A filter that selects nothing is reported, with what was probably meant. */
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
const named = (name: string, metadata: object = {}): any => ({ ...deployment(), metadata: { name, ...metadata } });
const warningsOf = (chart: Chart): string[] =>
  EdgeWarnings.of(chart)
    .filter(({ code }) => code === 'EDGE_MATCHES_NOTHING')
    .map(({ path, message, hint }) => `${path}: ${message}; ${hint}`);

function quiet(): Chart {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return new Chart(app, 'fleet');
}

describe('a filter that matches nothing', () => {
  const tree = (filter: object): string[] => {
    const chart = quiet();
    new ApiObject(chart, 'a', named('api', { namespace: 'monitoring', labels: { tier: 'web' } }));
    new ApiObject(chart, 'b', named('cache', { namespace: 'shop', labels: { tier: 'db' } }));
    chart.with(ExcludedWorkload.mixin({ cluster, ...filter }));
    return warningsOf(chart);
  };

  it.each<[object, string]>([
    [
      { kinds: ['Deployment', 'DaemonSet'] },
      'kinds[1]: no workload has the kind DaemonSet; the workloads have: Deployment',
    ],
    [{ namespaces: ['monitorng'] }, 'namespaces[0]: no workload has the namespace monitorng; did you mean monitoring?'],
    [{ names: ['cahce'] }, 'names[0]: no workload has the name cahce; did you mean cache?'],
    [{ labels: { tier: 'frontend' } }, 'labels.tier: no workload has the label tier=frontend; its values are: db, web'],
    [{ labels: { teir: 'web' } }, 'labels.teir: no workload has the label teir=web; did you mean tier?'],
    [{ match: () => false }, 'match: the filter selects none of the 2 workloads; widen it'],
    [{ namespaces: ['shop'], names: ['api'] }, ': the filter selects none of the 2 workloads; widen it'],
  ])('%j is a warning', (filter, expected) => {
    const found = tree(filter);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });

  it.each<[object]>([[{}], [{ kinds: ['Deployment'] }], [{ namespaces: ['shop'], labels: { tier: 'db' } }]])(
    '%j matches',
    (filter) => expect(tree(filter)).toEqual([]),
  );

  it('is a warning where there is no workload at all, and not before objects are added', () => {
    const chart = quiet();
    chart.with(ExcludedWorkload.mixin({ cluster }));
    new ApiObject(chart, 'a', { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(warningsOf(chart)).toEqual([expect.stringContaining('there is no workload')]);
    new ApiObject(chart, 'b', named('b'));
    expect(warningsOf(chart)).toEqual([]);
  });

  it('is no warning if a later change makes it match', () => {
    const chart = quiet();
    const object = new ApiObject(chart, 'a', named('a'));
    chart.with(ExcludedWorkload.mixin({ cluster, labels: { tier: 'web' } }));
    expect(warningsOf(chart)).toHaveLength(1);
    object.metadata.addLabel('tier', 'web');
    expect(warningsOf(chart)).toEqual([]);
    EdgeWarnings.setMode(chart, 'error');
    expect(Testing.synth(chart)[0].spec.template.metadata.annotations).toBeDefined();
  });

  it('is shown at synth', () => {
    const chart = new Chart(new App(), 'fleet');
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    chart.with(ExcludedWorkload.mixin({ cluster, names: ['web'] }));
    new ApiObject(chart, 'a', named('api'));
    Testing.synth(chart);
    const shown = written.mock.calls.map(([text]) => String(text)).join('');
    written.mockRestore();
    expect(shown).toContain('EDGE_MATCHES_NOTHING  names[0]: no workload has the name web');
    EdgeWarnings.setMode(chart, 'error');
    expect(() => Testing.synth(chart)).toThrow('EDGE_MATCHES_NOTHING');
  });
});

/** A filter that selects nothing is told, with what was probably meant. */
import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { deployment } from '../bad-inputs/case.js';

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

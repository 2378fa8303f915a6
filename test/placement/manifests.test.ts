import { App, Chart } from 'cdk8s';
import { EdgeError, footprint, placeFleet } from 'edge-nodepools';

const chart = new Chart(new App(), 'chart');
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nodeName: 'edge-1', containers: [] } };

/** Arguments, and the path and hint of the first problem. */
const WRONG: readonly (readonly [string, readonly unknown[], string, string])[] = [
  ['a chart', [chart], 'manifests', '(manifestsOf(chart))'],
  ['an app', [chart.node.root], 'manifests', '(manifestsOf(app))'],
  ['nothing', [], 'manifests', '(manifestsOf(app))'],
  ['one object', [pod], 'manifests', '([manifest])'],
  ['text', ['kind: Pod'], 'manifests', 'list of plain objects'],
  ['charts in a list', [[pod, chart]], 'manifests[1]', 'manifestsOf(app)'],
  ['texts in a list', [['kind: Pod']], 'manifests[0]', 'parse the YAML'],
  ['lists in a list', [[[pod]]], 'manifests[0]', 'manifests.flat()'],
  ['numbers in a list', [[1]], 'manifests[0]', '{ apiVersion, kind'],
  ['one node', [[pod], { name: 'edge-1', labels: {} }], 'nodes', ', [{ name:'],
  ['names of nodes', [[pod], ['edge-1']], 'nodes[0]', "{ name: 'edge-1'"],
  ['a node without labels', [[pod], [{ name: 'edge-1' }]], 'nodes[0]', 'labels:'],
  ['a label that is none', [[pod], [], 7], 'labels', 'apps.openyurt.io/nodepool'],
];

describe.each([
  ['placeFleet', placeFleet],
  ['footprint', footprint],
] as const)('%s', (name, run) => {
  it.each(WRONG)('refuses %s, and says what to write', (_, args, path, hint) => {
    let error: unknown;
    try {
      (run as (...all: readonly unknown[]) => unknown)(...args);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(EdgeError);
    expect(error).toMatchObject({ subject: name, path, hint: expect.stringContaining(hint) });
    expect((error as EdgeError).message).not.toMatch(/undefined|\[object/);
  });

  it('passes over empty YAML documents', () => {
    expect(run([null, undefined] as unknown as object[])).toEqual([]);
  });
});

it('a bound Pod runs on its node, also with a NoSchedule taint there, and on no other', () => {
  const taints = (effect: 'NoSchedule' | 'NoExecute'): any => ({ taints: [{ key: 'edge', effect }] });
  const nodes = [
    { name: 'edge-1', labels: {}, ...taints('NoSchedule') },
    { name: 'edge-2', labels: {} },
  ];
  expect(placeFleet([pod], nodes).map(({ pool, runs, excluded }) => [pool, runs.length, excluded])).toEqual([
    ['edge-1', 1, []],
    ['edge-2', 0, [{ workload: 'Pod a', reason: 'spec.nodeName edge-1' }]],
  ]);
  const evicted = placeFleet([pod], [{ name: 'edge-1', labels: {}, ...taints('NoExecute') }]);
  expect(evicted[0]?.excluded[0]?.reason).toBe('taint edge:NoExecute');
});

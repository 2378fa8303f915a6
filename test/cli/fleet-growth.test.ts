/** A fleet that is twice as large takes twice as many steps: what is counted are visits of the tree, objects that are rendered, and checks, so no time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, type App, Chart, JsonPatch } from 'cdk8s';
import { type IConstruct, Node } from 'constructs';
import {
  EdgeApp,
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  manifestsOf,
} from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { FilteredObjects } from '../../src/workloads/exclusion-filter.js';
import { isFullDepth } from '../depth.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'growth-'))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Counts the calls of a method, which does what it did. */
function counting<Name extends string>(
  of: Record<Name, (...args: any[]) => unknown>,
  name: Name,
  count: () => void,
): void {
  const method = of[name];
  jest.spyOn(of as Record<string, (...args: any[]) => unknown>, name).mockImplementation(function (
    this: unknown,
    ...args
  ) {
    count();
    return Reflect.apply(method, this, args);
  });
}

/** Steps of a synth, by kind. */
function stepsOf(
  count: number,
  build: (app: App, count: number) => void,
  read: (app: App) => unknown,
): Record<string, number> {
  const steps = { visits: 0, rendered: 0, checks: 0 };
  const { get: children } = Object.getOwnPropertyDescriptor(Node.prototype, 'children') as { get: () => IConstruct[] };
  jest.spyOn(Node.prototype, 'children', 'get').mockImplementation(function (this: Node) {
    const found = children.call(this);
    steps.visits += 1 + found.length;
    return found;
  });
  counting(ApiObject.prototype, 'toJson', () => (steps.rendered += 1));
  counting(ProblemList.prototype, 'at', () => (steps.checks += 1));
  const app = new EdgeApp({ outdir: join(folder, String(count)) });
  EdgeWarnings.setMode(app, 'silent');
  build(app, count);
  read(app);
  jest.restoreAllMocks();
  return steps;
}

const named = (workload: { readonly metadata: object }, name: string): any => ({ ...workload, metadata: { name } });
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `site-${index}`);
const poolIn = (chart: Chart, name: string): HostNetworkNodePool =>
  new HostNetworkNodePool(chart, name, { cluster, poolName: name, labels: { site: name } });

const SHAPES: Readonly<Record<string, (app: App, count: number) => void>> = {
  'one chart, many pools': (app, count) => {
    const chart = new Chart(app, 'fleet');
    names(count).forEach((name) => poolIn(chart, name));
  },
  'a chart for each pool': (app, count) => {
    names(count).forEach((name) => poolIn(new Chart(app, name), name));
  },
  'charts with workloads of both kinds': (app, count) => {
    for (const name of names(count)) {
      const chart = new Chart(app, name);
      const pool = poolIn(chart, name);
      new HostNetworkWorkload(chart, 'agent', { pool, workload: named(daemonSet(), `agent-${name}`) });
      new ExcludedWorkload(chart, 'web', { cluster, workload: named(deployment(), `web-${name}`) });
    }
  },
  'the mixin over plain workloads': (app, count) => {
    for (const name of names(count)) {
      const chart = new Chart(app, name);
      new ApiObject(chart, 'web', named(deployment(), `web-${name}`));
      chart.with(ExcludedWorkload.mixin({ cluster }));
    }
  },
  'a warning for each': (app, count) => {
    for (const name of names(count)) {
      const chart = new Chart(app, name);
      poolIn(chart, name);
      new ApiObject(chart, 'odd', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { odd: '1:20' } });
    }
  },
};

const SIZES = isFullDepth ? [40, 80] : [20, 40];

const READERS: readonly [string, string[], (app: App) => unknown][] = [
  ['synth', ['visits', 'rendered', 'checks'], (app) => app.synth()],
  // cdk8s itself visits the whole tree for every chart
  ['manifestsOf', ['rendered', 'checks'], manifestsOf],
];

describe.each(Object.entries(SHAPES))('%s', (_, build) => {
  it.each(READERS)('%s grows by an exponent of at most 1.05', (_, kinds, read) => {
    const [small, large] = SIZES.map((count) => stepsOf(count, build, read));
    const exponents = kinds.map((kind) => [kind, Math.log2(Number(large?.[kind]) / Number(small?.[kind]))]);
    expect(Math.min(...kinds.map((kind) => Number(small?.[kind])))).toBeGreaterThanOrEqual(Number(SIZES[0]));
    expect(exponents.filter(([, exponent]) => !(Number(exponent) <= 1.05))).toEqual([]);
  });
});

it('an object that does not change is excluded once, and again when it changes', () => {
  let count = 0;
  counting(FilteredObjects.prototype as any, 'outcome', () => (count += 1));
  const app = new EdgeApp({ outdir: folder });
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'a');
  const plain = new ApiObject(chart, 'web', named(deployment(), 'web'));
  chart.with(ExcludedWorkload.mixin({ cluster }));
  app.synth();
  expect(count).toBe(1);
  const [written] = chart.toJson();
  const before = JSON.stringify(written);
  written.spec.template.spec.affinity.nodeAffinity = {};
  expect(JSON.stringify(chart.toJson()[0])).toBe(before);
  plain.addJsonPatch(JsonPatch.add('/spec/template/spec/priorityClassName', 'high'));
  expect(chart.toJson()).toMatchObject([
    { spec: { template: { spec: { priorityClassName: 'high', affinity: expect.anything() } } } },
  ]);
  expect(count).toBe(2);
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type Chart, Names, YamlOutputType } from 'cdk8s';
import type { IConstruct } from 'constructs';

/** The folder, in the output folder, of charts that are applied in a way of their own. `kubectl apply -f dist/` does not look into folders. */
export const PATCHES_FOLDER = 'patches';

const apart = new WeakMap<App, Set<Chart>>();

/**
 * Has the synth of an app write a chart into {@link PATCHES_FOLDER}. Its objects are partial, or wait for something: applied with all others, without a
 * field manager of their own, they would take away the other fields of what they patch.
 */
export function writeApart(chart: Chart): void {
  const { root } = chart.node;
  // as a test may have it, a chart without an app
  if (!isApp(root)) {
    return;
  }
  const charts = apart.get(root) ?? new Set();
  charts.add(chart);
  if (!apart.has(root)) {
    apart.set(root, charts);
    const synth = root.synth.bind(root);
    root.synth = () => synthInParts(root, charts, synth);
  }
}

/** Not `instanceof`: the app may be of another copy of cdk8s, as its charts may. */
function isApp(root: IConstruct): root is App {
  const { synth, outdir } = root as Partial<App>;
  return typeof synth === 'function' && typeof outdir === 'string';
}

/** cdk8s writes each chart of `app.charts` into `app.outdir`, and has no other way to choose a folder. */
function synthInParts(app: App, charts: ReadonlySet<Chart>, synth: () => void): void {
  const { outdir } = app;
  const all = app.charts;
  let reads = 0;
  // what it reads after it has written is for the metadata of constructs, which is of all charts
  withFields(app, { charts: () => (reads++ === 0 ? all.filter((chart) => !charts.has(chart)) : all) }, synth);
  const those = all.filter((chart) => charts.has(chart));
  const fields = {
    charts: () => those,
    outdir: () => join(outdir, PATCHES_FOLDER),
    recordConstructMetadata: () => false,
  };
  withFields(app, fields, synth);
  if (app.yamlOutputType === YamlOutputType.FILE_PER_CHART) {
    // an earlier version of this library has written it there, and `kubectl apply -f dist/` would still apply it
    those.forEach((chart) =>
      rmSync(join(outdir, `${Names.toDnsLabel(chart)}${app.outputFileExtension}`), { force: true }),
    );
  }
}

/** Runs a function while fields of an object are others. */
function withFields(target: object, fields: Readonly<Record<string, () => unknown>>, run: () => void): void {
  const before = Object.keys(fields).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  try {
    Object.entries(fields).forEach(([name, get]) => Object.defineProperty(target, name, { configurable: true, get }));
    run();
  } finally {
    before.forEach(([name, own]) =>
      own === undefined ? Reflect.deleteProperty(target, name) : Object.defineProperty(target, name, own),
    );
  }
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type Chart, Names, YamlOutputType } from 'cdk8s';
import { isApp } from './tree.js';
import type { IConstruct } from 'constructs';
import {
  type InsteadOfCharts,
  deliveredCharts,
  deliveredFiles,
  hasDelivered,
  writeDelivered,
  writeInstead,
} from './delivered-files.js';
import { type DeliveredFile, recordFiles, staleFiles } from '../base/output.js';
import { asOneSynth } from './synth-run.js';
import { showNow } from './warnings.js';

/** The folder, in the output folder, of charts that are applied in a way of their own. `kubectl apply -f dist/` does not look into folders. */
export const PATCHES_FOLDER = 'patches';

const apart = new WeakMap<App, Set<Chart>>();

/** An EdgeApp has this property: it writes such charts apart itself ({@link isApart}), and text that cdk8s misprints as JSON. */
export const EDGE_APP = Symbol.for('edge-nodepools.edge-app');

/** Whether a chart of an app is written into {@link PATCHES_FOLDER}. */
export function isApart(app: App, chart: Chart): boolean {
  return apart.get(app)?.has(chart) === true;
}

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
  apart.set(root, charts);
  changeSynth(root);
}

/** Has the synth of an app write files instead of charts: {@link writeInstead}. */
export function writeInsteadOfCharts({ root }: IConstruct['node'], instead: InsteadOfCharts): void {
  if (isApp(root)) {
    writeInstead(root, instead);
    changeSynth(root);
  }
}

const changedApps = new WeakSet<App>();

/** An app of cdk8s writes each of its charts in the same way, so its synth is another one, once. */
function changeSynth(app: App): void {
  if (!changedApps.has(app) && !(EDGE_APP in app)) {
    changedApps.add(app);
    const synth = app.synth.bind(app);
    app.synth = () => void synthApart(app, synth);
  }
}

/**
 * Runs the synth of cdk8s so that such charts are written apart. It writes each chart of `app.charts` into `app.outdir`, and has no other way to choose a
 * folder.
 *
 * @returns the files that were written instead of charts
 */
export function synthApart(app: App, synth: () => void): readonly DeliveredFile[] {
  const charts = apart.get(app) ?? new Set();
  if (charts.size === 0 && !hasDelivered(app)) {
    synth();
    return [];
  }
  const delivered = deliveredCharts(app);
  const files = hasDelivered(app)
    ? deliveredFiles(app, (chart) => asOneSynth(app, () => Object.values(chart.toJson() as unknown[])))
    : [];
  const { outdir } = app;
  const all = app.charts;
  let reads = 0;
  // what it reads after it has written is for the metadata of constructs, which is of all charts
  withFields(
    app,
    { charts: () => (reads++ === 0 ? all.filter((chart) => !charts.has(chart) && !delivered.has(chart)) : all) },
    synth,
  );
  writeFiles(app, files);
  const those = all.filter((chart) => charts.has(chart) && !delivered.has(chart));
  if (those.length === 0) {
    return files;
  }
  const fields = {
    charts: () => those,
    outdir: () => join(outdir, PATCHES_FOLDER),
    recordConstructMetadata: () => false,
  };
  withFields(app, fields, synth);
  removeFormer(app, those);
  return files;
}

/** Writes the files instead of charts, and reports those of an earlier synth; an EdgeApp does it with all its files. */
function writeFiles(app: App, files: readonly DeliveredFile[]): void {
  files.forEach((file) => writeDelivered(app, file));
  if (files.length === 0 || EDGE_APP in app) {
    return;
  }
  const stale = recordFiles(app, app.outdir, new Set(files.map(({ path }) => path)), false);
  if (stale.length > 0) {
    showNow(app, staleFiles(app.outdir, stale, 'new EdgeApp({ prune: true })'));
  }
}

/** Removes the files of such charts in the output folder itself, which an earlier version of this library has written, and `kubectl apply -f dist/` would apply. */
export function removeFormer(app: App, charts: readonly Chart[]): void {
  // files of resources do not have the name of their chart
  if (app.yamlOutputType === YamlOutputType.FILE_PER_CHART) {
    const names = charts.map((chart) => `${Names.toDnsLabel(chart)}${app.outputFileExtension}`);
    names.forEach((name) => rmSync(join(app.outdir, name), { force: true }));
  }
}

/** Runs a function while fields of an object are others. */
export function withFields(target: object, fields: Readonly<Record<string, () => unknown>>, run: () => void): void {
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

import type { App, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { checkDeliveredFiles, type DeliveredFile, writeDelivered as writeFile } from '../base/output.js';
import { yamlDocuments } from './yaml-documents.js';

/** What is written instead of charts. */
export interface InsteadOfCharts {
  /** The charts that are not written as such. */
  readonly charts: () => readonly Chart[];
  /** The files, from the objects of the charts as the synth writes them. */
  readonly files: (objectsOf: (chart: Chart) => readonly unknown[]) => readonly DeliveredFile[];
  /** The charts of each site. */
  readonly sites: () => readonly { readonly name: string; readonly charts: readonly Chart[] }[];
  /** Folders in which every file is one of these: an engine reads all of them. */
  readonly folders: readonly string[];
}

const trees = new WeakMap<IConstruct, InsteadOfCharts[]>();

/** Has the synth of an app write other files instead of those of some of its charts. */
export function writeInstead(root: IConstruct, instead: InsteadOfCharts): void {
  trees.set(root, [...(trees.get(root) ?? []), instead]);
}

/** Whether something is written instead of charts of an app. */
export function hasDelivered(app: App): boolean {
  return trees.has(app);
}

/** The charts of an app that are not written as such. */
export function deliveredCharts(app: App): ReadonlySet<Chart> {
  return new Set((trees.get(app) ?? []).flatMap(({ charts }) => charts()));
}

/** The sites that get each chart of an app. */
export function sitesOfCharts(app: App): ReadonlyMap<Chart, readonly string[]> {
  const sites = new Map<Chart, string[]>();
  for (const { name, charts } of (trees.get(app) ?? []).flatMap((each) => each.sites())) {
    charts.forEach((chart) => sites.set(chart, [...(sites.get(chart) ?? []), name]));
  }
  return sites;
}

/**
 * The files that are written instead of charts. What is wrong with them is found before anything is written.
 *
 * @throws {@link EdgeError} with EDGE_ARTIFACT if a file is in their way, or two are the same, and what the charts throw
 */
export function deliveredFiles(app: App, objectsOf: (chart: Chart) => readonly unknown[]): readonly DeliveredFile[] {
  const known = new Map<Chart, readonly unknown[]>();
  // a chart may be a part of many sites
  const once = (chart: Chart): readonly unknown[] => {
    const objects = known.get(chart) ?? objectsOf(chart);
    known.set(chart, objects);
    return objects;
  };
  const all = trees.get(app) ?? [];
  return checkDeliveredFiles(
    app.outdir,
    all.flatMap((each) => each.files(once)),
    all.flatMap(({ folders }) => folders),
  );
}

/** Writes a file, if it has changed. */
export function writeDelivered(app: App, file: DeliveredFile): void {
  writeFile(app.outdir, file, yamlDocuments);
}

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { ProblemList } from '../errors.js';
import { writeChanged } from './changed-file.js';
import { pathInto } from './output-folder.js';
import { recorded } from './synth-record.js';
import { tarGzip } from '../text/tar.js';
import { yamlDocuments } from './yaml-documents.js';

/** A file that is written instead of those of charts. */
export interface DeliveredFile {
  /** Path in the output folder, by slashes. */
  readonly path: string;
  /** The objects of a manifest.
   * @default - it is no manifest */
  readonly objects?: readonly unknown[];
  /** The text of a file that is no manifest.
   * @default - it is a manifest */
  readonly text?: string;
  /** The files of an archive.
   * @default - it is no archive */
  readonly files?: readonly DeliveredFile[];
}

/** What is written instead of charts. */
export interface InsteadOfCharts {
  /** The charts that are not written as such. */
  readonly charts: () => readonly Chart[];
  /** The files, from the objects of the charts as the synth writes them. */
  readonly files: (objectsOf: (chart: Chart) => readonly unknown[]) => readonly DeliveredFile[];
  /** A folder in which every file is one of these: an engine reads all of it. */
  readonly folder: string;
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
  const files = all.flatMap((each) => each.files(once));
  const problems = new ProblemList();
  const paths = new Set<string>();
  for (const { path } of files) {
    if (paths.has(path)) {
      problems
        .at(path)
        .add(
          'EDGE_ARTIFACT',
          'two deliveries write a file with this path',
          'give each app one delivery, or each an app with an output folder of its own',
        );
    }
    paths.add(path);
  }
  for (const folder of new Set(all.map((each) => each.folder))) {
    strayIn(app.outdir, folder, paths).forEach((path) =>
      problems
        .at(path)
        .add(
          'EDGE_ARTIFACT',
          'no program writes this file, and an engine would read it as a manifest, or fail at it',
          'move it out of the folders that are delivered',
        ),
    );
  }
  problems.throwIfAny(app.outdir);
  return files;
}

/** Files below a folder that neither this synth nor an earlier one has written. */
function strayIn(outdir: string, folder: string, paths: ReadonlySet<string>): string[] {
  if (!existsSync(join(outdir, folder))) {
    return [];
  }
  const earlier = new Set(recorded(outdir));
  return readdirSync(join(outdir, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(outdir, '/').length).replaceAll('\\', '/'))
    .filter((path) => !paths.has(path) && !earlier.has(path))
    .sort();
}

/** Writes a file, if it has changed. */
export function writeDelivered(app: App, file: DeliveredFile): void {
  const path = pathInto(app.outdir, file.path, 'FleetDelivery');
  if (file.files === undefined) {
    writeChanged(path, partsOf(file));
    return;
  }
  const bytes = tarGzip(file.files.map((each) => ({ path: each.path, content: [...partsOf(each)].join('') })));
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) {
    writeFileSync(path, bytes);
  }
}

function partsOf({ objects, text = '' }: DeliveredFile): Iterable<string> {
  return objects === undefined ? [text] : yamlDocuments(objects);
}

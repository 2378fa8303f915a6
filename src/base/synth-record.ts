import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeChanged } from './changed-file.js';
import { removeFrom } from './output-folder.js';

/** Name of the list of what was written. It ends so that neither `kubectl apply --filename` nor the command of cdk8s reads it. */
const RECORD = '.edge-app-files';

/** What an app of this process has written; nothing of one that has not been synthesized. */
interface Writer {
  readonly app: WeakRef<object>;
  files?: ReadonlySet<string>;
}

/** The apps of this process, by folder: several may write into one. */
const writers = new Map<string, Writer[]>();

function writersOf(folder: string, app: object): { readonly own: Writer; readonly all: readonly Writer[] } {
  const known = (writers.get(folder) ?? []).filter((one) => one.files !== undefined || one.app.deref() !== undefined);
  const found = known.find((one) => one.app.deref() === app);
  const own = found ?? { app: new WeakRef(app) };
  const all = found === undefined ? [...known, own] : known;
  writers.set(folder, all);
  return { own, all };
}

/** Notes an app that is going to write into a folder: before it has, nobody knows which of the files there are stale. */
export function expectFiles(app: object, outdir: string): void {
  writersOf(resolve(outdir), app);
}

/**
 * Records what an app has written into its folder, and finds what an earlier synth wrote that is no longer written. The last app of those that share the
 * folder finds what is stale.
 *
 * @param files paths in the folder, by slashes
 * @param prune whether to remove the stale files
 * @returns the stale files, sorted
 */
export function recordFiles(app: object, outdir: string, files: ReadonlySet<string>, prune: boolean): string[] {
  const folder = resolve(outdir);
  const { own, all: apps } = writersOf(folder, app);
  own.files = files;
  if (apps.some((one) => one.files === undefined)) {
    recordMore(folder, files);
    return [];
  }
  const current = new Set(apps.flatMap((one) => [...(one.files ?? [])]));
  const stale = recorded(folder).filter((path) => !current.has(path) && existsSync(join(folder, path)));
  if (prune) {
    stale.forEach((path) => removeFrom(folder, path, 'EdgeApp'));
  }
  // a link is not removed
  const kept = prune ? stale.filter((path) => existsSync(join(folder, path))) : stale;
  writeRecord(folder, [...current, ...kept]);
  return stale.sort();
}

/** Records files that a synth has written before it failed: they may be stale for the next one. */
export function recordMore(outdir: string, files: ReadonlySet<string>): void {
  if (files.size > 0) {
    writeRecord(outdir, [...new Set([...recorded(outdir), ...files])]);
  }
}

function writeRecord(folder: string, lines: string[]): void {
  writeChanged(
    join(folder, RECORD),
    lines.sort().map((line) => `${line}\n`),
  );
}

/** Paths of a record. It may have been changed, also by a checkout that ends lines with CRLF: none that leads out of the folder is read. */
export function recorded(folder: string): string[] {
  const file = join(folder, RECORD);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split(/\r?\n/) : [];
  return lines.filter((line) => line !== '' && !/[\\\0]/.test(line) && line.split('/').every(isName));
}

function isName(step: string): boolean {
  return step !== '' && step !== '.' && step !== '..';
}

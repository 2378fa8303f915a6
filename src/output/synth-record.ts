import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeChanged } from './changed-file.js';
import { removeFrom } from './output-folder.js';

/** Name of the list of what was written. It ends so that neither `kubectl apply --filename` nor the command of cdk8s reads it. */
const RECORD = '.edge-app-files';

/** What the apps of this process have written, by folder: several may write into one. */
const written = new Map<string, { readonly app: WeakRef<object>; files: ReadonlySet<string> }[]>();

/**
 * Records what an app has written into its folder, and finds what an earlier synth wrote that is no longer written.
 *
 * @param files paths in the folder, by slashes
 * @param prune whether to remove the stale files
 * @returns the stale files, sorted
 */
export function recordFiles(app: object, outdir: string, files: ReadonlySet<string>, prune: boolean): string[] {
  const folder = resolve(outdir);
  const apps = written.get(folder) ?? [];
  written.set(folder, apps);
  const own = apps.find((one) => one.app.deref() === app);
  if (own === undefined) {
    apps.push({ app: new WeakRef(app), files });
  } else {
    own.files = files;
  }
  const current = new Set(apps.flatMap((one) => [...one.files]));
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

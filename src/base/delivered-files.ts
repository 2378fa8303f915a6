import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type EdgeWarning, ProblemList } from './errors.js';
import { tarGzip } from './tar.js';
import { writeChanged } from './changed-file.js';
import { pathInto } from './output-folder.js';
import { recorded } from './synth-record.js';

/** A file of a delivery. */
export interface DeliveredFile {
  /** Path in the output folder, by slashes. */
  readonly path: string;
  /** The objects of a manifest.
   * @default - it is not a manifest */
  readonly objects?: readonly unknown[];
  /** The text of a file that is not a manifest.
   * @default - it is a manifest */
  readonly text?: string;
  /** The files of an archive.
   * @default - it is not an archive */
  readonly files?: readonly DeliveredFile[];
}

/**
 * Checks files before any of them is written.
 *
 * @param folders folders in which every file is one of these: an engine reads all of it
 * @throws {@link EdgeError} with EDGE_ARTIFACT if a file is in their way, or two are the same
 */
export function checkDeliveredFiles(
  outdir: string,
  files: readonly DeliveredFile[],
  folders: readonly string[],
): readonly DeliveredFile[] {
  const problems = new ProblemList();
  const file = fileAbove(outdir);
  if (file !== undefined) {
    problems.add('EDGE_ARTIFACT', `${file} is no folder`, "write another output folder, such as 'dist'");
    problems.throwIfAny(outdir);
  }
  const paths = new Set<string>();
  for (const { path } of files) {
    if (paths.has(path)) {
      problems
        .at(path)
        .add(
          'EDGE_ARTIFACT',
          'two deliveries write a file with this path',
          'give each delivery an output folder of its own: with cdk8s an app, with Pulumi folder',
        );
    }
    paths.add(path);
  }
  for (const folder of new Set(folders)) {
    strayIn(outdir, folder, paths).forEach((path) =>
      problems
        .at(path)
        .add(
          'EDGE_ARTIFACT',
          'no program writes this file, and an engine would read it as a manifest, or fail at it',
          'move it out of the folders that are delivered',
        ),
    );
  }
  problems.throwIfAny(outdir);
  return files;
}

/** A file of an earlier synth; undefined if there is none. */
export function formerText(outdir: string, path: string): string | undefined {
  const file = join(outdir, path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : undefined;
}

/** What is a file where a folder is to be: the output folder, or one above it. */
function fileAbove(outdir: string): string | undefined {
  const above = dirname(outdir);
  // below a file nothing exists, either
  if (existsSync(outdir)) {
    return statSync(outdir).isDirectory() ? undefined : outdir;
  }
  return above === outdir ? undefined : fileAbove(above);
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

/**
 * Writes a file, if it has changed.
 *
 * @param textOf the documents of a manifest
 */
export function writeDelivered(
  outdir: string,
  file: DeliveredFile,
  textOf: (objects: readonly unknown[]) => Iterable<string>,
): void {
  const partsOf = ({ objects, text = '' }: DeliveredFile): Iterable<string> =>
    objects === undefined ? [text] : textOf(objects);
  const path = pathInto(outdir, file.path, 'FleetDelivery');
  if (file.files === undefined) {
    writeChanged(path, partsOf(file));
    return;
  }
  const bytes = tarGzip(file.files.map((each) => ({ path: each.path, content: [...partsOf(each)].join('') })));
  if (!existsSync(path) || !readFileSync(path).equals(bytes)) {
    writeFileSync(path, bytes);
  }
}

/** Whether a file is in a folder that an engine reads as a whole. */
function isRead(path: string): boolean {
  return /^(sites|argo-cd|flux|flux-gates)\//.test(path);
}

/**
 * What to say of files of an earlier run.
 *
 * @param remedy what removes them
 */
export function staleFiles(outdir: string, stale: readonly string[], remedy: string): EdgeWarning {
  const named = stale.slice(0, 3).join(', ');
  const more = stale.length > 3 ? ` and ${stale.length - 3} more` : '';
  return {
    code: 'EDGE_STALE_FILES',
    path: outdir,
    message: `an earlier synth wrote files that this one does not: ${named}${more}${stale.some(isRead) ? '; an engine goes on delivering what they say' : ''}`,
    hint: `remove them, or write ${remedy}`,
  };
}

import { lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProblemList } from './errors.js';
import { isReadable } from './changed-file.js';

/** A file to write, with its path in the output folder, by slashes. */
interface OutputFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Mode of a new file.
   * @default - as the umask of the process has it */
  readonly mode?: number;
}

/**
 * Writes a file into a folder, and never out of it: a symbolic link in place of the file is replaced, a folder between them that is one is refused. A file
 * that is as it would be written is not touched.
 *
 * @param subject what writes, for errors
 * @returns the path of the file
 * @throws {@link EdgeError} with EDGE_ARTIFACT
 */
export function writeInto(folder: string, { path, content, mode }: OutputFile, subject: string): string {
  const file = pathInto(folder, path, subject);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && isSame(file, found, Buffer.from(content), mode)) {
    return file;
  }
  // writing to what is there would keep its mode, and write to the target of a link, or to whoever reads a pipe
  if (found !== undefined && !found.isDirectory() && (mode !== undefined || !found.isFile())) {
    rmSync(file);
  }
  writeFileSync(file, content, mode === undefined ? {} : { mode });
  return file;
}

function isSame(file: string, found: Stats, content: Buffer, mode: number | undefined): boolean {
  return (
    found.isFile() &&
    found.size === content.length &&
    (mode === undefined || (found.mode & 0o777) === mode) &&
    isReadable(file) &&
    readFileSync(file).equals(content)
  );
}

/**
 * The path of a file in a folder, whose folder is made.
 *
 * @param subject what writes, for errors
 * @throws {@link EdgeError} with EDGE_ARTIFACT
 */
export function pathInto(folder: string, path: string, subject: string): string {
  const file = fileIn(folder, path, subject);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/**
 * Removes a file of a folder; what is not a file, or is not there, stays as it is.
 *
 * @param subject what removes, for errors
 * @throws {@link EdgeError} with EDGE_ARTIFACT
 */
export function removeFrom(folder: string, path: string, subject: string): void {
  const file = fileIn(folder, path, subject);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) {
    rmSync(file);
  }
}

/** The path of a file in a folder. No folder between them may be a link, which could lead anywhere. */
function fileIn(folder: string, path: string, subject: string): string {
  const steps = path.split('/');
  const inner = steps.slice(0, -1).map((_, index) => join(folder, ...steps.slice(0, index + 1)));
  const link = inner.find((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  if (link !== undefined) {
    const problems = new ProblemList();
    problems.add(
      'EDGE_ARTIFACT',
      `${link} is a symbolic link, and files are written only into the output folder itself`,
      'remove the link; or write the files to another output folder',
    );
    problems.throwIfAny(subject);
  }
  return join(folder, ...steps);
}

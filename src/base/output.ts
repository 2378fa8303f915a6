import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EdgeWarning, ProblemList } from './errors.js';
import { tarGzip } from './tar.js';

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

/** Bytes that are compared or written at once. */
const CHUNK = 1 << 18;

/**
 * Writes a file part by part, and only from its first difference on: a file that is as it would be written is not touched, so that what watches the
 * folder sees what has changed. If making a part fails, the file stays as it is.
 *
 * @returns whether it has changed
 */
export function writeChanged(path: string, parts: Iterable<string>): boolean {
  const chunks = [...chunksOf(parts)];
  const file = new ChangedFile(path);
  try {
    chunks.forEach((bytes) => file.add(bytes));
    return file.end();
  } finally {
    file.close();
  }
}

function* chunksOf(parts: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length >= CHUNK) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text);
}

/** What a file holds now: one buffer for all, because those of thousands of files wait for the garbage collector. */
let found = Buffer.alloc(0);

class ChangedFile {
  private descriptor: number;
  private isWriting = false;
  /** A pipe and a terminal have no positions. */
  private readonly isStream: boolean;
  /** Bytes that are compared or written. */
  private size = 0;

  constructor(private readonly path: string) {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile();
    this.isStream = isFile === false;
    // opening a pipe would wait for who writes to it
    this.isWriting = isFile !== true || !isReadable(path);
    this.descriptor = openSync(path, this.isWriting ? 'w' : 'r');
  }

  public add(bytes: Buffer): void {
    if (!this.isWriting && !this.holds(bytes)) {
      this.beginToWrite();
    }
    if (this.isWriting) {
      for (let at = 0; at < bytes.length;) {
        at += writeSync(this.descriptor, bytes, at, bytes.length - at, this.isStream ? null : this.size + at);
      }
    }
    this.size += bytes.length;
  }

  public end(): boolean {
    if (!this.isWriting && fstatSync(this.descriptor).size > this.size) {
      this.beginToWrite();
    }
    return this.isWriting;
  }

  public close(): void {
    closeSync(this.descriptor);
  }

  /** Whether the file goes on with these bytes. */
  private holds(bytes: Buffer): boolean {
    if (found.length < bytes.length) {
      found = Buffer.allocUnsafeSlow(bytes.length);
    }
    const length = readSync(this.descriptor, found, 0, bytes.length, this.size);
    return length === bytes.length && bytes.equals(found.subarray(0, length));
  }

  /** What was compared stays, and everything after it is written again. */
  private beginToWrite(): void {
    const writing = openSync(this.path, 'r+');
    this.close();
    this.descriptor = writing;
    ftruncateSync(writing, this.size);
    this.isWriting = true;
  }
}

/** Whether this process may read a file. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

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

/** A file of an earlier synth: empty if that has written it and it is gone, undefined if there never was one. */
export function formerText(outdir: string, path: string): string | undefined {
  const file = join(outdir, path);
  const isThere = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return isThere ? readFileSync(file, 'utf8') : recorded(outdir).includes(path) ? '' : undefined;
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

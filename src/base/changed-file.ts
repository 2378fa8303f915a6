import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

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

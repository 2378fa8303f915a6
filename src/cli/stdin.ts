import { readSync } from 'node:fs';
import { UsageError } from './command-line.js';

/** Reads some bytes into a buffer and returns how many; 0 at the end. */
export type ReadBytes = (buffer: Buffer) => number;

const WAIT_MILLISECONDS = 10;

/**
 * All of stdin. `readFileSync(0)` fails if the pipe is non-blocking and the program before has not written yet, and replaces bytes that are not UTF-8: the
 * output would be different in a place that nobody asked to change.
 *
 * @throws UsageError if it is not UTF-8, or longer than a string can be
 */
export function readStdin(read: ReadBytes = (buffer) => readSync(0, buffer)): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    const count = readSome(read, chunk);
    if (count === 0) {
      return textOf(Buffer.concat(chunks));
    }
    if (count !== undefined) {
      chunks.push(chunk.subarray(0, count));
    }
  }
}

/** Undefined if there is nothing to read yet. */
function readSome(read: ReadBytes, buffer: Buffer): number | undefined {
  try {
    return read(buffer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MILLISECONDS);
      return undefined;
    }
    // the end of a pipe on Windows
    if (code === 'EOF') {
      return 0;
    }
    if (code === 'EISDIR') {
      throw new UsageError(
        'stdin is a folder; write < file, or for all files: for f in folder/*.yaml; do echo ---; cat "$f"; done | …',
      );
    }
    throw error;
  }
}

/** The text of bytes; of a file in UTF-16, too, which `>` of Windows PowerShell writes, if it begins with a byte order mark. */
export function textOf(bytes: Buffer, name = 'stdin'): string {
  const mark = name === 'stdin' ? '' : bytes.subarray(0, 2).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' }).decode(bytes);
  } catch (error) {
    throw new UsageError(
      (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? `${name} is not UTF-8; convert it first, for example with iconv`
        : `${name} is too large: ${bytes.length} bytes; split it`,
    );
  }
}

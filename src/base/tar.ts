import { gzipSync } from 'node:zlib';

/** A file of an archive. */
export interface ArchivedFile {
  /** Path in the archive, by slashes. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

const BLOCK = 512;

/** Place of the operating system in the header of gzip (RFC 1952), and the value for an unknown one. */
const [SYSTEM, UNKNOWN_SYSTEM] = [9, 255];

/**
 * A tar archive, compressed with gzip. The same files are the same bytes, and so have the same digest: they are in the order of their paths, and belong to
 * nobody at no time. The format is ustar (POSIX.1-1988).
 *
 * The packages for it do not do: tar-stream only answers later, and a synth does not wait; nanotar cuts off long paths and says nothing.
 *
 * @throws a RangeError for a path that does not fit into a header
 */
export function tarGzip(files: readonly ArchivedFile[]): Uint8Array {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const parts = sorted.flatMap(({ path, content }) => {
    const bytes = Buffer.from(content);
    return [header(path, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  // two empty blocks are the end
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  packed[SYSTEM] = UNKNOWN_SYSTEM;
  return packed;
}

function header(path: string, size: number): Buffer {
  const [prefix, name] = splitPath(path);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  // the checksum is that of a header with blanks in its place
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return block;
}

/** A number in octal digits, with a zero at the end. */
function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\u0000`;
}

/** The two fields of a path: at most 155 and 100 bytes, divided at a slash. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) {
    return ['', path];
  }
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) {
      return [prefix, name];
    }
  }
  throw new RangeError(`the path ${path} is too long for a tar archive`);
}

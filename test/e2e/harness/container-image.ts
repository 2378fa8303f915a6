import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const SOURCE = resolve(__dirname, '..', 'tools', 'http-server');

/** Name of the image with the HTTP server of `test/e2e/tools`; its argument is a port. Without one it waits, so it is also the pause image. */
export const HTTP_SERVER_IMAGE = 'localhost/http-server:1';

/** A file of a tar archive. */
interface ArchiveEntry {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

const BLOCK = 512;

function headerOf({ path, content, mode }: ArchiveEntry): Buffer {
  if (path.length > 100) {
    throw new Error(`${path} is too long for a tar archive`);
  }
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  header.write(path, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return header;
}

/** A deterministic tar archive, without owners and times. */
function tarOf(entries: readonly ArchiveEntry[]): Buffer {
  const parts = entries.flatMap((entry) => [
    headerOf(entry),
    entry.content,
    Buffer.alloc((BLOCK - (entry.content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** An image of one program in one layer, as an OCI archive that `ctr images import` reads. */
function ociArchive(image: string, program: Buffer, architecture: string): Buffer {
  const blobs = new Map<string, ArchiveEntry>();
  const blob = (mediaType: string, content: Buffer): object => {
    const hash = createHash('sha256').update(content).digest('hex');
    blobs.set(hash, { path: `blobs/sha256/${hash}`, content, mode: 0o644 });
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${hash}`, size: content.length };
  };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const layer = tarOf([{ path: 'http-server', content: program, mode: 0o755 }]);
  const config = {
    architecture,
    os: 'linux',
    config: { Entrypoint: ['/http-server'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  };
  const manifest = {
    schemaVersion: 2,
    config: blob('config.v1+json', json(config)),
    layers: [blob('layer.v1.tar', layer)],
  };
  const annotations = { 'io.containerd.image.name': image };
  const index = { schemaVersion: 2, manifests: [{ ...blob('manifest.v1+json', json(manifest)), annotations }] };
  return tarOf([
    { path: 'oci-layout', content: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
    { path: 'index.json', content: json(index), mode: 0o644 },
    ...blobs.values(),
  ]);
}

/** Compiles the HTTP server and writes it into a folder as an image: no registry is asked. Returns the path of the archive. */
export async function writeHttpServerImage(folder: string, image = HTTP_SERVER_IMAGE): Promise<string> {
  const program = join(folder, 'http-server');
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  const run = promisify(execFile);
  await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', program, '.'], { cwd: SOURCE, env });
  const { stdout } = await run('go', ['env', 'GOARCH'], { env });
  const archive = join(folder, `${image.replace(/[/:]/g, '-')}.tar`);
  writeFileSync(archive, ociArchive(image, readFileSync(program), stdout.trim()));
  return archive;
}

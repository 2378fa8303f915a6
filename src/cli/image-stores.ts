import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ImageReference, imageReference } from '../kubernetes/image-reference.js';
import type { ArchivedFile } from '../base/tar.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { type CommandLine, UsageError } from './command-line.js';

/** Where images are looked for. */
export interface ImageStore {
  /** The digest of an image; undefined if it is not there. */
  readonly digestOf: (image: ImageReference) => string | undefined;
  /** One image layout with images, which are in it by digest.
   * @default - a registry, which has no files */
  readonly layoutOf?: (images: readonly string[]) => readonly ArchivedFile[];
}

/** A registry by its address, or a folder with image layouts. */
export function imageStore(where: string, line: CommandLine): ImageStore {
  if (/^https?:\/\//.test(where)) {
    return { digestOf: (image) => digestInRegistry(where.replace(/(?<!\/)\/+$/, ''), image, line) };
  }
  if (!existsSync(where) || !statSync(where).isDirectory()) {
    throw new UsageError(
      `--check ${where}: there is no such folder; write the address of a registry, https://registry.example, or a folder with OCI image layouts`,
    );
  }
  const layouts = layoutsBelow(where);
  if (layouts.length === 0) {
    throw new UsageError(
      `--check ${where}: there is no OCI image layout in it; write one with crane pull --format oci, skopeo copy … oci:…, or oras copy --to-oci-layout`,
    );
  }
  return {
    digestOf: (image) => layouts.map((layout) => digestInLayout(layout, image)).find(Boolean),
    layoutOf: (images) => joinedLayout(layouts, images),
  };
}

/** What a registry may answer with. */
const TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Asks as containerd asks a mirror: by the path in the registry, with the host in `ns` (containerd docs/hosts.md). */
function digestInRegistry(address: string, image: ImageReference, line: CommandLine): string | undefined {
  const { repository, registry, tag, digest } = image;
  const url = `${address}/v2/${repository}/manifests/${digest ?? tag}?ns=${registry}`;
  let answer = headOf(url, [], line);
  if (answer.status === 401) {
    const token = tokenFor(answer.header('www-authenticate') ?? '', line);
    answer = token === undefined ? answer : headOf(url, ['--header', `Authorization: Bearer ${token}`], line);
  }
  if (answer.status === 404) {
    return undefined;
  }
  if (answer.status !== 200) {
    throw new UsageError(
      `${address} answers ${answer.status} for ${image.name}${answer.status === 401 ? ': write user name and password into ~/.netrc, which curl reads' : ''}`,
    );
  }
  return digest ?? answer.header('docker-content-digest') ?? digestOfText(curl([url], line));
}

function headOf(
  url: string,
  more: readonly string[],
  line: CommandLine,
): { readonly status: number; readonly header: (name: string) => string | undefined } {
  const lines = curl(['--head', ...more, url], line).split(/\r?\n/);
  // of redirections the last answer counts
  const begin = lines.findLastIndex((each) => /^HTTP\//.test(each));
  const status = Number(/^HTTP\/\S+ (\d+)/.exec(lines[begin] ?? '')?.[1] ?? 0);
  const header = (name: string): string | undefined =>
    lines
      .slice(begin)
      .find((each) => each.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  return { status, header };
}

/** A token of the registry's own service (distribution docs/spec/auth/token.md), with which public projects are also read. */
function tokenFor(challenge: string, line: CommandLine): string | undefined {
  const part = (name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1];
  const [realm, service = '', scope = ''] = ['realm', 'service', 'scope'].map(part);
  if (!/^bearer /i.test(challenge) || realm === undefined || !/^https?:\/\//.test(realm)) {
    return undefined;
  }
  const query = new URLSearchParams({ service, scope }).toString();
  const answer = parsed(curl([`${realm}?${query}`], line));
  const token = answer.token ?? answer.access_token;
  return typeof token === 'string' ? token : undefined;
}

function curl(args: readonly string[], line: CommandLine): string {
  const all = ['--silent', '--show-error', '--location', '--max-time', '60', '--netrc-optional'];
  const given = [...all, '--header', `Accept: ${TYPES}`, ...args];
  if (line.curl !== undefined) {
    return line.curl(given);
  }
  const { error, status, stdout, stderr } = spawnSync('curl', given, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (error !== undefined || status !== 0) {
    throw new UsageError(
      error === undefined ? stderr.trim() : `curl is not installed, with which a registry is asked (${error.message})`,
    );
  }
  return stdout;
}

/** Folders that are image layouts. */
function layoutsBelow(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name === 'oci-layout')
    .map((entry) => entry.parentPath);
  return below.filter((path) => existsSync(join(path, 'index.json'))).sort();
}

/** Annotations by which tools name the images of a layout. */
const NAMES = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

function digestInLayout(layout: string, image: ImageReference): string | undefined {
  const { name, registry, repository, tag, digest } = image;
  const { manifests } = parsed(readFileSync(join(layout, 'index.json'), 'utf8'));
  const names = [name, ...(tag === undefined ? [] : [`${registry}/${repository}:${tag}`, `${repository}:${tag}`])];
  const named = (Array.isArray(manifests) ? manifests : []).filter(isMap).find(({ annotations }) => {
    const given = isMap(annotations) ? annotations : {};
    return NAMES.some((key) => names.includes(given[key] as string));
  });
  const wanted = digest ?? named?.digest;
  return typeof wanted === 'string' && isComplete(layout, wanted) ? wanted : undefined;
}

/** Whether a manifest and all that it names are there; of an index one platform is enough. */
function isComplete(layout: string, digest: string): boolean {
  const file = blobOf(layout, digest);
  if (file === undefined) {
    return false;
  }
  const text = readFileSync(file, 'utf8');
  const { manifests, config, layers } = parsed(text);
  if (digestOfText(text) !== digest) {
    return false;
  }
  if (Array.isArray(manifests)) {
    return manifests.some((each) => isMap(each) && isComplete(layout, String(each.digest)));
  }
  const parts: unknown[] = Array.isArray(layers) ? [config, ...(layers as unknown[])] : [undefined];
  return parts.every((part) => {
    const blob = isMap(part) ? blobOf(layout, String(part.digest)) : undefined;
    return blob !== undefined && statSync(blob).size === (part as PlainMap).size;
  });
}

/** One layout of all images, with the names by which containerd and skopeo find them. */
function joinedLayout(layouts: readonly string[], images: readonly string[]): ArchivedFile[] {
  const blobs = new Map<string, Buffer>();
  const manifests = images.map((name) => {
    const { registry, repository, tag, digest = '' } = imageReference(name) as ImageReference;
    const layout = layouts.find((each) => isComplete(each, digest)) as string;
    const bytes = addBlobs(layout, digest, blobs) as Buffer;
    const { mediaType, manifests: platforms } = parsed(bytes.toString());
    return {
      mediaType: mediaType ?? TYPES.split(', ')[Array.isArray(platforms) ? 0 : 1],
      digest,
      size: bytes.length,
      annotations: {
        'io.containerd.image.name': `${registry}/${repository}${tag === undefined ? `@${digest}` : `:${tag}`}`,
        'org.opencontainers.image.ref.name': name.replace(/@.*/, ''),
      },
    };
  });
  return [
    { path: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}\n' },
    { path: 'index.json', content: `${JSON.stringify({ schemaVersion: 2, manifests })}\n` },
    ...[...blobs].map(([digest, content]) => ({ path: `blobs/${digest.replace(':', '/')}`, content })),
  ];
}

/** Adds a blob and all that it names, as far as it is there: of an index one platform is enough. */
function addBlobs(layout: string, digest: string, blobs: Map<string, Buffer>, isManifest = true): Buffer | undefined {
  const file = blobOf(layout, digest);
  if (file === undefined) {
    return undefined;
  }
  const bytes = readFileSync(file);
  blobs.set(digest, bytes);
  if (isManifest) {
    const { manifests = [], layers = [], config } = parsed(bytes.toString());
    const add = (list: unknown, isOne: boolean): void =>
      (Array.isArray(list) ? list.filter(isMap) : []).forEach((each) =>
        addBlobs(layout, String(each.digest), blobs, isOne),
      );
    add(manifests, true);
    add([config], false);
    add(layers, false);
  }
  return bytes;
}

function blobOf(layout: string, digest: string): string | undefined {
  const [, hash] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  const file = hash === undefined ? undefined : join(layout, 'blobs', 'sha256', hash);
  return file !== undefined && existsSync(file) ? file : undefined;
}

function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function parsed(text: string): PlainMap {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

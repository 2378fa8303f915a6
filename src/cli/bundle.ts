import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { type ImageReference, imageReference, imagesIn } from '../kubernetes/image-reference.js';
import { writeInto } from '../base/output.js';
import { type ArchivedFile, tarGzip } from '../base/tar.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { ProblemList } from '../base/errors.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { eachText, text } from './options.js';
import { spawnSync } from 'node:child_process';
import { type PlainMap, isMap } from '../base/plain-data.js';
import { itemsOf } from '../kubernetes/field-values.js';

interface Options {
  readonly out?: string;
  readonly check?: string;
  readonly image?: readonly string[];
  readonly withImages?: true;
}

/** A file of a bundle. */
interface BundledFile {
  readonly path: string;
  readonly content: Buffer;
  readonly isSecret: boolean;
}

/** `edge-nodepools bundle`: everything that a site needs in one file, for sites that reach no repository. */
function runBundle(
  from: readonly string[],
  { out, check, image = [], withImages }: Options,
  line: CommandLine,
): number {
  const store = check === undefined ? undefined : imageStore(check, line);
  if (withImages === true && store?.layoutOf === undefined) {
    throw new UsageError(
      '--with-images needs --check <folder> with OCI image layouts; crane pull --format oci --annotate-ref <image> <folder> writes one from a registry',
    );
  }
  const files = from.flatMap((each) => filesOf(each));
  const twin = files.find(({ path }, index) => files.findIndex((other) => other.path === path) !== index);
  if (twin !== undefined) {
    throw new UsageError(`two of the arguments have a file ${twin.path}; give folders of different names`);
  }
  const found = files
    .filter(({ path }) => /\.(ya?ml|json)$/.test(path))
    .map((file) => ({ ...imagesIn(objectsOf(file)), path: file.path }));
  const unknown = found.flatMap((each) => each.unknown.map((what) => `  ${each.path}: ${what}\n`));
  const names = [...new Set([...found.flatMap(({ images }) => images), ...image])].sort();
  const { images, missing } = resolved(names, store, check);
  if (missing.length > 0) {
    line.stdout(`${missing.join('\n')}\nNothing is written.\n`);
    return EXIT.findings;
  }
  const layout = withImages === true ? (store?.layoutOf?.(images) ?? []) : [];
  const contents: readonly ArchivedFile[] = [
    ...files,
    { path: 'images.txt', content: images.map((each) => `${each}\n`).join('') },
    { path: 'LOADING.txt', content: layout.length > 0 ? LOADING_LAYOUT : LOADING },
    ...layout.map(({ path, content }) => ({ path: `images/${path}`, content })),
  ];
  const own = contents.slice(files.length).find(({ path }) => files.some((file) => file.path === path));
  if (own !== undefined) {
    throw new UsageError(`the archive has a file ${own.path} of its own; give the argument another name`);
  }
  const sums = [...contents]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, content }) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`);
  const archive = resolve(out ?? `${basename(resolve(from[0] ?? '.'))}.tar.gz`);
  const isSecret = files.some((file) => file.isSecret);
  const written = writeInto(
    dirname(archive),
    {
      path: basename(archive),
      content: archived([...contents, { path: 'SHA256SUMS', content: sums.join('') }]),
      ...(isSecret ? { mode: 0o600 } : {}),
    },
    'bundle',
  );
  const shown = out ?? relative(process.cwd(), written);
  line.stdout(
    `${shown}: ${files.length} files, ${images.length} images${layout.length > 0 ? ' with their layers' : ''}${isSecret ? ', a secret in it' : ''}\n`,
  );
  if (unknown.length > 0) {
    line.stdout(
      `Not known, because they do not say which images they have, or may not mean an image:\n${unknown.join('')}` +
        'Write the image with its tag into the object, or name it: --image <name>.\n',
    );
  }
  return EXIT.ok;
}

function archived(files: readonly ArchivedFile[]): Uint8Array {
  try {
    return tarGzip(files);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`${error.message}; give it a shorter name`) : error;
  }
}

/** The files of an argument, below its own name. */
function filesOf(from: string): BundledFile[] {
  if (!existsSync(from)) {
    throw new UsageError(`${from}: there is no such file or folder`);
  }
  const top = basename(resolve(from));
  if (!statSync(from).isDirectory()) {
    return [bundled(from, top)];
  }
  const files = readdirSync(from, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => bundled(file, `${top}/${relative(from, file).split(sep).join('/')}`));
  if (files.length === 0) {
    throw new UsageError(`${from}: there is no file in it; write the folder of a site, for example dist/sites/beijing`);
  }
  return files;
}

/** What only its owner can read, as a join with a token in it is written, is a secret. */
function bundled(file: string, path: string): BundledFile {
  return { path, content: readFileSync(file), isSecret: (statSync(file).mode & 0o077) === 0 };
}

/** The objects of a file; of one that is not a manifest none. */
function objectsOf({ content }: BundledFile): readonly unknown[] {
  return objectsFromYaml(content.toString('utf8'), new ProblemList(), 'rounded') ?? [];
}

/** The images by digest, and what there is to say of the others. */
function resolved(
  names: readonly string[],
  store: ImageStore | undefined,
  where: string | undefined,
): { readonly images: readonly string[]; readonly missing: readonly string[] } {
  const images: string[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const image = imageReference(name);
    if (image === undefined) {
      missing.push(`${name}: this is not the name of an image`);
      continue;
    }
    const digest = store === undefined ? image.digest : store.digestOf(image);
    if (digest !== undefined) {
      images.push(image.digest === undefined ? `${name}@${digest}` : name);
    } else if (store === undefined) {
      missing.push(`${name}: it has no digest; write ${name}@sha256:…, or --check <where it is>, which finds it`);
    } else {
      missing.push(`${name}: it is not in ${where}, or not all of it`);
    }
  }
  return { images, missing };
}

/** How the images get into the site. crane takes a name with a tag and a digest, skopeo only one of both. */
const LOADING = `images.txt has the images of the site, by digest. The archive does not hold them.
Check the files: sha256sum --check SHA256SUMS

Into a registry of the site (REGISTRY), where both are reached, by the paths for
which containerd asks a mirror; hosts whose images have the same paths need a
registry each:
  while read -r image; do
    name=\${image%@*} path=\${image%@*}
    case \${name%%/*} in
      "$name") path=library/$name ;;
      *.* | *:* | localhost) path=\${name#*/} ;;
    esac
    crane copy "$image" "REGISTRY/$path"
  done < images.txt

For one machine, on a machine with a network; then carry image.tar there:
  skopeo copy docker://<path>@<digest> docker-archive:image.tar:<name>
  ctr --namespace k8s.io images import image.tar
`;

const LOADING_LAYOUT = `images/ is an OCI image layout with the images of images.txt.
Check the files: sha256sum --check SHA256SUMS

Into containerd of a machine; the platform of the machine is enough:
  tar --create --file images.tar --directory images .
  ctr --namespace k8s.io images import --digests images.tar

Into a registry of the site (REGISTRY); the name is that of images.txt, without @sha256:...:
  skopeo copy oci:images:<name> docker://REGISTRY/<path>:<tag>
`;

const BUNDLED = `
The archive has each argument below its own name, images.txt (the images of all
containers, of custom resources and of texts in ConfigMaps, by digest),
LOADING.txt (how they get into the site), SHA256SUMS, and with --with-images the
images. Objects whose images are not known are named. The same files are the
same bytes.

Exit code 0: written. 1: an image has no digest, or is not where --check says;
nothing is written. 2: the input is invalid.`;

/** The options of `edge-nodepools bundle`. */
export function addBundle(program: Command, action: Action): void {
  program
    .command('bundle')
    .description('puts everything that a site needs into one file, for sites that reach no repository')
    .argument(
      '<folder or file...>',
      'manifests of the site, and its joins and scripts, for example dist/sites/beijing dist/join/beijing',
      (value: string, others: readonly string[] = []) => [...others, text(value)],
    )
    .addOption(new Option('--out <file>', 'the archive (default: the first argument, as .tar.gz)').argParser(text))
    .addOption(
      new Option(
        '--check <registry or folder>',
        'whether the images are there: https://registry.example, or a folder with OCI image layouts',
      ).argParser(text),
    )
    .addOption(new Option('--image <name>', 'an image that no manifest names; repeatable').argParser(eachText))
    .addOption(new Option('--with-images', 'put the images into the archive, of the folder of --check'))
    .addHelpText('after', BUNDLED)
    .action(action(runBundle));
}

/** Where images are looked for. */
interface ImageStore {
  /** The digest of an image; undefined if it is not there. */
  readonly digestOf: (image: ImageReference) => string | undefined;
  /** One image layout with images, which are in it by digest.
   * @default - a registry, which has no files */
  readonly layoutOf?: (images: readonly string[]) => readonly ArchivedFile[];
}

/** A registry by its address, or a folder with image layouts. */
function imageStore(where: string, line: CommandLine): ImageStore {
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
  const named = itemsOf(manifests)
    .filter(isMap)
    .find(({ annotations }) => {
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

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { imageReference, imagesIn } from '../kubernetes/image-reference.js';
import { writeInto } from '../base/output-folder.js';
import { type ArchivedFile, tarGzip } from '../base/tar.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { ProblemList } from '../base/errors.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { type ImageStore, imageStore } from './image-stores.js';
import { eachText, text } from './options.js';

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
  const named = imagesIn(files.filter(({ path }) => /\.(ya?ml|json)$/.test(path)).flatMap(objectsOf));
  const names = [...new Set([...named.images, ...image])].sort();
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
  if (named.unknown.length > 0) {
    line.stdout(
      `Not known, because they do not say which images they have:\n${named.unknown.map((each) => `  ${each}\n`).join('')}Write the image into the object, or name it: --image <name>.\n`,
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

Into a registry of the site (REGISTRY), where both are reached:
  while read -r image; do
    name=\${image%@*}
    crane copy "$image" "REGISTRY/\${name#*/}"
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
containers and of custom resources of known operators, by digest), LOADING.txt
(how they get into the site), SHA256SUMS, and with --with-images the images.
Objects whose images are not known are named. The same files are the same bytes.

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

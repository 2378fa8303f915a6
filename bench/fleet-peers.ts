/** The programs that write the manifests of a fleet: this library and what people use beside it, on the same objects. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

const root = resolve(__dirname, '..');

/**
 * One chart with a pool of each site, a chart for each site with its pool, a chart for each site with 100 objects; a chart for each site with 100 objects of
 * others, to which the mixin is applied, or with a workload that has a warning.
 */
export type Shape = 'flat' | 'charts' | 'sites' | 'included' | 'warned';

export interface Peer {
  readonly name: string;
  /** The command, and the file that gets what it prints. */
  readonly command: (shape: Shape, count: number, folder: string) => readonly string[];
  /** Writes what the command reads. */
  readonly prepare: (shape: Shape, count: number, folder: string) => void;
  /** The shapes that only cdk8s has are left out by others. */
  readonly isOfCharts?: true;
  /** Why it is left out. */
  readonly isMissing?: string;
}

/** A name of a site as `objects` has it. */
const MARK = 'site-000000';
const siteNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `site-${String(index).padStart(6, '0')}`);

/** All objects in the files of a folder, in order. */
export function readObjects(folder: string): unknown[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => objectsIn(readFileSync(join(folder, name), 'utf8')));
}

/** The objects of a stream of YAML. */
export function objectsIn(text: string): unknown[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null);
}

/** Makes the folder of a run: packages as a user has them, and the objects of a site, as this library writes them. */
export function makeFolder(shape: Shape, folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['cdk8s', 'constructs', 'yaml']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  symlinkSync(root, join(folder, 'node_modules', 'edge-nodepools'));
  writeFileSync(join(folder, 'program.cjs'), readFileSync(join(root, 'bench', 'fleet-program.cjs')));
  if (shape === 'included') {
    writeFileSync(join(folder, 'plain.yaml'), asYaml(Array.from({ length: 100 }, (_, index) => deployment(index))));
  }
  const [command = '', ...args] = programOf('edge-nodepools')(shape, 1, folder);
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  if (shape === 'included') {
    const [file = ''] = readdirSync(join(folder, 'edge-nodepools-dist')).filter((name) => name.endsWith('.yaml'));
    const written = readFileSync(join(folder, 'edge-nodepools-dist', file), 'utf8');
    writeFileSync(join(folder, 'excluded.yaml'), written.replaceAll(`  namespace: ${MARK}\n`, ''));
  }
  const objects = JSON.stringify(readObjects(join(folder, 'edge-nodepools-dist')));
  writeFileSync(join(folder, 'one-site.json'), objects);
  const literals = withName(objects, (text) => `\`${text.replaceAll(MARK, '${name}')}\``);
  writeFileSync(join(folder, 'objects.cjs'), `exports.objectsOf = (name) => ${literals};\n`);
}

/** What a chart of others has: nothing says that it must not run at the edge. */
const deployment = (number: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${number}` },
  spec: {
    selector: { matchLabels: { app: `web-${number}` } },
    template: {
      metadata: { labels: { app: `web-${number}` } },
      spec: {
        containers: [{ name: 'web', image: `registry.example/web:${number}`, ports: [{ containerPort: 8080 }] }],
      },
    },
  },
});

/** JSON with another form of each string that has the name of the site. */
const withName = (json: string, form: (text: string) => string): string =>
  json.replace(/"((?:[^"\\]|\\.)*)"/g, (whole, text: string) => (text.includes(MARK) ? form(text) : whole));

const programOf =
  (tool: string) =>
  (shape: Shape, count: number, folder: string): string[] => [
    process.execPath,
    join(folder, 'program.cjs'),
    tool,
    shape,
    String(count),
    folder,
  ];

const nothing = (): void => undefined;
const ofOneSite = (folder: string): unknown[] =>
  JSON.parse(readFileSync(join(folder, 'one-site.json'), 'utf8')) as unknown[];
const asYaml = (objects: readonly unknown[]): string => objects.map((object) => stringify(object)).join('---\n');

/** All programs that people write fleets with and that can be had here. */
export function peers(): Peer[] {
  return [
    { name: 'edge-nodepools', isOfCharts: true, command: programOf('edge-nodepools'), prepare: nothing },
    { name: 'cdk8s', isOfCharts: true, command: programOf('cdk8s'), prepare: nothing },
    { name: 'yaml', command: programOf('yaml'), prepare: nothing },
    onPath('helm', {
      command: (_shape, _count, folder) => ['helm', 'template', 'fleet', join(folder, 'chart')],
      prepare: (_shape, count, folder) => {
        const chart = join(folder, 'chart');
        mkdirSync(join(chart, 'templates'), { recursive: true });
        writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: fleet\nversion: 1.0.0\n');
        writeFileSync(join(chart, 'values.yaml'), stringify({ sites: siteNames(count) }));
        const template = asYaml(ofOneSite(folder)).replaceAll(MARK, '{{ . }}');
        writeFileSync(
          join(chart, 'templates', 'fleet.yaml'),
          `{{- range .Values.sites }}\n---\n${template}{{- end }}\n`,
        );
      },
    }),
    onPath('kustomize', {
      command: (_shape, _count, folder) => ['kustomize', 'build', join(folder, 'kustomize')],
      prepare: (_shape, count, folder) => {
        const target = join(folder, 'kustomize');
        mkdirSync(target, { recursive: true });
        writeFileSync(join(target, 'kustomization.yaml'), 'resources:\n  - fleet.yaml\n');
        const text = asYaml(ofOneSite(folder));
        writeFileSync(
          join(target, 'fleet.yaml'),
          siteNames(count)
            .map((name) => text.replaceAll(MARK, name))
            .join('---\n'),
        );
      },
    }),
    onPath('jsonnet', {
      command: (_shape, _count, folder) => ['jsonnet', '--yaml-stream', join(folder, 'fleet.jsonnet')],
      prepare: (_shape, count, folder) => {
        const site = withName(
          JSON.stringify(ofOneSite(folder)),
          (text) => `("${text.replaceAll(MARK, '" + name + "')}")`,
        );
        writeFileSync(
          join(folder, 'fleet.jsonnet'),
          `local site(name) = ${site};\nstd.flatMap(function(index) site('site-%06d' % index), std.range(0, ${count - 1}))\n`,
        );
      },
    }),
  ];
}

function onPath(name: string, peer: Pick<Peer, 'command' | 'prepare'>): Peer {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  return { name, ...peer, ...(isThere ? {} : { isMissing: `${name} is not on PATH` }) };
}

/** Imports in memory, and runs the programs that they give. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { App } from 'cdk8s';
import { transformSync } from 'esbuild';
import { manifestsOf } from '../../src/constructs/manifests.js';
import { ProblemList } from '../../src/base/errors.js';
import { importProgram, type ImportedProgram } from '../../src/adopt/import-program.js';
import { objectsFromYaml } from '../../src/base/yaml-text.js';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export const RELEASES = { openYurt: '1.7', kubernetes: '1.34' } as const;

/** A program of files; of objects, as kubectl prints them. */
export function imported(
  input: readonly TextFile[] | readonly object[],
  target: 'cdk8s' | 'pulumi' = 'cdk8s',
  given: object = RELEASES,
): ImportedProgram {
  const [first] = input;
  const isFiles = first !== undefined && 'text' in first;
  const files = isFiles
    ? (input as readonly TextFile[])
    : [{ path: 'dump.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: input }) }];
  return importProgram({ files, target, folder: 'fleet', ...given });
}

/** The files of a program, without what says from which dump it is. */
export function sourcesOf({ files }: ImportedProgram): ImportedProgram['files'] {
  return files.filter(({ path }) => path !== 'imported-from.json');
}

/** Writes what a program reads at run time: the files of its definitions. */
function folderOf({ files }: ImportedProgram): string {
  const read = files.filter(({ path }) => path.startsWith('crds/'));
  if (read.length === 0) {
    return '/nowhere';
  }
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-crds-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'crds'));
  read.forEach(({ path, content }) => writeFileSync(join(folder, path), content));
  return folder;
}

/** A module of a program, by its path without ending; others are those of this checkout. */
export function moduleOf(program: ImportedProgram, name: string, folder = folderOf(program)): Record<string, any> {
  const files = new Map(program.files.map(({ path, content }) => [path, content]));
  const loaded = new Map<string, Record<string, any>>();
  const load = (path: string): Record<string, any> => {
    const known = loaded.get(path);
    if (known !== undefined) {
      return known;
    }
    const { code } = transformSync(files.get(`${path}.ts`) ?? '', { loader: 'ts', format: 'cjs' });
    const module = { exports: {} };
    const wanted = (specifier: string): unknown =>
      specifier.startsWith('.') ? load(join(dirname(path), specifier)) : jest.requireActual(specifier);
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    new Function('require', 'module', 'exports', '__dirname', code)(wanted, module, module.exports, folder);
    loaded.set(path, module.exports);
    return module.exports;
  };
  return load(name);
}

/** The modules of a Pulumi program that make everything, also what has secrets, which a stack of its own makes. */
export function stacksOf(program: ImportedProgram, folder?: string): unknown {
  const isParted = program.files.some(({ path }) => path === 'fleet-secrets.ts');
  const modules = isParted ? ['take-over', 'fleet', 'fleet-secrets'] : ['index'];
  return modules.map((name) => moduleOf(program, name, folder));
}

/** The apps of a program: of whole objects, of parts of them, and of what has secrets. */
function apps(program: ImportedProgram, outdir?: string): App[] {
  const { addFleet, addPatches, addSecrets } = moduleOf(program, 'fleet');
  return [
    ['', addFleet],
    ['patches', addPatches],
    ['secrets', addSecrets],
  ].flatMap(([folder, add]) => {
    const app = new App(outdir === undefined ? {} : { outdir: join(outdir, folder) });
    add?.(app);
    return add === undefined ? [] : [app];
  });
}

/** The objects that a program makes, by kind and name. */
export function objectsOf(program: ImportedProgram): any[] {
  return sorted(apps(program).flatMap((app) => manifestsOf(app)));
}

/** The files that a program writes. */
export function distOf(program: ImportedProgram): TextFile[] {
  const outdir = mkdtempSync(join(tmpdir(), 'edge-nodepools-import-'));
  try {
    apps(program, outdir).forEach((app) => app.synth());
    return filesBelow(outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Manifests below a folder: charts, and those that are applied in a way of their own. */
export function filesBelow(folder: string): TextFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.k8s.yaml'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(folder, path), text: readFileSync(path, 'utf8') }));
}

/** The objects in files. */
export function readAll(files: readonly TextFile[]): any[] {
  const problems = new ProblemList();
  const objects = files.flatMap(({ text }) => objectsFromYaml(text, problems) ?? []);
  problems.throwIfAny('test');
  return sorted(objects);
}

export function sorted(objects: readonly any[]): any[] {
  const nameOf = ({ apiVersion, kind, metadata }: any): string =>
    [kind, metadata.namespace, metadata.name, apiVersion].join(' ');
  return objects
    .map((object) => JSON.parse(JSON.stringify(object)))
    .sort((a, b) => (nameOf(a) + JSON.stringify(a) < nameOf(b) + JSON.stringify(b) ? -1 : 1));
}

// Builds lib: declarations by tsc, JavaScript by esbuild. A second run changes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root, runBin } from './install.mjs';

const lib = join(root, 'lib');

/** What users import, with the module that looks for peer dependencies before anything else is loaded. */
const INDEXES = { index: 'constructs/peers', 'pulumi/index': 'pulumi/peers' };

/** Dependencies that are loaded when they are first used: few programs read YAML or compare Corefiles, and they are 90 files. */
const LAZY = /^var (import_\w+) = require\("(?:yaml|diff)"\);$/gm;

/** A test loads Pulumi as jest does, with require: `import()` of a CommonJS module is not possible there without a flag of Node.js. */
const REQUIRED = { 'dynamic-import': false };

export async function build() {
  if (!existsSync(join(lib, '.tsbuildinfo'))) {
    rmSync(lib, { recursive: true, force: true });
  }
  runBin('tsc', ['-p', 'tsconfig.build.json']);
  const files = await bundles();
  readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .map((path) => join(lib, path))
    .filter((path) => path.endsWith('.js') && !files.has(path))
    .forEach((path) => rmSync(path));
  files.forEach((text, path) => {
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  });
}

/**
 * One file for each module that an index exports from, and files that several of them share. An index loads a module when one of its names is first
 * used: most programs need few of them, and compiling all takes as long as compiling cdk8s (npm run bench:import).
 */
async function bundles() {
  // A static import would need the dependency before it is installed.
  const { build: bundle, transform } = await import('esbuild');
  const exported = Object.keys(INDEXES).map((index) => [index, exportsOf(index)]);
  const modules = [...new Set(exported.flatMap(([, names]) => [...names.values()]))];
  const { outputFiles } = await bundle({
    entryPoints: [...modules, ...Object.values(INDEXES), 'app/command/main', 'plugin/provider', 'testing/index'].map(
      (name) => `src/${name}.ts`,
    ),
    absWorkingDir: root,
    outbase: 'src',
    outdir: lib,
    chunkNames: 'shared-[hash]',
    tsconfig: 'tsconfig.build.json',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    // only ES modules can be split, and the package is CommonJS
    format: 'esm',
    // sideEffects of package.json is about lib
    ignoreAnnotations: true,
    write: false,
  });
  const files = new Map();
  for (const [path, text] of await withCore(outputFiles, bundle)) {
    const { code } = await transform(text, { format: 'cjs', target: 'node20', platform: 'node', supported: REQUIRED });
    files.set(path, withValues(code.replace(LAZY, lazily) + namesOf(code)));
  }
  exported.forEach(([index, names]) => files.set(join(lib, `${index}.js`), indexOf(index, names)));
  return files;
}

/** What nearly every program uses. */
const CORE = ['cluster/edge-cluster', 'constructs/host-network-node-pool'];

/**
 * The files of a split bundle, as ES modules. The shared files that CORE loads are merged into one, because reading 30 files takes as long as running
 * them; those that load a framework stay as they are, because a program of Pulumi has no cdk8s.
 */
async function withCore(outputFiles, bundle) {
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const core = join(lib, 'shared-core.js');
  const importsOf = (path) =>
    [...texts.get(path).matchAll(IMPORT)]
      .map(([, , from]) => join(dirname(path), from))
      .filter((file) => texts.has(file));
  const isPure = (path) => !/ from "(?:cdk8s|constructs)";$/m.test(texts.get(path)) && importsOf(path).every(isPure);
  const loaded = new Set(CORE.flatMap((name) => importsOf(join(lib, `${name}.js`))));
  // a set yields what is added while it is read
  loaded.forEach((path) => importsOf(path).forEach((file) => loaded.add(file)));
  const merged = new Set([...loaded].filter(isPure));
  const names = [...merged].flatMap(
    (path) => /^export \{\n([^]*?)\n\};$/m.exec(texts.get(path))?.[1].split(',\n') ?? [],
  );
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new Error(`two shared files export "${repeated.trim()}": rename one of them`);
  }
  const { outputFiles: one } = await bundle({
    stdin: {
      contents: [...merged].map((path) => `export * from ${JSON.stringify(path)};`).join('\n'),
      resolveDir: lib,
    },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'shared-files',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /shared-\w+\.js$/ }, ({ path, resolveDir }) => ({
            path: resolve(resolveDir, path),
            namespace: 'shared',
          }));
          onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({ contents: texts.get(path), resolveDir: lib }));
        },
      },
    ],
  });
  merged.forEach((path) => texts.delete(path));
  texts.forEach((text, path) => {
    const to = relative(dirname(path), core);
    const inCore = (from) => merged.has(join(dirname(path), from));
    texts.set(
      path,
      text.replace(IMPORT, (line, list, from) =>
        inCore(from) ? `import ${list}${JSON.stringify(to.startsWith('.') ? to : `./${to}`)};` : line,
      ),
    );
  });
  return texts.set(core, one[0].text);
}

/** An import as esbuild writes it: the names, and the file. */
const IMPORT = /^import ((?:\{[^}]*\} from )?)"(\.[^"]*)";$/gm;

/**
 * Names of classes as in the source: messages show them, and the bundler renames classes that name themselves. Its option keepNames does the same for
 * every function, also for those that are made in a loop, which takes a tenth of the time of a large post-render.
 */
function namesOf(code) {
  return [...code.matchAll(/^var ((\w+?)\d*) = class /gm)]
    .map(([, variable, name]) => `Object.defineProperty(${variable}, "name", { value: ${JSON.stringify(name)} });\n`)
    .join('');
}

/**
 * Exports values in place of getters, which every call of a function of another file would go through: no file needs another one before that is loaded,
 * because there are no import cycles.
 */
function withValues(code) {
  const [whole, list] =
    /__export\(stdin_exports, \{\n([^]*?)\n\}\);\nmodule\.exports = __toCommonJS\(stdin_exports\);\n/.exec(code) ?? [];
  return whole === undefined
    ? code
    : `${code.replace(whole, '')}module.exports = {\n${list.replaceAll(': () => ', ': ')}\n};\n`;
}

/** The values that a module exports from others, each with its module. */
function exportsOf(module) {
  const text = readFileSync(join(root, 'src', `${module}.ts`), 'utf8');
  const pathOf = (from) => posix.join(posix.dirname(module), from.replace(/\.js$/, ''));
  const all = [...text.matchAll(/^export \* from '(.+)';$/gm)].flatMap(([, from]) => [...exportsOf(pathOf(from))]);
  const named = [...text.matchAll(/^export \{([^}]*)\} from '(.+)';$/gm)].flatMap(([, names, from]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => [name, pathOf(from)]),
  );
  return new Map([...all, ...named]);
}

/** The list at the end is never assigned: Node.js reads in it which names an ES module can import. */
function indexOf(index, names) {
  const to = (module) => JSON.stringify(`./${posix.relative(posix.dirname(index), module)}.js`);
  return [
    '"use strict";',
    'Object.defineProperty(exports, "__esModule", { value: true });',
    `require(${to(INDEXES[index])});`,
    'const load = (name, get) => Object.defineProperty(exports, name, { enumerable: true, get: () => get()[name] });',
    ...[...names].map(([name, module]) => `load(${JSON.stringify(name)}, () => require(${to(module)}));`),
    `0 && (module.exports = { ${[...names.keys()].join(', ')} });`,
    '',
  ].join('\n');
}

function lazily(line, name) {
  const load = line.slice(line.indexOf('require'), -1);
  return `var ${name} = new Proxy({}, { get: (_, key) => ${load}[key] });`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  await build();
}

// Builds lib: declarations by tsc, JavaScript by esbuild. A second run changes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root, runBin } from './install.mjs';

const lib = join(root, 'lib');

/** What users import and run. The peers are entries of their own because they must run before anything else is loaded. */
const ENTRIES = ['index', 'pulumi/index', 'app/command/main', 'constructs/peers', 'pulumi/peers'];

/** Dependencies that are loaded when they are first used: few programs read YAML or compare Corefiles, and they are 90 files. */
const LAZY = /^var (import_\w+) = require\("(?:yaml|diff)"\);$/gm;

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

/** One file per entry, and files that several entries share: a file per module would double the time of an import (npm run bench:import). */
async function bundles() {
  // A static import would need the dependency before it is installed.
  const { build: bundle, transform } = await import('esbuild');
  const { outputFiles } = await bundle({
    entryPoints: ENTRIES.map((name) => join(root, 'src', `${name}.ts`)),
    outbase: join(root, 'src'),
    outdir: lib,
    chunkNames: 'shared-[hash]',
    tsconfig: join(root, 'tsconfig.build.json'),
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    // only ES modules can be split, and the package is CommonJS
    format: 'esm',
    keepNames: true,
    // sideEffects of package.json is about lib
    ignoreAnnotations: true,
    write: false,
  });
  const files = new Map();
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, { format: 'cjs', target: 'node20', platform: 'node' });
    files.set(path, code.replace(LAZY, lazily));
  }
  return files;
}

function lazily(line, name) {
  const load = line.slice(line.indexOf('require'), -1);
  return `var ${name} = new Proxy({}, { get: (_, key) => ${load}[key] });`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  await build();
}

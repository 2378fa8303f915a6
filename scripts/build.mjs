// Builds lib: declarations by tsc, JavaScript with source maps by rolldown. A second run changes nothing.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root, runBin } from './install.mjs';

const lib = join(root, 'lib');
const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Modules that are loaded by their path in lib: entry points of package.json, their checks for peer dependencies, the command, and the Pulumi plugin. */
function entries() {
  const exported = Object.values(json('package.json').exports).flatMap((entry) => entry.default ?? []);
  const modules = exported.map((path) => path.slice('./lib/'.length, -'.js'.length));
  return [...modules, 'constructs/peers', 'pulumi/peers', 'cli/main', 'pulumi/provider'];
}

/** The modules that programs import: constructs and components. */
function doorsOf({ exports }) {
  return Object.entries(exports).flatMap(([door, entry]) =>
    entry.default === undefined || door === './testing' ? [] : [entry.default.slice('./lib/'.length, -'.js'.length)],
  );
}

export async function build() {
  runBin('tsc', ['-p', 'tsconfig.build.json']);
  // A static import would need the dependency before it is installed.
  const { build: rolldown } = await import('rolldown');
  const bundle = (inputs, output) =>
    rolldown({
      input: Object.fromEntries(inputs.map((entry) => [entry, join(root, 'src', `${entry}.ts`)])),
      tsconfig: join(root, 'tsconfig.build.json'),
      platform: 'node',
      external: /^[^./]/,
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      // scripts/texts.cjs
      moduleTypes: { '.sh': 'text', '.html': 'text', '.js': 'text' },
      treeshake: false,
      write: false,
      output: { dir: lib, format: 'cjs', ...output },
    });
  const doors = await bundle(doorsOf(json('package.json')), {});
  const ofDoors = new Set(doors.output.flatMap(({ modules = {} }) => Object.keys(modules)));
  const { output } = await bundle(entries(), {
    esModule: true,
    // a test loads Pulumi by require, as jest does
    dynamicImportInCjs: false,
    // messages show names of classes
    keepNames: true,
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    chunkFileNames: 'shared-[name].js',
    // one file for each room, because Node.js needs three times as long for one for each module; from the ground up, because a group takes what it needs.
    // What only commands need is in a file of its own, which programs do not read.
    codeSplitting: {
      groups: json('scripts/rooms.json').flatMap((name) => {
        const isInRoom = (id) => id.startsWith(join(root, 'src', name, '/'));
        return [
          { name, test: (id) => isInRoom(id) && ofDoors.has(id) },
          { name: `${name}-commands`, test: (id) => isInRoom(id) && !ofDoors.has(id) },
        ];
      }),
    },
  });
  const files = new Map(output.map(({ fileName, code, source }) => [join(lib, fileName), code ?? source]));
  readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .map((path) => join(lib, path))
    .filter((path) => /\.js(\.map)?$/.test(path) && !files.has(path))
    .forEach((path) => rmSync(path));
  for (const [path, text] of files) {
    // other processes may be reading what has not changed
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
      writeFileSync(path, text);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  await build();
}

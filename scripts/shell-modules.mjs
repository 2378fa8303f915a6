// node scripts/shell-modules.mjs: makes of the .sh files of each folder of src one module, shell-files.ts, because what users get has no files to read.
// --check: writes nothing, and fails when one is stale. Nothing is taken out of a file: comments and indentation reach the machine.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The modules, by path below the root. */
export function shellModules() {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sh'),
  );
  const folders = new Set(names.map((name) => dirname(name)));
  return new Map(
    [...folders].map((folder) => [
      join('src', folder, 'shell-files.ts'),
      moduleOf(names.filter((name) => dirname(name) === folder).sort()),
    ]),
  );
}

function moduleOf(files) {
  const entries = files.map((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return `  '${file.slice(file.lastIndexOf('/') + 1)}': ${JSON.stringify(text)},`;
  });
  return `${[
    '// Made of the .sh files of this folder by `npm run shell`. Do not edit it: edit those. cspell:disable',
    '',
    '/** What runs on machines, by file. */',
    'export const SHELL = {',
    ...entries,
    '};',
  ].join('\n')}\n`;
}

/** Writes the modules that are stale, or only names them. */
export function updateShellModules({ check }) {
  const stale = [...shellModules()].filter(([path, text]) => textOf(path) !== text);
  for (const [path, text] of check ? [] : stale) {
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  return stale.map(([path]) => path);
}

function textOf(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = updateShellModules({ check });
  if (check && stale.length > 0) {
    console.error(stale.map((path) => `${path} is stale: run npm run shell`).join('\n'));
    process.exitCode = 1;
  }
}

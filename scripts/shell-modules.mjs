// node scripts/shell-modules.mjs: makes one module of the .sh files of each folder of src, shell-files.ts, and one of its .html and .js files, page-files.ts,
// because what users get has no files to read. --check: writes nothing, and fails when one is stale. Nothing is taken out of a file: comments and indentation
// reach the machine.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const KINDS = [
  { module: 'shell-files.ts', name: 'SHELL', extensions: ['.sh'], what: 'What runs on machines, by file.' },
  {
    module: 'page-files.ts',
    name: 'PAGE',
    extensions: ['.html', '.js'],
    what: 'Parts of a page for a browser, by file.',
  },
];

/** The modules, by path below the root. */
export function shellModules() {
  const all = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return new Map(
    KINDS.flatMap((kind) => {
      const files = all.filter((file) => kind.extensions.includes(extname(file))).sort();
      return [...new Set(files.map((file) => dirname(file)))].map((folder) => [
        join('src', folder, kind.module),
        moduleOf(
          kind,
          files.filter((file) => dirname(file) === folder),
        ),
      ]);
    }),
  );
}

function moduleOf({ name, extensions, what }, files) {
  const entries = files.map((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return `  '${basename(file)}': ${JSON.stringify(text)},`;
  });
  return `${[
    `// Made of the ${extensions.join(' and ')} files of this folder by \`npm run shell\`. Do not edit it: edit those. cspell:disable`,
    '',
    `/** ${what} */`,
    `export const ${name} = {`,
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

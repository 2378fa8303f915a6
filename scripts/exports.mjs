// node scripts/exports.mjs: writes what each entry point exports: every exported declaration whose docstring has an @category, the section of API.md that it
// is in. So a new construct is in no list. --check: writes nothing, and fails when one is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'));
const CONTROL_PLANE = ['storage', 'control-plane', 'openstack'];
const DELIVERY = ['delivery'];
/** What judges manifests: the rules, what reads files for them, what predicts outages, and what compares fleets. */
const CHECKS = ['checks', 'app/checks', 'placement/outages', 'upgrades', 'diff'];

/** The entry points: what they are, what they load first, and the files that they export from. */
const ENTRIES = {
  'core.ts': {
    title: 'What both entry points (cdk8s and Pulumi) export.',
    first: [],
    from: (path) =>
      path === 'error-codes' ||
      path === 'errors' ||
      (!isIn(path, CHECKS) &&
        isIn(
          path,
          rooms.filter((room) => ![...CONTROL_PLANE, ...DELIVERY].includes(room)),
        )),
  },
  'index.ts': {
    title: '`edge-nodepools`.',
    first: ["import './constructs/peers.js';", "export * from './core.js';"],
    from: (path) =>
      (isIn(path, ['app']) && !isIn(path, CHECKS)) ||
      (isIn(path, ['constructs']) && !isIn(path, ['constructs/control-plane', 'constructs/delivery'])),
  },
  'pulumi/index.ts': {
    title: '`edge-nodepools/pulumi`.',
    first: ["import './peers.js';", "export * from '../core.js';"],
    from: (path) => isIn(path, ['pulumi']) && !isIn(path, ['pulumi/control-plane', 'pulumi/delivery']),
  },
  'checks.ts': {
    title: '`edge-nodepools/checks`, which loads neither cdk8s nor Pulumi.',
    first: [],
    from: (path) => isIn(path, CHECKS),
  },
  'delivery-core.ts': {
    title: 'What both entry points of deliveries (cdk8s and Pulumi) export.',
    first: [],
    from: (path) => isIn(path, DELIVERY),
  },
  'delivery.ts': {
    title: '`edge-nodepools/delivery`.',
    first: ["import './constructs/peers.js';", "export * from './delivery-core.js';"],
    from: (path) => isIn(path, ['constructs/delivery']),
  },
  'pulumi/delivery.ts': {
    title: '`edge-nodepools/pulumi/delivery`.',
    first: ["import './peers.js';", "export * from '../delivery-core.js';"],
    from: (path) => isIn(path, ['pulumi/delivery']),
  },
  'control-plane-core.ts': {
    title: 'What both entry points of the control plane (cdk8s and Pulumi) export.',
    first: [],
    from: (path) => isIn(path, CONTROL_PLANE),
  },
  'control-plane.ts': {
    title: '`edge-nodepools/control-plane`.',
    first: ["import './constructs/peers.js';", "export * from './control-plane-core.js';"],
    from: (path) => isIn(path, ['constructs/control-plane']),
  },
  'pulumi/control-plane.ts': {
    title: '`edge-nodepools/pulumi/control-plane`.',
    first: ["import './peers.js';", "export * from '../control-plane-core.js';"],
    from: (path) => isIn(path, ['pulumi/control-plane']),
  },
};

function isIn(path, folders) {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

/** The exported declarations of a file with an @category, in their order: `type NodeFile`. */
function exportsOf(path) {
  const text = readFileSync(join(root, 'src', `${path}.ts`), 'utf8');
  const declarations = text.matchAll(
    /\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\n(?:\/\/[^\n]*\n)*export (?:abstract )?(?<kind>class|interface|type|function|enum|const) (?<name>\w+)/g,
  );
  return (
    [...declarations]
      .filter(({ groups }) => groups.comment.includes('@category '))
      .map(({ groups: { kind, name } }) => (kind === 'interface' || kind === 'type' ? `type ${name}` : name))
      // a class that is also an interface
      .filter((name, _, all) => !name.startsWith('type ') || !all.includes(name.slice('type '.length)))
  );
}

/** The modules, by path below the root. */
async function modules() {
  // a static import would need the dependency before it is installed
  const { format, resolveConfig } = await import('prettier');
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && !(name in ENTRIES))
    .map((name) => name.slice(0, -'.ts'.length))
    .sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  const made = Object.entries(ENTRIES).map(async ([entry, { title, first, from }]) => {
    const folder = entry.includes('/') ? `${entry.slice(0, entry.lastIndexOf('/'))}/` : '';
    const lines = files.filter(from).flatMap((path) => {
      const names = exportsOf(path);
      const types = names.every((name) => name.startsWith('type '));
      const list = names.map((name) => (types ? name.slice('type '.length) : name)).join(', ');
      const file = `./${path.slice(folder.length)}.js`;
      return names.length === 0 ? [] : [`export ${types ? 'type ' : ''}{ ${list} } from '${file}';`];
    });
    const about = `// ${title} Made by \`npm run exports\` of the declarations that have an @category.`;
    const path = join(root, 'src', entry);
    const text = [about, ...first.flatMap((line) => [line, '']), ...lines].join('\n');
    return [`src/${entry}`, await format(text, { ...(await resolveConfig(path)), filepath: path })];
  });
  return new Map(await Promise.all(made));
}

/** As the rooms are built. */
function rankOf(path) {
  return rooms.indexOf(path.split('/')[0]);
}

/** Writes the modules that are stale, or only names them. */
export async function updateExports({ check }) {
  const stale = [...(await modules())].filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text);
  for (const [path, text] of check ? [] : stale) {
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  return stale.map(([path]) => path);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes('--check');
  const stale = await updateExports({ check });
  if (check && stale.length > 0) {
    console.error(stale.map((path) => `${path} is stale: run npm run exports`).join('\n'));
    process.exitCode = 1;
  }
}

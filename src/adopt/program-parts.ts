import type { ImportModel } from './import-model.js';
import type { PoolTable } from './program-layout.js';
import type { ImportedObject } from './recognized-object.js';
import { recordedObject } from './import-model.js';
import { HOST_NETWORK_LABEL, NODE_POOL_LABEL } from '../kubernetes/labels.js';
import { importText, LINE_WIDTH, printed, quotedText } from './program-printer.js';

/** The declaration of the cluster. */
export function clusterSource({ cluster, releases }: ImportModel, door: string): string {
  const { openYurt, kubernetes } = releases;
  const label = { key: cluster.hostNetworkLabel.key, value: cluster.hostNetworkLabel.value };
  return [
    importText(['EdgeCluster'], door),
    '',
    ...commentLines(`OpenYurt: by ${openYurt.shownBy}. Kubernetes: by ${kubernetes.shownBy}.`, 0),
    'export const cluster = EdgeCluster.of({',
    `  openYurt: ${quotedText(cluster.openYurt)},`,
    `  kubernetes: ${quotedText(cluster.kubernetes)},`,
    ...(cluster.apiServer === undefined
      ? []
      : [
          '  // of the ConfigMaps of kubeadm: what a join needs',
          `  apiServer: ${quotedText(cluster.apiServer)},`,
          ...(cluster.caCertHashes.length === 0 ? [] : [`  caCertHashes: ${printed(cluster.caCertHashes, 2, 16)},`]),
        ]),
    ...(cluster.yurthub === true ? ['  yurthub: true,'] : []),
    ...(label.key === HOST_NETWORK_LABEL ? [] : [`  hostNetworkLabel: ${printed(label, 2, 20)},`]),
    ...(cluster.nodePoolLabel === NODE_POOL_LABEL ? [] : [`  nodePoolLabel: ${quotedText(cluster.nodePoolLabel)},`]),
    '});',
    '',
  ].join('\n');
}

/** Imports of names of which some are types. */
export function importsOf(names: readonly string[], from: string): string[] {
  return names.length === 0 ? [] : [importText([...new Set(names)], from)];
}

/** A comment, with lines of the width of the program. */
export function commentLines(text: string, indent: number, begin = '// ', end = ''): string[] {
  const safe = text.replace(/\*\//g, '* /').replace(/\s+/g, ' ');
  if (end !== '') {
    return [`${' '.repeat(indent)}${begin}${safe}${end}`];
  }
  const lines = [''];
  for (const word of safe.split(' ')) {
    const last = lines.at(-1) as string;
    const longer = last === '' ? word : `${last} ${word}`;
    if (indent + begin.length + longer.length > LINE_WIDTH && last !== '') {
      lines.push(word);
    } else {
      lines[lines.length - 1] = longer;
    }
  }
  return lines.map((line) => `${' '.repeat(indent)}${begin}${line}`);
}

/** Values of secrets come from the environment, or from files: what a process hands to the next one has a limit. */
export const SECRET_SOURCE = `import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A value that is not in the program: of an environment variable, or of a file in the folder secrets. README.md has the commands that write them. */
export function secret(name: string): string {
  const file = join(__dirname, 'secrets', name);
  const value = process.env[name] ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
  // an empty one would empty the Secret
  if (value === '') {
    throw new Error(\`\${name} is not set, or it is empty: README.md has the command that writes secrets/\${name}\`);
  }
  return value;
}
`;

/** The objects, for the test of the program; without secrets. */
export function recordOf(objects: readonly ImportedObject[]): string {
  return `${JSON.stringify(
    objects.map(({ object }) => recordedObject(object)),
    undefined,
    2,
  )}\n`;
}

/** Those of the names that a text calls or reads from. */
export function usedOf(text: string, names: readonly string[]): string[] {
  return names.filter((name) => new RegExp(`\\b${name}\\b[.(]`).test(text));
}

/** The type of a table: whole, or a begin, a type, those of its keys that are picked, and an end. */
type TableType =
  readonly [whole: string] | readonly [begin: string, type: string, keys: readonly string[], end: string];

/** A table of pools, with what differs in them. */
export function tableText({ table, varying, pools }: PoolTable, type: TableType): string {
  const rows = pools.map(({ poolName, declared }) => ({
    poolName,
    ...Object.fromEntries(
      varying.map((key) => [key, declared?.recognized?.props[key]] as const).filter(([, value]) => value !== undefined),
    ),
  }));
  const begin = tableBegin(table, type);
  const values = printed(rows, 0, begin.split('\n').at(-1)?.length ?? 0);
  return `/** Pools that differ only in these values. */\n${begin}${values};`;
}

/** `const TABLE: Type[] = `, on as many lines as prettier gives it. */
function tableBegin(table: string, [begin, type, keys = [], end]: TableType): string {
  const union = keys.map((key) => `'${key}'`).join(' | ');
  const flat = `const ${table}: ${begin}${type === undefined ? '' : `${type}, ${union}${end}`} = `;
  return flat.length + 1 <= LINE_WIDTH || type === undefined
    ? flat
    : [`const ${table}: ${begin}`, `  ${type},`, `  ${union}`, `${end} = `].join('\n');
}

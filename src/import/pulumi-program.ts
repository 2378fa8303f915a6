import type { EdgeArtifact } from '../text/artifact.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import type { ImportModel } from './import-model.js';
import type { FileMember, PoolMember, PoolTable, ProgramFile, ProgramLayout } from './program-layout.js';
import { kebabName, UniqueNames } from './program-names.js';
import {
  clusterSource,
  commentLines,
  holdsExpression,
  importsOf,
  recordOf,
  tableBegin,
  usedOf,
} from './program-parts.js';
import { Expression, importText, printed, quotedText } from './program-printer.js';
import type { Recognized } from './recognized-object.js';

const DOOR = 'edge-nodepools/pulumi';

/** The source files of a Pulumi program. */
export function pulumiProgram(model: ImportModel, layout: ProgramLayout): EdgeArtifact[] {
  const names = new ResourceNames();
  const hasPools = layout.pools.length + layout.tables.length + layout.plainPools.length > 0;
  const files = [...layout.files, ...layout.patches];
  const pools = hasPools ? [{ path: 'pools.ts', content: poolsModule(layout, names) }] : [];
  const sources = files.map((file) => ({ path: `${file.path}.ts`, content: moduleSource(file, layout, names) }));
  const all = [...pools, ...sources].map(({ content }) => content).join('');
  return [
    { path: 'cluster.ts', content: clusterSource(model, DOOR) },
    ...pools,
    ...(/\b(?:PlainObject|PartialObject)\b/.test(all) ? [{ path: 'plain-object.ts', content: PLAIN_OBJECT }] : []),
    ...(/\bwithout\(/.test(all) ? [{ path: 'without.ts', content: WITHOUT }] : []),
    ...sources,
    {
      path: 'index.ts',
      content: [...(hasPools ? ['./pools'] : []), ...files.map(({ path }) => `./${path}`)]
        .sort()
        .map((path) => `import '${path}';\n`)
        .join(''),
    },
    { path: 'index.test.ts', content: TEST },
    { path: 'imported.json', content: recordOf(model.objects) },
  ];
}

/** Names of resources: that of the object, with its namespace. Two resources of one type never have the same. */
class ResourceNames {
  private readonly byType = new Map<string, UniqueNames>();

  public of(type: string, { object }: Pick<FileMember, 'object'>): string {
    const { name, namespace } = mapAt(object, 'metadata');
    const names = this.byType.get(type) ?? new UniqueNames();
    this.byType.set(type, names);
    return names.of(kebabName(...(typeof namespace === 'string' ? [namespace] : []), String(name)));
  }
}

/** `new Class('name', { … });` */
function resource(
  className: string,
  name: string,
  args: PlainMap,
  { indent = 0, assignedTo = '', options = '' } = {},
): string {
  const pad = ' '.repeat(indent);
  const begin = `${assignedTo}new ${className}(${name}, `;
  const flat = printed(args, indent, indent + begin.length, options.length + 4);
  if (options === '') {
    return `${pad}${begin}${printed(args, indent, indent + begin.length, 2)});`;
  }
  return flat.includes('\n')
    ? [
        `${pad}${assignedTo}new ${className}(`,
        `${pad}  ${name},`,
        `${pad}  ${printed(args, indent + 2, indent + 2)},`,
        `${pad}  ${options},`,
        `${pad});`,
      ].join('\n')
    : `${pad}${begin}${flat}, ${options});`;
}

/** Options that keep a NodePool what it is in the cluster. */
function withoutOption({ without = [] }: Pick<Recognized, 'without'>): string {
  return without.length === 0
    ? ''
    : `without(${without.map((path) => `[${path.map((step) => quotedText(String(step))).join(', ')}]`).join(', ')})`;
}

function poolsModule({ pools, tables, plainPools }: ProgramLayout, names: ResourceNames): string {
  const body = [
    ...tables.map(tableText),
    ...pools.map(poolText),
    ...plainPools.map((member) => memberText(member, names, undefined)),
  ].join('\n\n');
  const types = tables.map(({ className }) => `type ${className}Args`);
  return [
    ...importsOf([...usedOf(body, ['HostNetworkNodePool', 'RegularNodePool']), ...types], DOOR),
    ...(/\bcluster\b/.test(body) ? ["import { cluster } from './cluster';"] : []),
    ...(body.includes('new PlainObject(') ? ["import { PlainObject } from './plain-object';"] : []),
    ...(body.includes('without(') ? ["import { without } from './without';"] : []),
    '',
    body,
    '',
  ].join('\n');
}

function tableText({ table, variable, className, common, varying, without, pools }: PoolTable): string {
  const rows = pools.map(({ poolName, declared }) => ({
    poolName,
    ...Object.fromEntries(
      varying.map((key) => [key, declared?.recognized?.props[key]] as const).filter(([, value]) => value !== undefined),
    ),
  }));
  const isHeld = className === 'HostNetworkNodePool';
  const name = '{ poolName: string }';
  const begin = tableBegin(
    table,
    varying.length === 0 ? [`${name}[]`] : [`(${name} & Pick<`, `${className}Args`, varying, '>)[]'],
  );
  const args = { cluster: new Expression('cluster'), '...pool': new Expression('...pool'), ...common };
  return [
    '/** Pools that differ only in these values. */',
    `${begin}${printed(rows, 0, begin.split('\n').at(-1)?.length ?? 0)};`,
    '',
    ...(isHeld ? [`export const ${variable}: Record<string, HostNetworkNodePool> = {};`] : []),
    `for (const pool of ${table}) {`,
    resource(className, 'pool.poolName', args, {
      indent: 2,
      assignedTo: isHeld ? `${variable}[pool.poolName] = ` : '',
      options: withoutOption({ ...(without === undefined ? {} : { without }) }),
    }),
    '}',
  ].join('\n');
}

function poolText({ poolName, variable, declared, facts }: PoolMember): string {
  const given = { cluster: new Expression('cluster'), poolName };
  if (declared?.recognized === undefined) {
    const begin = `export const ${variable} = HostNetworkNodePool.fromPoolName(`;
    return [
      '// Its NodePool is not among what was imported, or not one that a class makes.',
      `${begin}${printed({ ...given, ...facts }, 0, begin.length, 2)});`,
    ].join('\n');
  }
  const { className, props } = declared.recognized;
  return resource(
    className,
    quotedText(poolName),
    { ...given, ...props },
    {
      assignedTo: className === 'HostNetworkNodePool' ? `export const ${variable} = ` : '',
      options: withoutOption(declared.recognized),
    },
  );
}

/** Without it a component adds an annotation for the provider, and the object would be another one. */
function awaited({ className }: Recognized, kind: unknown): PlainMap {
  return className === 'HostNetworkWorkload' || (className === 'ExcludedWorkload' && kind === 'DaemonSet')
    ? { await: true }
    : {};
}

function memberText(
  member: FileMember,
  names: ResourceNames,
  poolExpression: ((name: string) => string) | undefined,
): string {
  const { object, recognized, reason, patchFile } = member;
  if (recognized !== undefined && poolExpression !== undefined) {
    const pools = (recognized.pools ?? []).map((name) => new Expression(`pools.${poolExpression(name)}`));
    const on =
      pools.length === 1 ? { pool: pools[0] } : pools.length > 1 ? { pools } : { cluster: new Expression('cluster') };
    const { className, props } = recognized;
    const isSet = !('workload' in props);
    const name = isSet ? kebabName(className.replace(/(?<=[a-z])(?=[A-Z])/g, '-')) : names.of(className, member);
    return resource(className, quotedText(name), { ...on, ...awaited(recognized, object.kind), ...props });
  }
  const className = patchFile === undefined ? 'PlainObject' : 'PartialObject';
  const name = names.of(`${className} ${String(object.apiVersion)} ${String(object.kind)}`, member);
  return [
    ...(reason === undefined ? [] : commentLines(`A plain object: ${reason}.`, 0)),
    resource(className, quotedText(name), object),
  ].join('\n');
}

function moduleSource(file: ProgramFile, { poolExpression }: ProgramLayout, names: ResourceNames): string {
  const text = file.members.map((member) => memberText(member, names, poolExpression)).join('\n\n');
  const up = '../'.repeat(file.path.split('/').length - 1) || './';
  const recognized = file.members.flatMap((member) => member.recognized ?? []);
  const classes = [...new Set(recognized.map(({ className }) => className))];
  const needsSecrets = file.members.some(({ object }) => holdsExpression(object));
  const plain = usedOf(text, ['PlainObject', 'PartialObject']);
  return [
    ...commentLines(file.title, 0),
    ...(needsSecrets ? ["import * as pulumi from '@pulumi/pulumi';"] : []),
    ...importsOf([...classes, ...usedOf(text, ['ExclusionStrategy', 'SystemComponent'])], DOOR),
    ...(recognized.some(({ pools = [] }) => pools.length === 0) ? [`import { cluster } from '${up}cluster';`] : []),
    ...(plain.length > 0 ? [importText(plain, `${up}plain-object`)] : []),
    ...(recognized.some(({ pools = [] }) => pools.length > 0) ? [`import * as pools from '${up}pools';`] : []),
    '',
    ...(needsSecrets ? ['const config = new pulumi.Config();', ''] : []),
    text,
    '',
  ].join('\n');
}

const PLAIN_OBJECT = `import * as pulumi from '@pulumi/pulumi';

/** A Kubernetes object of any kind, as a manifest has it. */
interface Manifest {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** The type that @pulumi/kubernetes gives the kind, so that its provider makes it. */
function typeOf({ apiVersion, kind }: Manifest): string {
  return \`kubernetes:\${apiVersion.includes('/') ? apiVersion : \`core/\${apiVersion}\`}:\${kind}\`;
}

/** A whole object. The classes of @pulumi/kubernetes would drop fields that they do not know. */
export class PlainObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(typeOf(manifest), name, manifest, options);
  }
}

/** Some fields of an object that another tool manages. */
export class PartialObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(\`\${typeOf(manifest)}Patch\`, name, manifest, options);
  }
}
`;

const WITHOUT = `import type { ComponentResourceOptions, ResourceTransformationArgs } from '@pulumi/pulumi';

type Fields = Record<string, any>;

function withoutField(fields: Fields, [step = '', ...below]: string[]): Fields {
  const { [step]: value, ...others } = fields;
  return below.length === 0 ? others : { ...others, [step]: withoutField(value as Fields, below) };
}

/** Keeps a NodePool as it is in the cluster: without what its class would add. Remove it to get that. */
export function without(...paths: string[][]): ComponentResourceOptions {
  return {
    transformations: [
      ({ type, props, opts }: ResourceTransformationArgs) =>
        type.endsWith(':NodePool') ? { props: paths.reduce(withoutField, props as Fields), opts } : undefined,
    ],
  };
}
`;

const TEST = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from 'edge-nodepools/pulumi';
import { Testing } from 'edge-nodepools/testing';

// What was imported. When the program is to make something else, change or remove this file and its test.
const text = readFileSync(join(__dirname, 'imported.json'), 'utf8');

const nameOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  [apiVersion, kind, metadata?.namespace, metadata?.name].join(' ');

const sorted = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** The value of a secret, as mocks see it. */
const revealed = (value: any): any => (value?.['4dabf18193072939515e22adb298388d'] === undefined ? value : value.value);

it('makes what was imported, object by object', async () => {
  // in place of the secrets, the names of their variables
  const variables = text.match(/(?<="<)[a-z0-9-]+(?=>")/g) ?? [];
  const config = Object.fromEntries(variables.map((name) => [\`project:\${name}\`, \`<\${name}>\`]));
  const { objects } = await Testing.preview(() => jest.requireActual('./index'), config);
  const plain = objects.map((object) =>
    Object.fromEntries(Object.entries(object).map(([field, value]) => [field, revealed(value)])),
  );
  expect(sorted(plain as KubernetesObject[])).toEqual(sorted(JSON.parse(text) as KubernetesObject[]));
});
`;

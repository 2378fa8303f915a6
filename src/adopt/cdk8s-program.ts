import type { PlainMap } from '../base/plain-data.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { cdk8sLosses, pointerOf } from './cdk8s-losses.js';
import type { ImportModel } from './import-model.js';
import {
  type FileMember,
  type PoolTable,
  type PoolVariable,
  type ProgramFile,
  type ProgramLayout,
  referenceReason,
} from './program-layout.js';
import { UniqueNames, constructId, variableName } from './program-names.js';
import { Call, Expression, callText, holdsExpression, importText } from './program-printer.js';
import { SECRET_SOURCE, clusterSource, commentLines, importsOf, recordOf, tableText, usedOf } from './program-parts.js';
import type { Recognized } from './recognized-object.js';

/** The source files of a cdk8s app. */
export function cdk8sProgram(model: ImportModel, layout: ProgramLayout): EdgeArtifact[] {
  const hasPools = layout.pools.length + layout.tables.length + layout.plainPools.length > 0;
  const patched = [...model.objects, ...model.sets]
    .flatMap(({ recognized }) => recognized ?? [])
    .filter(({ without, kept }) => without !== undefined || kept !== undefined);
  return [
    { path: 'cluster.ts', content: clusterSource(model, 'edge-nodepools') },
    ...(hasPools ? [{ path: 'pools.ts', content: poolsSource(layout) }] : []),
    ...(patched.length > 0 ? [{ path: 'kept-fields.ts', content: keptFieldsSource(patched) }] : []),
    ...(model.secrets.length > 0 ? [{ path: 'secret.ts', content: SECRET_SOURCE }] : []),
    ...(layout.crds.length > 0 ? [{ path: 'crds.ts', content: CRDS }] : []),
    ...layout.crds.map(({ path, content }) => ({ path, content })),
    ...[...layout.files, ...layout.patches, ...layout.secrets].map((file) => ({
      path: `${file.path}.ts`,
      content: chartSource(file, layout),
    })),
    { path: 'fleet.ts', content: fleetSource(layout, hasPools) },
    { path: 'main.ts', content: mainSource(layout.patches.length > 0) },
    ...(layout.secrets.length > 0 ? [{ path: SECRETS_MAIN, content: secretsMainSource() }] : []),
    { path: 'fleet.test.ts', content: testSource(model, layout) },
    { path: 'imported.json', content: recordOf(model.objects) },
  ];
}

/** `new Class(this, 'id', { … });` */
function declaration(className: string, id: string, props: PlainMap, indent = 4, assignedTo = ''): string {
  return callText(`${assignedTo}new ${className}`, [new Expression('this'), id, props], indent);
}

function poolsSource({ pools, tables, plainPools }: ProgramLayout): string {
  const body: string[] = [];
  const names = new UniqueNames();
  for (const { table, variable, className, common, without, kept: fields } of tables) {
    const given = { cluster: new Expression('cluster'), '...pool': new Expression('...pool'), ...common };
    const isHeld = className === 'HostNetworkNodePool';
    const holder = `this.${variable}[pool.poolName]`;
    const target = isHeld ? holder : 'made';
    const kept = [...withoutLines(target, without, 6), ...keptLines(target, fields, 6, 'pool.poolName')];
    const assigned = isHeld ? `${holder} = ` : kept.length > 0 ? 'const made = ' : '';
    const values = [new Expression('this'), new Expression('pool.poolName'), given];
    body.push(
      `    for (const pool of ${table}) {`,
      callText(`${assigned}new ${className}`, values, 6),
      ...kept,
      '    }',
      '',
    );
  }
  for (const member of pools) {
    body.push(...poolLines(member), '');
  }
  for (const member of plainPools) {
    body.push(...memberLines(member, undefined, names), '');
  }
  const text = body.join('\n');
  const held = [
    ...tables
      .filter(({ className }) => className === 'HostNetworkNodePool')
      .map(({ variable }) => `  readonly ${variable}: Record<string, HostNetworkNodePool> = {};`),
    ...pools.filter(isHeldPool).map((member) => `  readonly ${member.variable}: ${typeOfPool(member)};`),
  ];
  const classes = ['HostNetworkNodePool', 'RegularNodePool'].filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const types = tables.map(({ className }) => `${className}Props`);
  return [
    importText(['Chart', ...usedOf(text, ['ApiObject', 'JsonPatch'])], 'cdk8s'),
    importText(['Construct'], 'constructs', true),
    ...importsOf(
      [
        ...classes,
        ...held.flatMap((line) => /: (IHostNetworkNodePool);/.exec(line)?.[1] ?? []).map(asType),
        ...types.map(asType),
      ],
      'edge-nodepools',
    ),
    ...(classes.length > 0 ? ["import { cluster } from './cluster';"] : []),
    ...importsOf(usedOf(text, ['kept', 'without']), './kept-fields'),
    '',
    ...tables.flatMap(tableLines),
    '/** The pools of the cluster. */',
    'export class PoolsChart extends Chart {',
    ...held,
    ...(held.length > 0 ? [''] : []),
    '  constructor(scope: Construct, id: string) {',
    '    super(scope, id);',
    '',
    text.trimEnd(),
    '  }',
    '}',
    '',
  ].join('\n');
}

const asType = (name: string): string => `type ${name}`;

/** Host-network pools are what workloads refer to. */
function isHeldPool({ declared }: PoolVariable): boolean {
  return declared === undefined || declared.recognized?.className === 'HostNetworkNodePool';
}

function typeOfPool({ declared }: PoolVariable): string {
  return declared === undefined ? 'IHostNetworkNodePool' : 'HostNetworkNodePool';
}

function tableLines(table: PoolTable): string[] {
  return [tableText(table, ['Pick<', `${table.className}Props`, ['poolName', ...table.varying], '>[]']), ''];
}

function poolLines(member: PoolVariable): string[] {
  const { poolName, variable, declared, facts } = member;
  const given = { cluster: new Expression('cluster'), poolName };
  if (declared?.recognized === undefined) {
    const values = [new Expression('this'), constructId(poolName), { ...given, ...facts }];
    return [
      `    ${referenceReason(member)}`,
      callText(`this.${variable} = HostNetworkNodePool.fromPoolName`, values, 4),
    ];
  }
  const { className, props, without, kept: fields } = declared.recognized;
  const isHeld = className === 'HostNetworkNodePool';
  const holder = isHeld ? `this.${variable}` : variable;
  const kept = [...withoutLines(holder, without), ...keptLines(holder, fields)];
  const assigned = isHeld ? `${holder} = ` : kept.length > 0 ? `const ${variable} = ` : '';
  return [declaration(className, constructId(poolName), { ...given, ...props }, 4, assigned), ...kept];
}

/** The declaration of an object, with why it is a plain one. */
function memberLines(
  member: FileMember,
  poolExpression: ((name: string) => string) | undefined,
  names: UniqueNames,
): string[] {
  const { object, id, recognized, reason } = member;
  const variable = names.of(variableName(id));
  if (recognized !== undefined && poolExpression !== undefined) {
    const pools = (recognized.pools ?? []).map((name) => new Expression(`pools.${poolExpression(name)}`));
    const on =
      pools.length === 1 ? { pool: pools[0] } : pools.length > 1 ? { pools } : { cluster: new Expression('cluster') };
    const kept = [...withoutLines(variable, recognized.without), ...keptLines(variable, recognized.kept)];
    const assigned = kept.length > 0 ? `const ${variable} = ` : '';
    return [declaration(recognized.className, id, { ...on, ...recognized.props }, 4, assigned), ...kept];
  }
  const { given, patches } = cdk8sLosses(object);
  const comment = reason === undefined ? [] : commentLines(`A plain object: ${reason}.`, 4);
  if (patches.length === 0) {
    return [...comment, declaration('ApiObject', id, given)];
  }
  return [...comment, declaration('ApiObject', id, given, 4, `const ${variable} = `), ...lossLines(variable, object)];
}

function chartSource(file: ProgramFile, { poolExpression }: ProgramLayout): string {
  const names = new UniqueNames();
  const text = file.members.map((member) => memberLines(member, poolExpression, names).join('\n')).join('\n\n');
  const up = '../'.repeat(file.path.split('/').length - 1) || './';
  const recognized = file.members.flatMap((member) => member.recognized ?? []);
  const classes = [...new Set(recognized.map(({ className }) => className))];
  const needsPools = recognized.some(({ pools = [] }) => pools.length > 0);
  const needsCluster = recognized.some(({ pools = [] }) => pools.length === 0);
  const needsSecrets = file.members.some(({ object }) => holdsExpression(object));
  const plain = file.members.filter((member) => member.recognized === undefined);
  const isPatched =
    recognized.some(({ kept }) => kept !== undefined) ||
    plain.some(({ object }) => cdk8sLosses(object).patches.length > 0);
  const ofCdk8s = ['Chart', ...(plain.length > 0 ? ['ApiObject'] : []), ...(isPatched ? ['JsonPatch'] : [])];
  const constructor = `  constructor(scope: Construct, id: string${needsPools ? ', pools: PoolsChart' : ''}) {`;
  return [
    importText(ofCdk8s, 'cdk8s'),
    importText(['Construct'], 'constructs', true),
    ...importsOf([...classes, ...usedOf(text, ['ExclusionStrategy', 'SystemComponent'])], 'edge-nodepools'),
    ...(needsCluster ? [`import { cluster } from '${up}cluster';`] : []),
    ...importsOf(
      (['kept', 'without'] as const).filter((field) => recognized.some((each) => each[field] !== undefined)),
      `${up}kept-fields`,
    ),
    ...(needsPools ? [`import type { PoolsChart } from '${up}pools';`] : []),
    ...(needsSecrets ? [`import { secret } from '${up}secret';`] : []),
    '',
    ...commentLines(file.title, 0, '/** ', ' */'),
    `export class ${file.className} extends Chart {`,
    constructor,
    '    super(scope, id);',
    '',
    text,
    '  }',
    '}',
    '',
  ].join('\n');
}

/** The chart of a CustomResourceDefinition. */
const CRDS = `import { join } from 'node:path';
import { Chart, Include } from 'cdk8s';
import type { Construct } from 'constructs';

/** A CustomResourceDefinition, as a file has it. */
export class CrdChart extends Chart {
  constructor(scope: Construct, id: string, file: string) {
    super(scope, id);

    new Include(this, 'crd', { url: join(__dirname, file) });
  }
}
`;

function fleetSource({ files, crds, patches, secrets, pools, tables }: ProgramLayout, hasPools: boolean): string {
  const named = new Set([...pools.filter(isHeldPool), ...tables]);
  const usesPools = ({ members }: ProgramFile): boolean =>
    named.size > 0 && members.some(({ recognized }) => (recognized?.pools ?? []).length > 0);
  const all = [...files, ...patches, ...secrets];
  const isUsed = hasPools && files.some(usesPools);
  const add = (file: ProgramFile): string =>
    callText(
      `new ${file.className}`,
      [new Expression('app'), file.id, ...(usesPools(file) ? [new Expression('pools')] : [])],
      2,
    );
  const imports = [
    ...all.map(({ path, className: name }) => [`./${path}`, name] as const),
    ...(crds.length > 0 ? [['./crds', 'CrdChart'] as const] : []),
    ...(hasPools ? [['./pools', 'PoolsChart'] as const] : []),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    importText(['App'], 'cdk8s', true),
    ...imports.map(([path, name]) => importText([name], path)),
    '',
    '/** Everything that was imported: a chart for each application. */',
    'export function addFleet(app: App): void {',
    ...(hasPools ? [`  ${isUsed ? 'const pools = ' : ''}new PoolsChart(app, 'pools');`] : []),
    ...crds.map(({ id, path }) => callText('new CrdChart', [new Expression('app'), id, path], 2)),
    ...files.map(add),
    '}',
    ...(patches.length === 0
      ? []
      : [
          '',
          '/** Parts of objects, which are applied in a way of their own: docs/apply.md of edge-nodepools. */',
          'export function addPatches(app: App): void {',
          ...patches.map(add),
          '}',
        ]),
    ...(secrets.length === 0
      ? []
      : [
          '',
          '/** What has secrets, whose values it reads: apart, so that all others can be changed without them. */',
          'export function addSecrets(app: App): void {',
          ...secrets.map(add),
          '}',
        ]),
    '',
  ].join('\n');
}

function mainSource(hasPatches: boolean): string {
  return [
    ...(hasPatches ? ["import { join } from 'node:path';"] : []),
    importText(['EdgeApp', 'writeArtifacts'], 'edge-nodepools'),
    importText(['addFleet', ...(hasPatches ? ['addPatches'] : [])], './fleet'),
    '',
    'const app = new EdgeApp();',
    'addFleet(app);',
    'app.synth();',
    'writeArtifacts(app);',
    ...(hasPatches
      ? [
          '',
          "const patches = new EdgeApp({ outdir: join(app.outdir, 'patches') });",
          'addPatches(patches);',
          'patches.synth();',
        ]
      : []),
    '',
  ].join('\n');
}

/** The program that writes what has secrets. */
const SECRETS_MAIN = 'main-secrets.ts';

function secretsMainSource(): string {
  return [
    "import { join } from 'node:path';",
    importText(['EdgeApp'], 'edge-nodepools'),
    importText(['addSecrets'], './fleet'),
    '',
    "const app = new EdgeApp({ outdir: join(process.env.CDK8S_OUTDIR ?? 'dist', 'secrets') });",
    'addSecrets(app);',
    'app.synth();',
    '',
  ].join('\n');
}

function testSource(model: ImportModel, { patches, secrets }: ProgramLayout): string {
  const parts = [
    'addFleet',
    ...(patches.length > 0 ? ['addPatches'] : []),
    ...(secrets.length > 0 ? ['addSecrets'] : []),
  ];
  return [
    "import { readFileSync } from 'node:fs';",
    "import { join } from 'node:path';",
    importText(['App'], 'cdk8s'),
    importText(['type KubernetesObject', 'manifestsOf'], 'edge-nodepools'),
    importText(parts, './fleet'),
    '',
    '// What was imported. When the program is to make something else, change or remove this file and its test.',
    "const imported = JSON.parse(readFileSync(join(__dirname, 'imported.json'), 'utf8')) as KubernetesObject[];",
    '',
    'const nameOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>',
    "  [apiVersion, kind, metadata?.namespace, metadata?.name].join(' ');",
    '',
    'const sorted = (objects: KubernetesObject[]): KubernetesObject[] =>',
    '  [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));',
    '',
    "it('makes what was imported, object by object', () => {",
    ...(model.secrets.length === 0
      ? []
      : [
          '  // in place of the secrets, the names of their variables',
          `  const variables = JSON.stringify(imported).match(/(?<="<)[A-Z0-9_]+(?=>")/g) ?? [];`,
          '  variables.forEach((name) => (process.env[name] = `<${name}>`));',
        ]),
    `  const made = [${parts.join(', ')}].flatMap((add) => {`,
    '    const app = new App();',
    '    add(app);',
    '    return manifestsOf(app);',
    '  });',
    '  expect(sorted(made)).toEqual(sorted(imported));',
    '});',
    '',
  ].join('\n');
}

/** The module with the functions that keep objects as they are in the cluster. */
function keptFieldsSource(recognized: readonly Recognized[]): string {
  const hasKept = recognized.some(({ kept }) => kept !== undefined);
  const hasWithout = recognized.some(({ without }) => without !== undefined);
  return [
    "import { ApiObject, JsonPatch } from 'cdk8s';",
    "import type { Construct } from 'constructs';",
    ...(hasWithout ? [WITHOUT] : []),
    ...(hasKept ? [KEPT] : []),
    '',
  ].join('\n');
}

const WITHOUT = `
/** Keeps an object as it is in the cluster, without fields that its class would add. To get these, remove the call. */
export function without(declared: Construct, ...pointers: string[]): void {
  ApiObject.of(declared).addJsonPatch(...pointers.map((pointer) => JsonPatch.remove(pointer)));
}`;

const KEPT = `
/** A declaration; parts of system components are in a chart of their own. */
type Declared = Construct & { readonly patchChart?: Construct };

/** Keeps fields of one of the objects of a declaration as they are in the cluster. To get what the class makes, remove the call. */
export function kept(declared: Declared, kind: string, name: string, ...patches: JsonPatch[]): void {
  const constructs = [declared, declared.patchChart].flatMap((each) => each?.node.findAll() ?? []);
  const objects = constructs.filter((each) => ApiObject.isApiObject(each));
  objects.find((each) => each.kind === kind && each.name === name)?.addJsonPatch(...patches);
}`;

/** Keeps an object as it is in the cluster. */
function withoutLines(target: string, without: Recognized['without'] = [], indent = 4): string[] {
  return without.length === 0 ? [] : [callText('without', [new Expression(target), ...without.map(pointerOf)], indent)];
}

/**
 * Keeps fields of the objects of a declaration.
 *
 * @param nameText expression of the name, in place of it
 */
function keptLines(target: string, kept: Recognized['kept'] = [], indent = 4, nameText?: string): string[] {
  return kept.map(({ kind, name: own, fields }) => {
    const name = nameText === undefined ? own : new Expression(nameText);
    const patches = fields.map(({ path, value, isReplaced }) =>
      value === undefined
        ? new Call('JsonPatch.remove', [pointerOf(path)])
        : new Call(`JsonPatch.${isReplaced ? 'replace' : 'add'}`, [pointerOf(path), value]),
    );
    return callText('kept', [new Expression(target), kind, name, ...patches], indent);
  });
}

/** Fields that cdk8s leaves out, of an object that has them. */
function lossLines(target: string, object: PlainMap, indent = 4): string[] {
  const patches = cdk8sLosses(object).patches.map(
    ({ pointer, value, isReplaced }) => new Call(`JsonPatch.${isReplaced ? 'replace' : 'add'}`, [pointer, value]),
  );
  return [
    `${' '.repeat(indent)}// cdk8s leaves these fields out.`,
    callText(`${target}.addJsonPatch`, patches, indent),
  ];
}

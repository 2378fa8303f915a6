import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { type PlainMap, mapAt } from '../base/plain-data.js';
import type { ImportModel } from './import-model.js';
import {
  type FileMember,
  type PoolTable,
  type PoolVariable,
  type ProgramFile,
  type ProgramLayout,
  referenceReason,
} from './program-layout.js';
import { UniqueNames, kebabName } from './program-names.js';
import { clusterSource, commentLines, importsOf, recordOf, tableText, usedOf } from './program-parts.js';
import { Call, Expression, callText, holdsExpression, importText, quotedText } from './program-printer.js';
import { poolsOfWorkload } from './recognized-workloads.js';

const DOOR = 'edge-nodepools/pulumi';

/** The source files of a Pulumi program. */
export function pulumiProgram(model: ImportModel, layout: ProgramLayout): EdgeArtifact[] {
  const names = new ResourceNames(model.cluster);
  const hasPools = layout.pools.length + layout.tables.length + layout.plainPools.length > 0;
  const hasSecrets = layout.secrets.length > 0;
  const pools = hasPools ? [{ path: 'pools.ts', content: poolsModule(layout, names) }] : [];
  const sourceOf = (file: ProgramFile): EdgeArtifact => ({
    path: `${file.path}.ts`,
    content: moduleSource(file, layout, names),
  });
  const sources = [...layout.files, ...layout.patches].map(sourceOf);
  const secrets = layout.secrets.map(sourceOf);
  const crds = layout.crds.length > 0 ? [{ path: 'crds.ts', content: crdsModule(layout, names) }] : [];
  const all = [...pools, ...crds, ...sources, ...secrets].map(({ content }) => content).join('');
  const fleet = importsAll([...pools, ...crds, ...sources]);
  return [
    { path: 'cluster.ts', content: clusterSource(model, DOOR) },
    ...pools,
    ...(/\b(?:PlainObject|PartialObject|UnawaitedObject)\b/.test(all)
      ? [{ path: 'plain-object.ts', content: PLAIN_OBJECT }]
      : []),
    ...(/ (?:without|kept)\(/.test(all) ? [{ path: 'kept-fields.ts', content: KEPT_FIELDS }] : []),
    ...(model.secrets.length > 0 ? [{ path: 'secret.ts', content: SECRET }] : []),
    ...crds,
    ...layout.crds.map(({ path, content }) => ({ path, content })),
    ...sources,
    ...secrets,
    ...(hasSecrets
      ? [
          { path: 'fleet.ts', content: fleet },
          { path: 'fleet-secrets.ts', content: importsAll(secrets) },
        ]
      : []),
    // the first import decides how the others are registered
    { path: 'index.ts', content: hasSecrets ? TWO_STACKS : `import './take-over';\n${fleet}` },
    { path: 'take-over.ts', content: TAKE_OVER },
    { path: 'index.test.ts', content: hasSecrets ? TEST.replace("jest.requireActual('./index')", BOTH_STACKS) : TEST },
    { path: 'imported.json', content: recordOf(model.objects) },
  ];
}

function importsAll(files: readonly EdgeArtifact[]): string {
  const paths = files.map(({ path }) => path).sort();
  return paths.map((path) => `import './${path.replace(/\.ts$/, '')}';\n`).join('');
}

/** Names of resources: that of the object, with its namespace. Two resources of one type never have the same. */
class ResourceNames {
  private readonly byType = new Map<string, UniqueNames>();

  constructor(public readonly cluster: EdgeCluster) {}

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
  { indent = 0, assignedTo = '', options }: ResourceText = {},
): string {
  const values = [new Expression(name), args, ...(options === undefined ? [] : [options])];
  return callText(`${assignedTo}new ${className}`, values, indent);
}

/** How a resource is declared. */
interface ResourceText {
  readonly indent?: number;
  /** `export const beijing = ` */
  readonly assignedTo?: string;
  readonly options?: Call | undefined;
}

/**
 * Options that keep objects as they are in the cluster.
 *
 * @param nameText expression of the name of the object, in place of it
 */
function keptOption(
  { without = [], kept = [] }: Pick<Partial<PoolTable>, 'without' | 'kept'>,
  nameText?: string,
): Call | undefined {
  const fields = kept.flatMap(({ kind, name: own, fields: those }, index) => {
    const name = nameText === undefined ? own : new Expression(nameText);
    // both are one option
    const removed = (index === 0 ? without : []).map((path) => ({ kind, name, path }));
    const changed = those.map(({ path, value }) => ({ kind, name, path, ...(value === undefined ? {} : { value }) }));
    return [...removed, ...changed];
  });
  return fields.length > 0 ? new Call('kept', fields) : without.length > 0 ? new Call('without', without) : undefined;
}

function poolsModule({ pools, tables, plainPools }: ProgramLayout, names: ResourceNames): string {
  const body = [
    ...tables.map(loopText),
    ...pools.map(poolText),
    ...plainPools.map((member) => memberText(member, names, undefined)),
  ].join('\n\n');
  const types = tables.map(({ className }) => `type ${className}Args`);
  return [
    ...importsOf([...usedOf(body, ['HostNetworkNodePool', 'RegularNodePool']), ...types], DOOR),
    ...(/\bcluster\b/.test(body) ? ["import { cluster } from './cluster';"] : []),
    ...(body.includes('new PlainObject(') ? ["import { PlainObject } from './plain-object';"] : []),
    ...importsOf(usedOf(body, ['kept', 'without']), './kept-fields'),
    '',
    body,
    '',
  ].join('\n');
}

function loopText(each: PoolTable): string {
  const { table, variable, className, common, varying, without, kept } = each;
  const isHeld = className === 'HostNetworkNodePool';
  const name = '{ poolName: string }';
  const text = tableText(
    each,
    varying.length === 0 ? [`${name}[]`] : [`(${name} & Pick<`, `${className}Args`, varying, '>)[]'],
  );
  const args = { cluster: new Expression('cluster'), '...pool': new Expression('...pool'), ...common };
  return [
    text,
    '',
    ...(isHeld ? [`export const ${variable}: Record<string, HostNetworkNodePool> = {};`] : []),
    `for (const pool of ${table}) {`,
    resource(className, 'pool.poolName', args, {
      indent: 2,
      assignedTo: isHeld ? `${variable}[pool.poolName] = ` : '',
      options: keptOption({ without, kept }, 'pool.poolName'),
    }),
    '}',
  ].join('\n');
}

function poolText(member: PoolVariable): string {
  const { poolName, variable, declared, facts } = member;
  const given = { cluster: new Expression('cluster'), poolName };
  if (declared?.recognized === undefined) {
    return [
      referenceReason(member),
      callText(`export const ${variable} = HostNetworkNodePool.fromPoolName`, [{ ...given, ...facts }], 0),
    ].join('\n');
  }
  const { className, props } = declared.recognized;
  return resource(
    className,
    quotedText(poolName),
    { ...given, ...props },
    {
      assignedTo: className === 'HostNetworkNodePool' ? `export const ${variable} = ` : '',
      options: keptOption(declared.recognized),
    },
  );
}

/**
 * The class of a plain object. A DaemonSet is awaited on every node that it runs on, and what is bound to edge pools on theirs: one of them that is offline
 * would end the update as failed.
 */
function plainClass({ object, patchFile }: FileMember, cluster: EdgeCluster): string {
  const isAwaitedOnEdge = object.kind === 'DaemonSet' || poolsOfWorkload(object, cluster).length > 0;
  return patchFile !== undefined ? 'PartialObject' : isAwaitedOnEdge ? 'UnawaitedObject' : 'PlainObject';
}

/** Two resources of this type never have the same name. */
function plainType({ object, patchFile }: FileMember): string {
  const { apiVersion, kind } = object;
  return [patchFile === undefined ? 'PlainObject' : 'PartialObject', apiVersion, kind].map(String).join(' ');
}

function memberText(
  member: FileMember,
  names: ResourceNames,
  poolExpression: ((name: string) => string) | undefined,
): string {
  const { object, recognized, reason } = member;
  if (recognized !== undefined && poolExpression !== undefined) {
    const pools = (recognized.pools ?? []).map((name) => new Expression(`pools.${poolExpression(name)}`));
    const on =
      pools.length === 1 ? { pool: pools[0] } : pools.length > 1 ? { pools } : { cluster: new Expression('cluster') };
    const { className, props } = recognized;
    const isSet = !('workload' in props);
    const name = isSet ? kebabName(className.replace(/(?<=[a-z])(?=[A-Z])/g, '-')) : names.of(className, member);
    const options = keptOption(recognized);
    return resource(className, quotedText(name), { ...on, ...props }, { options });
  }
  const className = plainClass(member, names.cluster);
  const name = names.of(plainType(member), member);
  return [
    ...(reason === undefined ? [] : commentLines(`A plain object: ${reason}.`, 0)),
    resource(className, quotedText(name), object),
  ].join('\n');
}

function crdsModule({ crds }: ProgramLayout, names: ResourceNames): string {
  return [
    CRDS,
    ...crds.map(({ member, path }) => callText('crd', [names.of(plainType(member), member), path], 0)),
    '',
  ].join('\n');
}

function moduleSource(file: ProgramFile, { poolExpression }: ProgramLayout, names: ResourceNames): string {
  const text = file.members.map((member) => memberText(member, names, poolExpression)).join('\n\n');
  const up = '../'.repeat(file.path.split('/').length - 1) || './';
  const recognized = file.members.flatMap((member) => member.recognized ?? []);
  const classes = [...new Set(recognized.map(({ className }) => className))];
  const needsSecrets = file.members.some(({ object }) => holdsExpression(object));
  const plain = usedOf(text, ['PlainObject', 'PartialObject', 'UnawaitedObject']);
  return [
    ...commentLines(file.title, 0),
    ...importsOf([...classes, ...usedOf(text, ['ExclusionStrategy', 'SystemComponent'])], DOOR),
    ...(recognized.some(({ pools = [] }) => pools.length === 0) ? [`import { cluster } from '${up}cluster';`] : []),
    ...importsOf(
      (['kept', 'without'] as const).filter((name) =>
        recognized.some((each) => each[name] !== undefined && (name === 'kept' || each.kept === undefined)),
      ),
      `${up}kept-fields`,
    ),
    ...(plain.length > 0 ? [importText(plain, `${up}plain-object`)] : []),
    ...(recognized.some(({ pools = [] }) => pools.length > 0) ? [`import * as pools from '${up}pools';`] : []),
    ...(needsSecrets ? [`import { secret } from '${up}secret';`] : []),
    '',
    text,
    '',
  ].join('\n');
}

// Files of a Pulumi program that are the same in each.

/** Objects of any kind. */
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

/** Pulumi makes a text of each field for its messages, and cannot of a map with a key \`toString\`. Of an Output it does not. */
function fieldsOf(manifest: Manifest): Record<string, unknown> {
  const isHidden = (value: unknown): boolean => Object.keys(value ?? {}).includes('toString');
  return Object.fromEntries(
    Object.entries(manifest).map(([field, value]) => [field, isHidden(value) ? pulumi.output(value) : value]),
  );
}

/** A whole object. The classes of @pulumi/kubernetes would drop fields that they do not know. */
export class PlainObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(typeOf(manifest), name, fieldsOf(manifest), options);
  }
}

/** A whole object that runs on edge nodes. Pulumi does not wait for it, because it would wait for nodes that are offline. */
export class UnawaitedObject extends PlainObject {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    const metadata = manifest['metadata'] as { annotations?: Record<string, string> };
    const annotations = { 'pulumi.com/skipAwait': 'true', ...metadata.annotations };
    super(name, { ...manifest, metadata: { ...metadata, annotations } }, options);
  }
}

/** Some fields of an object that another tool manages. */
export class PartialObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(\`\${typeOf(manifest)}Patch\`, name, fieldsOf(manifest), options);
  }
}
`;

/** Definitions that are files. */
const CRDS = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PlainObject } from './plain-object';

/** A CustomResourceDefinition, as a file has it. Kubernetes reads YAML 1.1. */
function crd(name: string, file: string): void {
  new PlainObject(name, parse(readFileSync(join(__dirname, file), 'utf8'), { version: '1.1' }));
}
`;

/** Values that are not in the program. */
const SECRET = `import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';

const config = new pulumi.Config();

/** A value that is not in the program: of the configuration, or of a file in the folder secrets, because Pulumi cannot hand on a long configuration. */
export function secret(name: string): pulumi.Output<string> {
  const file = join(__dirname, 'secrets', name);
  const value = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // an empty one would empty the Secret
  return value === '' ? config.requireSecret(name, { minLength: 1 }) : pulumi.secret(value);
}
`;

/** A program with secrets. */
const TWO_STACKS = `import * as pulumi from '@pulumi/pulumi';
import './take-over';

// A stack whose name ends in -secrets makes what has secrets. Any other one makes all others, without their values.
if (pulumi.getStack().endsWith('-secrets')) {
  require('./fleet-secrets');
} else {
  require('./fleet');
}
`;

/** What keeps objects as they are. */
const KEPT_FIELDS = `import * as pulumi from '@pulumi/pulumi';

function withField(value: any, [step, ...below]: (string | number)[], change: object): any {
  if (step === undefined) {
    return (change as { value?: unknown }).value;
  }
  if (pulumi.Output.isInstance(value)) {
    return value.apply((known: any) => withField(known, [step, ...below], change));
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? withField(item, below, change) : item));
  }
  const { [step]: field, ...others } = value;
  return below.length === 0 && !('value' in change) ? others : { ...value, [step]: withField(field, below, change) };
}

/** Keeps an object as it is in the cluster, without fields that its class would add. To get these, remove it. */
export function without(...paths: string[][]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ type, props, opts }: pulumi.ResourceTransformationArgs) =>
        type.startsWith('kubernetes:')
          ? { props: paths.reduce((fields, path) => withField(fields, path, {}), props), opts }
          : undefined,
    ],
  };
}

/** A field of an object, as it is in the cluster. Without a value the object does not have it. */
interface KeptField {
  kind: string;
  name: string;
  path: (string | number)[];
  value?: unknown;
}

/** Keeps fields of the objects of a component as they are in the cluster. To get what the class makes, remove it. */
export function kept(...kept: KeptField[]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ type, props, opts }: pulumi.ResourceTransformationArgs) => {
        const isOf = (kind: string): boolean => [\`:\${kind}\`, \`:\${kind}Patch\`].some((end) => type.endsWith(end));
        const own = kept.filter(({ kind, name }) => isOf(kind) && props['metadata']?.name === name);
        return { props: own.reduce((fields, { path, ...change }) => withField(fields, path, change), props), opts };
      },
    ],
  };
}
`;

/** What protects everything while it is taken over. */
const TAKE_OVER = `import * as pulumi from '@pulumi/pulumi';

// To take over what is in the cluster, without a change of it, in each stack:
//
//   pulumi config set kubernetes:upsertExistingObjects true && pulumi config set kubernetes:enablePatchForce true
//   pulumi config set takeOver true && pulumi up
//   pulumi config rm kubernetes:upsertExistingObjects && pulumi config rm kubernetes:enablePatchForce
//   pulumi preview --diff
//
// While the configuration says \`takeOver\`, nothing is deleted or replaced, and Pulumi waits for nothing: by an annotation of the objects for which it would
// wait. Afterwards remove this file and its import.
const AWAITED =
  /:(DaemonSet|Deployment|Ingress|Job|PersistentVolume|PersistentVolumeClaim|Pod|ReplicationController|Service|StatefulSet)$/;

function withoutAwait({ metadata, ...others }: any): object {
  const annotations = { 'pulumi.com/skipAwait': 'true', ...metadata?.annotations };
  return { ...others, metadata: { ...metadata, annotations } };
}

if (new pulumi.Config().getBoolean('takeOver') === true) {
  pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
    type.startsWith('kubernetes:') && !type.endsWith('Patch')
      ? { props: AWAITED.test(type) ? withoutAwait(props) : props, opts: { ...opts, protect: true } }
      : undefined,
  );
}
`;

/** What both stacks make. */
const BOTH_STACKS = "['./fleet', './fleet-secrets'].map((file) => jest.requireActual(file))";

/** The test of a project. */
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

/** Without annotations for Pulumi, such as the one by which it does not wait for nodes that may be offline. */
const asApplied = ({ metadata, ...object }: any): any => {
  const others = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('pulumi.com/'));
  const annotations = others.length === 0 ? undefined : Object.fromEntries(others);
  return { ...object, metadata: { ...metadata, annotations } };
};

/** The value of a secret, as mocks see it. */
const revealed = (value: any): any => (value?.['4dabf18193072939515e22adb298388d'] === undefined ? value : value.value);

const program = (): unknown => jest.requireActual('./index');

it('makes what was imported, object by object', async () => {
  // in place of the secrets, the names of their variables
  const variables = text.match(/(?<="<)[a-z0-9-]+(?=>")/g) ?? [];
  const config = Object.fromEntries(variables.map((name) => [\`project:\${name}\`, \`<\${name}>\`]));
  const { objects } = await Testing.preview(program, config);
  const plain = objects.map((object) =>
    Object.fromEntries(Object.entries(object).map(([field, value]) => [field, revealed(value)])),
  );
  const imported = JSON.parse(text) as KubernetesObject[];
  expect(sorted(plain as KubernetesObject[]).map(asApplied)).toEqual(sorted(imported).map(asApplied));
}, 120_000);
`;

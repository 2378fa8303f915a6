import type { EdgeArtifact } from '../base/artifact.js';
import { mapAt, type PlainMap, same } from '../base/plain-data.js';
import { printManifests } from '../base/yaml-print.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { cdk8sLosses } from './cdk8s-losses.js';
import type { ImportModel } from './import-model.js';
import type { ImportedObject } from './recognized-object.js';
import { holdsExpression } from './program-printer.js';
import { DEFINITION, groupsOf, kindWords, type ObjectGroup, OTHERS, rankOf } from './object-groups.js';
import { className, constructId, kebabName, UniqueNames, variableName } from './program-names.js';

/** An object and its id in its file. */
export interface FileMember extends ImportedObject {
  readonly id: string;
}

/** A file of a program, with the objects of an application. */
export interface ProgramFile {
  /** Without its ending. */
  readonly path: string;
  /** What is in it, for a comment. */
  readonly title: string;
  readonly className: string;
  /** Id of its chart. */
  readonly id: string;
  readonly members: readonly FileMember[];
}

/** A pool and the variable that holds it. */
export interface PoolVariable {
  readonly poolName: string;
  readonly variable: string;
  /** Its NodePool; undefined if only workloads name it.
   * @default - it is referenced by its name */
  readonly declared?: ImportedObject;
  /** What is known of a pool that is referenced. */
  readonly facts: PlainMap;
  /** Whether its NodePool is a plain object.
   * @default false */
  readonly isPlain?: boolean;
  /** Whether there are no NodePools, because there is no OpenYurt.
   * @default false */
  readonly isLabel?: boolean;
}

/** Why a pool is only referenced. */
export function referenceReason({ isPlain, isLabel }: PoolVariable): string {
  return isLabel === true
    ? '// Without OpenYurt a pool is what its nodes are labelled with.'
    : `// Its NodePool is ${isPlain === true ? 'a plain object, below' : 'not among what was imported'}.`;
}

/** Pools that differ only in values: a table and a loop. */
export interface PoolTable {
  /** Variable of the table, `EDGE_POOLS`. */
  readonly table: string;
  /** Variable of the pools by name. */
  readonly variable: string;
  readonly className: string;
  /** Properties that all have with the same value. */
  readonly common: PlainMap;
  /** Properties with other values in each row. */
  readonly varying: readonly string[];
  readonly without: NonNullable<ImportedObject['recognized']>['without'];
  /** The same fields of each of them, of the first one by its name. */
  readonly kept: NonNullable<ImportedObject['recognized']>['kept'];
  readonly pools: readonly PoolVariable[];
}

/** A CustomResourceDefinition and its file in the folder crds. */
export interface CrdFile extends EdgeArtifact {
  readonly member: FileMember;
  /** Id of its chart. */
  readonly id: string;
}

/** What is in which file. */
export interface ProgramLayout {
  readonly pools: readonly PoolVariable[];
  readonly tables: readonly PoolTable[];
  /** NodePools that no class makes. */
  readonly plainPools: readonly FileMember[];
  readonly files: readonly ProgramFile[];
  /** CustomResourceDefinitions, each of them YAML that the program reads. */
  readonly crds: readonly CrdFile[];
  /** Parts of objects, by file. */
  readonly patches: readonly ProgramFile[];
  /** What has secrets: all others can be made without their values. */
  readonly secrets: readonly ProgramFile[];
  /** How a program names a pool, by its name: `beijing`, `edgePools['site-1']`. */
  readonly poolExpression: (name: string) => string;
}

/** From so many pools on a loop is easier to read. */
const LOOP_FROM = 5;

/** Decides what is in which file, and all names. It depends only on the objects, so that a second import gives the same program. */
export function programLayout(model: ImportModel): ProgramLayout {
  const isPool = ({ object, patchFile }: ImportedObject): boolean =>
    patchFile === undefined &&
    !holdsExpression(object) &&
    object.kind === 'NodePool' &&
    String(object.apiVersion).startsWith('apps.openyurt.io/');
  const variables = new UniqueNames();
  const nameOfPool = ({ object }: ImportedObject): string => String(mapAt(object, 'metadata').name);
  const declared = model.objects.filter((each) => isPool(each) && each.recognized !== undefined);
  const plainPools = model.objects.filter((each) => isPool(each) && each.recognized === undefined);
  const { tables, others } = loops(declared, variables);
  const pools: PoolVariable[] = [
    ...others.map((each) => ({
      poolName: nameOfPool(each),
      variable: variables.of(variableName(nameOfPool(each))),
      declared: each,
      facts: {},
    })),
    ...[...model.namedPools]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([poolName, facts]) => ({
        poolName,
        variable: variables.of(variableName(poolName)),
        facts,
        isPlain: plainPools.some((each) => nameOfPool(each) === poolName),
        isLabel: !model.cluster.hasOpenYurt(),
      })),
  ];
  const expressions = new Map([
    ...pools.map(({ poolName, variable }) => [poolName, variable] as const),
    ...tables.flatMap(({ variable, pools: those }) =>
      those.map(({ poolName }) => [poolName, `${variable}['${poolName}']`] as const),
    ),
  ]);
  const single = model.objects.filter(({ isInSet }) => isInSet !== true);
  // a Secret without values needs none
  const isSecret = ({ object, patchFile }: ImportedObject): boolean =>
    patchFile === undefined && holdsExpression(object);
  const whole = single.filter((each) => each.patchFile === undefined && !isPool(each) && !isSecret(each));
  // the reader of YAML in cdk8s takes a key << for a merge, also in quotes
  const isCrd = ({ object }: ImportedObject): boolean =>
    groupKindOf(object) === DEFINITION &&
    cdk8sLosses(object).patches.length === 0 &&
    !JSON.stringify(object).includes('"<<":');
  const names = { charts: new UniqueNames(), files: new UniqueNames(), classes: new UniqueNames() };
  ['pools', 'fleet', 'main', 'index', 'cluster'].forEach((name) => names.charts.of(name));
  ['PoolsChart', 'CrdChart'].forEach((name) => names.classes.of(name));
  return {
    pools,
    tables,
    plainPools: withIds(plainPools),
    files: [
      ...setFiles(model, names),
      ...filesOf(
        whole.filter((each) => !isCrd(each)),
        names,
      ),
    ],
    crds: crdFiles(whole.filter(isCrd), names),
    patches: patchFilesOf(single, names),
    secrets: secretFilesOf(single.filter(isSecret), names),
    poolExpression: (name) => expressions.get(name) ?? name,
  };
}

/** Where a declaration of several objects is. */
const SET_FILES: Readonly<Record<string, readonly [file: string, title: string]>> = {
  EdgeSystemComponents: ['system-components', 'System components that are kept off host-network nodes.'],
  PoolAdmission: ['admission', 'Policies for pools and their Pods, in the API server.'],
  OpenYurtWebhooks: ['openyurt-webhooks', 'The webhooks of OpenYurt, as its release ships them.'],
};

function setFiles({ sets }: ImportModel, names: Names): ProgramFile[] {
  return sets.map(({ recognized, objects }) => {
    const [file = '', title = ''] = SET_FILES[recognized.className] ?? [];
    const path = names.files.of(file);
    const { object, place } = objects[0] as ImportedObject;
    const member = { object, place, isOfEdge: true, recognized, id: 'all' };
    return { path, title, className: names.classes.of(className(path)), id: names.charts.of(path), members: [member] };
  });
}

interface Names {
  readonly charts: UniqueNames;
  readonly files: UniqueNames;
  readonly classes: UniqueNames;
}

function filesOf(objects: readonly ImportedObject[], names: Names): ProgramFile[] {
  const groups = groupsOf(objects.map(({ object }) => object));
  const byFile = new Map<string, ObjectGroup & { readonly members: ImportedObject[] }>();
  for (const each of objects) {
    const group = groups.get(each.object) as ObjectGroup;
    const key = `${group.folder} ${group.app}`;
    const file = byFile.get(key) ?? { ...group, members: [] };
    byFile.set(key, file);
    file.members.push(each);
  }
  return [...byFile.values()]
    .sort((a, b) => (`${a.folder} ${a.app}` < `${b.folder} ${b.app}` ? -1 : 1))
    .map(({ members, ...group }) => {
      const { folder, app, namespace } = group;
      const parts = nameParts(group);
      const at = namespace === undefined ? folder : `namespaces/${kebabName(namespace)}`;
      return {
        path: names.files.of(`${at}/${kebabName(app)}`),
        title: titleOf(group),
        className: names.classes.of(className(...parts)),
        id: names.charts.of(kebabName(...parts)),
        members: withIds(members),
      };
    });
}

/** Definitions by the thousand lines are not read as TypeScript, and a later version of one replaces its file. */
function crdFiles(objects: readonly ImportedObject[], names: Names): CrdFile[] {
  return withIds(objects).map((member) => {
    const name = String(mapAt(member.object, 'metadata').name);
    const file = /^[a-z0-9][a-z0-9.-]{0,100}$/.test(name) ? name : kebabName(name);
    return {
      path: `${names.files.of(`crds/${file}`)}.yaml`,
      content: printManifests([member.object]),
      member,
      id: names.charts.of(kebabName('crd', name)),
    };
  });
}

/** The parts of the name of a chart. */
function nameParts({ folder, app, namespace, isKind }: ObjectGroup): string[] {
  if (namespace !== undefined) {
    return namespace === app ? [app] : [namespace, app];
  }
  return folder === 'cluster' && isKind !== true ? [folder, app] : [app];
}

function titleOf({ folder, app, namespace, isKind }: ObjectGroup): string {
  if (namespace !== undefined) {
    return app === OTHERS
      ? `What belongs to no application in the namespace ${namespace}.`
      : `${app} in the namespace ${namespace}.`;
  }
  return folder === 'apps'
    ? app === OTHERS
      ? 'What belongs to no application, in the namespace that kubectl uses.'
      : `${app}, in the namespace that kubectl uses.`
    : `Objects of the whole cluster: ${isKind === true ? app.replace(/-/g, ' ').toLowerCase() : app}.`;
}

/** A file for each namespace. */
function secretFilesOf(objects: readonly ImportedObject[], names: Names): ProgramFile[] {
  const placeOf = ({ object }: ImportedObject): string => {
    const { namespace } = mapAt(object, 'metadata');
    return typeof namespace === 'string' ? namespace : '';
  };
  return [...new Set(objects.map(placeOf))].sort().map((namespace) => {
    const at = namespace === '' ? 'cluster' : `namespaces/${kebabName(namespace)}`;
    const parts = [...(namespace === '' ? [] : [namespace]), 'secrets'];
    return {
      path: names.files.of(`${at}/secrets`),
      title: `What has secrets${namespace === '' ? '' : ` in the namespace ${namespace}`}.`,
      className: names.classes.of(className(...parts)),
      id: names.charts.of(kebabName(...parts)),
      members: withIds(objects.filter((each) => placeOf(each) === namespace)),
    };
  });
}

function patchFilesOf(objects: readonly ImportedObject[], names: Names): ProgramFile[] {
  const stems = [...new Set(objects.flatMap(({ patchFile }) => patchFile ?? []))].sort();
  return stems.map((stem) => ({
    path: names.files.of(`patches/${kebabName(stem)}`),
    title: `Parts of objects that other tools manage (${stem}), for server-side apply.`,
    className: names.classes.of(className(stem)),
    // the name of the file is that of the chart, and it is the same after another synth
    id: stem,
    members: withIds(objects.filter(({ patchFile }) => patchFile === stem)),
  }));
}

/** Ids of constructs: the name, with the kind where several have it. */
function withIds(objects: readonly ImportedObject[]): FileMember[] {
  const sorted = [...objects].sort((a, b) => (rankOf(a.object) < rankOf(b.object) ? -1 : 1));
  const ids = new UniqueNames();
  return sorted.map((each) => {
    const { kind } = each.object;
    const { name, namespace } = mapAt(each.object, 'metadata');
    const word = kindWords(kind);
    const own = String(name);
    // one file may have the objects of several namespaces: parts of objects
    const place = each.patchFile === undefined ? [] : [typeof namespace === 'string' ? namespace : ''];
    const isInName = kebabName(own).endsWith(`-${word.toLowerCase()}`);
    return { ...each, id: ids.of(kebabName(...place, own, ...(isInName ? [] : [word]))) };
  });
}

/** Tables of pools that differ only in values, and all others. */
function loops(
  declared: readonly ImportedObject[],
  variables: UniqueNames,
): { readonly tables: PoolTable[]; readonly others: ImportedObject[] } {
  const alike = new Map<string, ImportedObject[]>();
  for (const each of declared) {
    const { className: kind, without, kept } = each.recognized as NonNullable<ImportedObject['recognized']>;
    const { name } = mapAt(each.object, 'metadata');
    // in a table the name is the id
    const fields = (kept ?? []).map((object) => object.fields);
    const key = JSON.stringify([kind, without ?? [], fields, constructId(String(name)) === name]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  const others = [...alike.values()].filter((group) => group.length < LOOP_FROM).flat();
  const tables = [...alike.values()]
    .filter((group) => group.length >= LOOP_FROM)
    .map((group) => tableOf(group, variables));
  return { tables, others: declared.filter((each) => others.includes(each)) };
}

function tableOf(group: readonly ImportedObject[], variables: UniqueNames): PoolTable {
  const all = group.map((each) => each.recognized as NonNullable<ImportedObject['recognized']>);
  const [first] = all as [(typeof all)[number]];
  // a property that some do not have is left out of their rows
  const keys = [...new Set(all.flatMap(({ props }) => Object.keys(props)))];
  const common = keys.filter((key) => all.every(({ props }) => same(props[key], first.props[key])));
  const names = group.map(({ object }) => String(mapAt(object, 'metadata').name));
  const variable = variables.of(commonVariable(names, first.className === 'HostNetworkNodePool'));
  return {
    table: variable.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase(),
    variable,
    className: first.className,
    common: Object.fromEntries(common.map((key) => [key, first.props[key]])),
    varying: keys.filter((key) => !common.includes(key)).sort(),
    without: first.without,
    kept: first.kept,
    pools: group.map((each, index) => ({
      poolName: names[index] as string,
      variable,
      declared: each,
      facts: {},
    })),
  };
}

/** `sitePools` for site-1, site-2, …; else what they are. */
function commonVariable(names: readonly string[], isHostNetwork: boolean): string {
  const [first = ''] = names;
  const words = first.split(/[-.]/);
  const shared = words.findIndex((_, index) => {
    const begin = words.slice(0, index + 1).join('-');
    return !names.every((name) => name.startsWith(`${begin}-`));
  });
  const begin = words.slice(0, Math.max(shared, 0)).join('-');
  return begin === ''
    ? isHostNetwork
      ? 'hostNetworkPools'
      : 'regularPools'
    : `${variableName(begin).replace(/Pool$/, '')}Pools`;
}

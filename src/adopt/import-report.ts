import { checkFiles } from '../fleet/check-manifests.js';
import type { CheckedManifests, Finding } from '../fleet/finding.js';
import { nameOf } from '../kubernetes/object.js';
import { textTable } from '../base/table.js';
import type { ImportedFile } from './input-objects.js';
import { type ShownPool, taintText } from './found-labels.js';
import type { ImportModel } from './import-model.js';
import { printed } from './program-printer.js';
import { mapAt } from '../base/plain-data.js';
import { LIST_OF_POOLS, textsIn } from './recognized-admission.js';

/** What `check` says, most dangerous first: what never runs comes before what is refused, and warnings are last. */
const DANGERS: readonly Finding['code'][] = [
  'EDGE_NEVER_STARTS',
  'EDGE_PORT_CONFLICT',
  'EDGE_NO_ROOM',
  'EDGE_CONTRADICTION',
];

/** The rules of `check` on what was imported, in the order of danger. */
export function dangerousFirst(files: readonly ImportedFile[]): CheckedManifests {
  const checked = checkFiles(files);
  const rank = ({ level, code }: Finding): number => {
    const danger = DANGERS.indexOf(code);
    return (level === 'error' ? 0 : 100) + (danger < 0 ? DANGERS.length : danger);
  };
  const order = new Map(checked.findings.map((finding, index) => [finding, index]));
  const at = (finding: Finding): number => order.get(finding) ?? 0;
  return { ...checked, findings: [...checked.findings].sort((a, b) => rank(a) - rank(b) || at(a) - at(b)) };
}

/** The share of the objects that concern edge pools, and are made by classes. */
export interface ImportCounts {
  readonly objects: number;
  readonly recognized: number;
  readonly ofEdge: number;
  /** Number of declarations, by class. */
  readonly byClass: Readonly<Record<string, number>>;
}

export function importCounts({ objects, sets }: ImportModel): ImportCounts {
  const byClass: Record<string, number> = {};
  for (const { recognized } of [...objects, ...sets]) {
    if (recognized !== undefined) {
      byClass[recognized.className] = (byClass[recognized.className] ?? 0) + 1;
    }
  }
  return {
    objects: objects.length,
    recognized: objects.filter(({ recognized, isInSet }) => recognized !== undefined || isInSet === true).length,
    ofEdge: objects.filter(({ isOfEdge }) => isOfEdge).length,
    byClass,
  };
}

/** What was imported and what was not, as text: how much, and then what is to be done, most dangerous first. */
export function importReport(
  model: ImportModel,
  folder: string,
): { readonly summary: string; readonly details: string } {
  return { summary: summaryOf(model, folder), details: detailsOf(model).join('\n').trim() };
}

function summaryOf(model: ImportModel, folder: string): string {
  const { objects, recognized, ofEdge, byClass } = importCounts(model);
  const { openYurt, kubernetes } = model.releases;
  const classes = Object.entries(byClass).map(([name, count]) => `${count} ${name}`);
  const percent = ofEdge === 0 ? '' : ` (${Math.floor((100 * recognized) / ofEdge)} %)`;
  return [
    `${counted(objects, 'object')} in ${folder}, for ${String(model.cluster)} (shown by ${[...new Set([openYurt.shownBy, kubernetes.shownBy])].join('; ')})`,
    ...[['OpenYurt', openYurt] as const, ['Kubernetes', kubernetes] as const].flatMap(
      ([name, { version, shownBy, otherwise }]) =>
        otherwise === undefined
          ? []
          : [
              `${shownBy} says ${name} ${version}, and the objects show ${otherwise}: what is right? --${name.toLowerCase()} says it`,
            ],
    ),
    `${recognized} by classes of this library${classes.length === 0 ? '' : `: ${classes.join(', ')}`}`,
    `${objects - recognized} as they are`,
    ofEdge === 0
      ? 'none concerns edge pools'
      : `of ${ofEdge} that concern edge pools ${recognized} by classes${percent}`,
  ].join('\n');
}

function detailsOf(model: ImportModel): string[] {
  const plain = model.objects.filter(({ isOfEdge, reason }) => isOfEdge && reason !== undefined);
  const certificates = model.objects.filter(({ object }) => object.kind === 'Secret' && object.type === TLS);
  return [
    ...section(
      'labels by which host-network nodes and pools may be known: if that is right, import again with',
      ['option', 'because'],
      model.proposedLabels.map(({ option, shownBy }) => [option, shownBy]),
    ),
    ...section(
      'pools that only Nodes show, and taints that the program does not have:',
      ['pool', 'nodes', 'taints', 'what to write'],
      model.shownPools.flatMap((each) => shownPoolRows(model, each)),
    ),
    ...section(
      'policies that do not name all host-network pools, so that these are not guarded: remove the calls of kept',
      ['policy', 'pools without it'],
      unguardedPools(model).map(({ policy, pools }) => [policy, pools.join(', ')]),
    ),
    ...section(
      'who has applied them; stop it there before the first change (docs/import.md):',
      ['objects', 'by', 'how'],
      model.owners.map(({ owner, objects, stop }) => [String(objects.length), owner, stop]),
    ),
    ...section(
      'certificates, of which the next synth after a renewal writes the old one back: leave out those that somebody renews',
      ['object'],
      certificates.map(({ object }) => [nameOf(object)]),
    ),
    ...section(
      'as they are, although they concern edge pools:',
      ['object', 'where', 'why'],
      plain.map(({ object, place, reason = '' }) => [nameOf(object), place(), reason]),
    ),
    ...section(
      'kept as they are, although their class makes them otherwise: remove the call of kept where it is right',
      ['object', 'field'],
      model.sets.flatMap(({ recognized }) =>
        (recognized.kept ?? []).flatMap(({ kind, name, fields }) =>
          // not of the marks of tools
          fields.filter(({ path }) => path[0] !== 'metadata').map(({ path }) => [`${kind} ${name}`, path.join('.')]),
        ),
      ),
    ),
    ...section(
      'what the Nodes of each pool show, for its declaration: checks of rollouts, and its joins (docs/join.md). Nodes do not show what is kube and what system:',
      ['pool', 'nodes', 'reservation'],
      model.reservations.map(({ pool, nodes, text }) => [pool, `expectedNodes: ${nodes}`, text]),
    ),
    ...section(
      'secrets, whose values are not in the program:',
      ['object', 'key', 'read from', 'what'],
      model.secrets.map(({ object, key, variable, what }) => [object, key, variable, what]),
    ),
    ...section(
      'fields that are left out, because a controller or an autoscaler writes them: they stay in this cluster as they are',
      ['number', 'field', 'written by', 'for example'],
      othersRows(model, undefined),
    ),
    ...section(
      `replicas that only kubectl apply owns, beside an autoscaler: the first apply would set 1. Before it: kubectl apply --server-side --field-manager=edge-nodepools-replicas -f ${HELD_REPLICAS}`,
      ['object', 'replicas'],
      model.heldReplicas.map((object) => [nameOf(object), String(mapAt(object, 'spec').replicas)]),
    ),
    ...section(
      'fields that are kept, and that others have written: remove those that are not yours',
      ['number', 'field', 'also changed by', 'for example'],
      othersRows(model, true),
    ),
    ...section('left out:', ['number', 'why', 'for example'], leftOutRows(model)),
    ...section(
      'which objects each of them has applied:',
      ['by', 'objects'],
      model.owners.map(({ owner, objects }) => [owner, objects.join(', ')]),
    ),
  ];
}

/** The file with these replicas, in the folder of the program. */
export const HELD_REPLICAS = 'replicas.yaml';

const TLS = 'kubernetes.io/tls';

/** What the program does not have of a pool: of one that it names only taints in which its Nodes differ. */
function shownPoolRows({ cluster, namedPools }: ImportModel, { pool, nodes, taints, others }: ShownPool): string[][] {
  const isNamed = namedPools.has(pool);
  if (isNamed ? others.length === 0 : pool === '' && cluster.hasOpenYurt()) {
    return [];
  }
  const given = taints.length === 0 ? '' : `, taints: ${printed(taints, 0, 0)}`;
  const write = isNamed
    ? 'its Nodes differ: taint them all, or give the pool the taints of all'
    : pool === ''
      ? '--node-pool-label <key>: the label that names their pool'
      : cluster.hasOpenYurt()
        ? 'its NodePool is not in the dump: dump it, too (npx edge-nodepools dump import)'
        : `new RegularNodePool(…, { cluster, poolName: '${pool}'${given} })`;
  const shown = `${nodes.slice(0, 3).join(', ')}${nodes.length > 3 ? ` and ${nodes.length - 3} more` : ''}`;
  return [[pool, shown, [...taints.map(taintText), ...others].join(', '), write]];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : ['', title, textTable(head, rows)];
}

function leftOutRows({ leftOut }: ImportModel): string[][] {
  const byReason = new Map<string, string[]>();
  leftOut.forEach(({ name, reason }) => byReason.set(reason, [...(byReason.get(reason) ?? []), name]));
  const named = new Set(leftOut.flatMap(({ name, isNamed }) => (isNamed === true ? [name] : [])));
  return [...byReason].flatMap(([reason, names]) =>
    names
      .filter((name, index) => index === 0 || named.has(name))
      .map((name, index) => [index === 0 ? String(names.length) : '', index === 0 ? reason : '', name]),
  );
}

function othersRows({ others }: ImportModel, kept: true | undefined): string[][] {
  const rows = new Map<string, { field: string; manager: string; objects: Set<string> }>();
  for (const { field, manager, object } of others.filter(({ isKept }) => isKept === kept)) {
    const key = JSON.stringify([field, manager]);
    const row = rows.get(key) ?? { field, manager, objects: new Set() };
    row.objects.add(object);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ field, manager, objects }) => [
    String(objects.size),
    field,
    manager,
    [...objects][0] ?? '',
  ]);
}

/** A policy with a list of pools, and those that it does not name. */
export interface UnguardedPools {
  /** `MutatingAdmissionPolicy edge-nodepools-node-label` */
  readonly policy: string;
  readonly pools: readonly string[];
}

/** Policies whose list of pools is older than the pools: a list that is kept as it is lacks those that were added without the program of the policies. */
function unguardedPools({ objects, sets, namedPools }: ImportModel): UnguardedPools[] {
  const declared = objects
    .filter(({ recognized }) => recognized?.className === 'HostNetworkNodePool')
    .map(({ object }) => String(mapAt(object, 'metadata').name));
  const pools = [...new Set([...declared, ...namedPools.keys()])].sort();
  return sets
    .flatMap(({ recognized }) => recognized.kept ?? [])
    .flatMap(({ kind, name, fields }): UnguardedPools[] => {
      const lists = fields.flatMap(({ value }) =>
        typeof value === 'string' ? (value.match(LIST_OF_POOLS) ?? []) : [],
      );
      const missing = pools.filter((pool) => lists.some((list) => !textsIn(list).includes(pool)));
      return missing.length === 0 ? [] : [{ policy: `${kind} ${name}`, pools: missing }];
    });
}

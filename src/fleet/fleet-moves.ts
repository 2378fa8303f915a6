import { nameOf } from '../kubernetes/object.js';
import { membersIn } from './fleet-overview.js';
import { membersOf } from './fleet.js';
import { type Workload, workloadOf } from './made-pods.js';
import { itemsOf, mergedObjects } from './placement-input.js';
import { type FleetLabels, fleetLabelsOf, isHostNetworkNode } from './node.js';
import { resultsOf } from './pool-results.js';
import { type ListedPool, minorOfPools } from './pools-file.js';
import type { PlacementOutcome } from './verdict.js';
import { withoutServerFields } from '../preconditions/documents.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { type FieldChange, fieldChanges } from './field-changes.js';
import { fleetDiff, type ObjectChange } from './fleet-diff.js';
import { livePart } from './live-part.js';

/** What becomes of a workload on a pool. */
export interface PlaceOutcome {
  readonly outcome: PlacementOutcome;
  /** Empty for `runs`. */
  readonly reason: string;
}

/** Pools on which something else becomes of a workload. */
export interface Move {
  readonly pools: readonly string[];
  /** @default - the workload or the pool was not there */
  readonly before?: PlaceOutcome;
  /** @default - the workload or the pool is not there any more */
  readonly after?: PlaceOutcome;
}

/** How a workload or a pool differs. */
export interface Difference extends Partial<Pick<ObjectChange, 'versions' | 'rollsOut' | 'held' | 'immutable'>> {
  /** `Deployment default/web`, `NodePool beijing`. */
  readonly object: string;
  readonly change: 'appears' | 'goes' | 'changes';
  /** Fields that differ. */
  readonly fields: readonly FieldChange[];
  /** Only of workloads. */
  readonly moves: readonly Move[];
}

/** The workloads and the pools of two fleets that differ: pools first. */
export interface FleetMoves {
  readonly pools: readonly Difference[];
  readonly workloads: readonly Difference[];
  /** Objects of a dump that the manifests do not declare: others have made them, and nothing is compared. */
  readonly undeclared: readonly string[];
  /** Fields of a dump without managedFields that the manifests do not write: whether they go depends on who wrote them. */
  readonly unknown: readonly { readonly object: string; readonly fields: readonly string[] }[];
}

/** A fleet as manifests, and the pools of its program. */
export interface GivenFleet {
  readonly manifests: readonly PlainMap[];
  readonly declared?: readonly ListedPool[];
}

/**
 * What moves, rolls out, appears and goes between two fleets. If one of them is a dump of a cluster, the API server has added fields to its objects: then only
 * the fields that the other one writes are compared.
 */
export function fleetMoves(before: GivenFleet, after: GivenFleet, labels: Required<FleetLabels>): FleetMoves {
  const [one, other] = [readFleet(before, labels), readFleet(after, labels)];
  const undeclared = [...undeclaredIn(one, other), ...undeclaredIn(other, one)];
  const [first, second, unknown] = comparable(without(one, undeclared), without(other, undeclared));
  const diff = fleetDiff([...first.objects.values()], [...second.objects.values()]);
  const changed = new Map(diff.changed.map((change) => [change.object, change]));
  const moves = movesBetween(first, second);
  const differenceOf = (object: string): Difference | undefined => {
    const change = diff.created.includes(object) ? 'appears' : diff.deleted.includes(object) ? 'goes' : 'changes';
    const { fields = [], ...rest }: Partial<ObjectChange> = changed.get(object) ?? {};
    const own = moves.get(object) ?? [];
    return change === 'changes' && own.length === 0 && !changed.has(object)
      ? undefined
      : { ...rest, object, change, fields, moves: own };
  };
  const names = [...new Set([...second.objects.keys(), ...first.objects.keys()])];
  const isPool = (name: string): boolean => name.startsWith('NodePool ');
  return {
    pools: [
      ...names.filter(isPool).flatMap((name) => differenceOf(name) ?? []),
      ...declaredDifferences(first.declared, second.declared),
    ],
    workloads: names.filter((name) => !isPool(name)).flatMap((name) => differenceOf(name) ?? []),
    undeclared,
    unknown: [...unknown].filter(([, fields]) => fields.length > 0).map(([object, fields]) => ({ object, fields })),
  };
}

/** Objects of a dump that the other fleet does not write. */
function undeclaredIn(live: ReadFleet, written: ReadFleet): string[] {
  return live.isLive && !written.isLive ? [...live.objects.keys()].filter((name) => !written.objects.has(name)) : [];
}

function without(fleet: ReadFleet, names: readonly string[]): ReadFleet {
  const isKept = ([name]: readonly [string, unknown]): boolean => !names.includes(name);
  const isKeptPool = ([name]: readonly [string, unknown]): boolean => !names.includes(`NodePool ${name}`);
  return {
    ...fleet,
    objects: new Map([...fleet.objects].filter(isKept)),
    declared: new Map([...fleet.declared].filter(isKeptPool)),
    outcomes: new Map([...fleet.outcomes].filter(isKept)),
  };
}

/** A fleet, ready to be compared. */
interface ReadFleet {
  /** NodePools and workloads by name. */
  readonly objects: ReadonlyMap<string, PlainMap>;
  /** Whether the API server has added fields. */
  readonly isLive: boolean;
  readonly declared: ReadonlyMap<string, PlainMap>;
  /** By workload, then by pool. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, PlaceOutcome>>;
}

function readFleet({ manifests, declared = [] }: GivenFleet, given: Required<FleetLabels>): ReadFleet {
  const labels = fleetLabelsOf(given, minorOfPools(declared));
  const { objects, nodes } = membersIn(
    mergedObjects(manifests.flatMap(itemsOf).map(withoutDefaultNamespace)),
    labels,
    declared,
  );
  const { members } = membersOf(objects, nodes, labels);
  const workloads = objects.flatMap((object) => workloadOf(object) ?? []);
  const results = resultsOf(workloads, members, labels, objects);
  const poolOf = (index: number): string => members[index]?.labels[labels.nodePoolLabel] ?? members[index]?.name ?? '';
  const outcomes = new Map(
    workloads.map(({ name }, at) => [
      name,
      new Map(
        results.flatMap((all, index): [string, PlaceOutcome][] => {
          const { outcome, reason } = all[at] ?? {};
          return outcome === undefined ? [] : [[poolOf(index), { outcome, reason: reason ?? '' }]];
        }),
      ),
    ]),
  );
  const kept = [
    ...objects.filter(({ kind }) => kind === 'NodePool'),
    ...workloads.map(({ object }: Workload) => object),
  ];
  const known = new Set(objects.filter(({ kind }) => kind === 'NodePool').map((pool) => mapAt(pool, 'metadata').name));
  return {
    objects: new Map(kept.map((object) => [nameOf(object), object])),
    isLive: kept.some((object) => mapAt(object, 'metadata').uid !== undefined),
    declared: new Map(
      members.flatMap((member, index): [string, PlainMap][] => {
        const name = poolOf(index);
        const pool = declared.find((each) => (each.labels[labels.nodePoolLabel] ?? each.name) === name);
        const { labels: written, taints, expectedNodes } = pool ?? {};
        const hostNetwork = isHostNetworkNode(member, labels.hostNetworkLabel);
        return known.has(name) ? [] : [[name, { hostNetwork, labels: written, taints, expectedNodes }]];
      }),
    ),
    outcomes,
  };
}

/** The API server writes the namespace that a manifest can leave out. */
function withoutDefaultNamespace(object: PlainMap): PlainMap {
  const { namespace, ...metadata } = mapAt(object, 'metadata');
  return namespace === 'default' ? { ...object, metadata } : object;
}

/** Both fleets with the objects that can be compared: of a dump only what the other fleet writes. */
function comparable(
  first: ReadFleet,
  second: ReadFleet,
): readonly [ReadFleet, ReadFleet, ReadonlyMap<string, readonly string[]>] {
  const unknown = new Map<string, readonly string[]>();
  const against = (live: ReadFleet, written: ReadFleet): ReadFleet => ({
    ...live,
    objects: new Map(
      [...live.objects].map(([name, object]) => {
        const other = written.objects.get(name);
        if (!live.isLive || written.isLive || other === undefined) {
          return [name, withoutServerFields(object)];
        }
        const part = livePart(object, other);
        unknown.set(name, part.unknown);
        return [name, part.object];
      }),
    ),
  });
  return [against(first, second), against(second, first), unknown];
}

/** By workload. What is not there, and what is excluded, is the same to a pool. */
function movesBetween({ outcomes: first }: ReadFleet, { outcomes: second }: ReadFleet): ReadonlyMap<string, Move[]> {
  const found = new Map<string, Move[]>();
  for (const workload of new Set([...second.keys(), ...first.keys()])) {
    const [from, to] = [first.get(workload), second.get(workload)];
    const moves = new Map<string, Move & { readonly pools: string[] }>();
    for (const pool of new Set([...(to?.keys() ?? []), ...(from?.keys() ?? [])])) {
      const [before, after] = [from?.get(pool), to?.get(pool)];
      if ((before?.outcome ?? 'excluded') === (after?.outcome ?? 'excluded')) {
        continue;
      }
      const key = JSON.stringify([before, after]);
      const same = moves.get(key) ?? {
        pools: [],
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
      moves.set(key, same);
      same.pools.push(pool);
    }
    if (moves.size > 0) {
      found.set(workload, [...moves.values()]);
    }
  }
  return found;
}

/** Pools without a NodePool. */
function declaredDifferences(
  first: ReadonlyMap<string, PlainMap>,
  second: ReadonlyMap<string, PlainMap>,
): Difference[] {
  return [...new Set([...second.keys(), ...first.keys()])].flatMap((name): Difference[] => {
    const [before, after] = [first.get(name), second.get(name)];
    const change = before === undefined ? 'appears' : after === undefined ? 'goes' : 'changes';
    // a Node does not say what its pool declares
    const fields = Object.keys(after ?? {}).flatMap((field) =>
      before?.[field] === undefined || after?.[field] === undefined
        ? []
        : fieldChanges(before[field], after[field], field),
    );
    return change === 'changes' && fields.length === 0 ? [] : [{ object: `pool ${name}`, change, fields, moves: [] }];
  });
}

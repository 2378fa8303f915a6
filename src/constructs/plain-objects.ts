import { ApiObject, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { areTogether, type DeclaredObject, duplicateObject } from '../cluster/declared-objects.js';
import { EdgeError, type EdgeWarning } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { identityOf } from '../kubernetes/object.js';
import { isKnownWorkload } from '../kubernetes/pod-places.js';
import { isPool } from '../pools/node-pool.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { misplacedExclusion, misspeltPools, pinnedWarnings } from '../workloads/misplaced-workloads.js';
import { constructsIn, foundPerSynth, oncePerSynth } from './synth-run.js';
import { addLateWarnings } from './warnings.js';

/** What the constructs of this library make in a tree. */
interface Made {
  /** All objects. */
  readonly all: Set<ApiObject>;
  /** Those that are created, with the construct of each. */
  readonly created: Map<ApiObject, { readonly construct: IConstruct; readonly subject: string }>;
}

const trees = new WeakMap<IConstruct, Made>();

/**
 * Records an object that a construct of this library makes. If another construct, such as an ApiObject, creates it too, this is reported when the tree is
 * synthesized: what is not from this library is known only then.
 *
 * @param isCreated whether the construct creates it, and no other may: not a part of an object, nor one whose name is that of its content
 * @param subject what to name in errors
 */
export function recordMade(construct: IConstruct, made: ApiObject, isCreated: boolean, subject: string): void {
  const { root } = construct.node;
  const tree = trees.get(root) ?? begin(root);
  tree.all.add(made);
  if (isCreated) {
    tree.created.set(made, { construct, subject });
  }
}

function begin(root: IConstruct): Made {
  const tree: Made = { all: new Set(), created: new Map() };
  trees.set(root, tree);
  // warnings and the validation below ask for the same
  const find = foundPerSynth(root, () => duplicates(tree, plainObjects(root, tree)));
  addLateWarnings(root, () => find().flatMap(({ isSure, warning }) => (isSure ? [] : [warning])));
  addLateWarnings(root, () => pinned(root, tree));
  root.node.addValidation(
    oncePerSynth(root, () => {
      const first = find().find(({ isSure }) => isSure);
      if (first !== undefined) {
        throw new EdgeError(first.subject, [first.warning]);
      }
    }),
  );
  return tree;
}

/** What is wrong with workloads of other constructs beside the pools of the tree: where they run, and what was meant to exclude them. */
function pinned(root: IConstruct, { all }: Made): EdgeWarning[] {
  const constructs = constructsIn(root);
  // by labels that only nodes of host-network pools have
  const pools = new Map<string, string>();
  // all pools, by the label with their name
  const names = new Map<string, Set<string>>();
  for (const construct of constructs) {
    // one whose declaration was refused, and caught, has no cluster
    if (isPool(construct) && (construct.cluster as unknown) !== undefined) {
      const { cluster, poolName } = construct;
      names.set(cluster.nodePoolLabel, (names.get(cluster.nodePoolLabel) ?? new Set()).add(poolName));
    }
    if (isPool(construct) && construct.hostNetwork) {
      const { poolName, nodeSelector, cluster } = construct;
      const { key, value } = cluster.hostNetworkLabel;
      [...Object.entries(nodeSelector), [key, value]].forEach(([label, of]) => pools.set(`${label}=${of}`, poolName));
    }
  }
  if (pools.size === 0) {
    return [];
  }
  return constructs
    .filter((construct) => ApiObject.isApiObject(construct))
    .filter((object) => !all.has(object))
    .filter((object) => isList(object) || isKnownWorkload({ apiVersion: object.apiVersion, kind: object.kind }))
    .flatMap((object) =>
      objectsIn(object.toJson() as PlainMap)
        .flatMap((each) => [
          ...pinnedWarnings(each, (label, value) => pools.get(`${label}=${value}`)),
          ...misplacedExclusion(each),
          ...[...names].flatMap(([label, all]) => misspeltPools(each, label, all)),
        ])
        .map((warning) => ({ ...warning, construct: object.node.path })),
    );
}

interface Duplicate {
  readonly warning: EdgeWarning;
  readonly subject: string;
  /** Whether both are surely applied together. */
  readonly isSure: boolean;
}

/** The objects of other constructs that have a kind which this library creates in the tree, or Lists, which may hold one. */
function plainObjects(root: IConstruct, { all, created }: Made): ApiObject[] {
  const kinds = new Set([...created.keys()].map((object) => kindOf(object)));
  return constructsIn(root)
    .filter((construct) => ApiObject.isApiObject(construct))
    .filter((object) => !all.has(object) && (isList(object) || kinds.has(kindOf(object))));
}

function isList({ kind }: { readonly kind?: unknown }): boolean {
  return String(kind).endsWith('List');
}

/** An object, or those in a List. */
function objectsIn(object: PlainMap): PlainMap[] {
  return isList(object) && Array.isArray(object.items) ? object.items.filter(isMap).flatMap(objectsIn) : [object];
}

function kindOf({ apiVersion, kind }: ApiObject): string {
  return groupKindOf({ apiVersion, kind });
}

function duplicates({ created }: Made, others: readonly ApiObject[]): Duplicate[] {
  if (others.length === 0) {
    return [];
  }
  const byIdentity = new Map<string, ApiObject[]>();
  for (const object of created.keys()) {
    const identity = identityOf(asDeclared(object));
    byIdentity.set(String(identity), [...(byIdentity.get(String(identity)) ?? []), object]);
  }
  return others.flatMap(plainDeclarations).flatMap((plain) => {
    const identity = String(identityOf(plain.object));
    return (byIdentity.get(identity) ?? []).flatMap((object): Duplicate[] => {
      const { construct, subject } = created.get(object) as { construct: IConstruct; subject: string };
      const own = declaredObject(object, construct.node.path);
      return identityOf(own.object) === identity
        ? [
            {
              warning: { ...duplicateObject(plain, own.object), construct: construct.node.path },
              subject,
              isSure: areTogether(plain, own),
            },
          ]
        : [];
    });
  });
}

/** What is known without rendering the object. */
function asDeclared({ apiVersion, kind, name, metadata }: ApiObject): PlainMap {
  return { apiVersion, kind, metadata: { name, namespace: metadata.namespace } };
}

function plainDeclarations(other: ApiObject): DeclaredObject[] {
  const declared = declaredObject(other, other.node.path);
  return objectsIn(declared.object).map((object) => ({ ...declared, object }));
}

function declaredObject(object: ApiObject, path: string): DeclaredObject {
  const place = object.node.scopes.filter((scope) => Chart.isChart(scope)).at(-1);
  return { path, owner: object, object: object.toJson() as PlainMap, place };
}

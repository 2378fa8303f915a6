import { EdgeCluster } from '../cluster/edge-cluster.js';
import { withDeclaredObjects } from '../cluster/declared-objects.js';
import type { Plan } from '../cluster/plan.js';
import { Declarations } from '../cluster/scope.js';
import { EdgeError, ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { planExcludedWorkload } from '../workloads/excluded-workload.js';
import { planHostNetworkWorkload } from '../workloads/host-network-workload.js';
import { cdk8sLosses } from './cdk8s-losses.js';
import { findLabels, type GivenLabels, type ProposedLabel, proposeLabels } from './found-labels.js';
import { findApiServer, findYurthub } from './found-api-server.js';
import { type FoundOwner, findOwners } from './found-owners.js';
import { type FoundReservation, findReservations } from './found-reservations.js';
import { type FoundReleases, findReleases, type GivenReleases, problemsAtPlaces } from './found-releases.js';
import { type ImportedFile, type ImportInput, type LeftOut, readObjects } from './input-objects.js';
import { isMarked, withKeptOffParts } from './kept-off-parts.js';
import type { OthersField } from '../fleet/managed-fields.js';
import { plainReason } from './plain-reason.js';
import { UniqueNames } from './program-names.js';
import { type ImportedObject, attempted, comparingScope, type Recognized } from './recognized-object.js';
import { isHostNetworkPool, isNodePool, poolAttributes, recognizePool } from './recognized-pools.js';
import type { RecognizedSet } from './planned-search.js';
import { recognizeSets } from './recognized-sets.js';
import {
  isExcluded,
  type KnownPools,
  poolsOfWorkload,
  recognizeExcluded,
  recognizeHostNetwork,
} from './recognized-workloads.js';
import {
  type GivenSecrets,
  type ImportTarget,
  SecretCommands,
  type SecretReference,
  SecretValue,
  withoutSecrets,
  withSecretReferences,
} from './secret-references.js';
import { isFromServer } from '../fleet/server-fields.js';
import { Expression, holdsExpression } from './program-printer.js';

/** Everything that a program is written of. */
export interface ImportModel {
  readonly cluster: EdgeCluster;
  readonly releases: FoundReleases;
  readonly objects: readonly ImportedObject[];
  /** Declarations that make several of the objects. */
  readonly sets: readonly RecognizedSet[];
  /** Host-network pools that only workloads name, or whose NodePool is a plain object: by name, what is known of them. */
  readonly namedPools: ReadonlyMap<string, PlainMap>;
  /** By pool, in the order of their names. */
  readonly reservations: readonly FoundReservation[];
  readonly secrets: readonly SecretReference[];
  /** Who has applied the objects. */
  readonly owners: readonly FoundOwner[];
  readonly leftOut: readonly LeftOut[];
  /** Labels by which host-network nodes are perhaps known. */
  readonly proposedLabels: readonly ProposedLabel[];
  /** Fields that are left out, because another manager writes them: by object. */
  readonly others: readonly (OthersField & { readonly object: string })[];
  /** All objects as they were read. */
  readonly all: readonly PlainMap[];
}

/** What the user says of the cluster and its secrets. */
export interface GivenCluster extends GivenReleases, GivenLabels, GivenSecrets {}

/** Reads the files, and finds how each object is declared. */
export function importModel(files: readonly ImportedFile[], target: ImportTarget, given: GivenCluster): ImportModel {
  const input = readObjects(files);
  const releases = findReleases(input.all, given);
  const cluster = clusterOf(input, releases, given);
  const commands = new SecretCommands(target, new UniqueNames());
  const secrets: SecretReference[] = [];
  const parted = withKeptOffParts(input, cluster);
  const open = withoutSecrets(parted.objects, input.all, given);
  const sorted = [...open.objects].sort((a, b) => (identity(a.object) < identity(b.object) ? -1 : 1));
  const objects = sorted.map(({ object: written, given: read, place, patchFile }): ImportedObject => {
    const { object, references } = withSecretReferences({ object: written, given: read }, commands);
    secrets.push(...references);
    return {
      object,
      place,
      isOfEdge: false,
      ...(isFromServer(read) ? { isStored: true } : {}),
      ...(patchFile === undefined ? {} : { patchFile }),
    };
  });
  const pools = new Map<string, Recognized | PlainMap | undefined>();
  const withPools = objects.map((each) =>
    isNodePool(each.object) && !holdsExpression(each.object) ? withPool(each, cluster, pools) : each,
  );
  const named = new Map<string, PlainMap>();
  const known = knownPools(cluster, pools, named);
  const recognized = withPools.map((each) => withWorkload(each, cluster, known));
  const reasons = new Map<ImportedObject, string>();
  const sets = recognizeSets(recognized, cluster, () => declaredPools(cluster, pools, named).declared, reasons);
  const inSets = new Map(sets.flatMap(({ objects: those, written }) => those.map((each, i) => [each, written[i]])));
  const withSets = recognized.map((each): ImportedObject => {
    const written = inSets.get(each);
    const reason = reasons.get(each);
    return written !== undefined ? inSet(each, written) : reason !== undefined ? { ...each, reason } : each;
  });
  return {
    cluster,
    releases,
    objects: acceptedTogether(withSets, cluster, pools, named),
    sets,
    namedPools: named,
    reservations: findReservations(input.all, cluster),
    secrets,
    owners: findOwners(parted.objects.map(({ given: read }) => read)),
    leftOut: [...parted.leftOut, ...open.leftOut],
    proposedLabels: proposeLabels(input.all, cluster),
    others: parted.objects.flatMap(({ object, others }) =>
      others.map((field) => ({ ...field, object: nameOf(object) })),
    ),
    all: input.all,
  };
}

/** The cluster that the objects show. */
function clusterOf({ all, placeOf }: ImportInput, releases: FoundReleases, given: GivenLabels): EdgeCluster {
  const of = { openYurt: releases.openYurt.version, kubernetes: releases.kubernetes.version };
  try {
    return EdgeCluster.of({
      ...of,
      ...findApiServer(all, of),
      ...findYurthub(all, of),
      // OpenYurt has its own
      ...(releases.openYurt.version === 'none' ? findLabels(all) : {}),
      ...(given.hostNetworkLabel === undefined ? {} : { hostNetworkLabel: given.hostNetworkLabel }),
      ...(given.nodePoolLabel === undefined ? {} : { nodePoolLabel: given.nodePoolLabel }),
    });
  } catch (error) {
    throw error instanceof EdgeError
      ? new EdgeError('import', problemsAtPlaces(error.problems, releases, placeOf))
      : error;
  }
}

function identity(object: PlainMap): string {
  const { name, namespace } = mapAt(object, 'metadata');
  return [namespace, object.kind, name, object.apiVersion].map(String).join(' ');
}

type Pools = Map<string, Recognized | PlainMap | undefined>;

/** A NodePool, and what is known of its pool: undefined for a regular one. */
function withPool(each: ImportedObject, cluster: EdgeCluster, pools: Pools): ImportedObject {
  const name = String(mapAt(each.object, 'metadata').name);
  const isPatched = each.patchFile !== undefined || cdk8sLosses(each.object).patches.length > 0;
  const found = isPatched ? { reason: 'it is only a part, or has empty fields' } : recognizePool(each.object, cluster);
  const { labels, taints } = mapAt(each.object, 'spec');
  const facts = {
    ...(isMap(labels) && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Array.isArray(taints) && taints.length > 0 ? { taints } : {}),
  };
  pools.set(name, isHostNetworkPool(each.object) ? (found.recognized ?? facts) : undefined);
  return { ...each, isOfEdge: true, ...found };
}

/** Finds the attributes of pools by name; a pool without NodePool in the input is noted as named. */
function knownPools(cluster: EdgeCluster, pools: Pools, named: Map<string, PlainMap>): KnownPools {
  const made = new Map<string, NodePoolAttributes | undefined>();
  const attributesOf = (name: string): NodePoolAttributes | undefined => {
    const facts = pools.get(name);
    if (facts === undefined && pools.has(name)) {
      return undefined;
    }
    const isDeclared = facts !== undefined && 'className' in facts;
    const props = isDeclared ? (facts as Recognized).props : (facts ?? {});
    const result = attempted(() => poolAttributes(name, cluster, props, isDeclared));
    if ('refused' in result) {
      return undefined;
    }
    if (!isDeclared) {
      named.set(name, props);
    }
    return result.made;
  };
  return {
    of: (name) => {
      if (!made.has(name)) {
        made.set(name, attributesOf(name));
      }
      return made.get(name);
    },
  };
}

function withWorkload(each: ImportedObject, cluster: EdgeCluster, pools: KnownPools): ImportedObject {
  const { object, patchFile } = each;
  if (each.isOfEdge) {
    return each;
  }
  const on = poolsOfWorkload(object, cluster);
  const isOfEdge = on.length > 0 || isExcluded(object, cluster);
  if (!isOfEdge) {
    const reason = plainReason(object, cluster);
    return reason === undefined ? each : { ...each, isOfEdge: true, reason };
  }
  if (holdsExpression(object)) {
    return { ...each, isOfEdge, reason: 'it has a secret in it' };
  }
  if (patchFile !== undefined) {
    const why = isMarked(object) ? 'the policy for which it is marked is not among what was imported' : PART;
    return { ...each, isOfEdge, reason: why };
  }
  if (cdk8sLosses(object).patches.length > 0) {
    return { ...each, isOfEdge, reason: 'it has fields that are null or empty, which constructs leave out' };
  }
  const found = on.length > 0 ? recognizeHostNetwork(object, cluster, on, pools) : recognizeExcluded(object, cluster);
  return { ...each, isOfEdge, ...found };
}

const PART = 'it is only a part of an object, for server-side apply';

/** The host-network pools of the program, as its other declarations know them. */
function declaredPools(
  cluster: EdgeCluster,
  pools: Pools,
  named: ReadonlyMap<string, PlainMap>,
): { readonly declared: Declarations; readonly attributes: ReadonlyMap<string, NodePoolAttributes> } {
  const declared = new Declarations();
  const attributes = new Map<string, NodePoolAttributes>();
  for (const [name, facts] of pools) {
    if (facts !== undefined && 'className' in facts) {
      attributes.set(name, poolAttributes(name, cluster, (facts as Recognized).props, true, declared));
    }
  }
  named.forEach((props, name) => attributes.set(name, poolAttributes(name, cluster, props, false, declared)));
  return { declared, attributes };
}

/** An object that a declaration of several objects makes. */
function inSet({ place, patchFile }: ImportedObject, object: PlainMap): ImportedObject {
  return { object, place, isOfEdge: true, isInSet: true, ...(patchFile === undefined ? {} : { patchFile }) };
}

/** Plans all declarations as one program does: what is refused only together with others, such as a port that two use, is a plain object. */
function acceptedTogether(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: Pools,
  named: ReadonlyMap<string, PlainMap>,
): ImportedObject[] {
  const { declared, attributes } = declaredPools(cluster, pools, named);
  const planAll = new Map<ImportedObject, Plan<unknown>>();
  const refused = new Map<ImportedObject, string>();
  for (const each of objects) {
    const { recognized } = each;
    if (recognized === undefined || !('workload' in recognized.props)) {
      continue;
    }
    const scope = comparingScope(identity(each.object), declared);
    const on = (recognized.pools ?? []).map((name) => attributes.get(name));
    const plan = attempted(() =>
      withDeclaredObjects<unknown>(
        recognized.className === 'ExcludedWorkload'
          ? planExcludedWorkload({ cluster, ...recognized.props } as never, scope)
          : planHostNetworkWorkload({ ...recognized.props, pools: on } as never, scope),
        scope,
      ),
    );
    if ('refused' in plan) {
      refused.set(each, plan.refused);
    } else {
      planAll.set(each, plan.made);
    }
  }
  for (const [each, { atEnd }] of planAll) {
    const problems = new ProblemList();
    atEnd?.(problems);
    const [first] = problems.problems;
    if (first !== undefined) {
      refused.set(each, first.message);
    }
  }
  return objects.map((each) => {
    const why = refused.get(each);
    const { recognized, ...rest } = each;
    return why === undefined || recognized === undefined
      ? each
      : { ...rest, reason: `${recognized.className} refuses ${why}` };
  });
}

/** An object as it is recorded: each secret is the name of its variable. */
export function recordedObject(value: unknown): unknown {
  if (value instanceof SecretValue) {
    return `<${value.variable}>`;
  }
  if (value instanceof Expression) {
    return value.text;
  }
  return Array.isArray(value)
    ? value.map(recordedObject)
    : isMap(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recordedObject(item)]))
      : value;
}

import { EdgeCluster } from '../cluster/edge-cluster.js';
import { withDeclaredObjects } from '../cluster/declared-objects.js';
import type { Plan } from '../cluster/plan.js';
import { Declarations } from '../cluster/scope.js';
import { EdgeError, ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { type ObjectPath, type PlainMap, isMap, mapAt, same, valueAt } from '../base/plain-data.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { planExcludedWorkload } from '../workloads/excluded-workload.js';
import { planHostNetworkWorkload } from '../workloads/host-network-workload.js';
import { cdk8sLosses } from './cdk8s-losses.js';
import { type GivenLabels, type ProposedLabel, findLabels, proposeLabels, shownPools } from './found-labels.js';
import { findApiServer, findYurthub } from './found-api-server.js';
import { type FoundOwner, findOwners } from './found-owners.js';
import { type FoundReservation, findReservations } from './found-reservations.js';
import { type FoundReleases, type GivenReleases, findReleases, problemsAtPlaces } from './found-releases.js';
import { type ImportInput, type ImportedFile, type InputObject, type LeftOut, readObjects } from './input-objects.js';
import { NOT_SHOWN, type OthersField, REPLICAS } from '../fleet/managed-fields.js';
import { UniqueNames } from './program-names.js';
import { type ImportedObject, type Recognized, attempted, comparingScope, isOwn } from './recognized-object.js';
import { isHostNetworkPool, isNodePool, poolAttributes, recognizePool } from './recognized-pools.js';
import type { RecognizedSet } from './planned-search.js';
import { recognizeSets } from './recognized-sets.js';
import {
  type KnownPools,
  isExcluded,
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
  withSecretReferences,
  withoutSecrets,
} from './secret-references.js';
import { isFromServer } from '../fleet/server-fields.js';
import { Expression, holdsExpression } from './program-printer.js';
import { CONFIGURATIONS } from '../admission/openyurt-configurations.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { hostNetworkTaint } from '../kubernetes/taint.js';
import { REQUIRED_PATH, expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { YURTHUB_RIGHTS } from '../pools/node-conversion.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { termsExclude } from '../workloads/exclusion-affinity.js';
import { SystemComponent } from '../system-components/system-component.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Everything that a program is written of. */
export interface ImportModel {
  readonly cluster: EdgeCluster;
  readonly releases: FoundReleases;
  readonly objects: readonly ImportedObject[];
  /** Declarations that make several of the objects. */
  readonly sets: readonly RecognizedSet[];
  /** Host-network pools that only workloads name, or whose NodePool is a plain object: by name, what is known of them. */
  readonly namedPools: ReadonlyMap<string, PlainMap>;
  /** Pools that only Nodes show. */
  readonly shownPools: ReturnType<typeof shownPools>;
  /** By pool, in the order of their names. */
  readonly reservations: readonly FoundReservation[];
  readonly secrets: readonly SecretReference[];
  /** Objects with secrets that the program neither has nor reads. */
  readonly unread: readonly PlainMap[];
  /** Who has applied the objects. */
  readonly owners: readonly FoundOwner[];
  readonly leftOut: readonly LeftOut[];
  /** Labels by which host-network nodes are perhaps known. */
  readonly proposedLabels: readonly ProposedLabel[];
  /** Fields that are left out, because another manager writes them: by object. */
  readonly others: readonly (OthersField & { readonly object: string })[];
  /** Parts with the replicas that an autoscaler sets, and that only `kubectl apply` owns, or perhaps. */
  readonly heldReplicas: readonly PlainMap[];
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
  const shown = shownPools(input.all, cluster).filter(({ pool }) => !pools.has(pool));
  const known = knownPools(cluster, pools, named);
  // without OpenYurt a pool is only labels and taints of its Nodes
  for (const { pool, taints, isHost } of cluster.hasOpenYurt() ? [] : shown.filter(({ pool }) => pool !== '')) {
    const others = taints.filter((taint) => !same(taint, hostNetworkTaint(cluster.hostNetworkLabel)));
    const isRegistered = others.length < taints.length;
    pools.set(pool, {
      ...(others.length > 0 ? { taints: others } : {}),
      ...(isRegistered && { registrationTaint: true }),
    });
    if (isHost) {
      known.of(pool);
    }
  }
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
    shownPools: shown,
    reservations: findReservations(input.all, cluster),
    secrets,
    unread: open.unread,
    owners: findOwners(parted.objects.map(({ given: read }) => read)),
    leftOut: [...parted.leftOut, ...open.leftOut],
    proposedLabels: proposeLabels(input.all, cluster),
    others: parted.objects.flatMap(({ object, others }) =>
      others.map((field) => ({ ...field, object: nameOf(object) })),
    ),
    heldReplicas: parted.objects.flatMap(heldReplicas),
    all: input.all,
  };
}

/**
 * kubectl moves what `kubectl apply` owns to the field manager of a server-side apply, and removes what that does not have
 * (csaupgrade in k8s.io/client-go): replicas would become 1 until the autoscaler has seen it.
 */
function heldReplicas({ given, others }: InputObject): PlainMap[] {
  const { name, namespace, uid } = mapAt(given, 'metadata');
  const isHeld = others.some(
    ({ field, manager }) => field === REPLICAS && ['kubectl-client-side-apply', NOT_SHOWN].includes(manager),
  );
  const { apiVersion, kind } = given;
  return isHeld && uid !== undefined
    ? [{ apiVersion, kind, metadata: { name, namespace }, spec: { replicas: mapAt(given, 'spec').replicas } }]
    : [];
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

/** Kinds of OpenYurt whose objects name or select pools, or replace Pods on their nodes. */
const OF_POOLS =
  /^(?:(?:YurtAppSet|YurtAppDaemon|YurtAppOverrider|YurtStaticSet)\.apps|PoolService\.network|PlatformAdmin\.iot)\.openyurt\.io$/;

/** Why an object that concerns edge pools is a plain one; undefined for objects that do not. */
function plainReason(object: PlainMap, cluster: EdgeCluster): string | undefined {
  const groupKind = groupKindOf(object);
  const { name } = mapAt(object, 'metadata');
  if (OF_POOLS.test(groupKind)) {
    return groupKind === 'YurtStaticSet.apps.openyurt.io' && /^yurt-?hub/.test(String(name))
      ? 'the chart yurthub writes it; cluster.ts has yurthub: true'
      : `${String(object.kind)} is written as it is`;
  }
  if (groupKind === 'Secret' && object.type === 'bootstrap.kubernetes.io/token') {
    return 'a token for joins: BootstrapToken makes one of JoinToken.inline(…) and an expiration (docs/join.md). Remove it when it has expired';
  }
  // rights of all nodes concern no pool
  if (isOwn(object) && name !== YURTHUB_RIGHTS) {
    return ownReason(object);
  }
  if (Object.values(CONFIGURATIONS).some((each) => each.kind === object.kind && each.name === name)) {
    return 'OpenYurtWebhooks writes all webhooks of the release, with its own labels';
  }
  return selectionReason(object, cluster);
}

function selectionReason(object: PlainMap, cluster: EdgeCluster): string | undefined {
  const specs = podPlaces(object).map((place) => podSpecAt(object, place));
  const selects = (key: string, ...operators: readonly string[]): boolean =>
    specs.some((spec) =>
      (requiredTerms(spec) ?? [])
        .flatMap(expressionsOf)
        .some((each) => each.key === key && operators.includes(String(each.operator))),
    );
  const isOn = (key: string): boolean =>
    specs.some((spec) => mapAt(spec, 'nodeSelector')[key] !== undefined) || selects(key, 'In', 'Exists');
  return isOn(cluster.nodePoolLabel)
    ? 'it runs on nodes of a pool without the network of the node: no class writes that'
    : isOn(cluster.hostNetworkLabel.key)
      ? 'it runs on every host-network pool, also on later ones: HostNetworkWorkload names its pools'
      : selects(cluster.nodePoolLabel, 'NotIn', 'DoesNotExist')
        ? 'it is kept off pools by their names, and a later one is not among them: ExcludedWorkload keeps it off all host-network nodes'
        : undefined;
}

function ownReason({ kind }: PlainMap): string {
  return kind === 'ConfigMap' || kind === 'KubeadmConfigTemplate'
    ? 'it is a join, which NodeJoin or KubeadmConfigTemplate makes of settings that it does not show: write them (docs/join.md), and remove it'
    : 'a declaration of this library has made it, of settings that it does not show';
}

const POD_SPEC = ['spec', 'template', 'spec'];
const REQUIRED: ObjectPath = [...POD_SPEC, ...REQUIRED_PATH];

/** The annotation of a component that the policy sees being patched: `<name of the policy>/patched`. */
const MARK = /\/patched$/;

/**
 * System components of a cluster that are kept off host-network nodes, while kubeadm or another tool writes all the rest of them: of these a program has the
 * part that keeps them off, as for server-side apply. The whole object would be taken from its tool, and its next upgrade would take it back.
 */
function withKeptOffParts(input: ImportInput, cluster: EdgeCluster): Pick<ImportInput, 'objects' | 'leftOut'> {
  const leftOut: LeftOut[] = [];
  const objects = input.objects.map((each): InputObject => {
    const patchFile = patchFileOf(each, cluster);
    if (patchFile === undefined) {
      return each;
    }
    leftOut.push({
      name: nameOf(each.given),
      reason: 'written by another tool: the program has only what keeps it off host-network nodes',
    });
    const part = partOf(each.object);
    return { object: part, given: part, place: each.place, patchFile, others: [] };
  });
  return { objects, leftOut: [...input.leftOut, ...leftOut] };
}

/** The file of the part; undefined for an object that is imported as a whole. */
function patchFileOf({ object, given, patchFile }: InputObject, cluster: EdgeCluster): string | undefined {
  const podSpec = valueAt(object, POD_SPEC);
  const terms = isMap(podSpec) ? requiredTerms(podSpec) : undefined;
  const isKeptOff = terms !== undefined && terms.length > 0 && termsExclude(terms, cluster.hostNetworkLabel);
  if (patchFile !== undefined || !isFromServer(given) || !isKeptOff) {
    return undefined;
  }
  return isPatched(given) ? 'system-components' : isOfKubeadm(given) ? 'kubeadm-components' : undefined;
}

/** Whether the policy of a declaration sees the object being patched. */
function isMarked(object: PlainMap): boolean {
  return Object.keys(mapAt(mapAt(object, 'metadata'), 'annotations')).some((key) => MARK.test(key));
}

/** Whether one tool has applied the affinity and no container, and another one has written the containers. */
function isPatched(given: PlainMap): boolean {
  if (isMarked(given)) {
    return true;
  }
  const metadata = mapAt(given, 'metadata');
  const entries = itemsOf(metadata.managedFields).filter(isMap);
  const owns = ({ fieldsV1 }: PlainMap, path: ObjectPath): boolean =>
    valueAt(
      fieldsV1,
      path.map((field) => `f:${field}`),
    ) !== undefined;
  const containers = [...POD_SPEC, 'containers'];
  return (
    entries.some((entry) => entry.operation === 'Apply' && owns(entry, REQUIRED) && !owns(entry, containers)) &&
    entries.some((entry) => owns(entry, containers))
  );
}

/** Whether `kubeadm upgrade` writes it. */
function isOfKubeadm({ kind, metadata }: PlainMap): boolean {
  const { name, namespace } = mapAt({ metadata }, 'metadata');
  return SystemComponent.known().some(
    ({ data }) =>
      data.owner === 'kubeadm' &&
      data.workloads.some((each) => each.kind === kind && each.name === name && each.namespace === namespace),
  );
}

function partOf(object: PlainMap): PlainMap {
  const { name, namespace, annotations } = mapAt(object, 'metadata');
  const marks = Object.entries(isMap(annotations) ? annotations : {}).filter(([key]) => MARK.test(key));
  const affinity = REQUIRED.slice(POD_SPEC.length).reduceRight<unknown>(
    (below, field) => ({ [field]: below }),
    valueAt(object, REQUIRED),
  ) as PlainMap;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      namespace,
      ...(marks.length === 0 ? {} : { annotations: Object.fromEntries(marks) }),
    },
    spec: { template: { spec: affinity } },
  };
}

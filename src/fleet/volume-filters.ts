import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { nodeSelectorHolds } from './node-affinity-match.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import type { PlacementPod } from './placement-pod.js';
import type { Refusal } from './verdict.js';

const [BINDING, RESTRICTIONS, ZONE] = ['VolumeBinding', 'VolumeRestrictions', 'VolumeZone'] as const;

/** Volumes that only one Pod of a node may have; the drivers left Kubernetes, so such Pods are not judged. */
const OF_REMOVED_DRIVERS = ['gcePersistentDisk', 'awsElasticBlockStore', 'iscsi', 'rbd'];

/** A claim of a Pod, as far as it is known. */
interface Claim {
  readonly name: string;
  readonly key: string;
  readonly claim?: PlainMap;
  /** Whether a controller makes it with the Pod, and not before. */
  readonly isEphemeral: boolean;
  /** Whether it is not there yet, and its controller makes it before the Pod. */
  readonly isMade?: boolean;
}

/** The claims that a Pod has before it is created, and the generic ephemeral volumes, whose claims are made with it. */
function claimsOf(pod: PlacementPod, { claims, storageClasses }: PlacementCluster): Claim[] {
  return volumesOf(pod).flatMap(({ persistentVolumeClaim, ephemeral, name }): Claim[] => {
    const own = isMap(ephemeral) ? `${pod.name}-${String(name)}` : undefined;
    const claimName = isMap(persistentVolumeClaim) ? String(persistentVolumeClaim.claimName) : own;
    if (claimName === undefined) {
      return [];
    }
    const key = `${pod.namespace}/${claimName}`;
    const made = claims.has(key) ? undefined : pod.madeClaims?.get(claimName);
    const claim = claims.get(key) ?? (made === undefined ? undefined : withDefaultClass(made, storageClasses));
    return [
      {
        isMade: made !== undefined,
        name: claimName,
        key,
        isEphemeral: own !== undefined,
        ...(claim === undefined ? {} : { claim }),
      },
    ];
  });
}

/** The API server gives a new claim without a class the default one, of several the newest (plugin/pkg/admission/storage/storageclass/setdefault). */
function withDefaultClass(claim: PlainMap, classes: PlacementCluster['storageClasses']): PlainMap {
  const spec = mapAt(claim, 'spec');
  if (spec.storageClassName !== undefined || classOf(claim) !== '') {
    return claim;
  }
  const isDefault = (each: PlainMap): boolean => {
    const annotations = mapAt(mapAt(each, 'metadata'), 'annotations');
    return ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
      (key) => annotations[key] === 'true',
    );
  };
  const since = (each: PlainMap): string => {
    const { creationTimestamp } = mapAt(each, 'metadata');
    return typeof creationTimestamp === 'string' ? creationTimestamp : '';
  };
  const [newest] = [...classes.values()].filter(isDefault).sort((a, b) => since(b).localeCompare(since(a)));
  return newest === undefined
    ? claim
    : { ...claim, spec: { ...spec, storageClassName: String(mapAt(newest, 'metadata').name) } };
}

function volumesOf({ spec }: PlacementPod): PlainMap[] {
  return Array.isArray(spec.volumes) ? spec.volumes.filter(isMap) : [];
}

/** What the scheduler finds before it looks at nodes: VolumeRestrictions, and the claims of VolumeBinding. */
export function volumesOfPod(pod: PlacementPod, cluster: PlacementCluster): Refusal | undefined {
  const removed = volumesOf(pod).flatMap((volume) => OF_REMOVED_DRIVERS.filter((field) => isMap(volume[field])));
  if (removed.length > 0) {
    return { by: RESTRICTIONS, outcome: 'unknown', reason: `its volume is of the kind ${removed[0]}` };
  }
  const claims = claimsOf(pod, cluster);
  const missing = claims.find(({ claim, isEphemeral }) => claim === undefined && !isEphemeral);
  if (missing !== undefined) {
    return absent(RESTRICTIONS, `PersistentVolumeClaim ${missing.key}`, cluster);
  }
  const used = claims.find(({ key, claim }) => isForOnePod(claim) && isUsed(key, cluster));
  if (used !== undefined) {
    return {
      by: RESTRICTIONS,
      outcome: 'waits',
      reason: `for another Pod to end: PersistentVolumeClaim ${used.key} is ReadWriteOncePod`,
    };
  }
  return ephemeralRefusal(pod, claims, cluster) ?? unboundOf(claims, cluster) ?? lostVolume(claims, cluster);
}

/** The claim of a generic ephemeral volume is made with the Pod; one of another Pod with this name is in the way (component-helpers storage/ephemeral). */
function ephemeralRefusal(
  pod: PlacementPod,
  claims: readonly Claim[],
  { isWhole }: PlacementCluster,
): Refusal | undefined {
  const own = claims.filter(({ isEphemeral }) => isEphemeral);
  const missing = own.find(({ claim }) => claim === undefined);
  if (missing !== undefined) {
    return isWhole
      ? { by: BINDING, outcome: 'waits', reason: `for PersistentVolumeClaim ${missing.key}, which is not there` }
      : { by: BINDING, outcome: 'unknown', reason: `the claim of its volume ${missing.name} is made with the Pod` };
  }
  const foreign = own.find(({ claim = {} }) => !isOwned(claim, pod));
  return foreign === undefined
    ? undefined
    : {
        by: BINDING,
        outcome: 'waits',
        reason: `for PersistentVolumeClaim ${foreign.key}, which is not of this Pod, to go`,
      };
}

function isOwned(claim: PlainMap, pod: PlacementPod): boolean {
  const { ownerReferences } = mapAt(claim, 'metadata');
  return termsIn(ownerReferences).some(
    ({ controller, kind, name }) => controller === true && kind === 'Pod' && name === pod.name,
  );
}

function unboundOf(claims: readonly Claim[], cluster: PlacementCluster): Refusal | undefined {
  const unbound = claims.find(({ claim = {} }) => !isBound(claim) && !isDelayed(claim, cluster));
  return unbound === undefined ? undefined : unboundRefusal(unbound, cluster);
}

function lostVolume(claims: readonly Claim[], cluster: PlacementCluster): Refusal | undefined {
  const name = claims
    .filter(({ claim = {} }) => isBound(claim))
    .map(({ claim = {} }) => String(mapAt(claim, 'spec').volumeName))
    .find((each) => !cluster.volumes.has(each));
  return name === undefined ? undefined : absent(ZONE, `PersistentVolume ${name}`, cluster);
}

function unboundRefusal({ key, name, claim = {}, isMade = false }: Claim, cluster: PlacementCluster): Refusal {
  const className = classOf(claim);
  const what = isMade ? `its claim ${name}` : `PersistentVolumeClaim ${key}`;
  const { storageClassName } = mapAt(claim, 'spec');
  if (className === '' && isMade && storageClassName === undefined) {
    return cluster.areVolumesKnown === true
      ? {
          by: BINDING,
          outcome: 'waits',
          reason: `for a volume for ${what}: it has no StorageClass, and none is the default`,
        }
      : { by: BINDING, outcome: 'unknown', reason: `the default StorageClass, of ${what}, is not in the manifests` };
  }
  if (className !== '' && !cluster.storageClasses.has(className)) {
    return absent(BINDING, `StorageClass ${className} of ${what}`, cluster);
  }
  if (isMade) {
    // of the class Immediate: a provisioner makes the volume before the Pod is scheduled
    const reason = `where the volume for ${what} is made is not in the manifests`;
    return { by: BINDING, outcome: 'unknown', reason };
  }
  return cluster.isWhole
    ? { by: BINDING, outcome: 'waits', reason: `for PersistentVolumeClaim ${key} to be bound` }
    : {
        by: BINDING,
        outcome: 'unknown',
        reason: `the volume of PersistentVolumeClaim ${key} is not in the manifests`,
      };
}

function absent(by: string, what: string, { isWhole, areVolumesKnown = isWhole }: PlacementCluster): Refusal {
  return areVolumesKnown
    ? { by, outcome: 'waits', reason: `for ${what}, which is not there` }
    : { by, outcome: 'unknown', reason: `${what} is not in the manifests` };
}

function isForOnePod(claim: PlainMap | undefined): boolean {
  const { accessModes } = mapAt(claim ?? {}, 'spec');
  return Array.isArray(accessModes) && accessModes.includes('ReadWriteOncePod');
}

function isUsed(key: string, cluster: PlacementCluster): boolean {
  return cluster.nodes.some(({ pods }) =>
    pods.some((pod) => claimsOf(pod, cluster).some((claim) => claim.key === key)),
  );
}

function isBound(claim: PlainMap): boolean {
  const { annotations } = mapAt(claim, 'metadata');
  const { volumeName } = mapAt(claim, 'spec');
  return isText(volumeName) && isMap(annotations) && annotations['pv.kubernetes.io/bind-completed'] !== undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function classOf(claim: PlainMap): string {
  const { annotations } = mapAt(claim, 'metadata');
  const beta = isMap(annotations) ? annotations['volume.beta.kubernetes.io/storage-class'] : undefined;
  const { storageClassName } = mapAt(claim, 'spec');
  return isText(beta) ? beta : isText(storageClassName) ? storageClassName : '';
}

/** Whether a claim is bound only once there is a Pod for it. */
function isDelayed(claim: PlainMap, { storageClasses }: PlacementCluster): boolean {
  const found = storageClasses.get(classOf(claim));
  return found?.volumeBindingMode === 'WaitForFirstConsumer' && !isText(mapAt(claim, 'spec').volumeName);
}

/** The scheduler's filter VolumeBinding (volumebinding/binder.go, FindPodVolumes). */
export function volumeBinding(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  for (const { key, claim = {} } of claimsOf(pod, cluster)) {
    const refusal = isBound(claim) ? boundVolume(claim, node, cluster) : delayedVolume(key, claim, node, cluster);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

function boundVolume(claim: PlainMap, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  const name = String(mapAt(claim, 'spec').volumeName);
  const volume = cluster.volumes.get(name);
  if (volume === undefined) {
    // reported of the Pod as a whole
    return undefined;
  }
  const { required } = mapAt(mapAt(volume, 'spec'), 'nodeAffinity');
  const { nodeSelectorTerms } = isMap(required) ? required : {};
  // asked with the labels of the node, and not with its name (component-helpers storage/volume, CheckNodeAffinity)
  const holds = !isMap(required) || nodeSelectorHolds(termsIn(nodeSelectorTerms), { ...node, name: '' });
  return holds === true
    ? undefined
    : holds === false
      ? { by: BINDING, outcome: 'excluded', reason: `node affinity of PersistentVolume ${name}` }
      : {
          by: BINDING,
          outcome: 'unknown',
          reason: `the node affinity of PersistentVolume ${name} depends on labels of its nodes`,
        };
}

function termsIn(terms: unknown): PlainMap[] {
  return Array.isArray(terms) ? terms.filter(isMap) : [];
}

/** A claim that waits for its first Pod: the provisioner makes a volume where the class allows it. */
function delayedVolume(
  key: string,
  claim: PlainMap,
  node: ClusterNode,
  { storageClasses, volumes, isWhole, areVolumesKnown = isWhole }: PlacementCluster,
): Refusal | undefined {
  const name = classOf(claim);
  const { provisioner, allowedTopologies } = storageClasses.get(name) ?? {};
  const isThere = [...volumes.values()].some((volume) => isFor(volume, key, claim));
  if (isThere || 'volume.kubernetes.io/selected-node' in mapAt(mapAt(claim, 'metadata'), 'annotations')) {
    return {
      by: BINDING,
      outcome: 'unknown',
      reason: `the scheduler chooses the volume of PersistentVolumeClaim ${key}`,
    };
  }
  if (provisioner === 'kubernetes.io/no-provisioner') {
    return areVolumesKnown
      ? {
          by: BINDING,
          outcome: 'waits',
          reason: `for a PersistentVolume of the class ${name}, which is not provisioned`,
        }
      : {
          by: BINDING,
          outcome: 'unknown',
          reason: `the PersistentVolumes of the class ${name} are not in the manifests`,
        };
  }
  const terms = termsIn(allowedTopologies).map(({ matchLabelExpressions }) => ({
    matchExpressions: termsIn(matchLabelExpressions).map((each) => ({ ...each, operator: 'In' })),
  }));
  const holds = terms.length === 0 || nodeSelectorHolds(terms, node);
  return holds === true
    ? undefined
    : {
        by: BINDING,
        outcome: holds === false ? 'excluded' : 'unknown',
        reason: `allowedTopologies of the StorageClass ${name}`,
      };
}

/** Whether the scheduler can choose a volume for a claim (component-helpers storage/volume, FindMatchingVolume). Its size and labels are not compared. */
function isFor(volume: PlainMap, key: string, claim: PlainMap): boolean {
  const { storageClassName, claimRef, accessModes } = mapAt(volume, 'spec');
  const { namespace = 'default', name } = mapAt({ claimRef }, 'claimRef');
  const isFree = !isMap(claimRef) || `${String(namespace)}/${String(name)}` === key;
  const wanted = textsIn(mapAt(claim, 'spec').accessModes);
  return storageClassName === classOf(claim) && isFree && wanted.every((mode) => textsIn(accessModes).includes(mode));
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(isText) : [];
}

const ZONE_LABELS = [
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
];

/** The scheduler's filter VolumeZone (volumezone/volume_zone.go): labels of the volume, which older drivers set. */
export function volumeZone(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  if (!ZONE_LABELS.some((label) => node.labels[label] !== undefined)) {
    return undefined;
  }
  for (const { claim = {} } of claimsOf(pod, cluster)) {
    const name = String(mapAt(claim, 'spec').volumeName);
    const { labels } = mapAt(cluster.volumes.get(name) ?? {}, 'metadata');
    const wrong = ZONE_LABELS.find((label) => {
      const zones = isMap(labels) ? labels[label] : undefined;
      const value = node.labels[label] ?? node.labels[label.replace('failure-domain.beta', 'topology')];
      return typeof zones === 'string' && !zones.split('__').includes(value ?? '');
    });
    if (wrong !== undefined) {
      return { by: ZONE, outcome: 'excluded', reason: `label ${wrong} of PersistentVolume ${name}` };
    }
  }
  return undefined;
}

import type { Taint } from '../kubernetes/taint.js';
import { isOlderMinor, type KubernetesMinor, lookUpKubernetes, NEWEST_MINOR } from '../cluster/kubernetes-minors.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { OpenNode } from './node-affinity-match.js';
import { nodeNameOf, type PlacementPod, placementPod } from './placement-pod.js';

/** A node, and the Pods on it. */
export interface ClusterNode extends OpenNode {
  /** Whether `kubectl cordon` closed it. */
  readonly isUnschedulable?: boolean;
  /** Whether its kubelet reports nothing any more: its condition Ready is Unknown.
   * @default false */
  readonly isSilent?: boolean;
  /** Whether its pool is a host-network pool, also if it lacks the label.
   * @default - by its label */
  readonly isHostNetwork?: boolean;
  /** Whether yurthub runs on it.
   * @default - by its label */
  readonly hasYurthub?: boolean;
  /** Features that its kubelet declares.
   * @default - unknown: it is an example */
  readonly declaredFeatures?: readonly string[];
  /** Whether its container runtime can do `supplementalGroupsPolicy: Strict`.
   * @default - unknown: it is an example */
  readonly hasStrictGroups?: boolean;
  readonly pods: readonly PlacementPod[];
}

/** What the scheduler looks at besides a Pod. */
export interface PlacementCluster {
  readonly nodes: readonly ClusterNode[];
  /** Labels of each namespace. */
  readonly namespaces: ReadonlyMap<string, PlainMap>;
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, PlainMap>;
  readonly volumes: ReadonlyMap<string, PlainMap>;
  readonly storageClasses: ReadonlyMap<string, PlainMap>;
  /** Whether everything in the cluster is known, as from a dump; otherwise what is not there may still be in the cluster. */
  readonly isWhole: boolean;
  readonly kubernetes: KubernetesMinor;
  /** Whether all claims, volumes and classes are known.
   * @default - as everything */
  readonly areVolumesKnown?: boolean;
}

/** The row of a version of Kubernetes; undefined if it is none of the table. */
export function minorRow(version: string | undefined): KubernetesMinor | undefined {
  const found = version === undefined ? undefined : lookUpKubernetes(version);
  return found?.kind === 'known' ? found.row : undefined;
}

/** The minor of the newest kubelet, which is never newer than the API server (version skew policy). */
export function newestKubelet(objects: readonly PlainMap[]): KubernetesMinor | undefined {
  const [newest] = objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')
    .flatMap((node) => minorRow(String(mapAt(mapAt(node, 'status'), 'nodeInfo').kubeletVersion)) ?? [])
    .sort((one, other) => (isOlderMinor(one.minor, other.minor) ? 1 : -1));
  return newest;
}

/** The cluster in a dump: its Nodes, and the Pods that are bound to them and have not ended. */
export function clusterOf(objects: readonly PlainMap[], isWhole: boolean, kubernetes?: string): PlacementCluster {
  const ofKind = (kind: string): PlainMap[] => objects.filter((object) => object.kind === kind);
  const byName = (kind: string): Map<string, PlainMap> =>
    new Map(ofKind(kind).map((object) => [String(mapAt(object, 'metadata').name), object]));
  const pods = new Map<string, PlacementPod[]>();
  for (const object of ofKind('Pod')) {
    const node = nodeNameOf(mapAt(object, 'spec'));
    if (node !== undefined && !['Succeeded', 'Failed'].includes(String(mapAt(object, 'status').phase))) {
      pods.set(node, [...(pods.get(node) ?? []), placementPod(object)]);
    }
  }
  return {
    nodes: ofKind('Node').map((node) => nodeOf(node, pods)),
    namespaces: new Map(
      ofKind('Namespace').map((object) => {
        const { name, labels } = mapAt(object, 'metadata');
        return [String(name), isMap(labels) ? labels : {}];
      }),
    ),
    claims: new Map(
      ofKind('PersistentVolumeClaim').map((object) => {
        const { namespace = 'default', name } = mapAt(object, 'metadata');
        return [`${String(namespace)}/${String(name)}`, object];
      }),
    ),
    volumes: byName('PersistentVolume'),
    storageClasses: byName('StorageClass'),
    isWhole,
    kubernetes: minorRow(kubernetes) ?? newestKubelet(objects) ?? NEWEST_MINOR,
  };
}

/** A Node, with the Pods that are bound to it. */
export function nodeOf(node: PlainMap, pods: ReadonlyMap<string, readonly PlacementPod[]> = new Map()): ClusterNode {
  const { name, labels } = mapAt(node, 'metadata');
  const { taints, unschedulable } = mapAt(node, 'spec');
  const status = mapAt(node, 'status');
  const { allocatable, conditions, declaredFeatures } = status;
  const ready = (Array.isArray(conditions) ? conditions.filter(isMap) : []).find(({ type }) => type === 'Ready');
  return {
    name: String(name),
    labels: isMap(labels) ? (labels as Record<string, string>) : {},
    taints: (Array.isArray(taints) ? taints.filter(isMap) : []) as unknown as Taint[],
    isUnschedulable: unschedulable === true,
    ...(ready?.status === 'Unknown' ? { isSilent: true } : {}),
    ...(Object.keys(status).length === 0
      ? {}
      : {
          declaredFeatures: Array.isArray(declaredFeatures) ? declaredFeatures.map(String) : [],
          hasStrictGroups: mapAt(status, 'features').supplementalGroupsPolicy === true,
        }),
    ...(isMap(allocatable) ? { allocatable: allocatable as Record<string, string> } : {}),
    pods: pods.get(String(name)) ?? [],
  };
}

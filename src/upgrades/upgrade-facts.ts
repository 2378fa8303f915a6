import { HOST_NETWORK_LABEL, NODE_POOL_LABEL, EDGE_WORKER_LABEL, TRUE } from '../kubernetes/labels.js';
import { nameOf as shownName } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';

/** A NodePool of a dump. */
export interface PoolFact {
  readonly name: string;
  readonly type: string;
  /** Whether the pool is a host-network pool, in any API version. */
  readonly hostNetwork: boolean;
  /** Whether it has the annotation that a later release reads. */
  readonly annotated: boolean;
  /** Whether nodes with its label have the host-network label. */
  readonly hasHostNetworkNodes: boolean;
}

/** A Node of a dump. */
export interface NodeFact {
  readonly name: string;
  readonly pool?: string;
  readonly hostNetwork: boolean;
  readonly edgeWorker: boolean;
  /** Minor of its kubelet: `1.34`. */
  readonly kubelet?: string;
}

/** The Deployment of yurt-manager in a dump. */
export interface YurtManagerFact {
  readonly namespace: string;
  /** Version in the tag of its image: `1.5.1`. */
  readonly version?: string;
  /** Name of its Helm release. */
  readonly helmRelease: string;
}

const metadataOf = (object: PlainMap): PlainMap => mapAt(object, 'metadata');
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const nameOf = (object: PlainMap): string => textOf(metadataOf(object).name, '');

/** The version in a text with a version: the tag of an image, or the version of a kubelet. */
function versionIn(text: unknown): string | undefined {
  return typeof text === 'string' ? /(?:^|:)v?(\d+\.\d+(?:\.\d+)?)[^/]*$/.exec(text)?.[1] : undefined;
}

function minorOf(version: string | undefined): string | undefined {
  return version?.split('.').slice(0, 2).join('.');
}

/** The nodes of a dump. */
export function nodeFacts(objects: readonly PlainMap[], poolLabel = NODE_POOL_LABEL): NodeFact[] {
  return objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')
    .map((node): NodeFact => {
      const labels = mapAt(metadataOf(node), 'labels');
      const pool = labels[poolLabel];
      const kubelet = minorOf(versionIn(valueAt(node, ['status', 'nodeInfo', 'kubeletVersion'])));
      return {
        name: nameOf(node),
        hostNetwork: labels[HOST_NETWORK_LABEL] === TRUE,
        edgeWorker: labels[EDGE_WORKER_LABEL] === TRUE,
        ...(typeof pool === 'string' ? { pool } : {}),
        ...(kubelet === undefined ? {} : { kubelet }),
      };
    });
}

/** The NodePools of a dump. v1alpha1 has no field for hostNetwork, only the annotation. */
export function poolFacts(objects: readonly PlainMap[], nodes: readonly NodeFact[]): PoolFact[] {
  const withNodes = new Set(nodes.filter(({ hostNetwork }) => hostNetwork).map(({ pool }) => pool));
  return objects
    .filter(({ apiVersion, kind }) => kind === 'NodePool' && String(apiVersion).startsWith('apps.openyurt.io/'))
    .map((pool) => {
      const spec = mapAt(pool, 'spec');
      // OpenYurt compares it without regard to case
      const annotated = String(mapAt(metadataOf(pool), 'annotations')[HOST_NETWORK_LABEL]).toLowerCase() === TRUE;
      const name = nameOf(pool);
      const isNewest = apiVersionHasField(pool.apiVersion);
      return {
        name,
        type: textOf(spec.type, 'Edge'),
        hostNetwork: spec.hostNetwork === true || (!isNewest && annotated),
        annotated,
        hasHostNetworkNodes: withNodes.has(name),
      };
    });
}

/** Whether hostNetwork of a pool is in its field alone, as it was written: reading an older version of the API shows the annotation. */
function apiVersionHasField(apiVersion: unknown): boolean {
  return !['apps.openyurt.io/v1alpha1', 'apps.openyurt.io/v1beta1'].includes(String(apiVersion));
}

/** The Deployment of yurt-manager in a dump. */
export function yurtManagerFact(objects: readonly PlainMap[]): YurtManagerFact | undefined {
  const found = objects.find((object) => object.kind === 'Deployment' && nameOf(object) === 'yurt-manager');
  if (found === undefined) {
    return undefined;
  }
  const { namespace, annotations } = metadataOf(found);
  const helmRelease = isMap(annotations) ? annotations['meta.helm.sh/release-name'] : undefined;
  const version = versionIn(valueAt(found, ['spec', 'template', 'spec', 'containers', 0, 'image']));
  return {
    namespace: textOf(namespace, 'kube-system'),
    helmRelease: typeof helmRelease === 'string' ? helmRelease : 'yurt-manager',
    ...(version === undefined ? {} : { version }),
  };
}

/** The minors of the API servers in a dump, from their static Pods, else from kubeadm's configuration; empty if it has neither. */
export function apiServerMinors(objects: readonly PlainMap[]): string[] {
  const ofPods = objects
    .filter((object) => object.kind === 'Pod' && nameOf(object).startsWith('kube-apiserver-'))
    .map((pod) => minorOf(versionIn(valueAt(pod, ['spec', 'containers', 0, 'image']))));
  const configuration = objects.find((object) => object.kind === 'ConfigMap' && nameOf(object) === 'kubeadm-config');
  const text = valueAt(configuration, ['data', 'ClusterConfiguration']);
  const uploaded =
    typeof text === 'string' ? minorOf(versionIn(/^kubernetesVersion: *"?(\S+?)"?$/m.exec(text)?.[1])) : undefined;
  const minors = ofPods.length > 0 ? ofPods : [uploaded];
  return [...new Set(minors.filter((minor) => minor !== undefined))].sort();
}

/** The versions of NodePool that the CustomResourceDefinition in a dump serves; undefined if it is not in the dump. */
export function servedNodePoolVersions(objects: readonly PlainMap[]): string[] | undefined {
  const crd = objects.find(
    (object) => object.kind === 'CustomResourceDefinition' && nameOf(object) === 'nodepools.apps.openyurt.io',
  );
  const versions = valueAt(crd, ['spec', 'versions']);
  return Array.isArray(versions)
    ? versions
        .filter(isMap)
        .filter(({ served }) => served === true)
        .map(({ name }) => String(name))
    : undefined;
}

/** The UID of the namespace kube-system, the identity of a cluster. */
export function clusterUid(objects: readonly PlainMap[]): string | undefined {
  const namespace = objects.find((object) => object.kind === 'Namespace' && nameOf(object) === 'kube-system');
  const uid = namespace === undefined ? undefined : metadataOf(namespace).uid;
  return typeof uid === 'string' ? uid : undefined;
}

/** A join in a dump that passes flags to kubelet. */
export interface JoinFlags {
  /** `ConfigMap kube-system/edge-join-…` */
  readonly join: string;
  readonly flags: readonly string[];
}

/** Objects that pass some flags to kubelet: published joins and Cluster API templates. */
export function joinsWithFlags(objects: readonly PlainMap[], flags: readonly string[]): JoinFlags[] {
  const kinds = ['ConfigMap', 'KubeadmConfigTemplate', 'KubeadmConfig'];
  return objects
    .filter(({ kind }) => kinds.includes(String(kind)))
    .flatMap((object) => {
      // --flag in a command line, `flag:` in a map of extra arguments, `name: flag` in a list of them
      const text = JSON.stringify([object.data, object.spec]);
      const isJoin = /kubeletExtraArgs|KUBELET_EXTRA_ARGS|kubelet/.test(text);
      const found = flags.filter(
        (flag) =>
          isJoin &&
          new RegExp(`(--${flag}\\b|\\\\n *\\\\?"?${flag}\\\\?"?:|"${flag}":|name\\\\?"?: *\\\\?"?${flag}\\b)`).test(
            text,
          ),
      );
      return found.length === 0 ? [] : [{ join: shownName(object), flags: found }];
    });
}

import { EDGE_WORKER_LABEL, HOST_NETWORK_LABEL, NODE_POOL_LABEL, TRUE } from '../kubernetes/labels.js';
import { mapAt, type PlainMap, valueAt } from '../base/plain-data.js';

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
  /** Whether nodes with its label have not the host-network label. */
  readonly hasOtherNodes: boolean;
  /** Whether its spec has `interConnectivity: true`. */
  readonly interConnected: boolean;
}

/** A Node of a dump. */
export interface NodeFact {
  readonly name: string;
  readonly pool?: string;
  readonly hostNetwork: boolean;
  readonly edgeWorker: boolean;
  readonly controlPlane: boolean;
  /** Minor of its kubelet: `1.34`. */
  readonly kubelet?: string;
}

const metadataOf = (object: PlainMap): PlainMap => mapAt(object, 'metadata');
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const nameOf = (object: PlainMap): string => textOf(metadataOf(object).name, '');

/** The version in a text with a version: the tag of an image, or the version of a kubelet. */
export function versionIn(text: unknown): string | undefined {
  if (typeof text !== 'string') {
    return undefined;
  }
  // the last step of the path with its slash, because a registry has a port
  const step = text.slice(Math.max(0, text.lastIndexOf('/')));
  return /(?:^|:)v?(\d+\.\d+(?:\.\d+)?)/.exec(step)?.[1];
}

/** Like {@link versionIn}, without the patch release. */
export function minorIn(text: unknown): string | undefined {
  return versionIn(text)?.split('.').slice(0, 2).join('.');
}

/** The nodes of a dump. */
export function nodeFacts(objects: readonly PlainMap[], poolLabel = NODE_POOL_LABEL): NodeFact[] {
  return objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')
    .map((node): NodeFact => {
      const labels = mapAt(metadataOf(node), 'labels');
      const pool = labels[poolLabel];
      const kubelet = minorIn(valueAt(node, ['status', 'nodeInfo', 'kubeletVersion']));
      return {
        name: nameOf(node),
        hostNetwork: labels[HOST_NETWORK_LABEL] === TRUE,
        edgeWorker: labels[EDGE_WORKER_LABEL] === TRUE,
        controlPlane: labels['node-role.kubernetes.io/control-plane'] !== undefined,
        ...(typeof pool === 'string' ? { pool } : {}),
        ...(kubelet === undefined ? {} : { kubelet }),
      };
    });
}

/**
 * The NodePools of a dump.
 *
 * @param written the API version that the release stores. In it hostNetwork is in the field; in an older one a conversion has put it into the annotation.
 */
export function poolFacts(
  objects: readonly PlainMap[],
  nodes: readonly NodeFact[],
  written: string | undefined,
): PoolFact[] {
  const withNodes = new Set(nodes.filter(({ hostNetwork }) => hostNetwork).map(({ pool }) => pool));
  const withOthers = new Set(nodes.filter(({ hostNetwork }) => !hostNetwork).map(({ pool }) => pool));
  return objects
    .filter(({ apiVersion, kind }) => kind === 'NodePool' && String(apiVersion).startsWith('apps.openyurt.io/'))
    .map((pool) => {
      const spec = mapAt(pool, 'spec');
      // OpenYurt compares it without regard to case
      const annotated = String(mapAt(metadataOf(pool), 'annotations')[HOST_NETWORK_LABEL]).toLowerCase() === TRUE;
      const name = nameOf(pool);
      return {
        name,
        type: textOf(spec.type, 'Edge'),
        hostNetwork: spec.hostNetwork === true || (annotated && pool.apiVersion !== written),
        annotated,
        hasHostNetworkNodes: withNodes.has(name),
        hasOtherNodes: withOthers.has(name),
        interConnected: spec.interConnectivity === true,
      };
    });
}

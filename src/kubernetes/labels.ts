import type { ProblemList } from '../base/errors.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { compute, isUnknown, merged } from '../base/unknown.js';
import type { ObjectMetadata } from './object.js';

/**
 * Label, annotation and taint keys. Sources: OpenYurt `pkg/apis/apps/well_known_labels_annotations.go`,
 * `pkg/projectinfo/projectinfo.go` (the same in every release of the table), Kubernetes well-known labels.
 */

/** Node label, the membership label: its value is the name of the node's pool. */
export const NODE_POOL_LABEL = 'apps.openyurt.io/nodepool';

/** Node label: request to join a pool; OpenYurt 1.4+ reads it as an alias of {@link NODE_POOL_LABEL}. */
export const DESIRED_NODE_POOL_LABEL = 'apps.openyurt.io/desired-nodepool';

/** Node label, value `"true"`: the node is in a host-network pool. Also the key of the optional registration taint. */
export const HOST_NETWORK_LABEL = 'nodepool.openyurt.io/hostnetwork';

/** Pod annotation, value exactly `"true"`: exclude the Pod from host-network nodes (read by OpenYurt 1.5+). */
export const EXCLUDE_ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';

/** Pod label, value `"true"`, of excluded Pods, by which admission policies select them (`labelsExcludedPods` of a cluster). */
export const EXCLUDED_LABEL = 'edge-nodepools/excluded';

/** NodePool metadata label (1.5+) or node label (1.4) set by OpenYurt's webhooks: `edge` or `cloud`. */
export const POOL_TYPE_LABEL = 'nodepool.openyurt.io/type';

/** Node annotation in which OpenYurt's NodePool controller records what it applied. */
const PREVIOUS_ATTRIBUTES_ANNOTATION = 'nodepool.openyurt.io/previous-attributes';

/** Node label, `"true"` for edge nodes and `"false"` for cloud nodes. */
export const EDGE_WORKER_LABEL = 'openyurt.io/is-edge-worker';

/** The only value of the host-network label and the exclude annotation. A string: the API server refuses a boolean. */
export const TRUE = 'true';

/**
 * The label of host-network nodes: a node is one if it has the label with this value.
 *
 * @category Describe the cluster
 */
export interface HostNetworkLabel {
  /** Label key, `eks.amazonaws.com/compute-type`. */
  readonly key: string;
  /** Label value, `hybrid`; empty text for a label without a value, such as `node-role.kubernetes.io/edge`. */
  readonly value: string;
}

/** The label that OpenYurt sets. */
export const OPENYURT_HOST_NETWORK: HostNetworkLabel = Object.freeze({ key: HOST_NETWORK_LABEL, value: TRUE });

/** Whether nodes can also have the label with another value. OpenYurt's only ever has the value `"true"`. */
export function hasOtherValues({ key }: HostNetworkLabel): boolean {
  return key !== HOST_NETWORK_LABEL;
}

/** Whether a label of a node says whether it is a host-network node: on such a node with any value, on others only with that of host-network nodes. */
export function saysMode(label: HostNetworkLabel, hostNetwork: boolean, key: string, value: unknown): boolean {
  return key === label.key && (hostNetwork || value === label.value);
}

/** Label on every object that this library creates. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'edge-nodepools';

/** Node label with which a node registers: the first digits of the hash of its join, as in the name of the ConfigMap that publishes it. */
export const JOIN_LABEL = 'edge-nodepools/join';

/** Annotation of a static Pod of a join, and so of its mirror Pod: the hash of its manifest. */
export const STATIC_POD_ANNOTATION = 'edge-nodepools/static-pod';

/** Label of a workload with its place in the order of rollouts. */
export const WAVE_LABEL = 'edge-nodepools/wave';

/** Annotation with the place of an object in the order in which Argo CD applies (argo-cd common/common.go AnnotationSyncWave). */
export const SYNC_WAVE_ANNOTATION = 'argocd.argoproj.io/sync-wave';

/** Annotation that says how Flux applies an object; `Merge` is for a part of an object of others (kustomize-controller, ssa). */
export const FLUX_APPLY_ANNOTATION = 'kustomize.toolkit.fluxcd.io/ssa';

/** Label with the version of the manifest format, so that a later release recognizes the objects of an earlier one. */
export const MANIFEST_FORMAT_LABEL = 'edge-nodepools/manifest-format';
export const MANIFEST_FORMAT = '1';

/** The labels of every object that this library creates. */
export const OWN_LABELS: Readonly<Record<string, string>> = Object.freeze({
  [MANAGED_BY_LABEL]: MANAGED_BY,
  [MANIFEST_FORMAT_LABEL]: MANIFEST_FORMAT,
});

/**
 * Labels and annotations of nodes that OpenYurt or this library sets, so that a pool or a join must not: who sets each. So are the membership label and the
 * host-network label of a cluster.
 */
export const RESERVED_OF_NODES: Readonly<Record<string, string>> = Object.freeze({
  [DESIRED_NODE_POOL_LABEL]: 'the pool’s name already becomes the membership label',
  [HOST_NETWORK_LABEL]: 'HostNetworkNodePool sets it, RegularNodePool must not have it',
  [POOL_TYPE_LABEL]: 'OpenYurt sets it from type',
  [EDGE_WORKER_LABEL]: 'OpenYurt sets it when the node joins',
  [PREVIOUS_ATTRIBUTES_ANNOTATION]: 'OpenYurt’s NodePool controller stores its state there',
  [JOIN_LABEL]: 'NodeJoin sets it when the node joins',
});

/** The same of the metadata of a NodePool. */
export const RESERVED_OF_NODE_POOLS = Object.freeze({
  labels: [...Object.keys(OWN_LABELS), POOL_TYPE_LABEL] as readonly string[],
  annotations: [HOST_NETWORK_LABEL] as readonly string[],
});

/**
 * Field manager of everything that this library applies server-side. It must differ from the manager of the whole object: applied by that manager, a
 * partial object would remove every other field.
 */
export const FIELD_MANAGER = 'edge-nodepools';

/**
 * Field manager of the preconditions, which patch some of the components that are also excluded: applied with the same field manager, a patch without the
 * exclusion would remove it.
 */
export const PRECONDITIONS_FIELD_MANAGER = `${FIELD_MANAGER}-preconditions`;

/** Refuses the labels of this library in given metadata. */
export function checkOwnLabels(metadata: unknown, problems: ProblemList): void {
  if (!isMap(metadata)) {
    return;
  }
  Object.keys(mapAt(metadata, 'labels'))
    .filter((key) => Object.hasOwn(OWN_LABELS, key))
    .forEach((key) =>
      problems.at('labels', key).add('EDGE_RESERVED_KEY', `${key} is reserved: managed by edge-nodepools`, 'remove it'),
    );
}

/**
 * Metadata of an object that this library creates: the given metadata with the labels of this library.
 *
 * @param own fields that this library sets; they win over given ones, and annotations are merged
 */
export function ownMetadata(given: ObjectMetadata | undefined, own: ObjectMetadata = {}): ObjectMetadata {
  return compute(
    { given, own },
    (all) => {
      const { annotations, ...fields } = all.own;
      return {
        ...all.given,
        ...fields,
        labels: merged(all.given?.labels, OWN_LABELS),
        ...(annotations === undefined ? {} : { annotations: merged(all.given?.annotations, annotations) }),
      };
    },
    isUnknown(given) && given,
  );
}

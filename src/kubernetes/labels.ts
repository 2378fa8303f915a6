/**
 * The label, annotation and taint keys. Sources: OpenYurt `pkg/apis/apps/well_known_labels_annotations.go`,
 * `pkg/projectinfo/projectinfo.go` (v1.4 to v1.7), Kubernetes well-known labels.
 */

/** Node label: the pool that the node is a member of; value is the pool's name. */
export const NODE_POOL_LABEL = 'apps.openyurt.io/nodepool';

/** Node label: request to join a pool; OpenYurt 1.4+ reads it as an alias of {@link NODE_POOL_LABEL}. */
export const DESIRED_NODE_POOL_LABEL = 'apps.openyurt.io/desired-nodepool';

/** Node label, value `"true"`: the node is in a host-network pool. Also the key of the optional registration taint. */
export const HOST_NETWORK_LABEL = 'nodepool.openyurt.io/hostnetwork';

/** Pod annotation, value exactly `"true"`: keep the Pod off host-network nodes (read by OpenYurt 1.5+). */
export const EXCLUDE_ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';

/** NodePool metadata label (1.5+) or node label (1.4) that OpenYurt's webhooks write: `edge` or `cloud`. */
export const POOL_TYPE_LABEL = 'nodepool.openyurt.io/type';

/** Node annotation in which OpenYurt's NodePool controller remembers what it applied. */
export const PREVIOUS_ATTRIBUTES_ANNOTATION = 'nodepool.openyurt.io/previous-attributes';

/** Node label that says whether the node is an edge node. */
export const EDGE_WORKER_LABEL = 'openyurt.io/is-edge-worker';

/** The one value that the host-network label and the exclude annotation ever have. A string: YAML's bare `true` is refused by the API server. */
export const TRUE = 'true';

/** Label on every object that this library itself makes. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'edge-nodepools';

/** Label with the version of the manifest format, so that a later release can tell what an earlier one made. */
export const MANIFEST_FORMAT_LABEL = 'edge-nodepools/manifest-format';
export const MANIFEST_FORMAT = '1';

/** The labels of every object that this library itself makes. */
export const OWN_LABELS: Readonly<Record<string, string>> = Object.freeze({
  [MANAGED_BY_LABEL]: MANAGED_BY,
  [MANIFEST_FORMAT_LABEL]: MANIFEST_FORMAT,
});

/**
 * Field manager of everything that this library applies server-side. It must be one of its own: applied by the manager that applied a whole object, a
 * partial one would take every other field of the object away.
 */
export const FIELD_MANAGER = 'edge-nodepools';

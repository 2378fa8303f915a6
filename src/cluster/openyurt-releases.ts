/**
 * The release table: what each OpenYurt release supports; kubernetes-minors.ts has the same for Kubernetes. Nothing else in this library compares
 * versions: a new release is one new row, which `EdgeCluster` and the *-capabilities.ts files read. Keys of labels, annotations and
 * taints are the same in all releases, and stand in kubernetes/labels.ts.
 */
import { entryOf } from '../base/plain-data.js';
import { KUBERNETES_MINORS, type KubernetesMinor } from './kubernetes-minors.js';
import { WITH_ENDPOINTS, WITH_NODE_POOL_V1BETA2, WITH_PODS, WITHOUT_PODS } from './shipped-webhooks.js';
import type { OpenYurtWebhook } from './openyurt-webhook.js';
import { type Lookup, lookUp } from './version-lookup.js';

/**
 * An OpenYurt release, or `'none'`. Patch releases and a leading `v` are accepted too.
 *
 * @category Describe the cluster
 */
export type OpenYurtVersion = 'none' | '1.4' | '1.5' | '1.6' | '1.7' | (string & {});

/** Versions of the NodePool kind (group `apps.openyurt.io`). */
export type NodePoolVersion = 'v1alpha1' | 'v1beta1' | 'v1beta2';

/**
 * Spec fields of the NodePool kind that users can set, in any release of the table.
 *
 * @category Describe the cluster
 */
export type NodePoolField =
  | 'type'
  | 'hostNetwork'
  | 'labels'
  | 'annotations'
  | 'taints'
  | 'interConnectivity'
  | 'leaderElectionStrategy'
  | 'leaderNodeLabelSelector'
  | 'enableLeaderElection'
  | 'poolScopeMetadata'
  | 'leaderReplicas';

/** What differs between releases that convert nodes. */
export interface NodeConversionFacts {
  /** Where the rights are that yurthub needs: in the chart yurt-manager, or in none that the release requires. */
  readonly rights: 'missing' | 'in the chart';
  /**
   * A finalizer of its Job: a running Job that is deleted stays, and the node converts forever, until it is taken off.
   * @default - none
   */
  readonly finalizer?: string;
  /** Whether it sets `topology.kubernetes.io/zone` to the name of the pool, if the node has no zone. */
  readonly setsZone: boolean;
  /** Whether the unit of yurthub is enabled, so that it starts at boot (`[Install]` in `pkg/yurtadm/constants/constants.go`). */
  readonly unitEnabled: boolean;
}

/** What one OpenYurt release supports. Sources are the release's CRDs, webhooks and README. */
export interface OpenYurtRelease {
  readonly release: string;
  /** Date of the first tag. */
  readonly released: string;
  /** Its patch releases (tags of openyurtio/openyurt). */
  readonly patches: readonly string[];
  /** Served NodePool versions (`charts/yurt-manager/crds/apps.openyurt.io_nodepools.yaml`). */
  readonly nodePoolVersions: readonly NodePoolVersion[];
  /**
   * The version to write: the storage version, the only one in which `spec.hostNetwork` is never lost. OpenYurt 1.7 silently stores a v1beta1 object
   * without its `spec.hostNetwork`.
   */
  readonly nodePoolVersion: NodePoolVersion;
  readonly nodePoolFields: readonly NodePoolField[];
  /** The newest version of the YurtAppSet kind; `workloadTweaks` and `nodepoolSelector` are of v1beta1 (`charts/yurt-manager/crds/apps.openyurt.io_yurtappsets.yaml`). */
  readonly yurtAppSetVersion: 'v1alpha1' | 'v1beta1';
  /** Whether yurt-manager has the Pod webhook that reads the exclude annotation. */
  readonly podWebhook: boolean;
  /** The admission webhooks in its chart, in the order of the chart. */
  readonly webhooks: readonly OpenYurtWebhook[];
  /**
   * Whether yurt-manager keeps matchConditions of its webhooks. It reads and writes them as Go types: those of 1.4 (`k8s.io/api` v0.22.3, in
   * its go.mod) have no such field, so its first update drops them.
   */
  readonly keepsMatchConditions: boolean;
  /** Whether yurthub turns every Pod of a host-network pool into a hostNetwork Pod (filter `hostnetworkpropagation`). */
  readonly hostNetworkFilter: boolean;
  /**
   * Workload kinds of group `apps.openyurt.io` that earlier releases acted on, and this one does not: 1.7 has no controller of YurtAppDaemon (#2309; the CRD
   * stayed) and no CRD of YurtAppOverrider (`pkg/yurtmanager/controller`, `charts/yurt-manager/crds`).
   */
  readonly retiredKinds: readonly string[];
  /** Releases from which it can be reached in one step; 1.5 cannot be skipped: the Pods that yurthub 1.4 turned into hostNetwork Pods must be replaced before anything else changes. */
  readonly upgradesFrom: readonly string[];
  /** Whether a node may leave its pool by removing the membership label. */
  readonly membership: 'frozen' | 'removable';
  /**
   * How a controller (`yurtnodeconversion`) makes an edge node of a node as soon as it has the label of an Edge pool.
   * @default - there is no such controller
   */
  readonly conversion?: NodeConversionFacts;
  /** Flags that `yurtadm join` always passes to kubelet (`pkg/yurtadm/util/kubernetes`, KubeadmJoinConf); 1.4.0 and 1.4.1 also `container-runtime`. */
  readonly yurtadmKubeletFlags: readonly string[];
  /** Whether yurt-manager runs its own nodelifecycle controller by default (`controllers` in `charts/yurt-manager/values.yaml`). */
  readonly nodeLifecycle: boolean;
  /**
   * Whether its PodBinding controller reads a time from the Node annotation `node.openyurt.io/autonomy-duration`, and changes only Pods of nodes with such an
   * annotation; else it knows `node.beta.openyurt.io/autonomy: "true"` only, and sets 300 s for every running Pod of the other nodes
   * (`pkg/yurtmanager/controller/yurtcoordinator/podbinding`).
   */
  readonly autonomyDuration: boolean;
  /**
   * Values of `apps.openyurt.io/update-strategy` that its DaemonPodUpdater reads, and whether in any case of letters (checkPrerequisites in
   * `pkg/yurtmanager/controller/daemonpodupdater/util.go`, of 1.7 in `daemonsetupgradestrategy/daemonpodupdater`).
   */
  readonly updateStrategies: { readonly names: readonly string[]; readonly anyCase: boolean };
  /**
   * What its controller does after it has made the StatefulSets of a YurtAppSet: the status takes each for a Deployment (conciliateYurtAppSetStatus in
   * `pkg/yurtmanager/controller/yurtappset`), a panic that ends yurt-manager up to 1.6.0, and that controller-runtime recovers from 1.6.1 on.
   */
  readonly statefulYurtAppSets: 'status' | 'panics' | 'no status';
  /** Whether its documentation recommends the Service annotation `openyurt.io/topologyKeys` (service-topology.md; every release has the filter). */
  readonly topologyAnnotation: boolean;
  /** Newest Kubernetes minor that the release's README claims. */
  readonly claimedKubernetes: string;
  /** Newest Kubernetes minor in the release's own end-to-end tests. */
  readonly testedKubernetes: string;
}

const V1BETA1_FIELDS: readonly NodePoolField[] = ['type', 'hostNetwork', 'labels', 'annotations', 'taints'];

const V1BETA2_FIELDS: readonly NodePoolField[] = [
  ...V1BETA1_FIELDS,
  'interConnectivity',
  'enableLeaderElection',
  'leaderElectionStrategy',
  'leaderNodeLabelSelector',
  'leaderReplicas',
  'poolScopeMetadata',
];

const YURTADM_KUBELET_FLAGS: readonly string[] = ['rotate-certificates', 'pod-infra-container-image', 'node-labels'];

const UPDATE_STRATEGIES: readonly string[] = ['OTA', 'AdvancedRollingUpdate'];

/**
 * The conversion after 1.7, for the row of the next release: master at fbefb6ba (openyurtio/openyurt#2550, #2645). It is no release, so it is not in the
 * table.
 */
export const NEXT_CONVERSION: NodeConversionFacts = {
  rights: 'in the chart',
  finalizer: 'openyurt.io/node-conversion',
  setsZone: true,
  unitEnabled: false,
};

/** Oldest first. Host-network pools begin with 1.4.0 (openyurtio/openyurt#1651). */
export const OPENYURT_RELEASES: readonly OpenYurtRelease[] = [
  {
    release: '1.4',
    released: '2023-11-08',
    patches: ['1.4.0', '1.4.1', '1.4.2', '1.4.3', '1.4.4'],
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    yurtAppSetVersion: 'v1alpha1',
    podWebhook: false,
    webhooks: WITHOUT_PODS,
    keepsMatchConditions: false,
    hostNetworkFilter: true,
    retiredKinds: [],
    upgradesFrom: [],
    membership: 'frozen',
    yurtadmKubeletFlags: [...YURTADM_KUBELET_FLAGS, 'container-runtime'],
    nodeLifecycle: true,
    autonomyDuration: false,
    updateStrategies: { names: [...UPDATE_STRATEGIES, 'Auto'], anyCase: false },
    statefulYurtAppSets: 'status',
    topologyAnnotation: true,
    claimedKubernetes: '1.23',
    testedKubernetes: '1.23',
  },
  {
    release: '1.5',
    released: '2024-07-17',
    patches: ['1.5.0', '1.5.1'],
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    yurtAppSetVersion: 'v1beta1',
    podWebhook: true,
    webhooks: WITH_PODS,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    retiredKinds: [],
    upgradesFrom: ['1.4'],
    membership: 'frozen',
    yurtadmKubeletFlags: YURTADM_KUBELET_FLAGS,
    nodeLifecycle: true,
    autonomyDuration: false,
    updateStrategies: { names: [...UPDATE_STRATEGIES, 'Auto'], anyCase: true },
    statefulYurtAppSets: 'panics',
    topologyAnnotation: true,
    claimedKubernetes: '1.28',
    testedKubernetes: '1.29',
  },
  {
    release: '1.6',
    released: '2025-01-07',
    patches: ['1.6.0', '1.6.1'],
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    yurtAppSetVersion: 'v1beta1',
    podWebhook: true,
    webhooks: WITH_ENDPOINTS,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    retiredKinds: [],
    upgradesFrom: ['1.5'],
    membership: 'frozen',
    yurtadmKubeletFlags: YURTADM_KUBELET_FLAGS,
    nodeLifecycle: false,
    autonomyDuration: true,
    updateStrategies: { names: [...UPDATE_STRATEGIES, 'Auto'], anyCase: true },
    statefulYurtAppSets: 'no status',
    topologyAnnotation: true,
    claimedKubernetes: '1.30',
    testedKubernetes: '1.31',
  },
  {
    release: '1.7',
    released: '2026-05-06',
    patches: ['1.7.0'],
    nodePoolVersions: ['v1alpha1', 'v1beta1', 'v1beta2'],
    nodePoolVersion: 'v1beta2',
    nodePoolFields: V1BETA2_FIELDS,
    yurtAppSetVersion: 'v1beta1',
    podWebhook: true,
    webhooks: WITH_NODE_POOL_V1BETA2,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    retiredKinds: ['YurtAppDaemon', 'YurtAppOverrider'],
    upgradesFrom: ['1.5', '1.6'],
    membership: 'removable',
    conversion: { rights: 'missing', setsZone: false, unitEnabled: false },
    yurtadmKubeletFlags: YURTADM_KUBELET_FLAGS,
    nodeLifecycle: false,
    autonomyDuration: true,
    updateStrategies: { names: UPDATE_STRATEGIES, anyCase: true },
    statefulYurtAppSets: 'no status',
    topologyAnnotation: false,
    claimedKubernetes: '1.34',
    testedKubernetes: '1.34',
  },
];

/** NodePool fields that only some releases have. */
export const RELEASE_FIELDS: readonly NodePoolField[] = [
  ...new Set(OPENYURT_RELEASES.flatMap(({ nodePoolFields }) => nodePoolFields)),
].filter((field) => !OPENYURT_RELEASES.every(({ nodePoolFields }) => nodePoolFields.includes(field)));

/** Releases that exist and are not supported, with the reason. */
const REFUSED_OPENYURT: Readonly<Record<string, string>> = {
  '1.0': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.1': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.2': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.3': 'it has no host-network pools (they begin with OpenYurt 1.4)',
};

/** The row of an OpenYurt version: patch releases, vendor suffixes and a leading `v` are accepted. */
export function lookUpOpenYurt(version: string): Lookup<OpenYurtRelease> {
  return lookUp(
    OPENYURT_RELEASES,
    (row) => row.release,
    version,
    (name) => entryOf(REFUSED_OPENYURT, name),
  );
}

/** The row of a release by its name in the table (`openYurt` of an EdgeCluster); undefined without OpenYurt. */
export function openYurtRow(release: string): OpenYurtRelease | undefined {
  return OPENYURT_RELEASES.find((row) => row.release === release);
}

/** Whether an earlier release of the table stored NodePools in another version, so that they are converted whenever they are read. */
export function convertsEarlierNodePools({ release, nodePoolVersion }: OpenYurtRelease): boolean {
  const position = OPENYURT_RELEASES.findIndex((row) => row.release === release);
  return OPENYURT_RELEASES.slice(0, position).some((earlier) => earlier.nodePoolVersion !== nodePoolVersion);
}

/**
 * Whether a later release of the table stores NodePools in another version, and so converts what this one has stored. That conversion does not read
 * `spec.hostNetwork`, only the annotation `nodepool.openyurt.io/hostnetwork` (`pkg/apis/apps/v1beta1/nodepool_conversion.go` of 1.7).
 */
export function isConvertedLater({ release, nodePoolVersion }: OpenYurtRelease): boolean {
  const position = OPENYURT_RELEASES.findIndex((row) => row.release === release);
  return OPENYURT_RELEASES.slice(position + 1).some((later) => later.nodePoolVersion !== nodePoolVersion);
}

/** Whether OpenYurt claims, in its README or tests, that a release works with a Kubernetes minor. */
export function isClaimedPair(openYurt: OpenYurtRelease, kubernetes: KubernetesMinor): boolean {
  const position = (minor: string): number => KUBERNETES_MINORS.findIndex((row) => row.minor === minor);
  const newest = Math.max(position(openYurt.claimedKubernetes), position(openYurt.testedKubernetes));
  return position(kubernetes.minor) <= newest;
}

/** The position of a release in the table: a larger one is newer. */
export function releasePosition({ release }: OpenYurtRelease): number {
  return OPENYURT_RELEASES.findIndex((row) => row.release === release);
}

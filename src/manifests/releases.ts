/**
 * The one table of what each OpenYurt release and each Kubernetes minor understands. Nothing else in this library compares versions:
 * a new release is one new row here, and `EdgeCluster` answers questions from it.
 */
import { WITH_ENDPOINTS, WITH_NODE_POOL_V1BETA2, WITH_PODS, WITHOUT_PODS } from './openyurt-webhooks/shipped.js';
import type { OpenYurtWebhook } from './openyurt-webhooks/webhook.js';

/**
 * An OpenYurt release, or `'none'`. Patch releases and a leading `v` are accepted too.
 *
 * @category Describe the cluster
 */
export type OpenYurtVersion = 'none' | '1.4' | '1.5' | '1.6' | '1.7' | (string & {});

/**
 * A Kubernetes minor. Patch releases, vendor suffixes and a leading `v` are accepted too.
 *
 * @category Describe the cluster
 */
export type KubernetesVersion =
  | '1.22'
  | '1.23'
  | '1.24'
  | '1.25'
  | '1.26'
  | '1.27'
  | '1.28'
  | '1.29'
  | '1.30'
  | '1.31'
  | '1.32'
  | '1.33'
  | '1.34'
  | '1.35'
  | '1.36'
  | '1.37'
  | (string & {});

/**
 * Versions of the NodePool kind (group `apps.openyurt.io`).
 *
 * @category Describe the cluster
 */
export type NodePoolVersion = 'v1alpha1' | 'v1beta1' | 'v1beta2';

/**
 * Spec fields of the NodePool kind that a user can set, in any release of the table.
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

/** What one OpenYurt release understands. Sources are the release's CRDs, webhooks and README. */
export interface OpenYurtRelease {
  readonly release: string;
  /** Date of the first tag. */
  readonly released: string;
  /** Served NodePool versions (`charts/yurt-manager/crds/apps.openyurt.io_nodepools.yaml`). */
  readonly nodePoolVersions: readonly NodePoolVersion[];
  /**
   * The version to write: the storage version, the only one in which `spec.hostNetwork` is never lost. On 1.7 a v1beta1 object with
   * `spec.hostNetwork` is stored without it, silently.
   */
  readonly nodePoolVersion: NodePoolVersion;
  readonly nodePoolFields: readonly NodePoolField[];
  /** Whether yurt-manager has the Pod webhook that reads the exclude annotation. */
  readonly podWebhook: boolean;
  /** The admission webhooks that its chart ships, in the order of the chart. */
  readonly webhooks: readonly OpenYurtWebhook[];
  /**
   * Whether yurt-manager keeps matchConditions of its webhooks. It reads and writes them as Go types: those of 1.4 (`k8s.io/api` v0.22.3, in
   * its go.mod) have no such field, so that they are gone after its first update.
   */
  readonly keepsMatchConditions: boolean;
  /** Whether yurthub turns every Pod of a host-network pool into a hostNetwork Pod (filter `hostnetworkpropagation`). */
  readonly hostNetworkFilter: boolean;
  /** Whether a controller acts on YurtAppDaemon objects (removed in 1.7, #2309; the CRD stayed). */
  readonly yurtAppDaemonController: boolean;
  /** Whether a node may leave its pool by removing the membership label. */
  readonly membership: 'frozen' | 'removable';
  /** Newest Kubernetes minor that the release's README claims. */
  readonly claimedKubernetes: string;
  /** Newest Kubernetes minor in the release's own end-to-end tests. */
  readonly testedKubernetes: string;
}

const V1BETA1_FIELDS: readonly NodePoolField[] = ['type', 'hostNetwork', 'labels', 'annotations', 'taints'];

const V1BETA2_FIELDS: readonly NodePoolField[] = [
  ...V1BETA1_FIELDS,
  'interConnectivity',
  'leaderElectionStrategy',
  'leaderNodeLabelSelector',
  'enableLeaderElection',
  'poolScopeMetadata',
  'leaderReplicas',
];

/** Oldest first. Host-network pools begin with 1.4.0 (openyurtio/openyurt#1651). */
export const OPENYURT_RELEASES: readonly OpenYurtRelease[] = [
  {
    release: '1.4',
    released: '2023-11-08',
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    podWebhook: false,
    webhooks: WITHOUT_PODS,
    keepsMatchConditions: false,
    hostNetworkFilter: true,
    yurtAppDaemonController: true,
    membership: 'frozen',
    claimedKubernetes: '1.23',
    testedKubernetes: '1.23',
  },
  {
    release: '1.5',
    released: '2024-07-17',
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    podWebhook: true,
    webhooks: WITH_PODS,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    yurtAppDaemonController: true,
    membership: 'frozen',
    claimedKubernetes: '1.28',
    testedKubernetes: '1.29',
  },
  {
    release: '1.6',
    released: '2025-01-07',
    nodePoolVersions: ['v1alpha1', 'v1beta1'],
    nodePoolVersion: 'v1beta1',
    nodePoolFields: V1BETA1_FIELDS,
    podWebhook: true,
    webhooks: WITH_ENDPOINTS,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    yurtAppDaemonController: true,
    membership: 'frozen',
    claimedKubernetes: '1.30',
    testedKubernetes: '1.31',
  },
  {
    release: '1.7',
    released: '2026-05-06',
    nodePoolVersions: ['v1alpha1', 'v1beta1', 'v1beta2'],
    nodePoolVersion: 'v1beta2',
    nodePoolFields: V1BETA2_FIELDS,
    podWebhook: true,
    webhooks: WITH_NODE_POOL_V1BETA2,
    keepsMatchConditions: true,
    hostNetworkFilter: false,
    yurtAppDaemonController: false,
    membership: 'removable',
    claimedKubernetes: '1.34',
    testedKubernetes: '1.34',
  },
];

/** Releases that exist and that this library refuses, with the reason. */
const REFUSED_OPENYURT: Readonly<Record<string, string>> = {
  '1.0': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.1': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.2': 'it has no host-network pools (they begin with OpenYurt 1.4)',
  '1.3': 'it has no host-network pools (they begin with OpenYurt 1.4)',
};

/**
 * How the API server of a minor knows an admission policy kind.
 *
 * @category Describe the cluster
 */
export interface AdmissionPolicySupport {
  /** Newest version of `admissionregistration.k8s.io` in which the kind is served. */
  readonly version: 'v1alpha1' | 'v1beta1' | 'v1';
  /** Whether it is served without feature gates or runtime-config flags. */
  readonly byDefault: boolean;
}

/**
 * Targets of a kubeadm patch file that this library writes.
 *
 * @category Describe the cluster
 */
export type KubeadmPatchTarget = 'corednsdeployment' | 'kubeproxydaemonset';

/** What one Kubernetes minor understands. */
export interface KubernetesMinor {
  readonly minor: string;
  readonly validatingAdmissionPolicy?: AdmissionPolicySupport;
  readonly mutatingAdmissionPolicy?: AdmissionPolicySupport;
  /** Whether webhooks have matchConditions without feature gates (alpha in 1.27, beta in 1.28, GA in 1.30). Before, they are dropped silently. */
  readonly webhookMatchConditions: boolean;
  /** Add-ons for which `kubeadm init|upgrade --patches` takes a patch file. */
  readonly kubeadmPatchTargets: readonly KubeadmPatchTarget[];
}

/**
 * Oldest first; a row names only what is new in that minor. Sources: `test/compatibility_lifecycle/reference/versioned_feature_list.yaml`,
 * CHANGELOG-1.31 (PR 124820), CHANGELOG-1.36 (PR 136039), CHANGELOG-1.37 (PR 138090).
 */
const KUBERNETES_CHANGES: readonly Partial<KubernetesMinor>[] = [
  { minor: '1.22', webhookMatchConditions: false, kubeadmPatchTargets: [] },
  { minor: '1.23' },
  { minor: '1.24' },
  { minor: '1.25' },
  { minor: '1.26', validatingAdmissionPolicy: { version: 'v1alpha1', byDefault: false } },
  { minor: '1.27' },
  {
    minor: '1.28',
    webhookMatchConditions: true,
    validatingAdmissionPolicy: { version: 'v1beta1', byDefault: false },
  },
  { minor: '1.29' },
  { minor: '1.30', validatingAdmissionPolicy: { version: 'v1', byDefault: true } },
  { minor: '1.31', kubeadmPatchTargets: ['corednsdeployment'] },
  { minor: '1.32', mutatingAdmissionPolicy: { version: 'v1alpha1', byDefault: false } },
  { minor: '1.33' },
  { minor: '1.34', mutatingAdmissionPolicy: { version: 'v1beta1', byDefault: false } },
  { minor: '1.35' },
  { minor: '1.36', mutatingAdmissionPolicy: { version: 'v1', byDefault: true } },
  { minor: '1.37', kubeadmPatchTargets: ['corednsdeployment', 'kubeproxydaemonset'] },
];

/** Oldest first, every row complete. */
export const KUBERNETES_MINORS: readonly KubernetesMinor[] = KUBERNETES_CHANGES.reduce<KubernetesMinor[]>(
  (rows, change) => [...rows, { ...rows[rows.length - 1], ...change } as KubernetesMinor],
  [],
);

/** A version string as a user writes it, taken apart. */
interface ParsedVersion {
  readonly major: number;
  readonly minor: number;
  readonly preRelease: boolean;
}

/** The answer to "which row is this version?". */
export type Lookup<Row> =
  | { readonly kind: 'known'; readonly row: Row; readonly preRelease: boolean }
  | { readonly kind: 'newer'; readonly newest: Row }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown' };

// v1.34, 1.34.2, v1.34.2+k3s1, 1.31.1-gke.1200, 1.36.0-rc.1
const VERSION = /^v?(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:\.\d{1,6})?((?:[-+][0-9A-Za-z.+_-]{1,64})?)$/;

function parse(version: string): ParsedVersion | undefined {
  const match = VERSION.exec(version);
  if (match === null) {
    return undefined;
  }
  return { major: Number(match[1]), minor: Number(match[2]), preRelease: /^-(alpha|beta|rc)\b/.test(match[3] ?? '') };
}

function isNewer(a: ParsedVersion, b: ParsedVersion): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

function lookUp<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  version: string,
  refused: (name: string) => string | undefined,
): Lookup<Row> {
  const parsed = parse(version);
  if (parsed === undefined) {
    return { kind: 'unknown' };
  }
  const name = `${parsed.major}.${parsed.minor}`;
  const row = rows.find((candidate) => nameOf(candidate) === name);
  if (row !== undefined) {
    return { kind: 'known', row, preRelease: parsed.preRelease };
  }
  const newest = rows[rows.length - 1] as Row;
  if (isNewer(parsed, parse(nameOf(newest)) as ParsedVersion)) {
    return { kind: 'newer', newest };
  }
  const reason = refused(name);
  return reason === undefined ? { kind: 'unknown' } : { kind: 'refused', reason };
}

/** The row of an OpenYurt version: patch releases, vendor suffixes and a leading `v` are accepted. */
export function lookUpOpenYurt(version: string): Lookup<OpenYurtRelease> {
  return lookUp(
    OPENYURT_RELEASES,
    (row) => row.release,
    version,
    (name) => REFUSED_OPENYURT[name],
  );
}

/** The row of a Kubernetes version: patch releases, vendor suffixes and a leading `v` are accepted. */
export function lookUpKubernetes(version: string): Lookup<KubernetesMinor> {
  const oldest = KUBERNETES_MINORS[0]?.minor ?? '';
  return lookUp(
    KUBERNETES_MINORS,
    (row) => row.minor,
    version,
    (name) =>
      /^1\./.test(name) ? `it is older than ${oldest}, the oldest minor that OpenYurt 1.4 was built for` : undefined,
  );
}

/** Whether an earlier release of the table stored NodePools in another version, so that what it stored is converted at every read. */
export function storesNodePoolsAnew({ release, nodePoolVersion }: OpenYurtRelease): boolean {
  const position = OPENYURT_RELEASES.findIndex((row) => row.release === release);
  return OPENYURT_RELEASES.slice(0, position).some((earlier) => earlier.nodePoolVersion !== nodePoolVersion);
}

/** Whether OpenYurt claimed, in README or tests, that a release works with a Kubernetes minor. */
export function isClaimedPair(openYurt: OpenYurtRelease, kubernetes: KubernetesMinor): boolean {
  const position = (minor: string): number => KUBERNETES_MINORS.findIndex((row) => row.minor === minor);
  const newest = Math.max(position(openYurt.claimedKubernetes), position(openYurt.testedKubernetes));
  return position(kubernetes.minor) <= newest;
}

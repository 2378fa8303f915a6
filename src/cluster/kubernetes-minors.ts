import { type Lookup, lookUp } from './version-lookup.js';

// The Kubernetes part of the release table; the OpenYurt part is in openyurt-releases.ts.

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

/** How the API server of a minor serves an admission policy kind. */
export interface AdmissionPolicySupport {
  /** Newest version of `admissionregistration.k8s.io` that has the kind. */
  readonly version: 'v1alpha1' | 'v1beta1' | 'v1';
  /** Whether it is served without feature gates or runtime-config flags. */
  readonly byDefault: boolean;
}

/** Targets of a kubeadm patch file that this library writes. */
export type KubeadmPatchTarget = 'corednsdeployment' | 'kubeproxydaemonset';

/** What one Kubernetes minor supports. */
export interface KubernetesMinor {
  readonly minor: string;
  readonly validatingAdmissionPolicy?: AdmissionPolicySupport;
  readonly mutatingAdmissionPolicy?: AdmissionPolicySupport;
  /** Whether webhooks have matchConditions without feature gates (alpha in 1.27, beta in 1.28, GA in 1.30). Older API servers drop them silently. */
  readonly webhookMatchConditions: boolean;
  /** Add-ons for which `kubeadm init|upgrade --patches` has a patch target. */
  readonly kubeadmPatchTargets: readonly KubeadmPatchTarget[];
  /** Version of `kubeadm.k8s.io` to write: the newest that its kubeadm supports. Extra arguments are a map in v1beta3 and a list in v1beta4. */
  readonly kubeadmConfigVersion: KubeadmConfigVersion;
  /** Whether `kubeadm join` patches the KubeletConfiguration (target `kubeletconfiguration` of `patches.directory`). */
  readonly kubeadmPatchesKubelet: boolean;
  /** Whether `kubeadm join` refuses a machine with static Pods (preflight/checks.go; kubernetes PR 104942 ended it). */
  readonly kubeadmRefusesStaticPods: boolean;
  /** How many minors a kubelet may be older than the API server (version skew policy; three since 1.28). */
  readonly kubeletSkew: number;
  /** CNI configuration version that the container runtimes of its time support. */
  readonly cniVersion: string;
  /** Kubelet flags that the table's minors added up to this one (`cmd/kubelet/app/options`, `component-base/logs`); in a row below, those of its minor. */
  readonly addedKubeletFlags: readonly string[];
  /** Kubelet flags that were removed in this minor or before (the same files; those of klog: CHANGELOG-1.26, KEP-2845); in a row below, those of its minor. */
  readonly removedKubeletFlags: readonly string[];
  /** Whether https://pkgs.k8s.io has packages of it (kubernetes.io/blog/2023/08/15/pkgs-k8s-io-introduction: from 1.24 on). */
  readonly packageRepository: boolean;
  /** Whether the CRI-O project has packages of it (github.com/cri-o/packaging, README: from 1.28 on). */
  readonly crioRepository: boolean;
  /** Whether kubelet can enforce only compressible reservations (CPU), `kube-reserved-compressible` (CHANGELOG-1.32, PR 125982). */
  readonly compressibleReservations: boolean;
  /** Whether kubelet refuses control groups of version 1 unless it is told otherwise (`failCgroupV1`, KEP-5573). */
  readonly refusesCgroupV1: boolean;
  /** Whether kubelet asks for its first list by a watch with initial events: feature gate WatchListClient (client-go features/known_features.go). */
  readonly watchesInitialEvents: boolean;
  /** CoreDNS that kubeadm installs (`cmd/kubeadm/app/constants/constants.go`). */
  readonly coreDns: string;
  /** Version of the pause image that kubeadm names (`PauseVersion` in `cmd/kubeadm/app/constants/constants.go`). */
  readonly pause: string;
  /** Variant of the CoreDNS Pod that kubeadm installs (`phases/addons/dns/manifests.go`). */
  readonly coreDnsPod: 'tolerates-master' | 'plain' | 'named-probe-ports';
  /** Values of a Service's `trafficDistribution` that work without feature gates (KEP-4444, KEP-3015), the preferred one last. */
  readonly trafficDistribution: readonly TrafficDistribution[];
  /** Whether kube-controller-manager also accepts the long names of its controllers (`cmd/kube-controller-manager/names`). */
  readonly longControllerNames: boolean;
  /** Default of `--node-monitor-grace-period` of kube-controller-manager, in seconds (nodelifecycle/config/v1alpha1/defaults.go). */
  readonly nodeMonitorGracePeriod: number;
  /** Whether a StatefulSet has `maxUnavailable` without feature gates (MaxUnavailableStatefulSet, `pkg/features/kube_features.go`). */
  readonly statefulSetMaxUnavailable: boolean;
  /** Features that a Node must declare before Pods that need them come to it (component-helpers nodedeclaredfeatures). */
  readonly declaredFeatures: readonly string[];
  /** Whether kubelet refuses `supplementalGroupsPolicy: Strict` if its runtime cannot do it (kube_features.go: beta). */
  readonly refusesStrictGroups: boolean;
  /** Whether a namespaceSelector of a new Pod also selects what it selects without labels (interpodaffinity/plugin.go). */
  readonly selectsUnlabelledNamespaces: boolean;
  /**
   * Release of apiserver-network-proxy (konnectivity) for it: its README recommends that of the same minor; these
   * are tags that the Go module proxy has. Undefined where none is known.
   */
  readonly konnectivity?: string;
  /** How kubelet answers queries of the journal (NodeLogQuery): alpha in 1.27, beta and off in 1.30, GA in 1.36. */
  readonly logQuery: 'none' | 'feature gate' | 'field';
}

/** Version of the kubeadm configuration API, `kubeadm.k8s.io`. */
export type KubeadmConfigVersion = 'v1beta3' | 'v1beta4';

/** Values of a Service's `spec.trafficDistribution`. */
export type TrafficDistribution = 'PreferClose' | 'PreferSameZone' | 'PreferSameNode';

/**
 * Oldest first; a row has only what changed in that minor. Sources: `test/compatibility_lifecycle/reference/versioned_feature_list.yaml`,
 * CHANGELOG-1.31 (PR 124820), CHANGELOG-1.36 (PR 136039), CHANGELOG-1.37 (PR 138090).
 */
const KUBERNETES_CHANGES: readonly Partial<KubernetesMinor>[] = [
  {
    minor: '1.22',
    webhookMatchConditions: false,
    kubeadmPatchTargets: [],
    kubeadmConfigVersion: 'v1beta3',
    kubeadmPatchesKubelet: false,
    kubeadmRefusesStaticPods: true,
    kubeletSkew: 2,
    cniVersion: '0.4.0',
    packageRepository: false,
    crioRepository: false,
    compressibleReservations: false,
    refusesCgroupV1: false,
    watchesInitialEvents: false,
    coreDns: 'v1.8.4',
    pause: '3.5',
    coreDnsPod: 'tolerates-master',
    trafficDistribution: [],
    longControllerNames: false,
    nodeMonitorGracePeriod: 40,
    statefulSetMaxUnavailable: false,
    declaredFeatures: [],
    refusesStrictGroups: false,
    selectsUnlabelledNamespaces: false,
    logQuery: 'none',
    removedKubeletFlags: [
      'bootstrap-checkpoint-path',
      'chaos-chance',
      'enable-cadvisor-json-endpoints',
      'experimental-dockershim',
      'redirect-container-streaming',
    ],
  },
  {
    minor: '1.23',
    coreDns: 'v1.8.6',
    pause: '3.6',
    kubeadmRefusesStaticPods: false,
    addedKubeletFlags: ['log-json-info-buffer-size', 'log-json-split-stream'],
    removedKubeletFlags: ['experimental-bootstrap-kubeconfig', 'seccomp-profile-root'],
  },
  {
    minor: '1.24',
    packageRepository: true,
    pause: '3.7',
    // containerd 1.6 and CRI-O 1.24 support it; with 1.1.0 the runtime would also call the plugin with STATUS
    cniVersion: '1.0.0',
    removedKubeletFlags: [
      'cni-bin-dir',
      'cni-cache-dir',
      'cni-conf-dir',
      'docker',
      'docker-endpoint',
      'docker-env-metadata-whitelist',
      'docker-only',
      'docker-root',
      'docker-tls',
      'docker-tls-ca',
      'docker-tls-cert',
      'docker-tls-key',
      'dynamic-config-dir',
      'experimental-check-node-capabilities-before-mount',
      'experimental-dockershim-root-directory',
      'experimental-logging-sanitization',
      'image-pull-progress-deadline',
      'network-plugin',
      'network-plugin-mtu',
      'non-masquerade-cidr',
      'really-crash-for-testing',
    ],
  },
  {
    minor: '1.25',
    coreDns: 'v1.9.3',
    pause: '3.8',
    kubeadmPatchesKubelet: true,
    addedKubeletFlags: ['local-storage-capacity-isolation'],
    removedKubeletFlags: ['experimental-kernel-memcg-notification'],
  },
  {
    minor: '1.26',
    pause: '3.9',
    validatingAdmissionPolicy: { version: 'v1alpha1', byDefault: false },
    addedKubeletFlags: ['topology-manager-policy-options'],
    removedKubeletFlags: [
      'add-dir-header',
      'alsologtostderr',
      'log-backtrace-at',
      'log-dir',
      'log-file',
      'log-file-max-size',
      'logtostderr',
      'one-output',
      'skip-headers',
      'skip-log-headers',
      'stderrthreshold',
    ],
  },
  {
    minor: '1.27',
    coreDns: 'v1.10.1',
    coreDnsPod: 'plain',
    logQuery: 'feature gate',
    removedKubeletFlags: ['container-runtime', 'master-service-namespace'],
  },
  {
    minor: '1.28',
    crioRepository: true,
    kubeletSkew: 3,
    webhookMatchConditions: true,
    validatingAdmissionPolicy: { version: 'v1beta1', byDefault: false },
    longControllerNames: true,
    addedKubeletFlags: ['config-dir'],
  },
  { minor: '1.29', coreDns: 'v1.11.1', addedKubeletFlags: ['log-text-info-buffer-size', 'log-text-split-stream'] },
  {
    minor: '1.30',
    konnectivity: 'v0.30.3',
    validatingAdmissionPolicy: { version: 'v1', byDefault: true },
    removedKubeletFlags: ['azure-container-registry-config'],
  },
  {
    minor: '1.31',
    pause: '3.10',
    kubeadmPatchTargets: ['corednsdeployment'],
    kubeadmConfigVersion: 'v1beta4',
    trafficDistribution: ['PreferClose'],
    addedKubeletFlags: ['fail-cgroupv1'],
    removedKubeletFlags: ['iptables-drop-bit', 'iptables-masquerade-bit', 'keep-terminated-pod-volumes'],
  },
  {
    minor: '1.32',
    nodeMonitorGracePeriod: 50,
    compressibleReservations: true,
    mutatingAdmissionPolicy: { version: 'v1alpha1', byDefault: false },
    coreDns: 'v1.11.3',
  },
  { minor: '1.33', coreDns: 'v1.12.0', refusesStrictGroups: true },
  {
    minor: '1.34',
    konnectivity: 'v0.34.0',
    mutatingAdmissionPolicy: { version: 'v1beta1', byDefault: false },
    coreDns: 'v1.12.1',
    selectsUnlabelledNamespaces: true,
    pause: '3.10.1',
    coreDnsPod: 'named-probe-ports',
    trafficDistribution: ['PreferClose', 'PreferSameNode', 'PreferSameZone'],
    removedKubeletFlags: ['cloud-config', 'register-schedulable'],
  },
  {
    minor: '1.35',
    coreDns: 'v1.13.1',
    refusesCgroupV1: true,
    watchesInitialEvents: true,
    removedKubeletFlags: ['pod-infra-container-image'],
  },
  {
    minor: '1.36',
    mutatingAdmissionPolicy: { version: 'v1', byDefault: true },
    coreDns: 'v1.14.2',
    pause: '3.10.2',
    declaredFeatures: ['UserNamespacesHostNetworkSupport', 'RestartAllContainersOnContainerExits'],
    konnectivity: 'v0.36.0',
    logQuery: 'field',
  },
  {
    minor: '1.37',
    kubeadmPatchTargets: ['corednsdeployment', 'kubeproxydaemonset'],
    coreDns: 'v1.14.6',
    statefulSetMaxUnavailable: true,
    selectsUnlabelledNamespaces: false,
    declaredFeatures: [
      ...['UserNamespacesHostNetworkSupport', 'RestartAllContainersOnContainerExits', 'VolumeBindMountOptions'],
    ],
    removedKubeletFlags: [
      'application-metrics-count-limit',
      'boot-id-file',
      'container-hints',
      'containerd',
      'containerd-namespace',
      'enable-load-reader',
      'event-storage-age-limit',
      'event-storage-event-limit',
      'global-housekeeping-interval',
      'housekeeping-interval',
      'log-cadvisor-usage',
      'machine-id-file',
      'storage-driver-buffer-duration',
      'storage-driver-db',
      'storage-driver-host',
      'storage-driver-password',
      'storage-driver-secure',
      'storage-driver-table',
      'storage-driver-user',
    ],
  },
];

/** Oldest first, every row complete. */
export const KUBERNETES_MINORS: readonly KubernetesMinor[] = KUBERNETES_CHANGES.reduce<KubernetesMinor[]>(
  (rows, change) => {
    const before = rows[rows.length - 1];
    const addedKubeletFlags = [...(before?.addedKubeletFlags ?? []), ...(change.addedKubeletFlags ?? [])];
    const removedKubeletFlags = [...(before?.removedKubeletFlags ?? []), ...(change.removedKubeletFlags ?? [])];
    return [...rows, { ...before, ...change, addedKubeletFlags, removedKubeletFlags } as KubernetesMinor];
  },
  [],
);

/** The newest row. */
export const NEWEST_MINOR = KUBERNETES_MINORS[KUBERNETES_MINORS.length - 1] as KubernetesMinor;

/** The row of a Kubernetes version: patch releases, vendor suffixes and a leading `v` are accepted. */
export function lookUpKubernetes(version: string): Lookup<KubernetesMinor> {
  const oldest = KUBERNETES_MINORS[0]?.minor ?? '';
  return lookUp(
    KUBERNETES_MINORS,
    (row) => row.minor,
    version,
    (name) =>
      /^1\./.test(name) ? `it is older than ${oldest}, the oldest minor that OpenYurt was built for` : undefined,
  );
}

/** The row of a minor by its name in the table (`kubernetes` of an EdgeCluster), so it exists. */
export function kubernetesRow(minor: string): KubernetesMinor {
  return KUBERNETES_MINORS.find((row) => row.minor === minor) as KubernetesMinor;
}

/** The minors after one minor of the table, up to another one, oldest first; empty if the other one is not newer. */
export function minorsAfter(minor: string, until: string): readonly KubernetesMinor[] {
  const position = (name: string): number => KUBERNETES_MINORS.findIndex((row) => row.minor === name);
  return KUBERNETES_MINORS.slice(position(minor) + 1, position(until) + 1);
}

/** Whether a minor is older than another one: 1.9 and 1.10. */
export function isOlderMinor(one: string, other: string): boolean {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [one, other].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ];
  return a < c || (a === c && b < d);
}

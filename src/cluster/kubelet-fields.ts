/** What the KubeletConfiguration has in a field, as in Go: with another type there kubelet does not start. */
export type KubeletFieldType =
  | 'switch'
  | 'integer'
  | 'number'
  | 'duration'
  | 'text'
  | 'texts'
  | 'integers'
  | 'maps'
  | 'textMap'
  | 'switchMap'
  | 'textsMap'
  | 'map';

/**
 * Fields of the KubeletConfiguration by type (k8s.io/kubelet config/v1beta1/types.go, KubeletConfiguration, 1.37; no field of 1.22 or later was removed, and none
 * has changed its type). Kubelet ignores others: it reads the file again without complaint.
 */
const FIELDS_OF: Readonly<Record<KubeletFieldType, readonly string[]>> = {
  switch: [
    'cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler',
    'enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery',
    'failCgroupV1 failSwapOn kernelMemcgNotification localStorageCapacityIsolation makeIPTablesUtilChains',
    'mergeDefaultEvictionSettings protectKernelDefaults registerNode rotateCertificates runOnce',
    'seccompDefault serializeImagePulls serverTLSBootstrap singleProcessOOMKill',
  ],
  integer: [
    'containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod',
    'healthzPort imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit',
    'kubeAPIBurst kubeAPIQPS maxOpenFiles maxParallelImagePulls maxPods nodeLeaseDurationSeconds',
    'nodeStatusMaxImages oomScoreAdj podPidsLimit podsPerCore port readOnlyPort registryBurst registryPullQPS',
  ],
  number: ['memoryThrottlingFactor'],
  duration: [
    'containerLogMonitorInterval cpuCFSQuotaPeriod cpuManagerReconcilePeriod evictionPressureTransitionPeriod',
    'fileCheckFrequency httpCheckFrequency imageMaximumGCAge imageMinimumGCAge nodeStatusReportFrequency',
    'nodeStatusUpdateFrequency runtimeRequestTimeout shutdownGracePeriod shutdownGracePeriodCriticalPods',
    'streamingConnectionIdleTimeout syncFrequency volumeStatsAggPeriod',
  ],
  text: [
    'address cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy',
    'containerLogMaxSize containerRuntimeEndpoint contentType cpuManagerPolicy hairpinMode healthzBindAddress',
    'imagePullCredentialsVerificationPolicy imageServiceEndpoint kubeletCgroups kubeReservedCgroup',
    'memoryManagerPolicy memoryReservationPolicy podCIDR podLogsDir providerID reservedSystemCPUs resolvConf',
    'showHiddenMetricsForVersion staticPodPath staticPodURL systemCgroups systemReservedCgroup tlsCertFile',
    'tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy topologyManagerScope volumePluginDir',
  ],
  texts: [
    'allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist',
    'tlsCipherSuites',
  ],
  integers: ['tlsCurvePreferences'],
  maps: ['registerWithTaints reservedMemory shutdownGracePeriodByPodPriority'],
  textMap: [
    'cpuManagerPolicyOptions defaultPodSysctls evictionHard evictionMinimumReclaim evictionSoft',
    'evictionSoftGracePeriod kubeReserved qosReserved systemReserved topologyManagerPolicyOptions',
  ],
  switchMap: ['featureGates'],
  textsMap: ['staticPodURLHeader'],
  map: ['authentication authorization crashLoopBackOff logging memorySwap tracing userNamespaces'],
};

/** The type of each field. */
export const KUBELET_FIELD_TYPES: ReadonlyMap<string, KubeletFieldType> = new Map(
  Object.entries(FIELDS_OF).flatMap(([type, lines]) =>
    lines.flatMap((line) => line.split(' ')).map((field) => [field, type as KubeletFieldType]),
  ),
);

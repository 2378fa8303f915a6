/**
 * Fields of the KubeletConfiguration (k8s.io/kubelet config/v1beta1, KubeletConfiguration, 1.37; none of an older minor was removed). Kubelet ignores others:
 * it reads the file again without complaint.
 */
export const KUBELET_FIELDS: readonly string[] = [
  'address allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS',
  'clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize',
  'containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint contentType cpuCFSQuota',
  'cpuCFSQuotaPeriod cpuManagerPolicy cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff',
  'enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers',
  'enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable',
  'eventBurst eventRecordQPS evictionHard evictionMaxPodGracePeriod evictionMinimumReclaim',
  'evictionPressureTransitionPeriod evictionSoft evictionSoftGracePeriod failCgroupV1 failSwapOn featureGates',
  'fileCheckFrequency hairpinMode healthzBindAddress healthzPort httpCheckFrequency imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge imagePullCredentialsVerificationPolicy',
  'imageServiceEndpoint iptablesDropBit iptablesMasqueradeBit kernelMemcgNotification kubeAPIBurst kubeAPIQPS',
  'kubeletCgroups kubeReserved kubeReservedCgroup localStorageCapacityIsolation logging makeIPTablesUtilChains',
  'maxOpenFiles maxParallelImagePulls maxPods memoryManagerPolicy memoryReservationPolicy memorySwap',
  'memoryThrottlingFactor mergeDefaultEvictionSettings nodeLeaseDurationSeconds nodeStatusMaxImages',
  'nodeStatusReportFrequency nodeStatusUpdateFrequency oomScoreAdj podCIDR podLogsDir podPidsLimit podsPerCore',
  'port preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved readOnlyPort',
  'registerNode registerWithTaints registryBurst registryPullQPS reservedMemory reservedSystemCPUs resolvConf',
  'rotateCertificates runOnce runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap',
  'showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority',
  'shutdownGracePeriodCriticalPods singleProcessOOMKill staticPodPath staticPodURL staticPodURLHeader',
  'streamingConnectionIdleTimeout syncFrequency systemCgroups systemReserved systemReservedCgroup tlsCertFile',
  'tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy',
  'topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir volumeStatsAggPeriod',
].flatMap((line) => line.split(' '));

/** Those that are numbers, and those that are true or false: with text in their place kubelet does not start. */
export const KUBELET_NUMBERS: ReadonlySet<string> = new Set(
  [
    'containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort',
    'imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst',
    'kubeAPIQPS maxOpenFiles maxParallelImagePulls maxPods memoryThrottlingFactor nodeLeaseDurationSeconds',
    'nodeStatusMaxImages oomScoreAdj podPidsLimit podsPerCore port readOnlyPort registryBurst registryPullQPS',
  ].flatMap((line) => line.split(' ')),
);
export const KUBELET_SWITCHES: ReadonlySet<string> = new Set(
  [
    'cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler',
    'enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery',
    'failCgroupV1 failSwapOn kernelMemcgNotification localStorageCapacityIsolation makeIPTablesUtilChains',
    'mergeDefaultEvictionSettings protectKernelDefaults registerNode rotateCertificates runOnce seccompDefault',
    'serializeImagePulls serverTLSBootstrap singleProcessOOMKill',
  ].flatMap((line) => line.split(' ')),
);

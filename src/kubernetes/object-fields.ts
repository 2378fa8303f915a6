/**
 * Fields of Pods, their templates and the workloads around them, by type, each with the type of its value: `env:EnvVar[]` is a list, `labels:text{}` a map.
 * What can have several types, as a quantity, has none here. Older minors have a part of the fields. A newer minor may have more, so a field that is not listed
 * is not wrong.
 *
 * Written by scripts/object-fields.mjs from k8s.io/client-go v0.37.0 (applyconfigurations/internal/internal.go).
 */
export const OBJECT_FIELDS: Readonly<Record<string, string>> = {
  AWSElasticBlockStoreVolumeSource: 'fsType:text partition:number readOnly:boolean volumeID:text',
  Affinity: 'nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity',
  AppArmorProfile: 'localhostProfile:text type:text',
  AzureDiskVolumeSource: 'cachingMode:text diskName:text diskURI:text fsType:text kind:text readOnly:boolean',
  AzureFileVolumeSource: 'readOnly:boolean secretName:text shareName:text',
  CSIVolumeSource:
    'driver:text fsType:text nodePublishSecretRef:LocalObjectReference readOnly:boolean volumeAttributes:text{}',
  Capabilities: 'add:text[] drop:text[]',
  CephFSVolumeSource:
    'monitors:text[] path:text readOnly:boolean secretFile:text secretRef:LocalObjectReference user:text',
  CinderVolumeSource: 'fsType:text readOnly:boolean secretRef:LocalObjectReference volumeID:text',
  ClusterTrustBundleProjection:
    'labelSelector:LabelSelector name:text optional:boolean path:text signerName:text user:number',
  ConfigMapEnvSource: 'name:text optional:boolean',
  ConfigMapKeySelector: 'key:text name:text optional:boolean',
  ConfigMapProjection: 'items:KeyToPath[] name:text optional:boolean',
  ConfigMapVolumeSource: 'defaultMode:number defaultUser:number items:KeyToPath[] name:text optional:boolean',
  Container:
    'args:text[] command:text[] env:EnvVar[] envFrom:EnvFromSource[] image:text imagePullPolicy:text lifecycle:Lifecycle livenessProbe:Probe name:text ports:ContainerPort[] readinessProbe:Probe resizePolicy:ContainerResizePolicy[] resources:ResourceRequirements restartPolicy:text restartPolicyRules:ContainerRestartRule[] securityContext:SecurityContext startupProbe:Probe stdin:boolean stdinOnce:boolean terminationMessagePath:text terminationMessagePolicy:text tty:boolean volumeDevices:VolumeDevice[] volumeMounts:VolumeMount[] workingDir:text',
  ContainerPort: 'containerPort:number hostIP:text hostPort:number name:text protocol:text',
  ContainerResizePolicy: 'resourceName:text restartPolicy:text',
  ContainerRestartRule: 'action:text exitCodes:ContainerRestartRuleOnExitCodes',
  ContainerRestartRuleOnExitCodes: 'operator:text values:number[]',
  CronJob: 'apiVersion:text kind:text metadata:ObjectMeta spec:CronJobSpec status',
  CronJobSpec:
    'concurrencyPolicy:text failedJobsHistoryLimit:number jobTemplate:JobTemplateSpec schedule:text startingDeadlineSeconds:number successfulJobsHistoryLimit:number suspend:boolean timeZone:text',
  DaemonSet: 'apiVersion:text kind:text metadata:ObjectMeta spec:DaemonSetSpec status',
  DaemonSetSpec:
    'minReadySeconds:number revisionHistoryLimit:number selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy',
  DaemonSetUpdateStrategy: 'rollingUpdate:RollingUpdateDaemonSet type:text',
  Deployment: 'apiVersion:text kind:text metadata:ObjectMeta spec:DeploymentSpec status',
  DeploymentSpec:
    'minReadySeconds:number paused:boolean progressDeadlineSeconds:number replicas:number revisionHistoryLimit:number selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec',
  DeploymentStrategy: 'rollingUpdate:RollingUpdateDeployment type:text',
  DownwardAPIProjection: 'items:DownwardAPIVolumeFile[]',
  DownwardAPIVolumeFile:
    'fieldRef:ObjectFieldSelector mode:number path:text resourceFieldRef:ResourceFieldSelector user:number',
  DownwardAPIVolumeSource: 'defaultMode:number defaultUser:number items:DownwardAPIVolumeFile[]',
  EmptyDirVolumeSource: 'medium:text mode:number sizeLimit',
  EnvFromSource: 'configMapRef:ConfigMapEnvSource prefix:text secretRef:SecretEnvSource',
  EnvVar: 'name:text value:text valueFrom:EnvVarSource',
  EnvVarSource:
    'configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector',
  EphemeralContainer:
    'args:text[] command:text[] env:EnvVar[] envFrom:EnvFromSource[] image:text imagePullPolicy:text lifecycle:Lifecycle livenessProbe:Probe name:text ports:ContainerPort[] readinessProbe:Probe resizePolicy:ContainerResizePolicy[] resources:ResourceRequirements restartPolicy:text restartPolicyRules:ContainerRestartRule[] securityContext:SecurityContext startupProbe:Probe stdin:boolean stdinOnce:boolean targetContainerName:text terminationMessagePath:text terminationMessagePolicy:text tty:boolean volumeDevices:VolumeDevice[] volumeMounts:VolumeMount[] workingDir:text',
  EphemeralVolumeSource: 'volumeClaimTemplate:PersistentVolumeClaimTemplate',
  EvictionResponder: 'name:text priority:number',
  ExecAction: 'command:text[]',
  FCVolumeSource: 'fsType:text lun:number readOnly:boolean targetWWNs:text[] wwids:text[]',
  FileKeySelector: 'key:text optional:boolean path:text volumeName:text',
  FlexVolumeSource: 'driver:text fsType:text options:text{} readOnly:boolean secretRef:LocalObjectReference',
  FlockerVolumeSource: 'datasetName:text datasetUUID:text',
  GCEPersistentDiskVolumeSource: 'fsType:text partition:number pdName:text readOnly:boolean',
  GRPCAction: 'mode:text port:number service:text',
  GitRepoVolumeSource: 'directory:text repository:text revision:text',
  GlusterfsVolumeSource: 'endpoints:text path:text readOnly:boolean',
  HTTPGetAction: 'host:text httpHeaders:HTTPHeader[] path:text port protocol:text scheme:text',
  HTTPHeader: 'name:text value:text',
  HostAlias: 'hostnames:text[] ip:text',
  HostPathVolumeSource: 'path:text type:text',
  ISCSIVolumeSource:
    'chapAuthDiscovery:boolean chapAuthSession:boolean fsType:text initiatorName:text iqn:text iscsiInterface:text lun:number portals:text[] readOnly:boolean secretRef:LocalObjectReference targetPortal:text',
  ImageVolumeSource: 'pullPolicy:text reference:text',
  Job: 'apiVersion:text kind:text metadata:ObjectMeta spec:JobSpec status',
  JobSchedulingConfiguration:
    'disruptionMode:WorkloadPodGroupDisruptionMode resourceClaims:WorkloadPodGroupResourceClaim[] schedulingConstraints:WorkloadPodGroupSchedulingConstraints schedulingPolicy:WorkloadPodGroupSchedulingPolicy',
  JobSpec:
    'activeDeadlineSeconds:number backoffLimit:number backoffLimitPerIndex:number completionMode:text completions:number managedBy:text manualSelector:boolean maxFailedIndexes:number parallelism:number podFailurePolicy:PodFailurePolicy podReplacementPolicy:text scheduling:JobSchedulingConfiguration selector:LabelSelector successPolicy:SuccessPolicy suspend:boolean template:PodTemplateSpec ttlSecondsAfterFinished:number',
  JobTemplateSpec: 'metadata:ObjectMeta spec:JobSpec',
  KeyToPath: 'key:text mode:number path:text user:number',
  LabelSelector: 'matchExpressions:LabelSelectorRequirement[] matchLabels:text{}',
  LabelSelectorRequirement: 'key:text operator:text values:text[]',
  Lifecycle: 'postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:text',
  LifecycleHandler: 'exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction',
  LocalObjectReference: 'name:text',
  NFSVolumeSource: 'path:text readOnly:boolean server:text',
  NodeAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[] requiredDuringSchedulingIgnoredDuringExecution:NodeSelector',
  NodeSelector: 'nodeSelectorTerms:NodeSelectorTerm[]',
  NodeSelectorRequirement: 'key:text operator:text values:text[]',
  NodeSelectorTerm: 'matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]',
  ObjectFieldSelector: 'apiVersion:text fieldPath:text',
  ObjectMeta:
    'annotations:text{} creationTimestamp deletionGracePeriodSeconds:number deletionTimestamp finalizers:text[] generateName:text generation:number labels:text{} managedFields name:text namespace:text ownerReferences:OwnerReference[] resourceVersion:text selfLink:text uid:text',
  OwnerReference: 'apiVersion:text blockOwnerDeletion:boolean controller:boolean kind:text name:text uid:text',
  PersistentVolumeClaim: 'apiVersion:text kind:text metadata:ObjectMeta spec:PersistentVolumeClaimSpec status',
  PersistentVolumeClaimSpec:
    'accessModes:text[] dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector storageClassName:text volumeAttributesClassName:text volumeMode:text volumeName:text',
  PersistentVolumeClaimTemplate: 'metadata:ObjectMeta spec:PersistentVolumeClaimSpec',
  PersistentVolumeClaimVolumeSource: 'claimName:text readOnly:boolean',
  PhotonPersistentDiskVolumeSource: 'fsType:text pdID:text',
  Pod: 'apiVersion:text kind:text metadata:ObjectMeta spec:PodSpec status',
  PodAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[] requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]',
  PodAffinityTerm:
    'labelSelector:LabelSelector matchLabelKeys:text[] mismatchLabelKeys:text[] namespaceSelector:LabelSelector namespaces:text[] topologyKey:text',
  PodAntiAffinity:
    'preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[] requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]',
  PodCertificateProjection:
    'certificateChainPath:text credentialBundlePath:text keyPath:text keyType:text maxExpirationSeconds:number signerName:text user:number userAnnotations:text{}',
  PodDNSConfig: 'nameservers:text[] options:PodDNSConfigOption[] searches:text[]',
  PodDNSConfigOption: 'name:text value:text',
  PodFailurePolicy: 'rules:PodFailurePolicyRule[]',
  PodFailurePolicyOnExitCodesRequirement: 'containerName:text operator:text values:number[]',
  PodFailurePolicyOnPodConditionsPattern: 'status type:text',
  PodFailurePolicyRule:
    'action:text onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:PodFailurePolicyOnPodConditionsPattern[]',
  PodOS: 'name:text',
  PodReadinessGate: 'conditionType:text',
  PodResourceClaim: 'name:text resourceClaimName:text resourceClaimTemplateName:text',
  PodSchedulingGate: 'name:text',
  PodSchedulingGroup: 'podGroupName:text',
  PodSecurityContext:
    'appArmorProfile:AppArmorProfile fsGroup:number fsGroupChangePolicy:text runAsGroup:number runAsNonRoot:boolean runAsUser:number seLinuxChangePolicy:text seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:number[] supplementalGroupsPolicy:text sysctls:Sysctl[] windowsOptions:WindowsSecurityContextOptions',
  PodSpec:
    'activeDeadlineSeconds:number affinity:Affinity automountServiceAccountToken:boolean containers:Container[] dnsConfig:PodDNSConfig dnsPolicy:text enableServiceLinks:boolean ephemeralContainers:EphemeralContainer[] evictionResponders:EvictionResponder[] hostAliases:HostAlias[] hostIPC:boolean hostNetwork:boolean hostPID:boolean hostUsers:boolean hostname:text hostnameOverride:text imagePullSecrets:LocalObjectReference[] initContainers:Container[] nodeName:text nodeSelector:text{} os:PodOS overhead preemptionPolicy:text priority:number priorityClassName:text readinessGates:PodReadinessGate[] resourceClaims:PodResourceClaim[] resources:ResourceRequirements restartPolicy:text runtimeClassName:text schedulerName:text schedulingGates:PodSchedulingGate[] schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext serviceAccount:text serviceAccountName:text setHostnameAsFQDN:boolean shareProcessNamespace:boolean subdomain:text terminationGracePeriodSeconds:number tolerations:Toleration[] topologySpreadConstraints:TopologySpreadConstraint[] volumes:Volume[]',
  PodTemplate: 'apiVersion:text kind:text metadata:ObjectMeta template:PodTemplateSpec',
  PodTemplateSpec: 'metadata:ObjectMeta spec:PodSpec',
  PortworxVolumeSource: 'fsType:text readOnly:boolean volumeID:text',
  PreferredSchedulingTerm: 'preference:NodeSelectorTerm weight:number',
  Probe:
    'exec:ExecAction failureThreshold:number grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:number periodSeconds:number successThreshold:number tcpSocket:TCPSocketAction terminationGracePeriodSeconds:number timeoutSeconds:number',
  ProjectedVolumeSource: 'defaultMode:number defaultUser:number sources:VolumeProjection[]',
  QuobyteVolumeSource: 'group:text readOnly:boolean registry:text tenant:text user:text volume:text',
  RBDVolumeSource:
    'fsType:text image:text keyring:text monitors:text[] pool:text readOnly:boolean secretRef:LocalObjectReference user:text',
  ReplicaSet: 'apiVersion:text kind:text metadata:ObjectMeta spec:ReplicaSetSpec status',
  ReplicaSetSpec: 'minReadySeconds:number replicas:number selector:LabelSelector template:PodTemplateSpec',
  ReplicationController: 'apiVersion:text kind:text metadata:ObjectMeta spec:ReplicationControllerSpec status',
  ReplicationControllerSpec: 'minReadySeconds:number replicas:number selector:text{} template:PodTemplateSpec',
  ResourceClaim: 'name:text request:text',
  ResourceFieldSelector: 'containerName:text divisor resource:text',
  ResourceRequirements: 'claims:ResourceClaim[] limits requests',
  RollingUpdateDaemonSet: 'maxSurge maxUnavailable',
  RollingUpdateDeployment: 'maxSurge maxUnavailable',
  RollingUpdateStatefulSetStrategy: 'maxUnavailable partition:number',
  SELinuxOptions: 'level:text role:text type:text user:text',
  ScaleIOVolumeSource:
    'fsType:text gateway:text protectionDomain:text readOnly:boolean secretRef:LocalObjectReference sslEnabled:boolean storageMode:text storagePool:text system:text volumeName:text',
  SeccompProfile: 'localhostProfile:text type:text',
  SecretEnvSource: 'name:text optional:boolean',
  SecretKeySelector: 'key:text name:text optional:boolean',
  SecretProjection: 'items:KeyToPath[] name:text optional:boolean',
  SecretVolumeSource: 'defaultMode:number defaultUser:number items:KeyToPath[] optional:boolean secretName:text',
  SecurityContext:
    'allowPrivilegeEscalation:boolean appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:boolean procMount:text readOnlyRootFilesystem:boolean runAsGroup:number runAsNonRoot:boolean runAsUser:number seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions',
  ServiceAccountTokenProjection: 'audience:text expirationSeconds:number path:text user:number',
  SleepAction: 'seconds:number',
  StatefulSet: 'apiVersion:text kind:text metadata:ObjectMeta spec:StatefulSetSpec status',
  StatefulSetOrdinals: 'start:number',
  StatefulSetPersistentVolumeClaimRetentionPolicy: 'whenDeleted:text whenScaled:text',
  StatefulSetSpec:
    'minReadySeconds:number ordinals:StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:text replicas:number revisionHistoryLimit:number selector:LabelSelector serviceName:text template:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:PersistentVolumeClaim[]',
  StatefulSetUpdateStrategy: 'rollingUpdate:RollingUpdateStatefulSetStrategy type:text',
  StorageOSVolumeSource:
    'fsType:text readOnly:boolean secretRef:LocalObjectReference volumeName:text volumeNamespace:text',
  SuccessPolicy: 'rules:SuccessPolicyRule[]',
  SuccessPolicyRule: 'succeededCount:number succeededIndexes:text',
  Sysctl: 'name:text value:text',
  TCPSocketAction: 'host:text port',
  Toleration: 'effect:text key:text operator:text tolerationSeconds:number value:text',
  TopologyConstraint: 'key:text',
  TopologySpreadConstraint:
    'labelSelector:LabelSelector matchLabelKeys:text[] maxSkew:number minDomains:number nodeAffinityPolicy:text nodeTaintsPolicy:text topologyKey:text whenUnsatisfiable:text',
  TypedLocalObjectReference: 'apiGroup:text kind:text name:text',
  TypedObjectReference: 'apiGroup:text kind:text name:text namespace:text',
  Volume:
    'awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name:text nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource',
  VolumeDevice: 'devicePath:text name:text',
  VolumeMount:
    'bindMountOptions:text[] mountPath:text mountPropagation:text name:text readOnly:boolean recursiveReadOnly:text subPath:text subPathExpr:text',
  VolumeProjection:
    'clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection',
  VolumeResourceRequirements: 'limits requests',
  VsphereVirtualDiskVolumeSource: 'fsType:text storagePolicyID:text storagePolicyName:text volumePath:text',
  WeightedPodAffinityTerm: 'podAffinityTerm:PodAffinityTerm weight:number',
  WindowsSecurityContextOptions:
    'gmsaCredentialSpec:text gmsaCredentialSpecName:text hostProcess:boolean runAsUserName:text',
  WorkloadPodGroupDisruptionMode: 'all single',
  WorkloadPodGroupGangSchedulingPolicy: 'minCount:number',
  WorkloadPodGroupResourceClaim: 'name:text resourceClaimName:text resourceClaimTemplateName:text',
  WorkloadPodGroupSchedulingConstraints: 'topology:TopologyConstraint[]',
  WorkloadPodGroupSchedulingPolicy: 'basic gang:WorkloadPodGroupGangSchedulingPolicy',
};

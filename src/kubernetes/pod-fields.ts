/**
 * Fields of Pod templates and of the workloads around them, as in Kubernetes 1.37 (k8s.io/api `core/v1`, `apps/v1`, `batch/v1`). Older minors have a
 * part of them. A newer minor may have more, so a field that is not listed is not wrong.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

export const POD_TEMPLATE_FIELDS = words('metadata spec');

export const POD_SPEC_FIELDS = words(
  'activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks ephemeralContainers evictionResponders hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes',
);

export const CONTAINER_FIELDS = words(
  'args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir',
);

/** Fields of the items of lists in a container. */
export const CONTAINER_LISTS: Readonly<Record<string, ReadonlySet<string>>> = {
  ports: words('containerPort hostIP hostPort name protocol'),
  env: words('name value valueFrom'),
  volumeMounts: words(
    'bindMountOptions mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr',
  ),
};

const JOB = words(
  'activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy scheduling selector successPolicy suspend template ttlSecondsAfterFinished',
);

/** Fields of the spec of a workload, by group and kind. */
export const WORKLOAD_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  ReplicationController: words('minReadySeconds replicas selector template'),
  'Deployment.apps': words(
    'minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector strategy template',
  ),
  'DaemonSet.apps': words('minReadySeconds revisionHistoryLimit selector template updateStrategy'),
  'StatefulSet.apps': words(
    'minReadySeconds ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy replicas revisionHistoryLimit selector serviceName template updateStrategy volumeClaimTemplates',
  ),
  'ReplicaSet.apps': words('minReadySeconds replicas selector template'),
  'Job.batch': JOB,
  'CronJob.batch': words(
    'concurrencyPolicy failedJobsHistoryLimit jobTemplate schedule startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone',
  ),
};

/** Fields of the spec of a CronJob's Jobs. */
export const JOB_FIELDS = JOB;

import { OBJECT_FIELDS } from './object-fields.js';

/**
 * Fields of OpenYurt's workloads, in the notation of {@link OBJECT_FIELDS} and with its types. Sources: openyurt 1.4 to 1.7 pkg/apis/apps/v1alpha1 and v1beta1,
 * yurtappset_types.go, yurtappdaemon_types.go, yurtstaticset_types.go. An object of one version has a part of them.
 */
const OPENYURT_FIELDS: Readonly<Record<string, string>> = {
  // every custom resource
  Object: 'apiVersion kind metadata:ObjectMeta spec status',
  YurtAppSet: 'apiVersion kind metadata:ObjectMeta spec:YurtAppSetSpec status',
  YurtAppSetSpec:
    'nodepoolSelector:LabelSelector pools revisionHistoryLimit selector:LabelSelector topology:YurtTopology workload:YurtWorkload workloadTemplate:YurtTemplate',
  YurtTopology: 'pools:YurtPool',
  YurtPool: 'name nodeSelectorTerm:NodeSelectorTerm patch:YurtPoolPatch replicas tolerations:Toleration',
  YurtPoolPatch: 'metadata spec',
  YurtWorkload: 'workloadTemplate:YurtTemplate workloadTweaks:YurtTweak',
  YurtTemplate: 'deploymentTemplate:YurtDeployment statefulSetTemplate:YurtStatefulSet',
  YurtDeployment: 'metadata:ObjectMeta spec:DeploymentSpec',
  YurtStatefulSet: 'metadata:ObjectMeta spec:StatefulSetSpec',
  YurtTweak: 'nodepoolSelector:LabelSelector pools tweaks:YurtTweaks',
  YurtTweaks: 'containerImages:YurtContainerImage patches:YurtPatch replicas',
  YurtContainerImage: 'name targetImage',
  YurtPatch: 'operation path value',
  YurtAppDaemon: 'apiVersion kind metadata:ObjectMeta spec:YurtAppDaemonSpec status',
  YurtAppDaemonSpec:
    'nodepoolSelector:LabelSelector revisionHistoryLimit selector:LabelSelector workloadTemplate:YurtTemplate',
  YurtStaticSet: 'apiVersion kind metadata:ObjectMeta spec:YurtStaticSetSpec status',
  YurtStaticSetSpec: 'revisionHistoryLimit staticPodManifest template:PodTemplateSpec upgradeStrategy:YurtUpgrade',
  YurtUpgrade: 'maxUnavailable type',
};

/** The type of a workload by `Kind.group`. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...['Pod', 'PodTemplate', 'ReplicationController'].map((kind) => [kind, kind] as const),
  ...['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].map((kind) => [`${kind}.apps`, kind] as const),
  ...['Job', 'CronJob'].map((kind) => [`${kind}.batch`, kind] as const),
  ...['YurtAppSet', 'YurtAppDaemon', 'YurtStaticSet'].map((kind) => [`${kind}.apps.openyurt.io`, kind] as const),
]);

/** The fields of a type, each with the type of its value, or of the items in it; undefined where nothing in it is known. */
export type KnownFields = ReadonlyMap<string, string | undefined>;

const known = new Map<string, KnownFields>();

/** The fields of a type. */
export function fieldsOfType(type: string): KnownFields {
  const fields =
    known.get(type) ??
    new Map(
      (OBJECT_FIELDS[type] ?? OPENYURT_FIELDS[type] ?? '').split(' ').map((field) => {
        const [name = '', of] = field.split(':');
        return [name, of];
      }),
    );
  known.set(type, fields);
  return fields;
}

/** The type of the objects of a kind, `Kind.group`; undefined if its fields are not known. */
export function typeOfKind(groupKind: string): string | undefined {
  return TYPES.get(groupKind);
}

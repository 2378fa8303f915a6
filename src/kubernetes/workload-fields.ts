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
const shapes = new Map<string, ReadonlyMap<string, ValueShape>>();

/** What the API server decodes a field of. */
export interface ValueShape {
  /** `map` is an object with fields, whose names are known. */
  readonly value: 'text' | 'number' | 'boolean' | 'map';
  /** Whether the value is a list or a map of these.
   * @default - it is one */
  readonly many?: 'list' | 'map';
}

interface Field {
  readonly name: string;
  /** A type with fields, `text`, `number` or `boolean`.
   * @default - it is not known */
  readonly of?: string;
  readonly many?: ValueShape['many'];
}

function readFields(table: Readonly<Record<string, string>>, type: string): Field[] {
  return (table[type] ?? '').split(' ').map((field) => {
    const [name = '', of] = field.split(':');
    const many = of?.endsWith('[]') === true ? 'list' : of?.endsWith('{}') === true ? 'map' : undefined;
    return many === undefined ? { name, of } : { name, of: of?.slice(0, -2), many };
  });
}

const hasFields = (type: string | undefined): type is string => type !== undefined && /^[A-Z]/.test(type);

/** The fields of a type. */
export function fieldsOfType(type: string): KnownFields {
  const fields =
    known.get(type) ??
    new Map(
      readFields(type in OBJECT_FIELDS ? OBJECT_FIELDS : OPENYURT_FIELDS, type).map(
        ({ name, of }) => [name, hasFields(of) ? of : undefined] as const,
      ),
    );
  known.set(type, fields);
  return fields;
}

/** Shapes of the fields of a type, as far as they are known: none of the types of OpenYurt, and none of a field that can have several. */
export function shapesOfType(type: string): ReadonlyMap<string, ValueShape> {
  const found =
    shapes.get(type) ??
    new Map(
      readFields(OBJECT_FIELDS, type).flatMap(({ name, of, many }) => {
        const value = hasFields(of) ? 'map' : (of as ValueShape['value'] | undefined);
        return value === undefined ? [] : [[name, { value, ...(many === undefined ? {} : { many }) }] as const];
      }),
    );
  shapes.set(type, found);
  return found;
}

/** The type of the objects of a kind, `Kind.group`; undefined if its fields are not known. */
export function typeOfKind(groupKind: string): string | undefined {
  return TYPES.get(groupKind);
}

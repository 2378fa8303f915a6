import { groupKindOf } from '../kubernetes/group-kind.js';
import { POOL_TYPE_LABEL } from '../kubernetes/labels.js';
import { copyOf, isMap, mapAt, type PlainMap, same, valueAt, withoutValueAt } from '../base/plain-data.js';
import { withoutDefaults } from '../kubernetes/api-defaults.js';
import { dropServerValues, isWritten, LAST_APPLIED, recordOf } from './server-values.js';
import { type OthersField, withoutOthersFields } from './managed-fields.js';

/** Fields that only the API server writes (apimachinery, ObjectMeta). */
const METADATA = [
  'managedFields',
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
];

/** Annotations that kubectl and controllers write: by key, the program. */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  [LAST_APPLIED]: 'kubectl apply',
  'deployment.kubernetes.io/revision': 'deployment controller',
  'deprecated.daemonset.template.generation': 'API server',
  'batch.kubernetes.io/job-tracking': 'job controller',
  'control-plane.alpha.kubernetes.io/leader': 'leader election',
  'pv.kubernetes.io/bind-completed': 'volume controller',
  'pv.kubernetes.io/bound-by-controller': 'volume controller',
  'volume.beta.kubernetes.io/storage-provisioner': 'volume controller',
  'volume.kubernetes.io/storage-provisioner': 'volume controller',
  'volume.kubernetes.io/selected-node': 'scheduler',
  'kubernetes.io/service-account.uid': 'token controller',
};

/** Whether an API server has printed an object: every stored object has these. */
export function isFromServer(object: PlainMap): boolean {
  const { uid, resourceVersion, managedFields } = mapAt(object, 'metadata');
  return [uid, resourceVersion, managedFields].some((value) => (value ?? undefined) !== undefined);
}

/** An object as people have written it. */
export interface WrittenObject {
  readonly object: PlainMap;
  /** Fields that are left out, because another manager writes them. */
  readonly others: readonly OthersField[];
}

/**
 * An object as people have written it: without what the API server and controllers have added. Of a manifest, which no server has printed, only the
 * timestamps are left out that Go prints as null, and the record of kubectl apply, which has the values of a Secret.
 *
 * @param isScaled whether an autoscaler of the dump targets it
 */
export function writtenObject(given: PlainMap, isScaled: boolean): WrittenObject {
  const written = withoutTimestamps(given);
  const isStored = isFromServer(given);
  const metadata = { ...mapAt(written, 'metadata') };
  if (isMap(metadata.annotations) && (isStored || metadata.annotations[LAST_APPLIED] !== undefined)) {
    metadata.annotations = { ...metadata.annotations };
    dropKeys(metadata, 'annotations', isStored ? Object.keys(ANNOTATIONS) : [LAST_APPLIED]);
  }
  if (!isStored) {
    const manifest = isMap(written.metadata) ? { ...written, metadata } : written;
    const replicas = ['spec', 'replicas'];
    return isScaled && valueAt(manifest, replicas) !== undefined
      ? {
          object: withoutValueAt(manifest, replicas) as PlainMap,
          others: [{ field: replicas.join('.'), manager: 'its autoscaler' }],
        }
      : { object: manifest, others: [] };
  }
  dropFields(metadata, METADATA);
  const body: PlainMap = { ...written, metadata };
  delete body.status;
  const { object, others } = withoutOthersFields(body, given, recordOf(given), isScaled);
  const result = withoutControllerValues(object, given);
  dropServerValues(result, given);
  return { object: withoutDefaults(result, 'apply'), others };
}

/** An object as people have written it, where no autoscaler is known. */
export function asWritten(given: PlainMap): PlainMap {
  return writtenObject(given, false).object;
}

/** Fields that contain Pod templates or claims, whose metadata Go prints with a timestamp. */
const WITH_METADATA = ['metadata', 'template', 'spec', 'jobTemplate', 'volumeClaimTemplates'];

/** Go prints the timestamp of metadata also if it has none. */
function withoutTimestamps(map: PlainMap): PlainMap {
  return Object.fromEntries(
    Object.entries(map)
      .filter(([field, item]) => !(field === 'creationTimestamp' && item === null))
      .map(([field, item]) => [field, WITH_METADATA.includes(field) ? withoutTimestampsIn(item) : item]),
  );
}

function withoutTimestampsIn(value: unknown): unknown {
  return Array.isArray(value) ? value.map(withoutTimestampsIn) : isMap(value) ? withoutTimestamps(value) : value;
}

/** Without what controllers and allocators of the API server write into fields that people can write, too. */
function withoutControllerValues(object: PlainMap, given: PlainMap): PlainMap {
  const result = copyOf(object);
  const metadata = mapAt(result, 'metadata');
  const spec = mapAt(result, 'spec');
  const groupKind = groupKindOf(result);
  if (groupKind === 'Service' && !isWritten(given, ['spec', 'clusterIP'])) {
    // allocated, unless it is fixed: a Service without an address, and add-ons whose address kubelets have in their configuration
    const isFixed = spec.clusterIP === 'None' || mapAt(metadata, 'labels')['kubernetes.io/cluster-service'] === 'true';
    dropFields(spec, isFixed ? ['clusterIPs', 'ipFamilies'] : ['clusterIP', 'clusterIPs', 'ipFamilies']);
  }
  const annotations = mapAt(mapAt(given, 'metadata'), 'annotations');
  if (groupKind === 'PersistentVolumeClaim' && annotations['pv.kubernetes.io/bound-by-controller'] === 'yes') {
    dropFields(spec, ['volumeName']);
  }
  if (groupKind === 'NodePool.apps.openyurt.io') {
    // openyurt pkg/yurtmanager/webhook/nodepool, nodepool_default.go: at every write
    dropKeys(metadata, 'labels', [POOL_TYPE_LABEL]);
  }
  if (groupKind === 'Namespace') {
    dropKeys(metadata, 'labels', ['kubernetes.io/metadata.name']);
  }
  if (groupKind === 'Job.batch' && spec.manualSelector !== true) {
    dropFields(spec, ['selector']);
    const template = mapAt(mapAt(spec, 'template'), 'metadata');
    // a Job without labels has the map of its template, to which the API server adds (batch/v1, SetDefaults_Job)
    if (same(metadata.labels, template.labels)) {
      dropFields(metadata, ['labels']);
    }
    dropKeys(template, 'labels', [
      'controller-uid',
      'job-name',
      'batch.kubernetes.io/controller-uid',
      'batch.kubernetes.io/job-name',
    ]);
    dropKeys(metadata, 'labels', ['controller-uid', 'batch.kubernetes.io/controller-uid']);
  }
  return result;
}

function dropFields(map: PlainMap, fields: readonly string[]): void {
  fields.forEach((field) => Reflect.deleteProperty(map, field));
}

function dropKeys(owner: PlainMap, field: string, keys: readonly string[]): void {
  const map = owner[field];
  if (isMap(map)) {
    dropFields(map, keys);
    if (Object.keys(map).length === 0) {
      dropFields(owner, [field]);
    }
  }
}

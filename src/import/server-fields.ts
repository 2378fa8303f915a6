import { groupKindOf } from '../kubernetes/group-kind.js';
import { POOL_TYPE_LABEL } from '../kubernetes/labels.js';
import { copyOf, isMap, mapAt, type PlainMap, same } from '../validation/plain-data.js';
import { withoutDefaults } from '../kubernetes/api-defaults.js';
import { dropServerValues, LAST_APPLIED } from './server-values.js';
import { ownedMap, ownersIn, ownersOf } from './managed-fields.js';

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

/**
 * An object as people have written it: without what the API server and controllers have added. Of a manifest, which no server has printed, only the
 * timestamps are left out that Go prints as null, and the record of kubectl apply, which has the values of a Secret.
 */
export function asWritten(object: PlainMap): PlainMap {
  if (!isFromServer(object)) {
    const written = withoutTimestamps(object);
    const metadata = { ...mapAt(written, 'metadata') };
    if (!isMap(metadata.annotations) || metadata.annotations[LAST_APPLIED] === undefined) {
      return written;
    }
    metadata.annotations = { ...metadata.annotations };
    dropKeys(metadata, 'annotations', [LAST_APPLIED]);
    return { ...written, metadata };
  }
  const { metadata, ...fields } = object;
  const own = Object.entries(isMap(metadata) ? metadata : {}).filter(([field]) => !METADATA.includes(field));
  const kept = Object.fromEntries(own);
  const body = withoutTimestamps({ ...fields, metadata: kept });
  delete body.status;
  const owners = ownersOf(mapAt(object, 'metadata'));
  const mine =
    owners === undefined || owners.people.length === 0
      ? body
      : {
          // the owner of stringData owns nothing of data, to which the API server moves it
          ...ownedMap(body, owners, (field) => KEPT.includes(field) || (field === 'data' && object.kind === 'Secret')),
          metadata: ownedMap(kept, ownersIn(owners, 'metadata'), (field) => IDENTITY.includes(field)),
        };
  const isFixed = owners?.people.some((fields) => isMap(mapAt(fields, 'f:spec')['f:clusterIP'])) ?? false;
  const result = withoutControllerValues(mine, isFixed);
  dropServerValues(result, object);
  return withoutDefaults(result, 'apply');
}

/** Fields of which no part is left out by its owner; metadata is judged by itself. */
const KEPT = ['apiVersion', 'kind', 'metadata'];

/** Fields that have no owner. */
const IDENTITY = ['name', 'namespace', 'generateName'];

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
function withoutControllerValues(object: PlainMap, hasOwnAddress: boolean): PlainMap {
  const result = copyOf(object);
  const metadata = mapAt(result, 'metadata');
  const bound = isMap(metadata.annotations) && metadata.annotations['pv.kubernetes.io/bound-by-controller'] === 'yes';
  dropKeys(metadata, 'annotations', Object.keys(ANNOTATIONS));
  const spec = mapAt(result, 'spec');
  const groupKind = groupKindOf(result);
  if (groupKind === 'Service' && !hasOwnAddress) {
    // allocated, unless it is fixed: a Service without an address, and add-ons whose address kubelets have in their configuration
    const isFixed = spec.clusterIP === 'None' || mapAt(metadata, 'labels')['kubernetes.io/cluster-service'] === 'true';
    dropFields(spec, isFixed ? ['clusterIPs', 'ipFamilies'] : ['clusterIP', 'clusterIPs', 'ipFamilies']);
  }
  if (groupKind === 'PersistentVolumeClaim' && bound) {
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

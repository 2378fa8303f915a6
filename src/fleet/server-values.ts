import { TEMPLATE_ANNOTATION } from '../admission/openyurt-webhooks-props.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, same, valueAt } from '../base/plain-data.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Annotation in which kubectl apply records what was applied. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Volumes with the token of a service account (plugin/pkg/admission/serviceaccount, ServiceAccountVolumeName). */
const TOKEN_VOLUME = /^kube-api-access-[a-z0-9]{5}$/;

/** What plugin/pkg/admission/defaulttolerationseconds adds to each Pod. */
const ADDED_TOLERATIONS = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** Finalizers that controllers add (pkg/controller/volume, pvcprotection and pvprotection). */
const FINALIZERS = ['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection'];

/**
 * Removes what the scheduler, admission and allocators of the API server write into fields that people can write, too.
 *
 * @param object is changed
 * @param given the object as it was read, with its owners and the record of kubectl apply
 */
export function dropServerValues(object: PlainMap, given: PlainMap): void {
  const spec = mapAt(object, 'spec');
  const metadata = mapAt(object, 'metadata');
  const finalizers = metadata.finalizers;
  if (Array.isArray(finalizers)) {
    keepItems(metadata, 'finalizers', (each) => !FINALIZERS.includes(String(each)));
  }
  switch (groupKindOf(object)) {
    case 'Pod':
      dropFromPod(spec, given);
      break;
    case 'Service':
      if (same(spec.clusterIPs, [spec.clusterIP])) {
        Reflect.deleteProperty(spec, 'clusterIPs');
      }
      if (Array.isArray(spec.ipFamilies) && spec.ipFamilies.length === 1 && !isWritten(given, ['spec', 'ipFamilies'])) {
        Reflect.deleteProperty(spec, 'ipFamilies');
      }
      dropAllocatedPorts(spec, given);
      break;
    case 'MutatingWebhookConfiguration.admissionregistration.k8s.io':
    case 'ValidatingWebhookConfiguration.admissionregistration.k8s.io':
      if (/^yurt-manager-/.test(String(metadata.name))) {
        dropFromYurtManager(object);
      }
      break;
    case 'StatefulSet.apps':
      itemsAt(spec, 'volumeClaimTemplates').forEach((claim) => Reflect.deleteProperty(claim, 'status'));
      break;
    default:
  }
}

/** The CA and the annotation that yurt-manager writes into its own webhooks; the annotation of this library stays (pkg/yurtmanager/webhook/util/configuration). */
function dropFromYurtManager(object: PlainMap): void {
  itemsAt(object, 'webhooks').forEach(({ clientConfig }) => {
    if (isMap(clientConfig)) {
      Reflect.deleteProperty(clientConfig, 'caBundle');
    }
  });
  const metadata = mapAt(object, 'metadata');
  const { annotations, labels } = metadata;
  const isOwn = Object.entries(OWN_LABELS).every(([key, value]) => mapAt({ labels }, 'labels')[key] === value);
  if (isMap(annotations) && !isOwn) {
    Reflect.deleteProperty(annotations, TEMPLATE_ANNOTATION);
    if (Object.keys(annotations).length === 0) {
      Reflect.deleteProperty(metadata, 'annotations');
    }
  }
}

function dropFromPod(spec: PlainMap, given: PlainMap): void {
  if (!isWritten(given, ['spec', 'nodeName'])) {
    Reflect.deleteProperty(spec, 'nodeName');
  }
  // plugin/pkg/admission/priority computes it of the class
  Reflect.deleteProperty(spec, 'priority');
  if (spec.serviceAccountName === 'default') {
    Reflect.deleteProperty(spec, 'serviceAccountName');
    Reflect.deleteProperty(spec, 'serviceAccount');
  }
  const isToken = ({ name }: PlainMap): boolean => TOKEN_VOLUME.test(String(name));
  keepItems(spec, 'volumes', (each) => !(isMap(each) && isToken(each)));
  [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')].forEach((container) =>
    keepItems(container, 'volumeMounts', (each) => !(isMap(each) && isToken(each))),
  );
  keepItems(spec, 'tolerations', (each) => !ADDED_TOLERATIONS.some((added) => same(added, each)));
}

/** Node ports that were allocated. Without a record of what was written they stay: a firewall may know them. */
function dropAllocatedPorts(spec: PlainMap, given: PlainMap): void {
  const written = recordOf(given);
  if (written === undefined) {
    return;
  }
  const fixed = itemsAt(mapAt(written, 'spec'), 'ports').map(({ nodePort }) => nodePort);
  itemsAt(spec, 'ports')
    .filter(({ nodePort }) => nodePort !== undefined && !fixed.includes(nodePort))
    .forEach((port) => Reflect.deleteProperty(port, 'nodePort'));
}

/** Whether somebody has written a field: by its owners, or by the record of kubectl apply. */
export function isWritten(given: PlainMap, path: ObjectPath): boolean {
  const { managedFields } = mapAt(given, 'metadata');
  const fields = path.map((field) => `f:${field}`);
  return (
    itemsOf(managedFields)
      .filter(isMap)
      .some(({ fieldsV1, subresource = '' }) => subresource === '' && valueAt(fieldsV1, fields) !== undefined) ||
    valueAt(recordOf(given), path) !== undefined
  );
}

/** What kubectl apply has recorded of an object. */
export function recordOf(given: PlainMap): PlainMap | undefined {
  const record = mapAt(mapAt(given, 'metadata'), 'annotations')[LAST_APPLIED];
  try {
    const value: unknown = typeof record === 'string' ? JSON.parse(record) : undefined;
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function itemsAt(owner: PlainMap, field: string): PlainMap[] {
  const items = owner[field];
  return itemsOf(items).filter(isMap);
}

/** Keeps some items of a list; a list that becomes empty is removed. */
function keepItems(owner: PlainMap, field: string, isKept: (item: unknown) => boolean): void {
  const items: unknown = owner[field];
  if (!Array.isArray(items) || items.every(isKept)) {
    return;
  }
  const kept = items.filter(isKept);
  if (kept.length === 0) {
    Reflect.deleteProperty(owner, field);
  } else {
    owner[field] = kept;
  }
}

import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { isFromServer } from './server-fields.js';
import { LAST_APPLIED } from './server-values.js';

/** Kinds that the cluster itself writes: by kind and group, who. */
const OF_THE_CLUSTER: Readonly<Record<string, string>> = {
  Event: 'written by components',
  'Event.events.k8s.io': 'written by components',
  Node: 'written by kubelets',
  ComponentStatus: 'computed by the API server',
  'Lease.coordination.k8s.io': 'written by leaders and kubelets',
  'CSINode.storage.k8s.io': 'written by kubelets',
  'CSIStorageCapacity.storage.k8s.io': 'written by CSI drivers',
  'VolumeAttachment.storage.k8s.io': 'written by the volume controller',
  'ControllerRevision.apps': 'written by controllers of workloads',
  'IPAddress.networking.k8s.io': 'written by the API server',
  'NodeBucket.apps.openyurt.io': 'written by yurt-manager',
};

/** Objects that every cluster has: by kind and group, their names, and who writes them. */
const IN_EVERY_CLUSTER: Readonly<Record<string, { readonly names: RegExp; readonly by: string }>> = {
  Namespace: { names: /^(?:default|kube-system|kube-public|kube-node-lease)$/, by: 'the API server' },
  ConfigMap: {
    names:
      /^(?:kube-root-ca\.crt|extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking)$/,
    by: 'kube-controller-manager and the API server',
  },
  ServiceAccount: { names: /^default$/, by: 'kube-controller-manager' },
  'PriorityClass.scheduling.k8s.io': { names: /^system-(?:cluster|node)-critical$/, by: 'the API server' },
  'ServiceCIDR.networking.k8s.io': { names: /^kubernetes$/, by: 'the API server' },
};

/**
 * Why an object of a cluster is no part of a program: controllers or the API server write it. Undefined for what people write, and for every object of a
 * manifest, which somebody has written.
 *
 * @param names names of all objects, as `Deployment shop/web`
 */
export function reasonToLeaveOut(object: PlainMap): string | undefined {
  if (!isFromServer(object)) {
    return undefined;
  }
  const groupKind = groupKindOf(object);
  const { name, namespace, labels, annotations, ownerReferences } = mapAt(object, 'metadata');
  const owner = (Array.isArray(ownerReferences) ? ownerReferences : []).find(
    (each): each is PlainMap => isMap(each) && each.controller === true,
  );
  if (owner !== undefined) {
    return `made by its ${String(owner.kind)}`;
  }
  const labelled = isMap(labels) ? labels : {};
  const of = OF_THE_CLUSTER[groupKind];
  if (of !== undefined) {
    return of;
  }
  if (isMap(annotations) && annotations['kubernetes.io/config.mirror'] !== undefined) {
    return 'the mirror of a static Pod';
  }
  if (labelled['kubernetes.io/bootstrapping'] !== undefined) {
    return 'written by the API server at its start';
  }
  if (labelled['kube-aggregator.kubernetes.io/automanaged'] !== undefined) {
    return 'written by the API server for a CustomResourceDefinition';
  }
  if (isMap(annotations) && annotations['apf.kubernetes.io/autoupdate-spec'] === 'true') {
    return 'kept as it is by the API server';
  }
  if (groupKind === 'Endpoints' || groupKind === 'EndpointSlice.discovery.k8s.io') {
    const isMade =
      groupKind === 'Endpoints' ||
      labelled['endpointslice.kubernetes.io/managed-by'] !== undefined ||
      name === 'kubernetes';
    return isMade && !hasOwnAddresses(object) ? 'made for its Service' : undefined;
  }
  if (groupKind === 'Secret' && object.type === 'helm.sh/release.v1') {
    return 'the state of a release of Helm';
  }
  if (groupKind === 'Service' && name === 'kubernetes' && namespace === 'default') {
    return 'written by the API server';
  }
  const everywhere = IN_EVERY_CLUSTER[groupKind];
  return everywhere?.names.test(String(name)) === true && isPlain(object) ? `written by ${everywhere.by}` : undefined;
}

/** Endpoints that people have written have no mark of the controller (pkg/controller/endpoint, LastChangeTriggerTime). */
function hasOwnAddresses(object: PlainMap): boolean {
  const { name, annotations } = mapAt(object, 'metadata');
  const isMarked = isMap(annotations) && annotations['endpoints.kubernetes.io/last-change-trigger-time'] !== undefined;
  return object.kind === 'Endpoints' && !isMarked && name !== 'kubernetes';
}

/** Whether nobody has changed an object that every cluster has: a label, an annotation, a pull secret. */
function isPlain(object: PlainMap): boolean {
  const { labels, annotations } = mapAt(object, 'metadata');
  const own = Object.keys(isMap(labels) ? labels : {}).filter((key) => key !== 'kubernetes.io/metadata.name');
  const noted = Object.keys(isMap(annotations) ? annotations : {}).filter((key) => key !== 'kubernetes.io/description');
  const fields = ['imagePullSecrets', 'automountServiceAccountToken'].filter((field) => object[field] !== undefined);
  return own.length + noted.length + fields.length === 0;
}

/** Claims that StatefulSets have made, `data-orders-0`: they have no owner, so that they outlive it (pkg/controller/statefulset, getPersistentVolumeClaims). */
export function claimsOfSets(all: readonly PlainMap[]): ReadonlySet<PlainMap> {
  const begins = all
    .filter((object) => groupKindOf(object) === 'StatefulSet.apps')
    .flatMap((set) => {
      const { name, namespace } = mapAt(set, 'metadata');
      const { volumeClaimTemplates: claims, selector } = mapAt(set, 'spec');
      const labels = mapAt(isMap(selector) ? selector : {}, 'matchLabels');
      return (Array.isArray(claims) ? claims : [])
        .filter(isMap)
        .map((claim) => ({ namespace, labels, begin: `${String(mapAt(claim, 'metadata').name)}-${String(name)}-` }));
    });
  const isMade = (object: PlainMap): boolean => {
    const { name, namespace, labels, annotations } = mapAt(object, 'metadata');
    const own = isMap(labels) ? labels : {};
    const isApplied = isMap(annotations) && annotations[LAST_APPLIED] !== undefined;
    return begins.some(
      (of) =>
        of.namespace === namespace &&
        String(name).startsWith(of.begin) &&
        /^\d+$/.test(String(name).slice(of.begin.length)) &&
        Object.entries(of.labels).every(([key, value]) => own[key] === value) &&
        !isApplied,
    );
  };
  return new Set(
    all.filter((object) => groupKindOf(object) === 'PersistentVolumeClaim' && isFromServer(object) && isMade(object)),
  );
}

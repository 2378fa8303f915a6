import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { isFromServer } from '../fleet/server-fields.js';
import { LAST_APPLIED } from '../fleet/server-values.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Kinds that the cluster itself writes: by kind and group, who. */
const OF_THE_CLUSTER: Readonly<Record<string, string>> = {
  Event: 'written by components',
  'Event.events.k8s.io': 'written by components',
  Node: 'written by kubelets',
  'Lease.coordination.k8s.io': 'written by leaders and kubelets',
  'CSINode.storage.k8s.io': 'written by kubelets',
  'CSIStorageCapacity.storage.k8s.io': 'written by CSI drivers',
  'VolumeAttachment.storage.k8s.io': 'written by the volume controller',
  'ControllerRevision.apps': 'written by controllers of workloads',
  'IPAddress.networking.k8s.io': 'written by the API server',
  'NodeBucket.apps.openyurt.io': 'written by yurt-manager',
  'CertificateSigningRequest.certificates.k8s.io':
    'a request for one certificate: a kubelet or a person makes the next one',
};

/** Groups and kinds that are computed at each request: nobody can apply them, and no server stores them, so that they have no uid. */
const COMPUTED: Readonly<Record<string, string>> = {
  ComponentStatus: 'computed by the API server',
  'NodeMetrics.metrics.k8s.io': 'measured by metrics-server',
  'PodMetrics.metrics.k8s.io': 'measured by metrics-server',
  'PackageManifest.packages.operators.coreos.com': 'computed by the Operator Lifecycle Manager',
};
const COMPUTED_GROUP = /^\w+\.(?:(?:(?:custom|external)\.)?metrics\.k8s\.io|stats\.antrea\.io)$/;

/** Why nobody can apply an object, also one of a manifest. */
function computedReason(groupKind: string): string | undefined {
  return COMPUTED[groupKind] ?? (COMPUTED_GROUP.test(groupKind) ? 'computed at each request' : undefined);
}

/** Secrets that controllers fill, of which their own object makes the next one: by annotation or label, who. */
const FILLED_SECRETS: Readonly<Record<string, string>> = {
  'cert-manager.io/certificate-name': 'written by cert-manager: its Certificate makes it',
  'controller.cert-manager.io/fao': 'written by cert-manager: its Certificate or Issuer makes it',
  'cert-manager.io/next-private-key': 'written by cert-manager: its Certificate makes it',
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
 */
export function reasonToLeaveOut(object: PlainMap): string | undefined {
  const groupKind = groupKindOf(object);
  const computed = computedReason(groupKind);
  if (computed !== undefined || !isFromServer(object)) {
    return computed;
  }
  const { name, namespace, labels, annotations, ownerReferences, deletionTimestamp } = mapAt(object, 'metadata');
  const owners = itemsOf(ownerReferences).filter(isMap);
  const owner = owners.find(({ controller }) => controller === true) ?? owners[0];
  if (owner !== undefined) {
    // the uid of an owner is another one in each cluster: with it, no program can apply the object
    return owner.controller === true
      ? `made by its ${String(owner.kind)}`
      : `removed with its ${String(owner.kind)}, which has made it`;
  }
  const labelled = isMap(labels) ? labels : {};
  if (deletionTimestamp !== undefined && deletionTimestamp !== null) {
    return 'it is being deleted';
  }
  if (isFinished(groupKind, object)) {
    return 'it has finished, and would run again';
  }
  if (groupKind === 'ConfigMap' && (labelled.owner === 'helm' || labelled.OWNER === 'TILLER')) {
    return 'the state of a release of Helm';
  }
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
  if (groupKind === 'Secret') {
    const filled = secretReason(object);
    if (filled !== undefined) {
      return filled;
    }
  }
  if (
    groupKind === 'PersistentVolume' &&
    isMap(annotations) &&
    annotations['pv.kubernetes.io/provisioned-by'] !== undefined
  ) {
    return 'made by a provisioner for its claim: the data stays as it is';
  }
  if (groupKind === 'Service' && name === 'kubernetes' && namespace === 'default') {
    return 'written by the API server';
  }
  const everywhere = IN_EVERY_CLUSTER[groupKind];
  return everywhere?.names.test(String(name)) === true && isPlain(object) ? `written by ${everywhere.by}` : undefined;
}

/** A Job that has completed or failed, a Pod that has ended (k8s.io/api, batch/v1 JobConditionType, core/v1 PodPhase). */
function isFinished(groupKind: string, object: PlainMap): boolean {
  const { conditions, phase } = mapAt(object, 'status');
  const ended = itemsOf(conditions)
    .filter(isMap)
    .some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  return (groupKind === 'Job.batch' && ended) || (groupKind === 'Pod' && (phase === 'Succeeded' || phase === 'Failed'));
}

function secretReason(object: PlainMap): string | undefined {
  const { name, labels, annotations } = mapAt(object, 'metadata');
  const marks = { ...(isMap(labels) ? labels : {}), ...(isMap(annotations) ? annotations : {}) };
  const account = marks['kubernetes.io/service-account.name'];
  const isToken = object.type === 'kubernetes.io/service-account-token' && typeof account === 'string';
  // before Kubernetes 1.24 (pkg/controller/serviceaccount, tokens_controller.go); one of another name is what a person has written
  if (isToken && String(name).startsWith(`${account}-token-`) && /-[a-z0-9]{5}$/.test(String(name))) {
    return 'a token, made for its ServiceAccount';
  }
  const [mark] = Object.keys(FILLED_SECRETS).filter((key) => marks[key] !== undefined);
  return object.type === 'helm.sh/release.v1'
    ? 'the state of a release of Helm'
    : mark === undefined
      ? undefined
      : FILLED_SECRETS[mark];
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
      return itemsOf(claims)
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

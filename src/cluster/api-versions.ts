import type { EdgeCode } from '../base/error-codes.js';
import { isOlderMinor } from './kubernetes-minors.js';
import { nearMiss, quoted } from '../base/properties.js';

/**
 * Kinds of the API versions that no minor will remove (k8s.io/api v0.37.0, register.go of each group). The other versions of Kubernetes may have more kinds in
 * another minor, and are not judged.
 */
const KINDS: Readonly<Record<string, readonly string[]>> = listed({
  v1: 'Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'autoscaling/v2': 'HorizontalPodAutoscaler',
  'batch/v1': 'CronJob Job',
  'policy/v1': 'Eviction PodDisruptionBudget',
  'networking.k8s.io/v1': 'IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding Role RoleBinding',
  'storage.k8s.io/v1': 'CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'coordination.k8s.io/v1': 'Lease',
  'discovery.k8s.io/v1': 'EndpointSlice',
  'node.k8s.io/v1': 'RuntimeClass',
  'certificates.k8s.io/v1': 'CertificateSigningRequest',
  'admissionregistration.k8s.io/v1':
    'MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'events.k8s.io/v1': 'Event',
  'flowcontrol.apiserver.k8s.io/v1': 'FlowSchema PriorityLevelConfiguration',
});

/** A version of an API that a minor no longer serves. */
interface RemovedVersion {
  readonly kinds: string;
  /** Number of the first minor without it. */
  readonly since: number;
  /** What has the kinds now; undefined if nothing has. */
  readonly now?: string;
}

const APPS = 'apps/v1';
const RBAC = 'ClusterRole ClusterRoleBinding Role RoleBinding';
const FLOWS = 'FlowSchema PriorityLevelConfiguration';

/** https://kubernetes.io/docs/reference/using-api/deprecation-guide, and prerelease_lifecycle_gen.go in k8s.io/api. */
const REMOVED: Readonly<Record<string, readonly RemovedVersion[]>> = {
  'extensions/v1beta1': [
    { kinds: 'DaemonSet Deployment ReplicaSet', since: 16, now: APPS },
    { kinds: 'NetworkPolicy', since: 16, now: 'networking.k8s.io/v1' },
    { kinds: 'PodSecurityPolicy', since: 16 },
    { kinds: 'Ingress', since: 22, now: 'networking.k8s.io/v1' },
  ],
  'apps/v1beta1': [{ kinds: 'ControllerRevision Deployment StatefulSet', since: 16, now: APPS }],
  'apps/v1beta2': [{ kinds: 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet', since: 16, now: APPS }],
  'networking.k8s.io/v1beta1': [{ kinds: 'Ingress IngressClass', since: 22, now: 'networking.k8s.io/v1' }],
  'batch/v2alpha1': [{ kinds: 'CronJob', since: 21, now: 'batch/v1' }],
  'batch/v1beta1': [{ kinds: 'CronJob', since: 25, now: 'batch/v1' }],
  'policy/v1beta1': [
    { kinds: 'PodDisruptionBudget', since: 25, now: 'policy/v1' },
    { kinds: 'PodSecurityPolicy', since: 25 },
  ],
  'autoscaling/v2beta1': [{ kinds: 'HorizontalPodAutoscaler', since: 25, now: 'autoscaling/v2' }],
  'autoscaling/v2beta2': [{ kinds: 'HorizontalPodAutoscaler', since: 26, now: 'autoscaling/v2' }],
  'rbac.authorization.k8s.io/v1alpha1': [{ kinds: RBAC, since: 22, now: 'rbac.authorization.k8s.io/v1' }],
  'rbac.authorization.k8s.io/v1beta1': [{ kinds: RBAC, since: 22, now: 'rbac.authorization.k8s.io/v1' }],
  'storage.k8s.io/v1beta1': [
    { kinds: 'CSIDriver CSINode StorageClass VolumeAttachment', since: 22, now: 'storage.k8s.io/v1' },
    { kinds: 'CSIStorageCapacity', since: 27, now: 'storage.k8s.io/v1' },
  ],
  'apiextensions.k8s.io/v1beta1': [{ kinds: 'CustomResourceDefinition', since: 22, now: 'apiextensions.k8s.io/v1' }],
  'admissionregistration.k8s.io/v1beta1': [
    {
      kinds: 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
      since: 22,
      now: 'admissionregistration.k8s.io/v1',
    },
  ],
  'apiregistration.k8s.io/v1beta1': [{ kinds: 'APIService', since: 22, now: 'apiregistration.k8s.io/v1' }],
  'certificates.k8s.io/v1beta1': [{ kinds: 'CertificateSigningRequest', since: 22, now: 'certificates.k8s.io/v1' }],
  'coordination.k8s.io/v1beta1': [{ kinds: 'Lease', since: 22, now: 'coordination.k8s.io/v1' }],
  'scheduling.k8s.io/v1beta1': [{ kinds: 'PriorityClass', since: 22, now: 'scheduling.k8s.io/v1' }],
  'discovery.k8s.io/v1beta1': [{ kinds: 'EndpointSlice', since: 25, now: 'discovery.k8s.io/v1' }],
  'events.k8s.io/v1beta1': [{ kinds: 'Event', since: 25, now: 'events.k8s.io/v1' }],
  'node.k8s.io/v1beta1': [{ kinds: 'RuntimeClass', since: 25, now: 'node.k8s.io/v1' }],
  'flowcontrol.apiserver.k8s.io/v1beta1': [{ kinds: FLOWS, since: 26, now: 'flowcontrol.apiserver.k8s.io/v1' }],
  'flowcontrol.apiserver.k8s.io/v1beta2': [{ kinds: FLOWS, since: 29, now: 'flowcontrol.apiserver.k8s.io/v1' }],
  'flowcontrol.apiserver.k8s.io/v1beta3': [{ kinds: FLOWS, since: 32, now: 'flowcontrol.apiserver.k8s.io/v1' }],
};

function listed(table: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(table).map(([version, kinds]) => [version, kinds.split(' ')]));
}

/** What is wrong with the apiVersion or the kind of an object. */
export interface ApiVersionFault {
  readonly code: EdgeCode;
  readonly path: 'apiVersion' | 'kind';
  readonly message: string;
  readonly hint: string;
  /** Whether the API server refuses it now, not only a later one. */
  readonly isRefused: boolean;
}

/** Whether Kubernetes itself has the kind, in a version of now or of former times. */
export function isKindOfKubernetes(apiVersion: string, kind: string): boolean {
  return KINDS[apiVersion]?.includes(kind) === true || removedVersion(apiVersion, kind) !== undefined;
}

function removedVersion(apiVersion: string, kind: string): RemovedVersion | undefined {
  return (Object.hasOwn(REMOVED, apiVersion) ? REMOVED[apiVersion] : [])?.find(({ kinds }) =>
    kinds.split(' ').includes(kind),
  );
}

/**
 * What is wrong with an apiVersion and a kind of Kubernetes itself: a version that was removed, a kind that is misspelt or in another group. Of groups of
 * others nothing is known.
 *
 * @param minor the minor by which it is judged
 */
export function apiVersionFault(apiVersion: string, kind: string, minor: string): ApiVersionFault | undefined {
  const code = 'EDGE_API_VERSION';
  const removed = removedVersion(apiVersion, kind);
  if (removed !== undefined) {
    const since = `1.${removed.since}`;
    return {
      code,
      path: 'apiVersion',
      message: `${apiVersion} has no ${kind} since Kubernetes ${since}`,
      hint: removed.now === undefined ? 'remove it: nothing replaces this kind' : `write apiVersion: ${removed.now}`,
      isRefused: !isOlderMinor(minor, since),
    };
  }
  const own = Object.hasOwn(KINDS, apiVersion) ? (KINDS[apiVersion] ?? []) : undefined;
  if (own?.some((each) => each === kind || `${each}List` === kind || kind === 'List') === true) {
    return undefined;
  }
  // a group without a dot is none of a CustomResourceDefinition
  const isOfKubernetes = own !== undefined || /^[a-z]+\/v\d\w*$/.test(apiVersion);
  const right = Object.keys(KINDS).find((version) => KINDS[version]?.includes(kind));
  if (isOfKubernetes && right !== undefined && !isOtherVersion(apiVersion, right)) {
    const message = `${apiVersion} has no kind ${kind}`;
    return { code, path: 'apiVersion', message, hint: `write apiVersion: ${right}`, isRefused: true };
  }
  const near = kind.length < 3 ? undefined : nearMiss(kind, own ?? []);
  return near === undefined
    ? undefined
    : {
        code,
        path: 'kind',
        message: `${apiVersion} has no kind ${quoted(kind)}`,
        hint: `did you mean kind: ${near}?`,
        isRefused: true,
      };
}

/** Whether two versions are of one group: the table does not have every version of it. */
function isOtherVersion(one: string, other: string): boolean {
  const groupOf = (version: string): string => version.slice(0, Math.max(0, version.indexOf('/')));
  return one !== other && groupOf(one) === groupOf(other);
}

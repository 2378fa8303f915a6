import { itemsOf } from './field-values.js';
import { copyOf, isMap, type PlainMap, same } from '../base/plain-data.js';
import { groupKindOf } from './group-kind.js';

/**
 * A default of the API server: what the server writes where nothing was given. `*` in a path is each item of a list. A value that is a function depends on the map
 * that has the field.
 */
interface ApiDefault {
  readonly path: string;
  readonly value: unknown;
  /**
   * Whether it is inside of a value that has one owner as a whole (`x-kubernetes-list-type: atomic`, as `volumeClaimTemplates` and `fieldRef`). An object that is
   * applied may not lack it, because server-side apply compares such a value before it adds defaults, and reports a conflict. Policies are the exception: this
   * library writes them without.
   */
  readonly isAtomic?: boolean;
}

const fixed = (values: Readonly<Record<string, unknown>>, base = ''): ApiDefault[] =>
  Object.entries(values).map(([path, value]) => ({ path: base + path, value }));

/** pkg/apis/core/v1/defaults.go, SetDefaults_Probe, SetDefaults_HTTPGetAction; zz_generated.defaults.go. */
const PROBE = {
  'httpGet.path': '/',
  'httpGet.scheme': 'HTTP',
  'grpc.service': '',
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

/** SetDefaults_Container: the policy follows the tag, and an image without a tag has `latest`. */
function pullPolicyOf({ image }: PlainMap): string {
  const name = String(image).replace(/^.*\//, '');
  const isLatest = !name.includes('@') && (/:latest$/.test(name) || !name.includes(':'));
  return isLatest ? 'Always' : 'IfNotPresent';
}

/** SetDefaults_Container, SetDefaults_ContainerPort, SetDefaults_ObjectFieldSelector. */
const CONTAINER: readonly ApiDefault[] = [
  ...fixed({
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    // a struct that Go prints also when it is empty
    resources: {},
    'ports.*.protocol': 'TCP',
    'lifecycle.postStart.httpGet.scheme': 'HTTP',
    'lifecycle.preStop.httpGet.scheme': 'HTTP',
  }),
  { path: 'imagePullPolicy', value: pullPolicyOf },
  ...['livenessProbe.', 'readinessProbe.', 'startupProbe.'].flatMap((probe) => fixed(PROBE, probe)),
];

const atomic = (values: Readonly<Record<string, unknown>>): ApiDefault[] =>
  fixed(values).map((each) => ({ ...each, isAtomic: true }));

/** SetDefaults_ObjectFieldSelector, SetDefaults_ServiceAccountTokenProjection. */
const ATOMIC: readonly ApiDefault[] = atomic({
  'containers.*.env.*.valueFrom.fieldRef.apiVersion': 'v1',
  'initContainers.*.env.*.valueFrom.fieldRef.apiVersion': 'v1',
  'volumes.*.downwardAPI.items.*.fieldRef.apiVersion': 'v1',
  'volumes.*.projected.sources.*.downwardAPI.items.*.fieldRef.apiVersion': 'v1',
  'volumes.*.projected.sources.*.serviceAccountToken.expirationSeconds': 3600,
});

/** SetDefaults_PodSpec, and the defaults of volumes; `serviceAccount` is a copy for old clients (pkg/apis/core/v1/conversion.go). */
const POD_SPEC: readonly ApiDefault[] = [
  ...['containers.*.', 'initContainers.*.'].flatMap((base) =>
    CONTAINER.map(({ path, value }) => ({ path: base + path, value })),
  ),
  ...ATOMIC,
  ...fixed({
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
    securityContext: {},
    'volumes.*.configMap.defaultMode': 420,
    'volumes.*.secret.defaultMode': 420,
    'volumes.*.projected.defaultMode': 420,
    'volumes.*.downwardAPI.defaultMode': 420,
    'volumes.*.hostPath.type': '',
  }),
  { path: 'serviceAccount', value: ({ serviceAccountName }: PlainMap) => serviceAccountName },
];

const at = (base: string, defaults: readonly ApiDefault[]): ApiDefault[] =>
  defaults.map((each) => ({ ...each, path: base + each.path }));

const TEMPLATE = at('spec.template.spec.', POD_SPEC);
const CLAIM = fixed({ volumeMode: 'Filesystem' });

/** pkg/apis/batch/v1/defaults.go, SetDefaults_Job. A Job has no default for restartPolicy. */
const JOB: readonly ApiDefault[] = [
  ...fixed({
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  }),
  ...at('template.spec.', POD_SPEC),
];

/** pkg/apis/admissionregistration/v1/defaults.go. */
const WEBHOOK = fixed({
  'webhooks.*.matchPolicy': 'Equivalent',
  'webhooks.*.timeoutSeconds': 10,
  'webhooks.*.failurePolicy': 'Fail',
  'webhooks.*.namespaceSelector': {},
  'webhooks.*.objectSelector': {},
  'webhooks.*.clientConfig.service.port': 443,
}).concat(atomic({ 'webhooks.*.rules.*.scope': '*' }));
const POLICY = fixed({
  'spec.failurePolicy': 'Fail',
  'spec.matchConstraints.matchPolicy': 'Equivalent',
  'spec.matchConstraints.namespaceSelector': {},
  'spec.matchConstraints.objectSelector': {},
  'spec.matchConstraints.resourceRules.*.scope': '*',
});
const BINDING = fixed({
  'spec.matchResources.matchPolicy': 'Equivalent',
  'spec.matchResources.namespaceSelector': {},
  'spec.matchResources.objectSelector': {},
});

/** The defaults, by kind and group. Sources: pkg/apis/<group>/<version>/defaults.go and zz_generated.defaults.go of Kubernetes. */
const API_DEFAULTS: Readonly<Record<string, readonly ApiDefault[]>> = {
  Pod: [
    ...at('spec.', POD_SPEC),
    ...fixed({ 'spec.enableServiceLinks': true, 'spec.preemptionPolicy': 'PreemptLowerPriority' }),
  ],
  ReplicationController: [...TEMPLATE, ...fixed({ 'spec.replicas': 1 })],
  'Deployment.apps': [
    ...TEMPLATE,
    ...fixed({
      'spec.replicas': 1,
      'spec.revisionHistoryLimit': 10,
      'spec.progressDeadlineSeconds': 600,
      'spec.strategy.rollingUpdate.maxSurge': '25%',
      'spec.strategy.rollingUpdate.maxUnavailable': '25%',
      'spec.strategy.rollingUpdate': {},
      'spec.strategy': { type: 'RollingUpdate' },
    }),
  ],
  'ReplicaSet.apps': [...TEMPLATE, ...fixed({ 'spec.replicas': 1 })],
  'DaemonSet.apps': [
    ...TEMPLATE,
    ...fixed({
      'spec.revisionHistoryLimit': 10,
      'spec.updateStrategy.rollingUpdate.maxSurge': 0,
      'spec.updateStrategy.rollingUpdate.maxUnavailable': 1,
      'spec.updateStrategy.rollingUpdate': {},
      'spec.updateStrategy': { type: 'RollingUpdate' },
    }),
  ],
  'StatefulSet.apps': [
    ...TEMPLATE,
    ...fixed({
      'spec.replicas': 1,
      'spec.revisionHistoryLimit': 10,
      'spec.podManagementPolicy': 'OrderedReady',
      'spec.updateStrategy.rollingUpdate.partition': 0,
      'spec.updateStrategy.rollingUpdate': {},
      'spec.updateStrategy': { type: 'RollingUpdate' },
      'spec.persistentVolumeClaimRetentionPolicy': { whenDeleted: 'Retain', whenScaled: 'Retain' },
    }),
    ...atomic({
      'spec.volumeClaimTemplates.*.apiVersion': 'v1',
      'spec.volumeClaimTemplates.*.kind': 'PersistentVolumeClaim',
      'spec.volumeClaimTemplates.*.spec.volumeMode': 'Filesystem',
      'spec.volumeClaimTemplates.*.status': { phase: 'Pending' },
    }),
  ],
  'Job.batch': at('spec.', JOB),
  'CronJob.batch': [
    ...at('spec.jobTemplate.spec.', at('template.spec.', POD_SPEC)),
    ...fixed({
      'spec.concurrencyPolicy': 'Allow',
      'spec.suspend': false,
      'spec.successfulJobsHistoryLimit': 3,
      'spec.failedJobsHistoryLimit': 1,
    }),
  ],
  Service: [
    ...fixed({
      'spec.sessionAffinity': 'None',
      'spec.internalTrafficPolicy': 'Cluster',
      'spec.externalTrafficPolicy': 'Cluster',
      'spec.allocateLoadBalancerNodePorts': true,
      'spec.ipFamilyPolicy': 'SingleStack',
      'spec.ports.*.protocol': 'TCP',
      'spec.type': 'ClusterIP',
    }),
    { path: 'spec.ports.*.targetPort', value: ({ port }: PlainMap) => port },
  ],
  PersistentVolumeClaim: at('spec.', CLAIM),
  PersistentVolume: at('spec.', [...CLAIM, ...fixed({ persistentVolumeReclaimPolicy: 'Retain', 'hostPath.type': '' })]),
  Secret: fixed({ type: 'Opaque' }),
  // openyurt pkg/apis/apps/v1beta2/nodepool_types.go: false is the same as nothing, but no server adds it
  'NodePool.apps.openyurt.io': atomic({ 'spec.hostNetwork': false }),
  Namespace: fixed({ 'spec.finalizers': ['kubernetes'], spec: {} }),
  'StorageClass.storage.k8s.io': fixed({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'PriorityClass.scheduling.k8s.io': fixed({ preemptionPolicy: 'PreemptLowerPriority' }),
  'CustomResourceDefinition.apiextensions.k8s.io': [
    ...fixed({ 'spec.conversion': { strategy: 'None' } }),
    { path: 'spec.names.listKind', value: ({ kind }: PlainMap) => `${String(kind)}List` },
    { path: 'spec.names.singular', value: ({ kind }: PlainMap) => String(kind).toLowerCase() },
  ],
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': WEBHOOK,
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': [
    ...WEBHOOK,
    ...fixed({ 'webhooks.*.reinvocationPolicy': 'Never' }),
  ],
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': POLICY,
  'MutatingAdmissionPolicy.admissionregistration.k8s.io': POLICY,
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': BINDING,
  'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io': BINDING,
};

/**
 * A copy of an object without the fields in which it has the default of the API server.
 *
 * @param use `compare`: also inside of values that have one owner as a whole
 */
export function withoutDefaults(object: PlainMap, use: 'apply' | 'compare'): PlainMap {
  const result = copyOf(object);
  for (const { isAtomic = false, ...each } of API_DEFAULTS[groupKindOf(object)] ?? []) {
    if (!isAtomic || use === 'compare') {
      dropDefault(result, each.path.split('.'), each);
    }
  }
  return result;
}

function dropDefault(owner: unknown, steps: readonly string[], { value, ...rest }: ApiDefault): void {
  const [step = '', ...below] = steps;
  if (step === '*') {
    itemsOf(owner).forEach((item: unknown) => dropDefault(item, below, { value, ...rest }));
    return;
  }
  if (!isMap(owner) || !Object.hasOwn(owner, step)) {
    return;
  }
  if (below.length > 0) {
    dropDefault(owner[step], below, { value, ...rest });
    return;
  }
  const wanted: unknown = typeof value === 'function' ? (value as (owner: PlainMap) => unknown)(owner) : value;
  if (same(owner[step], wanted)) {
    Reflect.deleteProperty(owner, step);
  }
}

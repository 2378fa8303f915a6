import { type EdgeWarning, joinPath } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasYurtAppDaemonController } from '../cluster/openyurt-capabilities.js';
import { groupKindOf, isKind, objectKind, workloadKindOf } from '../kubernetes/group-kind.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { nameOf } from '../kubernetes/object.js';
import type { PodPlace, PodTemplatePath } from '../kubernetes/pod-places.js';
import { entryHint, otherPodTraces, tracesText } from '../kubernetes/pod-template.js';
import { type PodTrace, podTracesIn } from '../kubernetes/pod-traces.js';
import type { WorkloadKind } from '../kubernetes/workload-kinds.js';
import { entryOf, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { isSettled, operatorPatchWarnings } from './operator-patches.js';
import { namedPools } from './yurt-app-checks.js';

/** What a controller does so that the exclusion of its object is not enough, or what is left out of it. */
export function controllerWarnings(
  cluster: EdgeCluster,
  workload: PlainMap,
  places: readonly PodPlace[],
  isChanged: boolean,
  kind = objectKind(workload),
): EdgeWarning[] {
  const { groupKind, row } = kind;
  const others =
    row !== undefined && neverMakesPods(row) && places.length === 0
      ? []
      : otherPodTraces(workload, places, kind).filter((trace) => !isSettled(workload, trace, cluster.hostNetworkLabel));
  return [
    ...(groupKind === 'YurtAppDaemon.apps.openyurt.io' ? [droppedAffinity(cluster)] : []),
    ...defaultTemplateWarnings(workload, groupKind),
    ...operatorPatchWarnings(workload, groupKind, cluster.hostNetworkLabel),
    ...(isChanged && groupKind.endsWith('.serving.knative.dev') ? [knativeWarning(workload)] : []),
    ...(places.length === 0 && row?.withoutPods !== undefined ? [nothingToExclude(workload, row.withoutPods)] : []),
    ...(others.length === 0 ? [] : [traceWarning(workload, others)]),
  ];
}

function neverMakesPods({ templates, nodeAffinities }: WorkloadKind): boolean {
  return templates === undefined && nodeAffinities === undefined;
}

/** The traces of Pods in an object of an unknown kind, without text in which all Pods are excluded. */
export function unsettledTraces(object: PlainMap, label: HostNetworkLabel): readonly PodTrace[] {
  return podTracesIn(object).filter((trace) => !isSettled(object, trace, label));
}

/**
 * Warns of an object of an unknown kind with traces of Pods, which is left as it is.
 *
 * @param hintFor what to write for them
 */
export function unknownKindWarnings(
  object: PlainMap,
  label: HostNetworkLabel,
  hintFor?: (traces: readonly PodTrace[]) => string,
): EdgeWarning[] {
  const traces = unsettledTraces(object, label);
  return traces.length === 0 ? [] : [traceWarning(object, traces, hintFor)];
}

/**
 * Warns of an object that is left as it is although it is a workload: nothing is where its kind has Pod templates, or where a given path says.
 *
 * @param hintFor what to write for its traces of Pods
 */
export function misplacedWarnings(
  object: PlainMap,
  given: PodTemplatePath | undefined,
  hintFor: (traces: readonly PodTrace[]) => string = (traces) => entryHint(object, traces),
): EdgeWarning[] {
  const row = workloadKindOf(object);
  if (given === undefined && (row === undefined || neverMakesPods(row))) {
    return [];
  }
  const found = podTracesIn(object);
  if (given === undefined) {
    const known = Object.keys(row?.templates ?? {}).map((path) => `${path}.spec`);
    const hint = known.length === 0 ? hintFor : (): string => `write it at ${known.join(' or ')}`;
    return found.length === 0 ? [] : [traceWarning(object, found, hint)];
  }
  return [
    {
      code: 'EDGE_NOT_EXCLUDED',
      path: (found[0]?.path ?? []).reduce<string>(joinPath, ''),
      message: `${nameOf(object)} (${String(object.apiVersion)}) has no Pod template at ${[given].flat().join(' or ')}${found.length === 0 ? '' : `, but ${tracesText(found)}`}: nothing in it is excluded`,
      hint: hintFor(found),
    },
  ];
}

/**
 * Warns of a PlatformAdmin where the pools are not known: its Pods run in those that it names, and no affinity can exclude them.
 *
 * @param skip how it is left out
 */
export function namedPoolsWarnings(object: PlainMap, skip: string): EdgeWarning[] {
  const pools = namedPools(object).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return !isKind(object, 'PlatformAdmin.iot.openyurt.io') || pools.length === 0
    ? []
    : [
        {
          code: 'EDGE_NOT_EXCLUDED',
          path: 'spec',
          message: `${nameOf(object)} (${String(object.apiVersion)}) has Pods in the pools that it names, ${pools.join(', ')}; whether one of them is a host-network pool is not known here`,
          hint: `name regular pools only, and ${skip}`,
        },
      ];
}

function traceWarning(
  object: PlainMap,
  traces: readonly PodTrace[],
  hintFor: (traces: readonly PodTrace[]) => string = (them) => entryHint(object, them),
): EdgeWarning {
  const [first] = traces;
  const version = (object.apiVersion ?? undefined) === undefined ? 'no apiVersion' : String(object.apiVersion);
  const more =
    traces.length > 1 ? ` and ${traces.length - 1} more such ${traces.length === 2 ? 'place' : 'places'}` : '';
  return {
    code: 'EDGE_NOT_EXCLUDED',
    path: (first?.path ?? []).reduce<string>(joinPath, ''),
    message: `${nameOf(object)} (${version}) has ${first?.what ?? 'no Pod spec'}${more} at a path that is not known for its kind, so its Pods are not excluded`,
    hint: hintFor(traces),
  };
}

/** Paths of the Pod templates without which a controller uses a template of its own. */
const TEMPLATES_WITH_DEFAULT: Readonly<Record<string, (object: PlainMap) => readonly string[]>> = {
  // cloudnative-pg pkg/specs/pgbouncer/deployments.go
  'Pooler.postgresql.cnpg.io': () => ['spec.template'],
  // kuberay ray-operator/controllers/ray/common/job.go, GetSubmitterTemplate
  'RayJob.ray.io': (object) => submitterOf(mapAt(object, 'spec'), 'spec'),
  'RayCronJob.ray.io': (object) => submitterOf(mapAt(mapAt(object, 'spec'), 'jobTemplate'), 'spec.jobTemplate'),
  // spark-kubernetes-operator: podTemplateSpec and statefulSetSpec are optional in its CustomResourceDefinitions
  'SparkApplication.spark.apache.org': () => ['spec.driverSpec.podTemplateSpec', 'spec.executorSpec.podTemplateSpec'],
  'SparkCluster.spark.apache.org': () => [
    'spec.masterSpec.statefulSetSpec.template',
    'spec.workerSpec.statefulSetSpec.template',
  ],
};

function submitterOf({ submissionMode = 'K8sJobMode' }: PlainMap, spec: string): string[] {
  return submissionMode === 'K8sJobMode' ? [`${spec}.submitterPodTemplate`] : [];
}

/** Warns of Pods that a controller makes of a template of its own, because the object has none. */
export function defaultTemplateWarnings(object: PlainMap, groupKind = groupKindOf(object)): EdgeWarning[] {
  const paths = entryOf(TEMPLATES_WITH_DEFAULT, groupKind)?.(object) ?? [];
  return paths
    .filter((path) => (valueAt(object, path.split('.')) ?? undefined) === undefined)
    .map((path) => ({
      code: 'EDGE_NOT_EXCLUDED' as const,
      path,
      message: `${nameOf(object)} has no ${path}: its controller makes the Pods of its own template, and these are not excluded`,
      hint: `write ${path} with a Pod spec, to which the exclusion is added`,
    }));
}

/** An affinity is refused while this feature is disabled, as it is by default (knative serving 1.23 config/core/configmaps/features.yaml). */
function knativeWarning(object: PlainMap): EdgeWarning {
  return {
    code: 'EDGE_OPERATOR_SETTING',
    path: 'spec.template.spec.affinity',
    message: `Knative refuses ${nameOf(object)} with an affinity unless its feature kubernetes.podspec-affinity is enabled`,
    hint: `enable it: kubectl --namespace knative-serving patch configmap config-features --type merge --patch '{"data":{"kubernetes.podspec-affinity":"enabled"}}'`,
  };
}

function nothingToExclude(object: PlainMap, reason: string): EdgeWarning {
  return {
    code: 'EDGE_UNUSED',
    path: '',
    message: `nothing in ${nameOf(object)} needs to be excluded: ${reason}`,
    hint: 'exclude the object that has the Pod template',
  };
}

/**
 * The controller of YurtAppDaemon sets required node affinity to nil and replaces the nodeSelector (OpenYurt 1.4 to 1.6,
 * yurtappdaemon/workloadcontroller/deployment_controller.go); 1.7 has no controller for the kind at all (#2309).
 */
function droppedAffinity(cluster: EdgeCluster): EdgeWarning {
  const consequence = !hasYurtAppDaemonController(cluster)
    ? 'no controller acts on it in this cluster'
    : cluster.hasPodWebhook()
      ? "its controller drops the affinity, so only the annotation and OpenYurt's webhook exclude the Pods, and only while yurt-manager runs"
      : 'its controller drops the affinity and no webhook reads the annotation: the exclusion has no effect on the Pods';
  return {
    code: 'EDGE_AFFINITY_DROPPED',
    path: 'kind',
    message: `a YurtAppDaemon cannot be excluded reliably: ${consequence}`,
    hint: 'use a DaemonSet, or a YurtAppSet that names regular pools',
  };
}

/** Warns of kinds with an immutable Pod spec. */
export function immutableWarnings(object: PlainMap, isChanged: boolean): EdgeWarning[] {
  if (!isChanged || !['Job', 'Pod'].some((name) => isKind(object, name))) {
    return [];
  }
  return [
    {
      code: 'EDGE_IMMUTABLE',
      path: object.kind === 'Job' ? 'spec.template' : 'spec',
      message: `the Pod spec of an existing ${String(object.kind)} is immutable, and it is changed here`,
      hint: `if this ${String(object.kind)} is already in the cluster, delete it before you apply`,
    },
  ];
}

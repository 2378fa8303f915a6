import { itemsOf } from '../kubernetes/field-values.js';
import { type EdgeWarning, joinPath, ProblemList } from '../base/errors.js';
import { groupKindOf, isKind, objectKind, workloadKindOf } from '../kubernetes/group-kind.js';
import { REQUIRED_PATH, withRequiredTerms } from '../kubernetes/node-affinity.js';
import { findContradictions, excludedTerms, podSpecExcludes } from './exclusion-affinity.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { readByGo, strategicallyMerged } from '../kubernetes/object-patch.js';
import { nameOf } from '../kubernetes/object.js';
import {
  podPlaces,
  podSpecAt,
  type PodPlace,
  type PodTemplatePath,
  entryHint,
  otherPodTraces,
  tracesText,
} from '../kubernetes/pod-places.js';
import { type PodTrace, settingsIn, podTracesIn } from '../kubernetes/pod-traces.js';
import { objectFromYaml, objectsFromYaml } from '../base/yaml-text.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt, entryOf } from '../base/plain-data.js';
import { exclusionGuard, namedPools } from './yurt-app.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasYurtAppDaemonController } from '../cluster/openyurt-capabilities.js';
import type { WorkloadKind } from '../kubernetes/workload-kinds.js';

/** Warnings about what an operator does with the Pods of an excluded object: patches that undo the exclusion, and Pods that never get it. */
function operatorPatchWarnings(object: PlainMap, kind: string, label: HostNetworkLabel): EdgeWarning[] {
  const spec = WORKFLOW_SPECS.get(kind);
  const found =
    spec !== undefined
      ? [...podSpecPatches(object, spec, label), ...artifactCollection(object, spec, label)]
      : kind === UNITED_DEPLOYMENT
        ? subsetPatches(object, label)
        : [];
  return found.map(({ path, message, hint }) => ({
    code: 'EDGE_NOT_EXCLUDED',
    path: path.reduce<string>(joinPath, ''),
    message: `${nameOf(object)}: ${message}`,
    hint,
  }));
}

interface Finding {
  readonly path: ObjectPath;
  readonly message: string;
  readonly hint: string;
}

const UNITED_DEPLOYMENT = 'UnitedDeployment.apps.kruise.io';

const WORKFLOW_SPECS: ReadonlyMap<string, ObjectPath> = new Map<string, ObjectPath>([
  ...['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate'].map((kind): [string, ObjectPath] => [
    `${kind}.argoproj.io`,
    ['spec'],
  ]),
  ['CronWorkflow.argoproj.io', ['spec', 'workflowSpec']],
]);

/** Argo applies the patches of the Workflow and of a template to each Pod, after its affinity (argo-workflows 4.1.2 workflow/controller/workflowpod.go). */
function podSpecPatches(object: PlainMap, spec: ObjectPath, label: HostNetworkLabel): Finding[] {
  return textsAt(valueAt(object, spec), 'podSpecPatch', spec)
    .filter(({ path }) => !path.includes('artifactGC'))
    .flatMap(({ path, text }) => {
      const why = whyUndone(text, withExclusion(label), label);
      return why === undefined ? [] : [{ path, message: `the patch undoes the exclusion: ${why}`, hint: PATCH_HINT }];
    });
}

const PATCH_HINT = 'write node constraints in spec.affinity and nodeSelector, and patch other fields only';

/** The Pods that delete artifacts get no affinity, only this patch (argo-workflows 4.1.2 workflow/controller/artifact_gc.go). */
function artifactCollection(object: PlainMap, spec: ObjectPath, label: HostNetworkLabel): Finding[] {
  const workflow = valueAt(object, spec);
  const patch = mapAt(isMap(workflow) ? workflow : {}, 'artifactGC').podSpecPatch;
  const isUsed = textsAt(workflow, 'strategy', spec).some(
    ({ path, text }) => path.at(-2) === 'artifactGC' && text !== '' && text !== 'Never',
  );
  return !isUsed || (typeof patch === 'string' && whyUndone(patch, {}, label) === undefined)
    ? []
    : [
        {
          path: [...spec, 'artifactGC', 'podSpecPatch'],
          message: 'Argo makes the Pods that delete artifacts without its affinity, so they are not excluded',
          hint: `write the node affinity into ${[...spec, 'artifactGC'].join('.')}.podSpecPatch, as text; or cover its Pods by PoolAdmission`,
        },
      ];
}

/** Kruise applies the patch of a subset to the Pod template, after everything else (kruise 1.9.0 pkg/controller/uniteddeployment/adapter). */
function subsetPatches(object: PlainMap, label: HostNetworkLabel): Finding[] {
  const path = ['spec', 'topology', 'subsets'];
  const subsets = valueAt(object, path);
  return itemsOf(subsets).flatMap((subset, index) => {
    const patch = isMap(subset) && isMap(subset.patch) ? subset.patch : undefined;
    const template = { spec: withExclusion(label) };
    const why = patch === undefined ? undefined : whyPatched(template, patch, label);
    return why === undefined
      ? []
      : [
          {
            path: [...path, index, 'patch'],
            message: `the patch undoes the exclusion: ${why}`,
            hint: 'write node constraints in nodeSelectorTerm of the subset, and patch other fields only',
          },
        ];
  });
}

/** Whether a trace of Pods in an object is none: text or terms that exclude already, or a patch, which is judged on its own. */
function isSettled(object: PlainMap, { path, podSpec }: PodTrace, label: HostNetworkLabel): boolean {
  const value = valueAt(object, path);
  return podSpec === undefined
    ? isMap(value)
      ? podSpecExcludes({ affinity: { nodeAffinity: { [String(REQUIRED_PATH.at(-1))]: value } } }, label)
      : isExcludedText(value, label)
    : groupKindOf(object) === UNITED_DEPLOYMENT && path[2] === 'subsets' && path[4] === 'patch';
}

/** Whether every Pod spec in a text is excluded already; false if the text cannot be read, as some templates. */
function isExcludedText(text: unknown, label: HostNetworkLabel): boolean {
  if (typeof text !== 'string') {
    return false;
  }
  const settings = settingsIn(text) ?? [];
  const isSettledHere = ({ settings: values, podSpec }: (typeof settings)[number]): boolean =>
    podSpec !== undefined && podSpecExcludes(valueAt(values, podSpec) as PlainMap, label);
  if (settings.length > 0 && settings.every(isSettledHere)) {
    return true;
  }
  const objects = objectsFromYaml(text, new ProblemList()) ?? [];
  const isExcluded = (object: PlainMap): boolean => {
    const places = podPlaces(object);
    return places.length > 0 && places.every((place) => podSpecExcludes(podSpecAt(object, place), label));
  };
  return objects.length > 0 && objects.every(isExcluded);
}

/** Words of a patch that may undo the exclusion, where it cannot be read before its parameters are known; folded, as Go reads them. */
const RISKY = /\b(?:affinity|nodeName|nodeSelector|nodeSelectorTerms)\b|\$patch/iu;

function whyUndone(text: string, podSpec: PlainMap, label: HostNetworkLabel): string | undefined {
  const patch = objectFromYaml(text, new ProblemList());
  if (patch !== undefined) {
    return whyPatched({ spec: podSpec }, { spec: patch }, label);
  }
  return RISKY.test(text) ? 'it names node constraints, and cannot be read before its parameters are known' : undefined;
}

function whyPatched(template: PlainMap, patch: PlainMap, label: HostNetworkLabel): string | undefined {
  const guard = exclusionGuard(label, (spec, problems) => findContradictions(spec, label, problems));
  return guard.why(mapAt(readByGo(strategicallyMerged(template, patch), 'PodTemplateSpec') as PlainMap, 'spec'));
}

function withExclusion(label: HostNetworkLabel): PlainMap {
  return withRequiredTerms({}, excludedTerms(undefined, label));
}

/** All texts in the fields of a name, at any depth. */
function textsAt(
  value: unknown,
  field: string,
  path: ObjectPath,
): { readonly path: ObjectPath; readonly text: string }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => textsAt(item, field, [...path, index]));
  }
  return !isMap(value)
    ? []
    : Object.entries(value).flatMap(([name, item]) =>
        name === field && typeof item === 'string'
          ? [{ path: [...path, name], text: item }]
          : textsAt(item, field, [...path, name]),
      );
}

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

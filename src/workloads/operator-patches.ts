import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { REQUIRED_PATH, withRequiredTerms } from '../kubernetes/node-affinity.js';
import { findContradictions } from './exclusion-contradictions.js';
import { excludedTerms, podSpecExcludes } from './exclusion-affinity.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { readByGo } from '../kubernetes/go-json.js';
import { nameOf } from '../kubernetes/object.js';
import { strategicallyMerged } from '../kubernetes/object-patch.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { type PodTrace, settingsIn } from '../kubernetes/pod-traces.js';
import { objectFromYaml, objectsFromYaml } from '../text/yaml-text.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { exclusionGuard } from './yurt-app-patches.js';

/** Warnings about what an operator does with the Pods of an excluded object: patches that undo the exclusion, and Pods that never get it. */
export function operatorPatchWarnings(object: PlainMap, kind: string, label: HostNetworkLabel): EdgeWarning[] {
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
  return (Array.isArray(subsets) ? (subsets as unknown[]) : []).flatMap((subset, index) => {
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
export function isSettled(object: PlainMap, { path, podSpec }: PodTrace, label: HostNetworkLabel): boolean {
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

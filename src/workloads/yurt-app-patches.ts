import { ProblemList } from '../errors.js';
import { withRequiredTerms } from '../kubernetes/node-affinity.js';
import { findContradictions } from './exclusion-contradictions.js';
import { excludedTerms, podSpecExcludes } from './exclusion-affinity.js';
import { type HostNetworkLabel, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import { readByGo } from '../kubernetes/go-json.js';
import { isPatchOperation, patched, strategicallyMerged } from '../kubernetes/object-patch.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { holdsUnknown } from '../validation/unknown.js';

/**
 * One patch that OpenYurt applies to the Deployment or StatefulSet of a pool, after everything else. Sources: `workloadTweaks` of YurtAppSet v1beta1
 * (1.5+, yurtappset/workloadmanager/tweaks.go), `patch` of a pool of YurtAppSet v1alpha1 (1.4, yurtappset/adapter/adapter_util.go; the conversion of
 * 1.5+ drops it), YurtAppOverrider (1.4 to 1.6, webhook/deploymentrender).
 */
interface Patch {
  /** Path of the patch in its object. */
  readonly place: ObjectPath;
  /** What it patches, for the message. */
  readonly about: string;
  readonly apply: (workload: unknown) => unknown;
}

/** Patches that are applied one after the other. */
type Patches = readonly Patch[];

const listAt = (map: PlainMap, field: string): unknown[] =>
  Array.isArray(map[field]) ? (map[field] as unknown[]) : [];

/** The operations in a list of JSON patches. */
function operationsIn(list: readonly unknown[], place: ObjectPath): Patches {
  return list.flatMap((operation, index) =>
    isPatchOperation(operation)
      ? [
          {
            place: [...place, index],
            about: `${operation.operation} ${operation.path}`,
            apply: (workload: unknown) => patched(workload, operation),
          },
        ]
      : [],
  );
}

/**
 * The patches of a YurtAppSet, as its workloads may get them: a tweak applies to the pools that it selects, so each alone, and all of them in order.
 */
function patchesOf(object: PlainMap): Patches[] {
  const spec = mapAt(object, 'spec');
  const tweaks = listAt(mapAt(spec, 'workload'), 'workloadTweaks').map((tweak, index) =>
    operationsIn(listAt(mapAt(isMap(tweak) ? tweak : {}, 'tweaks'), 'patches'), [
      ...['spec', 'workload', 'workloadTweaks', index, 'tweaks', 'patches'],
    ]),
  );
  const ofPools = listAt(mapAt(spec, 'topology'), 'pools').flatMap((pool, index): Patches[] => {
    const patch = isMap(pool) ? pool.patch : undefined;
    const place = ['spec', 'topology', 'pools', index, 'patch'];
    return isMap(patch) ? [[{ place, about: 'it', apply: (workload) => strategicallyMerged(workload, patch) }]] : [];
  });
  return [...tweaks, ...(tweaks.length > 1 ? [tweaks.flat()] : []), ...ofPools];
}

/** What patches must not undo. */
export interface PatchGuard {
  /** What they would undo, for the message. */
  readonly undoes: string;
  /** Why a patched Pod spec has it no more; undefined if it has it. */
  readonly why: (podSpec: PlainMap) => string | undefined;
}

/**
 * The exclusion.
 *
 * @param find reports constraints of a Pod spec that conflict with it
 */
export function exclusionGuard(
  label: HostNetworkLabel,
  find: (podSpec: PlainMap, problems: ProblemList) => void,
): PatchGuard {
  return {
    undoes: 'the exclusion',
    why: (podSpec) => {
      if (!podSpecExcludes(podSpec, label)) {
        return 'the required node affinity no longer excludes host-network nodes in every term';
      }
      const problems = new ProblemList();
      find(podSpec, problems);
      return problems.problems[0]?.message;
    },
  };
}

const HINT =
  'patch replicas, images or other fields only; write node constraints in the template, or for one pool in a YurtAppSet of its own';

/** Reports the patch after which a workload lacks what it had before. */
function checkPatches(workload: unknown, lists: readonly Patches[], guard: PatchGuard, problems: ProblemList): void {
  const reported = new Set<string>();
  for (const patches of lists) {
    let current = workload;
    let culprit: { readonly patch: Patch; readonly why: string } | undefined;
    for (const patch of patches) {
      current = patch.apply(current);
      const podSpec = valueAt(readByGo(current, 'Deployment'), ['spec', 'template', 'spec']);
      const why = guard.why(isMap(podSpec) ? podSpec : {});
      culprit = why === undefined ? undefined : (culprit ?? { patch, why });
    }
    if (culprit === undefined || reported.has(culprit.patch.place.join('/'))) {
      continue;
    }
    reported.add(culprit.patch.place.join('/'));
    problems
      .at(...culprit.patch.place)
      .add(
        'EDGE_CONTRADICTION',
        `conflicting settings: ${culprit.patch.about} undoes ${guard.undoes}: ${culprit.why}`,
        HINT,
      );
  }
}

/**
 * Reports patches of a YurtAppSet that undo something in its Pod templates. A patch counts as the JSON patch or strategic merge patch that it is.
 * OpenYurt 1.5 to 1.7 reads the result into the unpatched object, so that `remove` and `{}` have no effect there; the next release may do what they say.
 *
 * @param manifest the object as it is written
 * @param templates paths of its Pod templates
 */
export function checkYurtAppPatches(
  manifest: PlainMap,
  templates: readonly ObjectPath[],
  guard: PatchGuard,
  problems: ProblemList,
): void {
  if (manifest.kind !== 'YurtAppSet') {
    return;
  }
  const lists = patchesOf(manifest);
  for (const path of lists.some((patches) => patches.length > 0) ? templates : []) {
    // the controller patches an object with the spec of deploymentTemplate or statefulSetTemplate
    const spec = mapAt(valueAt(manifest, path.slice(0, -2)) as PlainMap, 'spec');
    const podSpec = mapAt(mapAt(spec, 'template'), 'spec');
    const { affinity, nodeSelector, nodeName, tolerations, hostNetwork, dnsPolicy } = podSpec;
    if (holdsUnknown([affinity, nodeSelector, nodeName, tolerations, hostNetwork, dnsPolicy, tweaksOf(manifest)])) {
      // the same check runs when they are known
      continue;
    }
    checkPatches({ spec: withSelector(spec) }, lists, guard, problems);
  }
}

function tweaksOf(manifest: PlainMap): unknown {
  const { workload, topology } = mapAt(manifest, 'spec');
  return [isMap(workload) ? workload.workloadTweaks : workload, topology];
}

/** The controllers always set a nodeSelector before they patch. */
function withSelector(spec: PlainMap): PlainMap {
  const template = mapAt(spec, 'template');
  const podSpec = mapAt(template, 'spec');
  return { ...spec, template: { ...template, spec: { ...podSpec, nodeSelector: mapAt(podSpec, 'nodeSelector') } } };
}

/** An excluded Deployment without anything else. */
const EXCLUDED_DEPLOYMENT: PlainMap = {
  spec: {
    template: {
      metadata: { labels: {}, annotations: {} },
      spec: withRequiredTerms({ nodeSelector: {}, tolerations: [] }, excludedTerms(undefined, OPENYURT_HOST_NETWORK)),
    },
  },
};

/** Whether an object is a YurtAppOverrider of OpenYurt 1.4 to 1.6, which patches the Deployments of a YurtAppSet or YurtAppDaemon. */
export function isYurtAppOverrider({ apiVersion, kind }: PlainMap): boolean {
  return kind === 'YurtAppOverrider' && String(apiVersion).startsWith('apps.openyurt.io/');
}

/** The YurtAppSet or YurtAppDaemon that a YurtAppOverrider patches, as far as it names it. */
export function overriddenBy(object: PlainMap): PlainMap {
  const { kind, name } = mapAt(object, 'subject');
  return { kind, metadata: { name, namespace: mapAt(object, 'metadata').namespace } };
}

/** Reports patches of a YurtAppOverrider that undo the exclusion of its subject, whatever else the subject has. */
export function checkYurtAppOverrider(object: PlainMap, problems: ProblemList): void {
  const entries = listAt(object, 'entries');
  if (holdsUnknown(entries)) {
    return;
  }
  const lists = entries.map((entry, index) =>
    operationsIn(listAt(isMap(entry) ? entry : {}, 'patches'), ['entries', index, 'patches']),
  );
  const label = OPENYURT_HOST_NETWORK;
  const guard = exclusionGuard(label, (podSpec, found) => findContradictions(podSpec, label, found));
  checkPatches(EXCLUDED_DEPLOYMENT, lists, guard, problems);
}

import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { claimAdmissionNames } from '../admission/claimed-names.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { Check } from '../base/property-table.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import { checkStillExcluded } from '../workloads/excluded-workload.js';
import { checkEdgeSystemComponents, nameOfWorkload, settingsOf, workloadsOf } from './component-settings.js';
import type { EdgeSystemComponentsProps } from './edge-system-components-props.js';
import type { SystemComponentReport } from './component-report.js';
import { type ExclusionPlan, planExclusion } from './exclusion-plan.js';
import { kustomizeComponent } from './kustomize-component.js';
import { markOf, SYSTEM_COMPONENT_POLICY } from './system-component-policy.js';

/** Attributes of EdgeSystemComponents. */
export interface EdgeSystemComponentsAttributes {
  /** How each workload is excluded. */
  readonly report: readonly SystemComponentReport[];
  /** Workloads that cannot be excluded, and what to do instead. */
  readonly notExcluded: readonly SystemComponentReport[];
  /** Files for `kubeadm init|upgrade --patches`. */
  readonly kubeadmPatches: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the patches. */
  readonly applyFlags: readonly string[];
  /** Number of patches of running components, which are the last objects of the plan. */
  readonly patchCount: number;
}

/** The stage of the patches. They are applied separately, because the components must exist. */
export const PATCHES = 'patches';

/** Which declaration excludes each workload of a cluster, by `DaemonSet kube-system/kube-proxy`. */
const EXCLUDED_BY = new DeclarationKind<{ readonly path: string; readonly owner: object }>('excluded components');

const POLICY_NAME = { path: ['policyName'], hint: 'give one of them another policyName' };

/**
 * Plans the exclusion of system components from host-network nodes.
 *
 * @param own checks of properties that only the construct or only the component has
 * @throws {@link EdgeError} with all problems at once
 */
export function planEdgeSystemComponents(
  given: EdgeSystemComponentsProps,
  scope: Scope,
  own: Readonly<Record<string, Check>> = {},
): Plan<EdgeSystemComponentsAttributes> {
  const props = given ?? {};
  const problems = problemsOf(scope);
  const subject = `EdgeSystemComponents ${scope.path}`;
  const isPlannable = checkEdgeSystemComponents(props, problems, own);
  if (!isPlannable) {
    problems.throwIfAny(subject);
  }
  const plan = planExclusion(props, problems);
  const names = freeWorkloads(props, scope, problems);
  claimAdmissionNames(scope, props.cluster, plan.policies, POLICY_NAME, problems);
  problems.throwIfAny(subject);
  names.forEach((name) =>
    scope.declared.of(props.cluster, EXCLUDED_BY).set(name, { path: scope.path, owner: scope.owner }),
  );
  const folder = props.artifactFolder ?? 'kubeadm-patches';
  const kubeadmPatches = inFolder(folder, plan.kubeadmPatches);
  return {
    subject,
    objects: objectsOf(plan, props),
    cluster: props.cluster,
    attributes: {
      report: plan.report,
      notExcluded: plan.report.filter(({ strategies }) => strategies.length === 0),
      kubeadmPatches,
      applyFlags: [
        '--server-side',
        `--field-manager=${props.fieldManager ?? FIELD_MANAGER}`,
        ...(plan.partials.some(({ takesOver }) => takesOver) ? ['--force-conflicts'] : []),
      ],
      patchCount: plan.partials.length,
    },
    warnings: plan.warnings,
    artifacts: [
      ...kubeadmPatches,
      ...(props.kustomizeFolder === undefined || plan.partials.length === 0
        ? []
        : inFolder(props.kustomizeFolder, kustomizeComponent(plan.partials.map(({ object }) => object)))),
    ],
  };
}

/**
 * The known names of the workloads that a declaration excludes. A workload that another declaration for the same cluster excludes is a problem, whatever
 * the strategy: with different settings, the two would change it in turns.
 */
function freeWorkloads(props: EdgeSystemComponentsProps, scope: Scope, problems: ProblemList): string[] {
  const claims = scope.declared.of(props.cluster, EXCLUDED_BY);
  return props.exclude.flatMap((component, index) => {
    const names = workloadsOf(component, settingsOf(props, component))
      .map(nameOfWorkload)
      .filter((name) => !isUnknown(name));
    const earlier = names
      .map((name) => ({ name, ...claims.get(name) }))
      .find(({ owner }) => owner !== undefined && owner !== scope.owner);
    if (earlier !== undefined) {
      problems
        .at('exclude', index)
        .add(
          'EDGE_DUPLICATE',
          `${earlier.path} already excludes ${earlier.name}`,
          'exclude each component in one EdgeSystemComponents of its cluster (or give each cluster a name, if these are two clusters)',
        );
    }
    return names;
  });
}

/** The policies, the manifests, and then the patches. The policies come first, because they change each write of a patched component. */
function objectsOf(
  { policies, manifests, partials, warnings }: ExclusionPlan,
  { cluster, policyName = SYSTEM_COMPONENT_POLICY }: EdgeSystemComponentsProps,
): PlannedObject[] {
  return [
    ...policies,
    ...manifests.map((object): PlannedObject => ({
      object,
      apply: 'create',
      id: String(object.metadata?.name),
      after: [],
      skipExclusion: 'is a system component (EdgeSystemComponents)',
      check: (written, problems) => checkStillExcluded(cluster, written, warnings, problems),
    })),
    ...partials.map(({ object, takesOver }): PlannedObject => ({
      object: policies.length === 0 ? object : marked(object, policyName),
      apply: 'patch',
      id: String(object.metadata?.name),
      stage: PATCHES,
      after: policies,
      force: takesOver,
      // a field that was taken over cannot be restored: with the patch, Kubernetes would also remove the component's own terms
      retain: takesOver,
      skipExclusion: 'is a part of a system component that is already excluded (EdgeSystemComponents)',
    })),
  ];
}

/** A patch that the policy sees being withdrawn. */
function marked(object: KubernetesObject, policyName: string): KubernetesObject {
  const annotations = compute(policyName, (known) => ({ [markOf(known)]: 'true' }));
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function inFolder(
  folder: string,
  files: readonly { readonly fileName: string; readonly content: string }[],
): EdgeArtifact[] {
  return files.map(({ fileName, content }) => ({ path: text`${folder}/${fileName}`, content }));
}

import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { claimAdmissionNames } from '../admission/admission-names.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import type { EdgeArtifact } from '../text/artifact.js';
import type { Check } from '../validation/property-table.js';
import { text } from '../validation/unknown.js';
import { checkEdgeSystemComponents } from './component-settings.js';
import type { EdgeSystemComponentsSettings } from './edge-system-components-props.js';
import { type ExclusionPlan, planExclusion, type SystemComponentReport } from './exclusion-plan.js';
import { kustomizeComponent } from './kustomize-component.js';

/** Attributes of EdgeSystemComponents. */
export interface EdgeSystemComponentsAnswers {
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

const POLICY_NAME = { path: ['policyName'], hint: 'give one of them another policyName' };

/**
 * Plans the exclusion of system components from host-network nodes.
 *
 * @param own checks of properties that only the construct or only the component has
 * @throws {@link EdgeError} with all problems at once
 */
export function planEdgeSystemComponents(
  given: EdgeSystemComponentsSettings,
  scope: Scope,
  own: Readonly<Record<string, Check>> = {},
): Plan<EdgeSystemComponentsAnswers> {
  const props = given ?? {};
  const problems = problemsOf(scope);
  const subject = `EdgeSystemComponents ${scope.path}`;
  const isPlannable = checkEdgeSystemComponents(props, problems, own);
  if (!isPlannable) {
    problems.throwIfAny(subject);
  }
  const plan = planExclusion(props, problems);
  claimAdmissionNames(scope, props.cluster, plan.policies, POLICY_NAME, problems);
  problems.throwIfAny(subject);
  const folder = props.artifactFolder ?? 'kubeadm-patches';
  const kubeadmPatches = inFolder(folder, plan.kubeadmPatches);
  return {
    subject,
    objects: objectsOf(plan),
    cluster: props.cluster,
    answers: {
      report: plan.report,
      notExcluded: plan.report.filter(({ strategies }) => strategies.length === 0),
      kubeadmPatches,
      applyFlags: [
        '--server-side',
        `--field-manager=${FIELD_MANAGER}`,
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

/** The policies, the manifests, and then the patches. The policies come first, because they change each write of a patched component. */
function objectsOf({ policies, manifests, partials }: ExclusionPlan): PlannedObject[] {
  return [
    ...policies,
    ...manifests.map((object): PlannedObject => ({
      object,
      apply: 'create',
      id: String(object.metadata?.name),
      after: [],
      skipExclusion: 'is a system component (EdgeSystemComponents)',
    })),
    ...partials.map(({ object, takesOver }): PlannedObject => ({
      object,
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

function inFolder(
  folder: string,
  files: readonly { readonly fileName: string; readonly content: string }[],
): EdgeArtifact[] {
  return files.map(({ fileName, content }) => ({ path: text`${folder}/${fileName}`, content }));
}

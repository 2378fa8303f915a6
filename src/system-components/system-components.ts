import { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { type KeepOffPlan, planKeepOff } from './keep-off.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import type { ComponentSettings } from './keep-off-settings.js';
import { KeepOffStrategy } from './keep-off-strategy.js';
import { kustomizeComponent } from './kustomize-component.js';
import { checkKnownProperties, checkOneOf } from '../validation/properties.js';
import type { SystemComponent } from './system-component.js';
import { claimAdmissionNames } from '../admission/admission-names.js';
import { checkArtifactFolder, type EdgeArtifact } from '../text/artifact.js';
import type { Declaration } from '../cluster/fleet.js';

/**
 * What {@link EdgeSystemComponents} can be told, in either face.
 *
 * @category Keep system components off host-network nodes
 */
export interface EdgeSystemComponentsSettings {
  /** The cluster in which the components run. */
  readonly cluster: EdgeCluster;
  /** What is kept off host-network nodes. */
  readonly keepOff: SystemComponent[];
  /** How, for all components; several strategies work side by side.
   * @default - the most durable one that the cluster has for each component. From Kubernetes 1.36 on ADMISSION_POLICY; before, KUBEADM_PATCH where
   * kubeadm takes a patch (CoreDNS from 1.31). Both work only from the component's next write on, so SERVER_SIDE_APPLY goes with them, and is alone
   * where neither can be had. MANIFEST in its place where the manifest was given */
  readonly strategy?: KeepOffStrategy | KeepOffStrategy[];
  /** What differs in this cluster from the components as they are known, by their short names: `{ flannel: { namespace: 'cni' } }`.
   * @default - nothing */
  readonly components?: Record<string, ComponentSettings>;
  /** Name of the policy for ADMISSION_POLICY, and of its binding.
   * @default edge-nodepools-system-components */
  readonly policyName?: string;
  /** Use MutatingAdmissionPolicy where it is not on by default (Kubernetes 1.34 and 1.35); the API server needs `--feature-gates=MutatingAdmissionPolicy=true`
   * and `--runtime-config=admissionregistration.k8s.io/v1beta1=true`.
   * @default - only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Folder below the output folder for the kubeadm patch files.
   * @default kubeadm-patches */
  readonly artifactFolder?: string;
  /** Folder below the output folder for a kustomize component that does what SERVER_SIDE_APPLY does: name it under `components` in a kustomization that
   * builds the manifests of the components.
   * @default - none is written */
  readonly kustomizeFolder?: string;
}

/** How system components are kept off. */
export interface SystemComponentsPlan extends Omit<KeepOffPlan, 'kubeadmPatches'> {
  readonly kubeadmPatches: readonly EdgeArtifact[];
  /** The kustomize component; empty where none is asked for. */
  readonly kustomizeFiles: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the partial objects. */
  readonly applyFlags: readonly string[];
}

const PROPERTIES = [
  'cluster',
  'keepOff',
  'strategy',
  'components',
  'policyName',
  'mutatingAdmissionPolicy',
  'artifactFolder',
  'kustomizeFolder',
];

const POLICY_NAME = { path: ['policyName'], hint: 'give one of them another policyName' };

/**
 * Plans how system components are kept off host-network nodes.
 *
 * @param problems what the face has found of properties of its own
 * @param ownProperties names of those
 * @throws {@link EdgeError} with all problems at once
 */
export function planSystemComponents(
  props: EdgeSystemComponentsSettings,
  declaration: Declaration,
  problems = new ProblemList(),
  ownProperties: readonly string[] = [],
): SystemComponentsPlan {
  props ??= {} as EdgeSystemComponentsSettings;
  checkKnownProperties(props, [...PROPERTIES, ...ownProperties], problems);
  const wanted = Array.isArray(props.strategy) ? props.strategy : [props.strategy];
  wanted.forEach((strategy) => checkOneOf(strategy, Object.values(KeepOffStrategy), problems.at('strategy')));
  checkArtifactFolder(props.artifactFolder, 'kubeadm-patches', problems.at('artifactFolder'));
  checkArtifactFolder(props.kustomizeFolder, 'keep-off', problems.at('kustomizeFolder'));
  const hasCluster = checkCluster(props.cluster, problems.at('cluster'));
  const plan = hasCluster ? planKeepOff(props, problems) : undefined;
  if (plan !== undefined) {
    claimAdmissionNames(declaration, props.cluster, plan.policies, POLICY_NAME, problems);
  }
  problems.throwIfAny(`EdgeSystemComponents ${declaration.path}`);
  const made = plan as KeepOffPlan;
  const folder = props.artifactFolder ?? 'kubeadm-patches';
  return {
    ...made,
    kubeadmPatches: made.kubeadmPatches.map(({ fileName, content }) => ({ path: `${folder}/${fileName}`, content })),
    kustomizeFiles:
      props.kustomizeFolder === undefined || made.partials.length === 0
        ? []
        : kustomizeComponent(made.partials).map(({ fileName, content }) => ({
            path: `${props.kustomizeFolder}/${fileName}`,
            content,
          })),
    applyFlags: [
      '--server-side',
      `--field-manager=${FIELD_MANAGER}`,
      ...(made.takesOver.includes(true) ? ['--force-conflicts'] : []),
    ],
  };
}

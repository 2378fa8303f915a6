import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { PlannedObject } from '../cluster/plan.js';
import { compute } from '../base/unknown.js';
import { mutatingPolicies } from '../admission/mutating-policies.js';
import { SYSTEM_COMPONENT_POLICY, systemComponentPolicy } from './system-component-policy.js';
import type { ComponentWorkload } from './catalog.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { nameOfWorkload, settingsOf, workloadsOf } from './component-settings.js';
import type { ComponentSettings, EdgeSystemComponentsProps } from './edge-system-components-props.js';
import type { SystemComponentReport } from './component-report.js';
import { ExclusionStrategy, lostEvents } from './exclusion-strategy.js';
import { FIELD_MANAGER, type HostNetworkLabel } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt, type PlainMap, withChangeAt } from '../base/plain-data.js';
import { findContradictions, excludedTerms } from '../workloads/exclusion-affinity.js';
import { shellCommand } from '../base/shell.js';
import type { SystemComponent } from './system-component.js';
import { kubeadmKnowsPatchTarget } from '../cluster/kubeadm-capabilities.js';
import { quoted } from '../base/properties.js';
import { inProgram } from '../base/program-language.js';

/** A file for the `--patches` directory of kubeadm. */
export interface KubeadmPatchFile {
  readonly fileName: string;
  readonly content: string;
}

/** A partial object for server-side apply, which owns only the required node affinity. */
export interface PartialObject {
  readonly object: KubernetesObject;
  /** Whether its apply must take over fields of another field manager, because the component ships its own terms. */
  readonly takesOver: boolean;
}

/** The objects and files that exclude the components. */
export interface ExclusionPlan {
  /** The policy of ADMISSION_POLICY and its binding; empty if no workload uses it. */
  readonly policies: readonly PlannedObject[];
  readonly partials: readonly PartialObject[];
  /** Whole objects, patched. */
  readonly manifests: readonly KubernetesObject[];
  readonly kubeadmPatches: readonly KubeadmPatchFile[];
  readonly report: readonly SystemComponentReport[];
  readonly warnings: readonly EdgeWarning[];
}

/** Plans how to exclude system components from host-network nodes. For checked input. */
export function planExclusion(input: EdgeSystemComponentsProps, problems: ProblemList): ExclusionPlan {
  const partials: PartialObject[] = [];
  const manifests: KubernetesObject[] = [];
  const kubeadmPatches: KubeadmPatchFile[] = [];
  const report: SystemComponentReport[] = [];
  const warnings: EdgeWarning[] = [];
  const byPolicy: ComponentWorkload[] = [];
  const { hostNetworkLabel } = input.cluster;
  input.exclude.forEach((component, index) => {
    const settings = settingsOf(input, component);
    const workloads = workloadsOf(component, settings);
    for (const workload of workloads) {
      const at = problems.at('exclude', index);
      const strategies = strategiesFor(input, component, workload, settings, at);
      report.push(reportOf(input, component, workload, strategies));
      if (strategies.includes(ExclusionStrategy.ADMISSION_POLICY)) {
        byPolicy.push(workload);
      }
      if (strategies.includes(ExclusionStrategy.SERVER_SIDE_APPLY)) {
        partials.push({
          object: partialObject(workload, hostNetworkLabel, at),
          takesOver: workload.requiredTerms !== undefined,
        });
      }
      if (strategies.includes(ExclusionStrategy.KUBEADM_PATCH)) {
        kubeadmPatches.push(kubeadmPatch(workload, hostNetworkLabel, at));
      }
      if (component.manifest !== undefined) {
        const manifest = withChangeAt(component.manifest, ['metadata'], (metadata) => ({
          ...metadata,
          namespace: workload.namespace,
        }));
        const excluded = excludeWorkload(input.cluster, manifest, {}, at);
        warnings.push(...(excluded?.warnings ?? []));
        if (strategies.includes(ExclusionStrategy.MANIFEST)) {
          manifests.push((excluded?.manifest ?? manifest) as unknown as KubernetesObject);
        }
      }
    }
  });
  warnings.push(...withoutEffect(input, report), ...twoOfOne(input));
  if (input.policyName !== undefined && byPolicy.length === 0) {
    warnings.push({
      code: 'EDGE_UNUSED',
      path: 'policyName',
      message: 'this has no effect: no component is excluded by a policy (ADMISSION_POLICY)',
      hint: 'leave it out; the report lists the strategies of each component',
    });
  }
  return {
    policies: policiesFor(input, byPolicy, partials.length > 0),
    partials,
    manifests,
    kubeadmPatches,
    report,
    warnings,
  };
}

/** Components of which a cluster has one: another release, or another way to install it. */
const ONE_OF: readonly (readonly string[])[] = [
  ['flannel', 'flannel-kube-system'],
  ['calico', 'calico-operator'],
];

/** Warns of two of them: an apply of the patch for the one that is not there would create an incomplete object, which the API server refuses. */
function twoOfOne({ exclude }: EdgeSystemComponentsProps): EdgeWarning[] {
  return exclude.flatMap(({ name }, index): EdgeWarning[] => {
    const others = ONE_OF.find((names) => names.includes(name)) ?? [];
    const earlier = exclude.slice(0, index).find((other) => other.name !== name && others.includes(other.name));
    return earlier === undefined
      ? []
      : [
          {
            code: 'EDGE_DUPLICATE',
            path: `exclude[${index}]`,
            message: `a cluster has ${earlier.name} or ${name}: what is for the one that is not there has no effect, and the API server refuses its patch`,
            hint: `write the one whose Pods kubectl get pods --all-namespaces shows; nothing to do while you move from one to the other`,
          },
        ];
  });
}

/** Components that are named, and of which nothing is excluded. */
function withoutEffect(input: EdgeSystemComponentsProps, report: readonly SystemComponentReport[]): EdgeWarning[] {
  return input.exclude.flatMap((component, index): EdgeWarning[] => {
    const rows = report.filter((row) => row.component === component.name);
    const left = rows.filter(({ strategies }) => strategies.length === 0).map(({ workload }) => workload);
    const path = `exclude[${index}]`;
    if (rows.length === 0) {
      return [
        {
          code: 'EDGE_UNUSED',
          path,
          message: `nothing of ${component.name} is excluded: all its workloads are absent`,
          hint: 'leave it out of exclude, or leave the workload that exists out of absent',
        },
      ];
    }
    return left.length === 0
      ? []
      : [
          {
            code: 'EDGE_STRATEGY',
            path,
            message: `${left.join(' and ')}: not excluded, so these Pods also run on host-network nodes`,
            hint: component.data.notExcludable ?? 'leave strategy out',
          },
        ];
  });
}

function policiesFor(
  { cluster, mutatingAdmissionPolicy, policyName, fieldManager = FIELD_MANAGER }: EdgeSystemComponentsProps,
  workloads: readonly ComponentWorkload[],
  withPatches: boolean,
): PlannedObject[] {
  const served = mutatingPolicies(cluster, mutatingAdmissionPolicy);
  return served === undefined || workloads.length === 0
    ? []
    : systemComponentPolicy({
        apiVersion: served.apiVersion,
        name: policyName ?? SYSTEM_COMPONENT_POLICY,
        label: cluster.hostNetworkLabel,
        workloads,
        ...(withPatches ? { patchedBy: fieldManager } : {}),
      });
}

/** Why a strategy cannot be used for a workload; undefined if it can. */
function obstacle(
  strategy: ExclusionStrategy,
  { cluster, mutatingAdmissionPolicy }: EdgeSystemComponentsProps,
  component: SystemComponent,
  workload: ComponentWorkload,
): string | undefined {
  if (strategy === ExclusionStrategy.ADMISSION_POLICY) {
    return mutatingPolicies(cluster, mutatingAdmissionPolicy) === undefined
      ? `Kubernetes ${cluster.kubernetes} has no MutatingAdmissionPolicy without flags (with them: mutatingAdmissionPolicy: 'v1beta1', from 1.34 on)`
      : undefined;
  }
  if (component.data.notExcludable !== undefined) {
    return component.data.notExcludable;
  }
  if (strategy === ExclusionStrategy.MANIFEST) {
    return component.manifest === undefined
      ? `it has no manifest: use ${inProgram('SystemComponent.fromManifest(…)', 'manifests')}`
      : undefined;
  }
  if (strategy === ExclusionStrategy.KUBEADM_PATCH) {
    if (cluster.distribution !== 'kubeadm') {
      return 'the cluster was not created by kubeadm';
    }
    if (workload.kubeadmPatchTarget === undefined) {
      return 'kubeadm does not write it';
    }
    return kubeadmKnowsPatchTarget(cluster, workload.kubeadmPatchTarget)
      ? undefined
      : `the kubeadm of Kubernetes ${cluster.kubernetes} has no patch target ${workload.kubeadmPatchTarget}`;
  }
  return undefined;
}

/**
 * The most durable strategies for a workload: the policy, or the patch file for workloads of kubeadm, together with server-side apply, because both take
 * effect only at the next write. With a manifest, the manifest instead. A component that patches cannot exclude has the policy or nothing.
 */
function defaultStrategies(
  input: EdgeSystemComponentsProps,
  component: SystemComponent,
  workload: ComponentWorkload,
): ExclusionStrategy[] {
  const can = (strategy: ExclusionStrategy): boolean => obstacle(strategy, input, component, workload) === undefined;
  const durable = [ExclusionStrategy.ADMISSION_POLICY, ExclusionStrategy.KUBEADM_PATCH].find(can);
  const atOnce = [ExclusionStrategy.MANIFEST, ExclusionStrategy.SERVER_SIDE_APPLY].find(can);
  if (atOnce === ExclusionStrategy.MANIFEST) {
    return [atOnce, ...(durable === ExclusionStrategy.ADMISSION_POLICY ? [durable] : [])];
  }
  return [durable, atOnce].filter((strategy) => strategy !== undefined);
}

function strategiesFor(
  input: EdgeSystemComponentsProps,
  component: SystemComponent,
  workload: ComponentWorkload,
  settings: ComponentSettings,
  problems: ProblemList,
): ExclusionStrategy[] {
  const wanted = settings.strategy ?? input.strategy;
  if (wanted === undefined || (component.data.notExcludable !== undefined && settings.strategy === undefined)) {
    return defaultStrategies(input, component, workload);
  }
  const list = Array.isArray(wanted) ? [...new Set(wanted as readonly ExclusionStrategy[])] : [wanted];
  return list.filter((strategy) => {
    const exists = Object.values(ExclusionStrategy).includes(strategy);
    if (!exists && settings.strategy === undefined) {
      // reported once, for the property of all components
      return false;
    }
    const reason = exists ? obstacle(strategy, input, component, workload) : `there is no strategy ${quoted(strategy)}`;
    if (reason !== undefined) {
      problems.add(
        'EDGE_STRATEGY',
        `${nameOfWorkload(workload)} cannot be excluded by ${strategy}: ${reason}`,
        `write components: { ${JSON.stringify(component.name)}: { strategy: ${inProgram('ExclusionStrategy.SERVER_SIDE_APPLY', "'SERVER_SIDE_APPLY'")} } }, or leave strategy out`,
      );
    }
    return reason === undefined;
  });
}

function reportOf(
  { cluster, mutatingAdmissionPolicy, fieldManager = FIELD_MANAGER }: EdgeSystemComponentsProps,
  component: SystemComponent,
  workload: ComponentWorkload,
  strategies: readonly ExclusionStrategy[],
): SystemComponentReport {
  const shipsOwn = workload.requiredTerms !== undefined;
  const lostAfter = lostEvents(component.data.owner, cluster.distribution, strategies, shipsOwn);
  const flags = strategies.includes(ExclusionStrategy.ADMISSION_POLICY)
    ? mutatingPolicies(cluster, mutatingAdmissionPolicy)?.flags
    : undefined;
  const notes = [
    ...(flags === undefined ? [] : [`the API server needs ${flags}`]),
    (strategies.length === 0 ? component.data.notExcludable : undefined) ?? component.data.note,
  ].filter((text) => text !== undefined);
  const command = commandFor(workload, strategies, cluster.hostNetworkLabel, fieldManager);
  return {
    component: component.name,
    workload: nameOfWorkload(workload),
    strategies,
    lostAfter: strategies.length === 0 ? [] : lostAfter,
    ...(command === undefined ? {} : { command }),
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

function commandFor(
  workload: ComponentWorkload,
  strategies: readonly ExclusionStrategy[],
  label: HostNetworkLabel,
  fieldManager: string,
): string | undefined {
  if (strategies.includes(ExclusionStrategy.SERVER_SIDE_APPLY)) {
    return compute({ partial: partialObject(workload, label, new ProblemList()), fieldManager }, patchCommand);
  }
  return strategies.includes(ExclusionStrategy.ADMISSION_POLICY) && !strategies.includes(ExclusionStrategy.MANIFEST)
    ? compute(workload, ({ kind, namespace, name }) =>
        shellCommand(...patchWords(kind, namespace, name), '--type=merge', '--patch', '{}'),
      )
    : undefined;
}

/** A strategic merge patch by kubectl with the same effect as the partial object: it replaces only the required node affinity. */
export function patchCommand({
  partial,
  fieldManager = FIELD_MANAGER,
}: {
  readonly partial: PlainMap;
  readonly fieldManager?: string;
}): string {
  const { name, namespace } = mapAt(partial, 'metadata');
  const words = patchWords(String(partial.kind), String(namespace), String(name));
  const patch = JSON.stringify({ spec: partial.spec });
  return shellCommand(...words, '--type=strategic', `--field-manager=${fieldManager}`, '--patch', patch);
}

function patchWords(kind: string, namespace: string, name: string): string[] {
  return ['kubectl', '--namespace', namespace, 'patch', kind.toLowerCase(), name];
}

/** The partial object that owns exactly the required node affinity. It contains the component's own terms, because this is one atomic value. */
function partialObject(workload: ComponentWorkload, label: HostNetworkLabel, problems: ProblemList): KubernetesObject {
  const podSpec = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: excludedTerms(workload.requiredTerms as PlainMap[] | undefined, label),
        },
      },
    },
  };
  findContradictions(podSpec, label, problems);
  return {
    apiVersion: workload.apiVersion ?? 'apps/v1',
    kind: workload.kind,
    metadata: { name: workload.name, namespace: workload.namespace },
    spec: { template: { spec: podSpec } },
  };
}

/**
 * A strategic merge patch for kubeadm. It contains the identity of the object, so that `kubectl apply --server-side` of the file by mistake has the same
 * effect as the partial object.
 */
function kubeadmPatch(workload: ComponentWorkload, label: HostNetworkLabel, problems: ProblemList): KubeadmPatchFile {
  return {
    fileName: `${workload.kubeadmPatchTarget}+strategic.json`,
    content: compute(partialObject(workload, label, problems), (object) => `${JSON.stringify(object, null, 2)}\n`),
  };
}

import { type EdgeWarning, ProblemList } from '../errors.js';
import { mutatingPolicies } from '../admission/mutating-policies.js';
import { SYSTEM_COMPONENT_POLICY, systemComponentPolicy } from './system-component-policy.js';
import type { ComponentWorkload } from './catalog.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import {
  checkKeepOff,
  type ComponentSettings,
  type KeepOffInput,
  nameOfWorkload,
  settingsOf,
  workloadsOf,
} from './keep-off-settings.js';
import { type KeepOffEvent, KeepOffStrategy, SURVIVAL } from './keep-off-strategy.js';
import { FIELD_MANAGER } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt, type PlainMap, withChangeAt } from '../validation/plain-data.js';
import { excludedTerms, findContradictions } from '../kubernetes/node-affinity.js';
import { shellCommand } from '../text/shell.js';
import type { SystemComponent } from './system-component.js';
import { kubeadmKnowsPatchTarget } from '../cluster/kubeadm-capabilities.js';

/**
 * How one workload of a system component is kept off, and what undoes it.
 *
 * @category Keep system components off host-network nodes
 */
export interface KeepOffReport {
  /** Name of the component. */
  readonly component: string;
  /** The workload, `DaemonSet kube-system/kube-proxy`. */
  readonly workload: string;
  /** Strategies in use; empty when it can not be kept off. */
  readonly strategies: readonly KeepOffStrategy[];
  /** Events after which the keep-off must be applied again. */
  readonly lostAfter: readonly KeepOffEvent[];
  /** A kubectl command that makes it so at once, however the component was installed; it can be repeated. With SERVER_SIDE_APPLY it sets exactly the
   * required node affinity: use it instead of a server-side apply on components that came by `kubectl apply`, because kubectl would hand all of
   * their fields to the new manager. With ADMISSION_POLICY alone it writes the component unchanged, so that the policy changes it.
   * @default - none, with KUBEADM_PATCH or MANIFEST alone */
  readonly command?: string;
  /** Why it can not be kept off, or what to know; flags that the API server needs.
   * @default - nothing */
  readonly note?: string;
}

/** A file for the `--patches` directory of kubeadm. */
export interface KubeadmPatchFile {
  readonly fileName: string;
  readonly content: string;
}

/** Everything that keeps the components off. */
export interface KeepOffPlan {
  /** The policy for ADMISSION_POLICY and its binding; empty when no workload uses it. */
  readonly policies: readonly KubernetesObject[];
  /** Partial objects for server-side apply; each owns only the required node affinity. */
  readonly partials: readonly PlainMap[];
  /** Whole objects, patched. */
  readonly manifests: readonly PlainMap[];
  readonly kubeadmPatches: readonly KubeadmPatchFile[];
  readonly report: readonly KeepOffReport[];
  readonly warnings: readonly EdgeWarning[];
  /** For each partial whether its apply must take fields over from another manager (components that ship terms of their own). */
  readonly takesOver: readonly boolean[];
}

/** Plans how to keep system components off host-network nodes. */
export function planKeepOff(input: KeepOffInput, problems: ProblemList): KeepOffPlan {
  checkKeepOff(input, problems);
  const partials: PlainMap[] = [];
  const manifests: PlainMap[] = [];
  const kubeadmPatches: KubeadmPatchFile[] = [];
  const report: KeepOffReport[] = [];
  const warnings: EdgeWarning[] = [];
  const byPolicy: ComponentWorkload[] = [];
  const takesOver: boolean[] = [];
  if (problems.problems.length > 0) {
    return { policies: [], partials, manifests, kubeadmPatches, report, warnings, takesOver };
  }
  input.keepOff.forEach((component, index) => {
    const settings = settingsOf(input, component);
    for (const workload of workloadsOf(component, settings)) {
      const at = problems.at('keepOff', index);
      const strategies = strategiesFor(input, component, workload, settings, at);
      report.push(reportOf(input, component, workload, strategies));
      if (strategies.includes(KeepOffStrategy.ADMISSION_POLICY)) {
        byPolicy.push(workload);
      }
      if (strategies.includes(KeepOffStrategy.SERVER_SIDE_APPLY)) {
        partials.push(partialObject(workload, at));
        takesOver.push(workload.requiredTerms !== undefined);
      }
      if (strategies.includes(KeepOffStrategy.KUBEADM_PATCH)) {
        kubeadmPatches.push(kubeadmPatch(workload, at));
      }
      if (component.manifest !== undefined) {
        const manifest = withChangeAt(component.manifest, ['metadata'], (metadata) => ({
          ...metadata,
          namespace: workload.namespace,
        }));
        const excluded = excludeWorkload(input.cluster, manifest, {}, at);
        warnings.push(...(excluded?.warnings ?? []));
        if (strategies.includes(KeepOffStrategy.MANIFEST)) {
          manifests.push(excluded?.manifest ?? manifest);
        }
      }
    }
  });
  if (input.policyName !== undefined && byPolicy.length === 0) {
    warnings.push({
      code: 'EDGE_UNUSED',
      path: 'policyName',
      message: 'this does nothing here: nothing is kept off by a policy (ADMISSION_POLICY)',
      hint: 'leave it out; the report says how each is kept off',
    });
  }
  return {
    policies: policiesFor(input, byPolicy),
    partials,
    manifests,
    kubeadmPatches,
    report,
    warnings,
    takesOver,
  };
}

function policiesFor(input: KeepOffInput, workloads: readonly ComponentWorkload[]): KubernetesObject[] {
  const served = mutatingPolicies(input.cluster, input.mutatingAdmissionPolicy);
  return served === undefined || workloads.length === 0
    ? []
    : systemComponentPolicy(served.apiVersion, input.policyName ?? SYSTEM_COMPONENT_POLICY, workloads);
}

/** Why a strategy can not be used for a workload; undefined when it can. */
function obstacle(
  strategy: KeepOffStrategy,
  { cluster, mutatingAdmissionPolicy }: KeepOffInput,
  component: SystemComponent,
  workload: ComponentWorkload,
): string | undefined {
  if (strategy === KeepOffStrategy.ADMISSION_POLICY) {
    return mutatingPolicies(cluster, mutatingAdmissionPolicy) === undefined
      ? `Kubernetes ${cluster.kubernetes} has no MutatingAdmissionPolicy without flags (with them: mutatingAdmissionPolicy: 'v1beta1', from 1.34 on)`
      : undefined;
  }
  if (component.data.cannotKeepOff !== undefined) {
    return component.data.cannotKeepOff;
  }
  if (strategy === KeepOffStrategy.MANIFEST) {
    return component.manifest === undefined
      ? 'its manifest was not given: use SystemComponent.fromManifest(…)'
      : undefined;
  }
  if (strategy === KeepOffStrategy.KUBEADM_PATCH) {
    if (cluster.distribution !== 'kubeadm') {
      return 'the cluster was not made by kubeadm';
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
 * The most durable way that the cluster has: the policy, or for what kubeadm writes its patch file, and server-side apply beside either because
 * they work only from the next write on; the whole manifest where it was given. What patches can not keep off has the policy or nothing.
 */
function defaultStrategies(
  input: KeepOffInput,
  component: SystemComponent,
  workload: ComponentWorkload,
): KeepOffStrategy[] {
  const can = (strategy: KeepOffStrategy): boolean => obstacle(strategy, input, component, workload) === undefined;
  const durable = [KeepOffStrategy.ADMISSION_POLICY, KeepOffStrategy.KUBEADM_PATCH].find(can);
  const atOnce = [KeepOffStrategy.MANIFEST, KeepOffStrategy.SERVER_SIDE_APPLY].find(can);
  if (atOnce === KeepOffStrategy.MANIFEST) {
    return [atOnce, ...(durable === KeepOffStrategy.ADMISSION_POLICY ? [durable] : [])];
  }
  return [durable, atOnce].filter((strategy) => strategy !== undefined);
}

function strategiesFor(
  input: KeepOffInput,
  component: SystemComponent,
  workload: ComponentWorkload,
  settings: ComponentSettings,
  problems: ProblemList,
): KeepOffStrategy[] {
  const wanted = settings.strategy ?? input.strategy;
  if (wanted === undefined || (component.data.cannotKeepOff !== undefined && settings.strategy === undefined)) {
    return defaultStrategies(input, component, workload);
  }
  const list = Array.isArray(wanted) ? [...new Set(wanted as readonly KeepOffStrategy[])] : [wanted as KeepOffStrategy];
  return list.filter((strategy) => {
    const reason = Object.values(KeepOffStrategy).includes(strategy)
      ? obstacle(strategy, input, component, workload)
      : `there is no strategy ${JSON.stringify(strategy)}`;
    if (reason !== undefined) {
      problems.add(
        'EDGE_STRATEGY',
        `${nameOfWorkload(workload)} can not be kept off by ${strategy}: ${reason}`,
        `write components: { ${JSON.stringify(component.name)}: { strategy: KeepOffStrategy.SERVER_SIDE_APPLY } }, or leave strategy out`,
      );
    }
    return reason === undefined;
  });
}

function reportOf(
  { cluster, mutatingAdmissionPolicy }: KeepOffInput,
  component: SystemComponent,
  workload: ComponentWorkload,
  strategies: readonly KeepOffStrategy[],
): KeepOffReport {
  const events = Object.keys(SURVIVAL[KeepOffStrategy.MANIFEST]) as KeepOffEvent[];
  const matters: Readonly<Record<KeepOffEvent, boolean>> = {
    'node re-join': true,
    'kubeadm upgrade': component.data.owner === 'kubeadm' && cluster.distribution === 'kubeadm',
    'manifest or Helm upgrade': component.data.owner === 'manifest' || component.data.owner === 'helm',
    operator: component.data.owner === 'operator',
  };
  const ownAffinity = workload.requiredTerms !== undefined;
  const keeps = (strategy: KeepOffStrategy, event: KeepOffEvent): boolean =>
    SURVIVAL[strategy][event] === 'kept' || (SURVIVAL[strategy][event] === 'own affinity' && !ownAffinity);
  const lostAfter = events.filter((event) => matters[event] && !strategies.some((strategy) => keeps(strategy, event)));
  const flags = strategies.includes(KeepOffStrategy.ADMISSION_POLICY)
    ? mutatingPolicies(cluster, mutatingAdmissionPolicy)?.flags
    : undefined;
  const notes = [
    ...(flags === undefined ? [] : [`the API server needs ${flags}`]),
    (strategies.length === 0 ? component.data.cannotKeepOff : undefined) ?? component.data.note,
  ].filter((text) => text !== undefined);
  const command = commandFor(workload, strategies);
  return {
    component: component.name,
    workload: nameOfWorkload(workload),
    strategies,
    lostAfter: strategies.length === 0 ? [] : lostAfter,
    ...(command === undefined ? {} : { command }),
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

function commandFor(workload: ComponentWorkload, strategies: readonly KeepOffStrategy[]): string | undefined {
  if (strategies.includes(KeepOffStrategy.SERVER_SIDE_APPLY)) {
    return patchCommand(partialObject(workload, new ProblemList()));
  }
  const { kind, namespace, name } = workload;
  return strategies.includes(KeepOffStrategy.ADMISSION_POLICY) && !strategies.includes(KeepOffStrategy.MANIFEST)
    ? shellCommand(...patchWords(kind, namespace, name), '--type=merge', '--patch', '{}')
    : undefined;
}

/** A strategic merge patch by kubectl that does what a partial object says: it replaces the required block and touches nothing else. */
export function patchCommand(partial: PlainMap): string {
  const { name, namespace } = mapAt(partial, 'metadata');
  const words = patchWords(String(partial.kind), String(namespace), String(name));
  const patch = JSON.stringify({ spec: partial.spec });
  return shellCommand(...words, '--type=strategic', `--field-manager=${FIELD_MANAGER}`, '--patch', patch);
}

function patchWords(kind: string, namespace: string, name: string): string[] {
  return ['kubectl', '--namespace', namespace, 'patch', kind.toLowerCase(), name];
}

/** The object that owns exactly the required block. The component's own terms are in it, because the block is one atomic value. */
function partialObject(workload: ComponentWorkload, problems: ProblemList): PlainMap {
  const podSpec = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: excludedTerms(workload.requiredTerms as PlainMap[] | undefined),
        },
      },
    },
  };
  findContradictions(podSpec, problems);
  return {
    apiVersion: workload.apiVersion ?? 'apps/v1',
    kind: workload.kind,
    metadata: { name: workload.name, namespace: workload.namespace },
    spec: { template: { spec: podSpec } },
  };
}

/**
 * A strategic merge patch. It names the object it patches, with the same values that kubeadm renders: if the file is ever given to
 * `kubectl apply --server-side` by mistake it does the same as the partial object.
 */
function kubeadmPatch(workload: ComponentWorkload, problems: ProblemList): KubeadmPatchFile {
  return {
    fileName: `${workload.kubeadmPatchTarget}+strategic.json`,
    content: `${JSON.stringify(partialObject(workload, problems), null, 2)}\n`,
  };
}

import { ProblemList } from '../errors.js';
import type { ComponentWorkload } from './components/component.js';
import type { EdgeCluster } from './edge-cluster.js';
import { excludeWorkload } from './exclusion.js';
import { type KeepOffEvent, KeepOffStrategy, SURVIVAL } from './keep-off-strategy.js';
import { mapAt, type PlainMap } from './kubernetes-object.js';
import { excludedTerms, findContradictions } from './node-affinity.js';
import { checkNamespace } from './names.js';
import { checkKnownProperties, nearest } from './properties.js';
import { quoteForShell } from './shell.js';
import { SystemComponent } from './system-component.js';

/**
 * Field manager under which the partial objects must be applied. It must be one of its own: applied by the manager that applied the whole
 * component, a partial object would take every other field of the component away.
 */
export const FIELD_MANAGER = 'edge-nodepools';

/**
 * What differs in this cluster from the component as it is known.
 *
 * @category Keep system components off host-network nodes
 */
export interface ComponentSettings {
  /** Another namespace for all of the component's workloads, for example of a Helm release.
   * @default - the known one */
  readonly namespace?: string;
  /** Names of workloads that do not exist in this cluster and are left out, for example `cilium-envoy`.
   * @default - none */
  readonly without?: string[];
  /** Strategies for this component.
   * @default - the strategies of the construct */
  readonly strategy?: KeepOffStrategy | KeepOffStrategy[];
}

/** What is to be kept off, and how. */
export interface KeepOffInput {
  readonly cluster: EdgeCluster;
  readonly keepOff: readonly SystemComponent[];
  readonly strategy?: KeepOffStrategy | readonly KeepOffStrategy[];
  readonly components?: Readonly<Record<string, ComponentSettings>>;
}

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
  /** A kubectl command that sets exactly the required node affinity, however the component was installed; it can be repeated. Use it instead of a
   * server-side apply on components that came by `kubectl apply`: kubectl would hand all of their fields to the new manager.
   * @default - none, where server-side apply is not used */
  readonly command?: string;
  /** Why it can not be kept off, or what to know.
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
  /** Partial objects for server-side apply; each owns only the required node affinity. */
  readonly partials: readonly PlainMap[];
  /** Whole objects, patched. */
  readonly manifests: readonly PlainMap[];
  readonly kubeadmPatches: readonly KubeadmPatchFile[];
  readonly report: readonly KeepOffReport[];
  /** Whether an apply of the partials must take fields over from another manager (components that ship terms of their own). */
  readonly forceConflicts: boolean;
}

/** Plans how to keep system components off host-network nodes. */
export function planKeepOff(input: KeepOffInput, problems: ProblemList): KeepOffPlan {
  checkKeepOff(input, problems);
  const partials: PlainMap[] = [];
  const manifests: PlainMap[] = [];
  const kubeadmPatches: KubeadmPatchFile[] = [];
  const report: KeepOffReport[] = [];
  let forceConflicts = false;
  if (problems.problems.length > 0) {
    return { partials, manifests, kubeadmPatches, report, forceConflicts };
  }
  input.keepOff.forEach((component, index) => {
    const settings = input.components?.[component.name] ?? {};
    for (const workload of workloadsOf(component, settings)) {
      const at = problems.at('keepOff', index);
      const strategies = strategiesFor(input, component, workload, settings, at);
      report.push(reportOf(component, workload, strategies));
      if (strategies.includes(KeepOffStrategy.SERVER_SIDE_APPLY)) {
        partials.push(partialObject(workload, at));
        forceConflicts ||= workload.requiredTerms !== undefined;
      }
      if (strategies.includes(KeepOffStrategy.KUBEADM_PATCH)) {
        kubeadmPatches.push(kubeadmPatch(workload, at));
      }
      if (strategies.includes(KeepOffStrategy.MANIFEST) && component.manifest !== undefined) {
        const excluded = excludeWorkload(input.cluster, component.manifest, {}, at);
        manifests.push(excluded?.manifest ?? component.manifest);
      }
    }
  });
  return { partials, manifests, kubeadmPatches, report, forceConflicts };
}

function checkKeepOff(input: KeepOffInput, problems: ProblemList): void {
  const { keepOff } = input;
  if (!Array.isArray(keepOff) || keepOff.length === 0) {
    problems
      .at('keepOff')
      .add(
        'EDGE_MISSING',
        'nothing is named that is to be kept off',
        'write keepOff: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS]',
      );
    return;
  }
  const seen = new Map<string, number>();
  keepOff.forEach((component: unknown, index) => {
    if (!(component instanceof SystemComponent)) {
      problems
        .at('keepOff', index)
        .add(
          'EDGE_TYPE',
          `${JSON.stringify(component)} is not a SystemComponent`,
          'write SystemComponent.KUBE_PROXY, SystemComponent.of({…}) or SystemComponent.fromManifest(…)',
        );
      return;
    }
    for (const workload of workloadsOf(component, input.components?.[component.name] ?? {})) {
      const name = nameOfWorkload(workload);
      const earlier = seen.get(name);
      if (earlier !== undefined) {
        problems
          .at('keepOff', index)
          .add('EDGE_DUPLICATE', `${name} is also in keepOff[${earlier}]`, 'name each component once');
      }
      seen.set(name, index);
    }
  });
  const names = keepOff.map((component: SystemComponent) => component.name).filter((name) => typeof name === 'string');
  for (const [name, settings] of Object.entries(input.components ?? {})) {
    if (!names.includes(name)) {
      problems
        .at('components', name)
        .add(
          'EDGE_UNKNOWN_PROPERTY',
          `keepOff names no component ${name}`,
          `write one of ${names.join(', ')}${didYouMean(name, names)}`,
        );
    }
    checkKnownProperties(settings, ['namespace', 'without', 'strategy'], problems.at('components', name));
    if (settings.namespace !== undefined) {
      checkNamespace(settings.namespace, problems.at('components', name, 'namespace'));
    }
    const named: unknown = keepOff.find((component: SystemComponent) => component.name === name);
    const known = named instanceof SystemComponent ? named.data.workloads.map((workload) => workload.name) : [];
    (settings.without ?? []).forEach((workload, index) => {
      if (!known.includes(workload)) {
        problems
          .at('components', name, 'without', index)
          .add('EDGE_UNKNOWN_PROPERTY', `${name} has no workload ${workload}`, `write one of ${known.join(', ')}`);
      }
    });
  }
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function workloadsOf(component: SystemComponent, settings: ComponentSettings): ComponentWorkload[] {
  return component.data.workloads
    .filter((workload) => !(settings.without ?? []).includes(workload.name))
    .map((workload) => (settings.namespace === undefined ? workload : { ...workload, namespace: settings.namespace }));
}

export function nameOfWorkload({ kind, namespace, name }: ComponentWorkload): string {
  return `${kind} ${namespace}/${name}`;
}

/** Why a strategy can not be used for a workload; undefined when it can. */
function obstacle(
  strategy: KeepOffStrategy,
  cluster: EdgeCluster,
  component: SystemComponent,
  workload: ComponentWorkload,
): string | undefined {
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
    return cluster.kubeadmKnowsPatchTarget(workload.kubeadmPatchTarget)
      ? undefined
      : `the kubeadm of Kubernetes ${cluster.kubernetes} has no patch target ${workload.kubeadmPatchTarget}`;
  }
  return undefined;
}

/**
 * The most durable way that the cluster has: for what kubeadm writes, its patch file, and server-side apply beside it because the patch works
 * only from the next kubeadm run on; the whole manifest where it was given; server-side apply otherwise.
 */
function defaultStrategies(
  cluster: EdgeCluster,
  component: SystemComponent,
  workload: ComponentWorkload,
): KeepOffStrategy[] {
  if (component.manifest !== undefined) {
    return [KeepOffStrategy.MANIFEST];
  }
  const kubeadm = obstacle(KeepOffStrategy.KUBEADM_PATCH, cluster, component, workload) === undefined;
  return kubeadm
    ? [KeepOffStrategy.KUBEADM_PATCH, KeepOffStrategy.SERVER_SIDE_APPLY]
    : [KeepOffStrategy.SERVER_SIDE_APPLY];
}

function strategiesFor(
  input: KeepOffInput,
  component: SystemComponent,
  workload: ComponentWorkload,
  settings: ComponentSettings,
  problems: ProblemList,
): KeepOffStrategy[] {
  if (component.data.cannotKeepOff !== undefined) {
    return [];
  }
  const wanted = settings.strategy ?? input.strategy;
  if (wanted === undefined) {
    return defaultStrategies(input.cluster, component, workload);
  }
  const list = Array.isArray(wanted) ? [...new Set(wanted as readonly KeepOffStrategy[])] : [wanted as KeepOffStrategy];
  return list.filter((strategy) => {
    const reason = Object.values(KeepOffStrategy).includes(strategy)
      ? obstacle(strategy, input.cluster, component, workload)
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
  component: SystemComponent,
  workload: ComponentWorkload,
  strategies: readonly KeepOffStrategy[],
): KeepOffReport {
  const events = Object.keys(SURVIVAL[KeepOffStrategy.MANIFEST]) as KeepOffEvent[];
  const matters: Readonly<Record<KeepOffEvent, boolean>> = {
    'node re-join': true,
    'kubeadm upgrade': component.data.owner === 'kubeadm',
    'manifest or Helm upgrade': component.data.owner === 'manifest' || component.data.owner === 'helm',
    operator: component.data.owner === 'operator',
  };
  const ownAffinity = workload.requiredTerms !== undefined;
  const keeps = (strategy: KeepOffStrategy, event: KeepOffEvent): boolean =>
    SURVIVAL[strategy][event] === 'kept' || (SURVIVAL[strategy][event] === 'own affinity' && !ownAffinity);
  const lostAfter = events.filter((event) => matters[event] && !strategies.some((strategy) => keeps(strategy, event)));
  const note = component.data.cannotKeepOff ?? component.data.note;
  return {
    component: component.name,
    workload: nameOfWorkload(workload),
    strategies,
    lostAfter: strategies.length === 0 ? [] : lostAfter,
    ...(strategies.includes(KeepOffStrategy.SERVER_SIDE_APPLY)
      ? { command: patchCommand(partialObject(workload, new ProblemList())) }
      : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** A strategic merge patch by kubectl that does what a partial object says: it replaces the required block and touches nothing else. */
export function patchCommand(partial: PlainMap): string {
  const { name, namespace } = mapAt(partial, 'metadata');
  const kind = String(partial.kind).toLowerCase();
  return [
    `kubectl --namespace ${String(namespace)} patch ${kind} ${String(name)}`,
    `--type=strategic --field-manager=${FIELD_MANAGER} --patch ${quoteForShell(JSON.stringify({ spec: partial.spec }))}`,
  ].join(' ');
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

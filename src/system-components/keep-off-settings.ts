import type { ProblemList } from '../errors.js';
import type { ComponentWorkload } from './catalog.js';
import { checkOptIn } from '../admission/mutating-policies.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KeepOffStrategy } from './keep-off-strategy.js';
import { isMap } from '../validation/plain-data.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { checkKnownProperties, nearest, showValue } from '../validation/properties.js';
import { SystemComponent } from './system-component.js';

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
  readonly policyName?: string;
  readonly mutatingAdmissionPolicy?: 'v1beta1';
}

/** Checks what is to be kept off, and the settings of each component. */
export function checkKeepOff(input: KeepOffInput, problems: ProblemList): void {
  const { keepOff } = input;
  checkOptIn(input.cluster, input.mutatingAdmissionPolicy, problems.at('mutatingAdmissionPolicy'));
  if (input.policyName !== undefined) {
    checkObjectName(input.policyName, problems.at('policyName'));
  }
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
    for (const workload of workloadsOf(component, settingsOf(input, component))) {
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
  checkSettings(input.components ?? {}, keepOff, problems.at('components'));
}

function checkSettings(components: unknown, keepOff: readonly SystemComponent[], problems: ProblemList): void {
  if (!isMap(components)) {
    problems.add('EDGE_TYPE', 'components must be a map', "write { flannel: { namespace: 'cni' } }");
    return;
  }
  const named = keepOff.filter((component) => component instanceof SystemComponent);
  const names = named.map(({ name }) => name);
  for (const [name, settings] of Object.entries(components)) {
    const at = problems.at(name);
    const known =
      named.find((component) => component.name === name)?.data.workloads.map((workload) => workload.name) ?? [];
    if (!names.includes(name)) {
      at.add(
        'EDGE_UNKNOWN_PROPERTY',
        `keepOff names no component ${name}`,
        `write one of ${names.join(', ')}${didYouMean(name, names)}`,
      );
    }
    if (!isMap(settings)) {
      at.add('EDGE_TYPE', 'the settings of a component must be a map', "write { namespace: 'cni' }");
      continue;
    }
    checkKnownProperties(settings, ['namespace', 'without', 'strategy'], at);
    if (settings.namespace !== undefined) {
      checkNamespace(settings.namespace, at.at('namespace'));
    }
    if (Array.isArray(settings.strategy) && settings.strategy.length === 0) {
      at.at('strategy').add(
        'EDGE_STRATEGY',
        'no strategy is named',
        'write KeepOffStrategy.SERVER_SIDE_APPLY, or leave strategy out',
      );
    }
    const { without } = settings;
    if (without !== undefined && !Array.isArray(without)) {
      at.at('without').add('EDGE_TYPE', 'without must be a list', `write without: [${JSON.stringify(without)}]`);
      continue;
    }
    (without ?? []).forEach((workload: unknown, index) => {
      if (!known.includes(workload as string)) {
        at.at('without', index).add(
          'EDGE_UNKNOWN_PROPERTY',
          `${name} has no workload ${showValue(workload)}`,
          `write one of ${known.join(', ')}`,
        );
      }
    });
  }
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** The settings of a component; none where they are not a map, which is a problem of its own. */
export function settingsOf(input: KeepOffInput, component: SystemComponent): ComponentSettings {
  const settings: unknown = input.components?.[component.name];
  return isMap(settings) && (settings.without === undefined || Array.isArray(settings.without)) ? settings : {};
}

/** The workloads of a component in this cluster. */
export function workloadsOf(component: SystemComponent, settings: ComponentSettings): ComponentWorkload[] {
  return component.data.workloads
    .filter((workload) => !(settings.without ?? []).includes(workload.name))
    .map((workload) => (settings.namespace === undefined ? workload : { ...workload, namespace: settings.namespace }));
}

/** `DaemonSet kube-system/kube-proxy` */
export function nameOfWorkload({ kind, namespace, name }: ComponentWorkload): string {
  return `${kind} ${namespace}/${name}`;
}

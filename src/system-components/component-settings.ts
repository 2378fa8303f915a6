import { checkOptIn } from '../admission/mutating-policies.js';
import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { checkFieldManager } from '../kubernetes/object.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { checkArtifactFolder } from '../base/artifact.js';
import { isMap } from '../base/plain-data.js';
import { nearest, showValue, whatIs } from '../base/properties.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  listOf,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  refuseUnknown,
} from '../base/property-table.js';
import { isUnknown, text } from '../base/unknown.js';
import type { ComponentWorkload } from './catalog.js';
import type { ComponentSettings, EdgeSystemComponentsProps } from './edge-system-components-props.js';
import { ExclusionStrategy } from './exclusion-strategy.js';
import { SystemComponent } from './system-component.js';
import { inProgram } from '../base/program-language.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** The properties; which components can have settings depends on `exclude`, unless that is refused. */
function properties(exclude: unknown): PropertyTable<EdgeSystemComponentsProps> {
  const excluded = areComponents(exclude) ? exclude : undefined;
  return {
    cluster: plain(checkCluster),
    exclude: plain(checkExclude),
    strategy: plain(checkStrategies),
    components: present(
      mapWith(
        (components, problems) => checkComponents(components, excluded, problems),
        'components must be a map',
        "write { flannel: { namespace: 'cni' } }",
      ),
    ),
    policyName: optional(checkObjectName),
    fieldManager: plain(checkFieldManager),
    // what it may be depends on the cluster
    mutatingAdmissionPolicy: plain(checkedElsewhere),
    artifactFolder: plain((folder, problems) => checkArtifactFolder(folder, 'kubeadm-patches', problems)),
    kustomizeFolder: plain((folder, problems) => checkArtifactFolder(folder, 'kustomize', problems)),
  };
}

/**
 * Checks which components are excluded, and how.
 *
 * @param own checks of properties that only the construct or only the component has
 * @returns whether the exclusion of these components can be planned, which finds what is wrong with their strategies
 */
export function checkEdgeSystemComponents(
  props: EdgeSystemComponentsProps,
  problems: ProblemList,
  own: Readonly<Record<string, Check>>,
): boolean {
  const { cluster, exclude }: { cluster: unknown; exclude: unknown } = props;
  checkProperties(props, { ...properties(exclude), ...own }, problems, { keepOff: 'did you mean exclude?' });
  if (cluster instanceof EdgeCluster) {
    checkOptIn(cluster, props.mutatingAdmissionPolicy, problems.at('mutatingAdmissionPolicy'));
  }
  checkDistinct(props, problems.at('exclude'));
  return cluster instanceof EdgeCluster && areComponents(exclude);
}

function areComponents(exclude: unknown): exclude is readonly SystemComponent[] {
  return Array.isArray(exclude) && exclude.every((component) => component instanceof SystemComponent);
}

/** A map whose keys must be plain, while its values need not. */
function present(check: Check): Check {
  return (value, problems) => (isUnknown(value) ? refuseUnknown(problems) : check(value, problems));
}

function checkExclude(exclude: unknown, problems: ProblemList): void {
  if (exclude instanceof SystemComponent) {
    const name = SystemComponent.constantOf(exclude);
    problems.add(
      'EDGE_TYPE',
      'exclude is one component, not a list',
      name === undefined
        ? 'write exclude: [component]'
        : `write exclude: [${inProgram(`SystemComponent.${name}`, `'${exclude.name}'`)}]`,
    );
    return;
  }
  if (exclude !== undefined && exclude !== null && !Array.isArray(exclude)) {
    problems.add(
      'EDGE_TYPE',
      `exclude is ${whatIs(exclude)}, not a list of components`,
      `write exclude: ${inProgram('[SystemComponent.KUBE_PROXY, SystemComponent.COREDNS]', "['kube-proxy', 'coredns']")}`,
    );
    return;
  }
  if (!Array.isArray(exclude) || exclude.length === 0) {
    problems.add(
      'EDGE_MISSING',
      'no component is named',
      `write exclude: ${inProgram('[SystemComponent.KUBE_PROXY, SystemComponent.COREDNS]', "['kube-proxy', 'coredns']")}`,
    );
    return;
  }
  exclude.forEach((component: unknown, index) => {
    if (!(component instanceof SystemComponent)) {
      problems
        .at(index)
        .add(
          'EDGE_TYPE',
          component === undefined || component === null
            ? 'there is no component here; the name of the constant may be misspelled'
            : `${typeof component === 'string' ? JSON.stringify(component) : whatIs(component)} is not a system component`,
          whatToWrite(component),
        );
    }
  });
}

/** What to write in place of a component that is given by its name, `kube-proxy` or `KUBE_PROXY`, or misspelt. */
function whatToWrite(given: unknown): string {
  const known = SystemComponent.known();
  const constants = known.map((one) => SystemComponent.constantOf(one) ?? '');
  const near = nearest(String(given), constants) ?? 'KUBE_PROXY';
  const meant = known.find(({ name }) => name === given) ?? known[constants.indexOf(near)];
  const name = meant?.name ?? 'kube-proxy';
  const constant = (meant && SystemComponent.constantOf(meant)) ?? 'KUBE_PROXY';
  return inProgram(
    `write SystemComponent.${constant}, SystemComponent.of({…}) or SystemComponent.fromManifest(…)`,
    `write '${name}', or its workload in workloads, or its manifest in manifests`,
  );
}

function checkStrategies(strategy: unknown, problems: ProblemList): void {
  const check = oneOf(...Object.values(ExclusionStrategy));
  if (strategy === undefined) {
    return;
  }
  const given = Array.isArray(strategy) ? (strategy as unknown[]) : [strategy];
  given.forEach((one, index) => check(one ?? null, Array.isArray(strategy) ? problems.at(index) : problems));
  if (given.length === 0) {
    problems.add(
      'EDGE_STRATEGY',
      'no strategy is named',
      `write ${inProgram('ExclusionStrategy.SERVER_SIDE_APPLY', "'SERVER_SIDE_APPLY'")}, or leave strategy out`,
    );
  }
}

/** Refuses a workload that two components have. */
function checkDistinct(props: EdgeSystemComponentsProps, problems: ProblemList): void {
  const exclude: unknown = props.exclude;
  const seen = new Map<string, number>();
  itemsOf(exclude).forEach((component, index) => {
    if (!(component instanceof SystemComponent)) {
      return;
    }
    for (const workload of workloadsOf(component, settingsOf(props, component))) {
      const name = nameOfWorkload(workload);
      const earlier = seen.get(name);
      if (earlier !== undefined && !isUnknown(workload.namespace)) {
        problems.at(index).add('EDGE_DUPLICATE', `${name} is also in exclude[${earlier}]`, 'name each component once');
      }
      seen.set(name, index);
    }
  });
}

function checkComponents(
  components: Record<string, unknown>,
  excluded: readonly SystemComponent[] | undefined,
  problems: ProblemList,
): void {
  const names = (excluded ?? []).map(({ name }) => name);
  for (const [name, settings] of Object.entries(components)) {
    const at = problems.at(name);
    const component = excluded?.find((one) => one.name === name);
    if (excluded !== undefined && component === undefined) {
      at.add(
        'EDGE_UNKNOWN_PROPERTY',
        `exclude names no component ${name}`,
        `write one of ${names.join(', ')}${didYouMean(name, names)}`,
      );
    }
    present(
      mapWith(
        (map, inside) => checkProperties(map, settingsTable(name, component), inside),
        'the settings of a component must be a map',
        "write { namespace: 'cni' }",
      ),
    )(settings ?? null, at);
  }
}

function settingsTable(name: string, component: SystemComponent | undefined): PropertyTable<ComponentSettings> {
  const workloads: readonly string[] = component?.data.workloads.map((workload) => workload.name) ?? [];
  return {
    namespace: optional(checkNamespace),
    strategy: plain(checkStrategies),
    absent: plain(
      listOf(
        (workload, problems) => {
          if (component !== undefined && !workloads.includes(workload as string)) {
            problems.add(
              'EDGE_UNKNOWN_PROPERTY',
              `${name} has no workload ${showValue(workload)}`,
              `write one of ${workloads.join(', ')}`,
            );
          }
        },
        `write absent: ['${workloads[1] ?? workloads[0] ?? 'cilium-envoy'}']`,
        'absent must be a list',
      ),
    ),
  };
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** The settings of a component; empty if they are not a map, which is reported elsewhere. */
export function settingsOf(input: EdgeSystemComponentsProps, component: SystemComponent): ComponentSettings {
  const settings: unknown = input.components?.[component.name];
  return isMap(settings) && (settings.absent === undefined || Array.isArray(settings.absent)) ? settings : {};
}

/** The workloads of a component in this cluster. */
export function workloadsOf(component: SystemComponent, settings: ComponentSettings): ComponentWorkload[] {
  return component.data.workloads
    .filter((workload) => !(settings.absent ?? []).includes(workload.name))
    .map((workload) => (settings.namespace === undefined ? workload : { ...workload, namespace: settings.namespace }));
}

/** `DaemonSet kube-system/kube-proxy` */
export function nameOfWorkload({ kind, namespace, name }: ComponentWorkload): string {
  return text`${kind} ${namespace}/${name}`;
}

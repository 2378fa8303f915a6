import { checkCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { checkFieldManager, type KubernetesObject } from '../kubernetes/object.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { NodeFile } from '../join/node-file.js';
import { isAbsolutePath, pathProblem } from '../join/machine-path.js';
import { PATCH_FOLDER } from '../join/node-paths.js';
import { hasProperties } from './class-fields.js';
import { nameOfWorkload } from '../system-components/component-settings.js';
import type { SystemComponentReport } from '../system-components/component-report.js';
import { SystemComponent } from '../system-components/system-component.js';
import { checkArtifactFolder, type EdgeArtifact } from '../base/artifact.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import { type Check, checkProperties, listOf, optional, plain, type PropertyTable } from '../base/property-table.js';
import { type ComponentPatch, componentPatches, plannedPatch } from './component-qos.js';
import type { ComponentQos, ControlPlaneQosProps } from './control-plane-qos-props.js';
import { checkPriorityClasses, classesIn, priorityClasses } from './priority-classes.js';
import { checkAmounts, type ContainerAmounts, type QosProfile, type ResolvedQos, resolvedQos } from './qos-profile.js';
import { checkNames, podSpecWithQos } from './with-qos.js';
import { inProgram } from '../base/program-language.js';

/** Attributes of ControlPlaneQos. */
export interface ControlPlaneQosAttributes {
  readonly kubeadmPatches: readonly EdgeArtifact[];
  readonly files: readonly NodeFile[];
  readonly initConfiguration: PlainMap;
  readonly joinConfiguration: PlainMap;
  readonly report: readonly SystemComponentReport[];
  readonly applyFlags: readonly string[];
}

/** Field manager of the patches. An API server removes what a manager no longer applies, so it is another one than that of the exclusion. */
const QOS_MANAGER = 'edge-nodepools-qos';

/** The static Pods of kubeadm, each with one container of the same name, which is also the target of its patch (`util/patches`). */
export const STATIC_PODS = {
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
  etcd: 'etcd',
} as const;

type StaticPod = keyof typeof STATIC_PODS;

const STATIC = Object.keys(STATIC_PODS) as StaticPod[];

/** What a cluster has once: `static Pod etcd`, `PriorityClass web`. */
const TAKEN = new DeclarationKind<{ readonly path: string; readonly owner: object }>('QoS of the control plane');

const EXAMPLE = "{ cluster, scheduler: { preset: 'kube-scheduler' } }";

const checkShape: Check = optional((profile, problems) => {
  hasProperties(profile, 'QosProfile', "{ preset: 'kube-scheduler' }", problems);
});

const example = (): string =>
  `{ component: ${inProgram('SystemComponent.KUBE_PROXY', "'kube-proxy'")}, profile: { preset: 'kube-proxy' } }`;

const checkComponent: Check = (one, problems) => {
  if (!isMap(one)) {
    problems.add('EDGE_TYPE', `this is ${whatIs(one)}, not a map`, `write ${example()}`);
    return;
  }
  checkProperties<ComponentQos>(
    one,
    {
      component: (component, at) => {
        if (!(component instanceof SystemComponent)) {
          at.add(
            component === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
            component === undefined ? 'the component is missing' : `${whatIs(component)} is not a system component`,
            inProgram(
              'write SystemComponent.KUBE_PROXY or SystemComponent.of({…})',
              "write 'kube-proxy', or its workload in workloads",
            ),
          );
        }
      },
      profile: (profile, at) => {
        hasProperties(profile, 'QosProfile', "{ preset: 'kube-proxy' }", at);
      },
    },
    problems,
  );
};

const PROPERTIES: PropertyTable<ControlPlaneQosProps> = {
  cluster: plain(checkCluster),
  apiServer: plain(checkShape),
  controllerManager: plain(checkShape),
  scheduler: plain(checkShape),
  etcd: plain(checkShape),
  components: plain((components, problems) =>
    listOf(checkComponent, `write [${example()}]`, 'components must be a list')(components, problems),
  ),
  priorityClasses: plain(checkPriorityClasses),
  allocatable: plain(checkAmounts),
  patchFolder: plain((folder, problems) => {
    if (folder !== undefined && !isAbsolutePath(folder)) {
      problems.add('EDGE_VALUE', `${quoted(folder)} ${pathProblem(folder)}`, `write '${PATCH_FOLDER}'`);
    }
  }),
  fieldManager: plain(checkFieldManager),
  artifactFolder: plain((folder, problems) => checkArtifactFolder(folder, 'control-plane-patches', problems)),
};

const ADVICE: Readonly<Record<string, string>> = {
  kubeApiServer: 'did you mean apiServer?',
  kubeScheduler: 'did you mean scheduler?',
  kubeProxy: 'write it as one of components',
  exclude: 'EdgeSystemComponents excludes components; write components for their resources',
};

/**
 * Plans the QoS of a control plane: kubeadm patches of its static Pods, patches of running components, and PriorityClasses.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planControlPlaneQos(props: ControlPlaneQosProps, scope: Scope): Plan<ControlPlaneQosAttributes> {
  const subject = `ControlPlaneQos ${scope.path}`;
  const problems = problemsOf(scope);
  if (hasProperties(props, 'ControlPlaneQos', EXAMPLE, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
  }
  problems.throwIfAny(subject);
  const { cluster, fieldManager = QOS_MANAGER, patchFolder = PATCH_FOLDER } = props;
  checkNotEmpty(props, problems);
  const staticPods = STATIC.filter((name) => props[name] !== undefined).map((name) => {
    const profile = resolvedQos(props[name] as QosProfile, problems.at(name));
    return { name, profile, pod: profile && staticPod(STATIC_PODS[name], profile, problems.at(name)) };
  });
  if (staticPods.length > 0 && cluster.distribution !== 'kubeadm') {
    problems
      .at(staticPods[0]?.name as string)
      .add(
        'EDGE_CONTRADICTION',
        'the cluster was not created by kubeadm, and nothing else reads these patches',
        'leave it out',
      );
  }
  const patched = (props.components ?? []).flatMap((one, index) =>
    componentPatches(one, cluster, fieldManager, problems.at('components', index)),
  );
  checkFits(props, patched, new Map(staticPods.map(({ name, profile }) => [name, profile])), problems);
  const taken = takenBy(props, scope, patched, problems);
  problems.throwIfAny(subject);
  taken.forEach((what) => scope.declared.of(cluster, TAKEN).set(what, { path: scope.path, owner: scope.owner }));
  const patchFiles = [
    ...staticPods.map(({ name, pod }) => patchFile(STATIC_PODS[name], pod as KubernetesObject)),
    ...patched.flatMap(({ target, object }) => (target === undefined ? [] : [patchFile(target, object)])),
  ];
  const folder = props.artifactFolder ?? 'control-plane-patches';
  const kubeadmPatches = patchFiles.map(({ fileName, content }) => ({ path: `${folder}/${fileName}`, content }));
  const configuration = (kind: string): PlainMap => ({
    apiVersion: `kubeadm.k8s.io/${cluster.kubeadmConfigVersion()}`,
    kind,
    patches: { directory: patchFolder },
  });
  return {
    subject,
    objects: [...priorityClasses(props.priorityClasses ?? []), ...patched.map(plannedPatch)],
    cluster,
    attributes: {
      kubeadmPatches,
      files: patchFiles.map(({ fileName, content }) => ({
        path: `${patchFolder}/${fileName}`,
        content,
        permissions: '0600',
      })),
      initConfiguration: configuration('InitConfiguration'),
      joinConfiguration: configuration('JoinConfiguration'),
      report: patched.map(({ report }) => report),
      applyFlags: ['--server-side', `--field-manager=${fieldManager}`, '--force-conflicts'],
    },
    warnings: [],
    artifacts: kubeadmPatches,
  };
}

function checkNotEmpty(props: ControlPlaneQosProps, problems: ProblemList): void {
  const lists = [props.components, props.priorityClasses].filter((list) => (list ?? []).length > 0);
  if (STATIC.every((name) => props[name] === undefined) && lists.length === 0) {
    problems.add('EDGE_MISSING', 'nothing gets resources or priorities', `write ${EXAMPLE}`);
  }
}

/** A static Pod with its resources only. Its other fields are those of kubeadm, which merges the patch. */
function staticPod(name: string, profile: ResolvedQos, problems: ProblemList): KubernetesObject {
  checkNames(profile, [name], problems);
  if (profile.priorityClassName !== undefined && profile.priorityClassName !== 'system-node-critical') {
    problems
      .at('priorityClassName')
      .add(
        'EDGE_CONTRADICTION',
        'static Pods of kubeadm have system-node-critical and its number, and the API server refuses another class',
        'leave it out',
      );
  }
  // the class of a Pod without its container says nothing
  const { containers } = podSpecWithQos(
    { containers: profile.containers.has(name) ? [{ name }] : {} },
    profile,
    problems,
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system' },
    spec: { containers },
  };
}

/** What kubeadm requests for a static Pod without a patch (`phases/controlplane/manifests.go`); etcd may run on machines of its own. */
const KUBEADM_CPU: Readonly<Partial<Record<StaticPod, string>>> = {
  apiServer: '250m',
  controllerManager: '200m',
  scheduler: '100m',
};

/** Checks that one machine has room for its static Pods and the DaemonSets. */
function checkFits(
  { allocatable, ...props }: ControlPlaneQosProps,
  patched: readonly ComponentPatch[],
  profiles: ReadonlyMap<string, ResolvedQos | undefined>,
  problems: ProblemList,
): void {
  if (!isMap(allocatable)) {
    return;
  }
  const daemons = patched.filter(({ workload }) => workload.kind === 'DaemonSet');
  for (const name of ['cpu', 'memory'] as const) {
    const room = (allocatable as ContainerAmounts)[name];
    const parts = [
      ...STATIC.map((pod): [string, Quantity] => [
        STATIC_PODS[pod],
        props[pod] === undefined && name === 'cpu' ? quantity(KUBEADM_CPU[pod]) : sumOf(profiles.get(pod), name),
      ]),
      ...daemons.map(({ workload, profile }): [string, Quantity] => [workload.name, sumOf(profile, name)]),
    ].filter(([, amount]) => amount.nano > 0n);
    const sum = parts.reduce((total, [, amount]) => total.plus(amount), Quantity.ZERO);
    if (room !== undefined && sum.nano > quantity(room).nano) {
      problems
        .at('allocatable', name)
        .add(
          'EDGE_RESERVATION',
          `${parts.map(([pod, amount]) => `${pod} ${amount.toString()}`).join(' + ')} = ${sum.toString()} is more than the ${room} of the machine`,
          `request less ${name}, or use larger machines`,
        );
    }
  }
}

const quantity = (amount: string | undefined): Quantity => Quantity.parse(String(amount ?? '0')) ?? Quantity.ZERO;

function sumOf(profile: ResolvedQos | undefined, name: 'cpu' | 'memory'): Quantity {
  return [...(profile?.containers.values() ?? [])].reduce(
    (total, { requests, limits }) => total.plus(quantity(requests[name] ?? limits[name])),
    Quantity.ZERO,
  );
}

/** What the declaration has that a cluster has once. */
function takenBy(
  props: ControlPlaneQosProps,
  scope: Scope,
  patched: readonly ComponentPatch[],
  problems: ProblemList,
): string[] {
  const taken = new Map<string, ProblemList>();
  const take = (what: string, at: ProblemList): void => {
    const earlier = scope.declared.of(props.cluster, TAKEN).get(what);
    const other = earlier !== undefined && earlier.owner !== scope.owner ? earlier.path : undefined;
    if (taken.has(what) || other !== undefined) {
      at.add(
        'EDGE_DUPLICATE',
        `${other === undefined ? 'another entry here' : other} has ${what} already`,
        'write it once for a cluster (or give each cluster a name, if these are two clusters)',
      );
    }
    taken.set(what, at);
  };
  STATIC.filter((name) => props[name] !== undefined).forEach((name) =>
    take(`the static Pod ${STATIC_PODS[name]}`, problems.at(name)),
  );
  patched.forEach(({ workload }, index) => take(nameOfWorkload(workload), problems.at('components', index)));
  classesIn(props.priorityClasses).forEach(({ name, globalDefault }, index) => {
    const at = problems.at('priorityClasses', index);
    take(`the PriorityClass ${String(name)}`, at.at('name'));
    if (globalDefault === true) {
      take('a default PriorityClass', at.at('globalDefault'));
    }
  });
  return [...taken.keys()];
}

/** A strategic merge patch for kubeadm; the number comes before files without one in the same folder. */
function patchFile(target: string, object: KubernetesObject): { readonly fileName: string; readonly content: string } {
  return { fileName: `${target}0+strategic.json`, content: `${JSON.stringify(object, null, 2)}\n` };
}

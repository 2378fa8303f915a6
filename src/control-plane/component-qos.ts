import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { kubeadmKnowsPatchTarget } from '../cluster/kubeadm-capabilities.js';
import type { PlannedObject } from '../cluster/plan.js';
import type { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { ComponentWorkload } from '../system-components/catalog.js';
import type { SystemComponentReport } from '../system-components/component-report.js';
import { nameOfWorkload } from '../system-components/component-settings.js';
import { patchCommand } from '../system-components/exclusion-plan.js';
import { ExclusionStrategy, lostEvents } from '../system-components/exclusion-strategy.js';
import type { SystemComponent } from '../system-components/system-component.js';
import { isMap } from '../base/plain-data.js';
import type { ComponentQos } from './control-plane-qos-props.js';
import { type ResolvedQos, resolvedQos } from './qos-profile.js';
import { checkNames, podSpecWithQos } from './with-qos.js';
import { inProgram } from '../base/program-language.js';

/** The stage of the patches, which are applied separately, because the components must exist. */
export const QOS_PATCHES = 'qos-patches';

/** A patch of the workload of a component. */
export interface ComponentPatch {
  readonly workload: ComponentWorkload;
  readonly profile: ResolvedQos;
  readonly object: KubernetesObject;
  /** Its patch target in kubeadm; undefined if the kubeadm of the cluster has none. */
  readonly target: string | undefined;
  readonly report: SystemComponentReport;
}

/** The patches of a component, by the strategies by which patches exclude it: a kubeadm patch where kubeadm has a target, and server-side apply. */
export function componentPatches(
  { component, profile: given }: ComponentQos,
  cluster: EdgeCluster,
  fieldManager: string,
  problems: ProblemList,
): ComponentPatch[] {
  const profile = resolvedQos(given, problems.at('profile'));
  const { owner, workloads, name } = component.data;
  const [workload] = workloads;
  if (owner === 'operator' || component.manifest !== undefined) {
    problems
      .at('component')
      .add(
        'EDGE_STRATEGY',
        owner === 'operator' ? `an operator writes ${name} again, without the patch` : `${name} is a whole manifest`,
        owner === 'operator'
          ? 'write the resources into the settings of the operator'
          : 'give the manifest its resources with withQos, and leave the component out here',
      );
  } else if (workloads.length > 1) {
    problems
      .at('component')
      .add(
        'EDGE_STRATEGY',
        `${name} has ${workloads.length} workloads (${workloads.map(nameOfWorkload).join(', ')}), and a profile is for the Pods of one`,
        `write ${inProgram('SystemComponent.of(', '')}{ kind: '${workload?.kind}', namespace: '${workload?.namespace}', name: '${workload?.name}' }${inProgram(')', '')}`,
      );
  }
  return profile === undefined || workload === undefined
    ? []
    : [componentPatch(component, workload, profile, { cluster, fieldManager, problems: problems.at('profile') })];
}

function componentPatch(
  component: SystemComponent,
  workload: ComponentWorkload,
  profile: ResolvedQos,
  { cluster, fieldManager, problems }: { cluster: EdgeCluster; fieldManager: string; problems: ProblemList },
): ComponentPatch {
  checkNames(profile, workload.containers ?? [], problems);
  const names = workload.containers ?? [...profile.containers.keys()];
  const { containers, ...podSpec } = podSpecWithQos({ containers: names.map((name) => ({ name })) }, profile, problems);
  const named = (containers as unknown[]).filter((one) => isMap(one) && profile.containers.has(String(one.name)));
  const object: KubernetesObject = {
    apiVersion: workload.apiVersion ?? 'apps/v1',
    kind: workload.kind,
    metadata: { name: workload.name, namespace: workload.namespace },
    spec: { template: { spec: { ...podSpec, containers: named } } },
  };
  const { kubeadmPatchTarget: wanted } = workload;
  const target = wanted !== undefined && kubeadmKnowsPatchTarget(cluster, wanted) ? wanted : undefined;
  const strategies = [
    ...(target === undefined ? [] : [ExclusionStrategy.KUBEADM_PATCH]),
    ExclusionStrategy.SERVER_SIDE_APPLY,
  ];
  return {
    workload,
    profile,
    object,
    target,
    report: {
      component: component.name,
      workload: nameOfWorkload(workload),
      strategies,
      lostAfter: lostEvents(component.data.owner, cluster.distribution, strategies, true),
      command: patchCommand({ partial: object, fieldManager }),
    },
  };
}

/** A patch takes over what the component ships, and stays when its declaration is removed: nothing could restore the former amounts. */
export function plannedPatch({ object }: ComponentPatch): PlannedObject {
  return {
    object,
    apply: 'patch',
    id: String(object.metadata?.name),
    stage: QOS_PATCHES,
    after: [],
    force: true,
    retain: true,
    skipExclusion: 'has only the resources of a system component (ControlPlaneQos)',
  };
}

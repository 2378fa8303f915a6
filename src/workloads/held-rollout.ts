import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { workloadSpecs } from './deployment-rollout.js';
import { numberAt } from './workload-size.js';

/**
 * Why a changed template replaces no Pod by itself; undefined if it does. A paused Deployment is only scaled (pkg/controller/deployment
 * deployment_controller.go, syncDeployment), and a StatefulSet keeps the old revision below the partition (stateful_set_control.go).
 *
 * @param kind of the workload that has the spec
 */
export function heldRollout(kind: string, spec: PlainMap): string | undefined {
  const { type, rollingUpdate } = mapAt(spec, 'updateStrategy');
  if (kind === 'Deployment') {
    return spec.paused === true ? 'spec.paused: nothing is replaced until the Deployment is resumed' : undefined;
  }
  if (type === 'OnDelete') {
    return 'updateStrategy OnDelete: each Pod is replaced when it is deleted';
  }
  const replicas = numberAt(spec, ['replicas']);
  const first = partitionOf({ rollingUpdate });
  return kind === 'StatefulSet' && first > 0 && first >= replicas
    ? `partition ${first} of ${replicas} ${replicas === 1 ? 'Pod' : 'Pods'}: none is replaced until it is lower`
    : undefined;
}

/** The first Pod of a StatefulSet that an update replaces, counted from 0 also where `ordinals.start` is not 0 (newVersionedStatefulSetPod). */
export function partitionOf(updateStrategy: PlainMap): number {
  const { partition } = mapAt(updateStrategy, 'rollingUpdate');
  return typeof partition === 'number' ? partition : 0;
}

/** What keeps a changed template of an object from replacing Pods. */
export interface HeldRollout {
  readonly reason: string;
  /** Whether no Pod is replaced. */
  readonly isAll: boolean;
}

/** The same of an object, also of a YurtAppSet, of the workload that it makes. */
export function heldRolloutOf(object: PlainMap): HeldRollout | undefined {
  const [found] = isByUpdater(object) ? [] : workloadSpecs(object);
  if (found === undefined) {
    return undefined;
  }
  const reason = heldRollout(found.kind, found.spec);
  const first = found.kind === 'StatefulSet' ? partitionOf(mapAt(found.spec, 'updateStrategy')) : 0;
  return reason !== undefined
    ? { reason, isAll: true }
    : first > 0
      ? { reason: `from Pod ${first} on (its partition)`, isAll: false }
      : undefined;
}

/** Whether yurt-manager's DaemonPodUpdater replaces its Pods (openyurt daemon_pod_updater_controller.go). */
export function isByUpdater(object: PlainMap): boolean {
  const strategy = mapAt(mapAt(object, 'metadata'), 'annotations')['apps.openyurt.io/update-strategy'];
  const { type } = mapAt(mapAt(object, 'spec'), 'updateStrategy');
  return object.kind === 'DaemonSet' && type === 'OnDelete' && strategy === 'AdvancedRollingUpdate';
}

import { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { type Exclusion, excludeWorkload, findPoolContradictions } from './exclusion.js';
import { mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkTemplatePath, podTemplatePaths } from '../kubernetes/pod-template.js';
import { checkKnownProperties } from '../validation/properties.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { type Declaration, hostNetworkPoolsOf } from '../cluster/fleet.js';

/**
 * Properties of an {@link ExcludedWorkload}.
 *
 * @category Keep workloads off host-network nodes
 */
export interface ExcludedWorkloadProps {
  /** The cluster in which the workload runs. */
  readonly cluster: EdgeCluster;
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadInput;
  /** Where the Pod template is, for kinds that this library does not know, for example `spec.template`.
   * @default - known for Pod, Deployment, DaemonSet, StatefulSet, ReplicaSet, Job, CronJob, YurtAppSet, YurtAppDaemon and more */
  readonly podTemplatePath?: string;
}

/**
 * Plans a workload that is kept off host-network nodes.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planExcludedWorkload(props: ExcludedWorkloadProps, declaration: Declaration): Exclusion {
  props ??= {} as ExcludedWorkloadProps;
  const problems = new ProblemList();
  checkKnownProperties(props, ['cluster', 'workload', 'podTemplatePath'], problems);
  const hasPath = checkTemplatePath(props.podTemplatePath, problems.at('podTemplatePath'));
  const hasCluster = checkCluster(props.cluster, problems.at('cluster'));
  const at = problems.at('workload');
  const workload = readWorkload(props.workload, at);
  let exclusion: Exclusion | undefined;
  if (hasCluster && hasPath && workload !== undefined) {
    const isHostNetworkPool = hostNetworkPoolsOf(declaration.fleets.of(props.cluster));
    exclusion = excludeWorkload(
      props.cluster,
      workload,
      { podTemplatePath: props.podTemplatePath, isHostNetworkPool },
      at,
    );
  }
  problems.throwIfAny(subjectOf(declaration));
  return exclusion as Exclusion;
}

/**
 * A pool that was declared after a workload contradicts it as much as one declared before.
 *
 * @throws {@link EdgeError} with EDGE_CONTRADICTION
 */
export function checkPoolsDeclaredLater(
  manifest: PlainMap,
  { cluster, podTemplatePath }: ExcludedWorkloadProps,
  declaration: Declaration,
): void {
  const problems = new ProblemList('workload');
  const isHostNetworkPool = hostNetworkPoolsOf(declaration.fleets.of(cluster));
  for (const path of podTemplatePaths(manifest, podTemplatePath)) {
    const podSpec = mapAt(valueAt(manifest, path) as PlainMap, 'spec');
    findPoolContradictions(cluster.nodePoolLabel, isHostNetworkPool, podSpec, problems.at(...path, 'spec'));
  }
  problems.throwIfAny(subjectOf(declaration));
}

function subjectOf({ path }: Declaration): string {
  return `ExcludedWorkload ${path}`;
}

import { ApiObject, type ApiObjectProps } from 'cdk8s';
import { Construct } from 'constructs';
import { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../manifests/edge-cluster.js';
import {
  type Exclusion,
  type ExclusionReport,
  excludeWorkload,
  findPoolContradictions,
} from '../manifests/exclusion.js';
import { type KubernetesObject, mapAt, type PlainMap, valueAt } from '../manifests/kubernetes-object.js';
import { checkTemplatePath, podTemplatePaths } from '../manifests/pod-template.js';
import { checkKnownProperties } from '../manifests/properties.js';
import { readWorkload, type WorkloadInput } from '../manifests/workload.js';
import { ExcludedWorkloadMixin, type ExcludedWorkloadMixinProps } from './excluded-workload-mixin.js';
import { fleetOf, hostNetworkPoolsOf } from './fleet-registry.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

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
 * A workload that is kept off host-network nodes: the same object with the annotation `apps.openyurt.io/exclude-host-network-pool` and a
 * required node affinity in its Pod template. The affinity is what the scheduler, the DaemonSet controller and the kubelet obey, with or
 * without OpenYurt's webhook; the annotation lets OpenYurt 1.5+ see the intent.
 *
 * @category Keep workloads off host-network nodes
 */
export class ExcludedWorkload extends Construct {
  /**
   * Does the same to every workload that is already in a tree: `chart.with(ExcludedWorkload.mixin({ cluster }))`. Works on what `Include`
   * and `Helm` load, on cdk8s-plus workloads and on imported constructs.
   *
   * @param props the cluster, and which workloads to touch
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  public static mixin(props: ExcludedWorkloadMixinProps): ExcludedWorkloadMixin {
    return new ExcludedWorkloadMixin(props);
  }

  /** The object as it is applied, as plain data. */
  public readonly manifest: KubernetesObject;
  /** What was changed, and what the exclusion rests on. */
  public readonly report: ExclusionReport;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the workload
   * @throws {@link EdgeError} with all problems at once: EDGE_YAML, EDGE_NOT_AN_OBJECT, EDGE_NO_POD_TEMPLATE, EDGE_AFFINITY,
   * EDGE_CONTRADICTION, EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ExcludedWorkloadProps) {
    super(scope, id);
    const subject = `ExcludedWorkload ${this.node.path}`;
    const problems = new ProblemList();
    const exclusion = this.exclude(props ?? {}, problems);
    problems.throwIfAny(subject);
    const { manifest, report, warnings } = exclusion as Exclusion;
    this.manifest = manifest as KubernetesObject;
    this.report = report;
    new ApiObject(this, 'Resource', manifest as unknown as ApiObjectProps);
    addClusterWarnings(this, props.cluster);
    EdgeWarnings.add(this, warnings);
    this.node.addValidation({ validate: () => this.checkPoolsDeclaredLater(props) });
  }

  private exclude(props: ExcludedWorkloadProps, problems: ProblemList): Exclusion | undefined {
    checkKnownProperties(props, ['cluster', 'workload', 'podTemplatePath'], problems);
    const hasPath = checkTemplatePath(props.podTemplatePath, problems.at('podTemplatePath'));
    const hasCluster = checkCluster(props.cluster, problems.at('cluster'));
    const at = problems.at('workload');
    const workload = readWorkload(props.workload, at);
    if (!hasCluster || !hasPath || workload === undefined) {
      return undefined;
    }
    const isHostNetworkPool = hostNetworkPoolsOf(fleetOf(this, props.cluster));
    return excludeWorkload(props.cluster, workload, { podTemplatePath: props.podTemplatePath, isHostNetworkPool }, at);
  }

  /** A pool that was declared after this workload contradicts it as much as one declared before. */
  private checkPoolsDeclaredLater({ cluster, podTemplatePath }: ExcludedWorkloadProps): string[] {
    const problems = new ProblemList('workload');
    const isHostNetworkPool = hostNetworkPoolsOf(fleetOf(this, cluster));
    for (const path of podTemplatePaths(this.manifest, podTemplatePath)) {
      const podSpec = mapAt(valueAt(this.manifest, path) as PlainMap, 'spec');
      findPoolContradictions(cluster.nodePoolLabel, isHostNetworkPool, podSpec, problems.at(...path, 'spec'));
    }
    problems.throwIfAny(`ExcludedWorkload ${this.node.path}`);
    return [];
  }
}

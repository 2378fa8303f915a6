import { ApiObject, type ApiObjectProps, Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { ProblemList } from '../errors.js';
import type { KeepOffReport } from '../system-components/keep-off.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { type EdgeSystemComponentsSettings, planSystemComponents } from '../system-components/system-components.js';
import { addAdmissionObjects } from './admission-objects.js';
import { addArtifact } from './artifact.js';
import { LEFT_ALONE } from './left-alone-mark.js';
import { declarationOf } from './tree-fleets.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * Properties of {@link EdgeSystemComponents}.
 *
 * @category Keep system components off host-network nodes
 */
export interface EdgeSystemComponentsProps extends EdgeSystemComponentsSettings {
  /** Chart for the partial objects of SERVER_SIDE_APPLY. It must have no labels of its own, and is applied on its own: the components must exist.
   * With YamlOutputType.FILE_PER_APP everything lands in one file all the same: use another type.
   * @default - a chart beside the others, named after this construct: `<path>-patches` */
  readonly patchChart?: Chart;
}

/**
 * Keeps system components (kube-proxy, CoreDNS, CNI agents …) off host-network nodes. Each component is patched in the most durable way that
 * the cluster has; `report` says which, what undoes it, and what can not be kept off and why.
 *
 * @category Keep system components off host-network nodes
 */
export class EdgeSystemComponents extends Construct {
  /** How each workload is kept off. */
  public readonly report: readonly KeepOffReport[];
  /** What can not be kept off, and what to do instead. */
  public readonly cannotKeepOff: readonly KeepOffReport[];
  /** Files for `kubeadm init|upgrade --patches`, as {@link writeArtifacts} writes them. */
  public readonly kubeadmPatches: readonly EdgeArtifact[];
  /** The chart with the partial objects; undefined when there are none. */
  public readonly patchChart?: Chart;
  /** Flags with which `kubectl` must apply the patch chart. The field manager must be one of its own, or the apply would take the component's other fields away. */
  public readonly applyFlags: readonly string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the components
   * @throws {@link EdgeError} with all problems at once: EDGE_STRATEGY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_NAME, EDGE_TYPE,
   * EDGE_MISSING, EDGE_ARTIFACT, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: EdgeSystemComponentsProps) {
    super(scope, id);
    const problems = new ProblemList();
    checkPatchChart(props?.patchChart, problems.at('patchChart'));
    const plan = planSystemComponents(props, declarationOf(this), problems, ['patchChart']);
    this.report = plan.report;
    this.cannotKeepOff = plan.report.filter(({ strategies }) => strategies.length === 0);
    this.applyFlags = plan.applyFlags;
    addAdmissionObjects(this, plan.policies);
    plan.manifests.forEach((manifest) => new ApiObject(this, idOf(manifest), manifest as unknown as ApiObjectProps));
    this.kubeadmPatches = plan.kubeadmPatches;
    [...this.kubeadmPatches, ...plan.kustomizeFiles].forEach((artifact) => addArtifact(this, artifact));
    if (plan.partials.length > 0) {
      this.patchChart =
        props.patchChart ??
        new Chart(this.node.root, freeId(this.node.root, `${this.node.path.replace(/\//g, '-')}-patches`));
      const parts = new Construct(this.patchChart, freeId(this.patchChart, 'parts'));
      parts.node.addMetadata(LEFT_ALONE, 'is a part of a system component that already says it (EdgeSystemComponents)');
      plan.partials.forEach((partial) => new ApiObject(parts, idOf(partial), partial as unknown as ApiObjectProps));
    }
    EdgeWarnings.add(this, plan.warnings);
    addClusterWarnings(this, props.cluster);
  }
}

function checkPatchChart(patchChart: unknown, problems: ProblemList): void {
  if (patchChart === undefined) {
    return;
  }
  if (!Chart.isChart(patchChart)) {
    problems.add('EDGE_TYPE', 'this is not a chart', "give new Chart(app, 'patches'), or leave it out");
  } else if (Object.keys(patchChart.labels).length > 0 || patchChart.namespace !== undefined) {
    problems.add(
      'EDGE_CONTRADICTION',
      'the chart has labels or a namespace of its own, which the partial objects would then own too',
      "give new Chart(app, 'patches') without labels and namespace",
    );
  }
}

/** An id that no child has yet, so that several of these constructs can stand in one tree and share a chart. */
function freeId(scope: IConstruct, wanted: string): string {
  const taken = (id: string): boolean => scope.node.tryFindChild(id) !== undefined;
  let id = wanted;
  for (let count = 2; taken(id); count++) {
    id = `${wanted}-${count}`;
  }
  return id;
}

function idOf(object: PlainMap): string {
  const { namespace, name } = mapAt(object, 'metadata');
  return `${String(object.kind)}-${String(namespace)}-${String(name)}`;
}

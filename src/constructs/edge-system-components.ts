import { ApiObject, type ApiObjectProps, Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../manifests/edge-cluster.js';
import { FIELD_MANAGER, type KeepOffPlan, type KeepOffReport, planKeepOff } from '../manifests/keep-off.js';
import type { ComponentSettings } from '../manifests/keep-off-settings.js';
import { KeepOffStrategy } from '../manifests/keep-off-strategy.js';
import { mapAt, type PlainMap } from '../manifests/kubernetes-object.js';
import { kustomizeComponent } from '../manifests/kustomize-component.js';
import { checkKnownProperties, checkOneOf } from '../manifests/properties.js';
import type { SystemComponent } from '../manifests/system-component.js';
import { addAdmissionObjects, claimAdmissionNames } from './admission-objects.js';
import { addArtifact, type EdgeArtifact } from './artifact.js';
import { LEFT_ALONE } from './left-alone-mark.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * Properties of {@link EdgeSystemComponents}.
 *
 * @category Keep system components off host-network nodes
 */
export interface EdgeSystemComponentsProps {
  /** The cluster in which the components run. */
  readonly cluster: EdgeCluster;
  /** What is kept off host-network nodes. */
  readonly keepOff: SystemComponent[];
  /** How, for all components; several strategies work side by side.
   * @default - the most durable one that the cluster has for each component. From Kubernetes 1.36 on ADMISSION_POLICY; before, KUBEADM_PATCH where
   * kubeadm takes a patch (CoreDNS from 1.31). Both work only from the component's next write on, so SERVER_SIDE_APPLY goes with them, and is alone
   * where neither can be had. MANIFEST in its place where the manifest was given */
  readonly strategy?: KeepOffStrategy | KeepOffStrategy[];
  /** What differs in this cluster from the components as they are known, by their short names: `{ flannel: { namespace: 'cni' } }`.
   * @default - nothing */
  readonly components?: Record<string, ComponentSettings>;
  /** Name of the policy for ADMISSION_POLICY, and of its binding.
   * @default edge-nodepools-system-components */
  readonly policyName?: string;
  /** Use MutatingAdmissionPolicy where it is not on by default (Kubernetes 1.34 and 1.35); the API server needs `--feature-gates=MutatingAdmissionPolicy=true`
   * and `--runtime-config=admissionregistration.k8s.io/v1beta1=true`.
   * @default - only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Chart for the partial objects of SERVER_SIDE_APPLY. It must have no labels of its own, and is applied on its own: the components must exist.
   * With YamlOutputType.FILE_PER_APP everything lands in one file all the same: use another type.
   * @default - a chart beside the others, named after this construct: `<path>-patches` */
  readonly patchChart?: Chart;
  /** Folder below the output folder for the kubeadm patch files.
   * @default kubeadm-patches */
  readonly artifactFolder?: string;
  /** Folder below the output folder for a kustomize component that does what SERVER_SIDE_APPLY does: name it under `components` in a kustomization that
   * builds the manifests of the components.
   * @default - none is written */
  readonly kustomizeFolder?: string;
}

const PROPERTIES = [
  'cluster',
  'keepOff',
  'strategy',
  'components',
  'policyName',
  'mutatingAdmissionPolicy',
  'patchChart',
  'artifactFolder',
  'kustomizeFolder',
];

const FOLDER = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

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
    const plan = this.plan(props ?? {});
    this.report = plan.report;
    this.cannotKeepOff = plan.report.filter(({ strategies }) => strategies.length === 0);
    this.applyFlags = [
      '--server-side',
      `--field-manager=${FIELD_MANAGER}`,
      ...(plan.forceConflicts ? ['--force-conflicts'] : []),
    ];
    addAdmissionObjects(this, plan.policies);
    plan.manifests.forEach((manifest) => new ApiObject(this, idOf(manifest), manifest as unknown as ApiObjectProps));
    const folder = props.artifactFolder ?? 'kubeadm-patches';
    this.kubeadmPatches = plan.kubeadmPatches.map(({ fileName, content }) => ({
      path: `${folder}/${fileName}`,
      content,
    }));
    this.kubeadmPatches.forEach((artifact) => addArtifact(this, artifact));
    if (props.kustomizeFolder !== undefined && plan.partials.length > 0) {
      kustomizeComponent(plan.partials).forEach(({ fileName, content }) =>
        addArtifact(this, { path: `${props.kustomizeFolder}/${fileName}`, content }),
      );
    }
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

  private plan(props: EdgeSystemComponentsProps): KeepOffPlan {
    const problems = new ProblemList();
    checkKnownProperties(props, PROPERTIES, problems);
    const known = Object.values(KeepOffStrategy);
    const wanted = Array.isArray(props.strategy) ? props.strategy : [props.strategy];
    wanted.forEach((strategy) => checkOneOf(strategy, known, problems.at('strategy')));
    const { artifactFolder, kustomizeFolder, patchChart } = props;
    checkFolder(artifactFolder, "write 'kubeadm-patches'", problems.at('artifactFolder'));
    checkFolder(kustomizeFolder, "write 'keep-off'", problems.at('kustomizeFolder'));
    if (patchChart !== undefined && !Chart.isChart(patchChart)) {
      problems
        .at('patchChart')
        .add('EDGE_TYPE', 'this is not a chart', "give new Chart(app, 'patches'), or leave it out");
    } else if (
      patchChart !== undefined &&
      (Object.keys(patchChart.labels).length > 0 || patchChart.namespace !== undefined)
    ) {
      problems
        .at('patchChart')
        .add(
          'EDGE_CONTRADICTION',
          'the chart has labels or a namespace of its own, which the partial objects would then own too',
          "give new Chart(app, 'patches') without labels and namespace",
        );
    }
    const hasCluster = checkCluster(props.cluster, problems.at('cluster'));
    const plan = hasCluster ? planKeepOff(props, problems) : undefined;
    if (plan !== undefined) {
      claimAdmissionNames(this, props.cluster, plan.policies, 'policyName', problems);
    }
    problems.throwIfAny(`EdgeSystemComponents ${this.node.path}`);
    return plan as KeepOffPlan;
  }
}

function checkFolder(folder: unknown, hint: string, problems: ProblemList): void {
  if (folder !== undefined && !(typeof folder === 'string' && FOLDER.test(folder))) {
    problems.add('EDGE_ARTIFACT', `${JSON.stringify(folder)} is not a folder below the output folder`, hint);
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

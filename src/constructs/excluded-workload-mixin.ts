import { ApiObject, JsonPatch } from 'cdk8s';
import type { IConstruct, IMixin } from 'constructs';
import { EdgeError, ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../manifests/edge-cluster.js';
import { excludeWorkload } from '../manifests/exclusion.js';
import { isMap, type KubernetesObject, mapAt, nameOf, type PlainMap, valueAt } from '../manifests/kubernetes-object.js';
import { checkLabels } from '../manifests/label-syntax.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../manifests/labels.js';
import { isKnownWorkload, looksLikeWorkload, podTemplatePaths } from '../manifests/pod-template.js';
import { checkKnownProperties, checkOneOf } from '../manifests/properties.js';
import { guardExclusion } from './exclusion-guard.js';
import { fleetOf, hostNetworkPoolsOf } from './fleet-registry.js';
import { HOST_NETWORK_WORKLOAD } from './host-network-workload-mark.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * Which workloads {@link ExcludedWorkload.mixin} touches.
 *
 * @category Keep workloads off host-network nodes
 */
export interface ExcludedWorkloadMixinProps {
  /** The cluster in which the workloads run. */
  readonly cluster: EdgeCluster;
  /** Only objects of these kinds, for example `['DaemonSet']`.
   * @default - every kind whose Pod template is known */
  readonly kinds?: string[];
  /** Only objects in these namespaces; objects without one are in `default`.
   * @default - every namespace */
  readonly namespaces?: string[];
  /** Only objects of these names.
   * @default - every name */
  readonly names?: string[];
  /** Only objects that carry all of these labels.
   * @default - whatever their labels */
  readonly labels?: Record<string, string>;
  /** Only objects for which this function says true; it gets the object as plain data.
   * @default - every object that the other filters let through */
  readonly match?: (object: KubernetesObject) => boolean;
  /** Where the Pod template is, by kind, for kinds that this library does not know: `{ Rollout: 'spec.template' }`.
   * @default - none */
  readonly podTemplatePaths?: Record<string, string>;
  /** What to do with a workload that asks for host-network nodes itself: fail, or leave it and report it.
   * @default error */
  readonly onContradiction?: 'error' | 'skip';
}

/**
 * One object that the mixin looked at.
 *
 * @category Keep workloads off host-network nodes
 */
export interface MixinEntry {
  /** Path of the construct. */
  readonly construct: string;
  /** The object, `DaemonSet monitoring/node-exporter`. */
  readonly workload: string;
  /** Paths that were added or changed; empty for a skipped object. */
  readonly changed: readonly string[];
  /** Why it was left as it is.
   * @default - it was changed */
  readonly reason?: string;
}

/**
 * What the mixin did.
 *
 * @category Keep workloads off host-network nodes
 */
export interface MixinReport {
  /** Objects that were changed. */
  readonly touched: readonly MixinEntry[];
  /** Workloads that were left as they are, and why. */
  readonly skipped: readonly MixinEntry[];
}

const PROPERTIES = [
  'cluster',
  'kinds',
  'namespaces',
  'names',
  'labels',
  'match',
  'podTemplatePaths',
  'onContradiction',
];

/**
 * Keeps every matching workload of a tree off host-network nodes. It sees the objects that are there when it is applied, so apply it last;
 * if an object is changed afterwards so that it is no longer excluded, the synth fails and says so.
 *
 * @category Keep workloads off host-network nodes
 */
export class ExcludedWorkloadMixin implements IMixin {
  private readonly props: ExcludedWorkloadMixinProps;
  private readonly touched: MixinEntry[] = [];
  private readonly skipped: MixinEntry[] = [];

  /**
   * Use {@link ExcludedWorkload.mixin}.
   * @param props the cluster, and which workloads to touch
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  constructor(props: ExcludedWorkloadMixinProps) {
    const problems = new ProblemList();
    props ??= {} as ExcludedWorkloadMixinProps;
    checkKnownProperties(props, PROPERTIES, problems);
    checkCluster(props.cluster, problems.at('cluster'));
    checkOneOf(props.onContradiction, ['error', 'skip'], problems.at('onContradiction'));
    for (const field of ['kinds', 'namespaces', 'names'] as const) {
      const list: unknown = props[field];
      if (list !== undefined && !Array.isArray(list)) {
        problems.at(field).add('EDGE_TYPE', `${field} must be a list`, `write ${field}: [${JSON.stringify(list)}]`);
      }
    }
    checkLabels(props.labels, problems.at('labels'));
    problems.throwIfAny('ExcludedWorkload.mixin');
    this.props = props;
  }

  /** What was touched and what was skipped so far. */
  public get report(): MixinReport {
    return { touched: [...this.touched], skipped: [...this.skipped] };
  }

  /**
   * Whether a construct is a Kubernetes object.
   * @param construct any construct of the tree
   */
  public supports(construct: IConstruct): boolean {
    return ApiObject.isApiObject(construct);
  }

  /**
   * Excludes one object, or the items of a List.
   * @param construct a Kubernetes object
   * @throws {@link EdgeError} with EDGE_CONTRADICTION or EDGE_AFFINITY, unless `onContradiction` is `skip`
   */
  public applyTo(construct: IConstruct): void {
    const apiObject = construct as ApiObject;
    const object = apiObject.toJson() as PlainMap;
    if (object.kind === 'List' && Array.isArray(object.items)) {
      (object.items as unknown[]).forEach((item, index) => {
        if (isMap(item)) {
          this.exclude(apiObject, item, ['items', String(index)]);
        }
      });
    } else {
      this.exclude(apiObject, object, []);
    }
  }

  private exclude(apiObject: ApiObject, object: PlainMap, at: readonly string[]): void {
    const templatePath = this.props.podTemplatePaths?.[String(object.kind)];
    const reason = this.reasonToSkip(apiObject, object, templatePath);
    if (reason === 'not a workload') {
      return;
    }
    if (reason !== undefined) {
      this.skip(apiObject, object, reason);
      return;
    }
    const { cluster } = this.props;
    const problems = new ProblemList();
    const isHostNetworkPool = hostNetworkPoolsOf(fleetOf(apiObject, cluster));
    const exclusion = excludeWorkload(cluster, object, { podTemplatePath: templatePath, isHostNetworkPool }, problems);
    if (exclusion === undefined) {
      if (this.props.onContradiction !== 'skip') {
        throw new EdgeError(`ExcludedWorkload.mixin on ${apiObject.node.path} (${nameOf(object)})`, problems.problems);
      }
      this.skip(apiObject, object, problems.problems.map((problem) => problem.message).join('; '));
      return;
    }
    if (exclusion.report.changed.length === 0) {
      this.skip(apiObject, object, 'already excluded');
      return;
    }
    for (const path of podTemplatePaths(object, templatePath)) {
      apiObject.addJsonPatch(...patchesFor(object, exclusion.manifest, path, at));
    }
    this.touched.push({ ...entryOf(apiObject, object), changed: exclusion.report.changed });
    addClusterWarnings(apiObject, cluster);
    EdgeWarnings.add(apiObject, exclusion.warnings);
    guardExclusion(apiObject, cluster, at, templatePath);
  }

  private reasonToSkip(apiObject: ApiObject, object: PlainMap, templatePath: string | undefined): string | undefined {
    if (!looksLikeWorkload(object) && templatePath === undefined) {
      return 'not a workload';
    }
    const filtered = this.filteredBy(object);
    if (filtered !== undefined) {
      return `not chosen: ${filtered}`;
    }
    if (!isKnownWorkload(object) && templatePath === undefined) {
      return `unknown kind: write podTemplatePaths: { ${String(object.kind)}: 'spec.template' }`;
    }
    if (apiObject.node.scope?.node.metadata.some((entry) => entry.type === HOST_NETWORK_WORKLOAD) === true) {
      return 'runs on a host-network pool (HostNetworkWorkload)';
    }
    const paths = podTemplatePaths(object, templatePath);
    if (paths.length === 0) {
      return 'has no Pod template';
    }
    const optsOut = paths.some((path) => {
      const annotation = mapAt(mapAt(valueAt(object, path) as PlainMap, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION];
      return annotation !== undefined && annotation !== TRUE;
    });
    return optsOut ? `opts out: ${EXCLUDE_ANNOTATION} is not "true"` : undefined;
  }

  private skip(apiObject: ApiObject, object: PlainMap, reason: string): void {
    this.skipped.push({ ...entryOf(apiObject, object), changed: [], reason });
  }

  private filteredBy(object: PlainMap): string | undefined {
    const { kinds, namespaces, names, labels, match } = this.props;
    const metadata = mapAt(object, 'metadata');
    if (kinds !== undefined && !kinds.includes(String(object.kind))) {
      return 'kind';
    }
    if (
      namespaces !== undefined &&
      !namespaces.includes(typeof metadata.namespace === 'string' ? metadata.namespace : 'default')
    ) {
      return 'namespace';
    }
    if (names !== undefined && !names.includes(String(metadata.name))) {
      return 'name';
    }
    const own = mapAt(metadata, 'labels');
    if (!Object.entries(labels ?? {}).every(([key, value]) => own[key] === value)) {
      return 'labels';
    }
    return match === undefined || match(object as KubernetesObject) ? undefined : 'match';
  }
}

function entryOf(apiObject: ApiObject, object: PlainMap): { construct: string; workload: string } {
  return { construct: apiObject.node.path, workload: nameOf(object) };
}

function pointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/** The least JSON patch from the object to the excluded one: whole maps only where they were missing. */
function patchesFor(
  before: PlainMap,
  after: PlainMap,
  template: readonly string[],
  at: readonly string[],
): JsonPatch[] {
  return [
    ['metadata', 'annotations', EXCLUDE_ANNOTATION],
    ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'],
  ].map((wanted) => {
    const present = wanted.findIndex(
      (_, depth) => valueAt(before, [...template, ...wanted.slice(0, depth + 1)]) === undefined,
    );
    const path = [...template, ...wanted.slice(0, present < 0 ? wanted.length : present + 1)];
    return JsonPatch.add(pointer([...at, ...path]), valueAt(after, path));
  });
}

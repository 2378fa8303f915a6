import { ApiObject } from 'cdk8s';
import type { IConstruct, IMixin } from 'constructs';
import { EdgeError, ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../manifests/edge-cluster.js';
import { excludeWorkload } from '../manifests/exclusion.js';
import { isMap, type KubernetesObject, mapAt, nameOf, type PlainMap, valueAt } from '../manifests/kubernetes-object.js';
import { checkLabels } from '../manifests/label-syntax.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../manifests/labels.js';
import { checkTemplatePath, isKnownWorkload, looksLikeWorkload, podTemplatePaths } from '../manifests/pod-template.js';
import { checkKnownProperties, checkOneOf } from '../manifests/properties.js';
import { hostNetworkPoolsOf } from '../plans/fleet.js';
import { excludeAtSynth } from './exclusion-at-synth.js';
import { LEFT_ALONE } from './left-alone-mark.js';
import { declarationOf } from './tree-fleets.js';
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
 * Keeps every matching workload of a tree off host-network nodes. It touches the objects that are there when it is applied; what is changed in
 * them afterwards (by their construct or by patches) is kept, and the exclusion is added when they are synthesized.
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
    props ??= {} as ExcludedWorkloadMixinProps;
    const problems = new ProblemList();
    checkMixin(props, problems);
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
    const before = this.touched.length;
    this.excluded(apiObject, apiObject.toJson() as PlainMap, true);
    if (this.touched.length > before) {
      excludeAtSynth(apiObject, (object) => this.excluded(apiObject, object, false));
      addClusterWarnings(apiObject, this.props.cluster);
    }
  }

  /** The object with the exclusion, in its items if it is a List; the same object where nothing is to be done. */
  private excluded(apiObject: ApiObject, object: PlainMap, isReported: boolean): PlainMap {
    if (String(object.kind).endsWith('List') && Array.isArray(object.items)) {
      const items = (object.items as unknown[]).map((item) =>
        isMap(item) ? this.excluded(apiObject, item, isReported) : item,
      );
      return items.some((item, index) => item !== (object.items as unknown[])[index]) ? { ...object, items } : object;
    }
    const { cluster, podTemplatePaths } = this.props;
    const podTemplatePath = podTemplatePaths?.[String(object.kind)];
    const skip = (reason: string): PlainMap => {
      if (isReported) {
        this.skipped.push({ ...entryOf(apiObject, object), changed: [], reason });
      }
      return object;
    };
    if (!looksLikeWorkload(object) && podTemplatePath === undefined) {
      return object;
    }
    const reason = reasonToSkip(this.props, apiObject, object);
    if (reason !== undefined) {
      return skip(reason);
    }
    const problems = new ProblemList();
    const isHostNetworkPool = hostNetworkPoolsOf(declarationOf(apiObject).fleets.of(cluster));
    const exclusion = excludeWorkload(cluster, object, { podTemplatePath, isHostNetworkPool }, problems);
    if (exclusion === undefined) {
      if (this.props.onContradiction !== 'skip') {
        throw new EdgeError(`ExcludedWorkload.mixin on ${apiObject.node.path} (${nameOf(object)})`, problems.problems);
      }
      return skip(problems.problems.map((problem) => problem.message).join('; '));
    }
    if (exclusion.report.changed.length === 0) {
      return skip('already excluded');
    }
    if (isReported) {
      this.touched.push({ ...entryOf(apiObject, object), changed: exclusion.report.changed });
      EdgeWarnings.add(apiObject, exclusion.warnings);
    }
    return exclusion.manifest;
  }
}

function checkMixin(props: ExcludedWorkloadMixinProps, problems: ProblemList): void {
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
  if (props.match !== undefined && typeof props.match !== 'function') {
    problems
      .at('match')
      .add('EDGE_TYPE', 'match must be a function', "write match: (object) => object.metadata?.name !== 'web'");
  }
  const paths: unknown = props.podTemplatePaths;
  if (paths !== undefined && !isMap(paths)) {
    problems
      .at('podTemplatePaths')
      .add('EDGE_TYPE', 'podTemplatePaths must be a map', "write { Rollout: 'spec.template' }");
  }
  Object.entries(isMap(paths) ? paths : {}).forEach(([kind, path]) =>
    checkTemplatePath(path, problems.at('podTemplatePaths', kind)),
  );
}

/** Why a workload is left as it is; undefined when it is to be excluded. */
function reasonToSkip(props: ExcludedWorkloadMixinProps, apiObject: ApiObject, object: PlainMap): string | undefined {
  const templatePath = props.podTemplatePaths?.[String(object.kind)];
  const filtered = filteredBy(props, object);
  if (filtered !== undefined) {
    return `not chosen: ${filtered}`;
  }
  if (!isKnownWorkload(object) && templatePath === undefined) {
    return `unknown kind: write podTemplatePaths: { ${String(object.kind)}: 'spec.template' }`;
  }
  const mark = [apiObject, apiObject.node.scope]
    .flatMap((construct) => construct?.node.metadata ?? [])
    .find(({ type }) => type === LEFT_ALONE);
  if (mark !== undefined) {
    return String(mark.data);
  }
  const paths = podTemplatePaths(object, templatePath);
  if (paths.length === 0) {
    return 'has no Pod template';
  }
  const annotations = paths.map(
    (path) => mapAt(mapAt(valueAt(object, path) as PlainMap, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION],
  );
  const optOut = annotations.find((annotation) => annotation !== undefined && annotation !== TRUE);
  return optOut === undefined
    ? undefined
    : `opts out: ${EXCLUDE_ANNOTATION} is ${JSON.stringify(optOut)}, and only the text "true" (in quotes) asks for exclusion`;
}

function filteredBy(
  { kinds, namespaces, names, labels, match }: ExcludedWorkloadMixinProps,
  object: PlainMap,
): string | undefined {
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

function entryOf(apiObject: ApiObject, object: PlainMap): { construct: string; workload: string } {
  return { construct: apiObject.node.path, workload: nameOf(object) };
}

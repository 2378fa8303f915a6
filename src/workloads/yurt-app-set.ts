import { hasWorkloadTweaks, firstOpenYurtWith } from '../cluster/openyurt-capabilities.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { EdgeError, type EdgeProblem, type ProblemList } from '../base/errors.js';
import { checkLabelSelector, type LabelSelector } from '../kubernetes/label-selector.js';
import type { KubernetesObject, ObjectMetadata } from '../kubernetes/object.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import {
  type Check,
  checkProperties,
  listOf,
  oneOf,
  optional,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { showValue, whatIs } from '../base/properties.js';
import { isUnknown } from '../base/unknown.js';
import {
  HOST_NETWORK_PODS,
  type HostNetworkPodsProps,
  type HostNetworkWorkloadAttributes,
  planHostNetworkWorkload,
  poolsOf,
} from './host-network-workload.js';

/**
 * What a {@link YurtAppSet} changes in some of its pools.
 *
 * @category Run workloads on host-network nodes
 */
export interface WorkloadTweak {
  /** Names of the pools.
   * @default - those of `nodepoolSelector` */
  readonly pools?: string[];
  /** Pools by labels of their NodePools.
   * @default - those of `pools` */
  readonly nodepoolSelector?: LabelSelector;
  /** What is changed there. */
  readonly tweaks: {
    /** Number of Pods in each of them.
     * @default - as in the template */
    readonly replicas?: number;
    /** Other images.
     * @default - as in the template */
    readonly containerImages?: {
      /** Name of the container. */
      readonly name: string;
      /** Its image. */
      readonly targetImage: string;
    }[];
    /** JSON patches of the whole Deployment or StatefulSet.
     * @default - none */
    readonly patches?: {
      /** What is done at the path. */
      readonly operation: 'add' | 'remove' | 'replace';
      /** `/spec/template/spec/…` */
      readonly path: string;
      /** The value; `{{nodepool-name}}` in it is the name of the pool.
       * @default - none */
      readonly value?: unknown;
    }[];
  };
}

/**
 * Properties of a {@link YurtAppSet}. One of the templates is required.
 *
 * @category Run workloads on host-network nodes
 */
export interface YurtAppSetProps extends HostNetworkPodsProps {
  /** Metadata of the YurtAppSet.
   * @default - a name by the construct */
  readonly metadata?: ObjectMetadata;
  /** Labels, annotations and spec of a Deployment in each pool.
   * @default - statefulSetTemplate */
  readonly deploymentTemplate?: Record<string, unknown>;
  /** The same of a StatefulSet.
   * @default - deploymentTemplate */
  readonly statefulSetTemplate?: Record<string, unknown>;
  /** What differs in some of the pools.
   * @default - nothing */
  readonly workloadTweaks?: WorkloadTweak[];
  /** Selects the pools by labels of their NodePools, in place of their names.
   * @default - by name */
  readonly nodepoolSelector?: LabelSelector;
  /** How many revisions are kept.
   * @default - 10, by yurt-manager */
  readonly revisionHistoryLimit?: number;
}

type Tweaks = WorkloadTweak['tweaks'];
type Image = NonNullable<Tweaks['containerImages']>[number];
type Operation = NonNullable<Tweaks['patches']>[number];

const isText: Check = (value, problems) => {
  if (isUnknown(value)) {
    return;
  }
  if (typeof value !== 'string' || value === '') {
    problems.add('EDGE_TYPE', `${showValue(value)} is not text`, 'write text in quotes');
  }
};

/** The name of a pool, in place of which people give the pool. */
const isPoolName: Check = (value, problems) => {
  const name =
    typeof value === 'object' && value !== null && !isUnknown(value)
      ? (value as { poolName?: unknown }).poolName
      : undefined;
  if (typeof name === 'string') {
    problems.add('EDGE_TYPE', `this is ${whatIs(value)}, not the name of a pool`, `write '${name}'`);
  } else {
    isText(value, problems);
  }
};

const itemOf =
  <Props>(table: PropertyTable<Props>, advice: Readonly<Record<string, string>> = {}): Check =>
  (item, problems) => {
    if (isMap(item)) {
      checkProperties(item, table, problems, advice);
    } else if (!isUnknown(item)) {
      problems.add('EDGE_TYPE', `this is ${whatIs(item)}, not a map`, `write { ${Object.keys(table).join(', ')} }`);
    }
  };

const IMAGE: PropertyTable<Image> = { name: isText, targetImage: isText };

const OPERATION: PropertyTable<Operation> = {
  operation: oneOf('add', 'remove', 'replace'),
  path: (path, problems) => {
    if (!isUnknown(path) && (typeof path !== 'string' || !path.startsWith('/'))) {
      problems.add('EDGE_VALUE', `${showValue(path)} is not a JSON patch path`, "write '/spec/template/spec/…'");
    }
  },
  value: () => undefined,
};

const TWEAKS: PropertyTable<Tweaks> = {
  replicas: wholeNumber(0),
  containerImages: listOf(itemOf(IMAGE), "write containerImages: [{ name: 'web', targetImage: '…' }]"),
  patches: listOf(
    itemOf(OPERATION, { op: 'did you mean operation?' }),
    "write patches: [{ operation: 'replace', path: '/spec/…', value: … }]",
  ),
};

const TWEAK: PropertyTable<WorkloadTweak> = {
  pools: listOf(isPoolName, "write pools: ['beijing']"),
  nodepoolSelector: checkLabelSelector,
  tweaks: itemOf(TWEAKS),
};

const IN_TWEAKS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(TWEAKS).map((field) => [field, `write tweaks: { ${field}: … }`]),
);

const template =
  (kind: 'Deployment' | 'StatefulSet'): Check =>
  (value, problems) => {
    const field = kind === 'Deployment' ? 'deploymentTemplate' : 'statefulSetTemplate';
    const given = isMap(value) ? value.kind : undefined;
    if (given !== undefined && !isUnknown(given)) {
      problems.add(
        'EDGE_TYPE',
        `this is a whole ${showValue(given)}, and a YurtAppSet has only its spec, with labels and annotations in metadata`,
        given === kind
          ? `write ${field}: { spec: it.spec }, and name and namespace in metadata of the YurtAppSet`
          : `write ${field}: { spec: { selector, template } } as in a ${kind}`,
      );
    } else if (value !== undefined && !isUnknown(value) && !isMap(value)) {
      problems.add(
        'EDGE_TYPE',
        `this must be a map, and is ${whatIs(value)}`,
        `write { spec: { selector, template } } as in a ${kind}`,
      );
    }
  };

const PROPERTIES: PropertyTable<YurtAppSetProps> = {
  ...HOST_NETWORK_PODS,
  metadata: checkMadeMetadata,
  deploymentTemplate: template('Deployment'),
  statefulSetTemplate: template('StatefulSet'),
  workloadTweaks: listOf(
    itemOf(TWEAK, IN_TWEAKS),
    "write workloadTweaks: [{ pools: ['beijing'], tweaks: { replicas: 2 } }]",
  ),
  nodepoolSelector: optional(checkLabelSelector),
  revisionHistoryLimit: wholeNumber(0),
};

/** Where a property is in the YurtAppSet that it becomes. */
const PLACES: readonly (readonly [property: string, place: string])[] = [
  ['metadata', 'workload.metadata'],
  ['deploymentTemplate', 'workload.spec.workload.workloadTemplate.deploymentTemplate'],
  ['statefulSetTemplate', 'workload.spec.workload.workloadTemplate.statefulSetTemplate'],
  ['workloadTweaks', 'workload.spec.workload.workloadTweaks'],
  ['nodepoolSelector', 'workload.spec.nodepoolSelector'],
  ['pools', 'workload.spec.pools'],
  ['revisionHistoryLimit', 'workload.spec.revisionHistoryLimit'],
];

/** A path with its beginning replaced. */
function renamed(path: string, from: 0 | 1): string {
  const found = PLACES.find(
    ({ [from]: place }) => path.startsWith(place) && /^(?:$|[.[])/.test(path.slice(place.length)),
  );
  return found === undefined ? path : found[from === 0 ? 1 : 0] + path.slice(found[from].length);
}

/** Refuses a cluster whose OpenYurt does not have the kind as it is written. */
function checkRelease(cluster: EdgeCluster, problems: ProblemList): void {
  if (!cluster.hasOpenYurt()) {
    problems.add(
      'EDGE_NO_OPENYURT',
      'a YurtAppSet is made a Deployment in each pool by yurt-manager',
      'write a HostNetworkWorkload for each pool',
    );
  } else if (!hasWorkloadTweaks(cluster)) {
    problems.add(
      'EDGE_FIELD_NOT_IN_RELEASE',
      `OpenYurt ${cluster.openYurt} has YurtAppSet v1alpha1 only`,
      `v1beta1 exists from ${firstOpenYurtWith(({ yurtAppSetVersion }) => yurtAppSetVersion === 'v1beta1')} on; write that object as the workload of a HostNetworkWorkload`,
    );
  }
}

/** The YurtAppSet of the properties. */
function objectOf(props: YurtAppSetProps, names: readonly string[]): KubernetesObject {
  const { metadata, deploymentTemplate, statefulSetTemplate, workloadTweaks, nodepoolSelector, revisionHistoryLimit } =
    props;
  return {
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    ...present({ metadata }),
    spec: {
      ...(nodepoolSelector === undefined ? { pools: names } : { nodepoolSelector }),
      ...present({ revisionHistoryLimit }),
      workload: {
        workloadTemplate: present({ deploymentTemplate, statefulSetTemplate }),
        ...present({ workloadTweaks }),
      },
    },
  };
}

const present = (fields: PlainMap): PlainMap =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/**
 * Plans a YurtAppSet: a HostNetworkWorkload whose workload is that object.
 *
 * @param own checks of properties that only the component has
 * @throws {@link EdgeError} with all problems at once
 */
export function planYurtAppSet(
  props: YurtAppSetProps,
  scope: Scope,
  own: Readonly<Record<string, Check>> = {},
): Plan<HostNetworkWorkloadAttributes> {
  const subject = `YurtAppSet ${scope.path}`;
  const problems = problemsOf(scope);
  const given = props ?? {};
  checkProperties(given, { ...PROPERTIES, ...own }, problems, {
    workload: 'write deploymentTemplate: { spec: workload.spec }, or statefulSetTemplate, and metadata',
  });
  const pools = poolsOf(given, 'YurtAppSet', problems);
  const [cluster] = pools.map((pool) => pool.cluster);
  if (cluster !== undefined) {
    checkRelease(cluster, problems.at(given.pool === undefined ? 'pools' : 'pool'));
  }
  if ((given.deploymentTemplate === undefined) === (given.statefulSetTemplate === undefined)) {
    const isMissing = given.deploymentTemplate === undefined;
    const message = isMissing ? 'a template is required' : 'conflicting settings: a YurtAppSet has one template';
    const hint = 'write either deploymentTemplate or statefulSetTemplate';
    problems.at('deploymentTemplate').add(isMissing ? 'EDGE_MISSING' : 'EDGE_CONTRADICTION', message, hint);
  }
  problems.throwIfAny(subject);
  const workload = objectOf(
    given,
    pools.map(({ poolName }) => poolName),
  );
  const { pool, pools: several, dnsPolicy, apiServer, portConflicts, autonomy, rollout, nodesAway, wave } = given;
  const template = given.deploymentTemplate === undefined ? 'statefulSetTemplate' : 'deploymentTemplate';
  const outer = (path: string): string => (path === 'workload' ? template : renamed(path, 1));
  const inner = { ...scope, unknown: (scope.unknown ?? []).map((path) => renamed(path, 0)) };
  try {
    const plan = planHostNetworkWorkload(
      { pool, pools: several, dnsPolicy, apiServer, portConflicts, autonomy, rollout, nodesAway, wave, workload },
      inner,
    );
    const warnings = plan.warnings.map((warning) => ({
      ...warning,
      path: warning.path === 'workload' ? template : outer(`workload.${warning.path}`).replace(/^workload\./, ''),
      reads: (warning.reads ?? []).map(outer),
    }));
    return { ...plan, subject, warnings, attributes: { ...plan.attributes, warnings } };
  } catch (error) {
    throw error instanceof EdgeError
      ? new EdgeError(
          subject,
          error.problems.map((one): EdgeProblem => ({ ...one, path: outer(one.path) })),
        )
      : error;
  }
}

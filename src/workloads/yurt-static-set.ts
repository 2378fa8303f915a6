import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { KubernetesObject, ObjectMetadata } from '../kubernetes/object.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { STATIC_POD_ANNOTATION } from '../kubernetes/labels.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { checkOneOf, showValue } from '../base/properties.js';
import { checkProperties, mapWith, oneOf, plain, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { compute, holdsUnknown, isUnknown, text } from '../base/unknown.js';
import { claimPorts } from './host-ports.js';
import { checkAmount } from './rollout.js';
import { HOST_NETWORK_PODS, poolsOf } from './host-network-workload.js';
import { poolsWithout, type StaticPod, staticPodOf } from './static-pod.js';

/**
 * Properties of a {@link YurtStaticSet}.
 *
 * @category Run workloads on host-network nodes
 */
export interface YurtStaticSetProps {
  /** The pools whose nodes have the static Pod, all of one cluster. */
  readonly pools: readonly (NodePoolAttributes & { readonly hostNetwork: true })[];
  /** Name and namespace are those of the static Pod. */
  readonly metadata: ObjectMetadata;
  /** Labels, annotations and spec of the Pod. */
  readonly template: Record<string, unknown>;
  /** Its file in the folder of kubelet, without `.yaml`.
   * @default - `<namespace>-<name>`, as `staticPods` of a NodeJoin */
  readonly staticPodManifest?: string;
  /** `OTA`: when somebody on the site asks for it. `AdvancedRollingUpdate`: on Ready nodes.
   * @default - AdvancedRollingUpdate, by yurt-manager */
  readonly upgradeStrategy?: {
    /** How. */
    readonly type: 'OTA' | 'AdvancedRollingUpdate';
    /** Nodes at a time: a number, or a share.
     * @default 10% */
    readonly maxUnavailable?: number | string;
  };
  /** How many revisions are kept.
   * @default - 10, by yurt-manager */
  readonly revisionHistoryLimit?: number;
  /** What to do if another workload uses the same port.
   * @default error */
  readonly portConflicts?: 'error' | 'warn';
}

/** Attributes of a YurtStaticSet. */
export interface YurtStaticSetAttributes {
  readonly manifest: KubernetesObject;
  readonly warnings: readonly EdgeWarning[];
}

const PROPERTIES: PropertyTable<YurtStaticSetProps> = {
  pools: HOST_NETWORK_PODS.pools,
  metadata: (metadata, problems) => {
    checkMadeMetadata(metadata, problems);
    if (!isUnknown(metadata) && !('name' in (isMap(metadata) ? metadata : {}))) {
      problems
        .at('name')
        .add('EDGE_MISSING', 'the static Pod needs a name', "write metadata: { name: 'agent', namespace: 'edge' }");
    }
  },
  template: (template, problems) => {
    const { kind } = isUnknown(template) ? {} : mapAt({ template }, 'template');
    if (kind !== undefined) {
      problems.add(
        'EDGE_TYPE',
        `this is a whole ${showValue(kind)}, and a template has only labels, annotations and spec`,
        'write template: { metadata: { labels }, spec }, and name and namespace in metadata of the YurtStaticSet',
      );
    }
    if (!isUnknown(template) && !isMap(mapAt({ template }, 'template').spec) && !holdsUnknown(template)) {
      problems.add('EDGE_MISSING', 'the Pod is absent', 'write template: { spec: { containers: […] } }');
    }
  },
  staticPodManifest: (name, problems) => {
    const isFile = typeof name === 'string' && /^[\w-][\w.-]*$/.test(name);
    if (name !== undefined && !isUnknown(name) && (!isFile || /\.ya?ml$/.test(name))) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(name)} is not a manifest name`,
        `write '${manifestName(name)}', without .yaml and its folder`,
      );
    }
  },
  upgradeStrategy: mapWith(
    (strategy, problems) => {
      const { type, maxUnavailable } = strategy;
      checkProperties(strategy, { type: oneOf('OTA', 'AdvancedRollingUpdate'), maxUnavailable: checkAmount }, problems);
      if (type === undefined) {
        checkOneOf(String(type), ['OTA', 'AdvancedRollingUpdate'], problems.at('type'));
      }
      if (type === 'OTA' && maxUnavailable !== undefined) {
        problems
          .at('maxUnavailable')
          .add('EDGE_CONTRADICTION', 'conflicting settings: with OTA each site asks for itself', 'remove it');
      }
      if (maxUnavailable === 0 || maxUnavailable === '0%') {
        problems.at('maxUnavailable').add('EDGE_ROLLOUT', 'with 0 no Pod is ever replaced', "write 1 or '10%'");
      }
    },
    'this must be a map',
    "write upgradeStrategy: { type: 'OTA' }",
  ),
  revisionHistoryLimit: wholeNumber(0),
  portConflicts: plain(oneOf('error', 'warn')),
};

function manifestName(path: unknown): string {
  const name = typeof path === 'string' ? path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '') : '';
  return /^[\w-][\w.-]*$/.test(name) ? name : 'edge-agent';
}

/** What the Pod is made of. */
interface Input {
  readonly pool: NodePoolAttributes;
  readonly metadata: unknown;
  readonly template: unknown;
}

/** The static Pod of a template, by the rules of `staticPods` of a join. */
function podOf({ pool, metadata, template }: Input, problems: ProblemList): StaticPod | undefined {
  const { name, namespace } = mapAt({ metadata }, 'metadata');
  const { metadata: own, spec, ...others } = mapAt({ template }, 'template');
  const { labels, annotations } = mapAt({ own }, 'own');
  const named = Object.entries({ name, namespace, labels, annotations }).filter(([, value]) => value !== undefined);
  return staticPodOf(
    pool,
    { apiVersion: 'v1', kind: 'Pod', metadata: Object.fromEntries(named), spec, ...others },
    problems,
  );
}

function knownTemplate(input: Input): PlainMap {
  const problems = new ProblemList();
  const made = podOf(input, problems);
  problems.throwIfAny('the static Pod');
  return templateOf(made?.pod ?? {});
}

/** yurt-manager names the Pod as the YurtStaticSet, and adds a hash of its own (SetDefaultsYurtStaticSet, GenStaticPodManifest). */
function templateOf({ metadata, spec }: PlainMap): PlainMap {
  const { labels, annotations } = mapAt({ metadata }, 'metadata');
  const own = Object.entries(mapAt({ annotations }, 'annotations')).filter(([key]) => key !== STATIC_POD_ANNOTATION);
  return {
    metadata: {
      ...(labels === undefined ? {} : { labels }),
      ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}),
    },
    spec,
  };
}

/**
 * Plans a YurtStaticSet: yurt-manager replaces a static Pod on the nodes that have it. Its Pod is made by the rules of `staticPods` of a join.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planYurtStaticSet(props: YurtStaticSetProps, scope: Scope): Plan<YurtStaticSetAttributes> {
  const subject = `YurtStaticSet ${scope.path}`;
  const problems = problemsOf(scope);
  const given = props ?? {};
  checkProperties(given, PROPERTIES, problems, {
    name: 'write metadata: { name }',
    namespace: 'write metadata: { namespace }',
  });
  const { metadata, template, staticPodManifest, upgradeStrategy, revisionHistoryLimit, portConflicts } = given;
  const pools = poolsOf({ pools: given.pools ?? [] }, 'YurtStaticSet', problems);
  const [pool] = pools as [NodePoolAttributes];
  checkOpenYurt(pool?.cluster, problems.at('pools'));
  const input: Input = { pool, metadata, template };
  const isKnown = !holdsUnknown([metadata, template]);
  const made = problems.problems.length > 0 || !isKnown ? undefined : podOf(input, problems.at('template'));
  const warnings: EdgeWarning[] = [...(made?.warnings ?? [])];
  if (made !== undefined) {
    const claim = { ...made.claim, owner: scope.owner };
    claimPorts([{ claim, at: problems.at('template') }], { pools, portConflicts }, scope, warnings);
  }
  problems.throwIfAny(subject);
  const file = compute(metadata, ({ name, namespace = 'default' }) => text`${namespace}-${name as string}`);
  const manifest: KubernetesObject = {
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'YurtStaticSet',
    metadata,
    spec: {
      staticPodManifest: staticPodManifest ?? file,
      ...(upgradeStrategy === undefined ? {} : { upgradeStrategy }),
      ...(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit }),
      template: made === undefined ? compute(input, knownTemplate) : templateOf(made.pod),
    },
  };
  return {
    subject,
    objects: [
      {
        object: manifest,
        apply: 'create',
        skipExclusion: 'replaces static Pods of host-network nodes (YurtStaticSet)',
        check: checkWritten,
      },
    ],
    cluster: pool.cluster,
    attributes: { manifest, warnings },
    warnings,
    artifacts: [],
    atEnd: () => absentWarnings(staticPodManifest ?? file, pools, scope),
  };
}

/** Warns of pools whose nodes have no such static Pod: yurt-manager replaces the Pods that it finds, and starts none (static_pod controller, 1.4 to 1.7). */
function absentWarnings(file: string, pools: readonly NodePoolAttributes[], scope: Scope): readonly EdgeWarning[] {
  const without = isUnknown(file) ? [] : poolsWithout(file, pools, scope);
  return without.length === 0
    ? []
    : [
        {
          code: 'EDGE_STATIC_POD',
          path: 'pools',
          message: `nothing starts the Pod on the nodes of ${without.join(', ')}: a YurtStaticSet replaces the static Pod ${file}, and their joins write none`,
          hint: 'write the same Pod into staticPods of the NodeJoin',
        },
      ];
}

function checkOpenYurt(cluster: EdgeCluster | undefined, problems: ProblemList): void {
  if (cluster?.hasOpenYurt() === false) {
    problems.add(
      'EDGE_NO_OPENYURT',
      'without OpenYurt nothing replaces the Pods of a YurtStaticSet',
      'write staticPods of the NodeJoin, whose update script replaces them',
    );
  }
}

/** Reports a later change (a JSON patch) that takes the network of the node away. */
function checkWritten(written: PlainMap, problems: ProblemList): void {
  const spec = valueAt(written, ['spec', 'template', 'spec']);
  if (!isMap(spec) || spec.hostNetwork !== true) {
    const message = 'conflicting settings: a later change (a JSON patch) undoes hostNetwork';
    problems.at('template', 'spec', 'hostNetwork').add('EDGE_CONTRADICTION', message, 'patch other fields');
  }
}

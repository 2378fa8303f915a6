import { DeclarationKind, type Scope } from '../cluster/scope.js';
import { type EdgeWarning, joinPath, ProblemList } from '../errors.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { STATIC_POD_ANNOTATION } from '../kubernetes/labels.js';
import { readWorkload } from '../kubernetes/object-input.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { sha256Of } from '../text/content-hash.js';
import { printManifests } from '../text/yaml-print.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { CONTAINER_FIELDS } from './containers.js';
import { checkDeclaredWorkload } from './declared-workload.js';
import { hostNetworkPods } from './host-network-pods.js';
import type { PortClaim } from './port-claims.js';
import { checkStaticPodMetadata, checkStaticPodSpec } from './static-pod-rules.js';

/** A workload as a static Pod: kubelet starts it from a file, without an API server. */
export interface StaticPod {
  /** `<namespace>-<name>` */
  readonly fileName: string;
  /** The manifest, as an object. */
  readonly pod: PlainMap;
  /** The manifest, as YAML. */
  readonly text: string;
  readonly warnings: readonly EdgeWarning[];
  readonly claim: PortClaim;
}

/** A mirror Pod is named `<name>-<node>`, and the name of a node is at most 63 characters. */
const LONGEST_NAME = 253 - 1 - 63;

/** What concerns a controller, a scheduler or a token, of which a static Pod has none. */
const NOT_HERE: readonly string[] = [
  'EDGE_API_SERVER',
  'EDGE_AUTONOMY',
  'EDGE_IMMUTABLE',
  'EDGE_REPLICAS',
  'EDGE_ROLLOUT',
];

/**
 * The static Pod of a workload on the nodes of a pool: a Pod, or the Pod of a DaemonSet. It has no node affinity and no tolerations of the pool, because no
 * scheduler sees it, and kubelet would compare the affinity with labels that a node does not have without an API server.
 */
export function staticPodOf(pool: NodePoolAttributes, given: unknown, problems: ProblemList): StaticPod | undefined {
  const before = problems.problems.length;
  const workload = readWorkload(given, problems);
  if (workload === undefined) {
    return undefined;
  }
  const { groupKind } = objectKind(workload);
  if (groupKind !== 'Pod' && groupKind !== 'DaemonSet.apps') {
    problems
      .at('kind')
      .add(
        'EDGE_STATIC_POD',
        `a ${showValue(workload.kind)} cannot be a static Pod, of which one runs on every machine of the join`,
        'write a DaemonSet or a Pod',
      );
    return undefined;
  }
  checkDeclaredWorkload(pool.cluster, workload, problems);
  const path = groupKind === 'Pod' ? [] : ['spec', 'template'];
  const template = path.length === 0 ? workload : (valueAt(workload, path) as PlainMap | undefined);
  const spec = isMap(template) ? mapAt(template, 'spec') : {};
  checkName(mapAt(workload, 'metadata'), problems.at('metadata'));
  checkStaticPodMetadata(mapAt(workload, 'metadata'), problems.at('metadata'));
  checkStaticPodSpec(spec, problems.at(...path, 'spec'));
  if (problems.problems.length > before) {
    return undefined;
  }
  const inner = new ProblemList();
  const result = hostNetworkPods(pool.cluster, [pool], workload, {}, inner);
  const warned = result?.warnings ?? [];
  const services = warned.filter(({ code }) => code === 'EDGE_CLUSTER_SERVICE');
  for (const problem of [...inner.problems, ...services]) {
    problems.problems.push({ ...problem, path: inList(problems.path, problem.path) });
  }
  if (result === undefined || problems.problems.length > before) {
    return undefined;
  }
  const made = podFrom(workload, valueAt(result.manifest, path) as PlainMap, spec);
  const [namespace, name] = [mapAt(made, 'metadata').namespace, mapAt(made, 'metadata').name].map(String);
  return {
    fileName: `${namespace}-${name}`,
    pod: made,
    text: printManifests([made]),
    warnings: [
      ...warned
        .filter((warning) => !NOT_HERE.includes(warning.code) && !services.includes(warning))
        .map((warning) => ({ ...warning, path: inList(problems.path, warning.path) })),
      ...pullWarnings(spec, problems.at(...path, 'spec')),
    ],
    claim: {
      ...result.claim,
      demand: 'every node',
      nodeSelector: {},
      workload: `the static Pod ${namespace}/${name}`,
    },
  };
}

/** A path in the workload as a path in the list that has it. */
function inList(base: string, path: string): string {
  const rest = path.replace(/^workload(?=$|[.[])\.?/, '');
  return rest === '' ? base : rest.startsWith('[') ? `${base}${rest}` : `${base}.${rest}`;
}

function checkName({ name }: PlainMap, problems: ProblemList): void {
  if (typeof name !== 'string') {
    problems.add('EDGE_MISSING', 'a static Pod needs a name', "write metadata: { name: 'agent', namespace: 'edge' }");
  } else if (name.length > LONGEST_NAME) {
    problems
      .at('name')
      .add(
        'EDGE_NAME',
        `the name has ${name.length} characters, and kubelet appends the name of the node`,
        `write at most ${LONGEST_NAME}`,
      );
  }
}

/** What was added for a scheduler. */
const OF_SCHEDULER: readonly string[] = ['affinity', 'nodeSelector', 'tolerations'];

/** Metadata of the template, with the name of the workload; the annotation has the hash of all the rest, which the mirror Pod shows. */
function podFrom(workload: PlainMap, template: PlainMap, given: PlainMap): PlainMap {
  const { name, namespace = 'default' } = mapAt(workload, 'metadata');
  const { labels, annotations } = mapAt(template, 'metadata');
  const spec = Object.fromEntries(
    Object.entries(mapAt(template, 'spec')).filter(([field]) => !OF_SCHEDULER.includes(field)),
  );
  const { tolerations } = given;
  const made = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(isMap(labels) ? { labels } : {}) },
    spec: {
      ...spec,
      ...(tolerations === undefined ? {} : { tolerations }),
      ...Object.fromEntries(
        CONTAINER_FIELDS.flatMap((field) => (Array.isArray(spec[field]) ? [[field, spec[field].map(pulledOnce)]] : [])),
      ),
    },
  };
  const own = isMap(annotations) ? annotations : {};
  const hash = sha256Of(JSON.stringify([made, own])).slice(0, 10);
  return { ...made, metadata: { ...made.metadata, annotations: { ...own, [STATIC_POD_ANNOTATION]: hash } } };
}

/** Without a policy an image with the tag latest is pulled at every start, which fails without a network. */
function pulledOnce(container: unknown): unknown {
  return isMap(container) && (container.imagePullPolicy ?? '') === ''
    ? { ...container, imagePullPolicy: 'IfNotPresent' }
    : container;
}

function pullWarnings(spec: PlainMap, at: ProblemList): EdgeWarning[] {
  return CONTAINER_FIELDS.flatMap((field) =>
    (Array.isArray(spec[field]) ? (spec[field] as unknown[]) : []).flatMap((container, index) =>
      isMap(container) && container.imagePullPolicy === 'Always'
        ? [
            {
              code: 'EDGE_STATIC_POD' as const,
              path: joinPath(at.at(field, index).path, 'imagePullPolicy'),
              message:
                'Always: after a reboot without a network, kubelet cannot pull the image, and does not start the container',
              hint: "leave it out: 'IfNotPresent' is written here; another version of the image is another tag",
            },
          ]
        : [],
    ),
  );
}

/** The static Pods that the joins of a pool write, by their files without `.yaml`; undefined if not all are known. */
const RESIDENT = new DeclarationKind<ReadonlySet<string> | undefined>('static Pods of pools');

/** Records the static Pods that a join writes on the nodes of a pool. */
export function noteStaticPods(
  { declared }: Scope,
  { cluster, poolName }: NodePoolAttributes,
  files: ReadonlySet<string> | undefined,
): void {
  const known = declared.of(cluster, RESIDENT);
  const earlier = known.has(poolName) ? known.get(poolName) : new Set<string>();
  known.set(poolName, earlier && files && new Set([...earlier, ...files]));
}

/** Names of the pools whose joins write no static Pod with a file; those without a join in this program may have it from elsewhere. */
export function poolsWithout(file: string, pools: readonly NodePoolAttributes[], { declared }: Scope): string[] {
  return pools
    .filter(({ cluster, poolName }) => declared.of(cluster, RESIDENT).get(poolName)?.has(file) === false)
    .map(({ poolName }) => poolName);
}

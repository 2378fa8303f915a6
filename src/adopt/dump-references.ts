import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { CONFIGURATIONS, SERVICE } from '../admission/configurations.js';
import { nameOf } from '../kubernetes/object.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';

/** The first names of a list, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** What an object names. */
interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly name: unknown;
}

/**
 * Refuses a dump in which objects name others of a kind that was read, and these are not there: it is not complete, and a plan would miss steps. Kinds that
 * were not read at all are reported elsewhere.
 */
export function checkReferences(cluster: EdgeCluster, objects: readonly PlainMap[], problems: ProblemList): void {
  const read = new Map<string, Set<unknown>>();
  for (const object of objects) {
    const kind = keyOf({ group: groupOf(object.apiVersion), kind: String(object.kind) });
    read.set(kind, (read.get(kind) ?? new Set()).add(mapAt(object, 'metadata').name));
  }
  const missing = new Map<string, Set<string>>();
  for (const object of objects.filter(({ metadata }) => isMap(metadata) && metadata.deletionTimestamp === undefined)) {
    for (const { name, ...of } of referencesOf(cluster, object)) {
      const isMissing = typeof name === 'string' && name !== '' && read.get(keyOf(of))?.has(name) === false;
      if (isMissing) {
        const named = `${of.kind} ${name}`;
        missing.set(named, (missing.get(named) ?? new Set()).add(nameOf(object)));
      }
    }
  }
  for (const [named, by] of missing) {
    const [of = ''] = named.split(' ');
    problems.add(
      'EDGE_MISSING',
      `it does not contain the ${named}, which is named by ${someOf([...by])}`,
      `kubectl get ${of.toLowerCase()} --all-namespaces --output=yaml >dump/${of.toLowerCase()}.yaml, without a selector; if the cluster has no ${named} either, create it or remove what names it`,
    );
  }
}

const isOfController = ({ apiVersion }: PlainMap): boolean =>
  /^(apps|batch|apps\.openyurt\.io)\//.test(String(apiVersion));
const hasEnded = (pod: PlainMap): boolean => ['Succeeded', 'Failed'].includes(String(mapAt(pod, 'status').phase));
const keyOf = ({ group, kind }: Omit<Reference, 'name'>): string => `${group}/${kind}`;
const groupOf = (apiVersion: unknown): string => /^(.*)\//.exec(String(apiVersion))?.[1] ?? '';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const mapsIn = (value: unknown): readonly PlainMap[] => listOf(value).filter(isMap);

const POLICIES = 'admissionregistration.k8s.io';

function referencesOf(cluster: EdgeCluster, object: PlainMap): Reference[] {
  const core = (kind: string, name: unknown): Reference => ({ group: '', kind, name });
  const { kind } = object;
  const [metadata, spec] = [mapAt(object, 'metadata'), mapAt(object, 'spec')];
  const { name: role } = mapAt(object, 'roleRef');
  return [
    ...(cluster.hasOpenYurt() ? poolsNamedBy(object, cluster.nodePoolLabel) : []).map((name): Reference => ({
      group: 'apps.openyurt.io',
      kind: 'NodePool',
      name,
    })),
    // of a kind that people also read in part, such as ConfigMaps, a name proves nothing
    ...mapsIn(metadata.ownerReferences)
      .filter(isOfController)
      .map((owner): Reference => ({
        group: groupOf(owner.apiVersion),
        kind: String(owner.kind),
        name: owner.name,
      })),
    // one that has ended may have been on a Node that is gone
    ...(kind === 'Pod' && !hasEnded(object) ? [core('Node', spec.nodeName)] : []),
    // those that a controller has counted
    ...(kind === 'NodePool' ? listOf(mapAt(object, 'status').nodes).map((name) => core('Node', name)) : []),
    ...(/^(Validating|Mutating)AdmissionPolicyBinding$/.test(String(kind))
      ? [{ group: POLICIES, kind: String(kind).replace(/Binding$/, ''), name: spec.policyName }]
      : []),
    ...(kind === 'ClusterRoleBinding' && /^yurt-/.test(String(role))
      ? [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role }]
      : []),
    ...(Object.values(CONFIGURATIONS).some(({ name }) => metadata.name === name) ? [core('Service', SERVICE)] : []),
    ...(kind === 'YurtAppOverrider'
      ? [{ group: 'apps.openyurt.io', ...(mapAt(object, 'subject') as { kind: string; name: unknown }) }]
      : []),
  ];
}

/** The NodePools that a node is a member of, that a YurtAppSet has, or that Pods of a workload are bound to. */
function poolsNamedBy(object: PlainMap, label: string): unknown[] {
  const spec = mapAt(object, 'spec');
  // without a Pod it may name what is gone, or what comes
  const isWithoutPods = spec.replicas === 0 || (object.kind === 'Pod' && hasEnded(object));
  return [
    ...(object.kind === 'Node' ? [mapAt(mapAt(object, 'metadata'), 'labels')[label]] : []),
    // v1beta1 has names, v1alpha1 a topology
    ...(object.kind === 'YurtAppSet'
      ? [...listOf(spec.pools), ...mapsIn(mapAt(spec, 'topology').pools).map(({ name }) => name)]
      : []),
    ...(isWithoutPods ? [] : podPlaces(object)).flatMap((place) => {
      const podSpec = podSpecAt(object, place);
      const required = (requiredTerms(podSpec) ?? []).flatMap(({ matchExpressions }) => mapsIn(matchExpressions));
      return [
        mapAt(podSpec, 'nodeSelector')[label],
        ...required.flatMap(({ key, operator, values }) =>
          key === label && operator === 'In' && listOf(values).length === 1 ? listOf(values) : [],
        ),
      ];
    }),
  ];
}

import type { CreatedPod, PodPolicy } from '../admission/pod-policies.js';
import { ProblemList } from '../base/errors.js';
import { isThere, namedNamespace as named, NAMESPACE_NAME, namespacesIn, PodAdmission } from './admitted-pod.js';
import { membersIn } from './fleet-overview.js';
import { membersOf, poolNames, poolTable } from './fleet.js';
import { judge } from './kubelet.js';
import { type Workload, workloadOf } from './made-pods.js';
import { itemsOf } from './placement-input.js';
import { type FleetLabels, isHostNetworkNode } from './node.js';
import { clusterOf, type ClusterNode } from './placement-cluster.js';
import type { PlacementPod } from './placement-pod.js';
import { type ExampleNode, namedNode, NOTHING_KNOWN } from './pod-placement.js';
import type { Refusal, Verdict } from './verdict.js';
import { type PrintableReport, printable } from '../base/table.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkOneOf } from '../base/properties.js';
import { type CheckSettings, readSettings, requireSettings } from './check-settings.js';

/**
 * Settings of {@link provesNoPodNetwork}.
 *
 * @category Check manifests
 */
export interface ProofSettings extends Pick<CheckSettings, 'labels' | 'pools'> {
  /** Of which Pods it is asked: of `every` Pod that anybody can create, or only of those that the manifests make (`written`).
   * @default every */
  readonly pods?: 'every' | 'written';
}

/**
 * Whether Pods without `hostNetwork` are kept off a host-network pool.
 *
 * @category Check manifests
 */
export interface PodNetworkProof {
  /** Name of the pool. */
  readonly pool: string;
  /** `proven`: no such Pod gets there. `refuted`: the counterexample does. `unknown`: the manifests do not say it. */
  readonly outcome: 'proven' | 'refuted' | 'unknown';
  /** Why, in one sentence. */
  readonly reason: string;
  /** A Pod without `hostNetwork` that is put on a node of the pool, and never starts.
   * @default - none was found */
  readonly counterexample?: object;
  /** What must hold besides the manifests. */
  readonly assumes: readonly string[];
}

/**
 * Proves for each host-network pool that no Pod without `hostNetwork` starts there or is stuck there, by the manifests and the policies in them; or it
 * finds a Pod that is. Policies of `PoolAdmission` are known by what they say; a third-party policy or webhook that sees the Pod makes the answer `unknown`.
 * Static Pods, which no policy sees, quotas and Pod security are not considered.
 *
 * @param manifests plain Kubernetes objects: pools, workloads, policies and their bindings, or a dump of a cluster
 * @param settings pools that have no object, and of which Pods it is asked
 * @throws {@link EdgeError} with EDGE_TYPE, EDGE_VALUE or EDGE_NOT_AN_OBJECT
 * @returns one entry per host-network pool; `String(…)` is a table
 * @category Check manifests
 */
export function provesNoPodNetwork(
  manifests: readonly object[],
  settings: ProofSettings = {},
): PrintableReport<PodNetworkProof[]> {
  const { pods = 'every', ...rest }: ProofSettings = Object(settings) as ProofSettings;
  requireSettings('provesNoPodNetwork', isMap(settings) ? rest : settings);
  const problems = new ProblemList();
  checkOneOf(pods, ['every', 'written'], problems.at('settings', 'pods'));
  problems.throwIfAny('provesNoPodNetwork');
  const { labels, declared } = readSettings('provesNoPodNetwork', manifests, rest);
  const all = manifests.filter(isMap).flatMap(itemsOf);
  const { objects, nodes } = membersIn(all, labels, declared);
  const admission = new PodAdmission(objects, labels.hostNetworkLabel);
  const workloads = objects.flatMap((object) => workloadOf(object) ?? []);
  const proofs = membersOf(objects, nodes, labels)
    .members.filter((member) => isHostNetworkNode(member, labels.hostNetworkLabel))
    .map((member): PodNetworkProof => {
      const pool = member.labels[labels.nodePoolLabel] ?? member.name;
      const places = [member, ...nodesOf(objects, pool, labels)];
      const asked: Asked = { objects, admission, places, labels };
      const written = workloads.flatMap((workload) => answerOf(workload, asked) ?? []);
      const answers = [...written, pods === 'written' ? NO_WRITTEN_POD : answerOfAnyPod(asked)];
      const answer = answers.find(({ outcome }) => outcome === 'refuted') ?? answers[0] ?? NO_WRITTEN_POD;
      return { pool, assumes: [], ...answer };
    });
  return printable(proofs, (each) =>
    poolTable(
      ['POOL', 'PODS WITHOUT HOSTNETWORK'],
      each.map(({ pool, outcome, reason }) => ({ pool, facts: [], rows: [[`${outcome}: ${reason}`]] })),
    ),
  );
}

type ProofPart = Pick<PodNetworkProof, 'outcome' | 'reason'> & Partial<PodNetworkProof>;

/** The nodes of a pool and what sees Pods before they get there. */
interface Asked {
  readonly objects: readonly PlainMap[];
  readonly admission: PodAdmission;
  /** An example node of the pool, and its Nodes as they are, which may lack a label or a taint. */
  readonly places: readonly (ExampleNode & { readonly poolLabels?: Readonly<Record<string, unknown>> })[];
  readonly labels: Required<FleetLabels>;
}

const NO_WRITTEN_POD: ProofPart = { outcome: 'proven', reason: 'no workload of the manifests gets there' };

/** The Nodes of a pool in a dump. */
function nodesOf(objects: readonly PlainMap[], pool: string, { nodePoolLabel }: Required<FleetLabels>): ClusterNode[] {
  return clusterOf(objects, false).nodes.filter(({ labels }) => labels[nodePoolLabel] === pool);
}

/** What the Pods of a workload say against the proof; undefined if nothing. */
function answerOf(workload: Workload, asked: Asked): ProofPart | undefined {
  let open: ProofPart | undefined;
  for (const place of asked.places) {
    const made = podsFor(workload, place, asked);
    for (const { pod, verdict } of Array.isArray(made) ? made : []) {
      const answer = answerOfPod(workload, pod, verdict, asked);
      if (answer?.outcome === 'refuted') {
        return answer;
      }
      open ??= answer;
    }
    if (!Array.isArray(made) && made.outcome === 'unknown') {
      open ??= { outcome: 'unknown', reason: `${workload.name}: ${made.reason}` };
    }
  }
  return open;
}

function podsFor(
  workload: Workload,
  place: Asked['places'][number],
  { admission, labels: { nodePoolLabel, hostNetworkLabel } }: Pick<Asked, 'admission' | 'labels'>,
): { readonly pod: PlacementPod; readonly verdict: Verdict }[] | Refusal {
  const { taints = [], poolLabels } = place;
  const made = workload.podsFor({ pool: place.labels[nodePoolLabel], poolLabels, taints, poolLabel: nodePoolLabel });
  return isPods(made)
    ? made.map((given) => {
        const pod = admission.withRuntimeClass(given);
        const on: ClusterNode = { ...namedNode(pod.spec, place), pods: [] };
        return { pod, verdict: judge(pod, on, { ...NOTHING_KNOWN, nodes: [on] }, hostNetworkLabel) };
      })
    : made;
}

function isPods(made: readonly PlacementPod[] | Refusal): made is readonly PlacementPod[] {
  return Array.isArray(made);
}

function answerOfPod(
  workload: Workload,
  pod: PlacementPod,
  { outcome, refusal }: Verdict,
  { admission }: Asked,
): ProofPart | undefined {
  if (pod.spec.hostNetwork === true || outcome === 'excluded') {
    return undefined;
  }
  // no policy sees a Pod that is there already
  const effects = isThere(workload) ? [] : admission.effectsOn(pod);
  if (
    effects.some(({ effect }) => effect === 'excludes') &&
    // else its controller makes Pods for these nodes that wait forever
    admission.excludesItsPods(workload, pod)
  ) {
    return undefined;
  }
  const { name } = workload;
  const open = [admission.runtimeClass(workload, pod), admission.exclusionOf(workload, pod)];
  const unknown = open.find((each) => each?.outcome === 'unknown');
  const unjudged = effects.find(({ effect }) => effect === 'unknown');
  const isThereOrGets = outcome === 'runs' || outcome === 'never starts';
  if (unjudged !== undefined || !isThereOrGets) {
    const why = unjudged === undefined ? `${outcome}: ${refusal?.reason ?? ''}` : notJudged(unjudged.policy);
    return { outcome: 'unknown', reason: `${name}: ${why}` };
  }
  if (unknown !== undefined) {
    return { outcome: 'unknown', reason: `${name}: ${unknown.reason}` };
  }
  return {
    outcome: 'refuted',
    reason: `${name}: ${refusal?.reason ?? 'it is put on a node that lacks the label of host-network nodes'}`,
    counterexample: podObject(pod.name, pod.namespace, pod.spec, pod.labels, pod.annotations),
  };
}

function notJudged({ name }: PodPolicy): string {
  return `${name} sees it, and what it does is not known`;
}

function podObject(
  name: string,
  namespace: string,
  spec: PlainMap,
  labels: Readonly<Record<string, unknown>> = {},
  annotations: Readonly<Record<string, unknown>> = {},
): PlainMap {
  const written = (field: string, map: object): PlainMap => (Object.keys(map).length === 0 ? {} : { [field]: map });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...written('labels', labels), ...written('annotations', annotations) },
    spec,
  };
}

/** Namespaces in which policies may not see a Pod: those that their selectors leave out, those of the manifests, and any other. */
function candidates(objects: readonly PlainMap[]): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const found = new Map([['default', named('default')], ['any-other', named('any-other')], ...namespacesIn(objects)]);
  const selectors = objects
    .filter(({ kind }) => /^(Mutating|Validating)AdmissionPolicyBinding$/.test(String(kind)))
    .map((binding) => mapAt(mapAt(mapAt(binding, 'spec'), 'matchResources'), 'namespaceSelector').matchExpressions);
  for (const { key, operator, values } of selectors.flatMap((each) =>
    Array.isArray(each) ? each.filter(isMap) : [],
  )) {
    for (const value of operator === 'NotIn' && Array.isArray(values) ? values.map(String) : []) {
      const name = key === NAMESPACE_NAME ? value : 'labelled';
      found.set(name, { ...found.get(name), ...named(name), [String(key)]: value });
    }
  }
  return found;
}

/** The plainest Pod that gets there, if the policies let it; what excludes it, if nothing does. */
function answerOfAnyPod({ objects, admission, places, labels }: Asked): ProofPart {
  const container = { name: 'any', image: 'registry.example/any' };
  const specs: PlainMap[] = [
    { containers: [container] },
    { containers: [container], tolerations: [{ operator: 'Exists' }] },
  ];
  const gets = (spec: PlainMap): boolean => {
    const workload = workloadOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'any' }, spec });
    return places.some((place) => {
      const made = workload === undefined ? [] : podsFor(workload, place, { admission, labels });
      return Array.isArray(made) && made.some(({ verdict }) => ['runs', 'never starts'].includes(verdict.outcome));
    });
  };
  const spec = specs.find(gets);
  if (spec === undefined) {
    return { outcome: 'unknown', reason: 'no Pod is known that is put there' };
  }
  const excluding = new Set<PodPolicy>();
  let unjudged: PodPolicy | undefined;
  for (const [name, namespace] of candidates(objects)) {
    const pod: CreatedPod = { namespace, labels: {}, annotations: {}, namesItsNode: false };
    const of = (effect: string): PodPolicy[] => admission.policies.filter((policy) => policy.effectOn(pod) === effect);
    const [excludes, unknown] = [of('excludes'), of('unknown')];
    excludes.forEach((policy) => excluding.add(policy));
    if (excludes.length === 0) {
      unjudged ??= unknown[0];
    }
    if (excludes.length + unknown.length === 0) {
      const inNamespace = name === 'default' ? '' : ` in namespace ${name}`;
      const tolerates = spec.tolerations === undefined ? '' : ' that tolerates the taints of the pool';
      return {
        outcome: 'refuted',
        reason: `nothing keeps a Pod${tolerates} off${inNamespace}`,
        counterexample: podObject('any', name, spec),
      };
    }
  }
  if (unjudged !== undefined) {
    return { outcome: 'unknown', reason: `a Pod that nothing else keeps off: ${notJudged(unjudged)}` };
  }
  const names = [...excluding].map(({ name }) => name);
  return {
    outcome: 'proven',
    reason: `${poolNames(names)} ${names.length === 1 ? 'excludes' : 'exclude'} every Pod without hostNetwork`,
    assumes: [...new Set([...excluding].flatMap(({ assumes }) => assumes))],
  };
}

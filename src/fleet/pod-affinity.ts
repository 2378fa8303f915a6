import { NEWEST_MINOR } from '../cluster/kubernetes-minors.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { HOSTNAME } from './node-affinity-match.js';
import type { ClusterNode, PlacementCluster } from './placement-cluster.js';
import type { PlacementPod } from './placement-pod.js';
import type { Refusal } from './verdict.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A required term of podAffinity or podAntiAffinity. */
interface Term {
  readonly topologyKey: string;
  readonly selector: unknown;
  readonly namespaces: readonly string[];
  /** Undefined selects no namespace. */
  readonly namespaceSelector: unknown;
}

function termsOf(pod: PlacementPod, field: 'podAffinity' | 'podAntiAffinity'): Term[] {
  const required = mapAt(mapAt(pod.spec, 'affinity'), field).requiredDuringSchedulingIgnoredDuringExecution;
  return (Array.isArray(required) ? required.filter(isMap) : []).map((term) => {
    const { topologyKey, labelSelector, namespaces, namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term;
    const named = Array.isArray(namespaces) ? namespaces.map(String) : [];
    const isOwn = named.length === 0 && !isMap(namespaceSelector);
    return {
      topologyKey: String(topologyKey),
      selector: withLabelKeys(labelSelector, pod.labels, matchLabelKeys, mismatchLabelKeys),
      namespaces: isOwn ? [pod.namespace] : named,
      namespaceSelector,
    };
  });
}

/** The API server adds the keys to the selector when a Pod is created (registry/core/pod/strategy.go, mutatePodAffinity). */
export function withLabelKeys(
  selector: unknown,
  labels: Readonly<Record<string, unknown>>,
  matching: unknown,
  mismatching?: unknown,
): unknown {
  if (!isMap(selector)) {
    return selector;
  }
  const requirements = (keys: unknown, operator: string): PlainMap[] =>
    (Array.isArray(keys) ? keys.map(String) : [])
      .filter((key) => labels[key] !== undefined)
      .map((key) => ({ key, operator, values: [labels[key]] }));
  const { matchExpressions } = selector;
  return {
    ...selector,
    matchExpressions: [
      ...itemsOf(matchExpressions),
      ...requirements(matching, 'In'),
      ...requirements(mismatching, 'NotIn'),
    ],
  };
}

/** @param isNew whether the term is of the Pod that is to be scheduled */
function matches(
  { namespaceSelector, ...term }: Term,
  pod: PlacementPod,
  { namespaces, kubernetes }: Pick<PlacementCluster, 'namespaces' | 'kubernetes'>,
  isNew = true,
): boolean {
  // an empty selector selects every namespace, also one that is not there
  const selectsNamespace =
    isMap(namespaceSelector) &&
    (selectsLabels(namespaceSelector, namespaces.get(pod.namespace) ?? {}) ||
      (isNew && kubernetes.selectsUnlabelledNamespaces && selectsLabels(namespaceSelector, {})));
  return (term.namespaces.includes(pod.namespace) || selectsNamespace) && selectsLabels(term.selector, pod.labels);
}

/** The nodes of a term's topology around a node: those with the same value of its label. */
function around(node: ClusterNode, { topologyKey }: Term, { nodes }: PlacementCluster): readonly ClusterNode[] {
  const value = node.labels[topologyKey];
  return value === undefined
    ? []
    : nodes.filter(({ labels }) => labels[topologyKey] === value).map((each) => withNode(each, node));
}

/** The node that is asked about has other Pods than in the cluster: without those of the workload, with those that come before it. */
export function withNode(each: ClusterNode, asked: ClusterNode): ClusterNode {
  return each.name === asked.name ? asked : each;
}

function shown({ selector, topologyKey }: Term): string {
  const { matchLabels, matchExpressions } = isMap(selector) ? selector : {};
  const labels = Object.entries(isMap(matchLabels) ? matchLabels : {}).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = (Array.isArray(matchExpressions) ? matchExpressions.filter(isMap) : []).map(
    ({ key, operator, values }) =>
      [String(key), String(operator), ...(Array.isArray(values) && values.length > 0 ? [values.join(',')] : [])].join(
        ' ',
      ),
  );
  return `${[...labels, ...expressions].join(', ') || 'any labels'}, by ${topologyKey}`;
}

const BY = 'InterPodAffinity';

/** The scheduler's filter InterPodAffinity (interpodaffinity/filtering.go). */
export function interPodAffinity(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  return affinity(pod, node, cluster) ?? antiAffinity(pod, node, cluster) ?? othersAntiAffinity(pod, node, cluster);
}

function affinity(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  const terms = termsOf(pod, 'podAffinity');
  const open = terms.find(({ topologyKey }) => node.labels[topologyKey] === undefined);
  if (open !== undefined) {
    return node.openLabels?.includes(open.topologyKey) === true
      ? unknown(`podAffinity depends on the label ${open.topologyKey} of its nodes`)
      : {
          by: BY,
          outcome: 'excluded',
          reason: `podAffinity by ${open.topologyKey}, a label that the node does not have`,
        };
  }
  const isPartner = (other: PlacementPod): boolean => terms.every((term) => matches(term, other, cluster));
  const missing = terms.find((term) => !around(node, term, cluster).some(({ pods }) => pods.some(isPartner)));
  if (missing === undefined) {
    return undefined;
  }
  // the first of a series that have affinity to themselves
  const isFirst =
    isPartner(pod) &&
    !cluster.nodes.some((each) => withNode(each, node).pods.some((other) => countsFor(terms, other, cluster, each)));
  if (isFirst) {
    return undefined;
  }
  return cluster.isWhole
    ? { by: BY, outcome: 'waits', reason: `for a Pod with ${shown(missing)}` }
    : unknown(`needs a Pod with ${shown(missing)}`);
}

/** A Pod counts for the series if it is on a node with one of the topologies. */
function countsFor(terms: readonly Term[], other: PlacementPod, cluster: PlacementCluster, on: ClusterNode): boolean {
  return (
    terms.some(({ topologyKey }) => on.labels[topologyKey] !== undefined) &&
    terms.every((term) => matches(term, other, cluster))
  );
}

function antiAffinity(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  for (const term of termsOf(pod, 'podAntiAffinity')) {
    for (const { pods } of around(node, term, cluster)) {
      const other = pods.find((each) => matches(term, each, cluster));
      if (other !== undefined) {
        return { by: BY, outcome: 'excluded', reason: `podAntiAffinity to ${other.title}, by ${term.topologyKey}` };
      }
    }
  }
  return undefined;
}

/** The required anti-affinity of Pods that are there already. */
function othersAntiAffinity(pod: PlacementPod, node: ClusterNode, cluster: PlacementCluster): Refusal | undefined {
  const elsewhere = refusingPods(cluster).filter(({ there }) => there.name !== node.name);
  for (const { there, other, terms } of [...elsewhere, ...refusingOn(node)]) {
    const term = terms.find(
      (each) =>
        there.labels[each.topologyKey] !== undefined &&
        there.labels[each.topologyKey] === node.labels[each.topologyKey] &&
        matches(each, pod, cluster, false),
    );
    if (term !== undefined) {
      return { by: BY, outcome: 'excluded', reason: `podAntiAffinity of ${other.title}, by ${term.topologyKey}` };
    }
  }
  return undefined;
}

/** A Pod with required anti-affinity, and its node. */
interface RefusingPod {
  readonly there: ClusterNode;
  readonly other: PlacementPod;
  readonly terms: readonly Term[];
}

// few Pods of a cluster have one, and each question is about all of them
const REFUSING = new WeakMap<readonly ClusterNode[], readonly RefusingPod[]>();

function refusingPods({ nodes }: PlacementCluster): readonly RefusingPod[] {
  const known = REFUSING.get(nodes) ?? nodes.flatMap(refusingOn);
  REFUSING.set(nodes, known);
  return known;
}

function refusingOn(there: ClusterNode): RefusingPod[] {
  return there.pods.flatMap((other) => {
    const terms = termsOf(other, 'podAntiAffinity');
    return terms.length === 0 ? [] : [{ there, other, terms }];
  });
}

/** Whether two Pods like this never share a node, by their own required anti-affinity. Labels of namespaces are taken as unknown. */
export function isAloneOnNode(pod: PlacementPod): boolean {
  const nothing = { namespaces: new Map(), kubernetes: NEWEST_MINOR };
  return termsOf(pod, 'podAntiAffinity').some((term) => term.topologyKey === HOSTNAME && matches(term, pod, nothing));
}

function unknown(reason: string): Refusal {
  return { by: BY, outcome: 'unknown', reason };
}

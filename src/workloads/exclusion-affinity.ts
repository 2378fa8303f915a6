/** The exclusion from host-network nodes, as required node affinity of a Pod spec. The terms themselves: kubernetes/node-affinity.ts. */
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import {
  expressionsOf,
  isEmptyTerm,
  type NodeSelectorRequirement,
  requiredTerms,
  requireInEveryTerm,
} from '../kubernetes/node-affinity.js';
import type { PlainMap } from '../validation/plain-data.js';

/** The requirement that excludes a Pod from host-network nodes. NotIn matches nodes without the label, so every other node stays eligible. */
export function exclusionOf({ key, value }: HostNetworkLabel): Required<NodeSelectorRequirement> {
  return { key, operator: 'NotIn', values: [value] };
}

function hasValue(requirement: PlainMap, value: string): boolean {
  return Array.isArray(requirement.values) && requirement.values.includes(value);
}

/** Whether a term already excludes host-network nodes. */
export function termExcludes(term: PlainMap, label: HostNetworkLabel): boolean {
  return expressionsOf(term).some(
    ({ key, operator, ...rest }) =>
      key === label.key && (operator === 'DoesNotExist' || (operator === 'NotIn' && hasValue(rest, label.value))),
  );
}

/** Whether a Pod spec already excludes host-network nodes in every term that can match. */
export function podSpecExcludes(podSpec: PlainMap, label: HostNetworkLabel): boolean {
  return termsExclude(requiredTerms(podSpec), label);
}

/** Whether terms already exclude host-network nodes: all of them that can match. */
export function termsExclude(terms: readonly PlainMap[] = [], label: HostNetworkLabel): boolean {
  return terms.length > 0 && terms.every((term) => isEmptyTerm(term) || termExcludes(term, label));
}

/** The terms with the exclusion in each of them. */
export function excludedTerms(terms: readonly PlainMap[] | undefined, label: HostNetworkLabel): PlainMap[] {
  return requireInEveryTerm(terms, exclusionOf(label), (term) => termExcludes(term, label));
}

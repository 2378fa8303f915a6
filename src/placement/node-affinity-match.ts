import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { comparedNumber, expressionsOf, isEmptyTerm, requiredTerms } from '../kubernetes/node-affinity.js';
import type { PlacementNode } from './node.js';

/** Whether a label or field value of a node meets a requirement (labels.Requirement.Matches). NotIn and DoesNotExist also match without a value. */
function meets(requirement: PlainMap, value: string | undefined): boolean {
  const values = Array.isArray(requirement.values) ? requirement.values.map((each: unknown) => each ?? '') : [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const [number, bound] = [comparedNumber(value), comparedNumber(values[0])];
      return (
        number !== undefined && bound !== undefined && (requirement.operator === 'Gt' ? number > bound : number < bound)
      );
    }
    default:
      return false;
  }
}

/** The first requirement of a term that a node does not meet. */
function firstUnmet(term: PlainMap, node: PlacementNode): PlainMap | undefined {
  const fields = Array.isArray(term.matchFields) ? term.matchFields.filter(isMap) : [];
  return (
    expressionsOf(term).find((expression) => !meets(expression, node.labels[String(expression.key)])) ??
    fields.find((field) => field.key !== 'metadata.name' || !meets(field, node.name))
  );
}

/** What a node does not meet of a term, as text. */
export function unmetIn(term: PlainMap, node: PlacementNode): string {
  const unmet = firstUnmet(term, node);
  return unmet === undefined ? 'an empty term, which matches no node' : textOf(unmet);
}

/** `kubernetes.io/arch In amd64, arm64`. */
function textOf({ key, operator, values }: PlainMap): string {
  const list = Array.isArray(values) ? (values as unknown[]).map(String) : [];
  const shown = list.length > MOST_VALUES ? [...list.slice(0, MOST_VALUES), `${list.length - MOST_VALUES} more`] : list;
  return [key, operator, ...(list.length === 0 ? [] : [shown.join(', ')])].map(String).join(' ');
}

const MOST_VALUES = 5;

/** Whether a node matches a term: all expressions and all fields; an empty term matches nothing. */
export function termMatches(term: PlainMap, node: PlacementNode): boolean {
  return !isEmptyTerm(term) && firstUnmet(term, node) === undefined;
}

/** Whether a node matches nodeSelector and required node affinity of a Pod spec (component-helpers nodeaffinity.go). */
export function nodeAffinityMatches(podSpec: PlainMap, node: PlacementNode): boolean {
  const selector = mapAt(podSpec, 'nodeSelector');
  if (!Object.entries(selector).every(([key, value]) => node.labels[key] === (value ?? ''))) {
    return false;
  }
  const terms = requiredTerms(podSpec);
  return terms === undefined || terms.some((term) => termMatches(term, node));
}

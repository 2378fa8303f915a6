import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { comparedNumber, expressionsOf, isEmptyTerm, requiredTerms } from '../kubernetes/node-affinity.js';
import type { PlacementNode } from './node.js';

/** Yes, no, or undefined: it depends on a label of which only real nodes have the value. */
export type Match = boolean | undefined;

/** The label that kubelet always sets, and of which only the node knows the value, and its former key. */
const ARCH: readonly string[] = ['kubernetes.io/arch', 'beta.kubernetes.io/arch'];

/** The label with the name of the node, which kubelet always sets. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** Every node has these. */
function isEverywhere(key: string): boolean {
  return key === HOSTNAME || ARCH.includes(key);
}

/** Labels that the nodes of a pool have by their machine or their cloud, and no manifest says. */
export const OPEN_LABELS: readonly string[] = [
  ...ARCH,
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
];

/** A node of which some labels are not known. */
export interface OpenNode extends PlacementNode {
  /** Labels that real nodes have or may have, and of which the value is not known, or only assumed: `kubernetes.io/arch`.
   * @default - all labels are known */
  readonly openLabels?: readonly string[];
  /** The label with the name of its pool, for messages. */
  readonly poolLabel?: string;
}

/** No if one is no, else undefined if one is. */
export function allOf(answers: readonly Match[]): Match {
  return answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
}

function anyOf(answers: readonly Match[]): Match {
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}

function isOpen({ openLabels = [] }: OpenNode, key: string): boolean {
  return openLabels.includes(key);
}

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

function expressionHolds(expression: PlainMap, node: OpenNode): Match {
  const key = String(expression.key);
  const value = node.labels[key];
  if (!isOpen(node, key)) {
    return meets(expression, value);
  }
  const { operator } = expression;
  if (isEverywhere(key) && (operator === 'Exists' || operator === 'DoesNotExist')) {
    return operator === 'Exists';
  }
  // what is assumed counts as long as it is enough
  return value !== undefined && meets(expression, value) ? true : undefined;
}

/** The name of the node is the only field of a Node that a term can require. */
function fieldHolds(field: PlainMap, node: OpenNode): Match {
  const holds = field.key === 'metadata.name' && meets(field, node.name);
  return !holds && field.key === 'metadata.name' && isOpen(node, HOSTNAME) ? undefined : holds;
}

/**
 * Whether a node matches a term: all expressions and all fields; an empty term matches nothing. The fields of a node
 * without a name are not asked (nodeaffinity.go, nodeSelectorTerm.match).
 */
export function termHolds(term: PlainMap, node: OpenNode): Match {
  if (isEmptyTerm(term)) {
    return false;
  }
  const fields = node.name !== '' && Array.isArray(term.matchFields) ? term.matchFields.filter(isMap) : [];
  return allOf([
    ...expressionsOf(term).map((expression) => expressionHolds(expression, node)),
    ...fields.map((field) => fieldHolds(field, node)),
  ]);
}

/** Whether a node matches a node selector, the form of required node affinity and of the node affinity of volumes. */
export function nodeSelectorHolds(terms: readonly PlainMap[], node: OpenNode): Match {
  return anyOf(terms.map((term) => termHolds(term, node)));
}

/** Whether a node has a label of a nodeSelector. The API server reads null as an empty text. */
export function selectorLabelHolds(key: string, value: unknown, node: OpenNode): Match {
  const isThere = node.labels[key] === (value ?? '');
  return isThere ? true : isOpen(node, key) ? undefined : false;
}

/** Whether a node matches nodeSelector and required node affinity of a Pod spec (component-helpers nodeaffinity.go). */
export function nodeAffinityHolds(podSpec: PlainMap, node: OpenNode): Match {
  const terms = requiredTerms(podSpec);
  return allOf([
    ...Object.entries(mapAt(podSpec, 'nodeSelector')).map(([key, value]) => selectorLabelHolds(key, value, node)),
    terms === undefined || nodeSelectorHolds(terms, node),
  ]);
}

/** The same for a node of which all labels are known. */
export function nodeAffinityMatches(podSpec: PlainMap, node: PlacementNode): boolean {
  return nodeAffinityHolds(podSpec, node) === true;
}

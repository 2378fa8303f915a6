import { itemsOf, mapsIn } from './field-values.js';
import type { ProblemList } from '../base/errors.js';
import { isMap, type PlainMap, valueAt, withChangeAt } from '../base/plain-data.js';
import { isUnknown } from '../base/unknown.js';
import { isLabelValue, isQualifiedName } from './label-syntax.js';
import { isDnsSubdomain } from './names.js';

/**
 * One requirement of a node selector term.
 *
 * @category Exclude system components from host-network nodes
 */
export interface NodeSelectorRequirement {
  /** Node label key, or `metadata.name` in matchFields. */
  readonly key: string;
  /** How the node's value is compared. `NotIn` and `DoesNotExist` also match nodes without the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  /** Values: at least one for `In` and `NotIn`, one whole number for `Gt` and `Lt`, none for the others.
   * @default - none */
  readonly values?: string[];
}

/**
 * A node selector term: all of its requirements must hold. Terms of one selector are alternatives (OR).
 *
 * @category Exclude system components from host-network nodes
 */
export interface NodeSelectorTerm {
  /** Requirements on node labels.
   * @default - none */
  readonly matchExpressions?: NodeSelectorRequirement[];
  /** Requirements on node fields; only `metadata.name`.
   * @default - none */
  readonly matchFields?: NodeSelectorRequirement[];
}

/** Path from a Pod spec to the required node affinity. */
export const REQUIRED_PATH = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;

export function expressionsOf(term: PlainMap): PlainMap[] {
  return mapsIn(term, 'matchExpressions').map(([, item]) => item);
}

/** An empty term is valid and matches no node (component-helpers nodeaffinity.go). No requirement may be added to it: it would begin to match. */
export function isEmptyTerm(term: PlainMap): boolean {
  return expressionsOf(term).length === 0 && mapsIn(term, 'matchFields').length === 0;
}

/** A whole number that the scheduler can compare with (strconv.ParseInt, 64 bits); undefined for other text. */
export function comparedNumber(text: unknown): bigint | undefined {
  const number = typeof text === 'string' && /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  return number === undefined || BigInt.asIntN(64, number) !== number ? undefined : number;
}

/** Whether no node matches a valid term: it is empty, or compares with something that is not a number, which the API server accepts. */
export function matchesNoNode(term: PlainMap): boolean {
  const isNoNumber = ({ operator, values }: PlainMap): boolean =>
    (operator === 'Gt' || operator === 'Lt') && Array.isArray(values) && comparedNumber(values[0]) === undefined;
  return isEmptyTerm(term) || expressionsOf(term).some(isNoNumber);
}

/** The required terms of a Pod spec; undefined when it has no required node affinity. */
export function requiredTerms(podSpec: PlainMap): PlainMap[] | undefined {
  const terms = valueAt(podSpec, [...REQUIRED_PATH, 'nodeSelectorTerms']);
  return Array.isArray(terms) ? terms.map((term) => (isMap(term) ? term : {})) : undefined;
}

/** The values that a search for requirements on one label reads; those of other requirements are only passed on. */
export function readsOfTerms(podSpec: PlainMap, label: string): unknown {
  const { affinity } = podSpec;
  const nodeAffinity = isMap(affinity) ? affinity[REQUIRED_PATH[1]] : undefined;
  const required = isMap(nodeAffinity) ? nodeAffinity[REQUIRED_PATH[2]] : undefined;
  const terms = isMap(required) ? required.nodeSelectorTerms : undefined;
  const readsOfTerm = (term: unknown): unknown => {
    const lists = isMap(term) ? [term.matchExpressions, term.matchFields] : [];
    const requirements = lists.flatMap((list) => itemsOf(list));
    return [
      ...[term, ...lists, ...requirements].filter(isUnknown),
      ...requirements
        .filter(isMap)
        .map(({ key, operator, values }) => (key === label || isUnknown(key) ? [key, operator, values] : [])),
    ];
  };
  return [
    [affinity, nodeAffinity, required, terms].filter(isUnknown),
    Array.isArray(terms) ? terms.map(readsOfTerm) : [],
  ];
}

/**
 * Adds a requirement to every non-empty term, and never as a new term: terms are alternatives, so a new one would match nodes that the existing terms
 * do not. Without terms one is created.
 */
export function requireInEveryTerm(
  terms: readonly PlainMap[] | undefined,
  requirement: NodeSelectorRequirement,
  alreadyHolds: (term: PlainMap) => boolean,
): PlainMap[] {
  const fresh = (): PlainMap => ({
    ...requirement,
    ...(requirement.values === undefined ? {} : { values: [...requirement.values] }),
  });
  if (terms === undefined || terms.length === 0) {
    return [{ matchExpressions: [fresh()] }];
  }
  return terms.map((term) =>
    isEmptyTerm(term) || alreadyHolds(term) ? term : { ...term, matchExpressions: [...expressionsOf(term), fresh()] },
  );
}

/** A Pod spec with other required terms; everything else is kept, including other kinds of affinity. */
export function withRequiredTerms(podSpec: PlainMap, terms: PlainMap[]): PlainMap {
  return withChangeAt(podSpec, REQUIRED_PATH, (required) => ({ ...required, nodeSelectorTerms: terms }));
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

/** Refuses a required node affinity that the API server would refuse (core validation ValidateNodeSelector). An empty list of terms passes: a term is added to it. */
export function checkRequiredAffinity(podSpec: PlainMap, problems: ProblemList): void {
  let current: unknown = podSpec;
  let at = problems;
  for (const step of REQUIRED_PATH) {
    current = (current as PlainMap)[step];
    at = at.at(step);
    if (current === undefined || current === null) {
      return;
    }
    if (!isMap(current)) {
      at.add(
        'EDGE_AFFINITY',
        `${step} must be a map`,
        'write affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: […] } } }',
      );
      return;
    }
  }
  const terms = (current as PlainMap).nodeSelectorTerms;
  at = at.at('nodeSelectorTerms');
  if (terms === undefined || terms === null) {
    return;
  }
  if (!Array.isArray(terms)) {
    at.add('EDGE_AFFINITY', 'nodeSelectorTerms must be a list', 'write a list of terms, each with matchExpressions');
    return;
  }
  terms.forEach((term: unknown, index) => checkTerm(term, at.at(index)));
}

/** Refuses a required node affinity without terms, where none is added. */
export function refuseNoTerms(podSpec: PlainMap, problems: ProblemList): void {
  const required = valueAt(podSpec, REQUIRED_PATH);
  if (
    isMap(required) &&
    Array.isArray(required.nodeSelectorTerms ?? []) &&
    (requiredTerms(podSpec) ?? []).length === 0
  ) {
    problems
      .at(...REQUIRED_PATH, 'nodeSelectorTerms')
      .add('EDGE_AFFINITY', 'at least one term is required', `remove ${REQUIRED_PATH[2]}, or write a term`);
  }
}

/**
 * Refuses a term that the API server would refuse; null is an empty term.
 *
 * @param values whether values are label values, as in required terms, or any text, as in preferred ones
 */
export function checkTerm(
  term: unknown,
  problems: ProblemList,
  values: 'label values' | 'any value' = 'label values',
): void {
  // cdk8s has undefined in lists for null
  if (term === null || term === undefined) {
    return;
  }
  if (!isMap(term)) {
    problems.add('EDGE_AFFINITY', 'a term must be a map', 'write { matchExpressions: [{ key, operator, values }] }');
    return;
  }
  for (const field of ['matchExpressions', 'matchFields'] as const) {
    const list = term[field];
    if (list === undefined || list === null) {
      continue;
    }
    if (!Array.isArray(list)) {
      problems.at(field).add('EDGE_AFFINITY', `${field} must be a list`, 'write [{ key, operator, values }]');
      continue;
    }
    list.forEach((requirement: unknown, index) =>
      checkRequirement(requirement, field === 'matchFields' ? 'node names' : values, problems.at(field, index)),
    );
  }
}

type Values = 'label values' | 'any value' | 'node names';

function checkRequirement(requirement: unknown, kind: Values, problems: ProblemList): void {
  if (!isMap(requirement)) {
    problems.add('EDGE_AFFINITY', 'a requirement must be a map', 'write { key, operator, values }');
    return;
  }
  const { key, operator } = requirement;
  const isField = kind === 'node names';
  const values = requirement.values ?? [];
  if (typeof key !== 'string' || (isField ? key !== 'metadata.name' : !isQualifiedName(key))) {
    const message = `${JSON.stringify(key)} is not a ${isField ? 'node field' : 'label key'}`;
    const hint = isField ? 'write metadata.name' : 'write "name" or "prefix.example/name"';
    problems.at('key').add('EDGE_AFFINITY', message, hint);
  }
  const allowed = isField ? ['In', 'NotIn'] : OPERATORS;
  if (!allowed.includes(operator as string)) {
    problems
      .at('operator')
      .add('EDGE_AFFINITY', `${JSON.stringify(operator)} is not an operator`, `write one of ${allowed.join(', ')}`);
    return;
  }
  if (!Array.isArray(values)) {
    problems.at('values').add('EDGE_AFFINITY', 'values must be a list', 'write values: ["…"]');
    return;
  }
  values.forEach((value: unknown, index) => checkValue(value ?? '', kind, problems.at('values', index)));
  checkValueCount(operator as string, values, isField, problems.at('values'));
}

/** Checks a value; the API server reads null as empty text. */
function checkValue(value: unknown, kind: Values, problems: ProblemList): void {
  if (typeof value !== 'string') {
    problems.add(
      'EDGE_AFFINITY',
      `a value must be text, this is ${typeof value} (in YAML, a bare ${String(value)} is not text)`,
      `write "${String(value)}" in quotes`,
    );
  } else if (kind === 'label values' && !isLabelValue(value)) {
    problems.add(
      'EDGE_AFFINITY',
      `${JSON.stringify(value)} is not a label value`,
      'write at most 63 letters, digits, "-", "_" and "."',
    );
  } else if (kind === 'node names' && !isDnsSubdomain(value)) {
    problems.add(
      'EDGE_AFFINITY',
      `${JSON.stringify(value)} is not the name of a node`,
      'write lower-case letters, digits, "-" and "."',
    );
  }
}

function checkValueCount(operator: string, values: unknown[], isField: boolean, problems: ProblemList): void {
  if (isField && values.length !== 1) {
    problems.add('EDGE_AFFINITY', 'a matchFields requirement takes exactly one value', 'write values: ["node-name"]');
  } else if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    problems.add('EDGE_AFFINITY', `${operator} needs at least one value`, 'write values: ["…"]');
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    problems.add('EDGE_AFFINITY', `${operator} takes no values`, 'remove values');
  } else if ((operator === 'Gt' || operator === 'Lt') && values.length !== 1) {
    problems.add('EDGE_AFFINITY', `${operator} takes exactly one whole number, as text`, 'write values: ["4"]');
  }
}

import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { itemsOf, readTexts } from './field-values.js';
import { checkLabels, checkLabelValue, isQualifiedName } from './label-syntax.js';
import { checkKnownProperties, quoted, showValue } from '../base/properties.js';

/**
 * Selects objects by their labels. All requirements must be met; an empty selector selects everything.
 *
 * @category Admit Pods and Nodes
 */
export interface LabelSelector {
  /** Labels that an object must have.
   * @default - none */
  readonly matchLabels?: Record<string, string>;
  /** Requirements that the labels must meet.
   * @default - none */
  readonly matchExpressions?: LabelSelectorRequirement[];
}

/**
 * One requirement of a {@link LabelSelector}.
 *
 * @category Admit Pods and Nodes
 */
export interface LabelSelectorRequirement {
  /** Label key. */
  readonly key: string;
  /** Operator. `NotIn` also matches objects without the label. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values for `In` and `NotIn`; none for the others.
   * @default - none */
  readonly values?: string[];
}

const EXAMPLE = "write { matchLabels: { team: 'edge' } } or { matchExpressions: [{ key, operator, values }] }";
const WITH_VALUES = ['In', 'NotIn'];
const OPERATORS = [...WITH_VALUES, 'Exists', 'DoesNotExist'];

/** Validates a selector as the API server does (apimachinery `pkg/apis/meta/v1/validation`, ValidateLabelSelector). */
export function checkLabelSelector(selector: unknown, problems: ProblemList): void {
  if (selector === undefined) {
    return;
  }
  if (!isMap(selector)) {
    problems.add('EDGE_TYPE', 'a label selector must be a map', EXAMPLE);
    return;
  }
  checkKnownProperties(selector, ['matchLabels', 'matchExpressions'], problems);
  const { matchLabels } = selector;
  checkLabels(readTexts(matchLabels) ?? undefined, problems.at('matchLabels'));
  const { matchExpressions } = selector;
  if (matchExpressions === undefined || matchExpressions === null) {
    return;
  }
  if (!Array.isArray(matchExpressions)) {
    problems.at('matchExpressions').add('EDGE_TYPE', 'matchExpressions must be a list', EXAMPLE);
    return;
  }
  matchExpressions.forEach((requirement: unknown, index) =>
    checkRequirement(requirement, problems.at('matchExpressions', index)),
  );
}

function checkRequirement(requirement: unknown, problems: ProblemList): void {
  if (!isMap(requirement)) {
    problems.add('EDGE_TYPE', 'a requirement must be a map', "write { key: 'team', operator: 'In', values: ['edge'] }");
    return;
  }
  checkKnownProperties(requirement, ['key', 'operator', 'values'], problems);
  const { key, operator, values } = requirement;
  if (typeof key !== 'string' || !isQualifiedName(key)) {
    problems
      .at('key')
      .add('EDGE_LABEL', `${showValue(key)} is not a label key`, "write 'team' or 'prefix.example/team'");
  }
  if (!OPERATORS.includes(operator as string)) {
    problems
      .at('operator')
      .add('EDGE_VALUE', `${showValue(operator)} is not an operator`, `write one of ${OPERATORS.join(', ')}`);
    return;
  }
  const takesValues = WITH_VALUES.includes(operator as string);
  if (values !== undefined && values !== null && !Array.isArray(values)) {
    problems.at('values').add('EDGE_TYPE', 'values must be a list', `write values: [${quoted(values)}]`);
    return;
  }
  const given = (values ?? []) as unknown[];
  if (takesValues && given.length === 0) {
    problems.at('values').add('EDGE_MISSING', `${String(operator)} needs values`, "write values: ['…']");
  }
  if (!takesValues && given.length > 0) {
    problems
      .at('values')
      .add('EDGE_CONTRADICTION', `${String(operator)} takes no values`, "remove them, or write operator: 'In'");
  }
  given.forEach((value, index) => checkLabelValue(value ?? '', problems.at('values', index)));
}

/**
 * Whether a valid selector selects no object that has a label with this value, regardless of its other labels.
 */
export function excludesLabel(selector: LabelSelector | undefined, key: string, value: string): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const asked = matchLabels[key];
  return (
    (asked !== undefined && asked !== value) ||
    matchExpressions.some((requirement) => {
      if (requirement.key !== key) {
        return false;
      }
      const named = (requirement.values ?? []).includes(value);
      switch (requirement.operator) {
        case 'In':
          return !named;
        case 'NotIn':
          return named;
        case 'Exists':
          return false;
        case 'DoesNotExist':
          return true;
      }
    })
  );
}

/** Whether a selector selects an object with these labels (metav1.LabelSelectorAsSelector); one that is not there selects nothing, an empty one everything. */
export function selectsLabels(selector: unknown, labels: Readonly<Record<string, unknown>>): boolean {
  if (!isMap(selector)) {
    return false;
  }
  const { matchLabels, matchExpressions } = selector;
  const texts = readTexts(labels);
  const meets = (requirement: unknown): boolean => {
    const { key, operator, values } = isMap(requirement) ? requirement : {};
    const value = texts[String(key)];
    const isNamed = Array.isArray(values) && values.some((each) => (each ?? '') === value);
    return (
      {
        In: value !== undefined && isNamed,
        NotIn: value === undefined || !isNamed,
        Exists: value !== undefined,
        DoesNotExist: value === undefined,
      }[String(operator)] === true
    );
  };
  return (
    Object.entries(isMap(matchLabels) ? matchLabels : {}).every(([key, value]) => texts[key] === (value ?? '')) &&
    itemsOf(matchExpressions).every(meets)
  );
}

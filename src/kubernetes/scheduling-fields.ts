import { TAINT_EFFECTS } from './taint.js';
import type { ProblemList } from '../base/errors.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { eachMap, holdsUnresolved, isAbsent, readInteger, readList, readMap, readText } from './field-values.js';
import { checkLabelSelector } from './label-selector.js';
import { isLabelValue, isQualifiedName } from './label-syntax.js';
import { isDnsLabel } from './names.js';
import { checkRequiredAffinity, checkTerm } from './node-affinity.js';

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * Refuses fields about scheduling that the API server would refuse with its default feature gates (pkg/apis/core/validation, Kubernetes 1.30 to 1.37).
 * Two rules are those of newer minors: values of a required node affinity are label values, and matchLabelKeys of a Pod affinity are checked at all
 * (1.30 does neither).
 */
export function checkSchedulingFields(podSpec: PlainMap, problems: ProblemList): void {
  checkNodeSelector(podSpec.nodeSelector, problems.at('nodeSelector'));
  checkRequiredAffinity(podSpec, problems);
  const affinity = mapAt(podSpec, 'affinity');
  const checks: readonly [value: unknown, path: readonly string[], check: (value: unknown, at: ProblemList) => void][] =
    [
      [mapAt(affinity, 'nodeAffinity')[PREFERRED], ['affinity', 'nodeAffinity', PREFERRED], checkPreferredTerms],
      [affinity.podAffinity, ['affinity', 'podAffinity'], checkPodAffinity],
      [affinity.podAntiAffinity, ['affinity', 'podAntiAffinity'], checkPodAffinity],
      [podSpec.tolerations, ['tolerations'], checkTolerations],
      [podSpec.topologySpreadConstraints, ['topologySpreadConstraints'], checkTopologySpread],
    ];
  for (const [value, path, check] of checks) {
    if (!holdsUnresolved(value)) {
      check(value, problems.at(...path));
    }
  }
}

function checkNodeSelector(selector: unknown, problems: ProblemList): void {
  for (const [key, value] of Object.entries(readMap(selector, problems) ?? {})) {
    const at = problems.at(key);
    checkKey(key, at);
    if (holdsUnresolved(value)) {
      continue;
    }
    const text = readText(value, at);
    if (text !== undefined && !isLabelValue(text)) {
      at.add(
        'EDGE_LABEL',
        `${JSON.stringify(text)} is not a label value`,
        'write at most 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit',
      );
    }
  }
}

/** Checks a label key; an empty one is none. */
function checkKey(key: string, problems: ProblemList): void {
  if (!isQualifiedName(key)) {
    problems.add('EDGE_LABEL', `${JSON.stringify(key)} is not a label key`, 'write "name" or "prefix.example/name"');
  }
}

function checkWeight(weight: unknown, problems: ProblemList): void {
  const found = problems.problems.length;
  const number = readInteger(weight, problems) ?? (isAbsent(weight) ? 0 : undefined);
  if (problems.problems.length === found && number !== undefined && (number < 1 || number > 100)) {
    problems.add('EDGE_AFFINITY', `the weight ${number} is not from 1 to 100`, 'write weight: 100');
  }
}

/** Values in preferred terms are not checked: any text is accepted. */
function checkPreferredTerms(terms: unknown, problems: ProblemList): void {
  eachMap(terms, problems, ({ weight, preference }, at) => {
    checkWeight(weight, at.at('weight'));
    checkTerm(preference ?? {}, at.at('preference'), 'any value');
  });
}

function checkPodAffinity(affinity: unknown, problems: ProblemList): void {
  const { [REQUIRED]: required, [PREFERRED]: preferred } = readMap(affinity, problems) ?? {};
  eachMap(required, problems.at(REQUIRED), checkPodAffinityTerm);
  eachMap(preferred, problems.at(PREFERRED), ({ weight, podAffinityTerm }, at) => {
    checkWeight(weight, at.at('weight'));
    const inner = at.at('podAffinityTerm');
    const term = isAbsent(podAffinityTerm) ? {} : readMap(podAffinityTerm, inner);
    if (term !== undefined) {
      checkPodAffinityTerm(term, inner);
    }
  });
}

function checkPodAffinityTerm(term: PlainMap, problems: ProblemList): void {
  checkLabelSelector(term.labelSelector ?? undefined, problems.at('labelSelector'));
  checkLabelSelector(term.namespaceSelector ?? undefined, problems.at('namespaceSelector'));
  readList(term.namespaces, problems.at('namespaces')).forEach((namespace, index) => {
    const at = problems.at('namespaces', index);
    const name = readText(namespace, at);
    if (name !== undefined && !isDnsLabel(name)) {
      at.add(
        'EDGE_NAME',
        `${JSON.stringify(name)} is not a namespace name`,
        'write lower-case letters, digits and "-", at most 63',
      );
    }
  });
  const matched = checkLabelKeys(term, 'matchLabelKeys', problems);
  const mismatched = checkLabelKeys(term, 'mismatchLabelKeys', problems);
  matched.forEach((key, index) => {
    if (mismatched.includes(key)) {
      problems
        .at('matchLabelKeys', index)
        .add('EDGE_AFFINITY', `${key} is in matchLabelKeys and in mismatchLabelKeys`, 'write it in one of them');
    }
  });
  const at = problems.at('topologyKey');
  const topologyKey = readText(term.topologyKey, at);
  if (topologyKey === '') {
    at.add('EDGE_MISSING', 'topologyKey is required', "write topologyKey: 'kubernetes.io/hostname'");
  } else if (topologyKey !== undefined) {
    checkKey(topologyKey, at);
  }
}

/** Checks a list of label keys beside a label selector, and returns those that can be read. */
function checkLabelKeys(owner: PlainMap, field: string, problems: ProblemList): readonly string[] {
  const at = problems.at(field);
  const keys = readList(owner[field], at);
  if (keys.length > 0 && isAbsent(owner.labelSelector)) {
    at.add('EDGE_MISSING', `${field} needs a labelSelector`, `write labelSelector beside it, or remove ${field}`);
    return [];
  }
  return keys.flatMap((given, index) => {
    const key = readText(given, at.at(index));
    if (key === undefined) {
      return [];
    }
    checkKey(key, at.at(index));
    return [key];
  });
}

/** Checks a list of tolerations. */
export function checkTolerations(tolerations: unknown, problems: ProblemList): void {
  eachMap(tolerations, problems, checkToleration);
}

/** Operators `Gt` and `Lt` are alpha since 1.35, and the API server refuses them without their feature gate. */
function checkToleration(toleration: PlainMap, problems: ProblemList): void {
  const key = readText(toleration.key, problems.at('key'));
  const operator = readText(toleration.operator, problems.at('operator'));
  const value = readText(toleration.value, problems.at('value'));
  const effect = readText(toleration.effect, problems.at('effect'));
  const seconds = readInteger(toleration.tolerationSeconds, problems.at('tolerationSeconds'));
  if (key === undefined || operator === undefined || value === undefined || effect === undefined) {
    return;
  }
  if (key !== '') {
    checkKey(key, problems.at('key'));
  } else if (operator !== 'Exists') {
    const hint = "write operator: 'Exists', or a key";
    problems.at('operator').add('EDGE_TAINT', 'a toleration without key tolerates every taint, by Exists', hint);
  }
  if (seconds !== undefined && effect !== 'NoExecute') {
    problems
      .at('effect')
      .add('EDGE_TAINT', 'tolerationSeconds needs the effect NoExecute', "write effect: 'NoExecute'");
  }
  if (!['', 'Equal', 'Exists'].includes(operator)) {
    problems
      .at('operator')
      .add('EDGE_TAINT', `${JSON.stringify(operator)} is not an operator`, "write 'Exists' or 'Equal'");
  } else if (operator === 'Exists' ? value !== '' : !isLabelValue(value)) {
    problems
      .at('value')
      .add(
        'EDGE_TAINT',
        operator === 'Exists' ? 'Exists takes no value' : `${JSON.stringify(value)} is not a label value`,
        operator === 'Exists' ? "remove the value, or write operator: 'Equal'" : 'write the value of the taint',
      );
  }
  if (effect !== '' && !TAINT_EFFECTS.includes(effect)) {
    problems
      .at('effect')
      .add('EDGE_TAINT', `${JSON.stringify(effect)} is not a taint effect`, `write one of ${TAINT_EFFECTS.join(', ')}`);
  }
}

function checkTopologySpread(constraints: unknown, problems: ProblemList): void {
  const seen = new Set<string>();
  eachMap(constraints, problems, (constraint, at) => {
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    if (isAbsent(maxSkew)) {
      at.at('maxSkew').add('EDGE_MISSING', 'maxSkew is required', 'write maxSkew: 1');
    } else {
      checkPositive(maxSkew, at.at('maxSkew'));
    }
    const key = readText(topologyKey, at.at('topologyKey'));
    if (key === '') {
      at.at('topologyKey').add(
        'EDGE_MISSING',
        'topologyKey is required',
        "write topologyKey: 'kubernetes.io/hostname'",
      );
    }
    const action = checkOneOf(whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway'], at.at('whenUnsatisfiable'));
    const identity = JSON.stringify([key, action]);
    if (key !== undefined && action !== undefined && seen.has(identity)) {
      at.add('EDGE_DUPLICATE', `two constraints for ${key} and ${action}`, 'remove one of them');
    }
    seen.add(identity);
    if (!isAbsent(minDomains)) {
      checkPositive(minDomains, at.at('minDomains'));
      if (action === 'ScheduleAnyway') {
        at.at('minDomains').add(
          'EDGE_VALUE',
          'minDomains needs whenUnsatisfiable DoNotSchedule',
          "write whenUnsatisfiable: 'DoNotSchedule', or remove minDomains",
        );
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      if (!isAbsent(constraint[field])) {
        checkOneOf(constraint[field], ['Honor', 'Ignore'], at.at(field));
      }
    }
    checkLabelKeys(constraint, 'matchLabelKeys', at);
    checkLabelSelector(constraint.labelSelector ?? undefined, at.at('labelSelector'));
  });
}

function checkPositive(value: unknown, problems: ProblemList): void {
  const number = readInteger(value, problems);
  if (number !== undefined && (number < 1 || number > 2147483647)) {
    problems.add('EDGE_VALUE', `${showValue(value)} is not a positive number`, 'write 1 or more');
  }
}

/** One of some words; undefined if it is not. */
function checkOneOf(value: unknown, words: readonly string[], problems: ProblemList): string | undefined {
  const word = readText(value, problems);
  if (word !== undefined && !words.includes(word)) {
    problems.add(
      word === '' ? 'EDGE_MISSING' : 'EDGE_VALUE',
      word === '' ? 'this is required' : `${JSON.stringify(word)} is not allowed here`,
      `write ${words.map((each) => `'${each}'`).join(' or ')}`,
    );
    return undefined;
  }
  return word;
}

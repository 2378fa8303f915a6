import type { ProblemList } from '../base/errors.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { quoted, showValue, whatIs } from '../base/properties.js';
import { isPulumiOutput, isPulumiResource, isUnknown } from '../base/unknown.js';

// RFC 1123 subdomain as the API server checks it (apimachinery validation.IsDNS1123Subdomain).
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export function isDnsSubdomain(name: string, maximum = 253): boolean {
  return name.length <= maximum && SUBDOMAIN.test(name);
}

export function isDnsLabel(name: string): boolean {
  return name.length <= 63 && LABEL.test(name);
}

/** The nearest valid RFC 1123 name, for hints. */
function nearestName(name: string): string {
  const nearest = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, 63)
    .split('.')
    .map((part) => part.replace(/^-+|(?<!-)-+$/g, ''))
    .filter((part) => part !== '')
    .join('.');
  return nearest === '' ? 'beijing' : nearest;
}

/** What JavaScript makes of an object, a promise or a function in a text: `pool-${site}`. */
const OBJECT_AS_TEXT = /\[object \w+\]|=>|\bfunction\b/;

const isLater = (value: unknown): boolean => isUnknown(value) || isPulumiOutput(value);

/** Reports an object where its name belongs, for example a Namespace. */
function isNamedObject(name: unknown, what: string, problems: ProblemList): boolean {
  if (typeof name !== 'object' || name === null || Array.isArray(name) || isLater(name)) {
    return false;
  }
  const own = isMap(name) ? (mapAt(name, 'metadata').name ?? name.name) : undefined;
  problems.add(
    'EDGE_TYPE',
    `${what} must be text, this is ${isMap(name) && name.kind !== undefined ? `a ${showValue(name.kind)}` : whatIs(name)}`,
    typeof own === 'string'
      ? `write its name: '${own}'`
      : `write its name, for example ${isPulumiResource(name) ? 'it.metadata.name' : "it.name, or '…'"}`,
  );
  return true;
}

/** Text in quotes in which nothing is replaced: 'web-${site}'. */
function addTemplate(name: string, problems: ProblemList): boolean {
  if (!/\$\{.*\}/.test(name)) {
    return false;
  }
  problems.add(
    'EDGE_NAME',
    `${quoted(name)} has a variable in it that nothing has replaced`,
    'in TypeScript write it in backquotes: `web-${site}`',
  );
  return true;
}

/** Whether a name is wrong, and nothing better is said of it. */
const isWrong = (name: string, isValid: boolean, problems: ProblemList): boolean =>
  !isValid && !addTemplate(name, problems) && !isObjectAsText(name, problems);

/** Reports an object that became a part of a name. */
function isObjectAsText(name: string, problems: ProblemList): boolean {
  if (!OBJECT_AS_TEXT.test(name)) {
    return false;
  }
  problems.add(
    'EDGE_TYPE',
    `${quoted(name)} is an object that was converted to text`,
    'write the field of the object that has the name, for example `${site.name}`, and await a promise first',
  );
  return true;
}

/**
 * A pool's name is the name of a cluster-scoped object (RFC 1123 subdomain) and the value of the membership label on its nodes
 * (at most 63 characters).
 */
export function checkPoolName(name: unknown, problems: ProblemList): void {
  if (name === undefined || name === null || name === '') {
    problems.add('EDGE_MISSING', 'poolName is required', "write poolName: 'beijing'");
  } else if (typeof name !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `poolName must be text, this is ${whatIs(name)}`,
      `write poolName: '${nearestName(showValue(name))}'`,
    );
  } else if (/(^|[-.])(undefined|null|nan)([-.]|$)/i.test(name)) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} has a part that was not set when the name was made`,
      'give the variable in the name a value, for example set the environment variable, and refuse to run without it',
    );
  } else if (isWrong(name, isDnsSubdomain(name, 63), problems)) {
    const length = name.length > 63 ? ` (it has ${name.length})` : '';
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not usable: lower-case letters, digits, "-" and ".", at most 63 characters${length}, because it becomes a node label value`,
      `write poolName: '${nearestName(name)}'`,
    );
  }
}

/** The name of a namespaced object (RFC 1123 subdomain) and its namespace (RFC 1123 label). */
export function checkObjectName(name: unknown, problems: ProblemList): void {
  if (name === undefined) {
    problems.add('EDGE_MISSING', 'a name is required', "write name: 'node-exporter'");
  } else if (
    !isNamedObject(name, 'a name', problems) &&
    (typeof name !== 'string' || isWrong(name, isDnsSubdomain(name), problems))
  ) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not an RFC 1123 name`,
      `write lower-case letters, digits, "-" and ".", for example ${quoted(nearestName(showValue(name)))}`,
    );
  }
}

export function checkNamespace(name: unknown, problems: ProblemList): void {
  if (name === undefined) {
    problems.add('EDGE_MISSING', 'a namespace is required', "write namespace: 'kube-system'");
  } else if (
    !isNamedObject(name, 'a namespace', problems) &&
    (typeof name !== 'string' || isWrong(name, isDnsLabel(name), problems))
  ) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not a namespace name`,
      `write lower-case letters, digits and "-", at most 63, for example ${quoted(nearestName(showValue(name)).replace(/\./g, '-'))}`,
    );
  }
}

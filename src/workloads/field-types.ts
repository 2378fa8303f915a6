import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { fieldsOfType, shapesOfType, type ValueShape } from '../kubernetes/workload-fields.js';
import { isMap, type ObjectPath } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';

/** What the scheduling and the network need is read, and checked, where it is used; so are labels and annotations. */
const READ_ELSEWHERE = new Set([
  'affinity',
  'dnsConfig',
  'hostNetwork',
  'metadata',
  'nodeSelector',
  'ports',
  'selector',
  'tolerations',
  'topologySpreadConstraints',
]);

const WANTED: Readonly<Record<ValueShape['value'], string>> = {
  text: 'text in quotes',
  number: 'a number',
  boolean: 'true or false',
  map: 'a map',
};

/**
 * Refuses values that the API server cannot decode: it wants text and gets a number (`value: 8080` of a variable), a map and gets text. Values that are not
 * known yet are not read, null is absent, and what is refused already is not refused again.
 *
 * @param type type of the object, as in {@link fieldsOfType}
 */
export function checkFieldTypes(object: unknown, type: string, problems: ProblemList): void {
  const told = new Set(problems.problems.map(({ path }) => path));
  visit(object, type, [], (value, wanted, path) => refuse(value, wanted, problems.at(...path), told));
}

type Refuse = (value: unknown, wanted: string, path: ObjectPath) => void;

/** Little is refused, so `path` is one list. */
function visit(object: unknown, type: string, path: (string | number)[], add: Refuse): void {
  if (!isMap(object)) {
    return;
  }
  const fields = fieldsOfType(type);
  const shapes = shapesOfType(type);
  for (const [field, value] of Object.entries(object)) {
    if (isAbsent(value) || READ_ELSEWHERE.has(field) || !fields.has(field)) {
      continue;
    }
    const shape = shapes.get(field);
    path.push(field);
    if (shape?.many === 'list' && !Array.isArray(value)) {
      add(value, 'a list', path);
    } else if (shape?.many === 'map' && !isMap(value)) {
      add(value, 'a map', path);
    } else if (shape?.many !== undefined || Array.isArray(value)) {
      for (const [step, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
        path.push(step);
        visitValue(item, shape, fields.get(field), path, add);
        path.pop();
      }
    } else {
      visitValue(value, shape, fields.get(field), path, add);
    }
    path.pop();
  }
}

function visitValue(
  value: unknown,
  shape: ValueShape | undefined,
  type: string | undefined,
  path: (string | number)[],
  add: Refuse,
): void {
  if (shape !== undefined && !isAbsent(value) && !isOf(value, shape.value)) {
    add(value, WANTED[shape.value], path);
  } else if (type !== undefined) {
    visit(value, type, path, add);
  }
}

function isOf(value: unknown, wanted: ValueShape['value']): boolean {
  return wanted === 'map' ? isMap(value) : typeof value === (wanted === 'text' ? 'string' : wanted);
}

function refuse(value: unknown, wanted: string, problems: ProblemList, told: ReadonlySet<string>): void {
  // a value of a class, such as an Output or a token of cdk8s, is not known yet
  const isUnresolved = typeof value === 'object' && !Array.isArray(value) && !isMap(value);
  if (isUnresolved || told.has(problems.path)) {
    return;
  }
  problems.add(
    'EDGE_TYPE',
    `this must be ${wanted}, and is ${showValue(value)}: the API server refuses it`,
    instead(value, wanted),
  );
}

function instead(value: unknown, wanted: string): string {
  if (wanted === WANTED.text && ['number', 'boolean'].includes(typeof value)) {
    return `write '${String(value)}', in quotes`;
  }
  // in manifests of other kinds the type is text of its own
  if (wanted === WANTED.map && ['Recreate', 'RollingUpdate', 'OnDelete'].includes(value as string)) {
    return `write { type: '${String(value)}' }`;
  }
  const isMeant =
    typeof value === 'string' &&
    ((wanted === WANTED.number && /^-?\d+$/.test(value)) ||
      (wanted === WANTED.boolean && /^(true|false)$/.test(value)));
  return isMeant ? `write ${value}, without quotes` : `write ${wanted}, or leave it out`;
}

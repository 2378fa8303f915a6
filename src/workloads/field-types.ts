import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { fieldsOfType, shapesOfType, type ValueShape } from '../kubernetes/workload-fields.js';
import { entryOf, isMap, type ObjectPath } from '../validation/plain-data.js';
import { quoted } from '../validation/properties.js';

/** What the scheduling and the network need is read, and checked, where it is used; so are labels and annotations. */
const READ_ELSEWHERE = new Set([
  'affinity',
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
  const reported = new Set(problems.problems.map(({ path }) => path));
  visit(object, type, [], (value, wanted, path, field) => refuse(value, wanted, problems.at(...path), reported, field));
}

/** @param field the type of the object and its field: `Volume.hostPath` */
type Refuse = (value: unknown, wanted: string, path: ObjectPath, field: string) => void;

/** What people write in place of a map, and what they mean. */
const SHORT: Readonly<Record<string, (value: string) => string>> = {
  'Volume.hostPath': (path) => `{ path: ${path} }`,
  'Volume.emptyDir': () => '{}',
  'Volume.configMap': (name) => `{ name: ${name} }`,
  'Volume.secret': (name) => `{ secretName: ${name} }`,
  'Volume.persistentVolumeClaim': (name) => `{ claimName: ${name} }`,
  'EnvVarSource.fieldRef': (path) => `{ fieldPath: ${path} }`,
  'SecurityContext.capabilities': (names) => `{ add: ${names.startsWith('[') ? names : `[${names}]`} }`,
};

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
    const reported = `${type}.${field}`;
    path.push(field);
    if (shape?.many === 'list' && !Array.isArray(value)) {
      add(value, 'a list', path, reported);
    } else if (shape?.many === 'map' && !isMap(value)) {
      add(value, 'a map', path, reported);
    } else if (shape !== undefined && shape.many === undefined && Array.isArray(value)) {
      add(value, WANTED[shape.value], path, reported);
    } else if (shape?.many !== undefined || Array.isArray(value)) {
      for (const [step, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
        path.push(step);
        visitValue(item, shape, fields.get(field), path, add, reported);
        path.pop();
      }
    } else {
      visitValue(value, shape, fields.get(field), path, add, reported);
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
  reported: string,
): void {
  if (shape !== undefined && !isAbsent(value) && !isOf(value, shape.value)) {
    add(value, WANTED[shape.value], path, reported);
  } else if (type !== undefined) {
    visit(value, type, path, add);
  }
}

function isOf(value: unknown, wanted: ValueShape['value']): boolean {
  return wanted === 'map' ? isMap(value) : typeof value === (wanted === 'text' ? 'string' : wanted);
}

function refuse(
  value: unknown,
  wanted: string,
  problems: ProblemList,
  reported: ReadonlySet<string>,
  field: string,
): void {
  // a value of a class, such as an Output or a token of cdk8s, is not known yet
  const isUnresolved = typeof value === 'object' && !Array.isArray(value) && !isMap(value);
  if (isUnresolved || reported.has(problems.path)) {
    return;
  }
  problems.add(
    'EDGE_TYPE',
    `this must be ${wanted}, and is ${quoted(value)}: the API server refuses it`,
    instead(value, wanted, field),
  );
}

function instead(value: unknown, wanted: string, field: string): string {
  const short = wanted === WANTED.map ? entryOf(SHORT, field) : undefined;
  if (short !== undefined) {
    return `write ${field.slice(field.indexOf('.') + 1)}: ${short(typeof value === 'string' ? `'${value}'` : quoted(value))}`;
  }
  const amount =
    wanted === WANTED.number && typeof value === 'string' ? /^(\d+) ?s(?:ec(?:onds?)?)?$/.exec(value)?.[1] : undefined;
  if (amount !== undefined && /Seconds$/.test(field)) {
    return `write ${amount}, without quotes and without a unit`;
  }
  if (wanted === WANTED.text && ['number', 'boolean'].includes(typeof value)) {
    return `write '${String(value)}', in quotes`;
  }
  // in manifests of other kinds the type is text of its own
  if (wanted === WANTED.map && ['Recreate', 'RollingUpdate', 'OnDelete'].includes(value as string)) {
    const isKnown = value !== (field === 'DeploymentSpec.strategy' ? 'OnDelete' : 'Recreate');
    return `write { type: '${isKnown ? String(value) : 'RollingUpdate'}' }`;
  }
  const isMeant =
    typeof value === 'string' &&
    ((wanted === WANTED.number && /^-?\d+$/.test(value)) ||
      (wanted === WANTED.boolean && /^(true|false)$/.test(value)));
  return isMeant ? `write ${value}, without quotes` : `write ${wanted}, or leave it out`;
}

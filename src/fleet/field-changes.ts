import { joinPath } from '../base/errors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, type PlainMap } from '../base/plain-data.js';

/**
 * A field that differs between two versions of an object.
 *
 * @category Compare two releases
 */
export interface FieldChange {
  /** Path of the field: `spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** Its value before.
   * @default - the field appears */
  readonly before?: unknown;
  /** Its value after.
   * @default - the field is gone */
  readonly after?: unknown;
}

/**
 * Fields by which the items of a list are known, as in the lists of Kubernetes that server-side apply merges (`x-kubernetes-list-map-keys`), and in
 * policies. The first that every item has, each with another value, counts.
 */
const KEYS = [
  'name',
  'mountPath',
  'devicePath',
  'containerPort',
  'port',
  'ip',
  'topologyKey',
  'path',
  'expression',
  'key',
];

/** The fields that differ. Items of lists are compared with the item of the same key, wherever it stands, or with an equal one. */
export function fieldChanges(before: unknown, after: unknown, path: string): FieldChange[] {
  if (isSame(before, after, path)) {
    return [];
  }
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => fieldChanges(before[key], after[key], joinPath(path, key)));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const changes = itemChanges(before, after, path);
    // only the order differs
    return changes.length > 0 ? changes : [{ path, before, after }];
  }
  return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

function itemChanges(before: readonly unknown[], after: readonly unknown[], path: string): FieldChange[] {
  const key = itemKey(before, after);
  if (key !== undefined) {
    const [first, second] = [before, after].map(
      (items) => new Map((items as PlainMap[]).map((item) => [item[key], item])),
    ) as [Map<unknown, PlainMap>, Map<unknown, PlainMap>];
    return [...new Set([...first.keys(), ...second.keys()])].flatMap((value) =>
      fieldChanges(first.get(value), second.get(value), `${path}[${key}=${String(value)}]`),
    );
  }
  // equal items belong together; the others are compared one after the other
  const gone = without(before, after);
  const come = without(after, before);
  const isText = [...gone, ...come].every(({ item }) => !isMap(item) && !Array.isArray(item));
  if (isText) {
    return [
      ...gone.map(({ item }) => ({ path: `${path}[]`, before: item })),
      ...come.map(({ item }) => ({ path: `${path}[]`, after: item })),
    ];
  }
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, at) => {
    const [from, to] = [gone[at], come[at]];
    return fieldChanges(from?.item, to?.item, joinPath(path, (to ?? from)?.index ?? 0));
  }).flat();
}

/** The field by which the items of both lists are known; undefined if there is none. */
export function itemKey(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  return KEYS.find((name) => [before, after].every((items) => isKey(name, items)));
}

/** Whether every item has the key, each with another value. */
function isKey(name: string, items: readonly unknown[]): boolean {
  const values = items.map((item) => (isMap(item) ? item[name] : undefined));
  return (
    values.every((value) => typeof value === 'string' || typeof value === 'number') &&
    new Set(values).size === values.length
  );
}

/** The items without an equal one among the others, each of which is equal to one only. */
function without(items: readonly unknown[], others: readonly unknown[]): { item: unknown; index: number }[] {
  const counts = new Map<string, number>();
  others.map(textOf).forEach((text) => counts.set(text, (counts.get(text) ?? 0) + 1));
  return items.flatMap((item, index) => {
    const text = textOf(item);
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count > 0 ? [] : [{ item, index }];
  });
}

function isSame(before: unknown, after: unknown, path: string): boolean {
  return (
    Object.is(before, after) || textOf(before) === textOf(after) || (AMOUNT.test(path) && isSameAmount(before, after))
  );
}

/** Fields with a quantity: the API server writes `1000m` as `1`. */
const AMOUNT = /\.(?:requests|limits|capacity|overhead)(?:\.|\[").+$|\.sizeLimit$/;

function isSameAmount(before: unknown, after: unknown): boolean {
  const [one, other] = [before, after].map((each) =>
    typeof each === 'string' || typeof each === 'number' ? Quantity.parse(String(each)) : undefined,
  );
  return one !== undefined && other !== undefined && one.nano === other.nano;
}

const textOf = (value: unknown): string => JSON.stringify(withAmounts(sorted(value))) ?? '';

/** A value with quantities in one form. */
function withAmounts(value: unknown, isAmount = false): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => withAmounts(item));
  }
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withAmounts(item, isAmount ? !isMap(item) : AMOUNTS.has(key))]),
    );
  }
  const amount = isAmount && ['string', 'number'].includes(typeof value) ? Quantity.parse(String(value)) : undefined;
  return amount === undefined ? value : `${amount.nano}`;
}

/** Maps of quantities. */
const AMOUNTS = new Set(['requests', 'limits', 'capacity', 'overhead']);

/** A value with the keys of its maps in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return isMap(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])]),
      )
    : value;
}

import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap, same, withoutValueAt } from '../validation/plain-data.js';

/** The changes of an override policy (policy.karmada.io/v1alpha1 Overriders), which Karmada applies in this order. */
export interface Overriders {
  readonly labelsOverrider?: readonly object[];
  readonly annotationsOverrider?: readonly object[];
  readonly plaintext?: readonly object[];
}

/**
 * What makes one object of another; undefined if nothing is to change. Labels and annotations have overriders of their own, because Karmada has added its own
 * to them by then; everything else is a JSON patch.
 */
export function overridersBetween(template: KubernetesObject, wanted: KubernetesObject): Overriders | undefined {
  const labels = ofMap(mapAt(mapAt(template, 'metadata'), 'labels'), mapAt(mapAt(wanted, 'metadata'), 'labels'));
  const annotations = ofMap(
    mapAt(mapAt(template, 'metadata'), 'annotations'),
    mapAt(mapAt(wanted, 'metadata'), 'annotations'),
  );
  const plaintext = ofTree(withoutMaps(template), withoutMaps(wanted), '');
  const overriders = {
    ...(labels.length === 0 ? {} : { labelsOverrider: labels }),
    ...(annotations.length === 0 ? {} : { annotationsOverrider: annotations }),
    ...(plaintext.length === 0 ? {} : { plaintext }),
  };
  return Object.keys(overriders).length === 0 ? undefined : overriders;
}

function withoutMaps(object: KubernetesObject): PlainMap {
  return withoutValueAt(withoutValueAt(object, ['metadata', 'labels']), ['metadata', 'annotations']) as PlainMap;
}

/** Labels or annotations. Replacing and removing need keys that are there. */
function ofMap(before: PlainMap, after: PlainMap): object[] {
  const of = (operator: string, map: PlainMap): object[] =>
    Object.keys(map).length === 0 ? [] : [{ operator, value: map }];
  const pick = (map: PlainMap, isIn: (key: string) => boolean): PlainMap =>
    Object.fromEntries(Object.entries(map).filter(([key]) => isIn(key)));
  return [
    ...of(
      'add',
      pick(after, (key) => !(key in before)),
    ),
    ...of(
      'replace',
      pick(after, (key) => key in before && before[key] !== after[key]),
    ),
    ...of(
      'remove',
      pick(before, (key) => !(key in after)),
    ),
  ];
}

function ofTree(before: unknown, after: unknown, path: string): object[] {
  if (same(before, after)) {
    return [];
  }
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => ofField(before, after, key, `${path}/${escaped(key)}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item: unknown, index) => ofTree(before[index], item, `${path}/${index}`));
  }
  return [{ path, operator: 'replace', value: after }];
}

function ofField(before: PlainMap, after: PlainMap, key: string, path: string): object[] {
  if (after[key] === undefined) {
    return before[key] === undefined ? [] : [{ path, operator: 'remove' }];
  }
  return before[key] === undefined
    ? [{ path, operator: 'add', value: after[key] }]
    : ofTree(before[key], after[key], path);
}

/** A key in a JSON pointer (RFC 6901). */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

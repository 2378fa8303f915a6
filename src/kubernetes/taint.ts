import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { isLabelValue, isQualifiedName } from './label-syntax.js';
import type { HostNetworkLabel } from './labels.js';
import { nearest, quoted, showValue, whatIs } from '../base/properties.js';

/** All effects of taints. */
export const TAINT_EFFECTS: readonly string[] = [
  'NoSchedule',
  'PreferNoSchedule',
  'NoExecute',
] satisfies Taint['effect'][];

/**
 * A taint on every node of a pool.
 *
 * @category Declare pools
 */
export interface Taint {
  /** Taint key, a qualified name. */
  readonly key: string;
  /** Taint value, a label value.
   * @default - no value */
  readonly value?: string;
  /** Effect on Pods that do not tolerate the taint. */
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /** When the taint was added (RFC 3339); only for `NoExecute`.
   * @default - set by the node lifecycle controller */
  readonly timeAdded?: string;
}

/**
 * A toleration, as in a Pod spec.
 *
 * @category Declare pools
 */
export interface Toleration {
  /** Taint key; empty tolerates every key (with operator `Exists`).
   * @default - every key */
  readonly key?: string;
  /** How the value is compared.
   * @default Equal */
  readonly operator?: 'Exists' | 'Equal';
  /** Taint value, for `Equal`.
   * @default - empty */
  readonly value?: string;
  /** Effect that is tolerated.
   * @default - every effect */
  readonly effect?: Taint['effect'];
  /** How long a `NoExecute` taint is tolerated, in seconds.
   * @default - forever */
  readonly tolerationSeconds?: number;
}

// metav1.Time as the API server parses it
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The optional taint of host-network nodes: no Pod without a toleration is scheduled there, from the moment of registration. */
export function hostNetworkTaint({ key, value }: HostNetworkLabel): Taint {
  return { key, ...(value === '' ? {} : { value }), effect: 'NoSchedule' };
}

/** The toleration that matches exactly one taint. */
export function tolerationFor(taint: Taint): Toleration {
  return taint.value === undefined
    ? { key: taint.key, operator: 'Exists', effect: taint.effect }
    : { key: taint.key, operator: 'Equal', value: taint.value, effect: taint.effect };
}

function nearestEffect(effect: unknown): string {
  return nearest(showValue(effect), TAINT_EFFECTS) ?? 'NoSchedule';
}

/** A taint as a map; in kubectl and kubelet it is text: `site=hz:NoSchedule`. */
function asMap(taint: unknown): string {
  const [, key = 'site', value, effect = 'NoSchedule'] =
    typeof taint === 'string' ? (/^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(taint) ?? [, 'site', 'hz']) : [, 'site', 'hz'];
  return `{ key: '${key}'${value === undefined ? '' : `, value: '${value}'`}, effect: '${effect}' }`;
}

function checkTaint(taint: unknown, problems: ProblemList): void {
  if (!isMap(taint)) {
    problems.add('EDGE_TYPE', `a taint must be a map, this is ${whatIs(taint)}`, `write ${asMap(taint)}`);
    return;
  }
  const { key, value, effect, timeAdded } = taint;
  if (typeof key !== 'string' || key === '') {
    problems.at('key').add('EDGE_MISSING', 'a taint needs a key', "write { key: 'site', effect: 'NoSchedule' }");
  } else if (!isQualifiedName(key)) {
    problems
      .at('key')
      .add('EDGE_TAINT', `${quoted(key)} is not a qualified name`, 'write "name" or "prefix.example/name"');
  }
  if (value !== undefined && (typeof value !== 'string' || !isLabelValue(value))) {
    problems
      .at('value')
      .add(
        'EDGE_TAINT',
        `${quoted(value)} is not a label value`,
        typeof value === 'boolean' || typeof value === 'number'
          ? `write text in quotes: value: '${value}'`
          : 'write text of at most 63 letters, digits, "-", "_" and "."',
      );
  }
  if (effect === undefined) {
    const hint = `write effect: 'NoSchedule' (one of ${TAINT_EFFECTS.join(', ')})`;
    problems.at('effect').add('EDGE_MISSING', 'a taint needs an effect', hint);
  } else if (!TAINT_EFFECTS.includes(effect as string)) {
    const hint = `write effect: '${nearestEffect(effect)}' (one of ${TAINT_EFFECTS.join(', ')})`;
    problems.at('effect').add('EDGE_TAINT', `${quoted(effect)} is not a taint effect`, hint);
  }
  if (timeAdded !== undefined && (typeof timeAdded !== 'string' || !RFC_3339.test(timeAdded))) {
    problems
      .at('timeAdded')
      .add('EDGE_TAINT', 'timeAdded is not an RFC 3339 time', "write '2036-01-31T12:00:00Z', or leave it out");
  }
  for (const field of Object.keys(taint)) {
    if (!['key', 'value', 'effect', 'timeAdded'].includes(field)) {
      problems
        .at(field)
        .add('EDGE_UNKNOWN_PROPERTY', `a taint has no field ${field}`, 'write key, value, effect (and timeAdded)');
    }
  }
}

/** Validates a list of taints; a node cannot have two taints with the same key and effect. */
export function checkTaints(taints: unknown, problems: ProblemList): void {
  if (taints === undefined) {
    return;
  }
  if (!Array.isArray(taints)) {
    problems.add('EDGE_TYPE', 'taints must be a list', `write [${asMap(taints)}]`);
    return;
  }
  const seen = new Map<string, number>();
  taints.forEach((taint: unknown, index) => {
    checkTaint(taint, problems.at(index));
    if (!isMap(taint)) {
      return;
    }
    const identity = `${String(taint.key)}:${String(taint.effect)}`;
    const earlier = seen.get(identity);
    if (earlier !== undefined) {
      const message = `taints[${earlier}] and taints[${index}] have the same key and effect`;
      problems.at(index).add('EDGE_DUPLICATE', message, 'a node has one taint per key and effect: remove one');
    }
    seen.set(identity, index);
  });
}

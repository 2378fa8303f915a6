import { joinPath, type ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap, mapAt, type PlainMap, withField } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import {
  expressionsOf,
  isEmptyTerm,
  REQUIRED_PATH,
  requiredTerms,
  requireInEveryTerm,
  termExcludes,
  withRequiredTerms,
} from '../kubernetes/node-affinity.js';
import type { Pool } from '../pools/pool.js';
import type { Taint } from '../kubernetes/taint.js';

/** A changed Pod spec and the paths that changed. */
export interface Selection {
  readonly podSpec: PlainMap;
  readonly changed: readonly string[];
}

/**
 * Binds a Pod to one pool by nodeSelector, or to several by a required affinity in every term.
 */
export function withPoolSelection(
  cluster: EdgeCluster,
  pools: readonly Pool[],
  podSpec: PlainMap,
  path: string,
  problems: ProblemList,
): Selection {
  const label = cluster.nodePoolLabel;
  const names = pools.map((pool) => pool.poolName);
  findOtherWishes(label, names, podSpec, problems);
  const selector = mapAt(podSpec, 'nodeSelector');
  if (names.length === 1 || names.includes(selector[label] as string)) {
    if (selector[label] !== undefined) {
      return { podSpec, changed: [] };
    }
    return {
      podSpec: withField(podSpec, 'nodeSelector', { ...selector, [label]: names[0] }),
      changed: [['nodeSelector', label].reduce(joinPath, path)],
    };
  }
  const terms = requiredTerms(podSpec);
  const requirement = { key: label, operator: 'In' as const, values: names };
  const asksAlready = (term: PlainMap): boolean =>
    expressionsOf(term).some(
      ({ key, operator, values }) =>
        key === label &&
        operator === 'In' &&
        Array.isArray(values) &&
        values.every((value) => names.includes(value as string)),
    );
  if (terms !== undefined && terms.length > 0 && terms.every((term) => isEmptyTerm(term) || asksAlready(term))) {
    return { podSpec, changed: [] };
  }
  return {
    podSpec: withRequiredTerms(podSpec, requireInEveryTerm(terms, requirement, asksAlready)),
    changed: [[...REQUIRED_PATH, 'nodeSelectorTerms'].reduce(joinPath, path)],
  };
}

/** What in a Pod spec keeps it from ever running on the pools. */
function findOtherWishes(label: string, names: readonly string[], podSpec: PlainMap, problems: ProblemList): void {
  const list = names.join(', ');
  const nodeName: unknown = podSpec.nodeName;
  if (nodeName !== undefined && nodeName !== null && nodeName !== '') {
    problems
      .at('nodeName')
      .add(
        'EDGE_CONTRADICTION',
        `nodeName ${JSON.stringify(nodeName)} bypasses the scheduler, whatever pool that node is in`,
        "remove nodeName; to choose one node of the pool write nodeSelector: { 'kubernetes.io/hostname': … }",
      );
  }
  const selector = mapAt(podSpec, 'nodeSelector');
  if (selector[label] !== undefined && !names.includes(selector[label] as string)) {
    problems
      .at('nodeSelector', label)
      .add(
        'EDGE_CONTRADICTION',
        `the nodeSelector asks for the pool ${JSON.stringify(selector[label])}, the workload is for ${list}`,
        'remove the entry, or name that pool',
      );
  }
  if (selector[HOST_NETWORK_LABEL] !== undefined && selector[HOST_NETWORK_LABEL] !== TRUE) {
    problems
      .at('nodeSelector', HOST_NETWORK_LABEL)
      .add(
        'EDGE_CONTRADICTION',
        `the label only ever has the value "true", not ${JSON.stringify(selector[HOST_NETWORK_LABEL])}`,
        'remove the entry',
      );
  }
  (requiredTerms(podSpec) ?? []).forEach((term, index) => {
    const at = problems.at(...REQUIRED_PATH, 'nodeSelectorTerms', index);
    if (termExcludes(term)) {
      at.add(
        'EDGE_CONTRADICTION',
        `term ${index} keeps the Pod off host-network nodes`,
        'remove that requirement, or use ExcludedWorkload instead',
      );
    } else if (expressionsOf(term).some((expression) => refusesAll(expression, label, names))) {
      at.add(
        'EDGE_CONTRADICTION',
        `term ${index} keeps the Pod off ${list}`,
        `remove the requirement on ${label}, or name its pools`,
      );
    }
  });
}

function refusesAll({ key, operator, values }: PlainMap, label: string, names: readonly string[]): boolean {
  if (key !== label) {
    return false;
  }
  const listed = (name: string): boolean => Array.isArray(values) && values.includes(name);
  switch (operator) {
    case 'DoesNotExist':
      return true;
    case 'In':
      return !names.some(listed);
    case 'NotIn':
      return names.every(listed);
    default:
      return false;
  }
}

/** Adds the tolerations that the pools' taints call for and that the Pod does not have. */
export function withTolerations(pools: readonly Pool[], podSpec: PlainMap, path: string): Selection {
  const present = Array.isArray(podSpec.tolerations) ? (podSpec.tolerations as unknown[]) : [];
  const missing = new Map<string, unknown>();
  for (const pool of pools) {
    pool.taints.forEach((taint, index) => {
      if (!present.some((toleration) => isMap(toleration) && tolerates(toleration, taint))) {
        missing.set(JSON.stringify([taint.key, taint.value, taint.effect]), pool.tolerations[index]);
      }
    });
  }
  if (missing.size === 0) {
    return { podSpec, changed: [] };
  }
  return {
    podSpec: withField(podSpec, 'tolerations', [...present, ...missing.values()]),
    changed: [joinPath(path, 'tolerations')],
  };
}

/** Whether a toleration tolerates a taint (core v1 Toleration.ToleratesTaint). */
export function tolerates(toleration: PlainMap, taint: Taint): boolean {
  const { key, operator = 'Equal', value = '', effect } = toleration;
  if (effect !== undefined && effect !== '' && effect !== taint.effect) {
    return false;
  }
  if (key !== undefined && key !== '' && key !== taint.key) {
    return false;
  }
  if (operator === 'Exists') {
    return true;
  }
  return key !== undefined && key !== '' && value === (taint.value ?? '');
}

import { joinPath, type ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap, mapAt, type PlainMap, withField } from '../base/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { isAbsent, itemsOf } from '../kubernetes/field-values.js';
import {
  expressionsOf,
  isEmptyTerm,
  readsOfTerms,
  REQUIRED_PATH,
  requiredTerms,
  requireInEveryTerm,
  withRequiredTerms,
} from '../kubernetes/node-affinity.js';
import { termExcludes } from './exclusion-affinity.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';

/** A changed Pod spec and the paths that changed. */
export interface Selection {
  readonly podSpec: PlainMap;
  readonly changed: readonly string[];
}

/** Input of a pool selection. */
interface SelectionInput {
  readonly label: string;
  readonly names: readonly string[];
  readonly nodeSelector: unknown;
  readonly affinity: unknown;
}

/**
 * Restricts a Pod to one pool with a nodeSelector, or to several with a required node affinity in every term.
 */
export function withPoolSelection(
  cluster: EdgeCluster,
  pools: readonly NodePoolAttributes[],
  podSpec: PlainMap,
  path: string,
  problems: ProblemList,
): Selection {
  const label = cluster.nodePoolLabel;
  const names = pools.map((pool) => pool.poolName);
  const { nodeSelector, affinity } = podSpec;
  findOtherPools(cluster, names, podSpec, problems);
  const named = isMap(nodeSelector) ? nodeSelector[label] : undefined;
  const asked = readsOfTerms(podSpec, label);
  const reads = [
    isUnknown(nodeSelector) && nodeSelector,
    // the pools that the Pod spec already selects are compared with the names
    names.length > 1
      ? [named, named !== undefined && names, asked, selectsPools(podSpec, label) && names]
      : isUnknown(named) && named,
  ];
  const input: SelectionInput = { label, names, nodeSelector, affinity };
  const changed = compute(
    input,
    (known) => selected(known).changed.map((steps) => steps.reduce(joinPath, path)),
    reads,
  );
  if (!holdsUnknown(reads)) {
    return { podSpec: { ...podSpec, ...selected(input).fields }, changed };
  }
  const fieldOf = (field: 'nodeSelector' | 'affinity'): PlainMap => {
    const value = compute(input, (known) => selected(known).fields[field] ?? known[field], reads);
    return field === 'affinity' && affinity === undefined && names.length === 1 ? {} : { [field]: value };
  };
  return { podSpec: { ...podSpec, ...fieldOf('nodeSelector'), ...fieldOf('affinity') }, changed };
}

/** Whether a required term has a requirement on the membership label. */
function selectsPools(podSpec: PlainMap, label: string): boolean {
  return (requiredTerms(podSpec) ?? []).some((term) => expressionsOf(term).some(({ key }) => key === label));
}

/** The fields that bind a Pod to pools, and the paths at which they differ. */
function selected({ label, names, nodeSelector, affinity }: SelectionInput): {
  readonly fields: PlainMap;
  readonly changed: readonly string[][];
} {
  const podSpec = { nodeSelector, affinity };
  const selector = mapAt(podSpec, 'nodeSelector');
  if (names.length === 1 || names.includes(selector[label] as string)) {
    return selector[label] !== undefined
      ? { fields: {}, changed: [] }
      : { fields: { nodeSelector: { ...selector, [label]: names[0] } }, changed: [['nodeSelector', label]] };
  }
  const terms = requiredTerms(podSpec);
  const requirement = { key: label, operator: 'In' as const, values: [...names] };
  const alreadySelects = (term: PlainMap): boolean =>
    expressionsOf(term).some(
      ({ key, operator, values }) =>
        key === label &&
        operator === 'In' &&
        Array.isArray(values) &&
        values.every((value) => names.includes(value as string)),
    );
  if (terms !== undefined && terms.length > 0 && terms.every((term) => isEmptyTerm(term) || alreadySelects(term))) {
    return { fields: {}, changed: [] };
  }
  const bound = affinity === undefined ? {} : { affinity };
  return {
    fields: { affinity: withRequiredTerms(bound, requireInEveryTerm(terms, requirement, alreadySelects)).affinity },
    changed: [[...REQUIRED_PATH, 'nodeSelectorTerms']],
  };
}

/** Reports constraints of a Pod spec that conflict with the pools. */
function findOtherPools(
  { nodePoolLabel: label, hostNetworkLabel }: EdgeCluster,
  names: readonly string[],
  podSpec: PlainMap,
  problems: ProblemList,
): void {
  const list = names.join(', ');
  const nodeName: unknown = podSpec.nodeName;
  if (nodeName !== undefined && nodeName !== null && nodeName !== '') {
    const message = `nodeName ${JSON.stringify(nodeName)} bypasses the scheduler, so the pool selection is ignored`;
    const hint = "remove nodeName; to choose one node of the pool write nodeSelector: { 'kubernetes.io/hostname': … }";
    problems.at('nodeName').add('EDGE_CONTRADICTION', message, hint);
  }
  const selector = mapAt(podSpec, 'nodeSelector');
  if (selector[label] !== undefined && !names.includes(selector[label] as string)) {
    problems
      .at('nodeSelector', label)
      .add(
        'EDGE_CONTRADICTION',
        `conflicting scheduling constraints: the nodeSelector requires the pool ${JSON.stringify(selector[label])}, the workload runs on ${list}`,
        'remove the entry, or name that pool',
      );
  }
  const { key, value } = hostNetworkLabel;
  if (selector[key] !== undefined && selector[key] !== value) {
    problems
      .at('nodeSelector', key)
      .add(
        'EDGE_CONTRADICTION',
        `the label of a host-network node has the value ${JSON.stringify(value)}, not ${JSON.stringify(selector[key])}`,
        'remove the entry',
      );
  }
  (requiredTerms(podSpec) ?? []).forEach((term, index) => {
    const at = problems.at(...REQUIRED_PATH, 'nodeSelectorTerms', index);
    if (termExcludes(term, hostNetworkLabel)) {
      at.add(
        'EDGE_CONTRADICTION',
        `conflicting scheduling constraints: nodeSelectorTerms[${index}] excludes the Pod from host-network nodes`,
        'remove that requirement, or use ExcludedWorkload instead',
      );
    } else if (expressionsOf(term).some((expression) => refusesAll(expression, label, names))) {
      at.add(
        'EDGE_CONTRADICTION',
        `conflicting scheduling constraints: nodeSelectorTerms[${index}] matches no node of ${list}`,
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

/** Adds the tolerations for the pools' taints that the Pod does not have. */
export function withTolerations(pools: readonly NodePoolAttributes[], podSpec: PlainMap, path: string): Selection {
  const { tolerations } = podSpec;
  const input = { tolerations, pools: pools.map(({ taints, tolerations: needed }) => ({ taints, needed })) };
  const tainted = input.pools.filter(({ taints }) => isUnknown(taints) || taints.length > 0);
  // with one tainted pool and no toleration in the Pod there is nothing to compare
  const isAlone =
    tainted.length === 1 && (tolerations === undefined || (Array.isArray(tolerations) && tolerations.length === 0));
  const reads =
    tainted.length === 0
      ? []
      : isAlone
        ? [tainted[0]?.taints, tainted[0]?.needed].filter(isUnknown)
        : [tolerations, tainted];
  return withAdded(podSpec, compute(input, missingTolerations, reads), path);
}

/** Adds tolerations at the end. */
export function withAdded(podSpec: PlainMap, missing: readonly Toleration[], path: string): Selection {
  const { tolerations } = podSpec;
  const isComplete = !isUnknown(missing) && missing.length === 0;
  return {
    podSpec: isComplete
      ? podSpec
      : withField(
          podSpec,
          'tolerations',
          compute(
            { tolerations, missing },
            (known) =>
              known.missing.length === 0 ? known.tolerations : [...itemsOf(known.tolerations), ...known.missing],
            [tolerations, missing].filter(isUnknown),
          ),
        ),
    changed: compute(
      missing,
      (known) => (known.length === 0 ? [] : [joinPath(path, 'tolerations')]),
      isUnknown(missing) && missing,
    ),
  };
}

function missingTolerations({
  tolerations,
  pools,
}: {
  readonly tolerations: unknown;
  readonly pools: readonly { readonly taints: readonly Taint[]; readonly needed: readonly Toleration[] }[];
}): Toleration[] {
  const present = itemsOf(tolerations);
  const missing = new Map<string, Toleration>();
  for (const { taints, needed } of pools) {
    taints.forEach((taint, index) => {
      if (!present.some((toleration) => isMap(toleration) && tolerates(toleration, taint))) {
        missing.set(JSON.stringify([taint.key, taint.value, taint.effect]), needed[index] as Toleration);
      }
    });
  }
  return [...missing.values()];
}

/** Whether a toleration tolerates a taint (core v1 Toleration.ToleratesTaint). Null is absent. */
export function tolerates(toleration: PlainMap, taint: Taint): boolean {
  const { key, operator, value, effect } = toleration;
  const isEmpty = (field: unknown): boolean => isAbsent(field) || field === '';
  if (!isEmpty(effect) && effect !== taint.effect) {
    return false;
  }
  if (!isEmpty(key) && key !== taint.key) {
    return false;
  }
  if (operator === 'Exists') {
    return true;
  }
  return (isEmpty(operator) || operator === 'Equal') && !isEmpty(key) && (value ?? '') === (taint.value ?? '');
}

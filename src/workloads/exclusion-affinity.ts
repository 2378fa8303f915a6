import { type EdgeWarning, joinPath, type ProblemList } from '../base/errors.js';
import { hasOtherValues, type HostNetworkLabel } from '../kubernetes/labels.js';
import {
  expressionsOf,
  isEmptyTerm,
  type NodeSelectorRequirement,
  REQUIRED_PATH,
  requiredTerms,
  requireInEveryTerm,
} from '../kubernetes/node-affinity.js';
import { mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';

/** The requirement that excludes a Pod from host-network nodes. NotIn matches nodes without the label, so every other node stays eligible. */
export function exclusionOf({ key, value }: HostNetworkLabel): Required<NodeSelectorRequirement> {
  return { key, operator: 'NotIn', values: [value] };
}

function hasValue(requirement: PlainMap, value: string): boolean {
  return Array.isArray(requirement.values) && requirement.values.includes(value);
}

/** Whether a term already excludes host-network nodes. */
export function termExcludes(term: PlainMap, label: HostNetworkLabel): boolean {
  return expressionsOf(term).some(
    ({ key, operator, ...rest }) =>
      key === label.key && (operator === 'DoesNotExist' || (operator === 'NotIn' && hasValue(rest, label.value))),
  );
}

/** Whether a Pod spec already excludes host-network nodes in every term that can match. */
export function podSpecExcludes(podSpec: PlainMap, label: HostNetworkLabel): boolean {
  return termsExclude(requiredTerms(podSpec), label);
}

/** Whether terms already exclude host-network nodes: all of them that can match. */
export function termsExclude(terms: readonly PlainMap[] = [], label: HostNetworkLabel): boolean {
  return terms.length > 0 && terms.every((term) => isEmptyTerm(term) || termExcludes(term, label));
}

/** The terms with the exclusion in each of them. */
export function excludedTerms(terms: readonly PlainMap[] | undefined, label: HostNetworkLabel): PlainMap[] {
  return requireInEveryTerm(terms, exclusionOf(label), (term) => termExcludes(term, label));
}

/** Reports a workload that requires host-network pools: it can never run once it is excluded. */
export function findPoolContradictions(
  membershipLabel: string,
  isHostNetworkPool: (poolName: string) => boolean,
  podSpec: PlainMap,
  problems: ProblemList,
): void {
  const isRefused = (name: unknown): boolean => typeof name === 'string' && isHostNetworkPool(name);
  const hint = 'name a regular pool, or use HostNetworkWorkload instead';
  const selected = mapAt(podSpec, 'nodeSelector')[membershipLabel];
  if (isRefused(selected)) {
    problems
      .at('nodeSelector', membershipLabel)
      .add(
        'EDGE_CONTRADICTION',
        `conflicting scheduling constraints: the nodeSelector requires the host-network pool ${String(selected)}, the exclusion forbids its nodes`,
        hint,
      );
  }
  (requiredTerms(podSpec) ?? []).forEach((term, index) => {
    expressionsOf(term).forEach(({ key, operator, values }, position) => {
      if (key === membershipLabel && operator === 'In' && Array.isArray(values) && values.every(isRefused)) {
        problems
          .at(...REQUIRED_PATH, 'nodeSelectorTerms', index, 'matchExpressions', position)
          .add(
            'EDGE_CONTRADICTION',
            `conflicting scheduling constraints: nodeSelectorTerms[${index}] requires host-network pools (${values.join(', ')}), the exclusion forbids their nodes`,
            hint,
          );
      }
    });
  });
}

/** Reports constraints that no node can meet once the Pod is excluded from host-network nodes. */
export function findContradictions(podSpec: PlainMap, label: HostNetworkLabel, problems: ProblemList): void {
  if (mapAt(podSpec, 'nodeSelector')[label.key] === label.value) {
    problems
      .at('nodeSelector', label.key)
      .add(
        'EDGE_CONTRADICTION',
        'conflicting scheduling constraints: the nodeSelector requires host-network nodes, the exclusion forbids them',
        'remove the entry, or use HostNetworkWorkload instead',
      );
  }
  const nodeName: unknown = podSpec.nodeName;
  if (nodeName !== undefined && nodeName !== null && nodeName !== '') {
    const message = `nodeName ${JSON.stringify(nodeName)} bypasses the scheduler, so the node affinity is ignored`;
    const hint = 'remove nodeName; to choose nodes use nodeSelector or affinity';
    problems.at('nodeName').add('EDGE_CONTRADICTION', message, hint);
  }
  (requiredTerms(podSpec) ?? []).forEach((term, index) => {
    expressionsOf(term).forEach((expression, position) => {
      if (requiresHostNetwork(expression, label)) {
        problems
          .at(...REQUIRED_PATH, 'nodeSelectorTerms', index, 'matchExpressions', position)
          .add(
            'EDGE_CONTRADICTION',
            `conflicting scheduling constraints: nodeSelectorTerms[${index}] requires host-network nodes (${label.key} ${String(expression.operator)}), the exclusion forbids them`,
            `remove the requirement, or all of nodeSelectorTerms[${index}], or use HostNetworkWorkload instead`,
          );
      }
    });
  });
}

function requiresHostNetwork({ key, operator, values }: PlainMap, label: HostNetworkLabel): boolean {
  return (
    key === label.key && operator === 'In' && Array.isArray(values) && values.every((value) => value === label.value)
  );
}

/** Warns of terms that only a node with another value of the label matches: OpenYurt gives it no other value. */
export function otherValueWarnings(podSpec: PlainMap, label: HostNetworkLabel, path: ObjectPath): EdgeWarning[] {
  const isWanted = (term: PlainMap): boolean =>
    expressionsOf(term).some(({ key, operator }) => key === label.key && operator === 'Exists');
  return (hasOtherValues(label) ? [] : (requiredTerms(podSpec) ?? [])).flatMap((term, index): EdgeWarning[] =>
    isWanted(term)
      ? [
          {
            code: 'EDGE_MATCHES_NOTHING',
            path: [...path, index].reduce<string>(joinPath, ''),
            message: `${label.key} Exists: excluded from host-network nodes, this term matches only nodes on which somebody has set the label to another value than "${label.value}"`,
            hint: 'remove the term or the requirement, or use HostNetworkWorkload instead',
          },
        ]
      : [],
  );
}

import type { ProblemList } from '../errors.js';
import { hasOtherValues, type HostNetworkLabel } from '../kubernetes/labels.js';
import { expressionsOf, REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';

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

/**
 * Reports constraints that no node can meet once the Pod is excluded from host-network nodes. If the label has no other value, `Exists` requires a
 * host-network node too.
 */
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
    problems
      .at('nodeName')
      .add(
        'EDGE_CONTRADICTION',
        `nodeName ${JSON.stringify(nodeName)} bypasses the scheduler, so the node affinity is ignored`,
        'remove nodeName; to choose nodes use nodeSelector or affinity',
      );
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
  if (key !== label.key) {
    return false;
  }
  return operator === 'Exists'
    ? !hasOtherValues(label)
    : operator === 'In' && Array.isArray(values) && values.every((value) => value === label.value);
}

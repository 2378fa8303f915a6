/**
 * An evaluator of node affinity only for tests, from the Kubernetes documentation, as an independent reference:
 * terms are alternatives, all requirements of a term must match, a term without requirements matches nothing, and nodeSelector must match, too.
 */
export interface ReferenceNode {
  name: string;
  labels: Record<string, string>;
}

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

export function holds({ operator, values = [] }: Requirement, actual: string | undefined): boolean {
  if (operator === 'Exists') return actual !== undefined;
  if (operator === 'DoesNotExist') return actual === undefined;
  if (operator === 'NotIn') return actual === undefined || values.every((value) => value !== actual);
  if (actual === undefined) return false;
  if (operator === 'In') return values.some((value) => value === actual);
  const left = Number.parseInt(actual, 10);
  const right = Number.parseInt(values[0] ?? '', 10);
  if (Number.isNaN(left) || Number.isNaN(right) || !/^[+-]?\d+$/.test(actual)) return false;
  return operator === 'Gt' ? left > right : left < right;
}

export function admits(podSpec: any, node: ReferenceNode): boolean {
  for (const key of Object.keys(podSpec.nodeSelector ?? {})) {
    if (node.labels[key] !== podSpec.nodeSelector[key]) return false;
  }
  const block = podSpec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (block === undefined || block === null) return true;
  let any = false;
  for (const term of block.nodeSelectorTerms) {
    const expressions: Requirement[] = term.matchExpressions ?? [];
    const fields: Requirement[] = term.matchFields ?? [];
    if (expressions.length + fields.length === 0) continue;
    let all = true;
    for (const expression of expressions) all = all && holds(expression, node.labels[expression.key]);
    for (const field of fields) all = all && holds(field, field.key === 'metadata.name' ? node.name : undefined);
    any = any || all;
  }
  return any;
}

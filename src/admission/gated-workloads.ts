import { poolWorkloads } from '../cluster/declared-workloads.js';
import type { Scope } from '../cluster/scope.js';
import type { EdgeWarning } from '../base/errors.js';
import { TRUE } from '../kubernetes/labels.js';
import { mapAt } from '../base/plain-data.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import { actionsOf } from './mechanism.js';
import { mutatingPolicies } from './mutating-policies.js';
import { NAMESPACE_GATE_LABEL, type PoolAdmissionProps } from './pool-admission-props.js';

/** Namespaces in a message. */
const MOST_NAMED = 3;

/** Warns of workloads on host-network pools that `namespaceGate` keeps off them: their namespace does not have the label, as far as the program knows. */
export function gatedWorkloads(props: PoolAdmissionProps, scope: Scope): EdgeWarning[] {
  const { cluster, excludedNamespaces = [], namespaceGateLabel: label = NAMESPACE_GATE_LABEL } = props;
  const mutates = mutatingPolicies(cluster, props.mutatingAdmissionPolicy) !== undefined;
  if (holdsUnknown([excludedNamespaces, label]) || !(mutates || actionsOf(props, 'namespaceGate').includes('Deny'))) {
    return [];
  }
  const exempt: readonly string[] = [...excludedNamespaces, ...(mutates ? ['kube-system'] : [])];
  const byNamespace = new Map<string, string[]>();
  for (const { title, namespace } of poolWorkloads(cluster, scope)) {
    if (!exempt.includes(namespace)) {
      byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), title]);
    }
  }
  const closed = [...byNamespace].flatMap(([namespace, titles]) => {
    const why = closedBecause(namespace, label, scope);
    return why === undefined ? [] : [{ namespace, titles, why }];
  });
  const [first] = closed;
  if (first === undefined) {
    return [];
  }
  const names = closed.map(({ namespace }) => namespace);
  const others = closed.length - 1;
  return [
    {
      code: 'EDGE_CONTRADICTION',
      path: 'guarantees.namespaceGate',
      message: `it keeps ${first.titles[0]} off its pool: ${first.why}${others === 0 ? '' : `; the same in ${others} more ${others === 1 ? 'namespace' : 'namespaces'}: ${names.slice(1, 1 + MOST_NAMED).join(', ')}${others > MOST_NAMED ? ', …' : ''}`}`,
      hint: `write ${label}: '${TRUE}' into the labels of each Namespace; of one that is made elsewhere: kubectl label namespace ${names.slice(0, MOST_NAMED).join(' ')} ${label}=${TRUE}`,
    },
  ];
}

/** Why the Pods of a namespace are kept off; undefined if the program says that they are not, or it cannot be known. */
function closedBecause(name: string, label: string, { plainObjects }: Scope): string | undefined {
  const values = (plainObjects?.('Namespace') ?? [])
    .map((object) => mapAt(object, 'metadata'))
    .filter((metadata) => metadata.name === name)
    .map((metadata) => mapAt(metadata, 'labels')[label]);
  if (values.some((value) => value === TRUE || isUnknown(value))) {
    return undefined;
  }
  const [value] = values.filter((each) => each !== undefined);
  return value === undefined
    ? `${values.length === 0 ? 'nothing in this program gives' : 'its Namespace here does not give'} the namespace ${name} the label ${label}`
    : `the namespace ${name} has the label ${label} with another value than "${TRUE}": ${JSON.stringify(value)}`;
}

import type { EdgeWarning } from '../base/errors.js';
import { convertsStoredNodePools } from '../cluster/openyurt-capabilities.js';
import { nearMiss } from '../base/properties.js';
import { isUnknown } from '../base/unknown.js';
import { GUARANTEES, type PoolGuarantee } from './guarantee.js';
import { alternativeTo, type Mechanism, settingsOf } from './mechanism.js';
import { missedOptIn, mutatingPolicies } from './mutating-policies.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';
import { unusedOptions } from './unused-options.js';

/** Warnings about guarantees that nothing enforces, about costs, and about unused options. */
export function admissionWarnings(
  props: PoolAdmissionProps,
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
): EdgeWarning[] {
  const { cluster, templates } = props;
  const mutates = mutatingPolicies(cluster, props.mutatingAdmissionPolicy) !== undefined;
  const has = (guarantee: PoolGuarantee): boolean => mechanisms.get(guarantee)?.kind === 'policy';
  const warnings: EdgeWarning[] = [...mechanisms]
    .filter(([, { kind }]) => kind === 'nothing')
    .map(([guarantee]) => ({
      code: 'EDGE_NOT_GUARANTEED',
      path: `guarantees.${guarantee}`,
      message: `nothing in ${cluster.toString()} enforces it`,
      hint: alternativeTo(props, guarantee, `${GUARANTEES[guarantee].instead}; or write ${guarantee}: false`),
    }));
  if (has('nodeLabel') && props.pools === 'live' && settingsOf(props, 'nodeLabel').failurePolicy === 'Fail') {
    const old = convertsStoredNodePools(cluster)
      ? ', and while yurt-manager is down, once the API server was restarted, if an older OpenYurt release stored one of the pools'
      : '';
    warnings.push({
      code: 'EDGE_POLICY_COST',
      path: 'guarantees.nodeLabel.failurePolicy',
      message: `with Fail, every write of every node is refused for up to half a minute after each start of an API server, and while the NodePool kind is missing${old}`,
      hint: `leave pools: 'live' out, or write Ignore; never remove the CRD while the binding exists${old === '' ? '' : ', and write old pools once (docs/admission-traps.md)'}`,
    });
  }
  if (has('namespaceGate') && !mutates) {
    const optIn = missedOptIn(cluster, props.mutatingAdmissionPolicy);
    warnings.push({
      code: 'EDGE_NOT_GUARANTEED',
      path: 'guarantees.namespaceGate',
      message:
        'the scheduler does not know this rule: it tries to bind Pods of other namespaces to host-network nodes again and again, and can preempt Pods there for a Pod that it never binds',
      hint: `${optIn === undefined ? '' : `${optIn}, or: `}use ExcludedWorkload, which writes the affinity into the workloads of other namespaces`,
    });
  }
  // only a warning: leaving DaemonSets out can be intended, because a changed template is rolled out
  if (
    (has('strict') || has('annotatedTemplates') || (has('namespaceGate') && mutates)) &&
    !isUnknown(templates) &&
    templates?.includes('daemonsets') === false
  ) {
    warnings.push({
      code: 'EDGE_NOT_GUARANTEED',
      path: 'templates',
      message:
        'Pods of DaemonSets get the affinity, but their templates do not: the controller creates a Pod for each host-network node, which stays Pending',
      hint: "write templates: ['daemonsets', …]",
    });
  }
  return [...warnings, ...userWarnings(props), ...namespaceWarnings(props), ...unusedOptions(props, mechanisms)];
}

/** Users of the certificates that kubeadm makes (admin.conf, super-admin.conf). */
const USERS_OF_KUBEADM: readonly unknown[] = ['kubernetes-admin', 'kubernetes-super-admin'];

/** Warns of users in place of groups. An address of mail is no such: it is the name of a group in some directories. */
function userWarnings({ breakGlassGroups }: PoolAdmissionProps): EdgeWarning[] {
  const groups: unknown = breakGlassGroups;
  return (Array.isArray(groups) ? (groups as unknown[]) : []).flatMap((group, index): EdgeWarning[] =>
    USERS_OF_KUBEADM.includes(group)
      ? [
          {
            code: 'EDGE_VALUE',
            path: `breakGlassGroups[${index}]`,
            message: `${String(group)} is a user that kubeadm makes, and this is a list of groups`,
            hint: "name a group of a few administrators, for example 'platform-admins' (kubectl auth whoami prints yours)",
          },
        ]
      : typeof group === 'string' && /[*?]/.test(group)
        ? [
            {
              code: 'EDGE_VALUE',
              path: `breakGlassGroups[${index}]`,
              message: 'groups have no wildcards: only a group of exactly this name matches',
              hint: 'write the name of each group',
            },
          ]
        : [],
  );
}

/** Namespaces of every cluster (pkg/controlplane, SystemNamespaces). */
const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];

/** Warns of the name of a namespace that is almost that of every cluster. */
function namespaceWarnings({ excludedNamespaces }: PoolAdmissionProps): EdgeWarning[] {
  const names: unknown = excludedNamespaces;
  return (Array.isArray(names) ? (names as unknown[]) : []).flatMap((name, index): EdgeWarning[] => {
    const near =
      typeof name === 'string' && name.startsWith('k') && !SYSTEM_NAMESPACES.includes(name)
        ? nearMiss(name, SYSTEM_NAMESPACES)
        : undefined;
    return near === undefined
      ? []
      : [
          {
            code: 'EDGE_MATCHES_NOTHING',
            path: `excludedNamespaces[${index}]`,
            message: `${String(name)} is almost the name of a namespace of every cluster`,
            hint: `did you mean ${near}? Nothing to do if there is such a namespace`,
          },
        ];
  });
}

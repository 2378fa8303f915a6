import { STRICT_TEMPLATES } from '../admission/pod-exclusion.js';
import { EXCLUDE_ANNOTATION, type HostNetworkLabel, MANAGED_BY, MANAGED_BY_LABEL, TRUE } from '../kubernetes/labels.js';
import { requiredTerms, withRequiredTerms } from '../kubernetes/node-affinity.js';
import { excludedTerms, podSpecExcludes } from '../workloads/exclusion-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { repairScript, shellCommand } from '../base/shell.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import type { PreconditionFile } from './precondition.js';

/**
 * A DaemonSet whose Pods are excluded from host-network nodes, and whose template is not. Its controller reads only the template: it creates a Pod for each
 * host-network node, which stays Pending, and a rollout never ends.
 */
export interface DaemonSetFinding {
  /** `DaemonSet default/web` */
  readonly workload: string;
  readonly state: 'missing';
  readonly reason: string;
  /** Shell commands that fix it: they replace its Pods. */
  readonly commands: readonly string[];
}

/**
 * Finds DaemonSets whose template is from before a policy, or is not judged by any.
 *
 * @param known names of the DaemonSets that are reported as system components
 */
export function findDaemonSets(
  objects: readonly PlainMap[],
  known: readonly string[],
  label: HostNetworkLabel,
): DaemonSetFinding[] {
  const closed = strictNamespaces(objects);
  const excludedPods = setsWithExcludedPods(objects, label);
  return objects
    .filter(({ kind }) => kind === 'DaemonSet')
    .flatMap((object): DaemonSetFinding[] => {
      const workload = nameOf(object);
      const template = mapAt(mapAt(object, 'spec'), 'template');
      const spec = mapAt(template, 'spec');
      if (known.includes(workload) || podSpecExcludes(spec, label)) {
        return [];
      }
      const { name, namespace = 'default' } = mapAt(object, 'metadata');
      const policy = spec.hostNetwork === true ? undefined : closed(String(namespace));
      const reason =
        mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === TRUE
          ? `its template has the annotation ${EXCLUDE_ANNOTATION}, but not the node affinity`
          : excludedPods.has(workload)
            ? 'a policy or webhook excludes its Pods, but not its template'
            : policy === undefined
              ? undefined
              : `the policy ${policy} excludes its Pods; its template was written before`;
      return reason === undefined
        ? []
        : [
            {
              workload,
              state: 'missing',
              reason: `${reason}: its Pods stay Pending on host-network nodes, and its rollout never completes`,
              commands: [patchCommand(String(namespace), String(name), spec, label)],
            },
          ];
    });
}

/** Writes the affinity into the template, whether there is a policy that does it or not. */
function patchCommand(namespace: string, name: string, spec: PlainMap, label: HostNetworkLabel): string {
  const { affinity } = withRequiredTerms({}, excludedTerms(requiredTerms(spec), label));
  const patch = JSON.stringify({ spec: { template: { spec: { affinity } } } });
  return shellCommand(
    'kubectl',
    '--namespace',
    namespace,
    'patch',
    'daemonset',
    name,
    '--type=merge',
    '--patch',
    patch,
  );
}

/** The script that fixes them; none if there is nothing to fix. */
export function daemonSetsScript(findings: readonly DaemonSetFinding[]): PreconditionFile[] {
  const repairs = findings.map(({ workload, reason, commands }) => ({ what: `${workload}: ${reason}`, commands }));
  const title = 'Writes the node affinity into templates of DaemonSets, which replaces their Pods. It can be repeated.';
  return repairs.length === 0 ? [] : [{ path: 'daemon-sets.sh', content: repairScript(title, repairs) }];
}

/** The DaemonSets that have a Pod which is excluded. */
function setsWithExcludedPods(objects: readonly PlainMap[], label: HostNetworkLabel): ReadonlySet<string> {
  return new Set(
    objects
      .filter((object) => object.kind === 'Pod' && podSpecExcludes(mapAt(object, 'spec'), label))
      .flatMap((pod) => {
        const { namespace, ownerReferences } = mapAt(pod, 'metadata');
        const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isMap) : [];
        return owners
          .filter(({ kind, controller }) => kind === 'DaemonSet' && controller === true)
          .map(({ name }) => nameOf({ kind: 'DaemonSet', metadata: { namespace, name } }));
      }),
  );
}

/** For a namespace, the name of a policy of this library that excludes every Pod without hostNetwork there; undefined if there is none. */
function strictNamespaces(objects: readonly PlainMap[]): (namespace: string) => string | undefined {
  const policies = objects.filter(
    (object) =>
      object.kind === 'MutatingAdmissionPolicy' &&
      mapAt(mapAt(object, 'metadata'), 'labels')[MANAGED_BY_LABEL] === MANAGED_BY &&
      JSON.stringify(mapAt(object, 'spec').mutations).includes(JSON.stringify(STRICT_TEMPLATES).slice(1, -1)),
  );
  const names = new Set(policies.map((policy) => mapAt(policy, 'metadata').name));
  const bindings = objects
    .filter(({ kind }) => kind === 'MutatingAdmissionPolicyBinding')
    .map((binding) => mapAt(binding, 'spec'))
    .filter(({ policyName }) => names.has(policyName))
    .map((spec) => {
      const expressions = valueAt(spec, ['matchResources', 'namespaceSelector', 'matchExpressions']);
      const values = (Array.isArray(expressions) ? expressions.filter(isMap) : []).flatMap(
        (expression) => expression.values as string[],
      );
      return { policy: String(spec.policyName), excluded: values };
    });
  return (namespace) => bindings.find(({ excluded }) => !excluded.includes(namespace))?.policy;
}

import type { PlannedObject } from '../cluster/plan.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { exclusionOf } from '../workloads/exclusion-affinity.js';
import { hostNetworkTaint } from '../kubernetes/taint.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';
import { celText } from './cel.js';
import {
  excludes,
  isExclusion,
  exclusionRequirement,
  hasTooMany,
  IS_EMPTY_TERM,
  isToleration,
  termsOf,
  tolerates,
} from './exclusion-mutation.js';
import type { PoolGuarantee } from './guarantee.js';
import { mutatingPolicy, type Named, PODS } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';

/** The guarantees that change a Pod when it is created. */
const CHANGE_PODS: readonly PoolGuarantee[] = [
  'annotatedPods',
  'presetNodeName',
  'strict',
  'namespaceGate',
  'hostNetworkToleration',
];

/**
 * The policy for a Pod that is applied a second time, for example by a GitOps tool. Its manifest lacks what the policies added when it was created, and most
 * of a Pod is immutable: the update would be refused as a change back. What the stored Pod has of ours is added again. A Pod from before the policies is not
 * changed, and any other change of the affinity is refused as ever.
 */
export function appliedAgain(maker: PolicyMaker): PlannedObject[] {
  const apiVersion = maker.mutatingApiVersion();
  const guarantees = CHANGE_PODS.filter((guarantee) => maker.holds(guarantee));
  if (apiVersion === undefined || guarantees.length === 0) {
    return [];
  }
  const { hostNetworkLabel } = maker.props.cluster;
  const { key } = hostNetworkTaint(hostNetworkLabel);
  return mutatingPolicy({
    ...maker.namespaced('pods-applied-again', guarantees),
    // Pods of a namespace that was excluded later have been changed as well
    excludedNamespaces: undefined,
    ...PODS,
    apiVersion,
    operations: ['UPDATE'],
    // whoever writes the Pod: it has been changed already
    breakGlassGroups: undefined,
    matchConditions: [
      {
        name: 'changes-what-never-changes',
        expression: ['affinity', 'tolerations', 'nodeName', 'schedulerName']
          .map((field) => `object.spec.?${field} != oldObject.spec.?${field}`)
          .join(' || '),
      },
    ],
    variables: [
      { name: 'terms', expression: termsOf('object') },
      { name: 'was', expression: termsOf('oldObject') },
      { name: 'requirement', expression: exclusionRequirement(exclusionOf(hostNetworkLabel)) },
      ...nodeVariables(),
      // a Pod that had nodeName, also one whose terms are all empty
      { name: 'unpinned', expression: tolerates('oldObject', "''") },
      { name: 'wantsUnpinned', expression: `variables.unpinned && !${tolerates('object', "''")}` },
      {
        name: 'wantsHostNetwork',
        expression: `${tolerates('oldObject', celText(key))} && !${tolerates('object', celText(key))}`,
      },
    ],
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: [
            `(variables.terms == null || ${hasTooMany('variables.terms', hostNetworkLabel)} || size(variables.was) == 0 ? [] :`,
            ...affinityAgain(hostNetworkLabel),
            ') +',
            ...tolerationsAgain(key),
            ...nodeAgain(),
          ].join('\n'),
        },
      },
    ],
  });
}

/** The node of a Pod that had `nodeName` when it was created, from the last field of its terms; `''` if it had none. */
function nodeVariables(): Named[] {
  const fields = 't.?matchFields.orValue([])';
  return [
    {
      name: 'pins',
      expression: [
        `variables.was.filter(t, size(${fields}) > 0).map(t, t.matchFields[size(t.matchFields) - 1])`,
        `.filter(f, f.key == 'metadata.name' && f.operator == 'In' && size(f.?values.orValue([])) == 1).map(f, f.values[0])`,
      ].join(''),
    },
    { name: 'pin', expression: `size(variables.pins) > 0 ? variables.pins[0] : ''` },
    {
      name: 'node',
      expression: `{'key': dyn('metadata.name'), 'operator': dyn('In'), 'values': dyn([variables.pin])}`,
    },
  ];
}

function affinityAgain(label: HostNetworkLabel): string[] {
  const excludesNow = excludes('pod', label);
  const excludedBefore = excludes('pod', label, 'variables.was[i]');
  const [affinity, nodeAffinity, required] = REQUIRED_PATH;
  const base = `/spec/${REQUIRED_PATH.join('/')}`;
  const add = (path: string, value: string): string =>
    `[JSONPatch{op: "add", path: ${celText(path)}, value: ${value}}]`;
  const toTerms = (list: string, value: string, which: string, place = '"-"'): string[] => [
    `variables.terms.transformList(i, t, !(${IS_EMPTY_TERM}) && ${which}, JSONPatch{`,
    `  op: "add",`,
    `  path: ${celText(`${base}/nodeSelectorTerms/`)} + string(i) + "/${list}" + (size(t.?${list}.orValue([])) > 0 ? "/" + ${place} : ""),`,
    `  value: size(t.?${list}.orValue([])) > 0 ? dyn(${value}) : dyn([${value}])`,
    `})`,
  ];
  const hadField = `size(variables.was[i].?matchFields.orValue([])) == size(t.?matchFields.orValue([])) + 1`;
  // a Pod with scheduling gates may get further requirements, behind those that it has
  const place = `string([size(t.matchExpressions), variables.was[i].matchExpressions.map(e, ${isExclusion('pod', label)}).indexOf(true)].min())`;
  const term = `"matchExpressions": [variables.requirement]`;
  const fresh = `{"nodeSelectorTerms": [variables.pin != '' ? {${term}, "matchFields": [variables.node]} : {${term}}]}`;
  return [
    'size(variables.terms) == 0',
    '? (size(variables.was) != 1 ? []',
    `: !has(object.spec.${affinity}) ? ${add(`/spec/${affinity}`, `{"${nodeAffinity}": {"${required}": ${fresh}}}`)}`,
    `: !has(object.spec.${affinity}.${nodeAffinity}) ? ${add(`/spec/${affinity}/${nodeAffinity}`, `{"${required}": ${fresh}}`)}`,
    `: has(object.spec.${REQUIRED_PATH.join('.')}) ? []`,
    `: ${add(base, fresh)})`,
    ': size(variables.terms) != size(variables.was) ? []',
    `: ${toTerms('matchExpressions', 'variables.requirement', `!${excludesNow} && ${excludedBefore}`, place).join('\n')}`,
    `+ (variables.pin == '' ? [] : ${toTerms('matchFields', 'variables.node', hadField).join('\n')})`,
  ];
}

/** In their order: policies run in any order when a Pod is created. */
function tolerationsAgain(key: string): string[] {
  return [
    `((variables.wantsUnpinned || variables.wantsHostNetwork) && !has(object.spec.tolerations)`,
    `? [JSONPatch{op: "add", path: "/spec/tolerations", value: []}] : []) +`,
    `(!(variables.wantsUnpinned || variables.wantsHostNetwork) ? [] :`,
    `oldObject.spec.tolerations.filter(t, variables.wantsUnpinned && ${isToleration("''")} || variables.wantsHostNetwork && ${isToleration(celText(key))})`,
    `.map(t, JSONPatch{op: "add", path: "/spec/tolerations/-", value: t.?key.orValue('') == ''`,
    `? {"operator": "Exists", "effect": "NoSchedule"} : {"key": ${celText(key)}, "operator": "Exists", "effect": "NoSchedule"}})) +`,
  ];
}

/** `nodeName` and the name of the scheduler, which were replaced. */
function nodeAgain(): string[] {
  // another node is a change, which the API server refuses
  const isPending = [
    `oldObject.spec.?nodeName.orValue('') == '' && object.spec.?nodeName.orValue('') != ''`,
    `(variables.pin == '' || object.spec.nodeName == variables.pin)`,
  ].join(' && ');
  return [
    `(!variables.unpinned ? [] :`,
    `(${isPending} ? [JSONPatch{op: "remove", path: "/spec/nodeName"}] : []) +`,
    `(oldObject.spec.?schedulerName.orValue('') == 'default-scheduler'`,
    `? [JSONPatch{op: "add", path: "/spec/schedulerName", value: "default-scheduler"}] : []))`,
  ];
}

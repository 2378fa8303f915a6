import type { PlannedObject } from '../cluster/plan.js';
import { hostNetworkTaint, type Taint } from '../kubernetes/taint.js';
import type { PlainMap } from '../base/plain-data.js';
import { celText } from './cel.js';
import { HAS_SAME_TEMPLATE, hasTooManyTolerations, refusal, TOO_MANY_TOLERATIONS } from './exclusion-mutation.js';
import { mutatingPolicy, type Named, PODS, type PolicyRule, WORKLOADS } from './policy.js';
import type { PolicyMaker } from './policy-maker.js';
import { NO_MIRROR, type PodCarrier } from './pod-conditions.js';

const RULES: readonly [carrier: PodCarrier, id: string, rule: PolicyRule][] = [
  ['pod', 'pod-toleration', PODS],
  // the DaemonSet controller creates no Pod for a node whose taint the template does not tolerate
  ['template', 'template-toleration', { ...WORKLOADS, resources: ['daemonsets'] }],
];

const GUARANTEES = ['hostNetworkToleration'] as const;

/** The policies of `hostNetworkToleration`. */
export function hostNetworkToleration(maker: PolicyMaker): PlannedObject[] {
  const taint = hostNetworkTaint(maker.props.cluster.hostNetworkLabel);
  return maker.holds('hostNetworkToleration')
    ? RULES.flatMap(([carrier, id, rule]) =>
        mutatingPolicy({
          ...(carrier === 'pod' ? maker.namespaced(id, GUARANTEES) : maker.templates(id, GUARANTEES)),
          ...rule,
          matchConditions: lacksToleration(carrier, taint),
          mutations: [tolerationMutation(carrier, taint)],
        }),
      )
    : [];
}

const ROOT: Readonly<Record<PodCarrier, { readonly cel: string; readonly pointer: string }>> = {
  pod: { cel: 'object.spec', pointer: '/spec/tolerations' },
  template: { cel: 'object.spec.template.spec', pointer: '/spec/template/spec/tolerations' },
};

/** The Pods that get the toleration: hostNetwork Pods that do not have it yet. */
function lacksToleration(carrier: PodCarrier, { key, effect }: Taint): Named[] {
  const { cel } = ROOT[carrier];
  const same = `(t.?key.orValue('') == ${celText(key)} || t.?key.orValue('') == '') && t.?operator.orValue('') == 'Exists'`;
  const covers = `(t.?effect.orValue('') == '' || t.effect == ${celText(effect)})`;
  // mirror Pods are skipped: changing one does not change the static Pod
  const [noMirror, isNew] = carrier === 'pod' ? [` && ${NO_MIRROR}`, 'true'] : ['', `!(${HAS_SAME_TEMPLATE})`];
  return [
    { name: 'host-network', expression: `${cel}.?hostNetwork.orValue(false) == true${noMirror}` },
    {
      name: 'not-yet',
      expression: `${hasTooManyTolerations(cel)} ? ${isNew} : !${cel}.?tolerations.orValue([]).exists(t, ${same} && ${covers})`,
    },
  ];
}

/** Appends the toleration. `tolerations` is an atomic list, to which only a JSON patch can append. A single `Object` value works in every minor. */
function tolerationMutation(carrier: PodCarrier, { key, effect }: Taint): PlainMap {
  const { cel, pointer } = ROOT[carrier];
  const toleration = `{"key": ${celText(key)}, "operator": "Exists", "effect": ${celText(effect)}}`;
  return {
    patchType: 'JSONPatch',
    jsonPatch: {
      expression: [
        `${hasTooManyTolerations(cel)} ? ${refusal(TOO_MANY_TOLERATIONS)} :`,
        `(has(${cel}.tolerations) ? [] : [JSONPatch{op: "add", path: ${celText(pointer)}, value: []}]) +`,
        `[JSONPatch{op: "add", path: ${celText(`${pointer}/-`)}, value: ${toleration}}]`,
      ].join('\n'),
    },
  };
}

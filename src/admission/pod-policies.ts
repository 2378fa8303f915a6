import { EXCLUDE_ANNOTATION, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { PoolGuarantee } from './guarantee.js';
import { excludedPodRules, STRICT_TEMPLATES } from './pod-exclusion.js';
import { NAMES_ITS_NODE } from './pod-conditions.js';
import { PODS, VALIDATING, WORKLOADS } from './policy.js';

/** A Pod that is created, as policies see it. */
export interface CreatedPod {
  /** Labels of its namespace. */
  readonly namespace: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly namesItsNode: boolean;
}

/** A policy or webhook that sees Pods when they are created, of those without `hostNetwork`. */
export interface PodPolicy {
  /** `policy edge-nodepools-pods` */
  readonly name: string;
  /** What becomes of a Pod: it is excluded from host-network nodes, nothing, or it is not known. */
  readonly effectOn: (pod: CreatedPod) => 'excludes' | 'nothing' | 'unknown';
  /** Whether it is the webhook of OpenYurt, which reads the annotation of a Pod.
   * @default false */
  readonly isOfOpenYurt?: boolean;
  /** What must hold besides the manifests, in words. */
  readonly assumes: readonly string[];
}

/** Groups of guarantees that one policy for Pods enforces. */
const TOGETHER: readonly (readonly PoolGuarantee[])[] = [
  ['annotatedPods'],
  ['presetNodeName'],
  ['strict'],
  ['annotatedPods', 'presetNodeName'],
  ['annotatedPods', 'strict'],
  ['presetNodeName', 'strict'],
  ['annotatedPods', 'presetNodeName', 'strict'],
];

/** Policies and webhooks among manifests that see Pods which are created. Those of this library are known by their CEL; of others nothing is known. */
export function podPolicies(objects: readonly PlainMap[], label: HostNetworkLabel): PodPolicy[] {
  return [
    ...boundPolicies(objects, PODS).map(({ policy, selects }) => podPolicy(policy, selects, label)),
    ...objects.flatMap(podWebhooks),
  ];
}

/** Whether a policy of `strict` excludes the templates of DaemonSets, by which their controller decides for which nodes it makes Pods. */
export function excludesDaemonSets(objects: readonly PlainMap[], namespace: CreatedPod['namespace']): boolean {
  return boundPolicies(objects, { ...WORKLOADS, resources: ['daemonsets'] }).some(
    ({ policy, selects }) =>
      selects(namespace) &&
      mapAt(policy, 'spec').failurePolicy !== 'Ignore' &&
      listAt(mapAt(policy, 'spec'), 'mutations').some((mutation) =>
        String(mapAt(mutation, 'jsonPatch').expression).includes(STRICT_TEMPLATES),
      ),
  );
}

function listAt(map: PlainMap, field: string): PlainMap[] {
  const list = map[field];
  return Array.isArray(list) ? list.filter(isMap) : [];
}

/** Policies of both kinds that see created objects of a resource, and the namespaces that their bindings select. */
function boundPolicies(
  objects: readonly PlainMap[],
  rule: { readonly apiGroup: string; readonly resources: readonly string[] },
): { readonly policy: PlainMap; readonly selects: (namespace: CreatedPod['namespace']) => boolean }[] {
  return objects.flatMap((policy) => {
    const { kind } = policy;
    if (kind !== 'MutatingAdmissionPolicy' && kind !== 'ValidatingAdmissionPolicy') {
      return [];
    }
    const { resourceRules, namespaceSelector } = mapAt(mapAt(policy, 'spec'), 'matchConstraints');
    const bindings = objects.filter(
      (each) => each.kind === `${kind}Binding` && mapAt(each, 'spec').policyName === mapAt(policy, 'metadata').name,
    );
    const selectors = bindings.map((binding) => mapAt(mapAt(binding, 'spec'), 'matchResources').namespaceSelector);
    const isSelected = (selector: unknown, namespace: CreatedPod['namespace']): boolean =>
      selector === undefined || selector === null || selectsLabels(selector, namespace);
    return bindings.length > 0 && seesCreated(resourceRules, rule)
      ? [
          {
            policy,
            selects: (namespace: CreatedPod['namespace']): boolean =>
              isSelected(namespaceSelector, namespace) && selectors.some((each) => isSelected(each, namespace)),
          },
        ]
      : [];
  });
}

function seesCreated(
  rules: unknown,
  { apiGroup, resources }: { readonly apiGroup: string; readonly resources: readonly string[] },
): boolean {
  const has = (list: unknown, ...values: readonly string[]): boolean =>
    Array.isArray(list) && list.some((value) => values.includes(String(value)));
  return (Array.isArray(rules) ? rules.filter(isMap) : []).some(
    (rule) =>
      has(rule.apiGroups, apiGroup, '*') &&
      has(rule.resources, ...resources, '*', '*/*') &&
      has(rule.operations, 'CREATE', '*'),
  );
}

function podPolicy(
  policy: PlainMap,
  selects: (namespace: CreatedPod['namespace']) => boolean,
  label: HostNetworkLabel,
): PodPolicy {
  const spec = mapAt(policy, 'spec');
  const name = `policy ${String(mapAt(policy, 'metadata').name)}`;
  const conditions = listAt(spec, 'matchConditions');
  const exempt = conditions.find((condition) => condition.name === 'no-break-glass');
  const asked = conditions.filter((condition) => condition !== exempt).map(({ expression }) => String(expression));
  const { objectSelector } = mapAt(spec, 'matchConstraints');
  const isSeen = ({ namespace, labels }: CreatedPod): boolean =>
    selects(namespace) && (!isMap(objectSelector) || selectsLabels(objectSelector, labels));
  const judged = judgedEffect(spec, asked, label);
  return {
    name,
    effectOn: (pod) => (isSeen(pod) ? judged(pod) : 'nothing'),
    assumes: [
      ...(exempt === undefined ? [] : [`nobody in the break-glass groups of ${name} creates the Pod`]),
      ...(policy.kind === 'MutatingAdmissionPolicy' && policy.apiVersion !== VALIDATING
        ? [`the API server serves ${String(policy.apiVersion)}`]
        : []),
    ],
  };
}

/** What a policy does, if it is one of this library. */
function judgedEffect(spec: PlainMap, asked: readonly string[], label: HostNetworkLabel): PodPolicy['effectOn'] {
  // what concerns only Pods with hostNetwork, or with nodeName
  if (asked.some((expression) => expression.startsWith('object.spec.?hostNetwork.orValue(false) == true'))) {
    return () => 'nothing';
  }
  const ofNamed = [`${NAMES_ITS_NODE} && `, `params != null && params.metadata.name == object.spec.?nodeName`];
  if (asked.some((expression) => ofNamed.some((start) => expression.startsWith(start)))) {
    return ({ namesItsNode }) => (namesItsNode ? 'unknown' : 'nothing');
  }
  for (const guarantees of TOGETHER) {
    for (const unpins of [true, false]) {
      const rules = excludedPodRules(guarantees, unpins, label);
      const wants = ({ annotations, namesItsNode }: CreatedPod): boolean =>
        guarantees.includes('strict') ||
        (guarantees.includes('annotatedPods') && annotations[EXCLUDE_ANNOTATION] === TRUE) ||
        (guarantees.includes('presetNodeName') && namesItsNode);
      if (isOnly(asked, rules.escaped)) {
        // it refuses what got past the mutation, and lets nothing in
        return () => 'nothing';
      }
      if (
        isOnly(asked, rules.keptOff) &&
        celOf(spec) === celOf({ variables: rules.variables, mutations: rules.mutations })
      ) {
        // an expression that fails, for example by its cost, lets the Pod in
        const effect = spec.failurePolicy === 'Ignore' ? 'unknown' : 'excludes';
        return (pod) => (wants(pod) ? effect : 'nothing');
      }
    }
  }
  return () => 'unknown';
}

function isOnly(asked: readonly string[], expression: string): boolean {
  return asked.length === 1 && asked[0] === expression;
}

/** All CEL of the changes of a policy. */
function celOf(spec: PlainMap): string {
  return JSON.stringify([
    listAt(spec, 'variables').map(({ name, expression }) => [name, expression]),
    listAt(spec, 'mutations').map((mutation) => mapAt(mutation, 'jsonPatch').expression),
  ]);
}

/** OpenYurt's webhook of Pods changes only annotated ones, and lets them in while it is down. */
const OPENYURT_PODS = '/mutate-core-openyurt-io-v1-pod';

function podWebhooks(configuration: PlainMap): PodPolicy[] {
  const isConfiguration = /^(Mutating|Validating)WebhookConfiguration$/.test(String(configuration.kind));
  return (isConfiguration ? listAt(configuration, 'webhooks') : []).flatMap((webhook) => {
    const isOfOpenYurt = mapAt(mapAt(webhook, 'clientConfig'), 'service').path === OPENYURT_PODS;
    const isSelected = (selector: unknown, labels: CreatedPod['labels']): boolean =>
      !isMap(selector) || selectsLabels(selector, labels);
    return seesCreated(webhook.rules, PODS)
      ? [
          {
            name: `webhook ${String(webhook.name)}`,
            isOfOpenYurt,
            effectOn: ({ namespace, labels, annotations }: CreatedPod) =>
              isSelected(webhook.namespaceSelector, namespace) &&
              isSelected(webhook.objectSelector, labels) &&
              !(isOfOpenYurt && annotations[EXCLUDE_ANNOTATION] !== TRUE)
                ? ('unknown' as const)
                : ('nothing' as const),
            assumes: [],
          },
        ]
      : [];
  });
}

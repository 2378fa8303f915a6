import { groupKindOf } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { DeliveryLayer } from './delivery-layer.js';
import { callsSiteOf } from './site-services.js';

/** The objects of a site that come in another layer than others of their kind, because of what else the site has. */
export function movedObjects(objects: readonly KubernetesObject[]): Map<KubernetesObject, DeliveryLayer> {
  return new Map([
    ...lateWebhooks(objects).map((object) => [object, 'workloads'] as const),
    ...params(objects).map((object) => [object, 'policies'] as const),
  ]);
}

/** Params of admission policies, and their namespaces: a binding refuses what it checks while it has none (`parameterNotFoundAction: Deny`). */
function params(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const bindings = objects.filter((object) =>
    /^\w+AdmissionPolicyBinding\.admissionregistration/.test(groupKindOf(object)),
  );
  const found = bindings.flatMap((binding) => {
    const { policyName, paramRef } = mapAt(binding, 'spec');
    const policy = objects.find(
      (object) => `${object.kind}Binding` === binding.kind && object.metadata?.name === policyName,
    );
    const paramKind = mapAt(mapAt(policy ?? {}, 'spec'), 'paramKind');
    return isMap(paramRef) && paramKind.kind !== undefined
      ? objects.filter((object) => groupKindOf(object) === groupKindOf(paramKind) && isReferred(paramRef, object))
      : [];
  });
  const namespaces = new Set(found.map(({ metadata }) => metadata?.namespace));
  return [
    ...found,
    ...objects.filter((object) => groupKindOf(object) === 'Namespace' && namespaces.has(object.metadata?.name)),
  ];
}

/** Whether a reference may mean an object: by its name or by labels, in one namespace or in that of each request. */
function isReferred({ name, namespace, selector }: PlainMap, { metadata }: KubernetesObject): boolean {
  return (
    (name === undefined || name === metadata?.name) &&
    (namespace === undefined || namespace === metadata?.namespace) &&
    (selector === undefined || selectsLabels(selector, metadata?.labels ?? {}))
  );
}

/**
 * Webhooks that must not be there before the workloads: their Service is one of the site, so nothing answers them. A sync first asks the API server for all
 * objects of a layer (dry run), so they would refuse their own backend, too, or a resource beside it. Webhooks for some Pods alone come first, as policies do:
 * controllers make Pods, and try again, and a Pod from before the webhook would stay as it is.
 */
function lateWebhooks(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const configurations = objects.filter((object) => webhooksOf(object).length > 0);
  if (configurations.length === 0) {
    return [];
  }
  const callsSite = callsSiteOf(objects);
  const hasPods = objects.some((object) => groupKindOf(object) === 'Pod');
  return configurations.filter((object) =>
    webhooksOf(object).some(
      (webhook) =>
        callsSite(mapAt(webhook, 'clientConfig')) && (hasPods || !selects(webhook) || !checksPodsAlone(webhook)),
    ),
  );
}

function webhooksOf(object: KubernetesObject): PlainMap[] {
  const { webhooks } = object;
  return groupKindOf(object).endsWith('WebhookConfiguration.admissionregistration.k8s.io') && Array.isArray(webhooks)
    ? webhooks.filter(isMap)
    : [];
}

/** Whether a webhook is for some objects of its kinds only. Otherwise it is for the Pods that answer it, too. */
function selects(webhook: PlainMap): boolean {
  const { matchConditions } = webhook;
  return (
    ['namespaceSelector', 'objectSelector'].some((field) => Object.keys(mapAt(webhook, field)).length > 0) ||
    (Array.isArray(matchConditions) && matchConditions.length > 0)
  );
}

/** Whether all rules of a webhook are for Pods or parts of them. */
function checksPodsAlone({ rules }: PlainMap): boolean {
  return (Array.isArray(rules) ? rules : []).filter(isMap).every(({ apiGroups, resources }) => {
    const [groups, names] = [apiGroups, resources].map((each) => (Array.isArray(each) ? each.map(String) : []));
    return groups?.every((group) => group === '') && names?.every((name) => /^pods(\/|$)/.test(name));
  });
}

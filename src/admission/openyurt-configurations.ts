import type { PlannedWarning } from '../cluster/plan.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { ownMetadata } from '../kubernetes/labels.js';
import { copyOf, isMap, type PlainMap } from '../base/plain-data.js';
import { compute, isUnknown, merged } from '../base/unknown.js';
import { lockWarnings, reachedBy } from './webhook-lock.js';
import { givenSettings, type WebhookSettings } from './webhook-settings.js';
import { isServed } from './yurt-manager-flags.js';
import { type OpenYurtWebhooksProps, TEMPLATE_ANNOTATION } from './openyurt-webhooks-props.js';

/** The Service by which the API server reaches yurt-manager. */
export const SERVICE = 'yurt-manager-webhook-service';

/** The two configurations. yurt-manager exits if one is missing, so both are created even if one has no webhooks. */
export const CONFIGURATIONS = {
  mutating: { kind: 'MutatingWebhookConfiguration', name: 'yurt-manager-mutating-webhook-configuration' },
  validating: { kind: 'ValidatingWebhookConfiguration', name: 'yurt-manager-validating-webhook-configuration' },
} as const;

/** The webhooks that are written, in the order of the chart. For checked input. */
export function chosenWebhooks(input: OpenYurtWebhooksProps): OpenYurtWebhook[] {
  const { exclude = [], controllers, disableIndependentWebhooks } = input;
  const knowsFlags = controllers !== undefined || disableIndependentWebhooks !== undefined;
  return input.cluster
    .openYurtWebhooks()
    .filter(({ name, resource }) => !exclude.includes(name) && !exclude.includes(resource))
    .filter((webhook) => !knowsFlags || isServed(webhook, { controllers, disableIndependentWebhooks }));
}

/** One of the two configurations. For checked input. */
export function openYurtWebhookConfiguration(
  type: OpenYurtWebhook['type'],
  input: OpenYurtWebhooksProps,
): KubernetesObject {
  const { kind, name } = CONFIGURATIONS[type];
  const webhooks = chosenWebhooks(input)
    .filter((webhook) => webhook.type === type)
    .map((webhook) => webhookManifest(webhook, input));
  const template = templateOf(type, webhooks, input.template);
  const annotations = template === undefined ? undefined : { [TEMPLATE_ANNOTATION]: template };
  return copyOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: ownMetadata(input.metadata, { name, ...(annotations === undefined ? {} : { annotations }) }),
    webhooks,
  });
}

/** The settings of a webhook. Settings by name take precedence over settings by resource, and both over settings for all webhooks. */
function settingsOf({ name, resource, scope }: OpenYurtWebhook, input: OpenYurtWebhooksProps): WebhookSettings {
  const { namespaceSelector, ...forAll } = givenSettings(input);
  const { webhooks } = input;
  const own = isMap(webhooks) ? [webhooks[resource], webhooks[name]] : [];
  const general = {
    ...forAll,
    // a namespaceSelector for all webhooks has no effect on those for cluster-scoped objects
    ...(scope === 'Namespaced' && namespaceSelector !== undefined ? { namespaceSelector } : {}),
  };
  return isUnknown(webhooks)
    ? compute({ general, webhooks }, (known) => ({
        ...known.general,
        ...givenSettings(known.webhooks?.[resource] ?? {}),
        ...givenSettings(known.webhooks?.[name] ?? {}),
      }))
    : merged(
        general,
        ...own.map((settings) => compute(settings, (one) => givenSettings(one ?? {}), isUnknown(settings) && settings)),
      );
}

/** A webhook as in the chart, with the user's settings. */
function webhookManifest(webhook: OpenYurtWebhook, input: OpenYurtWebhooksProps): PlainMap {
  const { name, resource, apiGroup, apiVersion, path, operations, failurePolicy, admissionReviewVersions } = webhook;
  const namespace = compute(input.namespace, (given) => given ?? 'kube-system');
  const shipped: PlainMap = {
    admissionReviewVersions,
    // the API server requires a clientConfig; yurt-manager adds the CA
    clientConfig: { service: { name: SERVICE, namespace, path } },
    // by default as in the chart of the release: cluster/shipped-webhooks.ts
    failurePolicy,
    name,
    rules: [{ apiGroups: [apiGroup], apiVersions: [apiVersion], operations, resources: [resource] }],
    sideEffects: 'None',
  };
  return merged(shipped, settingsOf(webhook, input) as PlainMap);
}

/**
 * The webhooks as yurt-manager writes them into its annotation, with the defaults of the API server. yurt-manager compares the annotation with the
 * stored object, and without one of these defaults it would write the object every minute.
 */
function templateOf(
  type: OpenYurtWebhook['type'],
  webhooks: readonly PlainMap[],
  isWritten: boolean | undefined,
): string | undefined {
  return compute(
    { webhooks, isWritten },
    (known) =>
      known.isWritten === false ? undefined : JSON.stringify(known.webhooks.map((one) => asStored(type, one))),
    isWritten === false ? undefined : [webhooks, isWritten],
  );
}

function asStored(type: OpenYurtWebhook['type'], { clientConfig, rules, ...webhook }: PlainMap): PlainMap {
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(type === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
    ...webhook,
    clientConfig: { service: { ...(clientConfig as { service: PlainMap }).service, port: 443 } },
    rules: (rules as PlainMap[]).map((rule) => ({ ...rule, scope: '*' })),
  };
}

/** Warnings about webhooks that can lock the cluster while yurt-manager is down, and about settings of webhooks that are not written. */
export function openYurtWebhookWarnings(input: OpenYurtWebhooksProps): PlannedWarning[] {
  const chosen = chosenWebhooks(input);
  const unused = Object.keys(isMap(input.webhooks) ? input.webhooks : {}).filter(
    (key) => !chosen.some(({ name, resource }) => name === key || resource === key),
  );
  return [
    ...lockWarningsOf(chosen, input),
    ...unused.map((key): PlannedWarning => ({
      code: 'EDGE_UNUSED',
      path: `webhooks[${JSON.stringify(key)}]`,
      message:
        'these are settings of a webhook that is not written (exclude, controllers or disableIndependentWebhooks)',
      hint: 'remove the settings, or do not exclude the webhook',
    })),
  ];
}

function lockWarningsOf(chosen: readonly OpenYurtWebhook[], input: OpenYurtWebhooksProps): PlannedWarning[] {
  return chosen.flatMap((webhook) => {
    const settings = settingsOf(webhook, input);
    const { resource, name, apiGroup, apiVersion, operations } = webhook;
    const path = [name, resource].find((key) => input.webhooks?.[key]?.failurePolicy !== undefined);
    const rule = {
      apiGroups: [apiGroup],
      apiVersions: [apiVersion],
      resources: [resource],
      operations: [...operations],
    };
    return lockWarnings(
      {
        name,
        reaches: reachedBy([rule]),
        failurePolicy: settings.failurePolicy ?? webhook.failurePolicy,
        settings,
        serverNamespace: input.namespace ?? 'kube-system',
        reads: ['namespace', 'webhooks', ...Object.keys(givenSettings(input))],
      },
      path === undefined ? 'failurePolicy' : `webhooks[${JSON.stringify(path)}].failurePolicy`,
    );
  });
}

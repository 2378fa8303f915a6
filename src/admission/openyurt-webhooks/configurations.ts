import type { EdgeWarning } from '../../errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { copyOf, type PlainMap } from '../../validation/plain-data.js';
import { OWN_LABELS } from '../../kubernetes/labels.js';
import { lockWarnings, reachedBy } from '../webhooks/webhook-lock.js';
import { givenSettings, type WebhookSettings } from '../webhooks/webhook-settings.js';
import { isServed } from './controllers.js';
import { type OpenYurtWebhooksProps, TEMPLATE_ANNOTATION } from './props.js';
import type { OpenYurtWebhook } from '../../cluster/openyurt-webhook.js';

const SERVICE = 'yurt-manager-webhook-service';

// yurt-manager ends when one of the two is missing, so that both are made even when one of them is empty
const CONFIGURATIONS = {
  mutating: { kind: 'MutatingWebhookConfiguration', name: 'yurt-manager-mutating-webhook-configuration' },
  validating: { kind: 'ValidatingWebhookConfiguration', name: 'yurt-manager-validating-webhook-configuration' },
} as const;

/** The webhooks that are written, in the order of the chart. For checked input. */
export function chosenWebhooks(input: OpenYurtWebhooksProps): OpenYurtWebhook[] {
  const { without = [], controllers, disableIndependentWebhooks } = input;
  const knowsFlags = controllers !== undefined || disableIndependentWebhooks !== undefined;
  return input.cluster
    .openYurtWebhooks()
    .filter(({ name, resource }) => !without.includes(name) && !without.includes(resource))
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
  const template: Record<string, string> =
    input.template === false ? {} : { [TEMPLATE_ANNOTATION]: templateOf(type, webhooks) };
  const annotations: Record<string, string> = { ...input.metadata?.annotations, ...template };
  return copyOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      ...input.metadata,
      name,
      labels: { ...input.metadata?.labels, ...OWN_LABELS },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    webhooks,
  });
}

/** What the user says of a webhook: its name counts more than its resource, and both more than what is said of all. */
function settingsOf(webhook: OpenYurtWebhook, input: OpenYurtWebhooksProps): WebhookSettings {
  const { namespaceSelector, ...forAll } = givenSettings(input);
  return {
    ...forAll,
    // said of all, it is meant for those for which it does something
    ...(webhook.scope === 'Namespaced' && namespaceSelector !== undefined ? { namespaceSelector } : {}),
    ...givenSettings(input.webhooks?.[webhook.resource] ?? {}),
    ...givenSettings(input.webhooks?.[webhook.name] ?? {}),
  };
}

/** A webhook as the chart writes it, with the user's settings. */
function webhookManifest(webhook: OpenYurtWebhook, input: OpenYurtWebhooksProps): PlainMap {
  const { name, resource, apiGroup, apiVersion, path, operations, failurePolicy, admissionReviewVersions } = webhook;
  return {
    admissionReviewVersions,
    // the API server wants a clientConfig; yurt-manager completes it with the CA
    clientConfig: { service: { name: SERVICE, namespace: input.namespace ?? 'kube-system', path } },
    failurePolicy,
    name,
    rules: [{ apiGroups: [apiGroup], apiVersions: [apiVersion], operations, resources: [resource] }],
    sideEffects: 'None',
    ...settingsOf(webhook, input),
  };
}

/**
 * The webhooks as yurt-manager writes them into its annotation. With the defaults of the API server: it compares what it makes of the
 * annotation with what it reads, and would write the object every minute for each default that is missing here.
 */
function templateOf(type: OpenYurtWebhook['type'], webhooks: readonly PlainMap[]): string {
  return JSON.stringify(
    webhooks.map(({ clientConfig, rules, ...webhook }) => ({
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...(type === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
      ...webhook,
      clientConfig: { service: { ...(clientConfig as { service: PlainMap }).service, port: 443 } },
      rules: (rules as PlainMap[]).map((rule) => ({ ...rule, scope: '*' })),
    })),
  );
}

/** What can lock the cluster while yurt-manager is down, and settings of webhooks that are not written. */
export function openYurtWebhookWarnings(input: OpenYurtWebhooksProps): EdgeWarning[] {
  const chosen = chosenWebhooks(input);
  const unused = Object.keys(input.webhooks ?? {}).filter(
    (key) => !chosen.some(({ name, resource }) => name === key || resource === key),
  );
  return [
    ...lockWarningsOf(chosen, input),
    ...unused.map((key): EdgeWarning => ({
      code: 'EDGE_UNUSED',
      path: `webhooks[${JSON.stringify(key)}]`,
      message: 'these are settings of a webhook that is left out (without, controllers or disableIndependentWebhooks)',
      hint: 'remove the settings, or do not leave it out',
    })),
  ];
}

function lockWarningsOf(chosen: readonly OpenYurtWebhook[], input: OpenYurtWebhooksProps): EdgeWarning[] {
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
      },
      path === undefined ? 'failurePolicy' : `webhooks[${JSON.stringify(path)}].failurePolicy`,
    );
  });
}

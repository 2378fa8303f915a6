import type { EdgeWarning, ProblemList } from '../../errors.js';
import { checkCluster, type EdgeCluster } from '../../cluster/edge-cluster.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { copyOf, isMap, mapAt, type PlainMap } from '../../validation/plain-data.js';
import { OWN_LABELS } from '../../kubernetes/labels.js';
import { isDnsLabel, isDnsSubdomain } from '../../kubernetes/names.js';
import { checkOwnLabels } from '../../kubernetes/own-labels.js';
import type { PoolWebhookEntry, PoolWebhookProps } from './pool-webhook-props.js';
import { checkKnownProperties, checkOneOf, showValue } from '../../validation/properties.js';
import { checkClient, clientConfigOf } from './webhook-client.js';
import { lockWarnings, reachedBy } from './webhook-lock.js';
import { checkRules, ruleOf } from './webhook-rules.js';
import { checkWebhookSettings, givenSettings, WEBHOOK_SETTINGS } from './webhook-settings.js';
import { checkMetadata } from '../../kubernetes/object-input.js';

const INJECT_CA = 'cert-manager.io/inject-ca-from';
const PROPERTIES = ['cluster', 'type', 'webhooks', 'injectCaFrom', 'metadata'];
const ENTRY_PROPERTIES = [
  'name',
  'rules',
  'service',
  'url',
  'caBundle',
  'sideEffects',
  'admissionReviewVersions',
  'matchPolicy',
  'reinvocationPolicy',
  ...WEBHOOK_SETTINGS,
];

/** Checks everything about webhooks of the user's own. */
export function checkPoolWebhook(input: PoolWebhookProps, problems: ProblemList): void {
  const cluster = checkCluster(input.cluster, problems.at('cluster')) ? input.cluster : undefined;
  checkKnownProperties(input, PROPERTIES, problems, { clientConfig: 'write service or url in each of webhooks' });
  if (input.type === undefined) {
    problems
      .at('type')
      .add('EDGE_MISSING', 'the kind of webhook is not said', "write type: 'validating' or 'mutating'");
  }
  checkOneOf(input.type, ['mutating', 'validating'], problems.at('type'));
  checkObjectMetadata(input, problems);
  const webhooks: unknown = input.webhooks;
  if (!Array.isArray(webhooks) || webhooks.length === 0) {
    problems
      .at('webhooks')
      .add('EDGE_MISSING', 'there is no webhook', "write webhooks: [{ name: 'pods.guard.example.com', … }]");
    return;
  }
  const names = new Map<string, number>();
  webhooks.forEach((entry: unknown, index) => {
    const at = problems.at('webhooks', index);
    if (!isMap(entry)) {
      at.add(
        'EDGE_TYPE',
        'a webhook is a map',
        "write { name: 'pods.guard.example.com', rules: ['pods'], service: {…} }",
      );
      return;
    }
    checkEntry(entry, input, cluster, at);
    const earlier = names.get(entry.name as string);
    if (earlier !== undefined) {
      at.at('name').add(
        'EDGE_DUPLICATE',
        `webhooks[${earlier}] is also called ${showValue(entry.name)}`,
        'give each a name of its own',
      );
    } else if (typeof entry.name === 'string') {
      names.set(entry.name, index);
    }
  });
}

function checkEntry(
  entry: PlainMap,
  input: PoolWebhookProps,
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  checkKnownProperties(entry, ENTRY_PROPERTIES, problems);
  const { name, reinvocationPolicy } = entry;
  if (typeof name !== 'string' || !isDnsSubdomain(name) || name.split('.').length < 3) {
    problems
      .at('name')
      .add(
        name === undefined ? 'EDGE_MISSING' : 'EDGE_NAME',
        `${showValue(name)} is not a domain of at least three parts`,
        "write name: 'pods.guard.example.com'",
      );
  }
  checkClient(entry, problems);
  checkRules(entry.rules, cluster, problems.at('rules'));
  checkWebhookSettings(entry, cluster, problems);
  checkOneOf(entry.sideEffects, ['None', 'NoneOnDryRun'], problems.at('sideEffects'));
  checkOneOf(entry.matchPolicy, ['Equivalent', 'Exact'], problems.at('matchPolicy'));
  checkReviewVersions(entry.admissionReviewVersions, problems.at('admissionReviewVersions'));
  if (input.type === 'validating' && reinvocationPolicy !== undefined) {
    problems
      .at('reinvocationPolicy')
      .add('EDGE_WEBHOOK', 'a validating webhook is called once', "remove it, or write type: 'mutating'");
  } else {
    checkOneOf(reinvocationPolicy, ['Never', 'IfNeeded'], problems.at('reinvocationPolicy'));
  }
  if (input.injectCaFrom !== undefined && entry.caBundle !== undefined) {
    problems
      .at('caBundle')
      .add(
        'EDGE_CONTRADICTION',
        'cert-manager would overwrite it, and every apply would write it back',
        'remove caBundle, or injectCaFrom',
      );
  }
}

function checkReviewVersions(versions: unknown, problems: ProblemList): void {
  if (versions === undefined) {
    return;
  }
  const hint = "write ['v1'], or leave it out";
  if (!Array.isArray(versions) || versions.length === 0) {
    problems.add('EDGE_MISSING', 'there is no version of AdmissionReview', hint);
    return;
  }
  versions.forEach((version: unknown, index) => {
    if (typeof version !== 'string' || !/^[a-z]/.test(version) || !isDnsLabel(version)) {
      problems.at(index).add('EDGE_WEBHOOK', `${showValue(version)} is not a version of AdmissionReview`, hint);
    } else if (versions.indexOf(version) !== index) {
      problems.at(index).add('EDGE_DUPLICATE', `${version} is named twice`, hint);
    }
  });
  if (!versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    problems.add('EDGE_WEBHOOK', 'the API server sends v1 and v1beta1, and neither is named', hint);
  }
}

function checkObjectMetadata({ metadata, injectCaFrom }: PoolWebhookProps, problems: ProblemList): void {
  const [namespace = '', name = '', ...more] = typeof injectCaFrom === 'string' ? injectCaFrom.split('/') : [];
  if (injectCaFrom !== undefined && !(isDnsLabel(namespace) && isDnsSubdomain(name) && more.length === 0)) {
    problems
      .at('injectCaFrom')
      .add(
        'EDGE_NAME',
        `${showValue(injectCaFrom)} does not name a Certificate`,
        "write injectCaFrom: 'edge-system/guard-tls' (namespace and name)",
      );
  }
  const at = problems.at('metadata');
  checkMetadata(metadata, at);
  if (!isMap(metadata)) {
    return;
  }
  if (metadata.namespace !== undefined) {
    at.at('namespace').add('EDGE_NAME', 'a webhook configuration is cluster-scoped', 'remove the namespace');
  }
  checkOwnLabels(metadata, at);
  if (mapAt(metadata, 'annotations')[INJECT_CA] !== undefined) {
    at.at('annotations', INJECT_CA).add(
      'EDGE_DUPLICATE',
      'this annotation has a property of its own',
      'write it as injectCaFrom and remove it here',
    );
  }
}

/**
 * What happens while the server is down, when the user does not say. What the server needs to come up again passes, as Pods and Nodes do with
 * OpenYurt's own webhooks. Everything else is refused, as is the default of the API server.
 */
function failurePolicyOf(entry: PoolWebhookEntry, input: PoolWebhookProps): 'Fail' | 'Ignore' {
  const reached = reachedBy(entry.rules.map((rule) => ruleOf(rule, input)));
  return entry.failurePolicy ?? (reached.length > 0 ? 'Ignore' : 'Fail');
}

/** The configuration object. For checked input. */
export function poolWebhookManifest(input: PoolWebhookProps): KubernetesObject {
  const { type, metadata, injectCaFrom } = input;
  const annotations: Record<string, string> = {
    ...metadata?.annotations,
    ...(injectCaFrom === undefined ? {} : { [INJECT_CA]: injectCaFrom }),
  };
  return copyOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...OWN_LABELS },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    webhooks: input.webhooks.map((entry) => ({
      name: entry.name,
      admissionReviewVersions: entry.admissionReviewVersions ?? ['v1'],
      clientConfig: clientConfigOf(entry),
      ...givenSettings(entry),
      failurePolicy: failurePolicyOf(entry, input),
      matchPolicy: entry.matchPolicy ?? 'Equivalent',
      ...(type === 'mutating' ? { reinvocationPolicy: entry.reinvocationPolicy ?? 'Never' } : {}),
      rules: entry.rules.map((rule) => ruleOf(rule, input)),
      sideEffects: entry.sideEffects ?? 'None',
      timeoutSeconds: entry.timeoutSeconds ?? 10,
    })),
  });
}

/** What can lock the cluster, and what nobody vouches for. For checked input. */
export function poolWebhookWarnings(input: PoolWebhookProps): EdgeWarning[] {
  return input.webhooks.flatMap((entry, index) => {
    const { name, service, caBundle } = entry;
    const path = `webhooks[${index}]`;
    const locks = lockWarnings(
      {
        name,
        reaches: reachedBy(entry.rules.map((rule) => ruleOf(rule, input))),
        failurePolicy: failurePolicyOf(entry, input),
        settings: entry,
        serverNamespace: service?.namespace,
      },
      `${path}.failurePolicy`,
    );
    const noCa = service !== undefined && caBundle === undefined && input.injectCaFrom === undefined;
    return [
      ...locks,
      ...(noCa
        ? [
            {
              code: 'EDGE_CA_BUNDLE' as const,
              path: `${path}.caBundle`,
              message: `${name} is served by a Service, and nothing says which CA signed its certificate: every call fails until something writes caBundle`,
              hint: 'write caBundle, or injectCaFrom where cert-manager makes the certificate',
            },
          ]
        : []),
    ];
  });
}

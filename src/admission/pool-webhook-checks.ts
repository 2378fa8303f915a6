import type { ProblemList } from '../base/errors.js';
import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import { isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { checkOwnLabels } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkOneOf, showValue } from '../base/properties.js';
import {
  checkedElsewhere,
  checkProperties,
  oneOf,
  optional,
  plain,
  type PropertyTable,
} from '../base/property-table.js';
import { checkCaBundle } from './ca-bundle.js';
import type { PoolWebhookEntry, PoolWebhookProps } from './pool-webhook-props.js';
import { checkServer, checkService, checkUrl } from './webhook-client.js';
import { checkRules } from './webhook-rules.js';
import { webhookSettings } from './webhook-settings.js';

/** Annotation that names the Certificate for cert-manager's cainjector. */
export const INJECT_CA = 'cert-manager.io/inject-ca-from';

const PROPERTIES: PropertyTable<PoolWebhookProps> = {
  cluster: plain(checkCluster),
  type: plain(checkType),
  injectCaFrom: optional(checkCertificate),
  metadata: checkObjectMetadata,
  // the valid properties of an entry depend on the cluster and the type
  webhooks: checkedElsewhere,
};

const ADVICE: Readonly<Record<string, string>> = {
  clientConfig: 'write service or url in each of webhooks',
  ...Object.fromEntries(
    ['service', 'url', 'rules', 'timeoutSeconds', 'failurePolicy', 'namespaceSelector', 'objectSelector'].map(
      (name) => [name, `write it in each of webhooks: webhooks: [{ ${name}: … }]`],
    ),
  ),
};

/** The properties of one webhook; service and url are checked together by checkServer. */
function entryProperties(cluster: EdgeCluster | undefined): PropertyTable<PoolWebhookEntry> {
  return {
    name: checkWebhookName,
    service: optional(checkService),
    url: optional(checkUrl),
    caBundle: optional(checkCaBundle),
    rules: (rules, problems) => checkRules(rules, cluster, problems),
    ...webhookSettings(cluster),
    sideEffects: oneOf('None', 'NoneOnDryRun'),
    matchPolicy: oneOf('Equivalent', 'Exact'),
    admissionReviewVersions: optional(checkReviewVersions),
    reinvocationPolicy: checkedElsewhere,
  };
}

/** Checks the properties of a PoolWebhook. */
export function checkPoolWebhook(input: PoolWebhookProps, problems: ProblemList): void {
  checkProperties(input, PROPERTIES, problems, ADVICE);
  const cluster = input.cluster instanceof EdgeCluster ? input.cluster : undefined;
  const webhooks: unknown = input.webhooks;
  if (!Array.isArray(webhooks) || webhooks.length === 0) {
    problems
      .at('webhooks')
      .add('EDGE_MISSING', 'the list of webhooks is empty', "write webhooks: [{ name: 'pods.guard.example.com', … }]");
    return;
  }
  const names = new Map<string, number>();
  webhooks.forEach((entry: unknown, index) => {
    const at = problems.at('webhooks', index);
    if (!isMap(entry)) {
      at.add(
        'EDGE_TYPE',
        'a webhook must be a map',
        "write { name: 'pods.guard.example.com', rules: ['pods'], service: {…} }",
      );
      return;
    }
    checkEntry(entry, input, cluster, at);
    const earlier = names.get(entry.name as string);
    if (earlier !== undefined) {
      at.at('name').add(
        'EDGE_DUPLICATE',
        `webhooks[${earlier}] has the same name ${showValue(entry.name)}`,
        'give each webhook a unique name',
      );
    } else if (typeof entry.name === 'string') {
      names.set(entry.name, index);
    }
  });
}

function checkType(type: unknown, problems: ProblemList): void {
  if (type === undefined) {
    problems.add('EDGE_MISSING', 'type is required', "write type: 'validating' or 'mutating'");
  }
  checkOneOf(type, ['mutating', 'validating'], problems);
}

function checkEntry(
  entry: PlainMap,
  { type, injectCaFrom }: PoolWebhookProps,
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  checkServer(entry, problems);
  checkProperties(entry, entryProperties(cluster), problems);
  const { reinvocationPolicy } = entry;
  if (type === 'validating' && reinvocationPolicy !== undefined) {
    problems
      .at('reinvocationPolicy')
      .add('EDGE_WEBHOOK', 'a validating webhook is called once', "remove it, or write type: 'mutating'");
  } else {
    checkOneOf(reinvocationPolicy, ['Never', 'IfNeeded'], problems.at('reinvocationPolicy'));
  }
  if (injectCaFrom !== undefined && entry.caBundle !== undefined) {
    problems
      .at('caBundle')
      .add(
        'EDGE_CONTRADICTION',
        'cert-manager would overwrite it, and every apply would write it back',
        'remove caBundle, or injectCaFrom',
      );
  }
}

function checkWebhookName(name: unknown, problems: ProblemList): void {
  if (typeof name !== 'string' || !isDnsSubdomain(name) || name.split('.').length < 3) {
    problems.add(
      name === undefined ? 'EDGE_MISSING' : 'EDGE_NAME',
      `${showValue(name)} is not a domain of at least three parts`,
      "write name: 'pods.guard.example.com'",
    );
  }
}

function checkReviewVersions(versions: unknown, problems: ProblemList): void {
  const hint = "write ['v1'], or leave it out";
  if (!Array.isArray(versions) || versions.length === 0) {
    problems.add('EDGE_MISSING', 'the list of AdmissionReview versions is empty', hint);
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
    problems.add('EDGE_WEBHOOK', 'the API server sends v1 or v1beta1, and neither is in the list', hint);
  }
}

function checkCertificate(certificate: unknown, problems: ProblemList): void {
  const [namespace = '', name = '', ...more] = typeof certificate === 'string' ? certificate.split('/') : [];
  if (!(isDnsLabel(namespace) && isDnsSubdomain(name) && more.length === 0)) {
    problems.add(
      'EDGE_NAME',
      `${showValue(certificate)} is not the namespace and name of a Certificate`,
      "write injectCaFrom: 'edge-system/guard-tls' (namespace and name)",
    );
  }
}

function checkObjectMetadata(metadata: unknown, problems: ProblemList): void {
  checkMadeMetadata(metadata, problems);
  if (!isMap(metadata)) {
    return;
  }
  if (metadata.namespace !== undefined) {
    problems.at('namespace').add('EDGE_NAME', 'a webhook configuration is cluster-scoped', 'remove the namespace');
  }
  checkOwnLabels(metadata, problems);
  if (mapAt(metadata, 'annotations')[INJECT_CA] !== undefined) {
    problems
      .at('annotations', INJECT_CA)
      .add(
        'EDGE_DUPLICATE',
        'this annotation is reserved: managed by edge-nodepools (injectCaFrom)',
        'remove it here, and write injectCaFrom',
      );
  }
}

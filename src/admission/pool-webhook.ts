import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { type Plan, type PlannedObject, type PlannedWarning, shownWarning } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { checkOwnLabels, ownMetadata } from '../kubernetes/labels.js';
import { type PlainMap, copyOf, isMap, mapAt } from '../base/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { claimAdmissionNames } from './claimed-names.js';
import type {
  PoolWebhookEntry,
  PoolWebhookProps,
  WebhookRule,
  WebhookRulePreset,
  WebhookService,
} from './pool-webhook-props.js';
import { lockWarnings, reachedBy } from './webhook-lock.js';
import { givenSettings, webhookSettings } from './webhook-settings.js';
import { EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import { checkNamespace, isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { checkOneOf, numberAsText, portHint, quoted, showValue } from '../base/properties.js';
import {
  type PropertyTable,
  checkProperties,
  checkedElsewhere,
  mapWith,
  oneOf,
  optional,
  plain,
} from '../base/property-table.js';

const PRESETS: readonly WebhookRulePreset[] = ['nodes', 'pods', 'nodepools'];
const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'];
const EXAMPLE =
  "write { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }, or 'pods'";

/** What the rules behind the short names depend on. */
interface RuleTarget {
  readonly type: PoolWebhookProps['type'];
  /** API version of the NodePools; undefined without OpenYurt. */
  readonly nodePoolApiVersion: string | undefined;
}

/** Rules with the short names resolved. For checked input. */
function rulesOf(rules: readonly (WebhookRule | WebhookRulePreset)[], target: RuleTarget): WebhookRule[] {
  return compute(
    rules,
    (all) => all.map((rule) => compute(rule, (one) => ruleOf(one, target), isUnknown(rule) && rule)),
    isUnknown(rules) && rules,
  );
}

/** A rule with the short name resolved. For checked input. */
function ruleOf(rule: WebhookRule | WebhookRulePreset, { type, nodePoolApiVersion }: RuleTarget): WebhookRule {
  switch (rule) {
    case 'nodes':
      return core('nodes', ['CREATE', 'UPDATE'], 'Cluster');
    case 'pods':
      return core('pods', ['CREATE'], 'Namespaced');
    case 'nodepools': {
      const [group = '', version = ''] = nodePoolApiVersion?.split('/') ?? [];
      return {
        apiGroups: [group],
        apiVersions: [version],
        resources: ['nodepools'],
        operations: type === 'validating' ? ['CREATE', 'UPDATE', 'DELETE'] : ['CREATE', 'UPDATE'],
        scope: 'Cluster',
      };
    }
    default:
      return rule;
  }
}

function core(
  resource: string,
  operations: WebhookRule['operations'],
  scope: NonNullable<WebhookRule['scope']>,
): WebhookRule {
  return { apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations, scope };
}

/** Checks rules as the API server does (`pkg/apis/admissionregistration/validation`, validateRuleWithOperations). */
function checkRules(rules: unknown, cluster: EdgeCluster | undefined, problems: ProblemList): void {
  if (!Array.isArray(rules) || rules.length === 0) {
    problems.add('EDGE_MISSING', 'the list of rules is empty, so the webhook is never called', "write rules: ['pods']");
    return;
  }
  rules.forEach((rule: unknown, index) => {
    const at = problems.at(index);
    if (typeof rule === 'string') {
      checkOneOf(rule, PRESETS, at);
      if (rule === 'nodepools' && cluster?.hasOpenYurt() === false) {
        at.add('EDGE_NO_OPENYURT', 'without OpenYurt there are no NodePools', "remove 'nodepools'");
      }
    } else if (!isMap(rule)) {
      at.add('EDGE_TYPE', `${showValue(rule)} is not a rule`, EXAMPLE);
    } else {
      checkProperties(rule, RULE, at);
    }
  });
}

const RULE: PropertyTable<WebhookRule> = {
  apiGroups: (words, problems) => checkWords('apiGroups', words, problems),
  apiVersions: (words, problems) => checkWords('apiVersions', words, problems),
  resources: (words, problems) => {
    if (checkTexts('resources', words, problems)) {
      checkResources(words, problems);
    }
  },
  operations: (words, problems) => {
    checkWords('operations', words, problems);
    (Array.isArray(words) ? words : []).forEach((word: unknown, index) =>
      checkOneOf(typeof word === 'string' ? word : undefined, OPERATIONS, problems.at(index)),
    );
  },
  scope: oneOf('Cluster', 'Namespaced', '*'),
};

/** Checks a list of words, or `*` alone for all of them. */
function checkWords(field: keyof WebhookRule, words: unknown, problems: ProblemList): void {
  if (checkTexts(field, words, problems) && words.length > 1 && words.includes('*')) {
    problems.add(
      'EDGE_WEBHOOK',
      `'*' means all ${field}, and the list also has others`,
      "write ['*'], or leave '*' out",
    );
  }
}

function checkTexts(field: keyof WebhookRule, words: unknown, problems: ProblemList): words is string[] {
  if (!Array.isArray(words) || words.length === 0) {
    problems.add('EDGE_MISSING', `a rule needs ${field}`, EXAMPLE);
    return false;
  }
  const bad = words.findIndex((word) => typeof word !== 'string' || (word === '' && field !== 'apiGroups'));
  if (bad >= 0) {
    problems.at(bad).add('EDGE_TYPE', `${quoted(words[bad])} is not valid in ${field}`, EXAMPLE);
  }
  return bad < 0;
}

function checkResources(resources: readonly string[], problems: ProblemList): void {
  const parts = resources.map((name) => name.split(/\/(.*)/s, 2) as [string, string | undefined]);
  if (resources.length > 1 && resources.includes('*/*')) {
    problems.add('EDGE_WEBHOOK', "'*/*' means all resources, and the list also has others", "write ['*/*']");
  }
  if (resources.includes('*') && parts.some(([name, sub]) => sub === undefined && name !== '*')) {
    problems.add(
      'EDGE_WEBHOOK',
      "'*' means all resources without subresource, and the list also has others",
      "write ['*'], or leave '*' out",
    );
  }
  parts.forEach(([name, sub], index) => {
    const covered = [`${name}/*`, `*/${sub}`].find(
      (wider) => sub !== undefined && wider !== resources[index] && resources.includes(wider),
    );
    if (covered !== undefined) {
      problems
        .at(index)
        .add('EDGE_WEBHOOK', `'${covered}' includes '${resources[index]}'`, `remove '${resources[index]}'`);
    }
    if (resources.indexOf(`${name}/${sub}`) < index && sub !== undefined && [name, sub].includes('*')) {
      problems.at(index).add('EDGE_DUPLICATE', `'${resources[index]}' is named twice`, 'name it once');
    }
    if (sub === undefined && name !== name.toLowerCase()) {
      problems
        .at(index)
        .add(
          'EDGE_WEBHOOK',
          `${name} is not the name of a resource, and matches nothing`,
          `write the plural in lower case, for example '${`${name.toLowerCase().replace(/s$/, '')}s`}'`,
        );
    }
  });
}

/** The clientConfig of a webhook. For checked input. */
function clientConfigOf({ service, url, caBundle }: PoolWebhookEntry): PlainMap {
  return {
    ...(url === undefined ? { service } : { url }),
    ...(caBundle === undefined ? {} : { caBundle: compute(caBundle, (text) => text.replace(/[\r\n]/g, '')) }),
  };
}

/** Checks that exactly one of service and url is given. */
function checkServer(
  { service, url }: { readonly service?: unknown; readonly url?: unknown },
  problems: ProblemList,
): void {
  if ((service === undefined) === (url === undefined)) {
    problems.add(
      'EDGE_MISSING',
      service === undefined ? 'neither service nor url is given' : 'service and url are both given',
      "write service: { name: 'guard', namespace: 'edge-system' }, or url: 'https://guard.example.com/pods'",
    );
  }
}

const SERVICE: PropertyTable<WebhookService> = {
  name: (name, problems) => {
    if (typeof name !== 'string' || !isDnsLabel(name)) {
      problems.add(
        name === undefined ? 'EDGE_MISSING' : 'EDGE_NAME',
        `${showValue(name)} is not the name of a Service`,
        "write name: 'guard'",
      );
    }
  },
  namespace: checkNamespace,
  path: optional((path, problems) => {
    if (!isPath(path)) {
      problems.add(
        'EDGE_WEBHOOK',
        `${showValue(path)} is not a path that the API server accepts`,
        "write for example '/validate-pods': it starts with '/', and its parts are lower-case letters, digits, '-' and '.'",
      );
    }
  }),
  port: optional((port, problems) => {
    if (!(Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65535)) {
      const text = numberAsText(port);
      problems.add('EDGE_PORT', text?.message ?? `${showValue(port)} is not a port`, portHint(port));
    }
  }),
};

/** Checks a Service as the API server does (apiserver `pkg/util/webhook/validation.go`). */
const checkService = mapWith(
  (service, problems) => checkProperties(service, SERVICE, problems),
  'service must be a map',
  "write { name: 'guard', namespace: 'edge-system' }",
);

function isPath(path: unknown): boolean {
  if (path === '' || path === '/') {
    return true;
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    return false;
  }
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return steps.every((step) => isDnsSubdomain(step));
}

// scheme, authority, path, query, fragment (RFC 3986, appendix B)
const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/is;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Refuses URLs that the API server refuses (apiserver `pkg/util/webhook/validation.go`, which parses with Go's net/url), and URLs of Services. */
function checkUrl(url: unknown, problems: ProblemList): void {
  const hint = "write 'https://guard.example.com:8443/pods': no user, no query, no fragment";
  const parts = typeof url === 'string' ? URL_PARTS.exec(url) : null;
  if (parts === null) {
    problems.add('EDGE_WEBHOOK', `${showValue(url)} is not a URL`, hint);
    return;
  }
  const [text, scheme = '', authority = '', path = '', query = '', fragment = ''] = parts;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const wrong = [
    ...(scheme.toLowerCase() === 'https' ? [] : ['it is not https']),
    ...(authority.includes('@') ? ['it contains a user'] : []),
    ...(query === '' ? [] : ['it has a query']),
    ...(fragment === '' ? [] : ['it has a fragment']),
    ...(CONTROL.test(text) ? ['it contains a control character'] : []),
    ...(BROKEN_ESCAPE.test(path) ? ['it contains an invalid % escape'] : []),
    ...(/[\s\\^`{|}%]/.test(host) ? [`${quoted(host)} is not a host`] : []),
  ];
  wrong.forEach((reason) => problems.add('EDGE_WEBHOOK', `the API server refuses this URL: ${reason}`, hint));
  if (wrong.length > 0) {
    return;
  }
  const parsed = parseUrl(text);
  if (parsed === undefined) {
    problems.add('EDGE_WEBHOOK', `${showValue(url)} is not a URL`, hint);
  } else if (/\.svc(\.cluster\.local)?$/.test(parsed.hostname)) {
    problems.add(
      'EDGE_WEBHOOK',
      `${parsed.hostname} is the DNS name of a Service, which the machine of the API server usually cannot resolve`,
      "write service: { name: 'guard', namespace: 'edge-system' } instead of url",
    );
  }
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** Whether bytes are one DER SEQUENCE of exactly their length, as every certificate is. */
function isDerSequence(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes;
  if (tag !== 0x30) {
    return false;
  }
  if (length < 0x80) {
    return bytes.length === length + 2;
  }
  const digits = length & 0x7f;
  return (
    digits > 0 && digits <= 4 && bytes.length > 2 + digits && bytes.length === bytes.readUIntBE(2, digits) + 2 + digits
  );
}

/**
 * Checks a caBundle: one or more PEM certificates and nothing else, in base64. In most minors the API server stores any value, and then every call of
 * the webhook fails.
 */
export function checkCaBundle(caBundle: unknown, problems: ProblemList): void {
  const hint = "write the output of 'base64 -w0 ca.crt', or leave it out and use injectCaFrom";
  if (typeof caBundle === 'string' && caBundle.includes('-----BEGIN')) {
    problems.add('EDGE_CA_BUNDLE', 'this is PEM, and the field must be base64 of it', hint);
    return;
  }
  const compact = typeof caBundle === 'string' ? caBundle.replace(/[\r\n]/g, '') : '';
  if (compact.length % 4 !== 0 || !BASE64.test(compact)) {
    problems.add('EDGE_CA_BUNDLE', 'this is not base64', hint);
    return;
  }
  const text = Buffer.from(compact, 'base64').toString('latin1');
  const blocks = [...text.matchAll(BLOCK)].map(([, type = '', body = '']) => ({ type, body }));
  if (blocks.some(({ type }) => type.endsWith('PRIVATE KEY')) || text.includes('PRIVATE KEY-----')) {
    problems.add(
      'EDGE_CA_BUNDLE',
      'this contains a private key, which everyone who can read the object could read',
      'write only the certificate (ca.crt), and replace the key: it is no longer secret',
    );
    return;
  }
  const begins = text.split('-----BEGIN ').length - 1;
  const isWhole = blocks.length > 0 && blocks.length === begins;
  const areCertificates = blocks.every(
    ({ type, body }) => type === 'CERTIFICATE' && isDerSequence(Buffer.from(body, 'base64')),
  );
  if (!isWhole || !areCertificates) {
    problems.add('EDGE_CA_BUNDLE', 'this contains no PEM certificate, or an invalid one', hint);
  }
}

/** Attributes of a PoolWebhook. */
export interface PoolWebhookAttributes {
  /** Name of the configuration object, if metadata sets it. */
  readonly configurationName?: string;
  /** Warnings about webhooks that can lock the cluster while the server is down, or that cannot work. */
  readonly warnings: readonly EdgeWarning[];
}

const OWN_NAME = { path: ['metadata', 'name'], hint: 'give one of them another name, or remove one' };

/**
 * Plans a webhook configuration for an admission server of the user.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolWebhook(props: PoolWebhookProps, scope: Scope): Plan<PoolWebhookAttributes> {
  const problems = problemsOf(scope);
  const subject = `PoolWebhook ${scope.path}`;
  checkPoolWebhook(props ?? {}, problems);
  problems.throwIfAny(subject);
  const object = configurationOf(props);
  const objects: PlannedObject[] = [{ object, apply: 'create' }];
  claimAdmissionNames(scope, props.cluster, objects, OWN_NAME, problems);
  problems.throwIfAny(subject);
  const warnings = warningsOf(props);
  return {
    subject,
    objects,
    cluster: props.cluster,
    attributes: {
      configurationName: compute(
        props.metadata,
        (metadata) => metadata?.name,
        isUnknown(props.metadata) && props.metadata,
      ),
      warnings: warnings.map(shownWarning),
    },
    warnings,
    artifacts: [],
  };
}

/** The configuration object. */
function configurationOf(props: PoolWebhookProps): KubernetesObject {
  const { type, metadata, injectCaFrom } = props;
  const target = targetOf(props);
  const annotations = injectCaFrom === undefined ? {} : { annotations: { [INJECT_CA]: injectCaFrom } };
  return copyOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: ownMetadata(metadata, annotations),
    webhooks: compute(
      props.webhooks,
      (entries) => entries.map((entry) => compute(entry, (one) => webhookOf(one, target), isUnknown(entry) && entry)),
      isUnknown(props.webhooks) && props.webhooks,
    ),
  });
}

/** What the rules behind the short names depend on. */
function targetOf({ cluster, type }: PoolWebhookProps): RuleTarget {
  return { type, nodePoolApiVersion: cluster.nodePoolApiVersion() };
}

function webhookOf(entry: PoolWebhookEntry, target: RuleTarget): PlainMap {
  return {
    name: entry.name,
    admissionReviewVersions: entry.admissionReviewVersions ?? ['v1'],
    clientConfig: clientConfigOf(entry),
    ...givenSettings(entry),
    failurePolicy: failurePolicyOf(entry, target),
    matchPolicy: entry.matchPolicy ?? 'Equivalent',
    ...(target.type === 'mutating' ? { reinvocationPolicy: entry.reinvocationPolicy ?? 'Never' } : {}),
    rules: rulesOf(entry.rules, target),
    sideEffects: entry.sideEffects ?? 'None',
    timeoutSeconds: entry.timeoutSeconds ?? 10,
  };
}

/**
 * The default failurePolicy: `Ignore` if the rules match requests that the server needs to start again, like OpenYurt's own webhooks for Pods and Nodes;
 * otherwise `Fail`, the default of the API server.
 */
function failurePolicyOf({ failurePolicy, rules }: PoolWebhookEntry, target: RuleTarget): 'Fail' | 'Ignore' {
  return (
    failurePolicy ??
    compute(rules, (all) => (reachedBy(all.map((rule) => ruleOf(rule, target))).length > 0 ? 'Ignore' : 'Fail'))
  );
}

/** Warnings about webhooks that can lock the cluster or cannot work. Those that depend on unknown values follow when the values are known. */
function warningsOf(props: PoolWebhookProps): PlannedWarning[] {
  const target = targetOf(props);
  const entries = Array.isArray(props.webhooks) ? props.webhooks : [];
  return entries.flatMap((entry, index) => {
    if (isUnknown(entry) || holdsUnknown(entry.rules)) {
      return [];
    }
    const { name, service, caBundle } = entry;
    const path = `webhooks[${index}]`;
    const locks = lockWarnings(
      {
        name,
        reaches: reachedBy(entry.rules.map((rule) => ruleOf(rule, target))),
        failurePolicy: failurePolicyOf(entry, target),
        settings: givenSettings(entry),
        serverNamespace: service?.namespace,
        reads: [path],
      },
      `${path}.failurePolicy`,
    );
    const noCa =
      !isUnknown(name) && service !== undefined && caBundle === undefined && props.injectCaFrom === undefined;
    return [
      ...locks,
      ...(noCa
        ? [
            {
              code: 'EDGE_CA_BUNDLE' as const,
              path: `${path}.caBundle`,
              message: `${name} is served by a Service and has no CA for its certificate: every call fails until caBundle is set`,
              hint: 'write caBundle, or injectCaFrom if cert-manager issues the certificate',
            },
          ]
        : []),
    ];
  });
}

/** Annotation that names the Certificate for cert-manager's cainjector. */
const INJECT_CA = 'cert-manager.io/inject-ca-from';

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
function checkPoolWebhook(input: PoolWebhookProps, problems: ProblemList): void {
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

import { EdgeCluster, PoolWebhook } from 'edge-nodepools';
import { CA_BUNDLE } from '../corpus/ca-bundle.js';
import { type BadInput, cluster, plain, untyped } from './case.js';

const service = { name: 'guard', namespace: 'edge-system' };
const entry = { name: 'pods.guard.example.com', rules: ['pods'], service, caBundle: CA_BUNDLE };
const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pem = Buffer.from(CA_BUNDLE, 'base64').toString();

const all = (props: object) => (chart: any) =>
  new PoolWebhook(chart, 'webhook', untyped({ cluster, type: 'validating', webhooks: [entry], ...props }));
const one = (change: object, props: object = {}) => all({ webhooks: [{ ...entry, ...change }], ...props });
const url = (text: unknown) => one({ service: undefined, url: text });
const ofRule = (change: object) => one({ rules: [{ ...rule, ...change }] });

/** What a row says; the fields of {@link BadInput}, in a line. */
function row(
  what: string,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
  make: BadInput['make'],
): BadInput {
  return { what, code, path: path.startsWith('.') ? `webhooks[0]${path}` : path, hint, make };
}

export const poolWebhooks: BadInput[] = [
  row('a webhook without cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', all({ cluster: undefined })),
  row('a webhook without type', 'EDGE_MISSING', 'type', "'validating'", all({ type: undefined })),
  row('a webhook of an unknown type', 'EDGE_VALUE', 'type', "'mutating'", all({ type: 'converting' })),
  row('no webhook at all', 'EDGE_MISSING', 'webhooks', 'pods.guard.example.com', all({ webhooks: [] })),
  row('a webhook that is text', 'EDGE_TYPE', 'webhooks[0]', 'rules', all({ webhooks: ['pods'] })),
  row('a webhook without name', 'EDGE_MISSING', '.name', 'guard.example.com', one({ name: undefined })),
  row('a name of two parts', 'EDGE_NAME', '.name', 'pods.guard.example.com', one({ name: 'guard.local' })),
  row('a name in capitals', 'EDGE_NAME', '.name', 'pods.guard.example.com', one({ name: 'Pods.guard.example.com' })),
  row('two webhooks of one name', 'EDGE_DUPLICATE', 'webhooks[1].name', 'own', all({ webhooks: [entry, entry] })),
  row('a misspelt field', 'EDGE_UNKNOWN_PROPERTY', '.failurepolicy', 'failurePolicy?', one({ failurepolicy: 'Fail' })),
  row(
    'clientConfig as Kubernetes has it',
    'EDGE_UNKNOWN_PROPERTY',
    'clientConfig',
    'service',
    all({ clientConfig: {} }),
  ),
  row('neither service nor url', 'EDGE_MISSING', 'webhooks[0]', 'service:', one({ service: undefined })),
  row('service and url', 'EDGE_MISSING', 'webhooks[0]', 'service:', one({ url: 'https://a.example.com/' })),
  row('a service as text', 'EDGE_TYPE', '.service', 'namespace', one({ service: 'guard' })),
  row('a service without name', 'EDGE_MISSING', '.service.name', 'guard', one({ service: { namespace: 'a' } })),
  row(
    'a service without namespace',
    'EDGE_MISSING',
    '.service.namespace',
    'kube-system',
    one({ service: { name: 'a' } }),
  ),
  row('a path without slash', 'EDGE_WEBHOOK', '.service.path', '/', one({ service: { ...service, path: 'pods' } })),
  row('a path in capitals', 'EDGE_WEBHOOK', '.service.path', '/', one({ service: { ...service, path: '/Pods' } })),
  row(
    'a path with an empty part',
    'EDGE_WEBHOOK',
    '.service.path',
    '/',
    one({ service: { ...service, path: '/a//b' } }),
  ),
  row('a path with a query', 'EDGE_WEBHOOK', '.service.path', '/', one({ service: { ...service, path: '/a?b=c' } })),
  row('a port that is none', 'EDGE_PORT', '.service.port', '65535', one({ service: { ...service, port: 65536 } })),
  row('a port as text', 'EDGE_PORT', '.service.port', '65535', one({ service: { ...service, port: '443' } })),
  row('a url without https', 'EDGE_WEBHOOK', '.url', 'https://', url('http://guard.example.com/pods')),
  row('a url with a user', 'EDGE_WEBHOOK', '.url', 'no user', url('https://me@guard.example.com/pods')),
  row('a url with a query', 'EDGE_WEBHOOK', '.url', 'no query', url('https://guard.example.com/pods?a=b')),
  row('a url with a fragment', 'EDGE_WEBHOOK', '.url', 'no fragment', url('https://guard.example.com/pods#a')),
  row('a url without host', 'EDGE_WEBHOOK', '.url', 'https://', url('https:///pods')),
  row('a host instead of a url', 'EDGE_WEBHOOK', '.url', 'https://', url('guard.example.com')),
  row('a url of a Service', 'EDGE_WEBHOOK', '.url', 'service:', url('https://guard.edge-system.svc/pods')),
  row('a caBundle in PEM', 'EDGE_CA_BUNDLE', '.caBundle', 'base64 -w0', one({ caBundle: pem })),
  row('a caBundle that is not base64', 'EDGE_CA_BUNDLE', '.caBundle', 'base64 -w0', one({ caBundle: 'ca.crt!' })),
  row('the empty caBundle of examples', 'EDGE_CA_BUNDLE', '.caBundle', 'base64 -w0', one({ caBundle: 'Cg==' })),
  row(
    'a caBundle that is cut off',
    'EDGE_CA_BUNDLE',
    '.caBundle',
    'base64 -w0',
    one({ caBundle: base64(pem.replace(/^[^-].*\n/m, '')) }),
  ),
  row(
    'a caBundle with a private key',
    'EDGE_CA_BUNDLE',
    '.caBundle',
    'make a new key',
    one({ caBundle: base64(`${pem}-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n`) }),
  ),
  row(
    'a caBundle that cert-manager would overwrite',
    'EDGE_CONTRADICTION',
    '.caBundle',
    'injectCaFrom',
    one({}, { injectCaFrom: 'edge-system/guard-tls' }),
  ),
  row(
    'a Certificate without namespace',
    'EDGE_NAME',
    'injectCaFrom',
    'edge-system/',
    all({ injectCaFrom: 'guard-tls' }),
  ),
  row(
    'cert-manager’s annotation by hand',
    'EDGE_DUPLICATE',
    'metadata.annotations["cert-manager.io/inject-ca-from"]',
    'injectCaFrom',
    all({ metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'a/b' } } }),
  ),
  row('a namespace of the object', 'EDGE_NAME', 'metadata.namespace', 'remove', all({ metadata: { namespace: 'a' } })),
  row('no rules', 'EDGE_MISSING', '.rules', "'pods'", one({ rules: [] })),
  row('an unknown short name', 'EDGE_VALUE', '.rules[0]', "'pods'", one({ rules: ['deployments'] })),
  row(
    'NodePools without OpenYurt',
    'EDGE_NO_OPENYURT',
    '.rules[0]',
    'remove',
    one({ rules: ['nodepools'] }, { cluster: plain }),
  ),
  row('a rule without resources', 'EDGE_MISSING', '.rules[0].resources', 'resources', ofRule({ resources: [] })),
  row('a rule with an empty version', 'EDGE_TYPE', '.rules[0].apiVersions[0]', 'v1', ofRule({ apiVersions: [''] })),
  row(
    'an operation in lower case',
    'EDGE_VALUE',
    '.rules[0].operations[0]',
    "'CREATE'",
    ofRule({ operations: ['create'] }),
  ),
  row('all groups and one more', 'EDGE_WEBHOOK', '.rules[0].apiGroups', "['*']", ofRule({ apiGroups: ['*', 'apps'] })),
  row(
    'all operations and one more',
    'EDGE_WEBHOOK',
    '.rules[0].operations',
    "['*']",
    ofRule({ operations: ['*', 'CREATE'] }),
  ),
  row(
    'all resources and one more',
    'EDGE_WEBHOOK',
    '.rules[0].resources',
    "['*']",
    ofRule({ resources: ['*', 'pods'] }),
  ),
  row(
    'all and more',
    'EDGE_WEBHOOK',
    '.rules[0].resources',
    "['*/*'] alone",
    ofRule({ resources: ['*/*', 'pods/exec'] }),
  ),
  row(
    'a subresource twice',
    'EDGE_WEBHOOK',
    '.rules[0].resources[1]',
    'remove',
    ofRule({ resources: ['pods/*', 'pods/exec'] }),
  ),
  row('a kind as a resource', 'EDGE_WEBHOOK', '.rules[0].resources[0]', "'pods'", ofRule({ resources: ['Pod'] })),
  row('a scope in lower case', 'EDGE_VALUE', '.rules[0].scope', "'Cluster'", ofRule({ scope: 'cluster' })),
  row(
    'side effects that the API server refuses',
    'EDGE_VALUE',
    '.sideEffects',
    "'NoneOnDryRun'",
    one({ sideEffects: 'Some' }),
  ),
  row('an unknown matchPolicy', 'EDGE_VALUE', '.matchPolicy', "'Equivalent'", one({ matchPolicy: 'Similar' })),
  row('no review versions', 'EDGE_MISSING', '.admissionReviewVersions', "['v1']", one({ admissionReviewVersions: [] })),
  row(
    'a review version twice',
    'EDGE_DUPLICATE',
    '.admissionReviewVersions[1]',
    "['v1']",
    one({ admissionReviewVersions: ['v1', 'v1'] }),
  ),
  row(
    'no review version that is sent',
    'EDGE_WEBHOOK',
    '.admissionReviewVersions',
    "['v1']",
    one({ admissionReviewVersions: ['v2'] }),
  ),
  row(
    'a validating webhook called twice',
    'EDGE_WEBHOOK',
    '.reinvocationPolicy',
    "'mutating'",
    one({ reinvocationPolicy: 'IfNeeded' }),
  ),
  row(
    'an unknown reinvocationPolicy',
    'EDGE_VALUE',
    '.reinvocationPolicy',
    "'IfNeeded'",
    one({ reinvocationPolicy: 'Always' }, { type: 'mutating' }),
  ),
  row('a timeout as text', 'EDGE_VALUE', '.timeoutSeconds', '10', one({ timeoutSeconds: '10' })),
  row(
    'a label value that is none',
    'EDGE_LABEL',
    '.objectSelector.matchLabels.a',
    '63',
    one({ objectSelector: { matchLabels: { a: 'b c' } } }),
  ),
  row(
    'matchConditions of a webhook of one’s own before Kubernetes 1.28',
    'EDGE_MATCH_CONDITIONS',
    '.matchConditions',
    'namespaceSelector',
    one(
      { matchConditions: [{ name: 'a', expression: 'true' }] },
      { cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.26' }) },
    ),
  ),
];

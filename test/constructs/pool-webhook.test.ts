import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, OpenYurtWebhooks, PoolWebhook, type PoolWebhookProps } from 'edge-nodepools';
import type { PoolWebhookEntry } from 'edge-nodepools/types';
import { CA_BUNDLE } from '../corpus/ca-bundle.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const service = { name: 'guard', namespace: 'edge-system' };
const entry: PoolWebhookEntry = { name: 'pods.guard.example.com', rules: ['pods'], service, caBundle: CA_BUNDLE };

function make(props: Partial<PoolWebhookProps> = {}): { made: PoolWebhook; object: any } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'guard', { namespace: 'edge' });
  const made = new PoolWebhook(chart, 'webhook', { cluster, type: 'validating', webhooks: [entry], ...props });
  return { made, object: Testing.synth(chart)[0] };
}

const webhookOf = (change: Partial<PoolWebhookEntry>, props: Partial<PoolWebhookProps> = {}): any =>
  make({ webhooks: [{ ...entry, ...change }], ...props }).object.webhooks[0];

describe('PoolWebhook', () => {
  it('writes every field with a default in the API server, and Ignore for Pods', () => {
    const { object, made } = make();
    expect(object).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: {
        name: made.configurationName,
        labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
      },
      webhooks: [
        {
          name: 'pods.guard.example.com',
          admissionReviewVersions: ['v1'],
          clientConfig: { service, caBundle: CA_BUNDLE },
          failurePolicy: 'Ignore',
          matchPolicy: 'Equivalent',
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: 'Namespaced' },
          ],
          sideEffects: 'None',
          timeoutSeconds: 10,
        },
      ],
    });
    expect(made.warnings).toEqual([]);
    expect(ApiObject.of(made).kind).toBe('ValidatingWebhookConfiguration');
  });

  it('creates mutating webhooks, with their additional fields', () => {
    const { object } = make({ type: 'mutating', webhooks: [{ ...entry, reinvocationPolicy: 'IfNeeded' }] });
    expect([object.kind, object.webhooks[0].reinvocationPolicy]).toEqual(['MutatingWebhookConfiguration', 'IfNeeded']);
    expect(webhookOf({}, { type: 'mutating' }).reinvocationPolicy).toBe('Never');
  });

  it.each<[string, string, object]>([
    ['1.4', 'validating', { apiVersions: ['v1beta1'], operations: ['CREATE', 'UPDATE', 'DELETE'] }],
    ['1.6', 'mutating', { apiVersions: ['v1beta1'], operations: ['CREATE', 'UPDATE'] }],
    ['1.7', 'validating', { apiVersions: ['v1beta2'], operations: ['CREATE', 'UPDATE', 'DELETE'] }],
  ])('nodepools of OpenYurt %s, %s: in the version that is stored', (openYurt, type, expected) => {
    const props = {
      cluster: EdgeCluster.of({ openYurt, kubernetes: '1.30' }),
      type: type as 'mutating' | 'validating',
    };
    expect(webhookOf({ rules: ['nodepools'] }, props).rules).toEqual([
      { apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], scope: 'Cluster', ...expected },
    ]);
  });

  const rule = (change: object): any => ({
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
    operations: ['CREATE'],
    ...change,
  });
  const everything = rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] });
  it.each<[string, PoolWebhookEntry['rules'], string]>([
    ['pods', ['pods'], 'Ignore'],
    ['nodes', ['nodes'], 'Ignore'],
    ['nodepools', ['nodepools'], 'Fail'],
    ['nodepools and nodes', ['nodepools', 'nodes'], 'Ignore'],
    ['everything', [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] })], 'Ignore'],
    ['all that is cluster-scoped', [rule({ resources: ['*'], scope: 'Cluster' })], 'Ignore'],
    ['the status of Nodes', [rule({ resources: ['nodes/status'], operations: ['UPDATE'] })], 'Ignore'],
    ['every subresource of Nodes', [rule({ resources: ['nodes/*'], operations: ['UPDATE'] })], 'Ignore'],
    ['every status', [rule({ resources: ['*/status'], operations: ['UPDATE'] })], 'Ignore'],
    ['bindings of Pods', [rule({ resources: ['pods/binding'] })], 'Ignore'],
    ['bindings at their older address', [rule({ resources: ['bindings'] })], 'Ignore'],
    ['tokens of Pods', [rule({ resources: ['serviceaccounts/token'] })], 'Ignore'],
    ['Leases', [rule({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] })], 'Ignore'],
    ['ReplicaSets', [rule({ apiGroups: ['apps'], resources: ['replicasets'] })], 'Ignore'],
    ['Endpoints', [rule({ resources: ['endpoints'] })], 'Ignore'],
    ['EndpointSlices', [rule({ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] })], 'Ignore'],
    ['requests to join', [rule({ apiGroups: ['*'], resources: ['certificatesigningrequests'] })], 'Ignore'],
    ['ServiceAccounts', [rule({ resources: ['serviceaccounts'] })], 'Fail'],
    ['Leases of another group', [rule({ apiGroups: ['example.com'], resources: ['leases'] })], 'Fail'],
    ['every scale of the core group, which has none', [rule({ resources: ['*/scale'] })], 'Fail'],
    ['ConfigMaps', [rule({ resources: ['configmaps'] })], 'Fail'],
    ['Pods of another group', [rule({ apiGroups: ['metrics.k8s.io'] })], 'Fail'],
    ['exec into Pods', [rule({ resources: ['pods/exec'], operations: ['CONNECT'] })], 'Fail'],
    ['Pods that go', [rule({ operations: ['DELETE'] })], 'Ignore'],
    ['Nodes that go', [rule({ resources: ['nodes'], operations: ['DELETE'] })], 'Fail'],
    ['reviews of tokens', [rule({ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'] })], 'Ignore'],
    ['Pods without namespace, of which there are none', [rule({ scope: 'Cluster' })], 'Fail'],
  ])('without failurePolicy, for %s', (_, rules, expected) => {
    expect(webhookOf({ rules }).failurePolicy).toBe(expected);
  });

  it('accepts a url, without a CA if the machine trusts it', () => {
    const url = 'https://guard.example.com:8443/pods';
    const { made, object } = make({ webhooks: [{ name: entry.name, rules: ['pods'], url }] });
    expect(object.webhooks[0].clientConfig).toEqual({ url });
    expect(made.warnings).toEqual([]);
  });

  it('supports CA injection by cert-manager', () => {
    const { caBundle: _bundle, ...without } = entry;
    const { made, object } = make({ webhooks: [without], injectCaFrom: 'edge-system/guard-tls' });
    expect(object.metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'edge-system/guard-tls' });
    expect(object.webhooks[0].clientConfig).toEqual({ service });
    expect(made.warnings).toEqual([]);
    expect(make({ webhooks: [without] }).made.warnings.map(({ code }) => code)).toEqual(['EDGE_CA_BUNDLE']);
  });

  it('accepts base64 in several lines, as base64 prints it', () => {
    const lines = CA_BUNDLE.replace(/(.{76})/g, '$1\n');
    expect(webhookOf({ caBundle: lines }).clientConfig.caBundle).toBe(CA_BUNDLE);
  });

  it.each<[string, Partial<PoolWebhookEntry>, number]>([
    ['Fail on Pods', { failurePolicy: 'Fail' }, 1],
    [
      'Fail on Pods of other namespaces',
      {
        failurePolicy: 'Fail',
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['edge-system'] }],
        },
      },
      0,
    ],
    [
      'Fail on Pods of one other namespace',
      { failurePolicy: 'Fail', namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
      0,
    ],
    [
      'Fail on Pods of its own namespace',
      { failurePolicy: 'Fail', namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'edge-system' } } },
      1,
    ],
    [
      'Fail on what a condition leaves over',
      { failurePolicy: 'Fail', matchConditions: [{ name: 'edge', expression: "request.namespace != 'edge-system'" }] },
      0,
    ],
    ['Fail, and no condition in the list', { failurePolicy: 'Fail', matchConditions: [] }, 1],
    [
      'Fail, and a condition that is true',
      { failurePolicy: 'Fail', matchConditions: [{ name: 'all', expression: ' true ' }] },
      1,
    ],
    [
      'Fail, and one of two that is true',
      {
        failurePolicy: 'Fail',
        matchConditions: [
          { name: 'all', expression: 'true' },
          { name: 'pods', expression: "object.kind == 'Pod'" },
        ],
      },
      0,
    ],
    ...['false', "object.kind == 'Pod'", 'has(object.spec.nodeName)', 'true && false'].map(
      (expression): [string, Partial<PoolWebhookEntry>, number] => [
        `Fail, and a condition that may be false: ${expression}`,
        { failurePolicy: 'Fail', matchConditions: [{ name: 'some', expression }] },
        0,
      ],
    ),
    [
      'Fail on the deletion of Pods, without which a Pod on a dead node is not replaced',
      { failurePolicy: 'Fail', rules: [rule({ operations: ['DELETE'] })] },
      1,
    ],
    [
      'Fail on the deletion of ConfigMaps',
      { failurePolicy: 'Fail', rules: [rule({ resources: ['configmaps'], operations: ['DELETE'] })] },
      0,
    ],
    ...(
      [
        ['authentication.k8s.io', 'tokenreviews'],
        ['authorization.k8s.io', 'subjectaccessreviews'],
      ] as const
    ).map(([group, resource]): [string, Partial<PoolWebhookEntry>, number] => [
      `Fail on ${resource}`,
      { failurePolicy: 'Fail', rules: [rule({ apiGroups: [group], resources: [resource] })] },
      1,
    ]),
    ['Fail, and a selector that selects all', { failurePolicy: 'Fail', objectSelector: {} }, 1],
    ['Fail, and a selector of no labels', { failurePolicy: 'Fail', objectSelector: { matchLabels: {} } }, 1],
    ['Fail on some objects', { failurePolicy: 'Fail', objectSelector: { matchLabels: { edge: 'true' } } }, 0],
    [
      'Fail on the status of Nodes',
      { failurePolicy: 'Fail', rules: [rule({ resources: ['nodes/status'], operations: ['UPDATE'] })] },
      1,
    ],
    [
      'Fail on Leases of some namespaces',
      {
        failurePolicy: 'Fail',
        rules: [rule({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] })],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
        },
      },
      1,
    ],
    [
      'Fail on Leases of unimportant namespaces',
      {
        failurePolicy: 'Fail',
        rules: [rule({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] })],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
      },
      0,
    ],
    // requests of the server itself, Nodes, Leases, and reviews
    ['Fail on everything', { failurePolicy: 'Fail', rules: [everything] }, 4],
    [
      'Fail on everything by URL',
      { failurePolicy: 'Fail', rules: [everything], service: undefined, url: 'https://a.b/c' },
      4,
    ],
    [
      'Fail on Endpoints by URL, which needs none',
      {
        failurePolicy: 'Fail',
        rules: [rule({ resources: ['endpoints'] })],
        service: undefined,
        url: 'https://a.b/c',
      },
      0,
    ],
    [
      'Fail on Pods by URL, of some namespaces',
      {
        failurePolicy: 'Fail',
        service: undefined,
        url: 'https://a.b/c',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
      },
      0,
    ],
    ['Fail on Nodes', { failurePolicy: 'Fail', rules: ['nodes'] }, 1],
    ['Fail on NodePools', { failurePolicy: 'Fail', rules: ['nodepools'] }, 0],
    [
      'Fail on Pods by URL, which a Pod with hostNetwork may serve',
      { failurePolicy: 'Fail', service: undefined, url: 'https://a.b/c' },
      1,
    ],
  ])('warns about webhooks that can lock the cluster: %s', (_, change, count) => {
    const { warnings } = make({ webhooks: [{ ...entry, ...change }] }).made;
    expect(warnings.map(({ code, path }) => [code, path])).toEqual(
      Array.from({ length: count }, () => ['EDGE_WEBHOOK_LOCK', 'webhooks[0].failurePolicy']),
    );
  });

  it('is refused with the name of another configuration of the cluster', () => {
    const chart = new Chart(new App(), 'guards');
    const props = { cluster, type: 'mutating' as const, webhooks: [entry] };
    new PoolWebhook(chart, 'a', { ...props, metadata: { name: 'guard' } });
    expect(() => new PoolWebhook(chart, 'b', { ...props, metadata: { name: 'guard' } })).toThrow(
      /EDGE_DUPLICATE {2}metadata\.name: guards\/a already creates the MutatingWebhookConfiguration guard/,
    );
    // another kind, another cluster, or a generated name
    new PoolWebhook(chart, 'c', { ...props, type: 'validating', metadata: { name: 'guard' } });
    const other = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', name: 'other' });
    new PoolWebhook(chart, 'd', { ...props, cluster: other, metadata: { name: 'guard' } });
    ['e', 'f'].forEach((id) => new PoolWebhook(chart, id, props));
    new OpenYurtWebhooks(chart, 'openyurt', { cluster });
    const theirs = { metadata: { name: 'yurt-manager-mutating-webhook-configuration' } };
    expect(() => new PoolWebhook(chart, 'g', { ...props, ...theirs })).toThrow(/guards\/openyurt already creates/);
  });

  it('does not change given settings, and accepts a name for the object', () => {
    const props: Partial<PoolWebhookProps> = { metadata: { name: 'guard', annotations: { team: 'edge' } } };
    const frozen = Object.freeze({ ...entry, rules: Object.freeze(['pods']) as unknown as PoolWebhookEntry['rules'] });
    const { object, made } = make({ ...props, webhooks: [frozen] });
    expect([made.configurationName, object.metadata.name, object.metadata.annotations]).toEqual([
      'guard',
      'guard',
      { team: 'edge' },
    ]);
  });
});

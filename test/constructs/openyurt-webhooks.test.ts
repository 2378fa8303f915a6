import { App, Chart, Testing } from 'cdk8s';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { EdgeCluster, EdgeWarnings, OpenYurtWebhooks, type OpenYurtWebhooksProps } from 'edge-nodepools';
import { runs } from '../depth.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const KUBE_SYSTEM_EXCLUDED = {
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values: ['kube-system'] }],
};

function make(props: Partial<OpenYurtWebhooksProps> = {}): { made: OpenYurtWebhooks; objects: any[] } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'openyurt', { namespace: 'edge' });
  const made = new OpenYurtWebhooks(chart, 'webhooks', { cluster, ...props });
  return { made, objects: Testing.synth(chart) };
}

const webhooksOf = (props: Partial<OpenYurtWebhooksProps>): any[] =>
  make(props).objects.flatMap(({ webhooks }) => webhooks);
const find = (props: Partial<OpenYurtWebhooksProps>, name: string): any =>
  webhooksOf(props).find((webhook) => webhook.name === name);

const PODS = 'mutate.core.v1.pod.openyurt.io';
const NODES = 'mutate.core.v1.node.openyurt.io';
const VALIDATE_NODES = 'validate.core.v1.node.openyurt.io';

describe('OpenYurtWebhooks', () => {
  it('creates the two objects of the chart, cluster-scoped, with our labels and the template', () => {
    const { objects, made } = make();
    expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([
      ['MutatingWebhookConfiguration', 'yurt-manager-mutating-webhook-configuration', undefined],
      ['ValidatingWebhookConfiguration', 'yurt-manager-validating-webhook-configuration', undefined],
    ]);
    for (const { metadata } of objects) {
      expect(metadata.labels).toEqual({
        'app.kubernetes.io/managed-by': 'edge-nodepools',
        'edge-nodepools/manifest-format': '1',
      });
      expect(Object.keys(metadata.annotations as object)).toEqual(['yurt-manager-template']);
    }
    expect(made.webhooks.map(({ name }) => name)).toEqual(webhooksOf({}).map(({ name }) => name));
    expect(made.warnings).toEqual([]);
  });

  it('is not changed by YAML, including the long annotation', () => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    new OpenYurtWebhooks(new Chart(app, 'openyurt'), 'webhooks', { cluster, timeoutSeconds: 5 });
    const text = app.synthYaml();
    expect(app.synthYaml()).toBe(text);
    expect(text).not.toMatch(/[&*]\w+\s*$/m);
    expect(parseAllDocuments(text).map((document): any => document.toJS())).toEqual(
      make({ timeoutSeconds: 5 }).objects,
    );
  });

  it('writes the namespace of the Helm release into every Service', () => {
    const namespaces = webhooksOf({ namespace: 'openyurt' }).map(({ clientConfig }) => clientConfig.service.namespace);
    expect(new Set(namespaces)).toEqual(new Set(['openyurt']));
  });

  it('accepts settings for all, by resource and by name; the more specific one takes precedence', () => {
    const props: Partial<OpenYurtWebhooksProps> = {
      timeoutSeconds: 5,
      webhooks: { nodes: { timeoutSeconds: 4, failurePolicy: 'Ignore' }, [NODES]: { timeoutSeconds: 3 } },
    };
    expect([PODS, VALIDATE_NODES, NODES].map((name) => find(props, name).timeoutSeconds)).toEqual([5, 4, 3]);
    expect(find({ failurePolicy: 'Ignore' }, 'm.v1beta2.nodepool.kb.io').failurePolicy).toBe('Ignore');
    expect(find({ failurePolicy: 'Fail' }, PODS).failurePolicy).toBe('Fail');
  });

  it('writes a namespaceSelector for all only into webhooks of namespaced resources', () => {
    const withSelector = webhooksOf({ namespaceSelector: KUBE_SYSTEM_EXCLUDED }).filter(
      ({ namespaceSelector }) => namespaceSelector !== undefined,
    );
    expect(withSelector.map(({ rules }) => rules[0].resources[0]).sort()).toEqual(
      [
        'endpoints',
        'endpointslices',
        'platformadmins',
        'platformadmins',
        'pods',
        'yurtappsets',
        'yurtappsets',
        'yurtstaticsets',
        'yurtstaticsets',
      ].sort(),
    );
  });

  it('excludes webhooks by resource and by name', () => {
    const names = webhooksOf({ exclude: ['pods', VALIDATE_NODES] }).map(({ name }) => name);
    expect(names).not.toContain(PODS);
    expect(names).not.toContain(VALIDATE_NODES);
    expect(names).toContain(NODES);
    expect(names).toHaveLength(webhooksOf({}).length - 2);
  });

  it('writes no annotation with template: false', () => {
    const { objects } = make({ template: false, metadata: { annotations: { team: 'edge' }, labels: { a: 'b' } } });
    for (const { metadata } of objects) {
      expect(metadata.annotations).toEqual({ team: 'edge' });
      expect(metadata.labels.a).toBe('b');
    }
    expect(make({ template: false }).objects.every(({ metadata }) => metadata.annotations === undefined)).toBe(true);
  });

  it.each<[string, Partial<OpenYurtWebhooksProps>, string[]]>([
    ['Fail on Pods, everywhere', { webhooks: { pods: { failurePolicy: 'Fail' } } }, ['webhooks["pods"].failurePolicy']],
    [
      'Fail on Pods outside of the namespace of yurt-manager',
      { webhooks: { pods: { failurePolicy: 'Fail', namespaceSelector: KUBE_SYSTEM_EXCLUDED } } },
      [],
    ],
    [
      'Fail on Pods outside of another namespace',
      { namespace: 'openyurt', webhooks: { pods: { failurePolicy: 'Fail', namespaceSelector: KUBE_SYSTEM_EXCLUDED } } },
      ['webhooks["pods"].failurePolicy'],
    ],
    [
      'Fail on Nodes',
      { webhooks: { [NODES]: { failurePolicy: 'Fail' } } },
      ['webhooks["mutate.core.v1.node.openyurt.io"].failurePolicy'],
    ],
    [
      'Fail on some Nodes',
      { webhooks: { nodes: { failurePolicy: 'Fail', objectSelector: { matchLabels: { edge: 'true' } } } } },
      [],
    ],
    [
      'Fail on Nodes, with a selector that selects all',
      { webhooks: { [NODES]: { failurePolicy: 'Fail', objectSelector: {} } } },
      ['webhooks["mutate.core.v1.node.openyurt.io"].failurePolicy'],
    ],
    [
      'Fail on Endpoints, by which yurt-manager is reached',
      { webhooks: { endpoints: { failurePolicy: 'Fail' } } },
      ['webhooks["endpoints"].failurePolicy'],
    ],
    // Pods, Nodes twice, Endpoints and EndpointSlices
    ['Fail on everything', { failurePolicy: 'Fail' }, Array(5).fill('failurePolicy')],
    ['Ignore on everything', { failurePolicy: 'Ignore' }, []],
  ])('warns about webhooks that can lock the cluster: %s', (_, props, paths) => {
    const { warnings } = make(props).made;
    expect(warnings.map(({ path }) => path)).toEqual(paths);
    expect(warnings.every(({ code }) => code === 'EDGE_WEBHOOK_LOCK')).toBe(true);
  });

  it.each<[Partial<OpenYurtWebhooksProps>, string[]]>([
    [{ exclude: ['pods'], webhooks: { pods: { timeoutSeconds: 3 } } }, ['webhooks["pods"]']],
    [{ exclude: [PODS], webhooks: { pods: { timeoutSeconds: 3 } } }, ['webhooks["pods"]']],
    [{ exclude: [NODES], webhooks: { nodes: { timeoutSeconds: 3 } } }, []],
    [{ controllers: [], webhooks: { nodepools: { timeoutSeconds: 3 } } }, ['webhooks["nodepools"]']],
    [{ disableIndependentWebhooks: ['pod'], webhooks: { [PODS]: { timeoutSeconds: 3 } } }, [`webhooks["${PODS}"]`]],
    [{ exclude: ['pods'], timeoutSeconds: 3 }, []],
  ])('warns about settings of excluded webhooks: %j', (props, paths) => {
    const { warnings } = make(props).made;
    expect(warnings.map(({ code, path }) => [code, path])).toEqual(paths.map((path) => ['EDGE_UNUSED', path]));
  });

  it('has a template that equals the webhooks, with every default of the API server', () => {
    const settings = fc.record(
      {
        failurePolicy: fc.constantFrom('Fail', 'Ignore'),
        timeoutSeconds: fc.integer({ min: 1, max: 30 }),
        namespaceSelector: fc.constantFrom({}, KUBE_SYSTEM_EXCLUDED),
        objectSelector: fc.constantFrom({}, { matchLabels: { a: 'b' } }),
        matchConditions: fc.constantFrom([{ name: 'all', expression: 'true' }]),
      },
      { requiredKeys: [] },
    );
    const resources = ['nodes', 'pods', 'nodepools', PODS, NODES];
    fc.assert(
      fc.property(
        settings,
        fc.constantFrom(...resources),
        settings,
        fc.subarray(resources),
        (forAll: any, key, { namespaceSelector: _selector, ...forOne }: any, exclude) => {
          const props = { ...forAll, webhooks: { [key]: forOne }, exclude };
          const { objects } = make(props);
          expect(make(props).objects).toEqual(objects);
          for (const { kind, metadata, webhooks } of objects) {
            const template = JSON.parse(metadata.annotations['yurt-manager-template'] as string) as any[];
            const completed = webhooks.map((webhook: any) => ({
              matchPolicy: 'Equivalent',
              namespaceSelector: {},
              objectSelector: {},
              timeoutSeconds: 10,
              ...(kind === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'Never' } : {}),
              ...webhook,
              clientConfig: { service: { ...webhook.clientConfig.service, port: 443 } },
              rules: webhook.rules.map((rule: any) => ({ ...rule, scope: '*' })),
            }));
            expect(template).toEqual(completed);
          }
        },
      ),
      runs(60),
    );
  });
});

it('is allowed once per cluster of a tree', () => {
  const chart = new Chart(new App(), 'twice');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  new OpenYurtWebhooks(chart, 'a', { cluster });
  expect(() => new OpenYurtWebhooks(chart, 'b', { cluster })).toThrow(
    /EDGE_DUPLICATE {2}cluster: twice\/a already creates[^]*-> remove one of them/,
  );
  new OpenYurtWebhooks(chart, 'c', { cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', name: 'other' }) });
});

import { ApiObject, Chart } from 'cdk8s';
import { delivery, type EngineName, type Manifest, NAMES, objectsOf, synth } from './shops.js';

const ADMISSION = 'admissionregistration.k8s.io/v1';
const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'checker', namespace: 'tills' } };
const TILL = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'till', namespace: 'tills' },
  spec: {
    selector: { matchLabels: { app: 'till' } },
    template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } },
  },
};

/** The files of a site with these objects. */
function siteOf(engine: EngineName, objects: readonly Manifest[]): ReadonlyMap<string, string> {
  return synth((app) => {
    const chart = new Chart(app, 'lab');
    objects.forEach((object, index) => new ApiObject(chart, `object-${index}`, object as any));
    delivery(app, engine, ['lab'], { chart: () => chart });
  });
}

/** The layers of the objects of a site with these, by kind and name. */
function layersOf(engine: EngineName, objects: readonly Manifest[]): Record<string, string> {
  const files = siteOf(engine, objects);
  const paths = [...files.keys()].filter((path) => path.startsWith('sites/lab/'));
  return Object.fromEntries(
    paths.flatMap((path) =>
      objectsOf(files, path).map(({ kind, metadata }) => [`${kind} ${metadata.name}`, String(path.split('/')[2])]),
    ),
  );
}

const webhook = (clientConfig: object, apiGroups: string[], resources: string[]): Manifest => ({
  name: 'checker.example.com',
  clientConfig,
  rules: [{ apiGroups, apiVersions: ['*'], operations: ['*'], resources }],
});
const OWN = { service: { namespace: 'tills', name: 'checker' } };
const SOME = { objectSelector: { matchLabels: { inject: 'true' } } };
const OTHER = { service: { namespace: 'tills', name: 'other' } };

const LIMITS = { apiVersion: 'x.example.com/v1', kind: 'Limits', metadata: { name: 'limits', namespace: 'tills' } };
const paramPolicies = (
  kind: 'Validating' | 'Mutating',
  paramKind: object | undefined,
  paramRef: object,
): Manifest[] => [
  { apiVersion: ADMISSION, kind: `${kind}AdmissionPolicy`, metadata: { name: 'p' }, spec: { paramKind } },
  {
    apiVersion: ADMISSION,
    kind: `${kind}AdmissionPolicyBinding`,
    metadata: { name: 'b' },
    spec: { policyName: 'p', paramRef },
  },
];

describe.each(NAMES)('the layers of a site with %s', (engine) => {
  it.each<[string, Manifest[], '20-policies' | '30-workloads']>([
    ['of what runs already', [webhook(OTHER, ['apps'], ['deployments'])], '20-policies'],
    ['by an address', [webhook({ url: 'https://checker.tills.svc' }, ['apps'], ['deployments'])], '20-policies'],
    ['of the site', [webhook(OWN, ['apps'], ['deployments'])], '30-workloads'],
    ['of the site, for what is not there yet', [webhook(OWN, ['x.example.com'], ['*'])], '30-workloads'],
    ['of the site, for everything', [{ ...webhook(OWN, ['*'], ['*']), ...SOME }], '30-workloads'],
    // Pods are made by controllers, which try again; one that is made before the webhook stays as it is
    ['of the site, for some Pods', [{ ...webhook(OWN, [''], ['pods', 'pods/exec']), ...SOME }], '20-policies'],
    ['of the site, for some Pods and more', [{ ...webhook(OWN, [''], ['pods', 'nodes']), ...SOME }], '30-workloads'],
    ['of the site, for some of a group', [{ ...webhook(OWN, ['*'], ['pods']), ...SOME }], '30-workloads'],
    ['of the site, for all Pods, its own too', [webhook(OWN, [''], ['pods'])], '30-workloads'],
    ['of the site, that selects all', [{ ...webhook(OWN, [''], ['pods']), objectSelector: {} }], '30-workloads'],
    ['of both', [webhook(OTHER, ['apps'], ['*']), { ...webhook(OWN, [''], ['pods']), ...SOME }], '20-policies'],
    ['of both, for the same', [webhook(OTHER, [''], ['pods']), webhook(OWN, ['apps'], ['*'])], '30-workloads'],
  ])('a webhook %s', (_, webhooks, layer) => {
    const configuration = {
      apiVersion: ADMISSION,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'checker' },
      webhooks,
    };
    const others = { 'Service checker': '30-workloads', 'Deployment till': '30-workloads' };
    const name = 'ValidatingWebhookConfiguration checker';
    expect(layersOf(engine, [configuration, SERVICE, TILL])).toEqual({ ...others, [name]: layer });
    // a Pod of the site itself is in the dry run
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'tills' } };
    expect(layersOf(engine, [configuration, SERVICE, pod])[name]).toBe(
      webhooks.some(({ clientConfig }) => clientConfig === OWN) ? '30-workloads' : '20-policies',
    );
  });

  const early = ['20-policies', '20-policies'];
  const late = ['30-workloads', '30-workloads'];
  const KIND = { apiVersion: 'x.example.com/v1', kind: 'Limits' };

  it.each<[string, Manifest[], string[]]>([
    ['of a binding', paramPolicies('Validating', KIND, { name: 'limits', namespace: 'tills' }), early],
    ['of a policy that changes', paramPolicies('Mutating', KIND, { name: 'limits', namespace: 'tills' }), early],
    [
      'of another version',
      paramPolicies('Validating', { ...KIND, apiVersion: 'x.example.com/v2' }, { name: 'limits' }),
      early,
    ],
    ['by labels', paramPolicies('Validating', KIND, { selector: {} }), early],
    ['by labels of others', paramPolicies('Validating', KIND, { selector: { matchLabels: { a: 'b' } } }), late],
    ['in each namespace', paramPolicies('Validating', KIND, { name: 'limits' }), early],
    ['of another name', paramPolicies('Validating', KIND, { name: 'other' }), late],
    ['of another namespace', paramPolicies('Validating', KIND, { name: 'limits', namespace: 'b' }), late],
    ['of another kind', paramPolicies('Validating', { apiVersion: 'v1', kind: 'ConfigMap' }, { name: 'limits' }), late],
    ['of no policy of the site', paramPolicies('Validating', KIND, { name: 'limits' }).slice(1), late],
    ['of no kind', paramPolicies('Validating', undefined, { name: 'limits' }), late],
  ])('a param %s comes with its policy, and its namespace does: %#', (_, policies, layers) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tills' } };
    const found = layersOf(engine, [...policies, LIMITS, namespace, TILL]);
    expect([found['Limits limits'], found['Namespace tills']]).toEqual(layers);
    expect(found['Deployment till']).toBe('30-workloads');
  });
});

it('Flux never prunes the namespace of params: without the policy it is in another layer', () => {
  const PRUNE = 'kustomize.toolkit.fluxcd.io/prune';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tills' } };
  const of = (objects: readonly Manifest[]): unknown =>
    objectsOf(siteOf('flux', objects), 'sites/').find(({ kind }) => kind === 'Namespace')?.metadata.annotations?.[
      PRUNE
    ];
  const policies = paramPolicies('Validating', LIMITS, { name: 'limits' });
  expect([of([namespace, LIMITS]), of([namespace, LIMITS, ...policies])]).toEqual([undefined, 'disabled']);
});

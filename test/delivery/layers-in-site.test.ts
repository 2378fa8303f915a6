import { ApiObject, Chart } from 'cdk8s';
import { delivery, type EngineName, type Manifest, NAMES, objectsOf, synth } from './shops.js';

const ADMISSION = 'admissionregistration.k8s.io/v1';
const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'checker', namespace: 'tills' } };
const POOL = { apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', metadata: { name: 'tills' } };
const POLICY = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'a', namespace: 'tills' },
};
const TILL = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'till', namespace: 'tills' },
  spec: {
    selector: { matchLabels: { app: 'till' } },
    template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } },
  },
};

/** The layers of the objects of a site with these, by kind and name. */
function layersOf(engine: EngineName, objects: readonly Manifest[]): Record<string, string> {
  const files = synth((app) => {
    const chart = new Chart(app, 'lab');
    objects.forEach((object, index) => new ApiObject(chart, `object-${index}`, object as any));
    delivery(app, engine, ['lab'], { chart: () => chart });
  });
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

describe.each(NAMES)('the layers of a site with %s', (engine) => {
  it.each<[string, Manifest[], '20-policies' | '30-workloads']>([
    ['of what runs already', [webhook(OTHER, ['apps'], ['deployments'])], '20-policies'],
    ['by an address', [webhook({ url: 'https://checker.tills.svc' }, ['apps'], ['deployments'])], '20-policies'],
    ['of the site, for what it has', [webhook(OWN, ['apps'], ['deployments'])], '30-workloads'],
    ['of the site, for a subresource of it', [webhook(OWN, ['apps'], ['deployments/*'])], '30-workloads'],
    ['of the site, for its pools', [webhook(OWN, ['apps.openyurt.io'], ['nodepools'])], '30-workloads'],
    ['of the site, for a kind in y', [webhook(OWN, ['networking.k8s.io'], ['networkpolicies'])], '30-workloads'],
    ['of the site, for everything', [webhook(OWN, ['*'], ['*'])], '30-workloads'],
    ['of the site, for all of a group', [webhook(OWN, ['apps'], ['*/*'])], '30-workloads'],
    // Pods are made by controllers, which try again; one that is made before the webhook stays as it is
    ['of the site, for some Pods', [{ ...webhook(OWN, [''], ['pods', 'pods/exec']), ...SOME }], '20-policies'],
    ['of the site, for all Pods, its own too', [webhook(OWN, [''], ['pods'])], '30-workloads'],
    ['of the site, that selects all', [{ ...webhook(OWN, [''], ['pods']), objectSelector: {} }], '30-workloads'],
    ['of the site, for another group', [webhook(OWN, ['extensions'], ['*'])], '20-policies'],
    ['of the site, without rules', [{ name: 'a.b.c', clientConfig: OWN }], '20-policies'],
    ['of both', [webhook(OTHER, ['apps'], ['*']), webhook(OWN, [''], ['nodes'])], '20-policies'],
    ['of both, for the same', [webhook(OTHER, [''], ['pods']), webhook(OWN, ['apps'], ['*'])], '30-workloads'],
  ])('a webhook %s', (_, webhooks, layer) => {
    const configuration = {
      apiVersion: ADMISSION,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'checker' },
      webhooks,
    };
    expect(layersOf(engine, [configuration, SERVICE, TILL, POOL, POLICY])).toEqual({
      'ValidatingWebhookConfiguration checker': layer,
      'Service checker': '30-workloads',
      'Deployment till': '30-workloads',
      'NodePool tills': '10-pools',
      'NetworkPolicy a': '30-workloads',
    });
  });
});

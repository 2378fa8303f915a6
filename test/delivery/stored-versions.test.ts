import { ApiObject, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { delivery, type EngineName, type Manifest, synth } from './shops.js';

const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'converter', namespace: 'tills' } };

const definition = (group: string, kind: string, conversion: object | undefined): Manifest => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    ...{ group, names: { kind }, conversion },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2' })),
  },
});
const converts = (service: object): object => ({ strategy: 'Webhook', webhook: { clientConfig: { service } } });
const OWN = converts({ namespace: 'tills', name: 'converter' });
const TILL = (apiVersion: string): Manifest => ({
  apiVersion,
  kind: 'Till',
  metadata: { name: 'a', namespace: 'tills' },
});
const POOL = (apiVersion: string): Manifest => ({ apiVersion, kind: 'NodePool', metadata: { name: 'a' } });

function told(engine: EngineName, objects: readonly Manifest[]): string[] {
  try {
    synth((app) => {
      const chart = new Chart(app, 'lab');
      [...objects, SERVICE].forEach((object, index) => new ApiObject(chart, `object-${index}`, object as any));
      delivery(app, engine, ['lab'], { chart: () => chart });
    });
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, message, hint }) => `${code} ${message} -> ${hint}`);
  }
}

it('a resource that the site itself must convert first is refused with Flux: its layer is asked for before', () => {
  const objects = [definition('x.example.com', 'Till', OWN), TILL('x.example.com/v1')];
  expect(told('flux', objects)).toEqual([
    expect.stringMatching(
      /^EDGE_CONTRADICTION Till tills\/a .* x\.example\.com\/v1, .* -> write apiVersion: x\.example\.com\/v2; /,
    ),
  ]);
  expect(told('argo-cd', objects)).toEqual([]);
});

it.each(['flux', 'argo-cd'] as const)(
  'a NodePool is refused with %s: its layer is before what converts it',
  (engine) => {
    const objects = [definition('apps.openyurt.io', 'NodePool', OWN), POOL('apps.openyurt.io/v1')];
    expect(told(engine, objects)).toEqual([expect.stringMatching(/^EDGE_CONTRADICTION NodePool a /)]);
  },
);

it.each<[string, Manifest[]]>([
  ['is stored as it is', [definition('x.example.com', 'Till', OWN), TILL('x.example.com/v2')]],
  ['is of another group', [definition('x.example.com', 'Till', OWN), TILL('y.example.com/v1')]],
  ['is converted by another', [definition('x.example.com', 'Till', converts({ name: 'b' })), TILL('x.example.com/v1')]],
  ['needs no webhook', [definition('x.example.com', 'Till', { strategy: 'None' }), TILL('x.example.com/v1')]],
  ['has no conversion', [definition('x.example.com', 'Till', undefined), TILL('x.example.com/v1')]],
  ['is defined elsewhere', [TILL('x.example.com/v1')]],
])('a resource that %s is delivered', (_, objects) => {
  expect(told('flux', objects)).toEqual([]);
});

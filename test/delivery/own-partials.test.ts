/** Partial objects that someone writes by hand: they are parts of objects of others, as those of EdgeSystemComponents. */
import { ApiObject, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { FleetDelivery, type FleetDeliveryProps, karmada } from 'edge-nodepools/delivery';
import { delivery, type Manifest, NAMES, objectsOf, synth } from './shops.js';

const KUBE_PROXY = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-proxy', namespace: 'kube-system' },
  spec: { template: { spec: { nodeSelector: { a: 'b' } } } },
};
const CONTAINERS = { containers: [{ name: 'a', image: 'a' }] };
const SELECTOR = { matchLabels: { app: 'a' } };
const workload = (kind: string, spec: object): any => ({ ...KUBE_PROXY, kind, spec });

type Props = Partial<FleetDeliveryProps>;

function files(engine: (typeof NAMES)[number], object: any, props: Props = {}): ReadonlyMap<string, string> {
  return synth((app) => {
    const chart = new Chart(app, 'lab');
    new ApiObject(chart, 'object', object);
    delivery(app, engine, ['lab'], { chart: () => chart, props });
  });
}

function told(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, message, hint }) => `${code} ${message} -> ${hint}`);
  }
}

describe.each(NAMES)('%s', (engine) => {
  it.each<[string, any, string]>([
    ['neither', KUBE_PROXY, 'no selector and no containers'],
    ['no selector', workload('Deployment', { template: { spec: CONTAINERS } }), 'no selector'],
    ['an empty selector', workload('Deployment', { selector: {}, template: { spec: CONTAINERS } }), 'no selector'],
    [
      'no containers',
      workload('StatefulSet', { selector: SELECTOR, template: { spec: { containers: [] } } }),
      'no containers',
    ],
  ])('a workload with %s is refused', (_, object, missing) => {
    for (const partials of [undefined, 'refuse', 'apart'] as const) {
      expect(told(() => files(engine, object, partials === undefined ? {} : { partials }))).toEqual([
        expect.stringMatching(
          new RegExp(
            `^EDGE_STRATEGY .* has ${missing}, so it is a part of an object of others.* -> if it is an object of yours`,
          ),
        ),
      ]);
    }
  });

  it('is delivered as a patch if it holds, and never pruned', () => {
    const made = files(engine, KUBE_PROXY, { partials: 'engine', deletion: 'prune' });
    expect(objectsOf(made, 'sites/lab/30-workloads')).toEqual([]);
    const [patch] = objectsOf(made, 'sites/lab/40-patches') as [Manifest];
    expect(JSON.stringify(patch.metadata.annotations)).toMatch(
      /Prune=false,Delete=false|"prune":"disabled"|prune":"disabled/,
    );
  });

  it.each([
    workload('Deployment', { selector: SELECTOR, template: { spec: CONTAINERS } }),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', namespace: 'b' },
      spec: { template: { spec: CONTAINERS } },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } },
  ])('a whole object is not: $kind', (object) => {
    expect(objectsOf(files(engine, object), 'sites/lab/30-workloads')).toHaveLength(1);
  });
});

it('Karmada refuses it', () => {
  const run = (): unknown =>
    synth((app) => {
      const chart = new Chart(app, 'lab');
      new ApiObject(chart, 'object', KUBE_PROXY);
      new FleetDelivery(app, 'delivery', {
        engine: karmada({ propagatesKubeNamespaces: true }),
        sites: [{ name: 'lab', charts: [chart] }],
      });
    });
  expect(told(run)).toEqual([
    expect.stringMatching(/^EDGE_STRATEGY .* Karmada does not deliver: it writes whole objects/),
  ]);
});

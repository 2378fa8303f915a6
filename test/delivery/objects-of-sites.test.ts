/** Objects of namespaced kinds without a namespace: no engine applies them. */
import { ApiObject, App, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux, type FleetDeliveryProps } from 'edge-nodepools/delivery';
import { GIT, synth, delivery, type EngineName, type Manifest, NAMES, objectsOf } from './shops.js';

const ENGINES = [argoCd(), flux()];

/** What is said of the objects of a site: `path: message -> hint`. */
function told(engine: (typeof ENGINES)[number], objects: readonly any[], namespace?: string): string[] {
  try {
    synth((app) => {
      const chart = new Chart(app, 'lab', namespace === undefined ? {} : { namespace });
      objects.forEach((object, index) => new ApiObject(chart, `object-${index}`, object));
      new FleetDelivery(app, 'delivery', { engine, source: GIT, sites: [{ name: 'lab', charts: [chart] }] });
    });
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(
      ({ code, path, message, hint }) => `${code} ${path}: ${message} -> ${hint}`,
    );
  }
}

const without = (apiVersion: string, kind: string, name = 'a'): object => ({ apiVersion, kind, metadata: { name } });
const MAP = without('v1', 'ConfigMap');

describe.each(ENGINES)('$engine', (engine) => {
  it.each([
    ['v1', 'ConfigMap'],
    ['v1', 'ServiceAccount'],
    ['rbac.authorization.k8s.io/v1', 'Role'],
    ['policy/v1', 'PodDisruptionBudget'],
    ['apps.openyurt.io/v1beta1', 'YurtAppSet'],
    ['external-secrets.io/v1', 'ExternalSecret'],
  ])('%s %s needs one', (apiVersion, kind) => {
    expect(told(engine, [without(apiVersion, kind)])).toEqual([
      expect.stringMatching(
        new RegExp(
          `^EDGE_MISSING sites\\[0\\]: ${kind} a has no namespace: .* -> write metadata.namespace; or .*new Chart`,
        ),
      ),
    ]);
    expect(told(engine, [without(apiVersion, kind)], 'tills')).toEqual([]);
  });

  it.each([
    ['v1', 'Namespace'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
    ['apps.openyurt.io/v1beta2', 'NodePool'],
    ['storage.k8s.io/v1', 'StorageClass'],
    ['apps.kruise.io/v1alpha1', 'SidecarSet'],
    // of which nothing is known
    ['example.com/v1', 'Worker'],
  ])('%s %s needs none', (apiVersion, kind) => {
    expect(told(engine, [without(apiVersion, kind)])).toEqual([]);
  });

  it('names some of many objects, in one problem', () => {
    const many = Array.from({ length: 9 }, (_, index) => without('v1', 'ConfigMap', `map-${index}`));
    expect(told(engine, many)).toEqual([
      expect.stringContaining('ConfigMap map-0, ConfigMap map-1, ConfigMap map-2, ConfigMap map-3 and 5 more have no'),
    ]);
    expect(told(engine, many.slice(0, 3))).toEqual([
      expect.stringContaining('ConfigMap map-0, ConfigMap map-1 and ConfigMap map-2 have no'),
    ]);
  });

  it('reports what a site has twice in one problem, too', () => {
    const twice = [MAP, without('v1', 'ConfigMap', 'b')];
    expect(told(engine, [...twice, ...twice], 'tills')).toEqual([
      expect.stringMatching(
        /^EDGE_DUPLICATE sites\[0\]: the site has ConfigMap tills\/a and ConfigMap tills\/b twice -> /,
      ),
    ]);
  });
});

it('what is the same in many sites is said once', () => {
  const app = new App();
  const chart = new Chart(app, 'all');
  new ApiObject(chart, 'map', MAP as any);
  const sites = ['lab', 'beijing', 'hangzhou'].map((name) => ({ name, cluster: { name }, charts: [chart] }));
  const delivery = new FleetDelivery(app, 'delivery', { source: GIT, engine: argoCd(), sites });
  let problems: EdgeError['problems'] = [];
  try {
    String(delivery.report);
  } catch (error) {
    problems = (error as EdgeError).problems;
  }
  expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(/^sites\[0\]: ConfigMap a has no namespace: .* \(the same in 2 more of the sites\)$/),
  ]);
});

it('the objects of the engine are not made, either', () => {
  const app = new App();
  const chart = new Chart(app, 'lab');
  new ApiObject(chart, 'map', MAP as any);
  const delivery = new FleetDelivery(app, 'delivery', {
    source: GIT,
    engine: argoCd(),
    sites: [{ name: 'lab', charts: [chart] }],
  });
  expect(() => delivery.engineObjects).toThrow(/no namespace/);
});

/** Hooks and sync waves: what Argo CD would create before the layers that it needs. */
describe('hooks and sync waves', () => {
  function told(engine: EngineName, annotations: Record<string, string>, more: object = {}): string[] {
    try {
      synth((app) => {
        const chart = new Chart(app, 'lab');
        new ApiObject(chart, 'object', {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'migration', namespace: 'tills', annotations },
          ...more,
        });
        delivery(app, engine, ['lab'], { chart: () => chart });
      });
      return [];
    } catch (error) {
      return (error as EdgeError).problems.map(({ code, message, hint }) => `${code} ${message} -> ${hint}`);
    }
  }

  const HOOK = 'argocd.argoproj.io/hook';
  const WAVE = 'argocd.argoproj.io/sync-wave';
  const FORCE = 'kustomize.toolkit.fluxcd.io/force';
  const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const POLICY = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' };

  it.each<[Record<string, string>, RegExp]>([
    [{ [HOOK]: 'PreSync' }, /phase PreSync, so Argo CD would create it before pools and policies -> .*hook: Sync/],
    [{ [HOOK]: 'PostSync, PreSync' }, /phase PreSync/],
    [{ [HOOK]: 'SyncFail' }, /phase SyncFail/],
    [{ 'helm.sh/hook': 'pre-install,pre-upgrade' }, /phase PreSync/],
    [{ 'helm.sh/hook': 'post-install,pre-upgrade' }, /phase PreSync/],
    [{ [HOOK]: 'Sync', [WAVE]: '-20' }, /the sync wave -20/],
    [{ 'helm.sh/hook': 'post-install', 'helm.sh/hook-weight': '-20' }, /the sync wave -20/],
  ])('a workload with %p is refused with Argo CD, and is none of Flux', (annotations, expected) => {
    expect(told('argo-cd', annotations)).toEqual([expect.stringMatching(/^EDGE_CONTRADICTION Job tills\/migration /)]);
    expect(told('argo-cd', annotations)).toEqual([expect.stringMatching(expected)]);
    expect(told('flux', annotations)).toEqual([]);
  });

  it.each<Record<string, string>>([
    { [HOOK]: 'Sync' },
    { [HOOK]: 'PostSync' },
    { [HOOK]: 'PostDelete' },
    { [HOOK]: 'Skip' },
    { 'helm.sh/hook': 'post-install,post-upgrade' },
    { 'helm.sh/hook': 'test' },
    // Argo CD does not read the hooks of Helm beside its own
    { [HOOK]: 'Sync', 'helm.sh/hook': 'pre-install' },
    { [WAVE]: '+3' },
    { [WAVE]: '-8', 'helm.sh/hook-weight': '-20' },
  ])('a workload with %p is delivered', (annotations) => {
    expect(told('argo-cd', annotations)).toEqual([]);
  });

  it.each(['pre-delete', 'post-delete,pre-rollback', 'test', 'test-success, test-failure'])(
    'a hook of Helm for %p is refused with Flux, which would run it at once, and passed over by Argo CD',
    (hook) => {
      expect(told('flux', { 'helm.sh/hook': hook })).toEqual([
        expect.stringMatching(/^EDGE_CONTRADICTION Job tills\/migration is a hook .* Flux .* -> leave it out /),
      ]);
      expect(told('argo-cd', { 'helm.sh/hook': hook })).toEqual([]);
    },
  );

  it.each(['pre-install', 'post-upgrade,test', 'pre-delete,post-install', 'crd-install', ''])(
    'a hook of Helm for %p is an object as others with Flux',
    (hook) => expect(told('flux', { 'helm.sh/hook': hook })).toEqual([]),
  );

  it.each<[string, Record<string, string>, string | undefined]>([
    ['Job', { 'helm.sh/hook': 'pre-install,pre-upgrade' }, 'enabled'],
    ['Job', { 'helm.sh/hook': 'pre-install', [FORCE]: 'disabled' }, 'disabled'],
    ['Job', {}, undefined],
    ['ConfigMap', { 'helm.sh/hook': 'pre-install' }, undefined],
  ])('Flux makes a %s with %p again when it changes, as Helm does: %p', (kind, annotations, expected) => {
    const files = synth((app) => {
      const chart = new Chart(app, 'lab');
      const apiVersion = kind === 'Job' ? 'batch/v1' : 'v1';
      new ApiObject(chart, 'a', { apiVersion, kind, metadata: { name: 'a', namespace: 'tills', annotations } });
      delivery(app, 'flux', ['lab'], { chart: () => chart });
    });
    expect(objectsOf(files, 'sites/').map(({ metadata }) => metadata.annotations?.[FORCE])).toEqual([expected]);
  });

  it.each(['first', '1.5', ''])('the sync wave %p is no number', (wave) => {
    expect(told('argo-cd', { [WAVE]: wave })).toEqual([expect.stringMatching(/^EDGE_VALUE .* no whole number/)]);
    expect(told('argo-cd', { [WAVE]: wave }, POLICY)).toEqual([expect.stringMatching(/^EDGE_VALUE /)]);
  });

  it.each([
    ['a CRD', CRD],
    ['a policy', POLICY],
  ])('%s is no hook: it would be deleted and created again at each sync', (_, kind) => {
    for (const hook of ['PreSync', 'Sync', 'PostSync', 'Skip']) {
      expect(told('argo-cd', { [HOOK]: hook }, kind)).toEqual([
        expect.stringMatching(/^EDGE_CONTRADICTION .* is a hook .* -> remove the annotation/),
      ]);
    }
    expect(told('argo-cd', { 'helm.sh/hook': 'crd-install' }, kind)).toEqual([]);
  });
});

/** Partial objects that someone writes by hand: they are parts of objects of others, as those of EdgeSystemComponents. */
describe('partial objects that someone writes by hand', () => {
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
});

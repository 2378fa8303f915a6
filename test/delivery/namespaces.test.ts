/** Objects of namespaced kinds without a namespace: no engine applies them. */
import { ApiObject, App, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux, karmada } from 'edge-nodepools/delivery';
import { GIT, synth } from './shops.js';

const ENGINES = [argoCd(), flux(), karmada()];

/** What is said of the objects of a site: `path: message -> hint`. */
function told(engine: (typeof ENGINES)[number], objects: readonly any[], namespace?: string): string[] {
  try {
    synth((app) => {
      const chart = new Chart(app, 'lab', namespace === undefined ? {} : { namespace });
      objects.forEach((object, index) => new ApiObject(chart, `object-${index}`, object));
      const source = engine.engine === 'karmada' ? {} : { source: GIT };
      new FleetDelivery(app, 'delivery', { engine, ...source, sites: [{ name: 'lab', charts: [chart] }] });
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

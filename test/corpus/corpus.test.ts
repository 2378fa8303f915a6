import { EdgeCluster, placeFleet } from 'edge-nodepools';
import { admits } from '../reference/node-affinity.js';
import { corpus } from './corpus.js';
import { workloadShapes } from './workload-shapes.js';

const hostNode = {
  name: 'edge-1',
  labels: { 'kubernetes.io/os': 'linux', site: 'a', rank: '9', 'nodepool.openyurt.io/hostnetwork': 'true' },
};

/** Every Pod spec in an object of any kind. */
function podSpecsIn(value: any): any[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value.containers) ? [value] : [];
  return [...own, ...Object.values(value).flatMap(podSpecsIn)];
}

describe('the corpus for tests with real programs', () => {
  const entries = corpus();

  it('covers every release and every shape', () => {
    const names = entries.map(({ name }) => name);
    for (const release of ['1.4', '1.5', '1.6', '1.7']) {
      expect(names).toContain(
        `pools of ${String(EdgeCluster.of({ openYurt: release, kubernetes: { '1.4': '1.23', '1.5': '1.28', '1.6': '1.30', '1.7': '1.34' }[release] as string }))}`,
      );
    }
    expect(workloadShapes.length).toBeGreaterThanOrEqual(30);
    expect(entries.find(({ name }) => name === 'excluded workloads')?.objects).toHaveLength(workloadShapes.length);
  });

  it('has no two objects with the same identity', () => {
    for (const { name, objects } of entries) {
      const identities = objects.map(({ apiVersion, kind, metadata }) =>
        [apiVersion, kind, metadata.namespace, metadata.name].join(' '),
      );
      expect({ name, twice: identities.filter((identity, index) => identities.indexOf(identity) !== index) }).toEqual({
        name,
        twice: [],
      });
    }
  });

  it('excludes every shape from a host-network node that matches everything else', () => {
    const excluded = entries.find(({ name }) => name === 'excluded workloads')?.objects ?? [];
    for (const object of excluded) {
      const specs = podSpecsIn(object);
      expect(specs).toHaveLength(1);
      expect([object.metadata.name, admits(specs[0], hostNode)]).toEqual([object.metadata.name, false]);
    }
  });

  it('has host-network workloads that run on their pools', () => {
    const objects =
      entries.find(({ name }) => name.startsWith('host-network workloads of OpenYurt 1.7'))?.objects ?? [];
    expect(placeFleet(objects).map(({ pool, runs }) => [pool, runs.length])).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
  });
});

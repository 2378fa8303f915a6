import { Testing } from 'cdk8s';
import { EdgeWarnings, placeFleet } from 'edge-nodepools';
import { addCharts, chartName, clusters } from './chart.js';

type Manifest = Record<string, any>;

describe('every-release', () => {
  const app = Testing.app();
  const charts = addCharts(app);
  const byRelease = new Map<string, Manifest[]>(
    clusters.map((cluster, index) => [cluster.openYurt, Testing.synth(charts[index] as (typeof charts)[number])]),
  );
  const objectsOf = (release: string): Manifest[] => byRelease.get(release) as Manifest[];
  const poolsOf = (release: string): Manifest[] => objectsOf(release).filter(({ kind }) => kind === 'NodePool');
  const workloadsOf = (release: string): Manifest[] => objectsOf(release).filter(({ kind }) => kind !== 'NodePool');
  const withOpenYurt = ['1.4', '1.5', '1.6', '1.7'];

  it('has one file per release', () => {
    expect(clusters.map(chartName)).toEqual([
      'openyurt-1-4',
      'openyurt-1-5',
      'openyurt-1-6',
      'openyurt-1-7',
      'openyurt-none',
    ]);
  });

  it.each([
    ['1.4', 'apps.openyurt.io/v1beta1'],
    ['1.5', 'apps.openyurt.io/v1beta1'],
    ['1.6', 'apps.openyurt.io/v1beta1'],
    ['1.7', 'apps.openyurt.io/v1beta2'],
  ])('writes the NodePools of OpenYurt %s as %s', (release, apiVersion) => {
    expect(poolsOf(release).map((pool) => [pool.metadata.name, pool.apiVersion])).toEqual([
      ['farms', apiVersion],
      ['dairy', apiVersion],
    ]);
  });

  it('writes no NodePool without OpenYurt', () => {
    expect(poolsOf('none')).toEqual([]);
    expect(workloadsOf('none')).toHaveLength(2);
  });

  it.each(withOpenYurt)('sets hostNetwork on one pool in OpenYurt %s', (release) => {
    expect(poolsOf(release).map(({ spec }) => spec.hostNetwork)).toEqual([true, undefined]);
  });

  it('has the newer fields only in 1.7', () => {
    const newer = ['interConnectivity', 'enableLeaderElection', 'leaderReplicas'];
    const present = withOpenYurt.filter((release) =>
      poolsOf(release).some(({ spec }) => newer.some((field) => field in spec)),
    );
    expect(present).toEqual(['1.7']);
    expect(poolsOf('1.7')[1]?.spec.interConnectivity).toBe(true);
  });

  it('writes equal pools for all releases, except for the newer fields of 1.7', () => {
    expect(poolsOf('1.5')).toEqual(poolsOf('1.4'));
    expect(poolsOf('1.6')).toEqual(poolsOf('1.4'));
    poolsOf('1.7').forEach((pool, index) => {
      const older = poolsOf('1.6')[index] as Manifest;
      // 1.7 reads the annotation of pools that earlier releases have stored
      const { annotations, ...metadata } = older.metadata;
      expect(pool.metadata).toEqual(metadata);
      expect(annotations).toEqual(
        pool.spec.hostNetwork === true ? { 'nodepool.openyurt.io/hostnetwork': 'true' } : undefined,
      );
      expect(pool.spec).toMatchObject(older.spec as object);
    });
  });

  it.each([...withOpenYurt, 'none'])('writes the same workloads for %s', (release) => {
    expect(workloadsOf(release)).toEqual(workloadsOf('1.7'));
  });

  it.each(withOpenYurt)('keeps the two workloads apart on %s', (release) => {
    const runs = placeFleet(objectsOf(release)).map((placement) => [placement.pool, placement.runs]);
    expect(Object.fromEntries(runs)).toEqual({
      farms: ['DaemonSet default/weather'],
      dairy: ['Deployment default/ledger'],
    });
  });

  it('uses pairs of releases that OpenYurt claims, so there are no warnings', () => {
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});

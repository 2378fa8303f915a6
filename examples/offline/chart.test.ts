import { Testing } from 'cdk8s';
import { EdgeWarnings } from 'edge-nodepools';
import { simulateOutage } from 'edge-nodepools/checks';
import { SitesChart } from './chart.js';

type Manifest = Record<string, any>;

describe('offline', () => {
  const app = Testing.app();
  const chart = new SitesChart(app, 'sites');
  const objects: Manifest[] = Testing.synth(chart);
  const fates = (down: object, more: object = {}): Record<string, string> =>
    Object.fromEntries(
      simulateOutage(objects, { down, zones: 'pool', otherNodes: 3, ...more }, chart.pools).workloads.map(
        ({ workload, outcome, then }) => [workload.split('/')[1], then === undefined ? outcome : `${outcome}, ${then}`],
      ),
    );

  it('a site that is unreachable: what stays, and what becomes of the rest', () => {
    expect(fates({ pools: ['site-2'] })).toEqual({
      shop: 'perhaps evicted, replaced',
      report: 'perhaps evicted, replaced',
      till: 'stays',
      ledger: 'perhaps evicted, waits for the same Node',
      'camera-canary': 'not there',
      camera: 'stays',
    });
  });

  it('an hour: too short for what stays two', () => {
    expect(fates({ pools: ['site-2'] }, { for: '1h' })).toMatchObject({ report: 'stays', till: 'stays' });
  });

  it('three of four nodes of a site are no outage of it: evictions stop', () => {
    const { zones } = simulateOutage(
      objects,
      { down: { nodes: ['site-2-1', 'site-2-2', 'site-2-3'] }, zones: 'pool', otherNodes: 3 },
      chart.pools,
    );
    expect(zones.map(({ state }) => state)).toEqual(['partial']);
  });

  it('a rollout ends while a node of each site is unreachable, and the canary is first', () => {
    const update = (name: string) =>
      simulateOutage(
        objects,
        { down: { nodes: ['site-2-1'] }, zones: 'pool', otherNodes: 3, update: `DaemonSet site/${name}` },
        chart.pools,
      ).update;
    expect(update('camera')).toMatchObject({ outcome: 'finishes', pods: 8 });
    const waves = objects.flatMap(({ metadata }) => metadata.labels?.['edge-nodepools/wave'] ?? []);
    expect(waves).toEqual(['0', '1']);
  });

  it('each machine starts the door without an API server', () => {
    for (const { files } of chart.joins) {
      expect(files.map(({ path }) => path)).toContain('/etc/kubernetes/manifests/site-door.yaml');
    }
  });

  it('warns of the workloads that run twice after a while, and of nothing else', () => {
    expect(EdgeWarnings.of(app).map(({ code, construct, accepted }) => [code, construct, accepted])).toEqual([
      ['EDGE_AUTONOMY', 'sites/report', 'a report that runs twice does no harm'],
    ]);
  });
});

import { App, Chart, Testing } from 'cdk8s';
import type { Construct } from 'constructs';
import { EdgeCluster, ExcludedWorkload, HostNetworkNodePool, PoolAdmission } from 'edge-nodepools';
import { type FleetDifferences, fleetDiff } from 'edge-nodepools/checks';

/** The cluster as it is, and as it will be. */
export const clusters = {
  before: EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.29' }),
  after: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }),
};

/** The fleet. Nothing in it depends on the releases. */
export class FleetChart extends Chart {
  constructor(scope: Construct, id: string, cluster: EdgeCluster) {
    super(scope, id);
    new HostNetworkNodePool(this, 'stations', { cluster, poolName: 'stations', labels: { 'rail.example/line': 'u2' } });
    new PoolAdmission(this, 'admission', { cluster });
    new ExcludedWorkload(this, 'timetable', {
      cluster,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'timetable', namespace: 'default' },
        spec: {
          selector: { matchLabels: { app: 'timetable' } },
          template: {
            metadata: { labels: { app: 'timetable' } },
            spec: { containers: [{ name: 'timetable', image: 'registry.example/timetable:3.2.0' }] },
          },
        },
      },
    });
  }
}

/** What changes in the manifests when the cluster is upgraded. */
export function differences(): FleetDifferences {
  const manifests = (cluster: EdgeCluster): object[] =>
    Testing.synth(new FleetChart(new App(), 'fleet', cluster)) as object[];
  return fleetDiff(manifests(clusters.before), manifests(clusters.after));
}

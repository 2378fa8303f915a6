import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Chart, Helm, Include } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  ExcludedWorkload,
  HostNetworkNodePool,
  type MixinReport,
  type PrintableReport,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** Whether the helm command is installed; cdk8s runs it to render charts. */
export function hasHelm(): boolean {
  return spawnSync('helm', ['version']).status === 0;
}

export interface AddOnsChartProps {
  /** Whether to load the Helm chart, too. */
  readonly helm: boolean;
}

/** Third-party add-ons, loaded unchanged, and excluded from host-network nodes. */
export class AddOnsChart extends Chart {
  /** Changed and skipped workloads. */
  public readonly report: PrintableReport<MixinReport>;

  constructor(scope: Construct, id: string, props: AddOnsChartProps) {
    super(scope, id);
    new HostNetworkNodePool(this, 'beijing', { cluster, poolName: 'beijing' });

    for (const file of ['node-exporter', 'ingress-controller', 'logging']) {
      new Include(this, file, { url: join(__dirname, 'manifests', `${file}.yaml`) });
    }
    if (props.helm) {
      new Helm(this, 'agent', {
        chart: join(__dirname, 'charts', 'agent'),
        releaseName: 'agent',
        namespace: 'agent-system',
        values: { server: { replicas: 2 } },
      });
    }

    // Last, because it processes the objects that exist. The node exporter is not selected: it is a hostNetwork Pod and can run on every node.
    const mixin = ExcludedWorkload.mixin({ cluster, namespaces: ['ingress', 'logging', 'agent-system'] });
    this.with(mixin);
    this.report = mixin.report;
  }
}

// CoreDNS as a DaemonSet, which stays in the cluster when the stack ends. E2E_SETTINGS contains what the tests vary.
import { EdgeCluster, EdgePreconditions } from 'edge-nodepools/pulumi';

export interface KeptPreconditionsSettings {
  /** Image of CoreDNS. */
  readonly image?: string;
}

const { image } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as KeptPreconditionsSettings;

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
new EdgePreconditions('dns', { cluster, only: ['coreDnsDaemonSet'], coreDnsDaemonSet: { image } });

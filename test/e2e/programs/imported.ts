// A pool that exists already. E2E_SETTINGS contains what the tests vary.
import { EdgeCluster, type HostNetworkNodePoolArgs, HostNetworkNodePool } from 'edge-nodepools/pulumi';

export interface ImportedSettings {
  /** Imports it in a transform. */
  readonly imports?: boolean;
  readonly pool?: Omit<HostNetworkNodePoolArgs, 'cluster' | 'poolName'>;
}

const { imports, pool } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as ImportedSettings;
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
new HostNetworkNodePool(
  'present',
  { ...pool, cluster, poolName: 'present' },
  {
    transforms: imports
      ? [
          ({ type, props, opts }) =>
            type.endsWith(':NodePool') ? { props, opts: { ...opts, import: 'present' } } : undefined,
        ]
      : [],
  },
);

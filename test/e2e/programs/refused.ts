// A secret that a rule refuses when it is known.
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';

export interface RefusedSettings {
  /** Not a label value. */
  readonly label: string;
}

const { label } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as RefusedSettings;

new HostNetworkNodePool('refused', {
  cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }),
  poolName: 'refused',
  labels: { place: pulumi.secret(label) },
});

// A join that is published. E2E_SETTINGS contains what the tests vary.
import * as kubernetes from '@pulumi/kubernetes';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools/pulumi';

export interface KeptJoinsSettings {
  readonly tokenFile: string;
  readonly retainPublished?: boolean;
  /** The address of the API server is known when this ConfigMap exists. */
  readonly late?: boolean;
  /** A finalizer that keeps an object from being deleted. */
  readonly finalizer?: string;
}

const { tokenFile, retainPublished, late, finalizer } = JSON.parse(
  process.env.E2E_SETTINGS ?? '{}',
) as KeptJoinsSettings;

const site = new kubernetes.core.v1.ConfigMap('site', {
  metadata: { name: 'site', namespace: 'default', ...(finalizer === undefined ? {} : { finalizers: [finalizer] }) },
});
const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: late === true ? site.metadata.uid.apply((uid) => `api-${uid}.example:6443`) : '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});
const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'kept' });
const join = new NodeJoin('join', { pool, token: JoinToken.fromFile(tokenFile), retainPublished });

export const published = join.published?.metadata.name;

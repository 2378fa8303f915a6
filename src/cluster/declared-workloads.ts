import type { PlainMap } from '../base/plain-data.js';
import { mapAt } from '../base/plain-data.js';
import { isUnknown } from '../base/unknown.js';
import type { EdgeCluster } from './edge-cluster.js';
import { DeclarationKind, type Scope } from './scope.js';

/** A workload that a program declares for host-network pools. */
export interface PoolWorkload {
  /** `DaemonSet collector`, with the declaration that makes it. */
  readonly title: string;
  readonly namespace: string;
}

const POOL_WORKLOADS = new DeclarationKind<PoolWorkload>('workloads on host-network pools');

/** Records a workload on host-network pools, for what says in which namespaces these may be. */
export function declarePoolWorkload(cluster: EdgeCluster, manifest: PlainMap, title: string, scope: Scope): void {
  const metadata: unknown = manifest.metadata;
  const namespace: unknown = isUnknown(metadata) ? metadata : mapAt(manifest, 'metadata').namespace;
  const own = namespace ?? scope.namespace ?? 'default';
  // whatever else is there was refused before
  if (typeof own === 'string') {
    scope.declared.of(cluster, POOL_WORKLOADS).set(scope.path, { title, namespace: own });
  }
}

/** The workloads on host-network pools of a cluster, of those that are declared so far, where their namespace is known. */
export function poolWorkloads(cluster: EdgeCluster, { declared }: Scope): readonly PoolWorkload[] {
  return [...declared.of(cluster, POOL_WORKLOADS).values()];
}

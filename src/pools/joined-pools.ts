import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { EdgeWarning } from '../base/errors.js';
import { isUnknown } from '../base/unknown.js';
import type { NodePoolInput } from './node-pool-props.js';

/** Pools for which the program declares how machines join. */
const JOINED = new DeclarationKind<true>('joined pools');

/** Records that machines join a pool by a declaration, which applies its reservation. */
export function noteJoin(
  { declared }: Scope,
  { cluster, poolName }: Pick<NodePoolInput, 'cluster' | 'poolName'>,
): void {
  declared.of(cluster, JOINED).set(String(poolName), true);
}

/** Warns of a reservation that no join applies. */
export function unusedReservation(
  { declared }: Scope,
  { cluster, poolName }: Pick<NodePoolInput, 'cluster' | 'poolName'>,
): EdgeWarning[] {
  return isUnknown(poolName) || declared.of(cluster, JOINED).has(String(poolName))
    ? []
    : [
        {
          code: 'EDGE_UNUSED',
          path: 'reservation',
          message: `nothing applies the reservation: this program declares no join of the pool ${poolName}`,
          hint: 'declare a NodeJoin or a KubeadmConfigTemplate of the pool, which writes it into the kubelet of each machine; or leave it out',
        },
      ];
}

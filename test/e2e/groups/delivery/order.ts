import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { firstWrites } from './shop-clusters.js';

const LAYER_OF: readonly (readonly [RegExp, number])[] = [
  [/^nodepools$/, 0],
  [/policies$|policybindings$/, 1],
  [/^daemonsets\/till$/, 2],
  [/^daemonsets\/kube-proxy$|^deployments\/coredns$/, 3],
];

/**
 * By the audit log of a shop: each layer begins after the one before.
 *
 * @param count how many layers are in an order
 */
export function order(plane: ControlPlane, shop: string, agent: string, count: number, proof: Proof): void {
  const first = firstWrites(plane, agent);
  const layers = first
    .flatMap((write) => LAYER_OF.find(([pattern]) => pattern.test(write))?.[1] ?? [])
    .filter((layer) => layer < count);
  proof.that(
    `${shop}: no policy is written before the pool, no workload before the policies${count > 3 ? ', no patch before the workload' : ''}`,
    new Set(layers).size === count && layers.every((layer, index) => layer >= (layers[index - 1] ?? 0)),
    first,
  );
}

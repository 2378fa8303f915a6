import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { Quantity } from '../kubernetes/quantity.js';
import { DEFAULT_EVICTION_HARD, reservedBy } from '../pools/eviction-signal.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { printed } from './program-printer.js';

/** What the Nodes of a pool show. */
export interface FoundReservation {
  readonly pool: string;
  readonly nodes: number;
  /** What they keep for kubelet and the system, as an expression for the joins of the pool; why there is none; or empty if they keep nothing. */
  readonly text: string;
}

/** Resources of a Node, their names in a reservation, and kubelet's default threshold, which Nodes do not report. */
const RESOURCES = [
  ['cpu', 'cpu', undefined],
  ['memory', 'memory', DEFAULT_EVICTION_HARD['memory.available']],
  ['ephemeral-storage', 'ephemeralStorage', DEFAULT_EVICTION_HARD['nodefs.available']],
] as const;

/**
 * The reservations that Nodes show: capacity minus allocatable minus kubelet's default eviction threshold (`GetNodeAllocatableReservation` of
 * `pkg/kubelet/cm`). A Node does not show which part is kubelet's and which the system's.
 */
export function findReservations(objects: readonly PlainMap[], cluster: EdgeCluster): FoundReservation[] {
  const byPool = new Map<string, string[]>();
  for (const node of objects.filter(({ kind, apiVersion }) => kind === 'Node' && apiVersion === 'v1')) {
    const pool = mapAt(mapAt(node, 'metadata'), 'labels')[cluster.nodePoolLabel];
    if (typeof pool === 'string') {
      byPool.set(pool, [...(byPool.get(pool) ?? []), reservationOf(mapAt(node, 'status'))]);
    }
  }
  return [...byPool]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([pool, texts]): FoundReservation => {
      const [first = ''] = texts;
      return { pool, nodes: texts.length, text: texts.every((text) => text === first) ? first : DIFFERENT };
    });
}

const DIFFERENT = 'its Nodes differ: kubectl describe node';
const OTHER_THRESHOLDS = 'not with the default eviction thresholds: read evictionHard on a node';

/** The expression; empty if nothing is reserved, or the Node does not say. */
function reservationOf(status: PlainMap): string {
  const [capacity, allocatable] = [mapAt(status, 'capacity'), mapAt(status, 'allocatable')];
  const reserved: [name: string, amount: string][] = [];
  for (const [resource, name, threshold] of RESOURCES) {
    const [whole, rest] = [capacity[resource], allocatable[resource]].map((amount) =>
      typeof amount === 'string' || typeof amount === 'number' ? Quantity.parse(String(amount)) : undefined,
    );
    if (whole === undefined || rest === undefined) {
      continue;
    }
    const amount = whole.minus(rest).minus(reservedBy(threshold, whole));
    if (amount.nano < 0n) {
      // a share is a float32 in kubelet; tools that make Nodes round it
      if (threshold === undefined || -amount.nano * 2n ** 23n > whole.nano) {
        return OTHER_THRESHOLDS;
      }
      continue;
    }
    if (amount.nano > 0n) {
      reserved.push([name, amount.toString()]);
    }
  }
  const kubeReserved = Object.fromEntries(reserved);
  return reserved.length === 0 ? '' : `NodeReservation.of(${printed({ kubeReserved }, 0, 0)})`;
}

import { type HostPort, portsClash, showPort } from './host-ports.js';
import type { Demand } from './workload-size.js';

/** The ports that a workload uses on the nodes of a pool. */
export interface PortClaim {
  /** The workload, for messages. */
  readonly workload: string;
  readonly ports: readonly HostPort[];
  readonly demand: Demand;
  /** The Pod's nodeSelector: two workloads that require different values of one label never run on the same node. */
  readonly nodeSelector: Readonly<Record<string, unknown>>;
}

/** The result of comparing two claims on one pool. */
export type ClaimVerdict =
  | { readonly kind: 'free' }
  /** Both can run, on different nodes. */
  | { readonly kind: 'crowded'; readonly port: string }
  /** They cannot both run. */
  | { readonly kind: 'conflict'; readonly port: string };

function neverMeet(a: PortClaim, b: PortClaim): boolean {
  return Object.entries(a.nodeSelector).some(
    ([key, value]) => b.nodeSelector[key] !== undefined && b.nodeSelector[key] !== value,
  );
}

/**
 * Whether two workloads can run on the same pool. A DaemonSet runs on every node, so it conflicts with any workload on its port; two others can both
 * run only if there is a node for each of their Pods, which is known only if the pool has `expectedNodes`.
 */
export function compareClaims(a: PortClaim, b: PortClaim, expectedNodes: number | undefined): ClaimVerdict {
  const clash = a.ports.find((port) => b.ports.some((other) => portsClash(port, other)));
  if (clash === undefined || a.demand === 0 || b.demand === 0 || neverMeet(a, b)) {
    return { kind: 'free' };
  }
  const port = showPort(clash);
  if (a.demand === 'every node' || b.demand === 'every node' || expectedNodes === undefined) {
    return { kind: 'conflict', port };
  }
  return { kind: a.demand + b.demand <= expectedNodes ? 'crowded' : 'conflict', port };
}

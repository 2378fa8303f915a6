import { type HostPort, portsClash, showPort } from './host-ports.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import type { Demand } from './rollout.js';

/** A workload's claim on ports of the nodes of one pool. */
export interface PortClaim {
  /** The workload, for messages. */
  readonly workload: string;
  readonly ports: readonly HostPort[];
  readonly demand: Demand;
  /** The Pod's nodeSelector: two workloads that ask for different values of one label never meet. */
  readonly nodeSelector: Readonly<Record<string, unknown>>;
}

/** What two claims on one pool mean for each other. */
export type ClaimVerdict =
  | { readonly kind: 'free' }
  /** They fit only if they land on different nodes. */
  | { readonly kind: 'crowded'; readonly port: string }
  /** They can not both run. */
  | { readonly kind: 'conflict'; readonly port: string };

export function nodeSelectorOf(podSpec: PlainMap): Readonly<Record<string, unknown>> {
  return isMap(podSpec.nodeSelector) ? mapAt(podSpec, 'nodeSelector') : {};
}

function neverMeet(a: PortClaim, b: PortClaim): boolean {
  return Object.entries(a.nodeSelector).some(
    ([key, value]) => b.nodeSelector[key] !== undefined && b.nodeSelector[key] !== value,
  );
}

/**
 * Whether two workloads can run on the same pool. A DaemonSet is on every node, so it clashes with anything on its port; two others fit only
 * while there is a node for each of their Pods, which is known only when the pool says how many nodes it has.
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

import { Quantity } from '../kubernetes/quantity.js';
import { knownRequests, type PlacementPod } from './placement-pod.js';
import type { Amounts } from './pod-requests.js';

/** What a Pod requests of a resource, and what a node has left, as the scheduler compares them. */
export interface Room {
  readonly resource: string;
  readonly wanted: bigint;
  readonly free: bigint;
}

/** What every node has. If it is not written, it is not known; another resource that is not written is not there. */
const OF_EVERY_NODE = ['cpu', 'memory', 'ephemeral-storage', 'pods'];

/** Amounts as the scheduler compares them: CPU in thousandths, everything else in whole units, rounded up. */
function compared(resource: string, amount: Quantity | undefined): bigint {
  if (amount === undefined) {
    return 0n;
  }
  return resource === 'cpu' ? amount.times(1000).wholeUnits() : amount.wholeUnits();
}

/** A resource of devices, or of a program of the cluster (core/v1/helper IsExtendedResourceName). */
export function isExtended(resource: string): boolean {
  return resource.includes('/') && !resource.includes('kubernetes.io/');
}

// a node is asked about for every workload
const LIMITS = new WeakMap<object, Map<string, bigint | undefined>>();

/** What a node can allocate of a resource; undefined if that is not known. */
function limitOf(allocatable: Readonly<Record<string, string>>, resource: string): bigint | undefined {
  const known = LIMITS.get(allocatable) ?? new Map<string, bigint | undefined>();
  LIMITS.set(allocatable, known);
  if (!known.has(resource)) {
    const value = allocatable[resource];
    const isOpen = value === undefined && OF_EVERY_NODE.includes(resource);
    known.set(resource, isOpen ? undefined : compared(resource, Quantity.parse(String(value ?? 0))));
  }
  return known.get(resource);
}

/** For each resource that a Pod requests, the place of the Pod first, what is left beside the Pods on a node. What is unknown of them counts as nothing. */
export function freeOn(
  allocatable: Readonly<Record<string, string>>,
  pods: readonly PlacementPod[],
  requests: Amounts,
): Room[] {
  const others = pods.map(({ spec }) => knownRequests(spec));
  return ['pods', ...Object.keys(requests)].flatMap((resource): Room[] => {
    const limit = limitOf(allocatable, resource);
    if (limit === undefined) {
      return [];
    }
    if (resource === 'pods') {
      return [{ resource, wanted: 1n, free: limit - BigInt(pods.length) }];
    }
    const used = others.reduce((sum, each) => sum + compared(resource, each?.[resource]), 0n);
    return [{ resource, wanted: compared(resource, requests[resource]), free: limit - used }];
  });
}

/** An amount of a resource, as people write it. */
export function shownRoom(resource: string, amount: bigint): string {
  return resource === 'cpu'
    ? (Quantity.parse(`${amount}m`) ?? Quantity.ZERO).toString()
    : resource === 'memory' || resource === 'ephemeral-storage'
      ? Quantity.ofBytes(amount).toString()
      : String(amount);
}

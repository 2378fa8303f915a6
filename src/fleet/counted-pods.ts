import { portsClash, showPort } from '../workloads/host-ports.js';
import type { Demand } from '../workloads/workload-size.js';
import { knownRequests, type PlacementPod, takenPorts } from './placement-pod.js';
import { isAloneOnNode } from './pod-affinity.js';
import { freeOn, type Room, shownRoom } from './room.js';
import type { Refusal } from './verdict.js';

/** Nodes of a pool that no workload tells apart, with the Pods that each of them has, whatever else comes. */
export interface FilledNodes {
  readonly node: { readonly allocatable?: Readonly<Record<string, string>> };
  readonly count?: number;
  readonly pods: readonly PlacementPod[];
}

/** Pods that were put on nodes of a pool, and on how many: each is on the groups of nodes where it could be. */
interface Taken {
  readonly pod: PlacementPod;
  readonly nodes: number;
  readonly places: readonly number[];
}

/** The nodes of a pool, and the Pods that were put there one after the other. */
export class CountedPods {
  /** Counts on the nodes of a pool; undefined if their number is not known. */
  public static of(groups: readonly FilledNodes[]): CountedPods | undefined {
    const counts = groups.map(({ count }) => count);
    return counts.every((count) => count !== undefined) ? new CountedPods(groups, counts) : undefined;
  }

  private readonly taken: Taken[] = [];
  /** What the Pods of a series request together, by the groups where they could be and by resource. */
  private readonly requested: { readonly places: readonly number[]; readonly of: ReadonlyMap<string, bigint> }[] = [];

  private constructor(
    private readonly groups: readonly FilledNodes[],
    private readonly counts: readonly number[],
  ) {}

  /**
   * Adds the Pods of a workload; if they do not all find a place, the reason. What is not known of a Pod takes nothing, so that the reason holds anyway.
   *
   * @param places the groups of nodes where they can be
   */
  public add(pod: PlacementPod, demand: Exclude<Demand, 'every node'>, places: readonly number[]): Refusal | undefined {
    if (demand === 0) {
      // all of them are there
      this.taken.push({ pod, nodes: 0, places });
      return undefined;
    }
    const rooms = this.roomsFor(pod, places);
    const refusal =
      this.alone(pod, demand, places) ?? this.ports(pod, demand, places) ?? this.room(rooms, demand, places);
    if (refusal === undefined) {
      const of = new Map(rooms.map(({ resource, wanted }) => [resource, wanted * BigInt(demand)]));
      this.requested.push({ places, of });
    }
    return refusal;
  }

  private countOf(places: readonly number[]): number {
    return places.reduce((sum, place) => sum + (this.counts[place] ?? 0), 0);
  }

  /** On how many of these nodes a port of a Pod may be free, at most. */
  public freeFor(pod: PlacementPod, places: readonly number[]): number {
    return this.portsFor(pod, places).free;
  }

  /** How many more Pods like this find a place on these nodes, at most; undefined if nothing of a node limits them. */
  public spareFor(pod: PlacementPod, places: readonly number[]): number | undefined {
    const rooms = this.roomsFor(pod, places).map((room) => Number(this.left(room, places) / room.wanted));
    const ports = takenPorts(pod.spec).length === 0 ? [] : [this.freeFor(pod, places)];
    // the Pod is added once for each workload
    const own = isAloneOnNode(pod) ? this.taken.find((each) => each.pod === pod) : undefined;
    const all = [...rooms, ...ports, ...(own === undefined ? [] : [this.countOf(places) - own.nodes])];
    return all.length === 0 ? undefined : Math.max(0, Math.min(...all));
  }

  /** What is left of a resource beside the Pods that can be on no other nodes. */
  private left({ resource, free }: RoomOfPool, places: readonly number[]): bigint {
    // only what can be on no other node is surely there
    const inside = this.requested.filter((each) => each.places.every((place) => places.includes(place)));
    return inside.reduce((rest, { of }) => rest - (of.get(resource) ?? 0n), free);
  }

  private portsFor(
    pod: PlacementPod,
    places: readonly number[],
  ): { readonly others: readonly Taken[]; readonly free: number } {
    const ports = takenPorts(pod.spec);
    const others = this.taken.filter((each) =>
      takenPorts(each.pod.spec).some((port) => ports.some((own) => portsClash(own, port))),
    );
    // Pods with different ports may share a node, so the port with most of them counts
    const most = Math.max(
      0,
      ...ports.map((own) =>
        others
          .filter((each) => takenPorts(each.pod.spec).some((port) => portsClash(own, port)))
          .reduce((sum, each) => sum + this.within(each, places), 0),
      ),
    );
    return { others, free: Math.max(0, this.countOf(places) - most) };
  }

  private alone(pod: PlacementPod, demand: number, places: readonly number[]): Refusal | undefined {
    const all = this.countOf(places);
    return demand > all && isAloneOnNode(pod)
      ? {
          by: 'InterPodAffinity',
          outcome: 'waits',
          reason: `for more nodes: podAntiAffinity allows one Pod on each, there are ${nodes(all)} for ${demand} Pods`,
        }
      : undefined;
  }

  private ports(pod: PlacementPod, demand: number, places: readonly number[]): Refusal | undefined {
    const ports = takenPorts(pod.spec);
    const all = this.countOf(places);
    const { others, free } = this.portsFor(pod, places);
    this.taken.push({ pod, nodes: Math.min(demand, free), places });
    if (ports.length === 0 || demand <= free) {
      return undefined;
    }
    const by = others.length === 0 ? '' : `, taken by ${others.map((each) => each.pod.title).join(', ')}`;
    return {
      by: 'NodePorts',
      outcome: 'port taken',
      reason: `${ports.map(showPort).join(', ')} is free on ${free} of ${nodes(all)}${by}, for ${demand} ${demand === 1 ? 'Pod' : 'Pods'}`,
    };
  }

  /** How many of these nodes other Pods take at least: they may be on nodes where the asked one cannot be. */
  private within({ nodes: taken, places: theirs }: Taken, places: readonly number[]): number {
    const elsewhere = this.countOf(theirs.filter((place) => !places.includes(place)));
    return Math.max(0, taken - elsewhere);
  }

  /** For each resource that a Pod requests: what is free on all nodes together where it can be. */
  private roomsFor(pod: PlacementPod, places: readonly number[]): readonly RoomOfPool[] {
    const requests = knownRequests(pod.spec);
    const able = requests === undefined ? [] : places.map((place) => this.groups[place] as FilledNodes);
    const sizes = able.map(({ node: { allocatable }, count = 0, pods }) => ({
      count: BigInt(count),
      rooms: allocatable === undefined ? [] : freeOn(allocatable, pods, requests ?? {}),
    }));
    const resources = ['pods', ...Object.keys(requests ?? {})];
    return resources.flatMap((resource): readonly RoomOfPool[] => {
      const free = sizes.flatMap(({ count, rooms }) =>
        rooms.filter((each) => each.resource === resource).map((room) => ({ count, ...room })),
      );
      const wanted = free[0]?.wanted ?? 0n;
      // each node must have written it
      return wanted === 0n || free.length < sizes.length
        ? []
        : [
            {
              ...{ resource, wanted },
              free: free.reduce((sum, each) => sum + each.count * atLeastZero(each.free), 0n),
              most: free.reduce((sum, each) => sum + each.count * (atLeastZero(each.free) / wanted), 0n),
            },
          ];
    });
  }

  private room(rooms: readonly RoomOfPool[], demand: number, places: readonly number[]): Refusal | undefined {
    const all = BigInt(demand);
    const single = rooms.find(({ most }) => most < all);
    if (single !== undefined) {
      return reported(
        `${single.resource}: room for ${single.most} of ${demand} Pods on ${nodes(this.countOf(places))}`,
      );
    }
    const together = rooms.find((each) => each.wanted * all > this.left(each, places));
    if (together === undefined) {
      return undefined;
    }
    const { resource, wanted } = together;
    const rest = this.left(together, places);
    const [requested, free, missing] = [wanted * all, rest < 0n ? 0n : rest, wanted * all - rest].map((amount) =>
      shownRoom(resource, amount),
    );
    return reported(
      `${resource}: ${demand === 1 ? '1 Pod requests' : `${demand} Pods request`} ${requested}, ${free} is free on ${nodes(this.countOf(places))}: ${missing} too little`,
    );
  }
}

/** A resource on all nodes of a pool together, and for how many Pods there is room, each on one node. */
interface RoomOfPool extends Room {
  readonly most: bigint;
}

function reported(reason: string): Refusal {
  return { by: 'NodeResourcesFit', outcome: 'no room', reason };
}

/** A node can have more than it takes, by Pods that the scheduler was not asked about. */
function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function nodes(count: number): string {
  return `${count} node${count === 1 ? '' : 's'}`;
}

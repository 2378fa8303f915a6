import { portsClash, showPort } from '../workloads/host-ports.js';
import type { Demand } from '../workloads/deployment-rollout.js';
import { knownRequests, type PlacementPod, takenPorts } from './placement-pod.js';
import { freeOn, type Room, shownRoom } from './room.js';
import type { Refusal } from './verdict.js';

/** Nodes of a pool of one size, with the Pods that each of them has, whatever else comes. */
export interface SizedNodes {
  readonly allocatable: Readonly<Record<string, string>>;
  readonly count: number;
  readonly pods: readonly PlacementPod[];
}

/** The nodes of a pool, and the Pods that were put there one after the other. */
export class CountedPods {
  private readonly taken: { readonly pod: PlacementPod; readonly nodes: number }[] = [];
  /** What the Pods of a series request together, by resource. */
  private readonly requested = new Map<string, bigint>();

  /**
   * @param count number of nodes
   * @param sizes all of these nodes by size; undefined if it is not known of one
   */
  constructor(
    private readonly count: number,
    private readonly sizes: readonly SizedNodes[] | undefined,
  ) {}

  /** Adds the Pods of a workload; if they do not all find a place, the reason. What is not known of a Pod takes nothing, so that the reason holds anyway. */
  public add(pod: PlacementPod, demand: Exclude<Demand, 'every node'>): Refusal | undefined {
    const rooms = this.roomsFor(pod);
    const refusal = this.ports(pod, demand) ?? this.room(rooms, demand);
    for (const { resource, wanted } of refusal === undefined ? rooms : []) {
      this.requested.set(resource, (this.requested.get(resource) ?? 0n) + wanted * BigInt(demand));
    }
    return refusal;
  }

  private ports(pod: PlacementPod, demand: number): Refusal | undefined {
    const ports = takenPorts(pod.spec);
    const others = this.taken.filter((each) =>
      takenPorts(each.pod.spec).some((port) => ports.some((own) => portsClash(own, port))),
    );
    const free = Math.max(0, this.count - others.reduce((sum, { nodes }) => sum + nodes, 0));
    this.taken.push({ pod, nodes: Math.min(demand, free) });
    if (ports.length === 0 || demand <= free) {
      return undefined;
    }
    const by = others.length === 0 ? '' : `, taken by ${others.map((each) => each.pod.title).join(', ')}`;
    return {
      by: 'NodePorts',
      outcome: 'port taken',
      reason: `${ports.map(showPort).join(', ')} is free on ${free} of ${this.count} nodes${by}, for ${demand} Pods`,
    };
  }

  /** For each resource that a Pod requests: what is free on all nodes together. */
  private roomsFor(pod: PlacementPod): readonly RoomOfPool[] {
    const requests = knownRequests(pod.spec);
    const sizes = (requests === undefined ? [] : (this.sizes ?? [])).map(({ allocatable, count, pods }) => ({
      count: BigInt(count),
      rooms: freeOn(allocatable, pods, requests ?? {}),
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
              free: free.reduce((sum, each) => sum + each.count * each.free, 0n),
              most: free.reduce((sum, each) => sum + each.count * (each.free / wanted), 0n),
            },
          ];
    });
  }

  private room(rooms: readonly RoomOfPool[], demand: number): Refusal | undefined {
    const all = BigInt(demand);
    const single = rooms.find(({ most }) => most < all);
    if (single !== undefined) {
      return told(`${single.resource}: room for ${single.most} of ${demand} Pods on ${nodes(this.count)}`);
    }
    const left = ({ resource, free }: RoomOfPool): bigint => free - (this.requested.get(resource) ?? 0n);
    const together = rooms.find((each) => each.wanted * all > left(each));
    if (together === undefined) {
      return undefined;
    }
    const { resource, wanted } = together;
    const rest = left(together);
    const [requested, free, missing] = [wanted * all, rest < 0n ? 0n : rest, wanted * all - rest].map((amount) =>
      shownRoom(resource, amount),
    );
    return told(
      `${resource}: ${demand} Pods request ${requested}, free are ${free} on ${nodes(this.count)}, ${missing} are missing`,
    );
  }
}

/** A resource on all nodes of a pool together, and for how many Pods there is room, each on one node. */
interface RoomOfPool extends Room {
  readonly most: bigint;
}

function told(reason: string): Refusal {
  return { by: 'NodeResourcesFit', outcome: 'no room', reason };
}

function nodes(count: number): string {
  return `${count} node${count === 1 ? '' : 's'}`;
}

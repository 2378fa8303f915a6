import { selectsLabels } from '../kubernetes/label-selector.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { isThere } from './admitted-pod.js';
import { knownRequests, nodeNameOf, type PlacementPod, placementPod, takenPorts } from './placement-pod.js';
import { controllersOf } from './pod-controllers.js';

/** A Pod of a dump on its Node, and who made it. */
export interface BoundPod {
  readonly pod: PlacementPod;
  /** Its own name, and those of its controllers, the nearest first. */
  readonly makers: readonly string[];
}

/** Whether objects are a dump of a cluster, with all of its Nodes: only there Pods are on Nodes. */
export function isDump(objects: readonly PlainMap[]): boolean {
  return (
    objects.some(({ kind }) => kind === 'Node') &&
    objects.some((object) => isThere({ object }) && nodeNameOf(mapAt(object, 'spec')) !== undefined)
  );
}

/** Most controllers above each other: CronJob, Job, Pod; YurtAppSet, Deployment, ReplicaSet, Pod. */
const MOST_LEVELS = 4;

/** The Pods of a dump that are on Nodes and have not ended. They hold the room and the ports of their Nodes, whatever else comes. */
export class BoundPods {
  private readonly byNode = new Map<string, BoundPod[]>();
  private readonly byMaker = new Map<string, BoundPod[]>();
  private readonly orphans: BoundPod[] = [];
  private readonly own = new Map<string, ReadonlySet<PlacementPod>>();
  private readonly texts = new Map<string, string>();
  /** Whether a Pod is asked about its labels: then Nodes differ by them. */
  private readonly areLabelsAsked: boolean;

  /**
   * @param objects all objects, also Pods whose controller is among them
   * @param specs the Pod specs that are asked about
   * @param isDump whether every Pod that names its node is one of the cluster; otherwise only what the API server has written is
   */
  constructor(objects: readonly PlainMap[], specs: readonly PlainMap[], isDump = false) {
    const above = new Map(objects.map((object) => [nameOf(object), controllersOf(object)]));
    for (const object of objects) {
      const node = nodeNameOf(mapAt(object, 'spec'));
      const isOver = ['Succeeded', 'Failed'].includes(String(mapAt(object, 'status').phase));
      if (object.kind !== 'Pod' || !(isDump || isThere({ object })) || node === undefined || isOver) {
        continue;
      }
      const makers = [nameOf(object)];
      for (let level = controllersOf(object), depth = 0; level.length > 0 && depth < MOST_LEVELS; depth++) {
        makers.push(...level);
        level = level.flatMap((name) => above.get(name) ?? []);
      }
      const bound = { pod: placementPod(object), makers };
      added(this.byNode, node, bound);
      makers.forEach((name) => added(this.byMaker, name, bound));
      if (makers.length === 1) {
        this.orphans.push(bound);
      }
    }
    this.areLabelsAsked = [...specs, ...this.all.map(({ pod }) => pod.spec)].some(asksOthers);
  }

  public get all(): readonly BoundPod[] {
    return [...this.byNode.values()].flat();
  }

  public on(node: string): readonly BoundPod[] {
    return this.byNode.get(node) ?? [];
  }

  /** The Pods of a workload; also those without a controller that it would adopt by its selector. */
  public of({ name, object }: { readonly name: string; readonly object: PlainMap }): ReadonlySet<PlacementPod> {
    const known = this.own.get(name);
    if (known !== undefined) {
      return known;
    }
    const { selector } = mapAt(object, 'spec');
    const { namespace = 'default' } = mapAt(object, 'metadata');
    // a selector of a Job names a label that its controller sets
    const adopts = (pod: PlacementPod): boolean =>
      isMap(selector) &&
      !['Job', 'CronJob'].includes(String(object.kind)) &&
      pod.namespace === namespace &&
      selectsLabels(selector, pod.labels);
    const pods = new Set([
      ...(this.byMaker.get(name) ?? []).map(({ pod }) => pod),
      ...this.orphans.map(({ pod }) => pod).filter(adopts),
    ]);
    this.own.set(name, pods);
    return pods;
  }

  /** What tells the Pods of a Node from those of another one, as far as somebody is asked about it. */
  public textOf(node: string): string {
    const known = this.texts.get(node);
    if (known !== undefined) {
      return known;
    }
    const each = this.on(node).map(({ pod, makers }) => {
      const requests = Object.entries(knownRequests(pod.spec) ?? { unknown: 0 }).map(([key, amount]) => [
        key,
        String(amount),
      ]);
      const name = makers.length > 1 ? makers.slice(1) : makers;
      const told = this.areLabelsAsked ? [pod.namespace, pod.labels] : [];
      return JSON.stringify([name, requests, takenPorts(pod.spec), told]);
    });
    const text = each.sort().join();
    this.texts.set(node, text);
    return text;
  }
}

function added(pods: Map<string, BoundPod[]>, key: string, pod: BoundPod): void {
  const others = pods.get(key);
  if (others === undefined) {
    pods.set(key, [pod]);
  } else {
    others.push(pod);
  }
}

/** Whether a Pod looks at the labels of others. */
function asksOthers({ affinity, topologySpreadConstraints: spread }: PlainMap): boolean {
  const isAsked = (field: string): boolean => {
    const { requiredDuringSchedulingIgnoredDuringExecution: terms } = mapAt(mapAt({ affinity }, 'affinity'), field);
    return Array.isArray(terms) && terms.length > 0;
  };
  return isAsked('podAffinity') || isAsked('podAntiAffinity') || (Array.isArray(spread) && spread.length > 0);
}

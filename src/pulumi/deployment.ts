import * as pulumi from '@pulumi/pulumi';
import { EdgeError } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Pool } from '../pools/pool.js';
import { Fleets } from '../cluster/fleet.js';
import { withoutStandIns } from './stand-in.js';

/** What the components of one program know of each other. */
export class Deployment {
  /** The deployment of the program that runs. Held by its connection to the engine, so that every test with mocks of its own starts anew. */
  public static current(): Deployment {
    const monitor = pulumi.runtime.getMonitor() ?? WITHOUT_ENGINE;
    const deployment = deployments.get(monitor) ?? new Deployment();
    deployments.set(monitor, deployment);
    return deployment;
  }

  public readonly fleets = new Fleets();
  /** Names of pools that are known later, by what stands for them in the fleets. */
  private readonly lateNames = new Map<string, pulumi.Output<string>>();

  /** Lists of pools that are written, by the identity of the cluster: a pool that comes later is in none of them. */
  private readonly lists = new Map<string, string>();
  private readonly leftAlone = new Map<string, string>();
  private end?: Promise<void>;
  private readonly ids = new WeakMap<object, number>();
  private readonly warned = new WeakSet<EdgeCluster>();
  private count = 0;

  /** Notes the name of a pool that is known later. */
  public noteLateName(standIn: string, name: pulumi.Output<string>): void {
    this.lateNames.set(standIn, name);
  }

  /** Names of pools, with the true ones where they are known later. */
  public withLateNames(names: readonly string[]): pulumi.Input<string>[] {
    return names.map((name) => this.lateNames.get(name) ?? name);
  }

  /**
   * Does something when the program has declared what it declares without waiting for anything. What is thrown fails the update.
   *
   * @param component to which an error belongs
   * @returns whether nothing was thrown
   */
  public async atEnd(component: pulumi.Resource, run: () => void): Promise<boolean> {
    this.end ??= new Promise((resolve) => setImmediate(resolve));
    await this.end;
    try {
      run();
      return true;
    } catch (error) {
      await pulumi.log.error(withoutStandIns(error instanceof Error ? error.message : String(error)), component);
      return false;
    }
  }

  /** Notes that the list of a cluster's pools is written. */
  public listWritten(cluster: EdgeCluster, by: string): void {
    this.lists.set(cluster.identity(), by);
  }

  /** Refuses a host-network pool that comes after the list in which it should be. */
  public checkLists({ cluster, poolName, hostNetwork }: Pool): void {
    const by = this.lists.get(cluster.identity());
    if (hostNetwork && by !== undefined) {
      throw new EdgeError(`the pool ${poolName}`, [
        {
          code: 'EDGE_CONTRADICTION',
          path: 'poolName',
          message: `the list of pools of ${by} is written already, because the program has waited for something since`,
          hint: `declare the pool before the program waits, or name it in otherPools of ${by}`,
        },
      ]);
    }
  }

  /** Notes a workload that transforms must not touch. */
  public leaveAlone(kind: string, name: string, reason: string): void {
    this.leftAlone.set(`${kind} ${name}`, reason);
  }

  /** Why transforms must not touch a workload; undefined when they may. */
  public reasonToLeave(kind: string, name: string): string | undefined {
    return this.leftAlone.get(`${kind} ${name}`);
  }

  /** A number for a value that is known later: the same wherever the value is used, so that the same stands for it everywhere. */
  public idOf(value: object): number {
    const id = this.ids.get(value) ?? ++this.count;
    this.ids.set(value, id);
    return id;
  }

  /** Whether the warnings of a cluster are still to be shown; true once. */
  public warnsOf(cluster: EdgeCluster): boolean {
    const first = !this.warned.has(cluster);
    this.warned.add(cluster);
    return first;
  }
}

const WITHOUT_ENGINE = {};

const deployments = new WeakMap<object, Deployment>();

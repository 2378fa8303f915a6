import * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { Declarations } from '../cluster/scope.js';

/** What the components of one program know of each other. */
export class Program {
  /** The program that runs. Held by its connection to the engine, so that every test with mocks of its own starts with an empty one. */
  public static current(): Program {
    const monitor = pulumi.runtime.getMonitor() ?? WITHOUT_ENGINE;
    const program = programs.get(monitor) ?? new Program();
    programs.set(monitor, program);
    return program;
  }

  public readonly declared = new Declarations();
  private readonly skipped = new Map<string, string>();
  private readonly warned = new WeakSet<EdgeCluster>();
  private end?: Promise<void>;

  /** Resolves when the program has declared what it declares before it awaits anything. */
  public atEnd(): Promise<void> {
    this.end ??= new Promise((resolve) => setImmediate(resolve));
    return this.end;
  }

  /** Notes a workload that the exclusion transform skips, and why. */
  public skipExclusion(kind: string, name: string, reason: string): void {
    this.skipped.set(`${kind} ${name}`, reason);
  }

  /** Why the exclusion transform skips a workload; undefined when it does not. */
  public reasonToSkip(kind: string, name: string): string | undefined {
    return this.skipped.get(`${kind} ${name}`);
  }

  /** Whether the warnings of a cluster are still to be shown; true once. */
  public warnsOf(cluster: EdgeCluster): boolean {
    const first = !this.warned.has(cluster);
    this.warned.add(cluster);
    return first;
  }
}

const WITHOUT_ENGINE = {};

const programs = new WeakMap<object, Program>();

import * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { Declarations } from '../cluster/scope.js';
import { isOneProgram } from '../base/program-language.js';
import { ProgramWarnings } from './program-warnings.js';

/** State that the components of one program share. */
export class Program {
  /** The running program. It is stored by the connection to the engine, so that every test with its own mocks starts with an empty one. */
  public static current(): Program {
    const monitor = pulumi.runtime.getMonitor() ?? WITHOUT_ENGINE;
    const program = programs.get(monitor) ?? new Program();
    programs.set(monitor, program);
    return program;
  }

  public readonly declared = new Declarations();
  public readonly warnings = new ProgramWarnings(() => this.atEnd());
  private readonly skipped = new Map<string, string>();
  private readonly children = new Set<string>();
  private readonly warned = new WeakSet<EdgeCluster>();
  private readonly shown = new Set<string>();
  private end?: Promise<void>;

  /** Resolves when the program awaits something for the first time, or ends. What it declares afterwards is not seen. */
  public atEnd(): Promise<void> {
    this.end ??= this.ended();
    return this.end;
  }

  private async ended(): Promise<void> {
    // a test must not be over before what is said at the end
    const release = pulumi.runtime.rpcKeepAlive();
    await new Promise((resolve) => setImmediate(resolve));
    setImmediate(release);
  }

  /** Records a resource that a component creates: a transform gets it without its parent. */
  public addChild(kind: string, name: string): void {
    this.children.add(`${kind} ${name}`);
  }

  /** Whether a component creates a resource. */
  public isChild(kind: string, name: string): boolean {
    return this.children.has(`${kind} ${name}`);
  }

  /** Records a workload that the exclusion transform skips, and why. */
  public skipExclusion(kind: string, name: string, reason: string): void {
    this.skipped.set(`${kind} ${name}`, reason);
  }

  /** Why the exclusion transform skips a workload; undefined if it does not. */
  public reasonToSkip(kind: string, name: string): string | undefined {
    return this.skipped.get(`${kind} ${name}`);
  }

  /** Whether to show a warning of a resource that has no component: true for the first call. */
  public isNewWarning(text: string): boolean {
    const isNew = !this.shown.has(text);
    this.shown.add(text);
    return isNew;
  }

  /** Whether to show the warnings of a cluster: true for the first call. */
  public warnsOf(cluster: EdgeCluster): boolean {
    const first = !this.warned.has(cluster);
    this.warned.add(cluster);
    return first && (isOneProgram() || isFirstInPlugin(JSON.stringify(cluster.warnings)));
  }
}

/** What the plugin has warned of: the engine starts one for each run of a program, in which each component has a cluster and a connection of its own. */
const warnedInPlugin = new Set<string>();

function isFirstInPlugin(warnings: string): boolean {
  const isFirst = !warnedInPlugin.has(warnings);
  warnedInPlugin.add(warnings);
  return isFirst;
}

const WITHOUT_ENGINE = {};

const programs = new WeakMap<object, Program>();

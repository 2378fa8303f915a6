import * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { Declarations } from '../cluster/scope.js';
import { isOneProgram } from '../base/program-language.js';
import { type AcceptedWarnings, logEntries } from '../cluster/warning-summary.js';
import type { EdgeWarning } from '../base/errors.js';
import { logWarning } from './log.js';

interface HasParent {
  readonly __parentResource?: pulumi.Resource;
}

/**
 * The warnings of a component, or of a part of it, in the order of its properties: those that depend on Outputs are found later, and get their place
 * among those that are not shown yet.
 */
export class WarningList {
  /** Most components never have a warning. */
  private open?: ReadonlyMap<string, EdgeWarning>;
  private shown?: Set<string>;

  /** @param opened called when there is something to show */
  constructor(
    public readonly component: pulumi.Resource,
    private readonly label: string,
    private readonly opened: (list: WarningList) => void,
  ) {}

  /** Adds warnings, each once. */
  public add(warnings: readonly EdgeWarning[]): void {
    if (warnings.length === 0 && this.open === undefined) {
      return;
    }
    const given = warnings
      .map(({ code, path, message, hint }) => ({ code, path, message, hint, construct: this.label }))
      .map((warning): [string, EdgeWarning] => [JSON.stringify(warning), warning])
      .filter(([text]) => this.shown?.has(text) !== true);
    this.open = new Map([...given, ...(this.open ?? [])]);
    if (this.open.size > 0) {
      this.opened(this);
    }
  }

  /** What is not shown yet; from now on it is. */
  public take(): EdgeWarning[] {
    const taken = [...(this.open ?? [])];
    this.open = undefined;
    this.shown = new Set([...(this.shown ?? []), ...taken.map(([text]) => text)]);
    return taken.map(([, warning]) => warning);
  }
}

/** Shows the warnings of a program, with those of the same code together. */
class ProgramWarnings {
  /** What is accepted, by component, and for all of them. */
  public readonly accepted = new Map<pulumi.Resource | 'program', AcceptedWarnings>();
  /** Lists with something to show, and their numbers in the order of declaration. */
  private readonly open = new Map<WarningList, number>();
  private count = 0;

  /** @param atEnd resolves when the program has declared everything: what is accepted may be declared after what is warned of */
  constructor(private readonly atEnd: () => Promise<void>) {}

  /** A list for a component, whose warnings are shown after those of earlier lists. */
  public listFor(component: pulumi.Resource, label: string): WarningList {
    const number = this.count++;
    return new WarningList(component, label, (list) => {
      if (this.open.size === 0) {
        void this.atEnd().then(() => this.show());
      }
      this.open.set(list, number);
    });
  }

  private show(): void {
    const lists = [...this.open].sort(([, one], [, other]) => one - other).map(([list]) => list);
    this.open.clear();
    const found = lists.flatMap((list) => list.take().map((warning) => ({ ...warning, component: list.component })));
    const shown = found.filter(({ component, code }) => !this.isAccepted(component, code));
    logEntries(shown).forEach(({ first, text }) => logWarning(text, first.component));
  }

  private isAccepted(component: pulumi.Resource, code: EdgeWarning['code']): boolean {
    const scopes: (pulumi.Resource | 'program')[] = ['program'];
    // the SDK keeps the parent of a resource only in this field
    for (
      let one: pulumi.Resource | undefined = component;
      one !== undefined;
      one = (one as HasParent).__parentResource
    ) {
      scopes.push(one);
    }
    return scopes.some((scope) => this.accepted.get(scope)?.reasonFor(code) !== undefined);
  }
}

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

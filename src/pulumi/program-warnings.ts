import type * as pulumi from '@pulumi/pulumi';
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
export class ProgramWarnings {
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

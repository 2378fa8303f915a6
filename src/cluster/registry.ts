/** Counts what a program has declared, for all its registries and their snapshots. */
export interface Clock {
  now: number;
}

/** A registry as it was. */
interface Past<V> {
  readonly registry: Registry<V>;
  /** Only what was declared before. */
  readonly until: number;
}

/**
 * What a program has declared, by name: a map that remembers what it was at every time, so that a snapshot costs nothing. A component that waits for
 * a value looks at what was declared before it, however much is declared after it.
 */
export class Registry<V> {
  private readonly history = new Map<string, { readonly at: number; readonly value: V }[]>();

  /**
   * @param clock of the program
   * @param past what was there before
   */
  constructor(
    private readonly clock: Clock,
    private readonly past?: Past<V>,
  ) {}

  public get(name: string): V | undefined {
    return this.getAt(name, Infinity);
  }

  public set(name: string, value: V): void {
    const changes = this.history.get(name) ?? [];
    changes.push({ at: this.clock.now++, value });
    this.history.set(name, changes);
  }

  /** Everything, in the order in which the names came first. */
  public entries(): [string, V][] {
    const names = new Set([...(this.past?.registry.namesAt(this.past.until) ?? []), ...this.history.keys()]);
    return [...names].map((name) => [name, this.get(name) as V]);
  }

  private getAt(name: string, until: number): V | undefined {
    const change = this.history.get(name)?.findLast(({ at }) => at < until);
    if (change !== undefined) {
      return change.value;
    }
    return this.past?.registry.getAt(name, Math.min(this.past.until, until));
  }

  private namesAt(until: number): string[] {
    const own = [...this.history]
      .filter(([, [first]]) => first !== undefined && first.at < until)
      .map(([name]) => name);
    const { past } = this;
    return past === undefined ? own : [...past.registry.namesAt(Math.min(past.until, until)), ...own];
  }
}

import type { Plan, PlannedObject } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { same } from '../validation/plain-data.js';
import { keyOf } from './input-objects.js';
import { attempted, comparingScope, type ImportedObject, type Recognized } from './recognized-object.js';

/** A declaration that makes several objects, and which ones. */
export interface RecognizedSet {
  readonly recognized: Recognized;
  readonly objects: readonly ImportedObject[];
}

/** How the objects of a plan are found among those that were imported: all of them, each exactly the same. */
export class PlannedSearch {
  private readonly whole = new Map<string, ImportedObject>();
  private readonly parts = new Map<string, readonly ImportedObject[]>();

  /** @param pools makes declarations in which the pools of the program are known, of their own for each plan */
  constructor(
    objects: readonly ImportedObject[],
    private readonly pools: () => Declarations,
  ) {
    for (const each of objects) {
      const key = keyOf(each.object);
      if (each.patchFile === undefined) {
        this.whole.set(key, each);
      } else {
        this.parts.set(key, [...(this.parts.get(key) ?? []), each]);
      }
    }
  }

  /** The objects that a plan makes; undefined if it makes none, is refused, or one is not there as it is. */
  public made(plan: (scope: Scope) => Plan<unknown>): readonly ImportedObject[] | undefined {
    const found = this.each(plan);
    return found.length === 0 || found.includes(undefined) ? undefined : (found as ImportedObject[]);
  }

  /** How many objects of a plan are there as they are, less those that are not. */
  public score(plan: (scope: Scope) => Plan<unknown>): number {
    return this.each(plan).reduce((sum, found) => sum + (found === undefined ? -1 : 1), 0);
  }

  private each(plan: (scope: Scope) => Plan<unknown>): (ImportedObject | undefined)[] {
    const result = attempted(() => plan(comparingScope('it', this.pools())));
    return 'refused' in result ? [] : result.made.objects.map((planned) => this.find(planned));
  }

  private find({ object, apply }: PlannedObject): ImportedObject | undefined {
    const key = keyOf(object);
    const candidates = apply === 'patch' ? (this.parts.get(key) ?? []) : [this.whole.get(key)];
    return candidates.find((each) => each !== undefined && same(each.object, object));
  }
}

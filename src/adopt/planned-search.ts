import type { Plan, PlannedObject } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { mapAt, type PlainMap, same, valueAt, withoutValueAt, withValueAt } from '../base/plain-data.js';
import { nameOf } from '../kubernetes/object.js';
import { inFieldOrder } from './field-order.js';
import { keyOf } from './input-objects.js';
import {
  attempted,
  comparingScope,
  differences,
  isMark,
  type ImportedObject,
  type KeptField,
  type KeptObject,
  type MayDiffer,
  type Recognized,
} from './recognized-object.js';
import { fieldsText } from './recognized-pools.js';
import { withoutDefaults } from '../kubernetes/api-defaults.js';

/** A declaration that makes several objects, and which ones. */
export interface RecognizedSet {
  readonly recognized: Recognized;
  readonly objects: readonly ImportedObject[];
  /** The same ones as the declaration makes them, which may write defaults that a stored one lacks. */
  readonly written: readonly PlainMap[];
}

/** How the objects of a plan are found among those that were imported: all of them, each exactly the same, or the same to the API server. */
export class PlannedSearch {
  private readonly whole = new Map<string, ImportedObject>();
  private readonly parts = new Map<string, readonly ImportedObject[]>();

  /**
   * @param pools makes declarations in which the pools of the program are known, of their own for each plan
   * @param mayDiffer which fields the program can keep as they are
   */
  constructor(
    objects: readonly ImportedObject[],
    private readonly pools: () => Declarations,
    private readonly mayDiffer: MayDiffer = () => false,
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

  /** A declaration with the objects that it makes, as {@link made} has found them. */
  public set(
    recognized: Recognized,
    objects: readonly ImportedObject[],
    plan: (scope: Scope) => Plan<unknown>,
  ): RecognizedSet {
    const planned = this.planned(plan).map(({ object }) => object as PlainMap);
    const fields = planned.map((object, index) => this.differing(object, objects[index] as ImportedObject));
    const kept = planned.flatMap((object, index): KeptObject[] =>
      fields[index]?.length === 0
        ? []
        : [{ kind: String(object.kind), name: String(mapAt(object, 'metadata').name), fields: fields[index] ?? [] }],
    );
    return {
      recognized: kept.length === 0 ? recognized : { ...recognized, kept },
      objects,
      written: planned.map((object, index) => inFieldOrder(withFields(object, fields[index] ?? []))),
    };
  }

  /** The fields in which an object differs from what a plan makes. */
  private differing(made: PlainMap, there: ImportedObject): readonly KeptField[] {
    const [one, other] = [made, there.object].map((object) =>
      there.isStored === true ? withoutDefaults(object, 'compare') : object,
    );
    return differences(one, other).map((path): KeptField => {
      const value = valueAt(other, path);
      return { path, ...(value === undefined ? {} : { value }), isReplaced: valueAt(one, path) !== undefined };
    });
  }

  /** Why a plan is not the declaration of the objects that are there: what it would write otherwise. */
  public reasons(className: string, plan: (scope: Scope) => Plan<unknown>): ReadonlyMap<ImportedObject, string> {
    const reasons = new Map<ImportedObject, string>();
    const lacking: string[] = [];
    for (const planned of this.planned(plan)) {
      const object = planned.object as PlainMap;
      const there = this.candidates(planned)[0];
      if (there === undefined) {
        lacking.push(nameOf(object));
      } else {
        // not of defaults: what is imported again has them or not, by where it comes from
        const paths = differences(withoutDefaults(object, 'compare'), withoutDefaults(there.object, 'compare'));
        if (paths.length > 0) {
          reasons.set(there, `${className} would write another ${fieldsText(paths)}`);
        }
      }
    }
    const [first, ...others] = [...reasons.keys()].map(({ object }) => nameOf(object)).concat(lacking);
    const all =
      first === undefined
        ? `${className} makes it with the defaults of the API server, or of settings that it does not show`
        : `${className} would also write another ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    for (const planned of this.planned(plan)) {
      const there = this.candidates(planned)[0];
      if (there !== undefined && !reasons.has(there)) {
        reasons.set(there, all);
      }
    }
    return reasons;
  }

  /** How many objects of a plan are there, less those that are not; one with a field that is kept counts less than one that is as it is. */
  public score(plan: (scope: Scope) => Plan<unknown>): number {
    return this.planned(plan).reduce((sum, planned) => {
      const found = this.find(planned);
      const isWhole = found !== undefined && this.isSame(planned.object, found, isMark);
      return sum + (found === undefined ? -1 : isWhole ? 1 : 0.5);
    }, 0);
  }

  private each(plan: (scope: Scope) => Plan<unknown>): (ImportedObject | undefined)[] {
    return this.planned(plan).map((planned) => this.find(planned));
  }

  private planned(plan: (scope: Scope) => Plan<unknown>): readonly PlannedObject[] {
    const result = attempted(() => plan(comparingScope('it', this.pools())));
    return 'refused' in result ? [] : result.made.objects;
  }

  private find(planned: PlannedObject): ImportedObject | undefined {
    const object = planned.object as PlainMap;
    const there = this.candidates(planned);
    return (
      there.find((each) => same(each.object, object)) ??
      there.find((each) => this.isSame(object, each, (...field) => isMark(...field) || this.mayDiffer(...field)))
    );
  }

  /** Whether an object is what a plan makes, but for fields that may differ. */
  private isSame(made: PlainMap, there: ImportedObject, mayDiffer: MayDiffer): boolean {
    return this.differing(made, there).every(({ path, value }) => mayDiffer(path, valueAt(made, path), value));
  }

  private candidates({ object, apply }: PlannedObject): readonly ImportedObject[] {
    const key = keyOf(object);
    const whole = this.whole.get(key);
    return apply === 'patch' ? (this.parts.get(key) ?? []) : whole === undefined ? [] : [whole];
  }
}

function withFields(object: PlainMap, fields: readonly KeptField[]): PlainMap {
  return fields.reduce<unknown>(
    (rest, { path, value }) => (value === undefined ? withoutValueAt(rest, path) : withValueAt(rest, path, value)),
    object,
  ) as PlainMap;
}

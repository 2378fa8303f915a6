import * as pulumi from '@pulumi/pulumi';
import { EdgeError, type EdgeProblem, type EdgeWarning, joinPath } from '../errors.js';
import { isMap, type ObjectPath, valueAt } from '../manifests/kubernetes-object.js';
import type { Declaration, Fleets } from '../plans/fleet.js';
import type { Deployment } from './deployment.js';
import { copyWith, differences } from './difference.js';
import { inputErrors } from './input-errors.js';
import { withoutSecrets } from './secret-errors.js';
import {
  FORM_COUNT,
  holdsStandIn,
  isKnownLater,
  type StandIns,
  standIns,
  ValueNeeded,
  withoutStandIns,
} from './stand-in.js';

/** A value of the arguments that is known later. */
interface Leaf {
  /** Path in the arguments, as problems name it. */
  readonly path: string;
  readonly output: pulumi.Output<unknown>;
  readonly id: number;
  /** Position in the list of forms. */
  form: number;
  /** What stands for it: the same objects in every plan, so that nothing differs by chance. */
  standIns: StandIns;
}

/** A rule: what plain properties become. */
export type Plan<P, R> = (props: P, declaration: Declaration) => R;

/**
 * A plan that was made although some values are known later. Rules are functions of plain values, so such a value has a stand-in while the plan is
 * made. Wherever the plan would differ with another stand-in it depends on the value: there, and only there, `lift` puts an Output, which
 * makes the plan again with the true value and takes what then is there. So one unknown or secret value stays one unknown or secret value, rules
 * may do with values what they like, and a true value that a rule refuses is an error when it is known.
 */
export class Planned<P, R> {
  /** The plan, with stand-ins where values are known later. */
  public readonly plan: R;

  private readonly leaves: Leaf[] = [];
  private readonly template: unknown;
  private readonly variants = new Map<string, R>();
  private readonly sides: readonly (0 | 1)[] = [];
  /** What was declared before this; rules that run again look at that. */
  private readonly before?: Fleets;

  /**
   * @param args properties, some of which may be known later
   * @param rule makes the plan
   * @param declaration name and surroundings of the component
   * @param deployment the running program
   * @throws {@link EdgeError} with what the rule found, and EDGE_KNOWN_LATER for a value that the rule must know
   */
  constructor(
    args: unknown,
    private readonly rule: Plan<P, R>,
    private readonly declaration: Declaration,
    deployment: Deployment,
  ) {
    this.template = this.templateOf(args, '', deployment);
    if (this.leaves.length === 0) {
      this.plan = rule(args as P, declaration);
      return;
    }
    this.before = declaration.fleets.copy();
    this.findForms();
    this.sides = this.leaves.length > 1 && this.bears(1) ? [0, 1] : [0];
    this.plan = rule(this.filled(this.standIns()), declaration);
  }

  /**
   * A part of the plan, with Outputs where it depends on values that are known later.
   *
   * @param select takes the part
   * @param plainDepth how deep the structure must be known: 1 for a list whose length must be, 2 if the fields of its items must be, too
   * @throws {@link EdgeError} with EDGE_KNOWN_LATER when a value decides that structure
   */
  public lift(select: (plan: R) => unknown, plainDepth = 0): unknown {
    if (this.leaves.length === 0) {
      return select(this.plan);
    }
    const base = select(this.variant(0));
    const dependent = new Map<string, { readonly path: ObjectPath; readonly leaves: Set<Leaf> }>();
    // one value at a time, from where all others come first and from where they come last: a rule that sorts shows itself in one of the two
    for (const side of this.sides) {
      const from = select(this.variant(side));
      this.leaves.forEach((leaf, index) => {
        differences(from, select(this.variant(side, index)), (path) => {
          if (path.length < plainDepth) {
            throw new EdgeError(this.declaration.path, [mustBePlain(leaf)]);
          }
          const key = JSON.stringify(path);
          const entry = dependent.get(key) ?? { path, leaves: new Set() };
          dependent.set(key, entry);
          entry.leaves.add(leaf);
        });
      });
    }
    if (dependent.size === 0) {
      return base;
    }
    const places = outermost([...dependent.values()]);
    return copyWith(base, (path) => {
      const place = places.get(JSON.stringify(path));
      return place === undefined ? undefined : { value: this.outputAt(select, base, path, [...place], places) };
    });
  }

  /** The warnings that stand whatever the later values are. */
  public warnings(select: (plan: R) => readonly EdgeWarning[]): EdgeWarning[] {
    const everywhere = this.leaves.map(
      (_, index) => new Set(select(this.variant(0, index)).map((one) => JSON.stringify(one))),
    );
    return select(this.plan)
      .filter((warning) => everywhere.every((texts) => texts.has(JSON.stringify(warning))))
      .filter((warning) => withoutStandIns(JSON.stringify(warning)) === JSON.stringify(warning));
  }

  private outputAt(
    select: (plan: R) => unknown,
    base: unknown,
    path: ObjectPath,
    leaves: readonly Leaf[],
    places: ReadonlyMap<string, ReadonlySet<Leaf>>,
  ): pulumi.Output<unknown> {
    const secrecy = pulumi.output(Promise.all(leaves.map(({ output }) => pulumi.isSecret(output))));
    return pulumi.all([secrecy, pulumi.all(leaves.map(({ output }) => output))]).apply(([areSecret, values]) => {
      const known = this.standIns();
      leaves.forEach((leaf, index) => (known[this.leaves.indexOf(leaf)] = values[index]));
      try {
        const plan = select(this.again(known));
        this.refuseOtherShape(base, plan, leaves, places);
        const value = valueAt(plan, path);
        if (holdsStandIn(value)) {
          throw new EdgeError(this.declaration.path, this.leaves.map(mustBePlain));
        }
        return value;
      } catch (error) {
        const secrets = leaves
          .map(({ path }, index) => ({ path, value: values[index] }))
          .filter((_, index) => areSecret[index]);
        throw error instanceof EdgeError ? inputErrors(withoutSecrets(error, secrets)) : error;
      }
    });
  }

  /** A true value may be special to a rule in a way that no stand-in is; then it changes more than could be foreseen, and must be plain. */
  private refuseOtherShape(
    base: unknown,
    plan: unknown,
    leaves: readonly Leaf[],
    places: ReadonlyMap<string, ReadonlySet<Leaf>>,
  ): void {
    differences(base, plan, (path) => {
      const isForeseen = [...path.keys(), path.length].some((length) => {
        const there = places.get(JSON.stringify(path.slice(0, length)));
        return there !== undefined && leaves.some((leaf) => there.has(leaf));
      });
      if (!isForeseen) {
        throw new EdgeError(this.declaration.path, leaves.map(mustBePlain));
      }
    });
  }

  /** The arguments with a leaf for every value that is known later. */
  private templateOf(value: unknown, path: string, deployment: Deployment): unknown {
    if (isKnownLater(value)) {
      const index = this.leaves.length;
      const id = deployment.idOf(value);
      this.leaves.push({ path, output: pulumi.output(value), id, form: 0, standIns: standIns(0, index, id) });
      return new Place(index);
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.templateOf(item, joinPath(path, index), deployment));
    }
    if (isMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.templateOf(item, joinPath(path, key), deployment)]),
      );
    }
    return value;
  }

  private filled(values: readonly unknown[]): P {
    const fill = (value: unknown): unknown => {
      if (value instanceof Place) {
        return values[value.index];
      }
      if (Array.isArray(value)) {
        return value.map(fill);
      }
      return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)])) : value;
    };
    return fill(this.template) as P;
  }

  /** A stand-in for every value: all first or all second ones, but one. */
  private standIns(side: 0 | 1 = 0, except?: number): unknown[] {
    return this.leaves.map(({ standIns: pair }, index) => pair[index === except ? 1 - side : side]);
  }

  /** The rule once more, as if this component had not been declared yet. */
  private again(values: readonly unknown[]): R {
    return this.rule(this.filled(values), { ...this.declaration, fleets: (this.before as Fleets).copy() });
  }

  /** The plan with first or second stand-ins, and the other one for one value. */
  private variant(side: 0 | 1, except?: number): R {
    const key = `${side} ${except}`;
    const made = this.variants.get(key) ?? this.again(this.standIns(side, except));
    this.variants.set(key, made);
    return made;
  }

  /** Gives every leaf a form with which the rule is content, with either stand-in. */
  private findForms(): void {
    let refused = this.refused();
    while (refused.length > 0) {
      const exhausted = refused.filter((leaf) => leaf.form + 1 >= FORM_COUNT);
      if (exhausted.length > 0) {
        throw new EdgeError(this.declaration.path, exhausted.map(mustBePlain));
      }
      refused.forEach((leaf) => {
        leaf.form++;
        leaf.standIns = standIns(leaf.form, this.leaves.indexOf(leaf), leaf.id);
      });
      this.variants.clear();
      refused = this.refused();
    }
  }

  /** The leaves with which the rule is not content. */
  private refused(): readonly Leaf[] {
    try {
      this.again(this.standIns());
    } catch (error) {
      const blamed = this.blamed(error);
      if (blamed.length > 0) {
        return blamed;
      }
      throw error instanceof EdgeError ? withoutStandInsIn(error) : error;
    }
    return this.leaves.filter((_, index) => !this.bears(0, index));
  }

  /** Whether the rule is content with stand-ins. */
  private bears(side: 0 | 1, except?: number): boolean {
    try {
      this.variant(side, except);
      return true;
    } catch {
      return false;
    }
  }

  /** The leaves because of which a rule was not content. */
  private blamed(error: unknown): readonly Leaf[] {
    if (error instanceof ValueNeeded) {
      return this.leaves.filter((_, index) => index === error.index);
    }
    if (error instanceof EdgeError) {
      const isAt = (leaf: Leaf, { path }: EdgeProblem): boolean =>
        path === leaf.path || path.startsWith(`${leaf.path}.`) || path.startsWith(`${leaf.path}[`);
      return this.leaves.filter((leaf) => error.problems.some((problem) => isAt(leaf, problem)));
    }
    // a rule that takes a value for text without asking
    return error instanceof TypeError ? this.leaves.filter(({ form }) => form === 0) : [];
  }
}

/** Where a leaf was in the arguments. */
class Place {
  constructor(public readonly index: number) {}
}

/** Places that are not inside of another one; those inside give it their leaves. */
function outermost(
  places: readonly { readonly path: ObjectPath; readonly leaves: ReadonlySet<Leaf> }[],
): Map<string, Set<Leaf>> {
  const found = new Map<string, Set<Leaf>>();
  for (const { path, leaves } of [...places].sort((a, b) => a.path.length - b.path.length)) {
    const prefixes = path.map((_, length) => JSON.stringify(path.slice(0, length)));
    const key = prefixes.find((prefix) => found.has(prefix)) ?? JSON.stringify(path);
    found.set(key, new Set([...(found.get(key) ?? []), ...leaves]));
  }
  return found;
}

function mustBePlain({ path }: Leaf): EdgeProblem {
  return {
    code: 'EDGE_KNOWN_LATER',
    path,
    message: 'this must be known while the program runs, because it decides what is made',
    hint: 'write a plain value, not an Output',
  };
}

function withoutStandInsIn(error: EdgeError): EdgeError {
  return new EdgeError(
    error.subject,
    error.problems.map((problem) => ({
      ...problem,
      message: withoutStandIns(problem.message),
      hint: withoutStandIns(problem.hint),
    })),
  );
}

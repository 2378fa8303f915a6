import * as pulumi from '@pulumi/pulumi';
import { EdgeError, type EdgeWarning } from '../errors.js';
import { type ObjectPath, valueAt } from '../validation/plain-data.js';
import type { Declaration, Fleets } from '../cluster/fleet.js';
import type { Deployment } from './deployment.js';
import { copyWith, differences } from './difference.js';
import { inputErrors } from './input-errors.js';
import { type KnownSecret, withoutSecrets } from './secret-errors.js';
import { blamed, Complaints, mustBePlain, withoutStandInsIn } from './complaints.js';
import { holdsStandIn, ODD } from './stand-in.js';
import { type Leaf, takeNextForm, Template } from './template.js';

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

  private readonly template: Template;
  private readonly leaves: readonly Leaf[];
  private readonly variants = new Map<string, R | undefined>();
  private readonly trueOnes = new Map<string, { readonly values: readonly unknown[]; readonly plan: R }>();
  /** Whether an Output says what a rule has found. */
  private isTold = false;
  /** What was declared before this; rules that run again look at that. */
  private readonly before?: Fleets;

  /**
   * @param args properties, some of which may be known later
   * @param rule makes the plan
   * @param declaration name and surroundings of the component
   * @param subject how errors name it, as the rule does
   * @param deployment the running program
   * @throws {@link EdgeError} with what the rule found, and EDGE_KNOWN_LATER for a value that the rule must know
   */
  constructor(
    args: unknown,
    private readonly rule: Plan<P, R>,
    private readonly declaration: Declaration,
    private readonly subject: string,
    deployment: Deployment,
  ) {
    this.template = new Template(args, deployment);
    this.leaves = this.template.leaves;
    if (this.leaves.length === 0) {
      this.plan = rule(args as P, declaration);
      return;
    }
    this.before = declaration.fleets.copy();
    this.findForms();
    this.plan = rule(this.template.filled(this.standIns()) as P, declaration);
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
    const base = select(this.variant(0) as R);
    const dependent = new Map<string, { readonly path: ObjectPath; readonly leaves: Set<Leaf> }>();
    for (const { leaf, from, to } of this.probes()) {
      differences(select(from), select(to), (path) => {
        if (path.length < plainDepth) {
          throw new EdgeError(this.subject, [mustBePlain(leaf)]);
        }
        const key = JSON.stringify(path);
        const entry = dependent.get(key) ?? { path, leaves: new Set() };
        dependent.set(key, entry);
        entry.leaves.add(leaf);
      });
    }
    const places = outermost([...dependent.values()]);
    const lifted = copyWith(base, (path) => {
      const place = places.get(JSON.stringify(path));
      return place === undefined ? undefined : { value: this.outputAt(select, base, path, [...place], places) };
    });
    // whatever a rule does with a value: what stands for it never becomes what is made
    if (holdsStandIn(lifted)) {
      throw new EdgeError(this.subject, this.leaves.map(mustBePlain));
    }
    return lifted;
  }

  /** A part of the plan as one Output, whatever its structure turns out to be: for what becomes no resource. */
  public whole(select: (plan: R) => unknown): pulumi.Output<unknown> {
    if (this.leaves.length === 0) {
      return pulumi.output(select(this.plan));
    }
    const everywhere = new Map([[JSON.stringify([]), new Set(this.leaves)]]);
    return this.outputAt(select, select(this.plan), [], this.leaves, everywhere);
  }

  /**
   * Looks once more when everything is known, because a rule may refuse a value on which no part depends, or two that are right by themselves.
   *
   * @param refused gets what a rule refuses then, unless it was told at a part that depends on it
   */
  public checkWhenKnown(refused: (error: pulumi.InputPropertiesError) => void): void {
    const known = whenKnown(this.leaves, async (values, secrets) => {
      // the parts first: what they find belongs to a resource
      await new Promise((resolve) => setImmediate(resolve));
      try {
        this.again(values);
      } catch (error) {
        if (error instanceof EdgeError && !this.isTold) {
          refused(inputErrors(withoutSecrets(error, secrets)));
        }
      }
    });
    // a value that never comes has told its own story
    (known as unknown as { promise(): Promise<unknown> }).promise().catch(() => undefined);
  }

  /** The warnings that stand whatever the later values are. */
  public warnings(select: (plan: R) => readonly EdgeWarning[]): EdgeWarning[] {
    const texts = [...this.probes()].map(({ to }) => new Set(select(to).map((warning) => JSON.stringify(warning))));
    return select(this.plan)
      .filter((warning) => texts.every((known) => known.has(JSON.stringify(warning))))
      .filter((warning) => !holdsStandIn(JSON.stringify(warning)));
  }

  private outputAt(
    select: (plan: R) => unknown,
    base: unknown,
    path: ObjectPath,
    leaves: readonly Leaf[],
    places: ReadonlyMap<string, ReadonlySet<Leaf>>,
  ): pulumi.Output<unknown> {
    return whenKnown(leaves, (values, secrets) => {
      try {
        const plan = select(this.planWith(leaves, values));
        this.refuseOtherShape(base, plan, leaves, places);
        const value = valueAt(plan, path);
        if (holdsStandIn(value)) {
          throw new EdgeError(this.subject, this.leaves.map(mustBePlain));
        }
        return value;
      } catch (error) {
        this.isTold = true;
        throw error instanceof EdgeError ? inputErrors(withoutSecrets(error, secrets)) : error;
      }
    });
  }

  /** The plan with the true values of some leaves; the same one for every place that depends on these leaves. */
  private planWith(leaves: readonly Leaf[], values: readonly unknown[]): R {
    const key = leaves.map(({ index }) => index).join();
    const made = this.trueOnes.get(key);
    if (made !== undefined && made.values.every((value, index) => Object.is(value, values[index]))) {
      return made.plan;
    }
    const known = this.standIns();
    leaves.forEach((leaf, index) => (known[leaf.index] = values[index]));
    const plan = this.again(known);
    this.trueOnes.set(key, { values, plan });
    return plan;
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
        throw new EdgeError(this.subject, leaves.map(mustBePlain));
      }
    });
  }

  /** First or second stand-ins, and something else for one value. */
  private standIns(side: 0 | 1 = 0, except?: Leaf, other?: unknown): unknown[] {
    return this.leaves.map((leaf) => (leaf === except ? other : leaf.standIns[side]));
  }

  /** The rule once more, as if this component had not been declared yet. */
  private again(values: readonly unknown[]): R {
    return this.rule(this.template.filled(values) as P, {
      ...this.declaration,
      fleets: (this.before as Fleets).copy(),
    });
  }

  /** The plan with first or second stand-ins, and something else for one value; undefined when the rule is not content. */
  private variant(side: 0 | 1, except?: Leaf, other?: unknown): R | undefined {
    const key = `${side} ${except?.index} ${except?.standIns.indexOf(other)} ${ODD.indexOf(other as string)}`;
    if (!this.variants.has(key)) {
      this.variants.set(key, this.attempt(this.standIns(side, except, other)));
    }
    return this.variants.get(key);
  }

  private attempt(values: readonly unknown[]): R | undefined {
    try {
      return this.again(values);
    } catch {
      return undefined;
    }
  }

  /**
   * Pairs of plans that differ in one value: with one stand-in and the other, from where all others come first and from where they come last, so that a
   * rule that sorts shows itself; and with text that has to be written in another way.
   */
  private *probes(): Generator<{ readonly leaf: Leaf; readonly from: R; readonly to: R }> {
    for (const side of this.leaves.length > 1 ? ([0, 1] as const) : ([0] as const)) {
      const from = this.variant(side);
      for (const leaf of from === undefined ? [] : this.leaves) {
        for (const other of [leaf.standIns[1 - side], ...(side === 0 ? ODD : [])]) {
          const to = this.variant(side, leaf, other);
          if (from !== undefined && to !== undefined) {
            yield { leaf, from, to };
          }
        }
      }
    }
  }

  /** Gives every leaf a form with which the rule is content, with either stand-in. */
  private findForms(): void {
    const complaints = new Complaints();
    let { refused, error } = this.refusal();
    while (refused.length > 0) {
      complaints.note(refused, error);
      const exhausted = refused.filter((leaf) => !takeNextForm(leaf));
      if (exhausted.length > 0) {
        throw new EdgeError(this.subject, complaints.problems(exhausted, error));
      }
      this.variants.clear();
      ({ refused, error } = this.refusal());
    }
  }

  /** The leaves with which the rule is not content, and what it says. */
  private refusal(): { readonly refused: readonly Leaf[]; readonly error?: unknown } {
    try {
      this.again(this.standIns());
    } catch (error) {
      const refused = blamed(this.leaves, error);
      if (refused.length > 0) {
        return { refused, error };
      }
      throw error instanceof EdgeError ? new EdgeError(error.subject, error.problems.map(withoutStandInsIn)) : error;
    }
    return { refused: this.leaves.filter((leaf) => this.variant(0, leaf, leaf.standIns[1]) === undefined) };
  }
}

/** An Output of the true values of leaves, and of those of them that are secret. */
function whenKnown<T>(
  leaves: readonly Leaf[],
  run: (values: readonly unknown[], secrets: readonly KnownSecret[]) => T,
): pulumi.Output<unknown> {
  const secrecy = pulumi.output(Promise.all(leaves.map(({ output }) => pulumi.isSecret(output))));
  return pulumi.all([secrecy, pulumi.all(leaves.map(({ output }) => output))]).apply(([areSecret, values]) => {
    const known = leaves.map(({ path }, index) => ({ path, value: values[index] }));
    return run(
      values,
      known.filter((_, index) => areSecret[index]),
    );
  });
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

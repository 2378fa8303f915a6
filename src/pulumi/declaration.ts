import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../cluster/scope.js';
import { EdgeError, type EdgeWarning } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { MUST_BE_PLAIN } from '../validation/property-table.js';
import { holdsUnknownText, Unknown } from '../validation/unknown.js';
import { asInputErrors, type KnownSecret, tellsSecret, withoutSecrets } from './input-errors.js';
import { argumentsOf, evaluate, type Leaf, leavesIn, unknownOf, whenKnown } from './outputs.js';
import type { Program } from './program.js';

/** Makes a plan, or something else, of arguments. */
export type Rule<R> = (args: never, scope: Scope) => R;

/**
 * What a rule made of arguments some of which are Outputs. The rule runs once with the Outputs as unknown values, which it passes on, and says what it
 * computes from them; and once more when all of them are known, which finds what is wrong with them. Nothing that holds one of them becomes a resource
 * before that.
 */
export class Declaration<R> {
  /** What the rule made, unknown values in their places. */
  public readonly made: R;

  private readonly leaves: readonly Leaf[] = [];
  private readonly outputs = new Map<Unknown, pulumi.Output<unknown>>();
  /** What the second run refuses; never rejected. */
  private readonly refusal: Promise<unknown>;

  /**
   * @param path how errors name the declaration
   * @param args arguments, Outputs and all
   * @param rule a pure function of known arguments, which says with `compute` what it makes of unknown ones
   * @param told gets what is found when everything is known
   * @throws {@link EdgeError} with what the rule found, and EDGE_KNOWN_LATER for an Output of which the value must be known
   */
  constructor(
    path: string,
    args: unknown,
    rule: Rule<R>,
    program: Program,
    private readonly told: {
      readonly refused: (error: unknown) => void;
      readonly warned: (made: R, isShown: (warning: EdgeWarning) => boolean) => void;
    },
  ) {
    const leaves: Leaf[] = [];
    const given = argumentsOf(args, leaves);
    this.leaves = leaves;
    const scope: Scope = {
      path,
      owner: this,
      declared: program.declared,
      endsOnce: true,
      unknown: leaves.map((leaf) => leaf.path),
      atEnd: (produce) =>
        unknownOf(pulumi.output(program.atEnd().then(() => true)).apply(() => this.output(produce()))),
    };
    this.made = rule(given as never, scope);
    this.refusal = leaves.length === 0 ? Promise.resolve() : this.check(given, rule, { ...scope, unknown: [] });
  }

  /** Whether everything is known. */
  public get isKnown(): boolean {
    return this.leaves.length === 0;
  }

  /** Whether what is said of a path may still change when everything is known. */
  public get unknownPaths(): readonly string[] {
    return this.leaves.map(({ path }) => path);
  }

  /** A part of what was made, as one Output. */
  public output<T>(part: T): pulumi.Output<T> {
    return pulumi.output(this.input(part));
  }

  /** A part of what was made, with an Output in the place of every unknown value. */
  public input(part: unknown): unknown {
    if (part instanceof Unknown) {
      const output = this.outputs.get(part) ?? this.outputOf(part);
      this.outputs.set(part, output);
      return output;
    }
    if (Array.isArray(part)) {
      return part.map((item) => this.input(item));
    }
    if (isMap(part)) {
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, this.input(item)]));
    }
    return part;
  }

  /** @throws {@link EdgeError} with EDGE_KNOWN_LATER when text was made from a value that is not known */
  public requireKnownText(part: unknown, subject: string): void {
    if (holdsUnknownText(part)) {
      const markers = JSON.stringify(part);
      const used = this.leaves.filter(({ unknown }) => markers.includes(JSON.stringify(unknown).slice(1, -1)));
      throw new EdgeError(
        subject,
        (used.length > 0 ? used : this.leaves).map(({ path }) => ({
          code: 'EDGE_KNOWN_LATER',
          path,
          ...MUST_BE_PLAIN,
        })),
      );
    }
  }

  private outputOf(unknown: Unknown): pulumi.Output<unknown> {
    const leaves = [...leavesIn(unknown)];
    return whenKnown(leaves, async (known) => {
      const refusal = await this.refusal;
      if (refusal !== undefined) {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what was refused, as the engine shows it
        throw refusal;
      }
      return evaluate(unknown, known);
    });
  }

  /** The second run. In a preview in which a value is unknown there is none. */
  private check(given: unknown, rule: Rule<R>, scope: Scope): Promise<unknown> {
    const all = [...new Set(this.leaves.flatMap(({ unknown }) => [...leavesIn(unknown)]))];
    const checked = whenKnown(all, (known, secret) => {
      const secrets: KnownSecret[] = this.leaves
        .filter(({ unknown }) => [...leavesIn(unknown)].some((leaf) => secret.has(leaf)))
        .map(({ path, unknown }) => ({ path, value: evaluate(unknown, known) }));
      try {
        const made = rule(evaluate(given, known) as never, scope);
        this.told.warned(made, (warning) => !tellsSecret(warning, secrets));
        return undefined;
      } catch (error) {
        return { error: asInputErrors(error instanceof EdgeError ? withoutSecrets(error, secrets) : error) };
      }
    });
    const found = (checked as unknown as { promise(): Promise<{ error: unknown } | undefined> }).promise();
    return found.then(
      (refused) => {
        if (refused !== undefined) {
          this.told.refused(refused.error);
        }
        return refused?.error;
      },
      // a value that never comes has told its own story
      () => undefined,
    );
  }
}

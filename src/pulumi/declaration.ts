import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../cluster/scope.js';
import { EdgeError, type EdgeWarning } from '../base/errors.js';
import { isMap, requireTree } from '../base/plain-data.js';
import { MUST_BE_PLAIN } from '../base/property-table.js';
import { holdsUnknownText, Unknown } from '../base/unknown.js';
import { type KnownSecret, revealsSecret, withoutSecrets } from './input-errors.js';
import { allSettled, argumentsOf, computedOutput, evaluate, type Leaf, leavesIn, unknownOf } from './outputs.js';
import type { Program } from './program.js';

/** Computes a plan, or another result, from arguments. */
export type Rule<R> = (args: never, scope: Scope) => R;

/**
 * The result of a rule for arguments that may contain Outputs. The rule runs once with Outputs as unknown values, which it passes on or computes from;
 * and a second time when all of them are known, which validates their values. No resource that depends on one of them is created before that.
 */
export class Declaration<R> {
  /** The result of the rule, with unknown values in place. */
  public readonly made: R;

  private readonly leaves: readonly Leaf[] = [];
  /** The Outputs for unknown values; most declarations have none. */
  private outputs?: Map<Unknown, pulumi.Output<unknown>>;
  /** Whether the second run refuses something. Then no Output of it ever gets a value. */
  private readonly isRefused: Promise<boolean>;

  /**
   * @param path name of the declaration in errors
   * @param args arguments, with Outputs
   * @param rule a pure function of its arguments, which uses `compute` for unknown values
   * @param handlers called with the result of the second run
   * @throws {@link EdgeError} with the problems that the rule found, and EDGE_KNOWN_LATER for an Output where a plain value is required
   */
  constructor(
    private readonly path: string,
    args: unknown,
    rule: Rule<R>,
    program: Program,
    private readonly handlers: {
      /** The declaration in errors that no rule finds. */
      readonly subject: string;
      readonly refused: (error: unknown) => void;
      /** Whether a path is in data that is passed on, where an Output may have no value. */
      readonly isData: (path: string) => boolean;
      readonly warned: (made: R, isShown: (warning: EdgeWarning) => boolean) => void;
    },
  ) {
    requireTree(args, handlers.subject);
    const leaves: Leaf[] = [];
    const given = argumentsOf(args, leaves);
    this.leaves = leaves;
    if (given instanceof Unknown) {
      throw new EdgeError(path, [{ code: 'EDGE_KNOWN_LATER', path: '', ...MUST_BE_PLAIN }]);
    }
    const scope: Scope = {
      path,
      // not this: what is declared is remembered as long as the program runs, and would keep the resources of every component in memory
      owner: {},
      declared: program.declared,
      endsOnce: true,
      unknown: leaves.map((leaf) => leaf.path),
      accepted: (value) => (value instanceof Unknown ? unknownOf(this.output(value)) : value),
      atEnd: (produce) =>
        unknownOf(pulumi.output(program.atEnd().then(() => true)).apply(() => this.output(produce()))),
    };
    this.made = this.run(rule, given, scope);
    this.isRefused =
      leaves.length > 0
        ? this.check(given, rule, { ...scope, unknown: [], accepted: undefined })
        : Promise.resolve(false);
  }

  /** Whether the arguments contain no Output. */
  public get isKnown(): boolean {
    return this.leaves.length === 0;
  }

  /** Paths of the Outputs in the arguments. */
  public get unknownPaths(): readonly string[] {
    return this.leaves.map(({ path }) => path);
  }

  /** A part of the result, as one Output. */
  public output<T>(part: T): pulumi.Output<T> {
    return pulumi.output(this.input(part));
  }

  /** A part of the result, with an Output for every unknown value. */
  public input(part: unknown): unknown {
    if (part instanceof Unknown) {
      this.outputs ??= new Map();
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

  /** @throws {@link EdgeError} with EDGE_KNOWN_LATER if a text was built from an unknown value */
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

  /**
   * An Output without a value is not a property that is left out: which default applies was decided before. In a workload, which is data, it is an absent
   * field.
   */
  private withoutValue(known: ReadonlyMap<Unknown, unknown>): EdgeError | undefined {
    const empty = this.leaves.filter(
      ({ path, unknown }) => !this.handlers.isData(path) && (evaluate(unknown, known) ?? undefined) === undefined,
    );
    return empty.length === 0
      ? undefined
      : new EdgeError(
          this.path,
          empty.map(({ path }) => ({
            code: 'EDGE_MISSING',
            // a token is one value, whatever holds it
            path: path.replace(/^token\.text$/, 'token'),
            message: 'this Output has no value (undefined)',
            hint: 'give the Output a value, with an apply; or leave the property out if it is optional',
          })),
        );
  }

  private run(rule: Rule<R>, args: unknown, scope: Scope): R {
    return rule(args as never, scope);
  }

  private outputOf(unknown: Unknown): pulumi.Output<unknown> {
    return computedOutput([...leavesIn(unknown)], async (known) =>
      (await this.isRefused) ? new Promise(() => undefined) : evaluate(unknown, known),
    );
  }

  /** The second run; whether it refuses something. It does not happen in a preview in which a value is unknown. */
  private async check(given: unknown, rule: Rule<R>, scope: Scope): Promise<boolean> {
    const known = await allSettled([...new Set(this.leaves.flatMap(({ unknown }) => [...leavesIn(unknown)]))]);
    if (!known.isKnown) {
      return false;
    }
    const empty = this.withoutValue(known.values);
    if (empty !== undefined) {
      this.handlers.refused(empty);
      return true;
    }
    const secrets: KnownSecret[] = this.leaves
      .filter(({ unknown }) => [...leavesIn(unknown)].some((leaf) => known.secrets.has(leaf)))
      .map(({ path, unknown }) => ({ path, value: evaluate(unknown, known.values) }));
    try {
      const made = this.run(rule, evaluate(given, known.values), scope);
      this.handlers.warned(made, (warning) => !revealsSecret(warning, secrets));
      return false;
    } catch (error) {
      this.handlers.refused(error instanceof EdgeError ? withoutSecrets(error, secrets) : error);
      return true;
    }
  }
}

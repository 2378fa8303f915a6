import { join, sep } from 'node:path';
import { debuglog } from 'node:util';
import type { EdgeCode } from './error-codes.js';

/**
 * One problem: what is wrong, where, and what to write instead.
 *
 * @category Understand errors and warnings
 */
export interface EdgeProblem {
  /** Stable code, a key of {@link EDGE_CODES}. */
  readonly code: EdgeCode;
  /** Path of the offending property, for example `taints[0].effect`; empty when it is the whole input. */
  readonly path: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
}

/**
 * Something that works, but perhaps not as intended. A warning fails nothing, unless `EdgeWarnings.setMode` is `error`: cdk8s prints it
 * at synth, Pulumi shows it at the component.
 *
 * @category Understand errors and warnings
 */
export interface EdgeWarning extends EdgeProblem {
  /** Path of the construct to which the warning belongs.
   * @default - not bound to a construct */
  readonly construct?: string;
  /** Why it is accepted, by `EdgeWarnings.accept`: it is not shown, and fails nothing.
   * @default - it is not accepted */
  readonly accepted?: string;
}

/**
 * The error type of this library. It holds all problems of one construct at once; `code`, `path` and `hint` are those of the first.
 * Text in the format of a bootstrap token is replaced by `<token>` in all of them.
 *
 * Its `stack`, which is what a terminal shows of an uncaught error, has the message, where its codes are explained, and only the frame of the user's
 * program: it shows which line to change. With NODE_DEBUG=edge-nodepools the whole stack trace is printed on stderr.
 *
 * @category Understand errors and warnings
 */
export class EdgeError extends Error {
  /** `EdgeError`. */
  public override readonly name = 'EdgeError';
  /** Code of the first problem. */
  public readonly code: EdgeCode;
  /** Property path of the first problem. */
  public readonly path: string;
  /** What to write instead, for the first problem. */
  public readonly hint: string;
  /** All problems, in the order in which they were found; at least one. */
  public readonly problems: readonly EdgeProblem[];
  /** What the problems belong to: kind and construct path, or the function's subject. */
  public readonly subject: string;

  /**
   * @param subject what the problems belong to, for example `HostNetworkNodePool app/fleet/beijing`
   * @param problems all problems; at least one
   */
  constructor(subject: string, problems: readonly EdgeProblem[]) {
    const shown = problems.map(withoutTokens);
    super(explain(withoutToken(subject), shown));
    const first = shown[0];
    if (first === undefined) {
      throw new TypeError('an EdgeError needs at least one problem');
    }
    this.code = first.code;
    this.path = first.path;
    this.hint = first.hint;
    this.problems = shown;
    this.subject = withoutToken(subject);
    // an uncaught error is printed with its enumerable properties, which repeat what is in message and stack
    for (const property of ['name', 'code', 'path', 'hint', 'problems', 'subject']) {
      Object.defineProperty(this, property, { enumerable: false });
    }
    debuglog('edge-nodepools')('%s', this.stack);
    const declaredAt = userFrame(this.stack ?? '');
    Object.defineProperty(this, 'stack', {
      value: [`${this.name}: ${this.message}`, seeLine(shown), declaredAt].filter(Boolean).join('\n'),
      configurable: true,
      writable: true,
    });
  }
}

function explain(subject: string, problems: readonly EdgeProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [`${subject}: ${count}`, ...problems.map(asLines)].join('\n');
}

/** Where the codes of problems or warnings are explained, as a line for a terminal. */
export function seeLine(problems: readonly Pick<EdgeProblem, 'code'>[], folder = 'node_modules/'): string {
  const anchors = [...new Set(problems.map(({ code }) => `#${code.toLowerCase()}`))];
  // where npm, pnpm and yarn put it, so that an editor opens it with a click
  return `  see ${folder}edge-nodepools/docs/troubleshooting.md${anchors.join(' ')}`;
}

/** A problem or a warning as lines for a terminal. */
export function explainProblem(problem: EdgeProblem): string {
  return asLines(withoutTokens(problem));
}

function asLines(problem: EdgeProblem): string {
  const { code, path, message, hint } = inBrief(problem);
  const where = path === '' ? '' : `${path}: `;
  return `  ${code}  ${where}${message}\n      -> ${hint}`;
}

/** Longer text is not shown as a whole: it quotes what was refused, perhaps a file. */
const LONG = 2000;

function brief(text: string): string {
  if (text.length <= LONG) {
    return text;
  }
  // the rule and what to write are behind a value; no half of a surrogate pair
  const [begin, end] = [text.slice(0, 80), text.slice(-160)];
  return `${begin.replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters) …${end.replace(/^[\udc00-\udfff]/, '')}`;
}

/** A problem as it is shown. Only there a long value is shortened: what redacts secrets finds them in the whole text, and would not find the beginning of one. */
export function inBrief<P extends EdgeProblem>(problem: P): P {
  return { ...problem, path: visible(brief(problem.path)), message: brief(problem.message), hint: brief(problem.hint) };
}

/**
 * The format of a bootstrap token (k8s.io/cluster-bootstrap/token/api), for regular expressions. It stands here because messages redact tokens; join/token-format.ts
 * checks them.
 */
export const TOKEN_FORMAT = '[a-z0-9]{6}\\.[a-z0-9]{16}';
/**
 * Placeholder wherever the token is not written: in `joinConfiguration`, in hashes, and in files that get the token on the node. It has the format of a
 * token, so that kubeadm accepts the document. The script refuses to join with it.
 */
export const TOKEN_PLACEHOLDER = 'token0.placeholder00000';
/** A token in a message. In JSON it may follow an escape: the `n` of `\n` does not belong to the token. */
const TOKEN = new RegExp(`(?<=^|[^A-Za-z0-9]|\\\\[nrtbf]|\\\\u[0-9a-f]{4})${TOKEN_FORMAT}(?![A-Za-z0-9])`, 'g');
/** How each token ends, which is found forty times as fast in a long text. */
const TOKEN_END = /\.[a-z0-9]{16}(?![A-Za-z0-9])/;

/** What a terminal obeys instead of showing it: control characters except for line feeds, directions of writing, halves of surrogate pairs. */
const UNSHOWN = /[^\P{Cc}\n]|[\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text for a terminal or a comment: what would not be shown is escaped as in JSON. */
export function visible(text: string): string {
  return text.replace(UNSHOWN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Messages quote wrong values, and such a value may be a token in the wrong place: this redacts it, and escapes what would not be shown. */
function withoutToken(text: string): string {
  return visible(TOKEN_END.test(text) ? text.replace(TOKEN, '<token>') : text);
}

/** A problem with its tokens redacted. In a path only quoted steps can hold a token: `labels.siteofproduction` is a label. */
export function withoutTokens<P extends EdgeProblem>(problem: P): P {
  return {
    ...problem,
    // what is quoted in it has its control characters escaped already
    path: problem.path.replace(/\["(?:[^"\\]|\\.)*"\]/g, withoutToken),
    message: withoutToken(problem.message),
    hint: withoutToken(problem.hint),
  };
}

/** The first stack frame outside of this library, its dependencies and Node.js. */
export function userFrame(stack: string): string | undefined {
  // src: by source maps
  const root = __dirname.replace(/[\\/](lib|src[\\/]base)$/, '');
  const own = ['lib', 'src'].map((folder) => join(root, folder, sep));
  const isForeign = (line: string): boolean => /node:|[\\/]node_modules[\\/]|\(<anonymous>\)/.test(line);
  return stack
    .split('\n')
    .find((line) => /^\s+at /.test(line) && !own.some((path) => line.includes(path)) && !isForeign(line));
}

/** Begins the text of an unknown value. A problem that quotes such a text is about an unknown value, whatever its path. */
export const UNKNOWN_MARK = '\uE000<unknown ';

/** How an Output of Pulumi prints itself in a text, in TypeScript and in Python. */
const OUTPUT_AS_TEXT = /Calling (\[to(JSON|String)\] on an \[Output<T>\]|__str__ on an Output\[T\])/;

/** Whether a text was made of an Output, by a template, by + or by JSON.stringify. */
export function holdsOutput(text: string): boolean {
  return text.includes('on an ') && OUTPUT_AS_TEXT.test(text);
}

/** Message and hint for such a text. */
export const OUTPUT_IN_TEXT = {
  message: 'an Output was converted to text, where its value is not known yet',
  hint: 'write it with an apply (in TypeScript pulumi.interpolate`…${output}…`, in Python Output.format, in Go pulumi.Sprintf); where no Output is accepted, read the value first',
} as const;

/** Message and hint for an Output where only a plain value makes sense. */
export const OUTPUT_REFUSED = {
  message: 'must be a plain value, not an Output',
  hint: 'write the value itself, or read it before the program declares resources, such as from its configuration',
} as const;

/** Collects problems while an input is checked. `at` returns a view of the same list for a nested property. */
export class ProblemList {
  public readonly problems: EdgeProblem[];

  /**
   * @param base path of the input, or the list of what contains it
   * @param problems the list to fill
   * @param unknown paths of unknown values: problems of such a value, of a part of it or of what contains it are dropped, and found when it is known
   * @param steps from the base
   */
  constructor(
    private readonly base: string | ProblemList = '',
    problems: EdgeProblem[] = [],
    private readonly unknown: readonly string[] = [],
    private readonly steps: readonly (string | number)[] = [],
  ) {
    this.problems = problems;
  }

  public at(...steps: readonly (string | number)[]): ProblemList {
    return new ProblemList(this, this.problems, this.unknown, steps);
  }

  /** Path of the value to which this view belongs. */
  public get path(): string {
    return this.steps.reduce<string>(joinPath, typeof this.base === 'string' ? this.base : this.base.path);
  }

  /** @param holds whether the problem is one for any value of an unknown property; otherwise it is dropped while the value is unknown */
  public add(code: EdgeCode, message: string, hint: string, holds?: 'for any value'): void {
    const said = `${message}${hint}`;
    // of most places no problem is reported, so their paths are not written
    const { path } = this;
    if (holdsOutput(said)) {
      this.problems.push({ code: 'EDGE_KNOWN_LATER', path, ...OUTPUT_REFUSED });
      return;
    }
    // whether a property exists does not depend on its value
    const isAbout = code !== 'EDGE_UNKNOWN_PROPERTY' && isAboutUnknown(path, this.unknown);
    if (code === 'EDGE_KNOWN_LATER' || holds === 'for any value' || !(isAbout || said.includes(UNKNOWN_MARK))) {
      this.problems.push({ code, path, message, hint });
    }
  }

  public throwIfAny(subject: string): void {
    if (this.problems.length > 0) {
      throw new EdgeError(subject, [...this.problems]);
    }
  }
}

/** Whether a path is that of an unknown value, of a part of it, or of what contains it. */
export function isAboutUnknown(path: string, unknown: readonly string[]): boolean {
  return unknown.some((one) => one === path || isInside(one, path) || isInside(path, one));
}

function isInside(outer: string, inner: string): boolean {
  return outer === '' || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** The path of a nested property: `a`, `a.b`, `a[0]`, `a["x/y"]`. */
export function joinPath(base: string, step: string | number): string {
  if (typeof step === 'number') {
    return `${base}[${step}]`;
  }
  if (!/^[A-Za-z_$][\w$]*$/.test(step)) {
    return `${base}[${JSON.stringify(step)}]`;
  }
  return base === '' ? step : `${base}.${step}`;
}

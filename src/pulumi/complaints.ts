import { type EdgeCode, EdgeError, type EdgeProblem } from '../errors.js';
import { ValueNeeded, withoutStandIns } from './stand-in.js';
import type { Leaf } from './template.js';

/** What is wrong with a property, and not with its value. */
const CODES_OF_KEYS: readonly EdgeCode[] = [
  'EDGE_UNKNOWN_PROPERTY',
  'EDGE_FIELD_NOT_IN_RELEASE',
  'EDGE_LABEL',
  'EDGE_ANNOTATION',
  'EDGE_RESERVED_KEY',
  'EDGE_KUBELET_FLAG',
];

/** What a rule says of each leaf in whatever form. */
export class Complaints {
  private readonly always = new Map<Leaf, ReadonlySet<string>>();

  /** Notes what was said of leaves in the form that they have. */
  public note(leaves: readonly Leaf[], error: unknown): void {
    for (const leaf of leaves) {
      const said = problemsOf(error)
        .filter((problem) => isAt(leaf, problem))
        .map((problem) => JSON.stringify(problem));
      const before = this.always.get(leaf);
      this.always.set(leaf, new Set(before === undefined ? said : said.filter((text) => before.has(text))));
    }
  }

  /**
   * All problems, when no form of some leaves pleases. What is said of the key of a leaf whatever its form is, is said to the user; everything else
   * means that the value must be known.
   */
  public problems(exhausted: readonly Leaf[], error: unknown): EdgeProblem[] {
    const ofKey = (leaf: Leaf): EdgeProblem[] =>
      [...(this.always.get(leaf) ?? [])]
        .map((text) => JSON.parse(text) as EdgeProblem)
        .filter(({ code }) => CODES_OF_KEYS.includes(code));
    const others = problemsOf(error).filter((problem) => !exhausted.some((leaf) => isAt(leaf, problem)));
    const own = exhausted.flatMap((leaf) => (ofKey(leaf).length > 0 ? ofKey(leaf) : [mustBePlain(leaf)]));
    return [...others, ...own].map(withoutStandInsIn);
  }
}

/** The leaves because of which a rule was not content. */
export function blamed(leaves: readonly Leaf[], error: unknown): readonly Leaf[] {
  if (error instanceof ValueNeeded) {
    return leaves.filter(({ index }) => index === error.index);
  }
  if (error instanceof EdgeError) {
    const found = leaves.filter((leaf) => error.problems.some((problem) => isAt(leaf, problem)));
    // or what a list or a document is made of; a form that is left may please, and if none does it was not the leaf
    const isIn = (leaf: Leaf, { path }: EdgeProblem): boolean =>
      path !== '' && leaf.form < leaf.forms.length && isInside(path, leaf.path);
    return found.length > 0 ? found : leaves.filter((leaf) => error.problems.some((one) => isIn(leaf, one)));
  }
  // a rule that takes a value for text without asking
  return error instanceof TypeError ? leaves.filter(({ form }) => form === 0) : [];
}

/** Says that a value must be known. */
export function mustBePlain({ path }: Leaf): EdgeProblem {
  return {
    code: 'EDGE_KNOWN_LATER',
    path,
    message: 'this must be known while the program runs, because it decides what is made',
    hint: 'write a plain value, not an Output or a Promise; in a map or a list, the values may be Outputs',
  };
}

/** A problem in which no stand-in can be read. */
export function withoutStandInsIn(problem: EdgeProblem): EdgeProblem {
  return { ...problem, message: withoutStandIns(problem.message), hint: withoutStandIns(problem.hint) };
}

function problemsOf(error: unknown): readonly EdgeProblem[] {
  return error instanceof EdgeError ? error.problems : [];
}

/** Whether a problem is one of a leaf, or of what was made of it. */
function isAt(leaf: Leaf, { path }: EdgeProblem): boolean {
  return path === leaf.path || isInside(leaf.path, path);
}

function isInside(outer: string, inner: string): boolean {
  return inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

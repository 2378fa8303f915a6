import type { IConstruct, IValidation } from 'constructs';

type FindAll = IConstruct['node']['findAll'];

/** What cdk8s calls to synthesize an app; it is one synth from the beginning to the end of the call. */
const ENTRIES = ['synth', 'synthYaml'] as const;
type Synthesized = IConstruct & Partial<Record<(typeof ENTRIES)[number], () => unknown>>;

const runs = new WeakMap<IConstruct, SynthRun>();

/**
 * The synths of a tree. cdk8s validates the whole tree again for every chart (`_synthChart` in cdk8s/lib/app.js), so a check that walks the tree would be
 * quadratic in the charts. Within one synth a check runs again only if the tree has changed, which is read off the list of constructs that cdk8s makes
 * for each chart anyway.
 */
class SynthRun {
  /** Counts what may change the answer of a check. */
  public changes = 0;
  private depth = 0;
  /** The constructs at the last walk of this synth. */
  private constructs: readonly IConstruct[] | undefined;

  constructor(private readonly root: Synthesized) {
    for (const name of ENTRIES) {
      const run = root[name];
      if (typeof run === 'function') {
        const value = (...args: []): unknown => this.during(() => run.apply(root, args));
        Object.defineProperty(root, name, { value, configurable: true, writable: true });
      }
    }
  }

  public get isRunning(): boolean {
    return this.depth > 0;
  }

  public nodes(): readonly IConstruct[] {
    return this.constructs ?? this.root.node.findAll();
  }

  public during<T>(run: () => T): T {
    if (this.depth > 0) {
      return run();
    }
    const { node } = this.root;
    const own = Object.getOwnPropertyDescriptor(node, 'findAll');
    const findAll = node.findAll.bind(node);
    this.depth++;
    this.changes++;
    Object.defineProperty(node, 'findAll', {
      value: (...order: Parameters<FindAll>) => {
        const found = findAll(...order);
        this.note(found);
        return found;
      },
      configurable: true,
      writable: true,
    });
    try {
      return run();
    } finally {
      this.depth--;
      this.constructs = undefined;
      if (own === undefined) {
        Reflect.deleteProperty(node, 'findAll');
      } else {
        Object.defineProperty(node, 'findAll', own);
      }
    }
  }

  private note(found: readonly IConstruct[]): void {
    const before = this.constructs;
    if (before?.length !== found.length || found.some((construct, index) => construct !== before[index])) {
      this.changes++;
      this.constructs = [...found];
    }
  }
}

function runOf({ node: { root } }: IConstruct): SynthRun {
  const run = runs.get(root) ?? new SynthRun(root);
  runs.set(root, run);
  return run;
}

/**
 * A validation that runs once per synth of its tree, and again when the tree has changed since. Without a synth of the app, as in `chart.toJson()`, it
 * runs whenever it is called.
 */
export function oncePerSynth(construct: IConstruct, check: () => void): IValidation {
  const checked = foundPerSynth(construct, check);
  return {
    validate: () => {
      checked();
      return [];
    },
  };
}

/** A search that is made once per synth of its tree, and again when the tree has changed since. Without a synth it is made at every call. */
export function foundPerSynth<T>(construct: IConstruct, find: () => T): () => T {
  const run = runOf(construct);
  let found: { readonly at: number; readonly value: T } | undefined;
  return () => {
    if (!run.isRunning || found?.at !== run.changes) {
      found = { at: run.changes, value: find() };
    }
    return found.value;
  };
}

/** Tells the checks of a tree to run again: something has changed that is not in the list of its constructs. */
export function changed(construct: IConstruct): void {
  runOf(construct).changes++;
}

/** A construct and its descendants, in the order of the tree. During a synth, those of the whole tree are not looked for again. */
export function constructsIn(scope: IConstruct): readonly IConstruct[] {
  return scope.node.scope === undefined ? runOf(scope).nodes() : scope.node.findAll();
}

/** Runs several syntheses of parts of a tree, such as its charts one by one, as one synth. A tree without checks of this library is left as it is. */
export function asOneSynth<T>(construct: IConstruct, synthesize: () => T): T {
  const run = runs.get(construct.node.root);
  return run === undefined ? synthesize() : run.during(synthesize);
}

import type { IConstruct } from 'constructs';
import { EdgeError, type EdgeWarning, explainProblem, ProblemList } from '../errors.js';
import { checkOneOf } from '../validation/properties.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';

/** What to show at the end of the process, for trees that were not synthesized. */
let expected: Set<() => void> | undefined;

const METADATA_TYPE = 'edge-nodepools:warning';
const LATE_TYPE = 'edge-nodepools:late-warning';

const SHOWN_PER_CODE = 20;

/**
 * What happens to warnings at synth: they are printed to stderr, not shown, or fail the synth.
 *
 * @category Understand errors and warnings
 */
export type WarningMode = 'print' | 'silent' | 'error';

const modes = new WeakMap<object, WarningMode>();

/** Roots whose synth shows warnings, and the warnings that were already shown. */
const shown = new WeakMap<IConstruct, Set<string>>();

/** Clusters whose warnings were already added to a tree. */
const clusters = new WeakMap<IConstruct, WeakSet<EdgeCluster>>();

/**
 * The warnings of a construct tree. At synth they are printed to stderr, each once; {@link EdgeWarnings.setMode} changes that.
 *
 * @category Understand errors and warnings
 */
export class EdgeWarnings {
  /**
   * All warnings of a construct and its descendants, in the order of the tree.
   * @param scope for example the app
   */
  public static of(scope: IConstruct): EdgeWarning[] {
    return scope.node
      .findAll()
      .flatMap((construct) => construct.node.metadata)
      .flatMap(({ type, data }) =>
        type === METADATA_TYPE ? [data as EdgeWarning] : type === LATE_TYPE ? (data as () => EdgeWarning[])() : [],
      );
  }

  /**
   * Adds warnings to a construct.
   * @param construct the construct to which the warnings belong
   * @param warnings the warnings
   */
  public static add(construct: IConstruct, warnings: readonly EdgeWarning[]): void {
    for (const warning of warnings) {
      construct.node.addMetadata(METADATA_TYPE, { ...warning, construct: construct.node.path });
    }
    if (warnings.length > 0) {
      showAtSynth(construct.node.root);
    }
  }

  /**
   * Sets what happens to the warnings of a whole tree at synth.
   * @param scope any construct of the tree, for example the app
   * @param mode `print` (the default), `silent`, or `error` to fail the synth
   * @throws {@link EdgeError} with EDGE_VALUE
   */
  public static setMode(scope: IConstruct, mode: WarningMode): void {
    const problems = new ProblemList();
    checkOneOf(mode, ['print', 'silent', 'error'], problems.at('mode'));
    problems.throwIfAny('EdgeWarnings.setMode');
    modes.set(scope.node.root, mode);
  }

  private constructor() {}
}

/** Adds warnings that depend on the whole tree, and are computed whenever warnings are read. */
export function addLateWarnings(construct: IConstruct, find: () => EdgeWarning[]): void {
  construct.node.addMetadata(LATE_TYPE, () =>
    find().map((warning) => ({ ...warning, construct: warning.construct ?? construct.node.path })),
  );
  showAtSynth(construct.node.root);
}

/**
 * Shows a warning when the process ends, unless the tree is synthesized before.
 * @returns to be called at synth
 */
export function expectSynth(construct: IConstruct, warning: EdgeWarning): () => void {
  const { root, path } = construct.node;
  const tree = new WeakRef(root);
  const show = (): void => {
    const mode = modes.get(tree.deref() ?? {});
    if (mode !== 'silent') {
      process.stderr.write(`${textOf({ ...warning, construct: path })}\n`);
    }
  };
  if (expected === undefined) {
    const all = new Set<() => void>();
    process.once('beforeExit', () => all.forEach((each) => each()));
    expected = all;
  }
  expected.add(show);
  return () => void expected?.delete(show);
}

/** Adds the warnings of a cluster to a tree, once. */
export function addClusterWarnings(construct: IConstruct, cluster: EdgeCluster): void {
  const { root } = construct.node;
  const known = clusters.get(root) ?? new WeakSet();
  if (!known.has(cluster)) {
    known.add(cluster);
    clusters.set(root, known);
    EdgeWarnings.add(
      construct,
      cluster.warnings.map((warning) => ({ ...warning, path: `EdgeCluster.${warning.path}` })),
    );
  }
}

/** cdk8s has no warnings; a validation is the only hook that every kind of synthesis calls. It runs once per chart, so shown warnings are recorded. */
function showAtSynth(root: IConstruct): void {
  if (shown.has(root)) {
    return;
  }
  const done = new Set<string>();
  shown.set(root, done);
  root.node.addValidation({
    validate: () => {
      const mode = modes.get(root) ?? 'print';
      const warnings = mode === 'silent' ? [] : EdgeWarnings.of(root);
      if (mode === 'error' && warnings.length > 0) {
        throw new EdgeError('warnings are errors here', warnings);
      }
      const fresh = warnings.filter((warning) => !done.has(textOf(warning)));
      fresh.forEach((warning) => done.add(textOf(warning)));
      if (fresh.length > 0) {
        process.stderr.write(`${shortened(fresh).join('\n')}\n`);
      }
      return [];
    },
  });
}

function textOf(warning: EdgeWarning): string {
  return `warning: ${warning.construct}\n${explainProblem(warning)}`;
}

/** The first warnings of each code: a large fleet would otherwise print the same warning thousands of times. */
function shortened(warnings: readonly EdgeWarning[]): string[] {
  const counts = new Map<string, number>();
  const lines = warnings.flatMap((warning) => {
    const count = (counts.get(warning.code) ?? 0) + 1;
    counts.set(warning.code, count);
    return count <= SHOWN_PER_CODE ? [textOf(warning)] : [];
  });
  const more = [...counts].filter(([, count]) => count > SHOWN_PER_CODE);
  return [
    ...lines,
    ...more.map(([code, count]) => `warning: ${code} ${count - SHOWN_PER_CODE} times more (all: EdgeWarnings.of(app))`),
  ];
}

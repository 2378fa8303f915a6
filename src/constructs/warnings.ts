import type { IConstruct, IValidation } from 'constructs';
import type { EdgeCode } from '../base/error-codes.js';
import { EdgeError, type EdgeWarning, ProblemList } from '../base/errors.js';
import { checkOneOf } from '../base/properties.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { AcceptedWarnings, summaries } from '../cluster/warning-summary.js';
import { requireConstruct } from './tree.js';
import { changed, constructsIn, oncePerSynth } from './synth-run.js';

/** What to show at the end of the process, for trees that were not synthesized. */
let expected: Set<() => void> | undefined;

const METADATA_TYPE = 'edge-nodepools:warning';
const LATE_TYPE = 'edge-nodepools:late-warning';

const modes = new WeakMap<object, Parameters<typeof EdgeWarnings.setMode>[1]>();

/** Roots whose synth shows warnings, and what shows those that are new. */
const shown = new WeakMap<IConstruct, IValidation>();

/** Clusters whose warnings were already added to a tree. */
const clusters = new WeakMap<IConstruct, WeakSet<EdgeCluster>>();

/** What is accepted in a construct and its descendants. */
const accepted = new WeakMap<IConstruct, AcceptedWarnings>();

/**
 * The warnings of a construct tree. At synth they are printed to stderr, with one entry per code: a count, and the first three places.
 * {@link EdgeWarnings.setMode} changes that, and {@link EdgeWarnings.accept} leaves out what is fine.
 *
 * @category Understand errors and warnings
 */
export class EdgeWarnings {
  /**
   * All warnings of a construct and its descendants, in the order of the tree. Those that are accepted have the reason in `accepted`.
   * @param scope for example the app
   * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE
   */
  public static of(scope: IConstruct): EdgeWarning[] {
    requireConstruct(scope, 'EdgeWarnings.of');
    return constructsIn(scope).flatMap((construct) =>
      construct.node.metadata
        .flatMap(({ type, data }) =>
          type === METADATA_TYPE ? [data as EdgeWarning] : type === LATE_TYPE ? (data as () => EdgeWarning[])() : [],
        )
        .map((warning) => {
          const reason = reasonToAccept(construct, warning.code);
          return reason === undefined ? warning : { ...warning, accepted: reason };
        }),
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
      changed(construct);
      showAtSynth(construct.node.root);
    }
  }

  /**
   * Accepts the warnings of a code in a construct and its descendants: they are not printed, and do not fail the synth. {@link EdgeWarnings.of} still
   * returns them, with the reason. The warnings of a cluster belong to the first construct that uses it; accept them at the app.
   * @param scope the construct, for example a chart or the app
   * @param code code of the warnings
   * @param reason why they are fine here
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE or EDGE_VALUE
   */
  public static accept(scope: IConstruct, code: EdgeCode, reason: string): void {
    requireConstruct(scope, 'EdgeWarnings.accept');
    const known = accepted.get(scope) ?? new AcceptedWarnings();
    known.accept(code, reason);
    accepted.set(scope, known);
    changed(scope);
  }

  /**
   * Sets what happens to the warnings of a whole tree at synth.
   * @param scope any construct of the tree, for example the app
   * @param mode `print` to stderr (the default), `silent`, or `error` to fail the synth
   * @throws {@link EdgeError} with EDGE_VALUE, EDGE_MISSING or EDGE_TYPE
   */
  public static setMode(scope: IConstruct, mode: 'print' | 'silent' | 'error'): void {
    requireConstruct(scope, 'EdgeWarnings.setMode');
    const problems = new ProblemList();
    checkOneOf(mode, ['print', 'silent', 'error'], problems.at('mode'));
    problems.throwIfAny('EdgeWarnings.setMode');
    modes.set(scope.node.root, mode);
    changed(scope);
  }

  private constructor() {}
}

/** Whether the warnings of a tree are off. */
export function isSilent(root: IConstruct): boolean {
  return modes.get(root) === 'silent';
}

/** The reason of the nearest construct that accepts a code. */
function reasonToAccept(construct: IConstruct, code: EdgeCode): string | undefined {
  return construct.node.scopes
    .map((scope) => accepted.get(scope)?.reasonFor(code))
    .filter((reason) => reason !== undefined)
    .at(-1);
}

/** Adds warnings that depend on the whole tree, and are computed whenever warnings are read. */
export function addLateWarnings(construct: IConstruct, find: () => EdgeWarning[]): void {
  construct.node.addMetadata(LATE_TYPE, () =>
    find().map((warning) => ({ ...warning, construct: warning.construct ?? construct.node.path })),
  );
  changed(construct);
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
      process.stderr.write(`${summaries([{ ...warning, construct: path }], '').join('\n')}\n`);
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

/**
 * Shows a warning at once: one about what is known only when the files are written.
 *
 * @throws {@link EdgeError} with the code of the warning, if warnings are errors
 */
export function showNow(construct: IConstruct, warning: EdgeWarning): void {
  const { root, path } = construct.node;
  const mode = modes.get(root) ?? 'print';
  if (mode === 'silent' || reasonToAccept(construct, warning.code) !== undefined) {
    return;
  }
  if (mode === 'error') {
    throw new EdgeError('warnings are errors here', [warning]);
  }
  process.stderr.write(`${summaries([path === '' ? warning : { ...warning, construct: path }], '').join('\n')}\n`);
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

/** cdk8s has no warnings; a validation is the only hook that every kind of synthesis calls. It may run once per chart, so shown warnings are recorded. */
function showAtSynth(root: IConstruct): void {
  if (shown.has(root)) {
    return;
  }
  const done = new Set<string>();
  const validation = oncePerSynth(root, () => {
    const mode = modes.get(root) ?? 'print';
    const warnings = mode === 'silent' ? [] : EdgeWarnings.of(root).filter((one) => one.accepted === undefined);
    if (mode === 'error' && warnings.length > 0) {
      throw new EdgeError('warnings are errors here', warnings.map(withConstruct));
    }
    const fresh = warnings.filter((warning) => !done.has(JSON.stringify(warning)));
    fresh.forEach((warning) => done.add(JSON.stringify(warning)));
    if (fresh.length > 0) {
      process.stderr.write(`${summaries(fresh, ' (all: EdgeWarnings.of(app))').join('\n')}\n`);
    }
  });
  shown.set(root, validation);
  root.node.addValidation(validation);
}

/** Shows the warnings that were added since the validation of the root, such as those that a validation below it adds. */
export function showAdded(root: IConstruct): void {
  shown.get(root)?.validate();
}

/** A warning as a problem of the whole tree: its path begins with the construct. */
function withConstruct(warning: EdgeWarning): EdgeWarning {
  return {
    ...warning,
    path: [warning.construct, warning.path].filter((part) => part !== undefined && part !== '').join(' '),
  };
}

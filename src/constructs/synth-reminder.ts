import type { IConstruct } from 'constructs';
import { summaries } from '../cluster/warning-summary.js';
import type { EdgeWarning } from '../base/errors.js';
import { artifactsOf } from './artifact.js';
import { isApp } from './tree.js';
import { isSilent } from './warnings.js';

/** What of a tree was read or written, as long as something may be forgotten. */
interface Tree {
  /** Objects of the tree were read: by a synth, `synthYaml`, or a test. */
  isRead: boolean;
  /** The last synth of the app itself is over. */
  isWritten: boolean;
  /** The first construct that was declared since then. */
  late?: string | undefined;
  /** Files that are not manifests, when the manifests were written. */
  files: readonly string[];
  /** Whether its warnings are off. */
  readonly isSilent: () => boolean;
}

const trees = new WeakMap<IConstruct, Tree>();
/** Not the constructs: a program may make many trees. */
const open = new Set<Tree>();
let isListening = false;

/**
 * Reminds at the end of the process of an app of which nothing was written, because `app.synth()` is missing, or of which the files that are not manifests
 * were not, because `writeArtifacts(app)` is. Not in tests, which need neither, and not when the program has failed.
 */
export function remindOf(construct: IConstruct): void {
  const { root } = construct.node;
  const known = trees.get(root);
  if (known?.isWritten === true) {
    known.late ??= construct.node.path;
    settle(known);
  }
  if (known !== undefined || !isApp(root) || isTest()) {
    return;
  }
  const reference = new WeakRef(root);
  const tree: Tree = {
    isRead: false,
    isWritten: false,
    files: [],
    isSilent: () => {
      const there = reference.deref();
      return there !== undefined && isSilent(there);
    },
  };
  trees.set(root, tree);
  open.add(tree);
  // every way to read the objects runs the validations of the whole tree first
  root.node.addValidation({
    validate: () => {
      tree.isRead = true;
      settle(tree);
      return [];
    },
  });
  const synth = root.synth.bind(root);
  root.synth = () => {
    tree.isWritten = false;
    synth();
    tree.isRead = true;
    tree.isWritten = true;
    tree.late = undefined;
    tree.files = artifactsOf(root).map(({ path }) => path);
    settle(tree);
  };
  listen();
}

/** Mixins that no tree has. */
const unused = new Set<object>();

/** Reminds at the end of the process of a mixin that was made and never applied: it excludes nothing. */
export function remindOfMixin(mixin: object): void {
  if (!isTest()) {
    unused.add(mixin);
    listen();
  }
}

/** Records that a mixin is applied. */
export function mixinApplied(mixin: object): void {
  unused.delete(mixin);
}

/** Records that the files of an app are written. */
export function filesWritten(app: IConstruct): void {
  const tree = trees.get(app);
  if (tree !== undefined) {
    tree.files = [];
    settle(tree);
  }
}

function settle(tree: Tree): void {
  if (tree.isRead && tree.files.length === 0 && tree.late === undefined) {
    open.delete(tree);
  } else {
    open.add(tree);
  }
}

/** Whether a test runner has loaded the program: Jest, Vitest, the one of Node.js, Mocha and others that have `describe`. */
function isTest(): boolean {
  const { JEST_WORKER_ID, VITEST, NODE_TEST_CONTEXT, NODE_ENV } = process.env;
  return (
    [JEST_WORKER_ID, VITEST, NODE_TEST_CONTEXT].some((value) => value !== undefined) ||
    NODE_ENV === 'test' ||
    typeof (globalThis as { describe?: unknown }).describe === 'function'
  );
}

function listen(): void {
  if (isListening) {
    return;
  }
  isListening = true;
  // not emitted after an uncaught error or process.exit
  process.once('beforeExit', () => {
    const isFine = process.exitCode === undefined || Number(process.exitCode) === 0;
    const trees = [...open].filter((tree) => !tree.isSilent()).map(reminder);
    const shown = isFine ? [...trees, ...(unused.size > 0 ? [UNUSED_MIXIN] : [])] : [];
    const texts = new Set(shown.map((warning) => summaries([warning], '').join('\n')));
    texts.forEach((text) => process.stderr.write(`${text}\n`));
  });
}

const UNUSED_MIXIN: EdgeWarning = {
  code: 'EDGE_UNUSED',
  path: 'ExcludedWorkload.mixin',
  message: 'the mixin is not applied to anything, so it excludes nothing',
  hint: 'write chart.with(ExcludedWorkload.mixin({ cluster })), or app.with(…) for every chart',
};

function reminder({ isRead, files, late }: Tree): EdgeWarning {
  if (late !== undefined) {
    return {
      code: 'EDGE_NOT_WRITTEN',
      path: 'app',
      message: `${late} was declared after app.synth(), and is not written`,
      hint: 'write app.synth() at the end of the program',
    };
  }
  return isRead
    ? {
        code: 'EDGE_NOT_WRITTEN',
        path: 'app',
        message: `the manifests are written, and ${files.length} other ${files.length === 1 ? 'file is' : 'files are'} not: ${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''}`,
        hint: "write writeArtifacts(app) after app.synth(), with import { writeArtifacts } from 'edge-nodepools'",
      }
    : {
        code: 'EDGE_NOT_WRITTEN',
        path: 'app',
        message: 'nothing is written: the program has declared pools or workloads, and has ended without app.synth()',
        hint: 'write app.synth() at the end of the program',
      };
}

import { quoteForShell, shellComment } from '../text/shell.js';
import type { PreconditionFile } from '../preconditions/precondition.js';

/**
 * Where a step of an upgrade runs: on a machine with kubectl, on each control-plane node or on each node one after the other, or as a change of the
 * program that declares the fleet.
 */
export type UpgradePlace = 'kubectl' | 'control-plane' | 'node' | 'program';

/**
 * One step of an upgrade. Steps with `place` `kubectl` are run by `upgrade.sh`; at the others it stops, and says what to do.
 */
export interface UpgradeStep {
  /** Name of the step, unique in the plan: `annotate-pools`. */
  readonly id: string;
  /** What is done, one sentence. */
  readonly what: string;
  /** Why, one or two sentences. */
  readonly why: string;
  /** What becomes of running Pods. */
  readonly pods: string;
  /** Where it runs. */
  readonly place: UpgradePlace;
  /** Shell commands that succeed once the step is done; empty if the cluster does not show it, so that the plan's folder remembers it. */
  readonly check: readonly string[];
  /** Shell commands that can be repeated, or instructions for steps outside of `kubectl`. */
  readonly commands: readonly string[];
  /** Shell commands that succeed if the step has worked. */
  readonly verify: readonly string[];
  /** Shell commands that undo the step; undefined if nothing does.
   * @default - there is no way back */
  readonly back?: readonly string[];
  /** Why there is no way back, and what to keep for that case.
   * @default - there is a way back */
  readonly noWayBack?: string;
  /** A shell command that fails if a variable that the step needs is not set.
   * @default - it needs none */
  readonly needs?: string;
  /** Files that it needs, below the folder of the plan. */
  readonly files: readonly PreconditionFile[];
}

/** Properties of a step; lists are empty by default. */
type StepInput = Pick<UpgradeStep, 'id' | 'what' | 'why' | 'pods'> & Partial<UpgradeStep>;

/** A step. */
export function upgradeStep(input: StepInput): UpgradeStep {
  return { place: 'kubectl', check: [], commands: [], verify: [], files: [], ...input };
}

/** The name of a step's script without its extension: `02-annotate-pools`. */
export function scriptName(step: UpgradeStep, index: number): string {
  return `${String(index + 1).padStart(2, '0')}-${step.id}`;
}

/** Exit code of a step that a person does. */
const BY_HAND = 10;

/** The script of a step: `check`, `run`, `verify` or `back`. */
export function stepScript(step: UpgradeStep, index: number): string {
  const name = scriptName(step, index);
  const remembered = `done/${name}`;
  const branch = (word: string, lines: readonly string[]): string[] => [
    `  ${word})`,
    ...lines.map((line) => `    ${line}`),
    '    ;;',
  ];
  const byHand = [
    `say ${quoteForShell(`${step.what}\n${PLACES[step.place]}`)}`,
    ...step.commands.map((command) => `say ${quoteForShell(`  ${command}`)}`),
    `say ${quoteForShell(step.check.length === 0 ? 'Then: ' : 'Then run upgrade.sh again, which checks it; to go on without the check: ')}"sh $PWD/upgrade.sh --done ${name}"`,
    `exit ${BY_HAND}`,
  ];
  const back =
    step.back === undefined ? [`fail ${quoteForShell(`There is no way back: ${step.noWayBack ?? ''}`)}`] : step.back;
  return [
    '#!/bin/sh',
    ...shellComment(`${index + 1}. ${step.what}`),
    ...shellComment(step.why),
    ...shellComment(`Pods: ${step.pods}`),
    '# check: exit code 0 if it is done. run: does it, and can be repeated. verify: whether it has worked. back: undoes it.',
    'set -eu',
    'here=$PWD',
    'cd "$(dirname "$0")/.."',
    '. ./cluster.sh',
    'case "${1:-run}" in',
    ...branch('check', step.check.length === 0 ? [`test -e ${remembered}`] : step.check),
    ...branch('run', ['same_cluster', ...(step.place === 'kubectl' ? step.commands : byHand)]),
    ...branch('verify', step.verify.length === 0 ? ['true'] : step.verify),
    ...branch('back', ['same_cluster', ...back, `rm -f ${remembered}`]),
    '  *)',
    `    fail 'write check, run, verify or back'`,
    '    ;;',
    'esac',
    '',
  ].join('\n');
}

const PLACES: Readonly<Record<UpgradePlace, string>> = {
  kubectl: 'On a machine with kubectl:',
  'control-plane': 'On each control-plane node, one after the other:',
  node: 'On each of the nodes, one after the other:',
  program: 'In the program that declares the fleet:',
};

/**
 * The script that runs all steps in order, and continues where an earlier run stopped.
 *
 * @param needed shell commands that fail if a variable of a step is not set
 */
export function upgradeScript(title: string, steps: readonly UpgradeStep[]): string {
  const needed = steps.flatMap((step, index) =>
    step.needs === undefined ? [] : [`  test -e done/${scriptName(step, index)} || ${step.needs}`],
  );
  return [
    '#!/bin/sh',
    ...shellComment(title),
    '# Runs the steps in order. A step that is done is skipped, so that this can be run again at any point.',
    'set -eu',
    'here=$PWD',
    'cd "$(dirname "$0")"',
    '. ./cluster.sh',
    'case "${1-}" in',
    "  '') ;;",
    '  --status) ;;',
    '  --done)',
    `    case "\${2-}" in *[!A-Za-z0-9.-]* | '') fail 'write --done and the name of a step' ;; esac`,
    '    test -e "steps/$2.sh" || fail "there is no step $2"',
    '    same_cluster',
    '    mkdir -p done',
    '    echo "by hand" >"done/$2"',
    '    exit 0',
    '    ;;',
    '  *)',
    "    say 'upgrade.sh            runs the steps, or continues'",
    "    say 'upgrade.sh --status   shows which steps are done, and changes nothing'",
    "    say 'upgrade.sh --done X   remembers that step X was done by hand'",
    '    [ "$1" = --help ] || [ "$1" = -h ] || exit 2',
    '    exit 0',
    '    ;;',
    'esac',
    'same_cluster',
    ...(needed.length === 0 ? [] : ['if [ "${1-}" != --status ]; then', ...needed, 'fi']),
    `for name in ${steps.map(scriptName).join(' ')}; do`,
    '  script="steps/$name.sh"',
    '  if grep -qs "by hand" "done/$name" || sh "$script" check >/dev/null 2>&1; then',
    '    say "done     $name"',
    '    continue',
    '  fi',
    '  if [ "${1-}" = --status ]; then',
    '    say "to do    $name"',
    '    continue',
    '  fi',
    '  say "running  $name"',
    '  sh "$script" run || exit $?',
    '  sh "$script" verify || fail "$name has run, but has not worked; run upgrade.sh again, or: sh $PWD/$script back"',
    '  mkdir -p done',
    '  echo done >"done/$name"',
    'done',
    '',
  ].join('\n');
}

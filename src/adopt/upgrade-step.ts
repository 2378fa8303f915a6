import { shellScript, type ShellValue } from '../base/shell-script.js';
import type { PreconditionFile } from '../preconditions/precondition.js';
import { shell as shared } from '../preconditions/shell-parts.js';
import { shell } from './shell-parts.js';

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
  /** What a person does, for steps outside of `kubectl`. */
  readonly commands: readonly string[];
  /** What a person does to undo such a step. */
  readonly wayBack?: string;
  /** Why there is no way back, and what to keep for that case.
   * @default - there is a way back */
  readonly noWayBack?: string;
  /** The functions of its script, in `.sh` files of this folder; later ones replace earlier ones. See `step.sh`. */
  readonly parts: readonly ShellFile[];
  /** What varies in them. */
  readonly variables: Readonly<Record<string, ShellValue>>;
  /** Files that it needs, below the folder of the plan. */
  readonly files: readonly PreconditionFile[];
}

type ShellFile = string;

/** Properties of a step; lists are empty by default. */
type StepInput = Pick<UpgradeStep, 'id' | 'what' | 'why' | 'pods'> & Partial<UpgradeStep>;

/** A step. */
export function upgradeStep(input: StepInput): UpgradeStep {
  return { place: 'kubectl', commands: [], parts: [], variables: {}, files: [], ...input };
}

/** The name of a step's script without its extension: `02-annotate-pools`. */
export function scriptName(step: UpgradeStep, index: number): string {
  return `${String(index + 1).padStart(2, '0')}-${step.id}`;
}

const textOf = (files: readonly ShellFile[]): string[] => files.map((file) => shell(file));

/** Parts of a step of a person that show whether it is done. */
const SHOWN_BY_THE_CLUSTER: readonly ShellFile[] = [
  'replace-plain-pods',
  'retired-workloads',
  'kubelets',
  'control-plane',
];

/** The script of a step: `check`, `needs`, `run`, `verify` or `back`. */
export function stepScript(step: UpgradeStep, index: number): string {
  const { what, why, pods, place, commands, wayBack, noWayBack, parts, variables } = step;
  const isByHand = place !== 'kubectl';
  return shellScript({
    comments: [
      ...[`${index + 1}. ${what}`, why, `Pods: ${pods}`].flatMap(linesOf),
      'check: exit code 0 if it is done. run: does it, and can be repeated. verify: whether it has worked. back: undoes it.',
    ],
    variables: {
      step: scriptName(step, index),
      no_way_back: noWayBack ?? '',
      ...(isByHand
        ? {
            instructions: [what, PLACES[place], ...commands.map((command) => `  ${command}`)],
            is_checked: parts.some((part) => SHOWN_BY_THE_CLUSTER.includes(part)) ? 'yes' : '',
            ...(noWayBack === undefined ? { way_back: wayBack ?? '' } : {}),
          }
        : {}),
      ...variables,
    },
    parts: textOf([
      'step',
      ...(isByHand ? (['by-hand'] as const) : []),
      ...(isByHand && noWayBack === undefined ? (['by-hand-back'] as const) : []),
      ...parts,
      'step-end',
    ]),
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

const PLACES: Readonly<Record<UpgradePlace, string>> = {
  kubectl: 'On a machine with kubectl:',
  'control-plane': 'On each control-plane node, one after the other:',
  node: 'On each of the nodes, one after the other:',
  program: 'In the program that declares the fleet:',
};

/** The script that runs all steps in order, and continues where an earlier run stopped. */
export function upgradeScript(title: string, steps: readonly UpgradeStep[]): string {
  return shellScript({
    comments: linesOf(title),
    variables: { steps: steps.map(scriptName) },
    parts: textOf(['upgrade']),
  });
}

/** Functions that the scripts share, with what they have to know of the cluster. */
export function clusterScript(variables: Readonly<Record<string, string>>): string {
  return shellScript({
    comments: ['Functions of the steps, and the cluster that they are for.'],
    variables,
    parts: [shared('script'), ...textOf(['cluster']), shared('webhooks')],
  });
}

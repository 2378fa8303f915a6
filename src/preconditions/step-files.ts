import { PRECONDITIONS_FIELD_MANAGER } from '../kubernetes/labels.js';
import { printManifests } from '../base/yaml-print.js';
import { shellCommand, shellComment } from '../base/shell.js';
import { shellScript } from '../base/shell-script.js';
import type { Precondition, PreconditionFile, PreconditionStep } from './precondition.js';
import { shell } from './shell-parts.js';

/** Flags for `kubectl apply` of the manifests of a step: server-side, with ownership of their fields. */
export const APPLY_FLAGS: readonly string[] = [
  '--server-side',
  `--field-manager=${PRECONDITIONS_FIELD_MANAGER}`,
  '--force-conflicts',
];

/** What is applied by steps, with files. */
type Applied = Pick<Precondition, 'applied' | 'steps' | 'files' | 'rollback' | 'rollbackFiles'> & {
  readonly component: string;
};

/** The steps and files of apply.sh or revert.sh. */
interface Direction {
  readonly name: 'apply' | 'revert';
  readonly title: string;
  readonly steps: (precondition: Applied) => readonly PreconditionStep[];
  readonly files: (precondition: Applied) => readonly PreconditionFile[];
}

const APPLY: Direction = {
  name: 'apply',
  title: 'Prepares the cluster. Each step waits for the one before; it can be run again at any point.',
  steps: ({ steps }) => steps,
  files: ({ files }) => files,
};

const REVERT: Direction = {
  name: 'revert',
  title: 'Undoes what apply.sh did, last step first.',
  steps: ({ rollback }) => rollback,
  files: ({ rollbackFiles }) => rollbackFiles,
};

/**
 * The files of a list of preconditions: the manifests and a script that runs the steps, and the same for the rollback.
 *
 * @param folder folder below the output folder
 */
export function preconditionFiles(preconditions: readonly Applied[], folder: string): PreconditionFile[] {
  const applied = preconditions.filter(({ applied: isApplied, steps }) => isApplied && steps.length > 0);
  return applied.length === 0
    ? []
    : [...filesOf(applied, folder, APPLY), ...filesOf([...applied].reverse(), folder, REVERT)];
}

function filesOf(preconditions: readonly Applied[], folder: string, direction: Direction): PreconditionFile[] {
  const files: PreconditionFile[] = [];
  const lines: string[] = [];
  let number = 0;
  for (const precondition of preconditions) {
    files.push(
      ...direction
        .files(precondition)
        .map(({ path, content }) => ({ path: `${folder}/${direction.name}/${path}`, content })),
    );
    for (const each of direction.steps(precondition)) {
      number += 1;
      const isElsewhere = each.where === 'control-plane';
      lines.push('', ...shellComment(`${number}. ${precondition.component}: ${each.what}`));
      if (each.manifests.length > 0) {
        const name = `${direction.name}/${String(number).padStart(2, '0')}-${precondition.component}.yaml`;
        files.push({ path: `${folder}/${name}`, content: printManifests(each.manifests) });
        lines.push(shellCommand('apply', name));
      }
      if (isElsewhere) {
        lines.push(`# on each control-plane node, one after the other, in a copy of the folder ${direction.name}:`);
      }
      lines.push(...each.commands.flatMap((command) => (isElsewhere ? shellComment(`  ${command}`) : command)));
    }
  }
  const content = shellScript({
    comments: [direction.title],
    variables: { field_manager: PRECONDITIONS_FIELD_MANAGER },
    parts: [shell('own-folder'), shell('apply-file'), lines.join('\n')],
  });
  return [...files, { path: `${folder}/${direction.name}.sh`, content }];
}

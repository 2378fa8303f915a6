import { quoteForShell } from '../base/shell.js';
import type { NodeCommand } from './node-file.js';

/** Programs that the scripts of a join use, besides those that join: of coreutils, grep, sed and awk, or of busybox.
 * systemctl is used if it is there. */
export const SCRIPT_PROGRAMS: readonly string[] =
  'awk cat chmod cksum cp grep head id ln ls mkdir mv rm sed sh sleep sort sync tail tr uniq'.split(' ');

/** Placeholders in a JoinConfiguration that several machines share. */
export const MACHINE_NAME = 'machine-name.placeholder';
const MACHINE_LABELS = ',machine-labels.placeholder';

/** Labels of the join, and the place of those of the machine. */
export function withMachineLabels(labels: string): string {
  return `${labels}${MACHINE_LABELS}`;
}

/** A command of the user as one line of a script. A syntax error in it does not affect the rest of the script. */
export function commandLine(command: NodeCommand): string {
  return typeof command === 'string' ? `sh -c ${quoteForShell(command)}` : command.map(quoteForShell).join(' ');
}

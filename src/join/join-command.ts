import { quoteForShell } from '../text/shell.js';
import type { NodeCommand } from './node-file.js';
import { BOOTSTRAP_KUBELET_CONF, KUBELET_CONF } from './node-paths.js';

/** What differs between the ways to join. */
export interface JoinCommand {
  /** Programs that must be there. */
  readonly programs: readonly string[];
  /** Body of the shell function `join`: joins with `$config` (a file) or `$token`; its status is that of the program that joins. */
  readonly join: readonly string[];
  /** Body of the function `is_joined`. */
  readonly isJoined: readonly string[];
  /** Files that hold the token after a join, whatever became of it. */
  readonly leftovers: readonly string[];
  /** Whether the command takes the token as text, and not in a configuration. */
  readonly takesToken: boolean;
}

/** kubeadm, which takes the token in a configuration. */
export const KUBEADM_COMMAND: JoinCommand = {
  programs: ['kubeadm', 'kubelet'],
  join: ['kubeadm join --config "$config" </dev/null'],
  isJoined: [`[ -s ${KUBELET_CONF} ]`],
  leftovers: [BOOTSTRAP_KUBELET_CONF],
  takesToken: false,
};

/** A command of the user as one that can stand anywhere in a script: a mistake in it stays in it. */
export function commandLine(command: NodeCommand): string {
  return typeof command === 'string' ? `sh -c ${quoteForShell(command)}` : command.map(quoteForShell).join(' ');
}

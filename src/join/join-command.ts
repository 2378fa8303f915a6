import { quoteForShell } from '../text/shell.js';
import type { NodeCommand } from './node-file.js';
import { BOOTSTRAP_KUBELET_CONF, KUBELET_CONF } from './node-paths.js';

/** What differs between kubeadm and yurtadm. */
export interface JoinCommand {
  /** Programs that must be installed. */
  readonly programs: readonly string[];
  /** Body of the shell function `join`, which joins with `$config` (a file) or `$token`. Its exit status is that of kubeadm or yurtadm. */
  readonly join: readonly string[];
  /** Body of the function `is_joined`. */
  readonly isJoined: readonly string[];
  /** Files that contain the token after a join, whether it succeeded or not. */
  readonly leftovers: readonly string[];
  /** Whether the command takes the token as an argument, not in a configuration file. */
  readonly takesToken: boolean;
}

/** Programs that the scripts of a join use, besides those that join: of coreutils, grep, sed and awk, or of busybox. systemctl is used if it is there. */
export const SCRIPT_PROGRAMS: readonly string[] = [
  ...[
    'awk',
    'cat',
    'chmod',
    'cksum',
    'cp',
    'grep',
    'head',
    'id',
    'ln',
    'ls',
    'mkdir',
    'mv',
    'rm',
    'sed',
    'sh',
    'sleep',
  ],
  'sync',
];

/** kubeadm, which takes the token in a configuration file. */
export const KUBEADM_COMMAND: JoinCommand = {
  programs: ['kubeadm', 'kubelet'],
  join: ['kubeadm join --config "$config" </dev/null'],
  isJoined: [
    `grep -q 'users"*:' ${KUBELET_CONF} 2>/dev/null && whole certificate CERTIFICATE && whole key 'PRIVATE KEY'`,
  ],
  leftovers: [BOOTSTRAP_KUBELET_CONF],
  takesToken: false,
};

/** A command of the user as one line of a script. A syntax error in it does not affect the rest of the script. */
export function commandLine(command: NodeCommand): string {
  return typeof command === 'string' ? `sh -c ${quoteForShell(command)}` : command.map(quoteForShell).join(' ');
}

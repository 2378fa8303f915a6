import { quoteForShell } from '../text/shell.js';
import type { NodeCommand } from './node-file.js';
import { BOOTSTRAP_KUBELET_CONF, BOX_CONFIG, BOX_FILE, KUBELET_CONF } from './node-paths.js';

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

/** Placeholders in a JoinConfiguration that several machines share. */
export const BOX_NAME = 'box-name.placeholder';
const BOX_LABELS = ',box-labels.placeholder';

/** Labels of the join, and the place of those of the machine. */
export function withBoxLabels(labels: string): string {
  return `${labels}${BOX_LABELS}`;
}

/** Lines that read name and labels of this machine into `$name` and `$labels`; the labels begin with a comma. Nothing else is let into the configuration. */
export const BOX_LINES: readonly string[] = [
  `name=$(sed -n 's/^name=//p' ${BOX_FILE} 2>/dev/null) labels=$(sed -n 's/^labels=//p' ${BOX_FILE} 2>/dev/null)`,
  'case $name in',
  `'' | *[!a-z0-9.-]*) say '${BOX_FILE} does not name this machine: the vendor-data of its seed writes it at every boot'; return 66 ;;`,
  'esac',
  `case $labels in *[!A-Za-z0-9._/=,-]*) say '${BOX_FILE} has labels that are none'; return 65 ;; esac`,
];

/** kubeadm on one of several machines that share a join. */
export const BOX_KUBEADM_COMMAND: JoinCommand = {
  ...KUBEADM_COMMAND,
  join: [
    ...BOX_LINES,
    // the token is in both files and in no argument
    `(umask 077; sed "s~${BOX_NAME}~$name~; s~${BOX_LABELS}~$labels~" "$config" > ${BOX_CONFIG}) || return`,
    `kubeadm join --config ${BOX_CONFIG} </dev/null`,
  ],
  leftovers: [...KUBEADM_COMMAND.leftovers, BOX_CONFIG],
};

/** A command of the user as one line of a script. A syntax error in it does not affect the rest of the script. */
export function commandLine(command: NodeCommand): string {
  return typeof command === 'string' ? `sh -c ${quoteForShell(command)}` : command.map(quoteForShell).join(' ');
}

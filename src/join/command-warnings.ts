import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { isUnknown } from '../base/unknown.js';
import type { NodeCommand } from './node-file.js';

type Commands = Partial<Record<'preJoinCommands' | 'postJoinCommands', unknown>>;

/** What a shell does for itself: each command has a shell of its own (commandLine), so nothing comes of it. */
const FOR_THE_SHELL =
  /^\s*(?:cd|export|umask|set|alias|unset|source|\.)(?:\s+(?:[^\s&;|][^;&|\n]*)?)?$|^\s*[A-Za-z_]\w*=\S*\s*$/;

/** Programs that do nothing without arguments, alone. */
const NEEDS_ARGUMENTS = /^(?:apt|apt-get|dnf|yum|systemctl|modprobe|sysctl|hostnamectl|timedatectl|nmcli|chmod|chown)$/;

function isWord(next: unknown): next is string {
  return typeof next === 'string' && /^[\w./:=-]{1,60}$/.test(next);
}

/** Commands with a reason why they do not do here what they do in a terminal. */
const ELSEWHERE: readonly {
  readonly is: RegExp;
  readonly in: readonly (keyof Commands)[];
  readonly why: string;
  readonly hint: string;
}[] = [
  {
    is: FOR_THE_SHELL,
    in: ['preJoinCommands', 'postJoinCommands'],
    why: 'each command runs in a shell of its own, so this has no effect on the next one',
    hint: "write it with the command that needs it, in one text: 'cd /opt/edge && ./install.sh'",
  },
  {
    is: /^\s*(?:sudo\s+)?(?:systemctl\s+)?(?:reboot|poweroff|halt|shutdown)(?:\s|$)/,
    in: ['preJoinCommands'],
    why: 'the machine goes down before it has joined',
    hint: 'leave it out, or write it into postJoinCommands',
  },
  {
    is: /^(?!.*\s(?:-[a-z]{0,4}[yq][a-z]{0,4}|--yes|--assume-?yes|--quiet)(?:\s|$))\s*(?:sudo\s+)?(?:apt|apt-get|dnf|yum)\s+(?:install|upgrade|dist-upgrade|remove)(?:\s+[\w.+:=~/-]+)*\s*$/,
    in: ['preJoinCommands', 'postJoinCommands'],
    why: 'the package manager asks before it changes more than what is named, and nobody answers',
    hint: 'write -y behind its name',
  },
  {
    is: /^\s*(?:sudo\s+)?(?:\/\S+\/)?(?:kubeadm|yurtadm)\s+join\s/,
    in: ['preJoinCommands', 'postJoinCommands'],
    why: 'the join itself does this',
    hint: 'leave it out',
  },
  {
    is: /^(?!.*(?:KUBECONFIG|kubeconfig))\s*(?:sudo\s+)?(?:\/\S+\/)?kubectl\s/s,
    in: ['preJoinCommands', 'postJoinCommands'],
    why: 'the machine has no kubeconfig of an administrator, so kubectl asks localhost:8080 and fails',
    hint: 'write labels and taints into the pool, and run the rest where you have a kubeconfig',
  },
];

/** Warnings about commands that do nothing, or not what they say. */
export function commandWarnings(commands: Commands): EdgeWarning[] {
  const warnings = new ProblemList();
  for (const field of ['preJoinCommands', 'postJoinCommands'] as const) {
    const list = commands[field];
    (Array.isArray(list) && !isUnknown(list) ? (list as unknown[]) : []).forEach((command, index) => {
      const text = textOf(command as NodeCommand);
      const at = warnings.at(field, index);
      if (typeof command === 'string' && /^--?[A-Za-z][\w-]*$/.test(command)) {
        at.add(
          'EDGE_VALUE',
          `${command} looks like an argument, and each item of the list is a command`,
          "write ['swapoff -a'] or [['swapoff', '-a']]",
        );
      }
      const next: unknown = (list as unknown[])[index + 1];
      if (typeof command === 'string' && NEEDS_ARGUMENTS.test(command) && isWord(next)) {
        at.add(
          'EDGE_VALUE',
          `each item of the list is a command, and ${command} alone does nothing`,
          `write ['${command} ${next}'] or [['${command}', '${next}']]`,
        );
      }
      const found =
        text === undefined ? undefined : ELSEWHERE.find((one) => one.in.includes(field) && one.is.test(text));
      if (found !== undefined) {
        at.add('EDGE_UNUSED', found.why, found.hint);
      }
    });
  }
  return warnings.problems;
}

/** A command as one line; undefined if it is long: a script of its own, of which the first word says little. */
function textOf(command: NodeCommand): string | undefined {
  const words: unknown = Array.isArray(command) ? command.join(' ') : command;
  return typeof words === 'string' && words.length < 500 ? words : undefined;
}

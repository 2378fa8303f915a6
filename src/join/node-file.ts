import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { quoted, showValue } from '../base/properties.js';
import { type Check, checkProperties, listOf, optional, type PropertyTable } from '../base/property-table.js';
import { isAbsolutePath, pathProblem } from './machine-path.js';
import { holdsToken, refuseShellWords } from './join-token.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * A file on the node.
 *
 * @category Join nodes
 */
export interface NodeFile {
  /** Absolute path. */
  readonly path: string;
  /** Content, as text. */
  readonly content: string;
  /** Octal mode, as text.
   * @default 0644 */
  readonly permissions?: string;
}

/** A command on the node: a command line for `sh`, or a program and its arguments. */
export type NodeCommand = string | string[];

export const DEFAULT_PERMISSIONS = '0644';

// NUL, which no shell can handle, and unpaired surrogates, which UTF-8 cannot encode
const UNWRITABLE = /\0|\p{Surrogate}/u;

/** Whether a text can be written to a file by a shell. */
export function isWritable(text: string): boolean {
  return !UNWRITABLE.test(text);
}

/** Refuses text with a token, because it would be published with the join. */
function checkHoldsNoToken(text: unknown, problems: ProblemList): void {
  if (typeof text === 'string' && holdsToken(text)) {
    problems.add(
      'EDGE_TOKEN',
      'this contains text in the format of a bootstrap token, which would be published with the join (value redacted)',
      'give it as token of the join; if it is not a token, write it in base64 and decode it on the machine',
    );
  }
}

/** @param taken paths of files that the join writes or reads */
export function checkNodeFiles(files: unknown, taken: ReadonlySet<string>, problems: ProblemList): void {
  const seen = new Set<string>();
  const example = "write [{ path: '/etc/motd', content: 'edge\\n' }]";
  const checkFile: Check = (file, at) => {
    if (!isMap(file)) {
      at.add('EDGE_TYPE', 'a file must be a map', "write { path: '/etc/motd', content: 'edge\\n' }");
    } else {
      checkProperties<NodeFile>(file, fileTable(taken, seen), at, { mode: 'did you mean permissions?' });
    }
  };
  listOf(checkFile, example, 'files must be a list')(files, problems);
}

function fileTable(taken: ReadonlySet<string>, seen: Set<string>): PropertyTable<NodeFile> {
  return {
    path: (path, problems) => checkPath(path, taken, seen, problems),
    content: checkContent,
    permissions: optional(checkPermissions),
  };
}

function checkContent(content: unknown, problems: ProblemList): void {
  if (typeof content !== 'string' || !isWritable(content)) {
    problems.add(
      'EDGE_TYPE',
      typeof content === 'string' ? 'content has NUL, or characters that UTF-8 cannot encode' : 'content must be text',
      isMap(content) || Array.isArray(content)
        ? 'write JSON.stringify(…), or the text of the file'
        : 'write text; encode binary data, and decode it with a command',
    );
  }
  checkHoldsNoToken(content, problems);
}

/** What a name has at most: an update writes a hidden file beside it, `.NAME.edge-nodepools`, and Linux allows 255
 * bytes. */
const LONGEST_NAME = 255 - '..edge-nodepools'.length;

function checkPath(path: unknown, taken: ReadonlySet<string>, seen: Set<string>, problems: ProblemList): void {
  if (!isAbsolutePath(path)) {
    problems.add(
      'EDGE_VALUE',
      `${path === undefined ? 'nothing' : quoted(path)} ${pathProblem(path)}`,
      "write '/etc/…': letters, digits and ._@:+=,- between the slashes, at most 255 of them",
    );
  } else if (path.split('/').some(({ length }) => length > LONGEST_NAME)) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(path)} has a name of more than ${LONGEST_NAME} bytes`,
      'write a shorter name: an update writes a hidden file beside it, with a longer one',
    );
  } else if (isTaken(path.replace(/^\/var\/run\//, '/run/'), taken)) {
    problems.add('EDGE_RESERVED_KEY', `${path} is reserved: managed by edge-nodepools`, 'write another path');
  } else if (seen.has(path)) {
    problems.add('EDGE_DUPLICATE', `${path} is written twice`, 'write each file once');
  } else if (isTaken(path, seen)) {
    problems.add('EDGE_DUPLICATE', `${path} is a folder of another file, or below one`, 'write another path');
  } else {
    seen.add(path);
  }
}

/** Whether a path is reserved, is inside a reserved folder, or is a folder of a reserved path. */
function isTaken(path: string, taken: ReadonlySet<string>): boolean {
  return [...taken].some((own) => own === path || path.startsWith(`${own}/`) || own.startsWith(`${path}/`));
}

function checkPermissions(permissions: unknown, problems: ProblemList): void {
  if (typeof permissions !== 'string' || !/^0?[0-7]{3}$/.test(permissions)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(permissions)} is not an octal mode`,
      "write '0644', in quotes: a number would be decimal",
    );
  }
}

export const checkCommands = listOf(
  checkCommand,
  "write ['modprobe br_netfilter', ['touch', '/etc/edge']]",
  'commands must be a list',
);

function checkCommand(command: unknown, problems: ProblemList): void {
  const words: unknown[] = Array.isArray(command) ? command : [command];
  if (words.length === 0 || words.some((word) => typeof word !== 'string' || !isWritable(word)) || words[0] === '') {
    problems.add('EDGE_TYPE', 'a command must be text, or a list of text', "write 'swapoff -a' or ['swapoff', '-a']");
  }
  words.forEach((word) => checkHoldsNoToken(word, problems));
  refuseShellWords(command, problems);
}

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
    itemsOf(list).forEach((command, index) => {
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

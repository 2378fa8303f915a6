import { shellCommand } from '../base/shell.js';
import { type ShellSteps, type ShellValue, shellScript } from '../base/shell-script.js';
import type { TokenSource } from './join-token.js';
import { isOnNode } from './join-token.js';
import type { NodeCommand } from './node-file.js';
import { STATE_FOLDER } from './node-paths.js';
import { shell } from './shell-parts.js';
import { type YurtadmJoinInput, yurtadmVariables } from './yurtadm-join.js';

/** What the script depends on. */
export interface JoinScriptInput extends ShellSteps {
  /** Comment at the beginning. */
  readonly about: string;
  readonly source: TokenSource;
  /** The arguments of yurtadm; with kubeadm undefined. */
  readonly yurtadm?: YurtadmJoinInput;
  /** The file with the JoinConfiguration, or with the token. */
  readonly configPath: string;
  /** The text before the token in the line of the JoinConfiguration that has it. */
  readonly tokenLine: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly attempts: number;
  readonly secondsBetweenAttempts: number;
  readonly before: readonly NodeCommand[];
  readonly after: readonly NodeCommand[];
  /** What the machine joins with, as lines. */
  readonly applied: readonly string[];
  /** The label with the hash of the join. */
  readonly joinLabel: string;
  /** Whether several machines share the join, each with its own name and labels. */
  readonly hasMachines: boolean;
  /** The kubeadm patch of the KubeletConfiguration, if there is one. */
  readonly patches: readonly string[];
  /** The step that reads the password of a proxy; undefined if none asks for one. */
  readonly proxy?: ShellSteps;
}

/** The mark that yurtadm has joined this machine. */
const YURTADM_MARK = `${STATE_FOLDER}/joined`;

/** A part of a script: a text of an `.sh` file, or nothing. */
type Part = string | false;

/**
 * The script that joins: a POSIX script that can be run repeatedly. Its exit status is that of kubeadm or yurtadm. It
 * removes every copy of the token, also if the join fails, except for the file or program of the user that the token
 * comes from.
 */
export function joinScript(input: JoinScriptInput): string {
  const { about, environment, source, yurtadm, hasMachines, before, after, patches, proxy } = input;
  const isKubeadm = yurtadm === undefined;
  const fills = isKubeadm && isOnNode(source);
  const removesToken = source.kind === 'file' && source.removeAfterJoin;
  const files: Part[] = [
    'common',
    'systemctl',
    isKubeadm ? 'kubeadm' : 'yurtadm',
    'lock',
    'joined',
    'record',
    hasMachines && 'identity-record',
    'forget',
    'undo',
    ...tokenParts(source),
    fills && 'token-into-config',
    hasMachines && 'identity',
    hasMachines && (isKubeadm ? 'identity-kubeadm' : 'identity-yurtadm'),
    before.length + after.length > 0 && 'commands',
    after.length > 0 && 'commands-after',
    patches.length > 0 && 'keep-patch',
    removesToken && 'remove-token',
  ];
  const useProxy = proxy?.steps ?? [];
  return shellScript({
    comments: [about, 'Run it as root, as often as you like: a node that has joined is left alone.'],
    environment,
    variables: {
      ...tokenVariables(input),
      ...(isKubeadm ? {} : { mark: YURTADM_MARK, ...yurtadmVariables(yurtadm) }),
      secret: isOnNode(source) ? undefined : input.configPath,
      prepare: [...useProxy, ...input.steps, ...(before.length > 0 ? ['commands_before'] : [])],
      before_join: [
        'get_token',
        ...(fills ? ['fill'] : []),
        ...(hasMachines ? ['read_identity', 'fill_identity'] : []),
        ...(after.length > 0 ? ['forget_commands'] : []),
      ],
      after_join: orNone([
        ...(patches.length > 0 ? ['keep_patch'] : []),
        ...(removesToken ? ['remove_token'] : []),
        ...(after.length > 0 ? [...useProxy, 'commands_after'] : []),
      ]),
      attempts: input.attempts,
      pause: input.secondsBetweenAttempts,
      applied: input.applied,
      join_label: input.joinLabel,
      patch: patches[0],
      ...proxy?.variables,
      ...input.variables,
      ...commandVariables('before', before),
      ...commandVariables('after', after),
    },
    parts: [
      ...files.flatMap((file) => (file === false ? [] : [shell(file)])),
      ...(proxy?.parts ?? []),
      ...input.parts,
      shell('join'),
    ],
  });
}

function tokenParts(source: TokenSource): Part[] {
  switch (source.kind) {
    case 'file':
      return ['token', 'token-of-file'];
    case 'command':
      return ['token', source.timeoutSeconds === undefined ? 'token-of-command' : 'token-of-timed-command'];
    default:
      return ['token-of-join'];
  }
}

function tokenVariables({ source, configPath: config, tokenLine }: JoinScriptInput): Record<string, ShellValue> {
  switch (source.kind) {
    case 'file':
      return { token_from: source.path };
    case 'command':
      return {
        token_from: 'the command',
        token_command: commandLine(source.command),
        token_seconds: source.timeoutSeconds,
      };
    case 'secret': {
      const from = `Secret ${source.namespace}/${source.name}`;
      const missing = `whoever handed this file out did not put the token of ${from} into it`;
      return { config, token_line: tokenLine, token_from: from, missing };
    }
    default:
      return {
        config,
        token_line: tokenLine,
        token_from: 'the file with the token',
        missing: 'the file with the token is gone after a run: give the machine a new instance-id, or the file again',
      };
  }
}

/** A command of the user as a command line. */
function commandLine(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : shellCommand(...command);
}

const orNone = (words: readonly string[]): readonly string[] | undefined => (words.length > 0 ? words : undefined);

function commandVariables(name: 'before' | 'after', commands: readonly NodeCommand[]): Record<string, ShellValue> {
  return commands.length === 0
    ? {}
    : {
        [name]: commands.length,
        ...Object.fromEntries(commands.map((command, index) => [`${name}_${index + 1}`, commandLine(command)])),
      };
}

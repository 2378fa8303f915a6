import { quoteForShell } from '../text/shell.js';
import { changeLines } from './applied-join.js';
import { REGISTRATIONS } from './cleanup-script.js';
import { commandLine, type JoinCommand, KUBEADM_COMMAND } from './join-command.js';
import { joinSteps, type JoinStepsInput } from './join-steps.js';
import { LOCK_LINES } from './join-lock.js';
import { isOnNode } from './join-token.js';
import type { NodeCommand } from './node-file.js';
import { KUBELET_CERTIFICATES, KUBELET_CONF, KUBELET_SERVING_PAIR, RUN_FOLDER, STATE_FOLDER } from './node-paths.js';
import { nodeScript } from './node-script.js';
import { timedCommandLines, tokenFiles } from './timed-command.js';
import { IS_PLACEHOLDER, IS_TOKEN_LINES, TOKEN_PLACEHOLDER, TOKEN_TEXT_LINES } from './token-text.js';

/** What the script depends on. */
export interface JoinScriptInput extends JoinStepsInput {
  /** Comment at the beginning. */
  readonly about: string;
  /** The file with the JoinConfiguration, or with the token. */
  readonly configPath: string;
  /** The line of the JoinConfiguration with the token: the text before and after it. */
  readonly tokenLine: readonly [string, string];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The script that joins: a POSIX script that can be run repeatedly. Its exit status is that of kubeadm or yurtadm. It removes every copy of the token,
 * also if the join fails, except for the file or program of the user that the token comes from.
 */
export function joinScript(input: JoinScriptInput): string {
  const { command, source, configPath } = input;
  const leftovers = [...command.leftovers, ...tokenFiles(source)];
  const comments = [
    input.about,
    'Run it as root, as often as you like: a node that has joined is left alone. Its exit status is that of the program that joins.',
  ];
  const lines = [
    `config=${quoteForShell(configPath)}`,
    'token=',
    '',
    'say() { echo "edge-nodepools: $*" >&2; }',
    '',
    ...LOCK_LINES,
    '',
    ...isJoinedLines(input.command),
    '',
    ...changeLines(input.applied, input.hasBoxes),
    '',
    '# what a join leaves that holds the token',
    'clear_leftovers() {',
    `  rm -f ${leftovers.map(quoteForShell).join(' ')}`,
    '}',
    '',
    '# and the file in which the token came; then the next boot has nothing to remove',
    'forget() {',
    '  clear_leftovers',
    ...(isOnNode(source) ? [] : ['  rm -f "$config"']),
    `  rm -f ${REGISTRATIONS.map(quoteForShell).join(' ')}`,
    '}',
    '',
    ...undoLines(),
    '',
    ...tokenLines(input),
    '',
    'join() {',
    ...command.join.map((line) => `  ${line}`),
    '}',
    '',
    ...(input.useProxy.length > 0 ? [...input.useProxy, ''] : []),
    ...(input.install.length > 0 ? [...input.install, ''] : []),
    ...joinSteps(input),
  ];
  return nodeScript({ comments, environment: input.environment, lines });
}

/** Shell function `is_joined`. */
export function isJoinedLines({ isJoined }: JoinCommand = KUBEADM_COMMAND): string[] {
  return [
    '# whether a file that kubelet.conf names is there to its end: kubelet names it before it has it',
    'whole() {',
    `  file=$(sed -n "s/^ *client-$1: *//p" ${KUBELET_CONF})`,
    '  file=${file#\\"} file=${file%\\"}',
    '  case $file in /*) grep -q -e "-----END .*$2" "$file" 2>/dev/null ;; esac',
    '}',
    '',
    'is_joined() {',
    ...isJoined.map((line) => `  ${line}`),
    '}',
  ];
}

/** Lines that undo a failed join: kubeadm refuses the next one while the CA certificate exists or a kubelet uses the port. */
function undoLines(): string[] {
  return [
    'kubelet() { if command -v systemctl >/dev/null 2>&1; then systemctl "$1" kubelet >/dev/null 2>&1; fi; }',
    '',
    '# what a failed join leaves in the way of the next one; the CA certificate only where it was not there before',
    'undo() {',
    '  clear_leftovers',
    `  [ -e ${STATE_FOLDER}/joining ] || [ -e ${KUBELET_CONF} ] || return 0`,
    '  is_joined && return 0',
    '  kubelet stop',
    // the certificate may have come until then
    '  if is_joined; then kubelet start; return 0; fi',
    `  if [ ! -s ${STATE_FOLDER}/joining ]; then rm -f /etc/kubernetes/pki/ca.crt; fi`,
    // half of a pair stops kubelet for ever
    `  for half in crt key; do [ -s ${KUBELET_SERVING_PAIR}$half ] || { rm -f ${KUBELET_SERVING_PAIR}*; break; }; done`,
    // a file that the power cut in half stops kubelet, too, and kubeadm refuses to overwrite kubelet.conf
    `  rm -f ${KUBELET_CONF} ${KUBELET_CERTIFICATES} ${STATE_FOLDER}/joining`,
    '}',
  ];
}

/** Lines that read the token and write it where the join reads it, without using it on a command line. */
function tokenLines({ source, command, tokenLine: [before, after], configPath }: JoinScriptInput): string[] {
  if (source.kind === 'inline' || source.kind === 'secret') {
    return [
      ...(source.kind === 'inline' ? IS_TOKEN_LINES : TOKEN_TEXT_LINES),
      '',
      'find_token() {',
      '  while IFS= read -r line; do',
      `    case $line in ${quoteForShell(before)}*)`,
      `      token=\${line#${quoteForShell(before)}}`,
      // a line end in the value splits the line, and the document with it
      ...(source.kind === 'secret' && after !== ''
        ? [`      case $token in *${quoteForShell(after)}) ;; *) token=$token$lf ;; esac`]
        : []),
      `      token=\${token%${quoteForShell(after)}}; break ;;`,
      '    esac',
      '  done < "$config"',
      '}',
      '',
      'get_token() {',
      '  [ -r "$config" ] && find_token',
      ...(source.kind === 'inline'
        ? [
            `  is_token "$token" || { say 'the file with the token is gone: it is removed after every run. Give the machine a new instance-id, or the file again'; return 66; }`,
          ]
        : secretChecks(`Secret ${source.namespace}/${source.name}`)),
      '}',
    ];
  }
  const read =
    source.kind === 'file' ? `cat ${quoteForShell(source.path)}` : commandLine(source.command as NodeCommand);
  const seconds = source.kind === 'command' ? source.timeoutSeconds : undefined;
  const from = source.kind === 'file' ? source.path : 'the command';
  return [
    ...TOKEN_TEXT_LINES,
    '',
    'get_token() {',
    ...(seconds === undefined
      ? [`  token=$(${read}) || { say 'the token cannot be read'; return 66; }`]
      : timedCommandLines(read, seconds)),
    '  trim_token',
    `  is_token "$token" || { say ${quoteForShell(`${from} does not hold a token:`)} "$(wrong_with "$token")"; return 65; }`,
    ...(command.takesToken
      ? []
      : [
          // echo and read are builtins of every shell, printf is not: no other program sees the token
          `  template=${quoteForShell(configPath)} config=${RUN_FOLDER}/token-config.yaml filled=`,
          `  mkdir -p ${RUN_FOLDER} && chmod 0700 ${RUN_FOLDER} || return`,
          '  (',
          '    umask 077',
          '    while IFS= read -r line; do',
          `      if [ -z "$filled" ] && [ "$line" = ${quoteForShell(`${before}${TOKEN_PLACEHOLDER}${after}`)} ]; then`,
          `        filled=1; echo ${quoteForShell(before)}"$token"${quoteForShell(after)}`,
          '      else',
          '        printf \'%s\\n\' "$line"',
          '      fi',
          '    done < "$template" > "$config"',
          '  )',
        ]),
    '}',
  ];
}

/** Checks of a token that another program has written into the file. */
function secretChecks(secret: string): string[] {
  const missing = `whoever handed this file out did not put the token of ${secret} into it`;
  return [
    '  is_token "$token" && return',
    `  if [ -z "$token" ] || [ "$token" = ${IS_PLACEHOLDER} ]; then say ${quoteForShell(missing)}; return 66; fi`,
    `  say ${quoteForShell(`${secret} does not hold a token:`)} "$(wrong_with "$token")"`,
    '  return 65',
  ];
}

import { quoteForShell } from '../text/shell.js';
import { fourDigits } from './cloud-config.js';
import { FORGET_PATH, REGISTRATIONS } from './forget-script.js';
import { TOKEN_PLACEHOLDER, type TokenSource } from './join-token.js';
import type { NodeCommand, NodeFile } from './node-file.js';
import { BOOT_HOOK, KUBELET_CONF, RUN_FOLDER, SCRIPT_PATH, STATE_FOLDER } from './node-paths.js';

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

/** What the script is made from. */
export interface JoinScriptInput {
  readonly about: readonly string[];
  readonly source: TokenSource;
  readonly command: JoinCommand;
  /** The file with the JoinConfiguration, or with the token. */
  readonly configPath: string;
  /** The line of the JoinConfiguration that holds the token, before and after it. */
  readonly tokenLine: readonly [string, string];
  readonly attempts: number;
  readonly secondsBetweenAttempts: number;
  readonly before: readonly NodeCommand[];
  readonly after: readonly NodeCommand[];
  /** Definition of the function `install_packages`; empty when nothing is installed. */
  readonly install: readonly string[];
  /** Lines that run before everything else that changes the node. */
  readonly prepare: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** A command of the user as one that can stand anywhere in a script: a mistake in it stays in it. */
export function commandLine(command: NodeCommand): string {
  return typeof command === 'string' ? `sh -c ${quoteForShell(command)}` : command.map(quoteForShell).join(' ');
}

/** In two words, so that whoever replaces the placeholder in the whole file leaves this comparison alone. */
function placeholderInTwo(): string {
  const [id = '', secret = ''] = TOKEN_PLACEHOLDER.split('.');
  return `'${id}.''${secret}'`;
}

/**
 * The script that joins: plain POSIX, run as often as one likes. Its status is that of kubeadm (or yurtadm). Whatever happens it leaves no
 * token behind but where the user keeps it.
 */
export function joinScript(input: JoinScriptInput): string {
  const { command, source, configPath } = input;
  const canRead = source.kind === 'file' || source.kind === 'command';
  const leftovers = [...command.leftovers, `${RUN_FOLDER}/token-config.yaml`];
  return `${[
    '#!/bin/sh',
    ...input.about.map((line) => `# ${line}`),
    '# Run it as root, as often as you like: a node that has joined is left alone. Its exit status is that of the program that joins.',
    'set -u',
    // a trace would print the token
    'set +x',
    'LC_ALL=C',
    'PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin',
    'export LC_ALL PATH',
    ...Object.entries(input.environment).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    `config=${quoteForShell(configPath)}`,
    'token=',
    '',
    'say() { echo "edge-nodepools: $*" >&2; }',
    '',
    'is_joined() {',
    ...input.command.isJoined.map((line) => `  ${line}`),
    '}',
    '',
    '# what a join leaves that holds the token',
    'clear_leftovers() {',
    `  rm -f ${leftovers.map(quoteForShell).join(' ')}`,
    '}',
    '',
    '# and the file in which the token came; then the next boot has nothing to remove',
    'forget() {',
    '  clear_leftovers',
    ...(canRead ? [] : ['  rm -f "$config"']),
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
    ...(input.install.length > 0 ? [...input.install, ''] : []),
    ...bodyLines(input, canRead),
  ].join('\n')}\n`;
}

/** After a failed join kubeadm refuses the next one because of what it left: its CA certificate and a kubelet on the port. */
function undoLines(): string[] {
  return [
    '# what a failed join leaves in the way of the next one; the CA certificate only where it was not there before',
    'undo() {',
    '  clear_leftovers',
    `  [ -e ${STATE_FOLDER}/joining ] || return 0`,
    '  is_joined && return 0',
    '  if command -v systemctl >/dev/null 2>&1; then systemctl stop kubelet >/dev/null 2>&1; fi',
    `  if [ ! -s ${STATE_FOLDER}/joining ]; then rm -f /etc/kubernetes/pki/ca.crt; fi`,
    `  rm -f ${STATE_FOLDER}/joining`,
    '}',
    "trap 'status=$?; forget; exit $status' EXIT",
    "trap 'exit 129' HUP",
    "trap 'exit 130' INT",
    "trap 'exit 143' TERM",
  ];
}

/** How the token is found and put where the join reads it, without ever standing on a command line. */
function tokenLines({ source, command, tokenLine: [before, after], configPath }: JoinScriptInput): string[] {
  const c = '[a-z0-9]';
  const pattern = `${c.repeat(6)}.${c.repeat(16)}`;
  const isToken = [
    'is_token() {',
    `  case $1 in ${pattern}) [ "$1" != ${placeholderInTwo()} ] ;; *) false ;; esac`,
    '}',
  ];
  const toVariable = (read: string): string[] => [
    `token=$(${read}) || { say 'the token can not be read'; return 66; }`,
  ];
  if (source.kind === 'inline' || source.kind === 'secret') {
    const missing =
      source.kind === 'inline'
        ? `the file with the token is gone: it is removed after every run. Give the machine a new instance-id, or the file again`
        : `whoever handed this file out did not put the token of Secret ${source.namespace}/${source.name} into it`;
    return [
      ...isToken,
      '',
      'find_token() {',
      '  while IFS= read -r line; do',
      `    case $line in ${quoteForShell(before)}*)`,
      `      token=\${line#${quoteForShell(before)}}; token=\${token%${quoteForShell(after)}}; break ;;`,
      '    esac',
      '  done < "$config"',
      '}',
      '',
      'get_token() {',
      `  [ -r "$config" ] && find_token`,
      `  is_token "$token" || { say ${quoteForShell(missing)}; return 66; }`,
      '}',
    ];
  }
  const read =
    source.kind === 'file' ? `cat ${quoteForShell(source.path)}` : commandLine(source.command as NodeCommand);
  const from = source.kind === 'file' ? source.path : 'the command';
  return [
    ...isToken,
    '',
    'get_token() {',
    ...toVariable(read).map((line) => `  ${line}`),
    `  is_token "$token" || { say ${quoteForShell(`what ${from} holds has not the form of a token`)}; return 65; }`,
    ...(command.takesToken
      ? []
      : [
          // printf and read are part of the shell: no other program sees the token
          `  template=${quoteForShell(configPath)} config=${RUN_FOLDER}/token-config.yaml filled=`,
          `  mkdir -p ${RUN_FOLDER} && chmod 0700 ${RUN_FOLDER} || return`,
          '  (',
          '    umask 077',
          '    while IFS= read -r line; do',
          `      if [ -z "$filled" ] && [ "$line" = ${quoteForShell(`${before}${TOKEN_PLACEHOLDER}${after}`)} ]; then`,
          `        filled=1; printf '%s%s%s\\n' ${quoteForShell(before)} "$token" ${quoteForShell(after)}`,
          '      else',
          '        printf \'%s\\n\' "$line"',
          '      fi',
          '    done < "$template" > "$config"',
          '  )',
        ]),
    '}',
  ];
}

function bodyLines(input: JoinScriptInput, canRead: boolean): string[] {
  const { before, after, attempts, secondsBetweenAttempts, install, source } = input;
  const finished = `${STATE_FOLDER}/finished`;
  const run = (commands: readonly NodeCommand[], what: string): string[] =>
    commands.flatMap((command, index) => [
      `  ${commandLine(command)} || { status=$?; say '${what} ${index + 1} of ${commands.length} failed'; return $status; }`,
    ]);
  const hook = [
    '#!/bin/sh',
    '# the node has not joined yet, or not all commands after it were run: cloud-init tries again at every boot',
    `exec sh ${SCRIPT_PATH}`,
  ];
  return [
    ...functionOf('prepare', [
      ...input.prepare.map((line) => `  ${line}`),
      ...(install.length > 0
        ? ["  install_packages || { status=$?; say 'the packages can not be installed'; return $status; }"]
        : []),
      ...run(before, 'command before the join'),
      `  for program in ${input.command.programs.join(' ')}; do`,
      '    command -v "$program" >/dev/null 2>&1 || { say "$program is not installed"; return 127; }',
      '  done',
    ]),
    ...(after.length > 0
      ? [
          '# says which join it is: after a reset and another one the commands are run again',
          'this_join() {',
          `  ls -i ${KUBELET_CONF} 2>/dev/null && cksum ${KUBELET_CONF}`,
          '}',
          '',
          ...functionOf('finish', run(after, 'command after the join')),
        ]
      : []),
    'prepared=',
    ...functionOf('try_once', [
      '  [ -n "$prepared" ] || prepare || return',
      '  prepared=1',
      '  get_token || return',
      `  rm -f ${finished}`,
      `  : > ${STATE_FOLDER}/joining`,
      `  if [ -e /etc/kubernetes/pki/ca.crt ]; then echo ca > ${STATE_FOLDER}/joining; fi`,
      '  join || return',
    ]),
    ...(canRead || after.length > 0
      ? [
          '# cloud-init runs this script at every boot, until everything is done',
          ...functionOf('at_next_boot', [
            `  [ -d ${BOOT_HOOK.slice(0, BOOT_HOOK.lastIndexOf('/'))} ] && [ -r ${SCRIPT_PATH} ] || return 0`,
            `  printf '%s\\n' ${hook.map(quoteForShell).join(' ')} > ${BOOT_HOOK} && chmod 0755 ${BOOT_HOOK}`,
          ]),
        ]
      : []),
    '[ "$(id -u)" = 0 ] || { say \'this needs root\'; exit 77; }',
    `mkdir -p ${STATE_FOLDER} /etc/kubernetes`,
    'if is_joined; then',
    "  say 'this machine has joined already'",
    `  rm -f ${STATE_FOLDER}/joining`,
    'else',
    '  undo',
    // now, and not after a failure: the power may fail as well
    ...(canRead ? ['  at_next_boot'] : []),
    `  [ ! -r ${FORGET_PATH} ] || sh ${FORGET_PATH} at-boot || say 'a power cut now would leave the token on this machine'`,
    '  attempt=1',
    '  while :; do',
    '    status=0',
    '    try_once || status=$?',
    '    token=',
    '    [ "$status" != 0 ] || break',
    '    if is_joined; then',
    '      say "the node has its certificate, and the join ended with status $status all the same"',
    '      break',
    '    fi',
    `    if [ "$attempt" -ge ${attempts} ]; then`,
    '      undo',
    '      say "the join failed with status $status"',
    '      exit $status',
    '    fi',
    `    say "attempt $attempt of ${attempts} failed with status $status; the next one follows in ${secondsBetweenAttempts} s"`,
    '    undo',
    `    sleep ${secondsBetweenAttempts}`,
    '    attempt=$((attempt + 1))',
    '  done',
    `  rm -f ${STATE_FOLDER}/joining`,
    '  forget',
    '  [ "$status" = 0 ] || exit $status',
    'fi',
    ...(source.kind === 'file' && source.removeAfterJoin ? [`rm -f ${quoteForShell(source.path)}`] : []),
    ...(after.length > 0
      ? [
          `if [ ! -e ${finished} ] || [ "$(this_join)" != "$(cat ${finished})" ]; then`,
          '  at_next_boot',
          '  finish || exit',
          `  this_join > ${finished}`,
          'fi',
        ]
      : []),
    `rm -f ${BOOT_HOOK}`,
    'exit 0',
  ];
}

function functionOf(name: string, body: readonly string[]): string[] {
  return [`${name}() {`, ...body, '  return 0', '}', ''];
}

/** A script that writes files; what they hold reaches no command line but that of the shell's own printf. */
export function writeFilesScript(files: readonly NodeFile[]): string[] {
  return files.flatMap(({ path, content, permissions }) => {
    const folder = path.slice(0, path.lastIndexOf('/')) || '/';
    const text = content.endsWith('\n') ? content.slice(0, -1) : content;
    const format = content.endsWith('\n') ? "'%s\\n'" : "'%s'";
    return [
      `mkdir -p ${quoteForShell(folder)} || exit`,
      // made anew, so that a file that others can read is never written to
      `rm -f ${quoteForShell(path)} && (umask 077; printf ${format} ${quoteForShell(text)} > ${quoteForShell(path)}) || exit`,
      `chmod ${fourDigits(permissions)} ${quoteForShell(path)} || exit`,
    ];
  });
}

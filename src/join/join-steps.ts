import { quoteForShell } from '../text/shell.js';
import { CLEANUP_PATH } from './cleanup-script.js';
import { commandLine, type JoinCommand } from './join-command.js';
import { isOnNode, type TokenSource } from './join-token.js';
import type { NodeCommand } from './node-file.js';
import { BOOT_HOOK, KUBELET_CONF, SCRIPT_PATH, STATE_FOLDER } from './node-paths.js';

/** What the steps depend on. */
export interface JoinStepsInput {
  readonly source: TokenSource;
  readonly command: JoinCommand;
  readonly attempts: number;
  readonly secondsBetweenAttempts: number;
  readonly before: readonly NodeCommand[];
  readonly after: readonly NodeCommand[];
  /** Definition of the shell function `install_packages`; empty if no packages are installed. */
  readonly install: readonly string[];
  /** Lines that run before all others that change the node. */
  readonly prepare: readonly string[];
}

/**
 * The steps of a join, in order, with functions that the script defines before: in each attempt `prepare` (runtime, packages, commands before the join),
 * `get_token` and `join`, then the commands after the join.
 */
export function joinSteps(input: JoinStepsInput): string[] {
  const { before, after, attempts, secondsBetweenAttempts, install, source } = input;
  const canRead = isOnNode(source);
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
        ? ["  install_packages || { status=$?; say 'the packages cannot be installed'; return $status; }"]
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
    // before the first attempt, because the power may fail
    ...(canRead ? ['  at_next_boot'] : []),
    `  [ ! -r ${CLEANUP_PATH} ] || sh ${CLEANUP_PATH} at-boot || say 'a power cut now would leave the token on this machine'`,
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

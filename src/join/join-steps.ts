import { quoteForShell } from '../text/shell.js';
import { APPLIED_FILE } from './applied-join.js';
import { CLEANUP_PATH } from './cleanup-script.js';
import { commandLine, type JoinCommand, SCRIPT_PROGRAMS } from './join-command.js';
import type { TokenSource } from './join-token.js';
import type { NodeCommand } from './node-file.js';
import {
  BOOT_HOOK,
  bootHookLines,
  BOX_FILE,
  INSTANCE_CONFIG,
  INSTANCE_MARK,
  KUBELET_CONF,
  PER_BOOT_FOLDER,
  SCRIPT_PATH,
  STATE_FOLDER,
} from './node-paths.js';

/** What the steps depend on. */
export interface JoinStepsInput {
  readonly source: TokenSource;
  readonly command: JoinCommand;
  readonly attempts: number;
  readonly secondsBetweenAttempts: number;
  readonly before: readonly NodeCommand[];
  readonly after: readonly NodeCommand[];
  /** What the machine joins with, as lines. */
  readonly applied: readonly string[];
  /** Whether several machines share the join, each with its own name and labels. */
  readonly hasBoxes: boolean;
  /** Whether a service runs the script. */
  readonly hasService: boolean;
  /** The kubeadm patch of the KubeletConfiguration, if there is one. */
  readonly patches: readonly string[];
  /** Definition of the shell function `use_proxy`; empty if no proxy asks for a password. */
  readonly useProxy: readonly string[];
  /** Definition of the shell function `install_packages`; empty if no packages are installed. */
  readonly install: readonly string[];
  /** Lines that run before all others that change the node. */
  readonly prepare: readonly string[];
  /** Lines that run after the packages. */
  readonly configure: readonly string[];
}

/**
 * The steps of a join, in order, with functions that the script defines before: in each attempt `prepare` (runtime, packages, commands before the join),
 * `get_token` and `join`, then the commands after the join.
 */
export function joinSteps(input: JoinStepsInput): string[] {
  const { before, after, install } = input;
  const proxy = input.useProxy.length > 0 ? ['  use_proxy || return'] : [];
  const finished = `${STATE_FOLDER}/finished`;
  const run = (commands: readonly NodeCommand[], what: string): string[] =>
    commands.flatMap((command, index) => [
      `  ${commandLine(command)} || { status=$?; say '${what} ${index + 1} of ${commands.length} failed'; return $status; }`,
    ]);
  return [
    ...functionOf('prepare', [
      ...input.prepare.map((line) => `  ${line}`),
      ...(install.length > 0
        ? ["  install_packages || { status=$?; say 'the packages cannot be installed'; return $status; }"]
        : []),
      ...input.configure.map((line) => `  ${line}`),
      ...run(before, 'command before the join'),
      `  for program in ${[...SCRIPT_PROGRAMS, ...input.command.programs].join(' ')}; do`,
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
          ...functionOf('finish', [...proxy, ...run(after, 'command after the join')]),
        ]
      : []),
    'prepared=',
    ...functionOf('try_once', [
      ...proxy,
      '  [ -n "$prepared" ] || prepare || return',
      '  prepared=1',
      '  get_token || return',
      `  rm -f ${finished} ${APPLIED_FILE}`,
      `  { [ ! -e /etc/kubernetes/pki/ca.crt ] || echo ca; } > ${STATE_FOLDER}/joining.new || return`,
      `  mv -f ${STATE_FOLDER}/joining.new ${STATE_FOLDER}/joining || return`,
      '  join || return',
    ]),
    ...keepPatchLines(input.patches),
    '# kubelet has asked for its certificate, and nobody has signed it: it may still come',
    'is_asking() {',
    `  [ -e ${STATE_FOLDER}/joining ] && [ -s ${KUBELET_CONF} ] && ! is_joined`,
    '}',
    '',
    ...(input.hasService
      ? ['at_next_boot() { :; }']
      : [
          '# cloud-init runs this script at every boot, until everything is done',
          'at_next_boot() {',
          `  [ -d ${PER_BOOT_FOLDER} ] && [ -r ${SCRIPT_PATH} ] || return 0`,
          // moved there when it is complete: cloud-init does not run a file without the mode
          `  printf '%s\\n' ${bootHookLines(false).map(quoteForShell).join(' ')} > ${STATE_FOLDER}/hook &&`,
          `    chmod 0755 ${STATE_FOLDER}/hook && mv -f ${STATE_FOLDER}/hook ${BOOT_HOOK}`,
          '}',
        ]),
    '',
    // only when the next boot would run it: until then the boot command of the cloud-config takes care of it
    `begun() { [ ! -d ${INSTANCE_MARK.slice(0, INSTANCE_MARK.lastIndexOf('/'))} ] || : > ${INSTANCE_MARK}; }`,
    '',
    // a shell reads a block to its end before it runs it: a script that was not written to its end does nothing
    '{',
    ...mainSteps(input, finished),
    '}',
  ];
}

/**
 * kubeadm applies `patches` only at the join: an upgrade without `--patches` writes a configuration without them. From 1.34 on every upgrade also applies
 * the file in which kubeadm keeps the socket of the runtime (`phases/kubelet/config.go`, WriteConfigToDisk), so the patch is added to it.
 */
function keepPatchLines([patch]: readonly string[]): string[] {
  return patch === undefined
    ? []
    : [
        '# so that an upgrade of the node keeps the patch, also without --patches',
        'keep_patch() {',
        `  socket=$(sed -n 's/^containerRuntimeEndpoint: *//p' ${INSTANCE_CONFIG} 2>/dev/null)`,
        '  socket=${socket#\\"} socket=${socket%\\"}',
        `  [ -n "$socket" ] && [ -s ${quoteForShell(patch)} ] || return 0`,
        `  { echo "{\\"containerRuntimeEndpoint\\": \\"$socket\\","; sed '1s/^{//' ${quoteForShell(patch)}; } > ${STATE_FOLDER}/instance &&`,
        `    chmod 0644 ${STATE_FOLDER}/instance && mv -f ${STATE_FOLDER}/instance ${INSTANCE_CONFIG}`,
        '}',
        '',
      ];
}

function mainSteps(
  { source, attempts, secondsBetweenAttempts, after, applied, hasBoxes, patches }: JoinStepsInput,
  finished: string,
): string[] {
  const joining = `${STATE_FOLDER}/joining`;
  return [
    '[ "$(id -u)" = 0 ] || { say \'this needs root\'; exit 77; }',
    `mkdir -p ${STATE_FOLDER} /etc/kubernetes || exit`,
    'lock',
    "trap 'status=$?; forget; unlock; exit $status' EXIT",
    "trap 'exit 129' HUP",
    "trap 'exit 130' INT",
    "trap 'exit 143' TERM",
    'if is_joined; then',
    '  begun',
    '  refuse_change',
    "  say 'this machine has joined already'",
    `  rm -f ${joining}`,
    'else',
    // before the first attempt, because the power may fail
    "  at_next_boot || say 'the next boot will not try again'",
    '  begun',
    '  undo',
    `  [ ! -r ${CLEANUP_PATH} ] || sh ${CLEANUP_PATH} at-boot || say 'a power cut now would leave the token on this machine'`,
    '  attempt=0',
    '  while :; do',
    '    attempt=$((attempt + 1)) status=0',
    '    try_once || status=$?',
    '    token=',
    '    if is_joined; then',
    '      [ "$status" = 0 ] || say "the node has its certificate, and the join ended with status $status all the same"',
    '      break',
    '    fi',
    '    [ "$status" != 0 ] || status=1',
    "    if is_asking; then say 'kubelet waits for its certificate, which nobody has signed: kubectl get csr'; else undo; fi",
    `    if [ "$attempt" -ge ${attempts} ]; then`,
    '      say "the join failed with status $status"',
    '      exit $status',
    '    fi',
    `    say "attempt $attempt of ${attempts} failed with status $status; the next one follows in ${secondsBetweenAttempts} s"`,
    `    sleep ${secondsBetweenAttempts}`,
    '    undo',
    '    if is_joined; then',
    "      say 'the certificate came late'",
    '      status=0',
    '      break',
    '    fi',
    '  done',
    `  printf '%s\\n' ${applied.map(quoteForShell).join(' ')} > ${APPLIED_FILE}.new`,
    ...(hasBoxes ? [`  cat ${BOX_FILE} >> ${APPLIED_FILE}.new`] : []),
    // what kubelet and kubeadm have written, before the files that would repair it are removed
    '  sync',
    `  rm -f ${joining}`,
    '  forget',
    '  [ "$status" = 0 ] || exit $status',
    'fi',
    ...(patches.length > 0 ? ["keep_patch || say 'kubeadm upgrade node needs --patches on this machine'"] : []),
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
    `[ ! -e ${APPLIED_FILE}.new ] || mv -f ${APPLIED_FILE}.new ${APPLIED_FILE}`,
    `rm -f ${BOOT_HOOK}`,
    'exit 0',
  ];
}

function functionOf(name: string, body: readonly string[]): string[] {
  return [`${name}() {`, ...body, '  return 0', '}', ''];
}

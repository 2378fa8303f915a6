import type { PlainMap } from '../validation/plain-data.js';
import { compute, concatenated } from '../validation/unknown.js';
import { quoteForShell } from '../text/shell.js';
import { changeLines } from './applied-join.js';
import { CLEANUP_PATH } from './cleanup-script.js';
import { cloudConfig, fourDigits } from './cloud-config.js';
import type { JoinDraft } from './join-draft.js';
import { holdsToken, TOKEN_PLACEHOLDER } from './token-text.js';
import { LOCK_LINES } from './join-lock.js';
import { joinDocument, withToken } from './kubeadm-join.js';
import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import {
  BOOT_HOOK,
  bootHookLines,
  INSTANCE_MARK,
  KUBELET_CONF,
  PER_BOOT_FOLDER,
  SCRIPT_PATH,
  SERVICE_PATH,
  TIME_SERVERS_FILE,
} from './node-paths.js';

/** A join as files, with or without its token. */
export interface JoinFiles {
  readonly files: readonly Required<NodeFile>[];
  readonly userData: string;
  readonly script: string;
  readonly joinConfiguration: PlainMap;
}

/** The files of a join. Only this function writes the token; without one it writes the placeholder. */
export function joinFiles(draft: JoinDraft, token: string | undefined): JoinFiles {
  const { about, applied, hasBoxes, hasService, configPath, holdsToken, ntpServers, configuration } = draft;
  const joinConfiguration =
    configuration === undefined
      ? {}
      : compute({ configuration, token }, (known) => withToken(known.configuration, known.token));
  const config: NodeFile[] =
    configPath === undefined
      ? []
      : [
          {
            path: configPath,
            permissions: '0600',
            content:
              configuration === undefined
                ? compute(token, (text) => `${text ?? TOKEN_PLACEHOLDER}\n`)
                : compute(joinConfiguration, joinDocument),
          },
        ];
  const files = compute(
    concatenated<NodeFile>(
      draft.files,
      // without a token before the script, which is the last file then: if it is there, all are
      holdsToken ? [] : config,
      [
        { path: CLEANUP_PATH, permissions: '0700', content: draft.cleanupScript },
        { path: SCRIPT_PATH, permissions: '0700', content: draft.joinScript },
      ],
      // last: if an earlier file cannot be written, the token is not on the machine yet
      holdsToken ? config : [],
    ),
    (all) => all.map((file) => ({ ...file, permissions: file.permissions ?? DEFAULT_PERMISSIONS })),
  );
  const input = { about, applied, hasBoxes, hasService, files, ntpServers, configPath, holdsToken };
  // user-data prevails over vendor-data, where each box has its own
  const shared = { about, files, hasService, ...(hasBoxes ? {} : { ntpServers }) };
  return { files, userData: compute(shared, userDataOf), script: compute(input, machineScript), joinConfiguration };
}

type Written = Pick<
  JoinDraft,
  'about' | 'applied' | 'hasBoxes' | 'hasService' | 'configPath' | 'holdsToken' | 'ntpServers'
> & {
  readonly files: readonly NodeFile[];
};

/**
 * cloud-init runs each module once for an instance, also if the power failed in it or the disk was full. This command runs at every boot before the files
 * are written: as long as the script has never begun, a later boot writes the files again and runs it.
 */
function bootCommand(hasService: boolean): string {
  const folder = INSTANCE_MARK.slice(0, INSTANCE_MARK.lastIndexOf('/'));
  return [
    `cd ${folder} && [ -e config_write_files ] && [ ! -e ${INSTANCE_MARK.slice(folder.length + 1)} ] || exit 0`,
    `rm -f config_write_files; mkdir -p ${PER_BOOT_FOLDER}`,
    `printf '%s\\n' ${bootHookLines(hasService).map(quoteForShell).join(' ')} > ${BOOT_HOOK} && chmod 0755 ${BOOT_HOOK}`,
  ].join('\n');
}

/** The command that joins. */
function startOf(hasService: boolean): string[] {
  return hasService ? ['sh', SERVICE_PATH, 'start'] : ['sh', SCRIPT_PATH];
}

function userDataOf({
  about,
  files,
  ntpServers,
  hasService,
}: Pick<Written, 'about' | 'files' | 'ntpServers' | 'hasService'>): string {
  return cloudConfig({
    about,
    files,
    bootCommand: ['sh', '-c', bootCommand(hasService)],
    command: startOf(hasService),
    ntpServers,
  });
}

/** The whole join as one script, for machines without cloud-init. */
function machineScript({
  about,
  applied,
  hasBoxes,
  hasService,
  files,
  ntpServers,
  configPath,
  holdsToken,
}: Written): string {
  const ntp = { path: TIME_SERVERS_FILE, content: `[Time]\nNTP=${(ntpServers ?? []).join(' ')}\n` };
  const secret = files.filter(({ path }) => holdsToken && path === configPath);
  const others = files.filter((file) => !secret.includes(file));
  return `${[
    '#!/bin/sh',
    `# ${about}`,
    '# Run it as root, as often as you like. It writes the files of the join, then joins; its exit status is that of the program that joins.',
    'set -u',
    'set +x',
    '[ "$(id -u)" = 0 ] || { echo \'edge-nodepools: this needs root\' >&2; exit 77; }',
    ...LOCK_LINES,
    'lock',
    ...changeLines(applied, hasBoxes),
    `if [ -s ${KUBELET_CONF} ]; then (refuse_change) || { status=$?; unlock; exit $status; }; fi`,
    ...writeFilesScript(ntpServers === undefined ? others : [...others, ntp]),
    ...(ntpServers === undefined
      ? []
      : [
          // a machine without systemd-timesyncd is not changed
          'command -v systemctl >/dev/null 2>&1 && systemctl try-restart systemd-timesyncd >/dev/null 2>&1 || :',
        ]),
    ...secret.flatMap((file) => secretLines(file)),
    // exec keeps the lock for the script; a service runs the script as another process
    ...(hasService ? ['unlock'] : []),
    `exec ${startOf(hasService).join(' ')}`,
  ].join('\n')}\n`;
}

/** Writes the file with the token, after all others. A failure or a signal removes it, and after a power failure the next boot does. */
function secretLines(secret: NodeFile): string[] {
  return [
    `sh ${CLEANUP_PATH} at-boot || echo 'edge-nodepools: a power cut now would leave the token on this machine' >&2`,
    `forget() { rm -f ${quoteForShell(secret.path)}; }`,
    "trap 'status=$?; forget; exit $status' EXIT",
    "trap 'exit 129' HUP",
    "trap 'exit 130' INT",
    "trap 'exit 143' TERM",
    ...writeFilesScript([secret]),
  ];
}

/** Lines that write files. A line with a token is written by echo, a builtin of every shell; printf is a program for some, whose arguments all users see. */
export function writeFilesScript(files: readonly NodeFile[]): string[] {
  return files.flatMap(({ path, content, permissions }) => {
    const folder = path.slice(0, path.lastIndexOf('/')) || '/';
    return [
      `mkdir -p ${quoteForShell(folder)} || exit`,
      // a new file, because an existing one could be readable by others
      `rm -f ${quoteForShell(path)} && (umask 077; ${printed(content)} > ${quoteForShell(path)}) || exit`,
      `chmod ${fourDigits(permissions)} ${quoteForShell(path)} || exit`,
    ];
  });
}

function printed(content: string): string {
  const lines = content.split('\n');
  const at = lines.findIndex((line) => holdsToken(line) || line.includes(TOKEN_PLACEHOLDER));
  const word = (text: string): string =>
    text.endsWith('\n') ? `printf '%s\\n' ${quoteForShell(text.slice(0, -1))}` : `printf '%s' ${quoteForShell(text)}`;
  if (at < 0) {
    return word(content);
  }
  const [before, after] = [lines.slice(0, at), lines.slice(at + 1)].map((part) => part.join('\n'));
  return `{ ${[
    ...(at === 0 ? [] : [word(`${before}\n`)]),
    `echo ${quoteForShell(lines[at] ?? '')}`,
    ...(after === '' ? [] : [word(after ?? '')]),
  ].join('; ')}; }`;
}

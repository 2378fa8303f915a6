import type { PlainMap } from '../validation/plain-data.js';
import { compute, concatenated } from '../validation/unknown.js';
import { quoteForShell } from '../text/shell.js';
import { shellScript } from '../text/shell-script.js';
import { cloudConfig, fourDigits } from './cloud-config.js';
import type { JoinDraft } from './join-draft.js';
import { holdsToken, TOKEN_PLACEHOLDER } from './token-text.js';
import { joinDocument, withToken } from './kubeadm-join.js';
import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { BOOT_HOOK, SCRIPT_PATH, SERVICE_PATH, TIME_SERVERS_FILE } from './node-paths.js';
import { SHELL } from './shell-files.js';

/** A join as files, with or without its token. */
export interface JoinFiles {
  readonly files: readonly Required<NodeFile>[];
  readonly userData: string;
  readonly script: string;
  readonly joinConfiguration: PlainMap;
}

/** The files of a join. Only this function writes the token; without one it writes the placeholder. */
export function joinFiles(draft: JoinDraft, token: string | undefined): JoinFiles {
  const { about, applied, staticPods, hasMachines, hasService, configPath, holdsToken, ntpServers, configuration } =
    draft;
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
      [{ path: SCRIPT_PATH, permissions: '0700', content: draft.joinScript }],
      // last: if an earlier file cannot be written, the token is not on the machine yet
      holdsToken ? config : [],
    ),
    (all) => all.map((file) => ({ ...file, permissions: file.permissions ?? DEFAULT_PERMISSIONS })),
  );
  const kept = staticPods.files.map(({ path }) => path);
  const input = { about, applied, kept, hasMachines, hasService, files, ntpServers, configPath, holdsToken };
  // user-data prevails over vendor-data, where each machine has its own
  const shared = { about, files, hasService, ...(hasMachines ? {} : { ntpServers }) };
  return {
    files,
    // each is rendered when it is asked for: a join has one of them, and its hash and its update need no more
    get userData() {
      return compute(shared, userDataOf);
    },
    get script() {
      return compute(input, machineScript);
    },
    joinConfiguration,
  };
}

type Written = Pick<
  JoinDraft,
  'about' | 'applied' | 'hasMachines' | 'hasService' | 'configPath' | 'holdsToken' | 'ntpServers'
> & {
  readonly files: readonly NodeFile[];
  /** Paths of files that stay as they are if they are the same. */
  readonly kept: readonly string[];
};

/** In `write_files`, so that the join survives a later cloud-config with another `runcmd`. */
function bootHook(hasService: boolean): NodeFile {
  const content = `${SHELL['boot-hook.sh']}exec ${startOf(hasService).join(' ')}\n`;
  return { path: BOOT_HOOK, permissions: '0755', content };
}

/** The command that joins. */
function startOf(hasService: boolean): string[] {
  return hasService ? ['sh', SERVICE_PATH, 'start'] : ['sh', SCRIPT_PATH];
}

function userDataOf({ files, ntpServers, hasService }: Pick<Written, 'files' | 'ntpServers' | 'hasService'>): string {
  return cloudConfig({
    files: [bootHook(hasService), ...files],
    bootCommand: ['sh', '-c', SHELL['boot-command.sh'].trimEnd()],
    command: startOf(hasService),
    ntpServers,
  });
}

/** The whole join as one script, for machines without cloud-init. */
function machineScript({
  about,
  applied,
  kept,
  hasMachines,
  hasService,
  files,
  ntpServers,
  configPath,
  holdsToken,
}: Written): string {
  const ntp = { path: TIME_SERVERS_FILE, content: `[Time]\nNTP=${(ntpServers ?? []).join(' ')}\n` };
  const secret = files.filter(({ path }) => holdsToken && path === configPath);
  const others = files.filter((file) => !secret.includes(file));
  return shellScript({
    comments: [
      about,
      'Run it as root, as often as you like. It writes the files of the join, then joins; its exit status is that of the program that joins.',
    ],
    variables: { applied, secret: secret[0]?.path, start: startOf(hasService).join(' ') },
    parts: [
      ...(['common.sh', 'control.sh', 'lock.sh', 'unlock.sh', 'record.sh'] as const).map((file) => SHELL[file]),
      ...(hasMachines ? [SHELL['identity-record.sh']] : []),
      SHELL['machine.sh'],
      ...(kept.length === 0 ? [] : [SHELL['replace.sh']]),
      writeFilesScript(ntpServers === undefined ? others : [...others, ntp], false, kept).join('\n'),
      ...(ntpServers === undefined ? [] : [SHELL['machine-clock.sh']]),
      ...(hasService ? [] : [SHELL['machine-hook.sh']]),
      ...(secret.length === 0 ? [] : [SHELL['machine-secret.sh'], writeFilesScript(secret, true).join('\n')]),
      // exec keeps the lock for the script; a service runs the script as another process
      ...(hasService ? ['unlock'] : []),
      'exec $start',
    ],
  });
}

/**
 * Lines that write files.
 *
 * @param hasToken whether a line of each file holds a token: it is written by echo, a builtin of every shell; printf is a program for some, whose
 * arguments all users see
 * @param kept paths of files that are replaced only if they change: kubelet restarts a static Pod whose file was away
 */
export function writeFilesScript(files: readonly NodeFile[], hasToken = false, kept: readonly string[] = []): string[] {
  return files.flatMap(({ path, content, permissions }) => {
    const folder = path.slice(0, path.lastIndexOf('/')) || '/';
    if (kept.includes(path)) {
      // hidden, because kubelet reads every other file of the folder
      const hidden = `${folder}/.${path.slice(folder.length + 1)}`;
      return [
        `mkdir -p ${quoteForShell(folder)} || exit`,
        `(umask 077; ${printed(content, hasToken)} > ${quoteForShell(hidden)}) || exit`,
        `chmod ${fourDigits(permissions)} ${quoteForShell(hidden)} || exit`,
        `replace ${quoteForShell(hidden)} ${quoteForShell(path)} || exit`,
      ];
    }
    return [
      `mkdir -p ${quoteForShell(folder)} || exit`,
      // a new file, because an existing one could be readable by others
      `rm -f ${quoteForShell(path)} && (umask 077; ${printed(content, hasToken)} > ${quoteForShell(path)}) || exit`,
      `chmod ${fourDigits(permissions)} ${quoteForShell(path)} || exit`,
    ];
  });
}

function printed(content: string, hasToken: boolean): string {
  const lines = content.split('\n');
  const at = hasToken ? lines.findIndex((line) => holdsToken(line) || line.includes(TOKEN_PLACEHOLDER)) : -1;
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

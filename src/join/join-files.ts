import { TOKEN_PLACEHOLDER } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, concatenated } from '../base/unknown.js';
import { quoteForShell } from '../base/shell.js';
import { hereDocument, shellScript } from '../base/shell-script.js';
import { cloudConfig, fourDigits } from './cloud-config.js';
import type { JoinDraft } from './join-draft.js';
import { holdsToken } from './join-token.js';
import { joinDocument, withToken } from './kubeadm-join.js';
import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { BOOT_HOOK, SCRIPT_PATH, SERVICE_PATH } from './node-paths.js';
import { shell } from './shell-parts.js';
import { timeServersFile } from './machine-settings.js';

/** A join as files, with or without its token. */
export interface JoinFiles {
  readonly files: readonly Required<NodeFile>[];
  readonly userData: string;
  readonly script: string;
  readonly joinConfiguration: PlainMap;
}

/** The files of a join. Only this function writes the token; without one it writes the placeholder. */
export function joinFiles(draft: JoinDraft, token: string | undefined): JoinFiles {
  const { about, staticPods, hasMachines, hasService, configPath, holdsToken, ntpServers, configuration } = draft;
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
  const { applied, joinLabel } = draft;
  const input = { about, applied, joinLabel, kept, hasMachines, hasService, files, ntpServers, configPath, holdsToken };
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
  'about' | 'applied' | 'joinLabel' | 'hasMachines' | 'hasService' | 'configPath' | 'holdsToken' | 'ntpServers'
> & {
  readonly files: readonly NodeFile[];
  /** Paths of files that stay as they are if they are the same. */
  readonly kept: readonly string[];
};

/** In `write_files`, so that the join survives a later cloud-config with another `runcmd`. */
function bootHook(hasService: boolean): NodeFile {
  const content = `${shell('boot-hook')}exec ${startOf(hasService).join(' ')}\n`;
  return { path: BOOT_HOOK, permissions: '0755', content };
}

/** The command that joins. */
function startOf(hasService: boolean): string[] {
  return hasService ? ['sh', SERVICE_PATH, 'start'] : ['sh', SCRIPT_PATH];
}

function userDataOf({ files, ntpServers, hasService }: Pick<Written, 'files' | 'ntpServers' | 'hasService'>): string {
  return cloudConfig({
    files: [bootHook(hasService), ...files],
    bootCommand: ['sh', '-c', shell('boot-command').trimEnd()],
    command: startOf(hasService),
    ntpServers,
  });
}

/** The whole join as one script, for machines without cloud-init. */
function machineScript({
  about,
  applied,
  joinLabel,
  kept,
  hasMachines,
  hasService,
  files,
  ntpServers,
  configPath,
  holdsToken,
}: Written): string {
  const secret = files.filter(({ path }) => holdsToken && path === configPath);
  const others = files.filter((file) => !secret.includes(file));
  return shellScript({
    comments: [
      about,
      'Run it as root, as often as you like. It writes the files of the join, then joins; its exit status is that of the program that joins.',
    ],
    variables: { applied, join_label: joinLabel, secret: secret[0]?.path, start: startOf(hasService).join(' ') },
    parts: [
      ...(['common', 'systemctl', 'lock', 'unlock', 'record'] as const).map((file) => shell(file)),
      ...(hasMachines ? [shell('identity-record')] : []),
      shell('machine'),
      ...fileParts(ntpServers === undefined ? others : [...others, timeServersFile(ntpServers)], kept),
      ...(ntpServers === undefined ? [] : [shell('machine-clock')]),
      ...(hasService ? [] : [shell('machine-hook')]),
      ...(secret.length === 0 ? [] : [shell('machine-secret'), ...secret.map(writtenSecret)]),
      // exec keeps the lock for the script; a service runs the script as another process
      ...(hasService ? ['unlock'] : []),
      'exec $start',
    ],
  });
}

/**
 * Parts of a script that write files. Each stands there as it is, as a here-document.
 *
 * @param kept paths of files that are replaced only if they change
 */
export function fileParts(files: readonly NodeFile[], kept: readonly string[] = []): string[] {
  return [
    shell('write-file'),
    ...(kept.length === 0 ? [] : [shell('replace')]),
    ...files.map((file) => writtenFile(file, kept.includes(file.path) ? 'replace_file' : 'write_file')),
  ];
}

function writtenFile({ path, content, permissions }: NodeFile, command: string): string {
  const call = `${command} ${fourDigits(permissions)} ${quoteForShell(path)}`;
  const [redirection, below] = hereDocument(content);
  return content === '' || content.endsWith('\n')
    ? `${call} ${redirection} || exit\n${below}`
    : `printf %s ${quoteForShell(content)} | ${call} || exit`;
}

/** The file with the token. The line with the token is written by echo, a builtin of every shell: others see the
 * arguments of a program, and some shells write a here-document to the disk. */
function writtenSecret({ path, content, permissions }: NodeFile): string {
  const lines = content.split('\n');
  const at = lines.findIndex((line) => holdsToken(line) || line.includes(TOKEN_PLACEHOLDER));
  const [before, after] = [lines.slice(0, at), lines.slice(at + 1)].map((part) => part.join('\n'));
  const shown = (text: string): string => {
    const [redirection, below] = hereDocument(text);
    return text === '' ? '' : `  cat ${redirection}\n${below}\n`;
  };
  const token = `  echo ${quoteForShell(lines[at] ?? '')}\n`;
  return `{\n${shown(before === '' ? '' : `${before}\n`)}${token}${shown(after ?? '')}} | write_file ${fourDigits(permissions)} ${quoteForShell(path)} || exit`;
}

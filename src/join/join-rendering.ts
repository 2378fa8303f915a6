import type { EdgeWarning } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { PlainMap } from '../validation/plain-data.js';
import { cloudConfig } from './cloud-config.js';
import { sha256Of } from '../text/content-hash.js';
import { quoteForShell } from '../text/shell.js';
import { FORGET_PATH } from './forget-script.js';
import { writeFilesScript } from './join-script.js';
import { JoinToken, TOKEN_PLACEHOLDER } from './join-token.js';
import { joinDocument, withToken } from './kubeadm-join.js';
import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { SCRIPT_PATH, TIME_SERVERS_FILE } from './node-paths.js';

/** A join with everything decided; only the token is open. */
export interface JoinPlan {
  readonly about: readonly string[];
  readonly files: readonly NodeFile[];
  /** The kubeadm document with the placeholder; empty for yurtadm, which writes its own. */
  readonly configuration: PlainMap;
  readonly configPath: string;
  /** Whether the file at `configPath` holds the token as soon as it is written. */
  readonly holdsToken: boolean;
  readonly joinScript: string;
  readonly forgetScript: string;
  readonly leaveScript: string;
  readonly ntpServers?: readonly string[];
  readonly objects: readonly KubernetesObject[];
  readonly warnings: readonly EdgeWarning[];
}

/** A join as files, with or without its token. */
export interface RenderedJoin {
  readonly files: readonly Required<NodeFile>[];
  readonly userData: string;
  readonly script: string;
  readonly joinConfiguration: PlainMap;
}

/** The files of a join; the token goes in here and nowhere else. Without one the placeholder stands where it belongs. */
export function renderJoin(plan: JoinPlan, token: string | undefined): RenderedJoin {
  const configuration = withToken(plan.configuration, token);
  const isDocument = 'kind' in plan.configuration;
  const withSecret: NodeFile[] =
    plan.configPath === ''
      ? []
      : [
          {
            path: plan.configPath,
            permissions: '0600',
            content: isDocument ? joinDocument(configuration) : `${token ?? TOKEN_PLACEHOLDER}\n`,
          },
        ];
  const files = [
    ...plan.files,
    { path: FORGET_PATH, permissions: '0700', content: plan.forgetScript },
    { path: SCRIPT_PATH, permissions: '0700', content: plan.joinScript },
    // last: when a file before it can not be written, the token is nowhere yet
    ...withSecret,
  ].map((file) => ({ ...file, permissions: file.permissions ?? DEFAULT_PERMISSIONS }));
  return {
    files,
    userData: cloudConfig({ about: plan.about, files, command: ['sh', SCRIPT_PATH], ntpServers: plan.ntpServers }),
    script: machineScript(plan, files),
    joinConfiguration: configuration,
  };
}

/** The whole join as one script, for machines without cloud-init. */
function machineScript(plan: JoinPlan, files: readonly NodeFile[]): string {
  const { ntpServers, configPath, holdsToken } = plan;
  const ntp = { path: TIME_SERVERS_FILE, content: `[Time]\nNTP=${(ntpServers ?? []).join(' ')}\n` };
  const secret = files.filter(({ path }) => holdsToken && path === configPath);
  const others = files.filter((file) => !secret.includes(file));
  return `${[
    '#!/bin/sh',
    ...plan.about.map((line) => `# ${line}`),
    '# Run it as root, as often as you like. It writes the files of the join, then joins; its exit status is that of the program that joins.',
    'set -u',
    'set +x',
    '[ "$(id -u)" = 0 ] || { echo \'edge-nodepools: this needs root\' >&2; exit 77; }',
    ...writeFilesScript(ntpServers === undefined ? others : [...others, ntp]),
    ...(ntpServers === undefined
      ? []
      : [
          // a machine that keeps its time in another way is left alone
          'command -v systemctl >/dev/null 2>&1 && systemctl try-restart systemd-timesyncd >/dev/null 2>&1 || :',
        ]),
    ...(secret.length === 0 ? [] : secretLines(secret, configPath)),
    `exec sh ${SCRIPT_PATH}`,
  ].join('\n')}\n`;
}

/** The token comes last; a failure or a signal after that removes it, and after a power cut the next boot. */
function secretLines(secret: readonly NodeFile[], path: string): string[] {
  return [
    `sh ${FORGET_PATH} at-boot || echo 'edge-nodepools: a power cut now would leave the token on this machine' >&2`,
    `forget() { rm -f ${quoteForShell(path)}; }`,
    "trap 'status=$?; forget; exit $status' EXIT",
    "trap 'exit 129' HUP",
    "trap 'exit 130' INT",
    "trap 'exit 143' TERM",
    ...writeFilesScript(secret),
  ];
}

/** Hash of what a join says. Not of the token: only its public half, the id, tells the joins of two tokens apart. */
export function hashOfJoin(plan: JoinPlan, format: 'cloud-config' | 'script', token: JoinToken): string {
  const { userData, script } = renderJoin(plan, undefined);
  const [id = ''] = (JoinToken.textOf(token) ?? '').split('.');
  return sha256Of(`${format}\n${id}\n${format === 'script' ? script : userData}`);
}

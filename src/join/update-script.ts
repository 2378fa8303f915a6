import { hereDocument, shellScript, type ShellSteps, type ShellValue } from '../base/shell-script.js';
import { JOIN_LABEL } from '../kubernetes/labels.js';
import { quoteForShell } from '../base/shell.js';
import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { shell } from './shell-parts.js';

/** What the script depends on. */
export interface UpdateScriptInput {
  /** Comment at the beginning. */
  readonly about: string;
  /** Value of the label `edge-nodepools/join`. */
  readonly hash: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The files of the join, except for the one with the token. */
  readonly files: readonly NodeFile[];
  /** Files of a former join that go if this one does not write them. */
  readonly obsolete: readonly string[];
  /** The pool as a label with which its nodes have registered. */
  readonly poolLabel: string;
  /** All labels, as kubelet registers with them. */
  readonly labels: string;
  /** The taints, as kubeadm writes them. */
  readonly taints: string;
  /** Further arguments of kubelet, `--name=value`. */
  readonly kubeletArguments: readonly string[];
  /** Flags that the kubelet of the minor does not have any more. */
  readonly removedFlags: readonly string[];
  readonly nodeName?: string;
  readonly hasMachines: boolean;
  /** The kubeadm patch of the KubeletConfiguration, if there is one. */
  readonly patches: readonly string[];
  /** The unit of the container runtime. */
  readonly runtimeUnit: 'containerd' | 'crio';
  /** Lines of `/var/lib/edge-nodepools/applied`. */
  readonly applied: readonly string[];
  readonly caCertHashes: readonly string[];
  readonly ignorePreflightErrors: readonly string[];
  /** How long kubelet may take until it is healthy. */
  readonly secondsUntilHealthy: number;
  /** What only some joins have. */
  readonly subjects: readonly UpdateSubject[];
}

/** A subject that only some joins have: its files and variables, and the steps in which it takes part. */
export interface UpdateSubject extends Omit<ShellSteps, 'steps'> {
  /** Before anything is looked at. */
  readonly before?: readonly string[];
  readonly checks?: readonly string[];
  /** Writes new files beside the old ones. */
  readonly stages?: readonly string[];
  /** Files that it changes. */
  readonly files?: readonly string[];
  /** Remembers what there was. */
  readonly backups?: readonly string[];
  readonly changes?: readonly string[];
  /** Takes the changes back that are not files. */
  readonly returns?: readonly string[];
}

/** Flags that kubeadm or yurthub has written, which no join sets by its arguments (`phases/kubelet/flags.go`;
 * node-servant). */
export const KEPT_FLAGS: readonly string[] = [
  'bootstrap-kubeconfig',
  'cgroup-driver',
  'config',
  'container-runtime',
  'container-runtime-endpoint',
  'hostname-override',
  'kubeconfig',
  'pod-infra-container-image',
  'register-with-taints',
];

/**
 * The script that gives a node of the pool the settings of another join, without joining again. It can be run
 * repeatedly, holds no token, and takes its changes back if kubelet is not healthy with them. It is a small script that
 * writes the update to the disk and runs it.
 */
export function updateScript(input: UpdateScriptInput): string {
  const [redirection, update] = hereDocument(scriptOnNode(input), 'END_OF_UPDATE');
  return shellScript({
    comments: [
      input.about,
      'Gives a node of the pool the settings of this join. Run it as root on the node, as often as you like:',
      'ssh root@NODE sh -s < this-file',
    ],
    parts: [
      shell('common'),
      shell('update-start'),
      `write_update() {\n  cat ${redirection}\n${update}\n}`,
      shell('update-end'),
    ],
  });
}

function scriptOnNode(input: UpdateScriptInput): string {
  const { files, subjects, hasMachines, runtimeUnit } = input;
  const steps = (moment: Exclude<keyof UpdateSubject, 'variables' | 'parts'>): readonly string[] =>
    subjects.flatMap((subject) => subject[moment] ?? []);
  return shellScript({
    comments: [input.about],
    environment: input.environment,
    variables: {
      hash: input.hash,
      join_label: `${JOIN_LABEL}=${input.hash}`,
      unit: runtimeUnit,
      other_runtime: runtimeUnit === 'crio' ? 'containerd' : 'crio',
      node_name: hasMachines ? '' : (input.nodeName ?? ''),
      identity: hasMachines ? ['check_identity'] : '',
      before_update: steps('before'),
      checks: steps('checks'),
      stages: steps('stages'),
      backups: steps('backups'),
      changes: steps('changes'),
      returns: steps('returns'),
      seconds_until_healthy: input.secondsUntilHealthy,
      pool_label: input.poolLabel,
      own_labels: input.labels,
      taints: input.taints,
      kubelet_arguments: input.kubeletArguments,
      kept_flags: KEPT_FLAGS,
      removed_flags: input.removedFlags,
      patch: input.patches[0] ?? '',
      ignored: input.ignorePreflightErrors.join(','),
      pins: input.caCertHashes.map((hash) => hash.replace('sha256:', '')),
      obsolete: input.obsolete,
      other_files: [...steps('files'), ...input.obsolete],
      applied: input.applied,
      ...(Object.assign({}, ...subjects.map(({ variables }) => variables)) as Record<string, ShellValue>),
      files: files.length,
      ...fileVariables(files),
    },
    parts: [
      ...new Set([
        ...(['common', 'systemctl', 'lock', 'unlock', 'joined'] as const).map((file) => shell(file)),
        ...(hasMachines
          ? (['identity-record', 'identity', 'update-identity'] as const).map((file) => shell(file))
          : []),
        fileTexts(files),
        ...(['update-node', 'update-checks'] as const).map((file) => shell(file)),
        ...subjects.flatMap(({ parts }) => parts),
        ...(['update-kubelet', 'update-back', 'update'] as const).map((file) => shell(file)),
      ]),
    ],
  });
}

/** The text of each file, by its number. */
function fileTexts(files: UpdateScriptInput['files']): string {
  const cases = files.map(({ content }, index) => {
    const [redirection, below] = hereDocument(content);
    return content === '' || content.endsWith('\n')
      ? `    ${index + 1}) cat ${redirection} ;;\n${below}`
      : `    ${index + 1}) printf %s ${quoteForShell(content)} ;;`;
  });
  return ['file_text() {', '  case $1 in', ...cases, '  esac', '}'].join('\n');
}

function fileVariables(files: UpdateScriptInput['files']): Record<string, ShellValue> {
  return Object.fromEntries(
    files.flatMap(({ path, permissions = DEFAULT_PERMISSIONS }, index) => [
      [`path_${index + 1}`, path],
      [`mode_${index + 1}`, permissions],
    ]),
  );
}

import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { JOIN_LABEL } from '../kubernetes/labels.js';
import type { Taint } from '../kubernetes/taint.js';
import { stepLines, together } from '../text/shell-script.js';
import { compute, text } from '../validation/unknown.js';
import { CONTAINERD_FILE, containerdSteps } from './containerd-settings.js';
import type { JoinDraft } from './join-draft.js';
import { joinFiles } from './join-files.js';
import { argumentList, labelsArgument } from './kubelet-arguments.js';
import type { JoinTimeouts } from './kubeadm-join.js';
import { viaOf } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';
import { MACHINE_FILES, machineReloads, machineSteps } from './machine-settings.js';
import { PATCH_FILE } from './node-parts.js';
import { installLines, type NodePackages, packageFiles, reinstallLines } from './package-installation.js';
import { credentialsDropIn } from './proxy-credentials.js';
import { CREDENTIALS_FILES, RUNTIME_FILES } from './runtime-files.js';
import type { UpdatePackages } from './update-input.js';
import { KEPT_FLAGS } from './update-kubelet.js';
import { updateScript } from './update-script.js';

/**
 * The script that updates a node to a join; undefined for yurtadm, which has no command for it.
 *
 * @param draft the join with its hash
 */
export function updateScriptOf(input: NodeJoinProps, draft: JoinDraft, hash: string): string | undefined {
  const { cluster, poolName } = input.pool;
  if (viaOf(input) === 'yurtadm') {
    return undefined;
  }
  const { about, applied, environment, hasMachines, configPath, holdsToken, parts } = draft;
  const { labels, runtime, taints, ignorePreflightErrors } = parts;
  const { packages } = input;
  const facts = {
    about,
    hash,
    environment,
    // without a token, so that nothing here can hold it
    files: joinFiles(draft, undefined).files,
    secretPath: holdsToken ? configPath : undefined,
    poolKey: cluster.nodePoolLabel,
    poolName,
    labels: text`${compute(labels, withComma)}${JOIN_LABEL}=${hash}`,
    registered: labels,
    taints,
    flags: parts.kubeletFlags,
    further: argumentList(input.kubeletExtraArgs),
    nodeName: input.nodeName,
    patches: parts.patches,
    runtime,
    applied,
    caCertHashes: input.discoveryFile === undefined ? cluster.caCertHashes : [],
    ignorePreflightErrors,
    timeouts: input.timeouts,
    machine: input.machineSettings ?? {},
    packages,
  };
  const removedFlags = KEPT_FLAGS.filter((flag) => kubeletFlagRemovedIn(cluster, flag) !== undefined);
  return compute({ ...facts, hasMachines, removedFlags, kubernetes: cluster.kubernetes }, (known) => {
    const isContainerd = known.runtime.runtime === 'containerd';
    const runtimeUnit = isContainerd ? 'containerd' : 'crio';
    const { credentials } = known.runtime;
    const editing = isContainerd ? containerdSteps(known.runtime) : together();
    const edits = editing.steps.length === 0 ? [] : stepLines(editing);
    const files = known.files.filter(({ path }) => path !== known.secretPath);
    const paths = files.map(({ path }) => path);
    if (credentials !== undefined) {
      paths.push(credentialsDropIn(runtimeUnit));
    }
    return updateScript({
      about: known.about,
      hash: known.hash,
      environment: known.environment,
      files,
      obsolete: [PATCH_FILE, ...RUNTIME_FILES, ...CREDENTIALS_FILES, ...MACHINE_FILES].filter(
        (path) => !paths.includes(path),
      ),
      poolLabel: known.poolKey in known.registered ? `${known.poolKey}=${known.poolName}` : '',
      labels: known.labels,
      taints: known.taints.map(taintOfKubeadm).join(','),
      kubeletArguments: [
        ...Object.entries(known.flags).map(([name, value]) => `--${name}=${value}`),
        ...known.further.map(({ name, value }) => `--${name}=${value}`),
      ],
      removedFlags: known.removedFlags,
      nodeName: known.nodeName,
      hasMachines: known.hasMachines,
      patches: known.patches.map(({ path }) => path),
      machine: [
        ...stepLines(machineSteps(known.machine)),
        ...machineReloads(known.machine).flatMap(({ path, step, part }) => [
          part,
          `case $changed in *${path}*) ${step} ;; esac`,
        ]),
      ],
      runtimeEdits: edits,
      runtimeFiles: edits.length === 0 ? [] : [CONTAINERD_FILE],
      runtimeUnit,
      credentials,
      applied: known.applied,
      caCertHashes: known.caCertHashes,
      ignorePreflightErrors: known.ignorePreflightErrors,
      secondsUntilHealthy: secondsOf(known.timeouts),
      ...(known.packages === undefined ? {} : { packages: packagesOf(known.packages, known.kubernetes) }),
    });
  });
}

function withComma(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels).length === 0 ? '' : `${labelsArgument(labels)},`;
}

/** As kubeadm writes it (`core/v1`, Taint.ToString). */
function taintOfKubeadm({ key, value, effect }: Taint): string {
  return value === undefined || value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** The timeout of kubeadm for a healthy kubelet in seconds. */
function secondsOf({ kubeletHealthCheck = '4m' }: JoinTimeouts = {}): number {
  const parts = kubeletHealthCheck.split(/(?<=[a-zµ])(?=\d)/);
  const seconds = parts.map((part) => Number.parseFloat(part) * (UNITS[part.replace(/[\d.]/g, '')] ?? 0));
  return Math.max(5, Math.ceil(seconds.reduce((sum, count) => sum + count, 0)));
}

function packagesOf(packages: NodePackages, kubernetes: string): UpdatePackages {
  return {
    version: packages.version,
    install: installLines(packages, kubernetes),
    reinstall: reinstallLines(packages),
    files: packageFiles(packages),
    folder: packages.folder,
    runtime: packages.runtime?.name,
  };
}

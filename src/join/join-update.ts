import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { JOIN_LABEL } from '../kubernetes/labels.js';
import type { Taint } from '../kubernetes/taint.js';
import { compute, text } from '../base/unknown.js';
import {
  CONTAINERD_FILE,
  containerdSteps,
  CREDENTIALS_FILES,
  RUNTIME_FILES,
  type RuntimeSettings,
} from './container-runtime.js';
import type { JoinDraft } from './join-draft.js';
import { joinFiles } from './join-files.js';
import { argumentList, labelsArgument } from './kubelet-arguments.js';
import type { JoinTimeouts } from './kubeadm-join.js';
import { viaOf } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';
import {
  imageSteps,
  MACHINE_FILES,
  machineReloads,
  type MachineSettings,
  machineSteps,
  pullSteps,
} from './machine-settings.js';
import { PATCH_FILE } from './node-parts.js';
import { YURTHUB_DROP_IN } from './node-paths.js';
import { packagesOfUpdate } from './packages.js';
import { credentialsDropIn, dropInSteps, type ProxyCredentials, proxySteps } from './proxy.js';
import { shell } from './shell-parts.js';
import { type ShellSteps, together } from '../base/shell-script.js';
import type { StaticPodFiles } from './static-pods.js';
import { KEPT_FLAGS, updateScript, type UpdateSubject } from './update-script.js';
import { yurthubOfUpdate } from './yurthub.js';

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
    criSocket: parts.criSocket,
    staticPods: draft.staticPods,
  };
  const removedFlags = KEPT_FLAGS.filter((flag) => kubeletFlagRemovedIn(cluster, flag) !== undefined);
  return compute({ ...facts, hasMachines, removedFlags, kubernetes: cluster.kubernetes }, (known) => {
    const isContainerd = known.runtime.runtime === 'containerd';
    const runtimeUnit = isContainerd ? 'containerd' : 'crio';
    const { credentials } = known.runtime;
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
      obsolete: [PATCH_FILE, YURTHUB_DROP_IN, ...RUNTIME_FILES, ...CREDENTIALS_FILES, ...MACHINE_FILES].filter(
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
      runtimeUnit,
      applied: known.applied,
      caCertHashes: known.caCertHashes,
      ignorePreflightErrors: known.ignorePreflightErrors,
      secondsUntilHealthy: secondsOf(known.timeouts),
      subjects: [
        ...yurthubOfUpdate(files),
        ...(credentials === undefined ? [] : [proxyOfUpdate(credentials, runtimeUnit)]),
        machineOfUpdate(known.machine),
        imagesOfUpdate(
          together(imageSteps(known.machine, known.runtime.runtime), pullSteps(known.machine, known.criSocket)),
        ),
        staticPodsOfUpdate(known.staticPods),
        ...(isContainerd ? containerdOfUpdate(known.runtime) : []),
        ...(known.packages === undefined ? [] : [packagesOfUpdate(known.packages, known.kubernetes)]),
      ],
    });
  });
}

/** A changed password of the proxy, of which the join has only the place. */
function proxyOfUpdate(credentials: ProxyCredentials, unit: 'containerd' | 'crio'): UpdateSubject {
  const read = proxySteps(credentials);
  const drop = dropInSteps(unit);
  return {
    variables: { ...read.variables, ...drop.variables },
    parts: [...read.parts, shell('update-proxy')],
    before: read.steps,
    stages: ['stage_proxy'],
    files: [credentialsDropIn(unit)],
    changes: ['change_proxy'],
  };
}

function machineOfUpdate(machine: MachineSettings): UpdateSubject {
  const { steps, variables, parts } = machineSteps(machine);
  const reloads = machineReloads(machine);
  return {
    variables: {
      ...variables,
      ...(reloads.length === 0 ? {} : { reloads: reloads.map(({ path, step }) => `${path} ${step}`) }),
    },
    parts: [...parts, ...(reloads.length === 0 ? [] : [...reloads.map(({ part }) => part), shell('update-reloads')])],
    changes: [...steps, ...(reloads.length === 0 ? [] : ['reload_machine'])],
  };
}

/** Before anything changes: a Pod whose image is not there does not start. */
function imagesOfUpdate({ steps, variables, parts }: ShellSteps): UpdateSubject {
  return { variables, parts, checks: steps };
}

/** Also without static Pods, because a former join may have had some. */
function staticPodsOfUpdate({ folder, files }: StaticPodFiles): UpdateSubject {
  return {
    variables: { pod_folder: folder, static_pods: files.map(({ path }) => path) },
    parts: [shell('update-static-pods')],
    backups: ['save_pods'],
    changes: ['drop_pods'],
  };
}

function containerdOfUpdate(runtime: RuntimeSettings): UpdateSubject[] {
  const { steps, variables, parts } = containerdSteps(runtime);
  return steps.length === 0
    ? []
    : [
        {
          variables,
          parts: [...parts, shell('update-containerd')],
          files: [CONTAINERD_FILE],
          changes: ['change_containerd'],
        },
      ];
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

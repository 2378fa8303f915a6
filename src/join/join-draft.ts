import { kubeadmPatchesKubelet } from '../cluster/kubeadm-capabilities.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';
import { JOIN_LABEL } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, computeWhole, concatenated, isUnknown, merged, text } from '../base/unknown.js';
import { sha256Of } from '../base/content-hash.js';
import { IGNITION_FILES } from './ignition-config.js';
import { MACHINE_NAME } from './join-command.js';
import { joinScript } from './join-script.js';
import { serviceFile } from './join-service.js';
import { isOnNode, type TokenSource } from './join-token.js';
import { joinConfiguration, tokenLine } from './kubeadm-join.js';
import { argumentList, taintsArgument } from './kubelet-arguments.js';
import { leaveScript } from './leave-script.js';
import {
  filesOfMachine,
  imageSteps,
  machineKubeletFields,
  type MachineSettings,
  machineSteps,
  pullSteps,
  reloadSteps,
  timeServers,
} from './machine-settings.js';
import type { NodeCommand, NodeFile } from './node-file.js';
import { viaOf } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';
import { JOIN_FORMAT, type NodeParts, nodeParts } from './node-parts.js';
import { PATCH_FOLDER, RUN_FOLDER, STATE_FOLDER } from './node-paths.js';
import { installSteps, type NodePackages, startSteps } from './packages.js';
import { credentialsOf, proxySteps, proxyVariables } from './proxy.js';
import { ignoredWithStaticPods, type StaticPodFiles, staticPodFiles } from './static-pods.js';
import { credentialsFilesOf, type RuntimeSettings, runtimeSettings, runtimeSteps } from './container-runtime.js';
import { yurthubFiles } from './yurthub.js';
import { KUBELET_ENVIRONMENT, type YurtadmJoinInput } from './yurtadm-join.js';
import { type ShellSteps, together } from '../base/shell-script.js';
import { shell } from './shell-parts.js';

/** A join without its token. */
export interface JoinDraft {
  /** Comment at the beginning of each file. */
  readonly about: string;
  /** Files of the node and of the user. */
  readonly files: readonly NodeFile[];
  /** The JoinConfiguration with the placeholder; undefined for yurtadm, which writes its own. */
  readonly configuration?: PlainMap;
  /** Path of the JoinConfiguration, or of the token for yurtadm; undefined if neither is a file. */
  readonly configPath?: string;
  /** Whether the file at `configPath` contains the token when it is written. */
  readonly holdsToken: boolean;
  readonly joinScript: string;
  /** The label with the hash of the join. */
  readonly joinLabel: string;
  readonly staticPods: StaticPodFiles;
  /** What the machine joins with, for a later run with another join. */
  readonly applied: readonly string[];
  /** Whether several machines share the join, each with its own name and labels. */
  readonly hasMachines: boolean;
  /** Whether a service runs the script. */
  readonly hasService: boolean;
  readonly leaveScript: string;
  readonly ntpServers?: readonly string[];
  readonly parts: NodeParts;
  readonly environment: Readonly<Record<string, string>>;
}

/** In the place of the hash, from which it cannot be computed. */
const NO_HASH = `${JOIN_LABEL}=0000000000`;

/** The draft in which nodes register with the hash of the join. */
export function withHash(draft: JoinDraft, hash: string): JoinDraft {
  const { configuration, joinScript: script } = draft;
  const joinLabel = text`${JOIN_LABEL}=${hash}`;
  return {
    ...draft,
    joinLabel,
    joinScript: compute({ script, joinLabel }, (known) => known.script.replaceAll(NO_HASH, known.joinLabel)),
    configuration:
      configuration &&
      compute(
        { configuration, joinLabel },
        (known) => JSON.parse(JSON.stringify(known.configuration).replaceAll(NO_HASH, known.joinLabel)) as PlainMap,
      ),
  };
}

/** Plans a join except for its token and its hash. */
export function draftOf(input: NodeJoinProps): JoinDraft {
  const { pool, token } = input;
  const { cluster } = pool;
  const via = viaOf(input);
  const isYurtadm = via === 'yurtadm';
  const hasMachines = input.machines !== undefined;
  const hasService = input.service !== undefined;
  const environment = environmentOf(input);
  const parts = partsOf(input, environment, !isYurtadm && kubeadmPatchesKubelet(cluster));
  const [labelKey = '', noHash = ''] = NO_HASH.split('=');
  const labelled = { ...parts, labels: merged(parts.labels, { [labelKey]: noHash }) };
  const staysOnNode = isOnNode(token.source);
  const configPath = `${staysOnNode ? STATE_FOLDER : RUN_FOLDER}/${isYurtadm ? 'token' : 'join.yaml'}`;
  const staticPods = staticPodFiles(input);
  const about = text`edge-nodepools, join format ${JOIN_FORMAT}: pool ${pool.poolName}, ${cluster.toString()}, by ${via}`;
  const startOfYurthub = yurthubFiles(input);
  const ownFiles = concatenated(
    parts.files,
    startOfYurthub,
    parts.patches,
    input.machineSettings === undefined
      ? []
      : filesOfMachine({ machine: input.machineSettings, runtime: parts.runtime.runtime }),
    isYurtadm ? environmentFiles(input, parts) : [],
    input.service === undefined ? [] : [serviceFile(input.service, about)],
    staticPods.files,
  );
  const configuration = isYurtadm ? undefined : configurationOf(input, labelled);
  const applied = compute(
    {
      'API server and node registration': [via, isYurtadm ? yurtadmInput(input, parts) : configurationOf(input, parts)],
      'kubelet configuration': [parts.patches, parts.kubeletFlags],
      'container runtime': [parts.files, parts.runtime, environment],
      'start of yurthub': startOfYurthub,
      packages: input.packages,
      files: input.files ?? [],
      'static Pods': staticPods.files,
      'commands before the join': input.preJoinCommands ?? [],
      'commands after the join': input.postJoinCommands ?? [],
      ...(input.machineSettings === undefined ? {} : { 'machine settings': input.machineSettings }),
    },
    appliedLines,
  );
  return {
    about,
    files: concatenated(ownFiles, input.files ?? []),
    configuration,
    applied,
    joinLabel: NO_HASH,
    staticPods,
    hasMachines,
    hasService,
    configPath: isYurtadm && staysOnNode ? undefined : configPath,
    holdsToken: !staysOnNode,
    joinScript: compute(
      {
        about,
        applied,
        joinLabel: NO_HASH,
        hasMachines,
        source: token.source,
        yurtadm: isYurtadm ? yurtadmInput(input, labelled) : undefined,
        configPath,
        discoveryFile: input.discoveryFile,
        attempts: input.attempts ?? 3,
        secondsBetweenAttempts: input.secondsBetweenAttempts ?? 15,
        before: input.preJoinCommands ?? [],
        after: input.postJoinCommands ?? [],
        packages: input.packages,
        kubernetes: cluster.kubernetes,
        runtime: parts.runtime,
        criSocket: parts.criSocket,
        machine: input.machineSettings,
        environment,
        patches: pathsOf(parts.patches),
      },
      scriptOf,
    ),
    leaveScript: compute(
      {
        via: isYurtadm ? ('yurtadm' as const) : ('kubeadm' as const),
        criSocket: parts.criSocket,
        files: concatenated(
          pathsOf(ownFiles),
          input.format === 'ignition' ? IGNITION_FILES : [],
          credentialsFilesOf(parts.runtime),
        ),
        convertsNodes: convertsNodes(cluster),
        hasService,
      },
      leaveScript,
    ),
    ntpServers: timeServers(input.ntpServers),
    parts,
    environment,
  };
}

const pathsOf = (files: readonly NodeFile[]): readonly string[] =>
  computeWhole(files, (known) => known.map(({ path }) => path));

/** With what the settings of the machine, its packages and the file with the password of the proxy give kubelet and the
 * runtime. */
function partsOf(input: NodeJoinProps, environment: Readonly<Record<string, string>>, canPatch: boolean): NodeParts {
  const parts = withMachine(input, environment, canPatch);
  const credentials = credentialsOf(input.proxy);
  return credentials === undefined ? parts : { ...parts, runtime: { ...parts.runtime, credentials } };
}

function withMachine(
  input: NodeJoinProps,
  environment: Readonly<Record<string, string>>,
  canPatch: boolean,
): NodeParts {
  const { machineSettings: machine, packages, runtime } = input;
  const settings = runtimeSettings(machine, packages, runtime);
  const ignorePreflightErrors = ignoredWithStaticPods(input);
  if (machine === undefined) {
    return nodeParts({ ...input, ignorePreflightErrors }, environment, canPatch, settings);
  }
  const kubeletConfiguration = machineKubeletFields(machine, input.pool.cluster, input.kubeletConfiguration);
  return nodeParts({ ...input, kubeletConfiguration, ignorePreflightErrors }, environment, canPatch, settings);
}

/** Proxies as environment variables. No proxy is used for the API server and the node itself. */
function environmentOf({ pool: { cluster }, proxy }: NodeJoinProps): Readonly<Record<string, string>> {
  const host = compute(cluster.apiServerEndpoint(), (endpoint) => endpoint?.host);
  return proxyVariables(proxy, [host, '127.0.0.1', 'localhost', text`.${cluster.clusterDomain}`]);
}

/** Address of the API server and hashes of its CA; empty with a discovery file, which contains both. */
function addressOf({ pool: { cluster }, discoveryFile }: NodeJoinProps): {
  readonly apiServer?: string;
  readonly caCertHashes?: readonly string[];
} {
  const { apiServer, caCertHashes } = cluster;
  return discoveryFile === undefined ? { apiServer, caCertHashes } : {};
}

function configurationOf(input: NodeJoinProps, parts: NodeParts): PlainMap {
  const { discoveryFile, nodeName, kubeletExtraArgs, timeouts } = input;
  const { labels, taints, criSocket, ignorePreflightErrors, patches } = parts;
  const hasMachines = input.machines !== undefined;
  return compute(
    {
      version: input.pool.cluster.kubeadmConfigVersion(),
      ...addressOf(input),
      discoveryFile,
      timeouts,
      nodeName: hasMachines ? MACHINE_NAME : nodeName,
      labels,
      hasMachines,
      taints,
      criSocket,
      kubeletExtraArgs,
      ownArguments: parts.kubeletFlags,
      ignorePreflightErrors,
      patches: patches.length > 0 ? PATCH_FOLDER : undefined,
    },
    joinConfiguration,
  );
}

function yurtadmInput(input: NodeJoinProps, parts: NodeParts): YurtadmJoinInput {
  const { pool, nodeName, ignorePreflightErrors = [], yurtadm = {} } = input;
  return {
    ...addressOf(input),
    nodePoolLabel: pool.cluster.nodePoolLabel,
    poolName: pool.poolName,
    labels: parts.labels,
    poolType: pool.type,
    criSocket: parts.criSocket,
    nodeName,
    ...(input.machines === undefined ? {} : { hasMachines: true }),
    // not those of IP forwarding, which yurtadm enables
    ignorePreflightErrors,
    sandboxImage: parts.runtime.sandboxImage,
    settings: yurtadm,
  };
}

/** yurtadm has no flags for taints, reservations and kubelet flags; its systemd unit of the kubelet reads this file. */
function environmentFiles(input: NodeJoinProps, parts: NodeParts): readonly NodeFile[] {
  const further = [
    ...Object.entries(parts.kubeletFlags).map(([name, value]) => ({ name, value })),
    ...argumentList(input.kubeletExtraArgs),
  ];
  const { taints } = parts;
  const rule = (known: { readonly taints: typeof taints; readonly further: typeof further }): NodeFile[] => {
    const ofTaints = { name: 'register-with-taints', value: taintsArgument(known.taints) };
    const args = [...(known.taints.length === 0 ? [] : [ofTaints]), ...known.further];
    const content = compute(
      args,
      (known) => `KUBELET_EXTRA_ARGS="${known.map(({ name, value }) => `--${name}=${value}`).join(' ')}"\n`,
    );
    return args.length === 0 ? [] : [{ path: KUBELET_ENVIRONMENT, content }];
  };
  return compute({ taints, further }, rule, isUnknown(taints) && taints);
}

/** What the script of a join depends on. */
interface ScriptFacts {
  readonly about: string;
  readonly applied: readonly string[];
  readonly joinLabel: string;
  readonly hasMachines: boolean;
  /** The kubeadm patch of the KubeletConfiguration, if there is one. */
  readonly patches: readonly string[];
  readonly source: TokenSource;
  readonly yurtadm?: YurtadmJoinInput;
  readonly configPath: string;
  readonly discoveryFile?: string;
  readonly attempts: number;
  readonly secondsBetweenAttempts: number;
  readonly before: readonly NodeCommand[];
  readonly after: readonly NodeCommand[];
  readonly packages?: NodePackages;
  /** Minor of the cluster. */
  readonly kubernetes: string;
  readonly runtime: RuntimeSettings;
  readonly criSocket: string;
  readonly machine?: MachineSettings;
  readonly environment: Readonly<Record<string, string>>;
}

function scriptOf({
  discoveryFile,
  packages,
  kubernetes,
  runtime,
  criSocket,
  machine = {},
  ...given
}: ScriptFacts): string {
  return joinScript({
    ...given,
    ...(runtime.credentials === undefined ? {} : { proxy: proxySteps(runtime.credentials) }),
    tokenLine: given.yurtadm === undefined ? tokenLine(discoveryFile) : '',
    ...preparation({ runtime, machine, packages, kubernetes, criSocket }),
  });
}

/** What a machine is prepared with. */
export interface PreparationInput {
  readonly runtime: RuntimeSettings;
  readonly machine: MachineSettings;
  readonly packages?: NodePackages;
  /** Minor of the cluster. */
  readonly kubernetes: string;
  readonly criSocket: string;
}

/** The steps that prepare a machine. A container runtime is configured when it is there: after the packages, if they
 * install it. */
function preparation({ runtime, machine, packages, kubernetes, criSocket }: PreparationInput): ShellSteps {
  const [before, after] = startSteps(packages ?? {});
  const enableCri = { steps: ['enable_cri'], variables: {}, parts: [shell('cri')] };
  const ofRuntime = together(
    before,
    runtime.runtime === 'containerd' ? enableCri : together(),
    runtimeSteps(runtime),
    after,
    imageSteps(machine, runtime.runtime),
  );
  const install = packages === undefined ? together() : installSteps(packages, kubernetes);
  return together(
    machineSteps(machine),
    reloadSteps(machine),
    ...(packages?.runtime === undefined ? [ofRuntime, install] : [install, ofRuntime]),
    pullSteps(machine, criSocket),
  );
}

/** One line for each part that a join has: a hash, and what to call it. */
function appliedLines(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).flatMap(([name, part]) =>
    isEmpty(part) ? [] : [`${sha256Of(JSON.stringify(part)).slice(0, 8)} ${name}`],
  );
}

/** Nothing, or lists and maps of nothing. */
function isEmpty(part: unknown): boolean {
  return part === undefined || (typeof part === 'object' && part !== null && Object.values(part).every(isEmpty));
}

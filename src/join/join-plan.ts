import type { ProblemList } from '../errors.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { checkKnownProperties } from '../validation/properties.js';
import { kubeletFlags, kubeletPatch, type NodeReservation } from '../reservation/node-reservation.js';
import type { Taint } from '../kubernetes/taint.js';
import { checkJoin, joinWarnings, viaOf } from './join-checks.js';
import { JOIN_PROPERTIES, type JoinPool, type NodeJoinInput, type NodeOptions } from './join-props.js';
import { type JoinPlan, renderJoin } from './join-rendering.js';
import { forgetScript } from './forget-script.js';
import { type JoinCommand, joinScript } from './join-script.js';
import { joinConfiguration, tokenLine } from './kubeadm-join.js';
import { argumentList, taintsArgument } from './kubelet-arguments.js';
import { CNI_FOLDER, LOOPBACK_FILE, loopbackConfiguration } from './loopback-cni.js';
import { checkJoinPool, checkNode, ignoresAll } from './node-checks.js';
import type { NodeFile } from './node-file.js';
import { leaveScript } from './node-leave.js';
import { BOOTSTRAP_KUBELET_CONF, KUBELET_CONF, PATCH_FOLDER, RUN_FOLDER, STATE_FOLDER } from './node-paths.js';
import { installLines } from './package-installation.js';
import { proxyVariables, runtimeFiles, runtimeLines, type RuntimeSettings, timeServers } from './runtime-files.js';
import { reservedPaths } from './reserved-paths.js';
import { checkSize } from './size-limits.js';
import { bootstrapReaderObjects, KUBELET_ENVIRONMENT, yurtadmCommand } from './yurtadm-join.js';
import { kubeadmPatchesKubelet } from '../cluster/kubeadm-capabilities.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';

/** Version of the files that a join makes, so that a later release can tell what an earlier one wrote. */
export const JOIN_FORMAT = '1';

/** Checks that a host-network node does not need to pass: nothing on it forwards packets of Pods. */
const FORWARDING_CHECKS = [
  'FileContent--proc-sys-net-ipv4-ip_forward',
  'FileContent--proc-sys-net-bridge-bridge-nf-call-iptables',
];

/** The node's part of a plan; also for templates of Cluster API. */
export interface NodeParts {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly criSocket: string;
  readonly reservation?: NodeReservation;
  /** Fields of the KubeletConfiguration. */
  readonly kubeletFields: PlainMap;
  readonly runtime: RuntimeSettings;
  readonly ignorePreflightErrors: readonly string[];
  /** Files of the CNI and the runtime. */
  readonly files: readonly NodeFile[];
}

export function nodeParts(
  input: NodeOptions & { readonly pool: JoinPool },
  proxy: Readonly<Record<string, string>>,
): NodeParts {
  const { pool } = input;
  const runtime: RuntimeSettings = {
    runtime: input.runtime ?? 'containerd',
    cniFolder: input.cniFolder ?? CNI_FOLDER,
    sandboxImage: input.sandboxImage,
    proxy,
  };
  const reservation = input.reservation ?? pool.reservation;
  const ignored = input.ignorePreflightErrors ?? [];
  return {
    labels: { ...pool.joinLabels, ...input.labels },
    taints: [...pool.registrationTaints, ...(input.taints ?? [])],
    criSocket:
      input.criSocket ??
      (runtime.runtime === 'containerd' ? 'unix:///run/containerd/containerd.sock' : 'unix:///run/crio/crio.sock'),
    reservation,
    kubeletFields: { ...reservation?.kubeletConfiguration(), ...input.kubeletConfiguration },
    runtime,
    // kubeadm takes `all` alone only
    ignorePreflightErrors: [
      ...new Set([...(pool.hostNetwork && !ignoresAll(ignored) ? FORWARDING_CHECKS : []), ...ignored]),
    ],
    files: [
      ...(pool.hostNetwork
        ? [{ path: `${runtime.cniFolder}/${LOOPBACK_FILE}`, content: loopbackConfiguration(pool.cluster) }]
        : []),
      ...runtimeFiles(runtime),
    ],
  };
}

/** The kubelet patch as a file of the node; none when there is nothing to patch. */
export function patchFiles(fields: PlainMap): NodeFile[] {
  const patch = kubeletPatch(fields);
  return Object.keys(fields).length === 0
    ? []
    : [{ path: `${PATCH_FOLDER}/${patch.fileName}`, content: patch.content }];
}

/** Checks a join, all of it, and decides everything but the token. */
export function planJoin(
  input: NodeJoinInput,
  extraProperties: readonly string[],
  problems: ProblemList,
): JoinPlan | undefined {
  if (!isMap(input)) {
    problems.add('EDGE_MISSING', 'a join needs a pool and a token', 'write { pool, token: JoinToken.fromFile(…) }');
    return undefined;
  }
  const { pool } = input;
  checkKnownProperties(input, [...JOIN_PROPERTIES, ...extraProperties], problems, {
    reserved: 'did you mean reservation?',
    hostNetwork: 'the pool says it: leave it out',
    bootstrapToken: "did you mean token? write token: JoinToken.fromFile('/run/edge/join-token')",
    joinToken: 'did you mean token?',
  });
  if (!checkJoinPool(pool, problems.at('pool'))) {
    return undefined;
  }
  const via = viaOf(input);
  const canPatch = via !== 'yurtadm' && kubeadmPatchesKubelet(pool.cluster);
  checkNode(
    input,
    pool,
    reservedPaths(isMap(input.packages) ? input : { ...input, packages: undefined }, via),
    canPatch,
    problems,
  );
  checkJoin(input, problems);
  if (problems.problems.length > 0) {
    return undefined;
  }
  const plan = decided(input, canPatch);
  const { userData, script } = renderJoin(plan, undefined);
  checkSize(input.format === 'script' ? script : userData, input.provider, problems.at('provider'));
  return plan;
}

function decided(input: NodeJoinInput, canPatch: boolean): JoinPlan {
  const { pool, token } = input;
  const { cluster } = pool;
  const via = viaOf(input);
  const host = cluster.apiServerEndpoint()?.host;
  const direct = [...(host === undefined ? [] : [host]), '127.0.0.1', 'localhost', `.${cluster.clusterDomain}`];
  const environment = proxyVariables(input.proxy, direct);
  const parts = nodeParts(input, environment);
  const isYurtadm = via === 'yurtadm';
  const flags = canPatch ? {} : kubeletFlags(parts.kubeletFields);
  const patches = canPatch ? patchFiles(parts.kubeletFields) : [];
  const configuration = isYurtadm
    ? {}
    : joinConfiguration({
        ...input,
        ...parts,
        cluster,
        ownArguments: flags,
        patches: patches.length > 0 ? PATCH_FOLDER : undefined,
      });
  const command = isYurtadm ? yurtadmCommandOf(input, parts) : kubeadmCommand();
  const staysOnNode = token.kind === 'file' || token.kind === 'command';
  const configPath = `${staysOnNode ? STATE_FOLDER : RUN_FOLDER}/${isYurtadm ? 'token' : 'join.yaml'}`;
  const about = [`edge-nodepools, join format ${JOIN_FORMAT}: pool ${pool.poolName}, ${cluster.toString()}, by ${via}`];
  const ownFiles = [...parts.files, ...patches, ...(isYurtadm ? environmentFiles(input, parts, flags) : [])];
  return {
    about,
    files: [...ownFiles, ...(input.files ?? [])],
    forgetScript: forgetScript(about, [
      ...command.leftovers,
      `${RUN_FOLDER}/token-config.yaml`,
      ...(staysOnNode ? [] : [configPath]),
    ]),
    holdsToken: !staysOnNode,
    configuration,
    configPath: isYurtadm && staysOnNode ? '' : configPath,
    joinScript: joinScript({
      about,
      source: token.source,
      command,
      configPath,
      tokenLine: isYurtadm ? ['', ''] : tokenLine(input.discoveryFile),
      attempts: input.attempts ?? 3,
      secondsBetweenAttempts: input.secondsBetweenAttempts ?? 15,
      before: input.preJoinCommands ?? [],
      after: input.postJoinCommands ?? [],
      install: input.packages === undefined ? [] : installLines(input.packages, cluster.kubernetes),
      prepare: [
        ...runtimeLines(parts.runtime),
        ...(via === 'label-driven'
          ? [
              "command -v crictl >/dev/null 2>&1 || say 'crictl is not installed: OpenYurt needs it to convert this node'",
            ]
          : []),
      ],
      environment,
    }),
    leaveScript: leaveScript({
      via: isYurtadm ? 'yurtadm' : 'kubeadm',
      criSocket: parts.criSocket,
      files: ownFiles.map(({ path }) => path),
      convertsNodes: convertsNodes(cluster),
    }),
    ntpServers: timeServers(input.ntpServers),
    objects: input.yurtadm?.membership === 'nodepool-name' ? bootstrapReaderObjects(pool.poolName) : [],
    warnings: joinWarnings(input),
  };
}

function kubeadmCommand(): JoinCommand {
  return {
    programs: ['kubeadm', 'kubelet'],
    join: ['kubeadm join --config "$config" </dev/null'],
    isJoined: [`[ -s ${KUBELET_CONF} ]`],
    leftovers: [BOOTSTRAP_KUBELET_CONF],
    takesToken: false,
  };
}

function yurtadmCommandOf(input: NodeJoinInput, parts: NodeParts): JoinCommand {
  return yurtadmCommand({
    cluster: input.pool.cluster,
    poolName: input.pool.poolName,
    labels: parts.labels,
    nodeType: input.pool.type === 'Cloud' ? 'cloud' : 'edge',
    criSocket: parts.criSocket,
    nodeName: input.nodeName,
    // yurtadm itself sets IP forwarding
    ignorePreflightErrors: input.ignorePreflightErrors ?? [],
    sandboxImage: input.sandboxImage,
    settings: input.yurtadm ?? {},
  });
}

/** yurtadm has no flag for taints, reservations and kubelet arguments; its unit of kubelet reads this file. */
function environmentFiles(input: NodeJoinInput, parts: NodeParts, flags: Readonly<Record<string, string>>): NodeFile[] {
  const taints = taintsArgument(parts.taints);
  const args = [
    ...(taints === '' ? [] : [{ name: 'register-with-taints', value: taints }]),
    ...Object.entries(flags).map(([name, value]) => ({ name, value })),
    ...argumentList(input.kubeletExtraArgs),
  ];
  const text = args.map(({ name, value }) => `--${name}=${value}`).join(' ');
  return args.length === 0 ? [] : [{ path: KUBELET_ENVIRONMENT, content: `KUBELET_EXTRA_ARGS="${text}"\n` }];
}

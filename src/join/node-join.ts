import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, type Scope, problemsOf } from '../cluster/scope.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { sha256Of } from '../base/content-hash.js';
import { gzipBase64 } from '../base/gzip.js';
import type { Check } from '../base/property-table.js';
import { compute, concatenated, holdsUnknown, isUnknown, text } from '../base/unknown.js';
import { plannedRights } from '../pools/node-conversion.js';
import { noteJoin } from '../pools/joined-pools.js';
import { type MachineSeed, seedArtifacts, seedOf } from './machine-seed.js';
import { ignitionConfig, ignitionWarnings, machineConfigs } from './ignition-config.js';
import { type JoinDraft, draftOf, withHash } from './join-draft.js';
import { updateScriptOf } from './join-update.js';
import { type JoinFiles, joinFiles } from './join-files.js';
import { JoinToken, type TokenSource, isOnNode } from './join-token.js';
import { unreachedWarnings } from '../preconditions/node-access.js';
import { asksForCertificates, unapprovedWarnings } from './serving-certificate-approver.js';
import { checkNodeJoin, isConverted, lacksRights, tokenFile, viaOf } from './node-join-checks.js';
import { diskFields, diskWarnings, withReservedDisk } from './node-disk.js';
import { type NetworkAddress, addressOf, macOf } from './join-machine-checks.js';
import type { JoinFormat, NodeJoinProps } from './node-join-props.js';
import { hashInName, nameByContent, publishedFile, publishedJoin, updateFile } from './published-join.js';
import { checkSize } from './size-limits.js';
import { checkStaticPods } from './static-pods.js';
import { bootstrapReaderObjects } from './yurtadm-join.js';
import { refusesCgroupV1 } from '../cluster/kubelet-capabilities.js';
import { imageProgram } from './machine-settings.js';
import { type NodePackages, repositoryWarnings } from './packages.js';
import { CREDENTIALS_PROGRAMS, proxyWarnings } from './proxy.js';
import { type PackageFolder, preflightScript } from './preflight-script.js';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { reservationWarnings } from '../pools/node-reservation.js';
import { inProgram } from '../base/program-language.js';
import { commandWarnings } from './node-file.js';
import { flagWarnings, flagsOf } from './kubelet-configuration.js';
import { defaultWarnings, providerWarnings } from './kubelet-values.js';
import { lateLabelWarnings } from './node-parts.js';
import { yurthubStoreWarnings } from './yurthub.js';
import { BlockList, isIP } from 'node:net';

/** Addresses that a kubeconfig has, and that mean something else on a node. */
const OF_THE_NODE = /^(127\.|0\.0\.0\.0$|::1?$|localhost$)|^kubernetes(\.|$)|\.svc(\.|$)/i;
/** The Service `kubernetes` in the network of Services that kubeadm takes by default, 10.96.0.0/12
 * (`DefaultServicesSubnet`). */
const SERVICE_ADDRESS = '10.96.0.1';

/** `kubeadm token create` without a kubeconfig, and on no other machine. */
const NEEDS_ADMIN = /^(?!.*(?:KUBECONFIG|kubeconfig|ssh ))\s*(?:sudo\s+)?(?:\/\S+\/)?kubeadm\s+token\s/s;

/**
 * Warnings about settings that may not work as intended.
 *
 * @param now the time, in milliseconds since 1970
 */
function joinWarnings(input: NodeJoinProps, now: number): EdgeWarning[] {
  const { cluster } = input.pool;
  const warnings = new ProblemList();
  if (input.via === 'kubeadm' && !isUnknown(input.pool.type) && isConverted(input.pool)) {
    warnings
      .at('via')
      .add(
        'EDGE_JOIN',
        `OpenYurt ${cluster.openYurt} converts every node with the label of an Edge pool: yurthub will also be installed on this node`,
        "write via: 'label-driven' if this is intended, or leave it out",
      );
  }
  if (input.via === 'yurtadm' && Object.keys(input.timeouts ?? {}).length > 0) {
    warnings
      .at('timeouts')
      .add('EDGE_UNUSED', 'yurtadm writes its own JoinConfiguration, without timeouts', 'leave it out');
  }
  const host = typeof cluster.apiServer === 'string' ? parseEndpoint(cluster.apiServer)?.host : undefined;
  if (host !== undefined && (OF_THE_NODE.test(host) || host === SERVICE_ADDRESS)) {
    warnings
      .at('pool', 'cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        `${host} is not the API server on a node: ${unreachedBecause(host)}`,
        'write the address by which nodes reach it, in the cluster',
      );
  }
  const { source } = input.token;
  if (source.kind === 'file' && /^(\/var)?\/run\/|^\/tmp\/|^\/dev\/shm\//.test(source.path)) {
    warnings
      .at('token')
      .add(
        'EDGE_TOKEN',
        `${source.path} is ${source.path.startsWith('/tmp/') ? 'removed at boot on many systems' : 'in memory'}: after a reboot before the node has joined there is no token, and no retry can join`,
        `write ${tokenFile()}, or have the file written at every boot`,
      );
  }
  if (source.kind === 'command' && NEEDS_ADMIN.test([source.command].flat().join(' '))) {
    warnings
      .at('token')
      .add(
        'EDGE_TOKEN',
        'the command runs on the machine that joins, and kubeadm token needs the kubeconfig of an administrator',
        `run it where you have one, and give the machine its output: ${tokenFile()}, or a command that reads it from a secret store`,
      );
  }
  if (input.service !== undefined && !isOnNode(source)) {
    warnings
      .at('service')
      .add(
        'EDGE_TOKEN',
        'the file with the token is removed after the first run, so the service has none for the next one',
        `write ${tokenFile()}, or ${inProgram('fromCommand', 'tokenCommand')}`,
      );
  }
  const { until } = input.service ?? {};
  if (until !== undefined && Date.parse(until) <= now) {
    warnings
      .at('service', 'until')
      .add('EDGE_JOIN', `${until} is past: the service gives up before its first run`, 'write a later time');
  }
  if (cluster.distribution !== 'kubeadm') {
    warnings
      .at('pool', 'cluster', 'distribution')
      .add(
        'EDGE_JOIN',
        'kubeadm join reads ConfigMaps that a control plane not created by kubeadm may lack (kube-system/kubeadm-config, kubelet-config)',
        'try it with one node first',
      );
  }
  return [
    ...warnings.problems,
    ...commandWarnings(input),
    ...flagWarnings(input),
    ...providerWarnings(flagsOf(input.kubeletExtraArgs), cluster),
    ...defaultWarnings(input.kubeletConfiguration, diskFields(input)),
    ...diskWarnings(input),
    ...reachWarnings(input),
    ...reservationWarnings(input.reservation, 'reservation'),
    ...proxyWarnings(input.proxy),
    ...repositoryWarnings(input.packages),
    ...yurthubStoreWarnings(input),
    ...lateLabelWarnings(
      input.pool,
      'declare PoolAdmission, whose policy nodeLabel sets it with the first write of a controller',
    ),
  ];
}

function unreachedBecause(host: string): string {
  return host === SERVICE_ADDRESS
    ? 'it is the address of a Service, by default, which a node does not reach before it has joined'
    : /svc/.test(host)
      ? 'nodes do not resolve names of Services'
      : 'it is the node itself';
}

type Input = Pick<NodeJoinProps, 'pool' | 'machines' | 'discoveryFile' | 'files' | 'preJoinCommands'>;

/**
 * Warns about machines whose static network is all that they have (`networkConfig`, `networkFiles`: no DHCP), and that
 * does not reach the API server. Where files or commands of the join set up names or routes, nothing is said.
 */
function reachWarnings(input: Input): readonly EdgeWarning[] {
  const { pool, machines = [], discoveryFile } = input;
  const warnings = new ProblemList();
  const { apiServer } = pool.cluster;
  const host = typeof apiServer === 'string' ? parseEndpoint(apiServer)?.host : undefined;
  if (host === undefined || discoveryFile !== undefined || mayChangeNetwork(input)) {
    return [];
  }
  machines.forEach((machine, index) => {
    const own = addressOf(machine.address);
    if (own === undefined) {
      return;
    }
    const { gateway, nameservers = [] } = machine;
    const at = warnings.at('machines', index);
    if (isIP(host) === 0 && nameservers.length === 0) {
      at.at('nameservers').add(
        'EDGE_CONTRADICTION',
        `the machine has a static address, and nothing that resolves ${host}, the name of the API server`,
        "write nameservers: ['192.0.2.53'], or the IP address of the API server in the cluster",
      );
      return;
    }
    const needed = isIP(host) === 0 ? nameservers : [host];
    if (needed.some((ip) => reaches(own, gateway !== undefined, ip))) {
      return;
    }
    const what = isIP(host) === 0 ? 'the DNS servers' : `the API server ${host}`;
    const isOther = needed.every((ip) => isIP(ip) !== (own.family === 'ipv6' ? 6 : 4));
    at.at(isOther ? 'address' : 'gateway').add(
      'EDGE_CONTRADICTION',
      isOther
        ? `the machine has no address of the family of ${what}`
        : `the machine has no gateway, and ${what} ${isIP(host) === 0 ? 'are' : 'is'} not in its network ${machine.address}`,
      isOther
        ? 'write an address of that family, or leave it out for DHCP'
        : "write gateway: '192.0.2.1', the router in that network",
    );
  });
  return warnings.problems;
}

/** Whether files or commands are about names or routes; what is unknown or long may be. */
function mayChangeNetwork({ files = [], preJoinCommands = [] }: Input): boolean {
  return (
    holdsUnknown([files, preJoinCommands]) ||
    files.some(({ path }) => /hosts|resolv|netplan|network|\bsystemd\b|NetworkManager/i.test(path)) ||
    preJoinCommands.some((command) => {
      const text = [command].flat().join(' ');
      return text.length > 500 || /hosts|resolv|route|dns|netplan|network|nmcli|\bip\b|\/|\.sh\b/i.test(text);
    })
  );
}

/** Whether an address is in a network, or there is a route to it. Routers of IPv6 announce themselves. */
function reaches({ ip, family, prefix }: NetworkAddress, hasGateway: boolean, other: string): boolean {
  if (isIP(other) !== (family === 'ipv6' ? 6 : 4)) {
    return false;
  }
  const network = new BlockList();
  network.addSubnet(ip, prefix, family);
  return hasGateway || family === 'ipv6' || network.check(other, family);
}

/** Programs that the preflight checks of kubeadm require (`preflight/checks_unix.go`); those with v1beta3 require
 * more. */
const PROGRAMS = ['cp', 'losetup', 'mount'];
const OLDER_PROGRAMS = ['conntrack', 'crictl', 'ip', 'iptables', 'mount', 'nsenter'];

/** The script that says what a machine lacks for a join. */
function preflightScriptOf(input: NodeJoinProps, { about, environment, hasMachines, parts }: JoinDraft): string {
  const { pool, packages, token, discoveryFile, nodeName, kubeletConfiguration, service } = input;
  const { cluster } = pool;
  const isYurtadm = viaOf(input) === 'yurtadm';
  const facts = {
    about,
    environment,
    hasMachines,
    packages,
    discoveryFile,
    nodeName,
    kubeletConfiguration,
    hasService: service !== undefined,
    criSocket: parts.criSocket,
    runtime: parts.runtime.runtime,
    cniFolder: parts.runtime.cniFolder,
    hostNetwork: pool.hostNetwork,
    apiServer: cluster.apiServer,
    source: token.source,
    credentials: parts.runtime.credentials,
    kubernetes: cluster.kubernetes,
    isOld: cluster.kubeadmConfigVersion() === 'v1beta3',
    refusesV1: refusesCgroupV1(cluster),
    isYurtadm,
    isConverted: !isYurtadm && isConverted(pool),
    switchesOff: input.machineSettings?.swap === 'off',
    imageFolder: input.machineSettings?.imageFolder,
    pulls: (input.machineSettings?.images ?? []).length > 0,
  };
  return compute(facts, (known) =>
    preflightScript({
      about: known.about,
      kubernetes: known.kubernetes,
      environment: known.environment,
      programs: [
        ...(known.isOld ? OLDER_PROGRAMS : PROGRAMS),
        ...(known.isYurtadm ? ['yurtadm'] : known.packages === undefined ? ['kubeadm'] : programsOf(known.packages)),
        // ctr comes with containerd
        ...(known.imageFolder !== undefined && known.runtime === 'cri-o' ? [imageProgram(known.runtime)] : []),
        // it comes with the packages
        ...((known.pulls || known.isConverted) && known.packages === undefined ? ['crictl'] : []),
        ...(known.source.kind === 'command' && known.source.timeoutSeconds !== undefined ? ['timeout'] : []),
        ...(known.credentials === undefined ? [] : CREDENTIALS_PROGRAMS),
        ...(known.hasService ? ['base64', 'cut', 'date', 'tr'] : []),
      ],
      downloads: !known.isYurtadm && known.packages?.manager === 'apt' && known.packages.folder === undefined,
      imageFolder: known.imageFolder,
      installs: known.isYurtadm ? known.kubernetes : known.packages?.version,
      installsRuntime: known.packages?.runtime?.name,
      folder: folderOf(known.packages),
      needsCgroupV2: known.refusesV1 && known.kubeletConfiguration?.failCgroupV1 !== false,
      swap: known.switchesOff
        ? 'switched off'
        : known.kubeletConfiguration?.failSwapOn === false
          ? 'permitted'
          : 'refused',
      socket: known.criSocket.replace(/^unix:\/\//, ''),
      runtime: known.runtime,
      cniFolder: known.hostNetwork ? known.cniFolder : undefined,
      apiServer: known.discoveryFile === undefined ? known.apiServer : undefined,
      tokenProgram: programOf(known.source),
      tokenFile: known.source.kind === 'file' ? known.source.path : undefined,
      proxyFile: known.credentials?.file,
      discoveryFile: known.discoveryFile,
      nodeName: known.nodeName,
      hasMachines: known.hasMachines,
      isConverted: known.isConverted,
    }),
  );
}

/** The program of a command that is a list; a command line for a shell begins with anything. */
function programOf(source: TokenSource): string | undefined {
  return source.kind === 'command' && typeof source.command !== 'string' ? source.command[0] : undefined;
}

/** Programs that the installation of packages needs; what reads them in a folder comes with the package manager. */
function programsOf({ manager, folder }: NodePackages): readonly string[] {
  return folder !== undefined
    ? manager === 'apt'
      ? ['apt-get', 'dpkg-deb', 'sha256sum', 'wc']
      : ['dnf', 'rpm', 'sort', 'tail']
    : [manager === 'apt' ? 'apt-get' : 'dnf'];
}

function folderOf(packages: NodePackages | undefined): PackageFolder | undefined {
  if (packages?.folder === undefined) {
    return undefined;
  }
  const { folder, manager, version, runtime } = packages;
  return {
    path: folder,
    manager,
    packages: [
      ['kubelet', version],
      ['kubeadm', version],
      ...(runtime === undefined ? [] : [[runtime.name, runtime.version ?? ''] as const]),
    ],
  };
}

/** Attributes of a join. */
export interface NodeJoinAttributes extends JoinFiles {
  /** SHA-256 of the published content, without the secret half of the token, and without the label that contains it. */
  readonly contentHash: string;
  readonly leaveScript: string;
  readonly updateScript?: string;
  readonly preflightScript: string;
  /** The user-data as the machine gets it with `gzip`. */
  readonly userDataGzipBase64?: string;
  /** The Ignition config, with that format. */
  readonly ignition?: string;
  /** Name of the ConfigMap or Secret; undefined if the join is not published. */
  readonly publishedName?: string;
  /** What only one machine has, for each machine. */
  readonly seeds: readonly MachineSeed[];
  /** The published join as a file, if it is published, and the seed folders of the machines. */
  readonly artifacts: readonly EdgeArtifact[];
  /** Whether the files contain the token. */
  readonly holdsToken: boolean;
}

/** The objects in which joins of a cluster are published, by kind and name. */
const PUBLISHED_JOINS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('published joins');

/**
 * Plans a join.
 *
 * @param now the time, in milliseconds since 1970; only the warnings depend on it
 * @param own checks of properties that only the component has
 * @throws {@link EdgeError} with all problems at once; no message contains a token
 */
export function planNodeJoin(
  given: NodeJoinProps,
  scope: Scope,
  now: number,
  own: Readonly<Record<string, Check>> = {},
): Plan<NodeJoinAttributes> {
  const subject = `NodeJoin ${scope.path}`;
  const problems = problemsOf(scope);
  checkNodeJoin(given, problems, own);
  const ofStaticPods = problems.problems.length > 0 ? [] : checkStaticPods(given, scope, problems);
  problems.throwIfAny(subject);
  const props = withReservedDisk(given);
  const { pool, token, format = 'cloud-config', namespace = scope.namespace ?? 'kube-system' } = props;
  const draft = draftOf(props);
  const open = inFormat(draft, joinFiles(draft, undefined), format);
  const contentHash = hashOf(open, format, JoinToken.textOf(token));
  const hash = compute(contentHash, hashInName);
  const closed = withHash(draft, hash);
  const written = { ...joinFiles(closed, JoinToken.textOf(token)) };
  const updateScript = updateScriptOf(props, closed, hash);
  const userDataGzipBase64 = props.gzip === true ? compute(written.userData, gzipBase64) : undefined;
  const packing = format === 'cloud-config' ? { compressed: userDataGzipBase64 } : undefined;
  checkSize(open, props.provider, problems.at('provider'), packing);
  const name = compute({ poolName: pool.poolName, contentHash }, (known) =>
    nameByContent(known.poolName, known.contentHash),
  );
  const holdsToken = token.kind === 'inline';
  const content = inFormat(closed, written, format);
  const isPublished = props.publish ?? !holdsToken;
  const object = publishedJoin({ pool, format, name, namespace, source: token.source, text: content });
  if (isPublished) {
    notePublished(object, props, scope, problems);
  }
  noteMachines(props, scope, problems);
  problems.throwIfAny(subject);
  noteJoin(scope, pool);
  const file = compute(name, (known) => publishedFile(known, format));
  const folder = props.artifactFolder ?? 'join';
  const secrecy = holdsToken ? { isSecret: true } : {};
  const { machines = [] } = props;
  const ofPool = text`${folder}/${pool.poolName}`;
  // for cloud-init, which a machine without it may read from a script
  const seeds =
    format === 'ignition' ? [] : machines.map((machine) => seedOf(machine, pool.poolName, draft.ntpServers));
  const artifacts = concatenated<EdgeArtifact>(
    isPublished ? [{ path: text`${folder}/${file}`, content, ...secrecy }] : [],
    isPublished && updateScript !== undefined
      ? [{ path: text`${folder}/${compute(name, updateFile)}`, content: updateScript }]
      : [],
    format === 'ignition'
      ? machineConfigs(machines, ofPool, { content, ...secrecy }, draft.ntpServers)
      : seedArtifacts(seeds, ofPool, { content: written.userData, ...secrecy }),
  );
  return {
    subject,
    objects: [
      // a changed join is a new object; the old one is retained for nodes that still use it, unless it holds a token.
      // One that is retained is immutable, and has a hash of its content in its name: whoever has created it, it is the
      // same
      ...(isPublished
        ? [{ object, apply: 'create', retain: !holdsToken, force: !holdsToken } satisfies PlannedObject]
        : []),
      ...(props.yurtadm?.membership === 'nodepool-name' ? bootstrapReaderObjects(pool.poolName) : []),
      ...(lacksRights(props) && isFirst(props, scope) ? plannedRights() : []),
    ],
    cluster: pool.cluster,
    attributes: {
      ...written,
      ...(userDataGzipBase64 === undefined ? {} : { userDataGzipBase64 }),
      ignition: format === 'ignition' ? content : undefined,
      contentHash,
      leaveScript: draft.leaveScript,
      ...(updateScript === undefined ? {} : { updateScript }),
      preflightScript: preflightScriptOf(props, draft),
      ...(isPublished ? { publishedName: name } : {}),
      seeds,
      artifacts,
      holdsToken,
    },
    warnings: [...ofStaticPods, ...joinWarnings(props, now), ...ignitionWarnings(props)],
    artifacts,
    atEnd: () => [
      ...(asksForCertificates(props) ? unapprovedWarnings(props, scope) : []),
      ...unreachedWarnings(pool, asksForCertificates(props), scope),
    ],
  };
}

/** What to tell where files are written, and a join that nobody chose not to publish is in none of them: its text has
 * the token. */
export function unwrittenWarning({ token, publish, machines = [] }: NodeJoinProps): EdgeWarning | undefined {
  return token.kind === 'inline' && publish === undefined && machines.length === 0
    ? {
        code: 'EDGE_NOT_WRITTEN',
        path: 'publish',
        message: 'this join is in no manifest and in no file, because its token is inline',
        hint: 'write publish: true for a Secret and a file (mode 0600) with the token, or JoinToken.fromFile(…) for a join without it; publish: false if the program reads userData itself',
      }
    : undefined;
}

/** The machines of a cluster, by name and MAC address: a Node has one name, and a machine joins once. */
const MACHINES = new DeclarationKind<{ readonly path: string; readonly owner: object }>('machines');

/** The join that writes the rights of yurthub, once for a cluster. */
const RIGHTS = new DeclarationKind<object>('rights of yurthub');

function isFirst({ pool }: NodeJoinProps, scope: Scope): boolean {
  const declared = scope.declared.of(pool.cluster, RIGHTS);
  const first = declared.get('') ?? scope.owner;
  declared.set('', first);
  return first === scope.owner;
}

/** Refuses a machine that another join of the cluster has. Two sites may have the same addresses. */
function noteMachines({ pool, machines = [] }: NodeJoinProps, scope: Scope, problems: ProblemList): void {
  const declared = scope.declared.of(pool.cluster, MACHINES);
  machines.forEach(({ name, mac }, index) => {
    for (const [property, value] of Object.entries({ name, mac: macOf(mac) })) {
      const earlier = value === undefined ? undefined : declared.get(value);
      if (earlier !== undefined && earlier.owner !== scope.owner) {
        problems
          .at('machines', index, property)
          .add(
            'EDGE_DUPLICATE',
            `${earlier.path} has a machine with this ${property}`,
            'declare each machine in one join',
          );
      } else if (value !== undefined) {
        declared.set(value, { path: scope.path, owner: scope.owner });
      }
    }
  });
}

/** The join as it is published. */
function inFormat(draft: JoinDraft, written: JoinFiles, format: JoinFormat): string {
  const { configPath, holdsToken, hasMachines, hasService, ntpServers } = draft;
  // the config of each machine has its own servers
  const ignition = {
    files: written.files,
    hasService,
    ...(holdsToken ? { secretPath: configPath } : {}),
    ...(hasMachines ? {} : { ntpServers }),
  };
  return format === 'ignition'
    ? compute(ignition, ignitionConfig)
    : format === 'script'
      ? written.script
      : written.userData;
}

/** Hash of a join with the placeholder, and of the token id, which distinguishes the joins of two tokens. */
function hashOf(open: string, format: JoinFormat, token: string | undefined): string {
  const id = compute(token, (known) => known?.split('.')[0] ?? '');
  return compute(text`${format}\n${id}\n${open}`, sha256Of);
}

/** Refuses two joins with the same content, or with the same token id: both would be one object, and the second would
 * replace the first. */
function notePublished(object: KubernetesObject, { pool }: NodeJoinProps, scope: Scope, problems: ProblemList): void {
  if (holdsUnknown(object.metadata)) {
    return;
  }
  const published = scope.declared.of(pool.cluster, PUBLISHED_JOINS);
  const name = nameOf(object);
  const earlier = published.get(name);
  if (earlier !== undefined && earlier.owner !== scope.owner) {
    problems.add(
      'EDGE_DUPLICATE',
      `${earlier.path} already publishes the ${name}`,
      'declare the join once and use it for all machines, or write publish: false; a new token also needs a new id',
    );
    return;
  }
  published.set(name, { path: scope.path, owner: scope.owner });
}

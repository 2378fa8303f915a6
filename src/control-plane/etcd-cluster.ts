import type { Plan, PlannedObject } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import { cloudConfig } from '../join/cloud-config.js';
import { fileParts } from '../join/join-files.js';
import type { NodeFile } from '../join/node-file.js';
import { checkProvider, checkSize } from '../join/size-limits.js';
import { type EdgeArtifact, checkArtifactFolder } from '../base/artifact.js';
import { shellScript } from '../base/shell-script.js';
import { type PlainMap, isMap } from '../base/plain-data.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import { certManagerObjects, certificatesScript, clusterApiSecretNames, clusterLabel } from './etcd-certificates.js';
import {
  checkCertificates,
  checkClusterApi,
  checkDays,
  checkEtcdName,
  expiredWarnings,
  plainShape,
} from './etcd-certificates-checks.js';
import type {
  EtcdAlerts,
  EtcdClusterApi,
  EtcdClusterProps,
  EtcdDownload,
  EtcdMember,
  EtcdSnapshots,
} from './etcd-cluster-props.js';
import { type EtcdSettings, clientUrls, etcdConfig, etcdUnit, initialCluster } from './etcd-config.js';
import { etcdAlerts } from './etcd-alerts.js';
import { DEFAULT_SNAPSHOTS, FILE_PLACEHOLDER, UPLOAD_VARIABLES, timerUnits } from './etcd-maintenance.js';
import {
  type SecurityGroupRule,
  type ServerGroup,
  checkBalancer,
  checkSources,
  cidrsOf,
  rulesOf,
  serverGroup,
} from './etcd-network.js';
import {
  CLIENT_PORT,
  ETCD_CONFIG,
  ETCD_MOUNT,
  ETCD_TOOL,
  ETCD_UNIT,
  PEER_PORT,
  hostAndPort,
  urlOf,
} from './etcd-paths.js';
import { shell } from './shell-parts.js';
import { isIP } from 'node:net';
import { type EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { isUnreachable } from '../kubernetes/hosts.js';
import { checkNamespace, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkBoolean, showValue } from '../base/properties.js';
import {
  type PropertyTable,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  wholeNumber,
} from '../base/property-table.js';
import { secretWords } from './secret-words.js';
import { checkMembers } from './etcd-members-checks.js';
import { quoteForShell } from '../base/shell.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { isAbsolutePath, pathProblem } from '../join/machine-path.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A day has a whole number of them. */
const HOURS = [1, 2, 3, 4, 6, 8, 12, 24];

const SNAPSHOTS: PropertyTable<EtcdSnapshots> = {
  everyHours: optional((hours, problems) => {
    if (!HOURS.includes(hours as number)) {
      problems.add('EDGE_VALUE', `${showValue(hours)} hours do not divide a day`, `write one of ${HOURS.join(', ')}`);
    }
  }),
  keep: optional(wholeNumber(1, 10_000)),
  folder: optional(checkFolder),
  upload: optional(checkUpload),
};

/** Table of the properties of alerts. */
const ALERTS: PropertyTable<EtcdAlerts> = {
  job: optional((job, problems) => {
    if (typeof job !== 'string' || !/^[\w./:-]+$/.test(job)) {
      problems.add('EDGE_VALUE', `${showValue(job)} is not the name of a job`, "write job: 'edge-etcd'");
    }
  }),
  labels: optional(checkLabels),
};

function checkSnapshots(snapshots: Record<string, unknown>, problems: ProblemList): void {
  checkProperties<EtcdSnapshots>(snapshots, SNAPSHOTS, problems, {
    schedule: 'did you mean everyHours?',
    target: 'did you mean upload?',
  });
}

function checkFolder(folder: unknown, problems: ProblemList): void {
  if (!isAbsolutePath(folder)) {
    problems.add('EDGE_VALUE', `${showValue(folder)} ${pathProblem(folder)}`, "write '/var/lib/etcd-snapshots'");
  } else if (folder === ETCD_MOUNT || folder.startsWith(`${ETCD_MOUNT}/`)) {
    problems.add(
      'EDGE_VALUE',
      `${folder} is on the volume of the data, and is lost with it`,
      "write a folder on another disk, '/var/lib/etcd-snapshots'",
    );
  }
}

function checkUpload(upload: unknown, problems: ProblemList): void {
  const words = itemsOf(upload);
  checkSecrets(words, problems);
  const isCommand =
    words.length > 1 && words[0] !== '' && words.every((word) => typeof word === 'string' && !word.includes('\0'));
  if (!isCommand && !words.some(isUnknown)) {
    problems.add(
      'EDGE_TYPE',
      'upload must be a program and its arguments',
      `write ['cp', '${FILE_PLACEHOLDER}', '/mnt']`,
    );
  } else if (!words.some((word) => isUnknown(word) || (word as string).includes(FILE_PLACEHOLDER))) {
    problems.add(
      'EDGE_MISSING',
      `no argument has ${FILE_PLACEHOLDER}, the path of the snapshot`,
      `write ['aws', 's3', 'cp', '${FILE_PLACEHOLDER}', 's3://backups/']`,
    );
  }
}

/** User data can be read by every process of a machine. No message quotes the word. */
function checkSecrets(words: readonly unknown[], problems: ProblemList): void {
  for (const index of secretWords(words)) {
    problems
      .at(index)
      .add(
        'EDGE_VALUE',
        'this looks like a credential (value redacted), and every process on the machine can read the user data',
        `write it as NAME=value into ${UPLOAD_VARIABLES} of each member, where the command finds it in its environment`,
      );
  }
}

function checkHour(hour: unknown, problems: ProblemList): void {
  if (typeof hour !== 'number' || !Number.isInteger(hour) || hour < 0 || hour > 23) {
    problems.add('EDGE_VALUE', `${showValue(hour)} is not an hour of the day`, 'write a whole number from 0 to 23');
  }
}

/** Paths on the machines of the control plane, those of kubeadm. */
const FILES = {
  caFile: '/etc/kubernetes/pki/etcd/ca.crt',
  certFile: '/etc/kubernetes/pki/apiserver-etcd-client.crt',
  keyFile: '/etc/kubernetes/pki/apiserver-etcd-client.key',
} as const;

/**
 * The ClusterConfiguration of kubeadm with this etcd, in the version of the cluster. Its `etcd` is also that of `clusterConfiguration` in a
 * KubeadmControlPlane of Cluster API. The API server balances over all members on its own.
 */
function clusterConfiguration(cluster: EdgeCluster, members: readonly EtcdMember[]): PlainMap {
  return {
    apiVersion: `kubeadm.k8s.io/${cluster.kubeadmConfigVersion()}`,
    kind: 'ClusterConfiguration',
    etcd: { external: { endpoints: compute(members, clientUrls), ...FILES } },
  };
}

/** Flags of the API server, for control planes without kubeadm. */
function apiServerFlags(members: readonly EtcdMember[]): readonly string[] {
  return [
    compute(members, (known) => `--etcd-servers=${clientUrls(known).join(',')}`),
    `--etcd-cafile=${FILES.caFile}`,
    `--etcd-certfile=${FILES.certFile}`,
    `--etcd-keyfile=${FILES.keyFile}`,
  ];
}

/** The Secrets of Cluster API, if the certificates are given. */
function clusterApiSecrets(clusterApi: EtcdClusterApi | undefined, namespace: string): PlannedObject[] {
  if (clusterApi?.caCertificate === undefined) {
    return [];
  }
  const { clusterName, caCertificate, clientCertificate, clientKey } = clusterApi;
  const names = clusterApiSecretNames(clusterName);
  const secret = (id: string, name: string, stringData: Record<string, unknown>): PlannedObject => ({
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels: { ...OWN_LABELS, ...clusterLabel(clusterName) } },
      // not that of Cluster API itself: a KubeadmControlPlane becomes the owner of those, and they are deleted with it (ensureCertificatesOwnerRef)
      type: 'Opaque',
      stringData,
    },
    apply: 'create',
    id,
  });
  return [
    // without its key, see clusterApiLines
    secret('etcd', names.ca, { 'tls.crt': caCertificate }),
    secret('apiserver-etcd-client', names.client, { 'tls.crt': clientCertificate, 'tls.key': clientKey }),
  ];
}

/**
 * The files of one member of an etcd cluster.
 *
 * @category Run the control plane
 */
export interface EtcdMemberFiles {
  /** Name of the member. */
  readonly name: string;
  /** The whole cloud-config; its first line is `#cloud-config`. It contains no keys. */
  readonly userData: string;
  /** The same as a POSIX script, for machines without cloud-init. */
  readonly script: string;
  /** The files of the member, in the order in which they are written. */
  readonly files: readonly NodeFile[];
}

/** Attributes of an etcd cluster. */
export interface EtcdClusterAttributes {
  readonly members: readonly EtcdMemberFiles[];
  readonly clusterConfiguration: PlainMap;
  readonly apiServerFlags: readonly string[];
  readonly certificatesScript?: string;
  readonly serverGroup: ServerGroup;
  readonly securityGroupRules: readonly SecurityGroupRule[];
  readonly artifacts: readonly EdgeArtifact[];
}

/**
 * Plans an etcd cluster on machines of its own.
 *
 * @param now the time, in milliseconds since 1970; only the warnings depend on it
 * @throws {@link EdgeError} with all problems at once; no message contains a key
 */
export function planEtcdCluster(given: EtcdClusterProps, scope: Scope, now: number): Plan<EtcdClusterAttributes> {
  const props = given ?? {};
  const subject = `EtcdCluster ${scope.path}`;
  const problems = problemsOf(scope);
  checkEtcdCluster(props, problems);
  problems.throwIfAny(subject);
  const { cluster, name, members, certificates, loadBalancer, clusterApi, provider = 'openstack' } = props;
  const namespace = props.namespace ?? scope.namespace ?? 'default';
  const settings = settingsOf(props);
  const made = members.map((member) => memberFiles(settings, member));
  made.forEach(({ userData }, index) => checkSize(userData, provider, problems.at('members', index)));
  problems.throwIfAny(subject);
  const input = {
    name,
    members: members.map(({ name: own, address }) => ({ name: own, address, device: '' })),
    certificates,
    loadBalancer,
    namespace,
    clusterApi: clusterApi && {
      clusterName: clusterApi.clusterName,
      caCertificate: clusterApi.caCertificate && 'given',
    },
    kubernetes: cluster.kubernetes,
    kubeadm: cluster.kubeadmConfigVersion(),
  };
  const script = certificates.source === 'files' ? undefined : compute(input, certificatesScript);
  const folder = text`${props.artifactFolder ?? 'etcd'}/${name}`;
  const artifacts = [
    ...made.flatMap(({ name: own, userData, script: whole }) => [
      { path: text`${folder}/${own}.yaml`, content: userData },
      { path: text`${folder}/${own}.sh`, content: whole },
    ]),
    ...(script === undefined ? [] : [{ path: text`${folder}/certificates.sh`, content: script }]),
  ];
  return {
    subject,
    objects: [
      ...(certificates.source === 'cert-manager' ? certManagerObjects(input) : []),
      ...clusterApiSecrets(clusterApi, namespace),
      ...(props.alerts === undefined ? [] : [etcdAlerts(name, namespace, props.alerts)]),
    ],
    cluster,
    attributes: {
      members: made,
      clusterConfiguration: clusterConfiguration(cluster, members),
      apiServerFlags: apiServerFlags(members),
      ...(script === undefined ? {} : { certificatesScript: script }),
      serverGroup: serverGroup(name),
      securityGroupRules: rulesOf({
        members: input.members,
        clients: props.clients,
        monitoring: props.monitoring,
      }),
      artifacts,
    },
    warnings: expiredWarnings(clusterApi, now),
    artifacts,
  };
}

/** What the files of every member depend on. A member does not depend on the devices of the others. */
function settingsOf(props: EtcdClusterProps): EtcdSettings {
  const { name, members, download, latency, publicMetrics, version = '3.6' } = props;
  const { quota = DEFAULT_QUOTA, filesystem = 'ext4', snapshots, defragmentationHour } = props;
  return {
    ...{ name, download, latency, publicMetrics, version, quota, filesystem },
    ...{ snapshots, defragmentationHour },
    members: members.map((member) => ({ name: member.name, address: member.address, device: '' })),
  };
}

function memberFiles(settings: EtcdSettings, member: EtcdMember): EtcdMemberFiles {
  const files = compute({ settings, member }, filesOf);
  const about = text`edge-nodepools: member ${member.name} of the etcd cluster ${settings.name}`;
  return {
    name: member.name,
    userData: compute({ about, files }, userDataOf),
    script: compute({ about, files }, scriptOf),
    files,
  };
}

function filesOf({
  settings,
  member,
}: {
  readonly settings: EtcdSettings;
  readonly member: EtcdMember;
}): readonly NodeFile[] {
  const about = `edge-nodepools: member ${member.name} of the etcd cluster ${settings.name}`;
  return [
    { path: ETCD_CONFIG, content: etcdConfig(settings, member), permissions: '0644' },
    {
      path: ETCD_TOOL,
      content: etcdTool(about, settings, member),
      permissions: '0755',
    },
    { path: ETCD_UNIT, content: etcdUnit(about), permissions: '0644' },
    ...timerUnits(about, settings.snapshots?.everyHours, settings.defragmentationHour).map((unit) => ({
      ...unit,
      permissions: '0644',
    })),
  ];
}

interface Written {
  readonly about: string;
  readonly files: readonly NodeFile[];
}

function userDataOf({ about, files }: Written): string {
  return cloudConfig({ about, files, command: [ETCD_TOOL, 'setup'] });
}

function scriptOf({ about, files }: Written): string {
  return shellScript({
    comments: [
      about,
      'Run it as root, as often as you like. A running etcd reads changed settings when it is restarted: one member after the other.',
    ],
    parts: [shell('etcd-machine'), ...fileParts(files), `exec ${ETCD_TOOL} setup`],
  });
}

const GIB = 1024n ** 3n * 1_000_000_000n;
/** Room on the volume besides the data: write-ahead log and snapshots of raft. */
const LOGS = GIB;

const ADVICE: Readonly<Record<string, string>> = {
  heartbeat: "write latency: 'fast', 'shared' or 'slow'",
  election: "write latency: 'fast', 'shared' or 'slow'",
  compactionHours: 'leave it out: etcd keeps 8 hours of history, and the API server compacts every five minutes',
  quotaBackend: 'did you mean quota?',
  dataDir: 'the data is in /var/lib/etcd/data; the volume is given by members[…].device',
  clusterToken: 'the name is also the token',
};

/** Checks the properties of an etcd cluster, each on its own and against each other. */
function checkEtcdCluster(props: EtcdClusterProps, problems: ProblemList): void {
  checkProperties<EtcdClusterProps>(props, TABLE, problems, ADVICE);
  checkVolume(props, problems);
  if (props.monitoring !== undefined && props.publicMetrics !== true) {
    problems
      .at('monitoring')
      .add('EDGE_UNUSED', 'the metrics are only at 127.0.0.1', 'write publicMetrics: true, or remove monitoring');
  }
  if (isMap(props.alerts) && props.alerts.job === undefined && props.publicMetrics !== true) {
    problems
      .at('alerts')
      .add(
        'EDGE_MISSING',
        'no alert ever fires: the metrics are only at 127.0.0.1',
        'write publicMetrics: true, or the job of an agent on each member that sends them: alerts: { job }',
      );
  }
  checkArchive(props, problems);
  checkBalancer(props.loadBalancer, props.members, problems.at('loadBalancer'));
  checkSources(props.clients, props.members, ...CLIENTS, problems.at('clients'));
  checkSources(props.monitoring, props.members, ...MONITORING, problems.at('monitoring'));
  if (props.cluster !== undefined && isMap(props.certificates)) {
    checkDays(props.certificates, props.cluster, problems.at('certificates', 'days'));
  }
}

const CLIENTS = ['the network of the control plane', '10.0.0.0/24'] as const;
const MONITORING = ['the network of Prometheus', '10.0.9.0/24'] as const;

const TABLE: PropertyTable<EtcdClusterProps> = {
  cluster: plain(checkCluster),
  name: checkEtcdName,
  members: checkMembers,
  certificates: checkCertificates,
  version: optional(checkVersion),
  download: mapWith(
    (download, problems) => checkProperties<EtcdDownload>(download, DOWNLOAD, problems),
    'download must be a map',
    "write { url: 'https://…/etcd-v3.6.14-linux-amd64.tar.gz', sha256: '…' }",
  ),
  latency: optional(oneOf('fast', 'shared', 'slow')),
  quota: optional(checkQuota),
  volumeSize: optional((size, problems) => void isSize(size, "write '20Gi'", problems)),
  filesystem: optional(oneOf('ext4', 'xfs')),
  publicMetrics: optional(checkBoolean),
  loadBalancer: optional(checkLoadBalancer),
  snapshots: mapWith(
    checkSnapshots,
    'snapshots must be a map',
    'write { everyHours: 6, keep: 28 }; they are taken in any case',
  ),
  defragmentationHour: optional(checkHour),
  alerts: plainShape(
    mapWith(
      (alerts, problems) => checkProperties<EtcdAlerts>(alerts, ALERTS, problems),
      'alerts must be a map',
      "write {}, or { labels: { release: 'prometheus' } }",
    ),
  ),
  clients: cidrsOf('clients', ...CLIENTS),
  monitoring: cidrsOf('monitoring', ...MONITORING),
  clusterApi: plainShape(
    mapWith(
      checkClusterApi,
      'clusterApi must be a map',
      "write { clusterName: 'edge' }, the name of the Cluster of Cluster API",
    ),
  ),
  namespace: optional(checkNamespace),
  provider: optional(checkProvider),
  artifactFolder: optional(plain((folder, problems) => checkArtifactFolder(folder, 'etcd', problems))),
};

const DOWNLOAD: PropertyTable<EtcdDownload> = { url: checkUrl, sha256: checkSha256 };

function checkVersion(version: unknown, problems: ProblemList): void {
  const isPatch = typeof version === 'string' && /^v?3\.[67]\.\d/.test(version);
  if (version !== '3.6' && version !== '3.7') {
    problems.add(
      'EDGE_VALUE',
      isPatch ? `${version} is a patch release` : `etcd ${showValue(version)} is not supported`,
      isPatch ? "write the minor, '3.6': the patch release is in the URL of download" : "write '3.6' or '3.7'",
    );
  }
}

/** The name of an archive of a release has its version. */
function checkArchive({ download, version = '3.6' }: EtcdClusterProps, problems: ProblemList): void {
  const url: unknown = isMap(download) ? download.url : undefined;
  const [, minor] = (typeof url === 'string' && /\/etcd-v?(\d+\.\d+)\.[^/]*$/.exec(url)) || [];
  if (minor !== undefined && !isUnknown(version) && minor !== version) {
    problems
      .at('download', 'url')
      .add(
        'EDGE_CONTRADICTION',
        `this is etcd ${minor}, and version is ${version}`,
        minor === '3.6' || minor === '3.7'
          ? `write version: '${minor}', or the URL of etcd-v${version}`
          : `write the URL of etcd-v${version}`,
      );
  }
}

function checkUrl(url: unknown, problems: ProblemList): void {
  if (typeof url !== 'string' || !/^https:\/\/[\w.~:/@%+-]+$/.test(url) || !url.endsWith('.tar.gz')) {
    problems.add(
      url === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      'this is not the https URL of an archive',
      "write 'https://…/etcd-v3.6.14-linux-amd64.tar.gz'",
    );
  }
}

function checkSha256(sha256: unknown, problems: ProblemList): void {
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    problems.add(
      sha256 === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      'this is not a SHA-256',
      'write 64 lower-case hex digits: the release has them in SHA256SUMS',
    );
  }
}

function bytesOf(size: unknown): Quantity | undefined {
  return typeof size === 'string' ? Quantity.parse(size) : undefined;
}

/** Whether it is one; else the problem is added, with an example. */
function isSize(size: unknown, hint: string, problems: ProblemList): boolean {
  const amount = bytesOf(size);
  if (amount === undefined || amount.nano <= 0n) {
    problems.add('EDGE_QUANTITY', `${showValue(size)} is not a size`, hint);
    return false;
  }
  return true;
}

function checkQuota(quota: unknown, problems: ProblemList): void {
  if (!isSize(quota, "write '4Gi', at most '8Gi'", problems)) {
    return;
  }
  const { nano } = bytesOf(quota) as Quantity;
  if (nano > 8n * GIB) {
    problems.add('EDGE_VALUE', `${showValue(quota)} is more than etcd is made for`, "write at most '8Gi'");
  } else if (nano < GIB / 64n) {
    problems.add('EDGE_VALUE', `${showValue(quota)} is full within minutes`, "write '2Gi' to '8Gi'");
  }
}

function checkVolume({ volumeSize, quota = DEFAULT_QUOTA }: EtcdClusterProps, problems: ProblemList): void {
  const [volume, data] = [bytesOf(volumeSize), bytesOf(quota)];
  if (volume !== undefined && data !== undefined && volume.nano < 2n * data.nano + LOGS) {
    problems
      .at('volumeSize')
      .add(
        'EDGE_VALUE',
        `${showValue(volumeSize)} has no room for twice the quota of ${showValue(quota)} and 1Gi of logs`,
        'write a larger size: a defragmentation writes all data a second time',
      );
  }
}

const DEFAULT_QUOTA = '4Gi';

function checkLoadBalancer(host: unknown, problems: ProblemList): void {
  if (typeof host !== 'string' || !(isIP(host) !== 0 || isDnsSubdomain(host))) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(host)} is not a host name or an IP address`,
      "write 'etcd.example' or '10.0.0.5', without scheme and port",
    );
  } else if (isUnreachable(host)) {
    problems.add(
      'EDGE_VALUE',
      `other machines cannot reach ${host}`,
      "write the name or the address of the load balancer, 'etcd.example' or '10.0.0.5'",
    );
  }
}

/** The program of a member, `edge-etcd`: a POSIX script. Without a command it lists them. */
function etcdTool(about: string, settings: EtcdSettings, member: EtcdMember): string {
  const { name, members, download, snapshots: { folder, keep, upload } = {} } = settings;
  const others = members.filter((other) => other.name !== member.name);
  return shellScript({
    comments: [about],
    variables: {
      cluster: name,
      member: member.name,
      address: member.address,
      device: member.device,
      filesystem: settings.filesystem,
      version: settings.version,
      initial_cluster: initialCluster(members),
      peer: urlOf(member.address, PEER_PORT),
      endpoint: urlOf(member.address, CLIENT_PORT),
      endpoints: clientUrls(members).join(','),
      others: clientUrls(others).join(','),
      other_peers: others.map(({ address }) => hostAndPort(address, PEER_PORT)),
      download_url: download?.url ?? '',
      download_sha256: download?.sha256,
      snapshots: folder ?? DEFAULT_SNAPSHOTS.folder,
      snapshots_kept: keep ?? DEFAULT_SNAPSHOTS.keep,
      upload: upload === undefined ? '' : uploadCommand(upload),
    },
    parts: [
      ...(download === undefined ? [] : [shell('etcd-download')]),
      shell('etcd-volume'),
      shell('etcd-member'),
      shell('etcd-second-day'),
      shell('etcd-recovery'),
      shell('edge-etcd'),
    ],
  });
}

/** Quoted words, with `"$file"` in place of the path of the snapshot. */
function uploadCommand(words: NonNullable<EtcdSnapshots['upload']>): string {
  return words.map((word) => word.split(FILE_PLACEHOLDER).map(quoteForShell).join('"$file"')).join(' ');
}

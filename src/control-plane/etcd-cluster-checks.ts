import { isIP } from 'node:net';
import { checkCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { checkProvider } from '../join/size-limits.js';
import { isUnreachable } from '../kubernetes/hosts.js';
import { checkNamespace, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkArtifactFolder } from '../base/artifact.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { checkProperties, mapWith, oneOf, optional, plain, type PropertyTable } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import {
  checkCertificates,
  checkClusterApi,
  checkDays,
  checkEtcdName,
  plainShape,
} from './etcd-certificates-checks.js';
import type { EtcdAlerts, EtcdClusterProps, EtcdDownload } from './etcd-cluster-props.js';
import { ALERTS, checkHour, checkSnapshots } from './etcd-maintenance-checks.js';
import { checkMembers } from './etcd-members-checks.js';
import { checkBalancer, checkSources, cidrsOf } from './etcd-network-checks.js';

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
export function checkEtcdCluster(props: EtcdClusterProps, problems: ProblemList): void {
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

export const DEFAULT_QUOTA = '4Gi';

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

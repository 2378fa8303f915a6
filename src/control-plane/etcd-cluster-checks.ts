import { isIP } from 'node:net';
import { checkCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../errors.js';
import { checkProvider } from '../join/size-limits.js';
import { checkNamespace, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { checkArtifactFolder } from '../text/artifact.js';
import { isMap } from '../validation/plain-data.js';
import { checkBoolean, showValue } from '../validation/properties.js';
import {
  checkProperties,
  listOf,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  refuseUnknown,
  wholeNumber,
} from '../validation/property-table.js';
import { isUnknown } from '../validation/unknown.js';
import {
  checkCertificates,
  checkClusterApi,
  checkDays,
  checkEtcdName,
  plainShape,
} from './etcd-certificates-checks.js';
import type { EtcdAlerts, EtcdClusterProps, EtcdDownload, EtcdMember } from './etcd-cluster-props.js';
import { timingOf } from './etcd-config.js';
import { ALERTS, checkCidr, checkHour, checkSnapshots } from './etcd-maintenance-checks.js';

const GIB = 1024n ** 3n * 1_000_000_000n;
/** Room on the volume besides the data: write-ahead log and snapshots of raft. */
const LOGS = GIB;

const ADVICE: Readonly<Record<string, string>> = {
  heartbeatMs: 'did you mean heartbeat?',
  electionMs: 'did you mean election?',
  quotaBackend: 'did you mean quota?',
  dataDir: 'the data is in /var/lib/etcd/data; the volume is given by members[…].device',
  clusterToken: 'the name is the token, too',
};

/** Checks the properties of an etcd cluster, each on its own and against each other. */
export function checkEtcdCluster(props: EtcdClusterProps, problems: ProblemList): void {
  checkProperties<EtcdClusterProps>(props, TABLE, problems, ADVICE);
  checkTiming(props, problems);
  checkVolume(props, problems);
  if (props.monitoring !== undefined && props.publicMetrics !== true) {
    problems
      .at('monitoring')
      .add('EDGE_UNUSED', 'the metrics are only at 127.0.0.1', 'write publicMetrics: true, or remove monitoring');
  }
  checkArchive(props, problems);
  if (props.cluster !== undefined && isMap(props.certificates)) {
    checkDays(props.certificates, props.cluster, problems.at('certificates', 'days'));
  }
}

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
  heartbeat: optional(wholeNumber(10)),
  election: optional(wholeNumber(50)),
  quota: optional(checkQuota),
  volumeSize: optional(checkSize),
  filesystem: optional(oneOf('ext4', 'xfs')),
  // a year
  compactionHours: optional(wholeNumber(1, 8760)),
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
  clients: listOf(checkCidr, "write ['10.0.0.0/24']", 'clients must be a list'),
  monitoring: listOf(checkCidr, "write ['10.0.9.0/24']", 'monitoring must be a list'),
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

const MEMBER: PropertyTable<EtcdMember> = { name: plain(checkEtcdName), address: checkAddress, device: checkDevice };

function checkMembers(members: unknown, problems: ProblemList): void {
  const example = "write [{ name: 'etcd-1', address: '10.0.0.10', device: '/dev/disk/by-id/virtio-…' }, …]";
  if (isUnknown(members)) {
    refuseUnknown(problems);
  } else if (!Array.isArray(members)) {
    problems.add(members === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE', 'members must be a list', example);
  } else {
    members.forEach((member: unknown, index) => {
      const at = problems.at(index);
      if (isUnknown(member)) {
        refuseUnknown(at);
      } else if (isMap(member)) {
        checkProperties<EtcdMember>(member, MEMBER, at, { ip: 'did you mean address?' });
      } else {
        at.add('EDGE_TYPE', 'a member must be a map', example);
      }
    });
    if (![3, 5, 7].includes(members.length)) {
      problems.add(
        'EDGE_VALUE',
        `${members.length} members: 3, 5 or 7 are needed`,
        members.length % 2 === 0 && members.length > 0
          ? 'write one more or one less: an even number tolerates no more failures than one less'
          : 'write 3, of which one can fail, or 5, of which two can',
      );
    }
    for (const property of ['name', 'address'] as const) {
      checkUnique(members, property, problems);
    }
  }
}

function checkUnique(members: readonly unknown[], property: 'name' | 'address', problems: ProblemList): void {
  const seen = new Set<unknown>();
  members.forEach((member, index) => {
    const value = isMap(member) ? member[property] : undefined;
    const key = typeof value === 'string' && isIP(value) === 6 ? oneSpelling(value) : value;
    if (typeof value === 'string' && seen.has(key)) {
      problems
        .at(index, property)
        .add('EDGE_DUPLICATE', `another member has the ${property} ${value}`, `give each member its own ${property}`);
    }
    seen.add(key);
  });
}

/** An IPv6 address as every spelling of it is written in a URL. */
function oneSpelling(address: string): string {
  return address.includes('%') ? address : new URL(`http://[${address}]`).hostname;
}

function checkAddress(address: unknown, problems: ProblemList): void {
  const isAddress = typeof address === 'string' && isIP(address) !== 0 && !address.includes('%');
  if (address === undefined) {
    problems.add('EDGE_MISSING', 'the member has no address', "write address: '10.0.0.10', a fixed address");
  } else if (!isAddress) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(address)} is not an IP address`,
      "write the IP address alone, '10.0.0.10': members have fixed addresses, so that they find each other without DNS",
    );
  } else if (/^(127\.|0\.|169\.254\.|22[4-9]\.|2[345]\d\.|::1?$|fe80:|ff)/i.test(address)) {
    problems.add(
      'EDGE_VALUE',
      `other machines cannot reach ${address}`,
      'write the fixed address of the machine in the network of the control plane',
    );
  }
}

function checkDevice(device: unknown, problems: ProblemList): void {
  if (device === undefined) {
    problems.add(
      'EDGE_MISSING',
      'the member has no device: etcd needs a fast volume of its own',
      "write device: '/dev/disk/by-id/virtio-' and the first 20 characters of the volume's id",
    );
  } else if (typeof device !== 'string' || !/^\/dev\/[A-Za-z0-9][\w./:+-]*$/.test(device) || device.includes('..')) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(device)} is not a block device`,
      "write '/dev/disk/by-id/virtio-…', which stays the same over reboots",
    );
  } else {
    checkStable(device, problems);
  }
}

/** The kernel names disks in the order in which it finds them; and virtio-blk has room for 20 characters of a serial (VIRTIO_BLK_ID_BYTES). */
function checkStable(device: string, problems: ProblemList): void {
  const [, serial, rest] = /^\/dev\/disk\/by-id\/virtio-([0-9a-fA-F-]{20})([0-9a-fA-F-]{16})$/.exec(device) ?? [];
  if (rest !== undefined) {
    problems.add(
      'EDGE_VALUE',
      'there is no such device: it is named after the first 20 characters of the id of the volume, and this is the whole id',
      `write '/dev/disk/by-id/virtio-${serial}'`,
    );
  } else if (/^\/dev\/(?:(?:s|v|xv)d[a-z]+\d*|nvme\d+n\d+(?:p\d+)?)$/.test(device)) {
    problems.add(
      'EDGE_VALUE',
      `${device} can be another disk after a reboot`,
      "write '/dev/disk/by-id/virtio-' and the first 20 characters of the volume's id; ls -l /dev/disk/by-id shows it",
    );
  }
}

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

function checkSize(size: unknown, problems: ProblemList): boolean {
  const amount = bytesOf(size);
  if (amount === undefined || amount.nano <= 0n) {
    problems.add('EDGE_QUANTITY', `${showValue(size)} is not a size`, "write '20Gi'");
    return false;
  }
  return true;
}

function checkQuota(quota: unknown, problems: ProblemList): void {
  if (!checkSize(quota, problems)) {
    return;
  }
  const { nano } = bytesOf(quota) as Quantity;
  if (nano > 8n * GIB) {
    problems.add('EDGE_VALUE', `${showValue(quota)} is more than etcd is made for`, "write at most '8Gi'");
  } else if (nano < GIB / 64n) {
    problems.add('EDGE_VALUE', `${showValue(quota)} is full within minutes`, "write '2Gi' to '8Gi'");
  }
}

/** etcd refuses an election timeout below five heartbeats, and above 50 seconds (server/embed/config.go, Validate). */
function checkTiming(props: EtcdClusterProps, problems: ProblemList): void {
  for (const [one, other] of [
    ['heartbeat', 'election'],
    ['election', 'heartbeat'],
  ] as const) {
    if (props[one] !== undefined && props[other] === undefined && props.latency === undefined) {
      problems.at(other).add('EDGE_MISSING', `${one} is set, and ${other} is not`, 'set both, or latency alone');
      return;
    }
  }
  if (props.latency !== undefined && (props.heartbeat !== undefined || props.election !== undefined)) {
    problems
      .at('latency')
      .add('EDGE_CONTRADICTION', 'latency sets heartbeat and election', 'remove latency, or both of the others');
    return;
  }
  const { heartbeat, election } = timingOf(props);
  if (election < 5 * heartbeat) {
    problems
      .at('election')
      .add('EDGE_VALUE', `etcd refuses less than 5 heartbeats (${5 * heartbeat})`, `write ${10 * heartbeat}`);
  } else if (election > 50_000) {
    problems.at('election').add('EDGE_VALUE', 'etcd refuses more than 50000', 'write 50000 or less');
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
  }
}

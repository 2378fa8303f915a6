import { isIP } from 'node:net';
import { posix } from 'node:path';
import type { ProblemList } from '../base/errors.js';
import { isLocal, isUnreachable, mappedFrom, spellingOf } from '../kubernetes/hosts.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { checkProperties, plain, type PropertyTable, refuseUnknown } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { checkEtcdName } from './etcd-certificates-checks.js';
import type { EtcdMember } from './etcd-cluster-props.js';

const MEMBER: PropertyTable<EtcdMember> = { name: plain(checkMemberName), address: checkAddress, device: checkDevice };

/** Checks the members, each on its own and against the others. */
export function checkMembers(members: unknown, problems: ProblemList): void {
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
    for (const property of ['name', 'address', 'device'] as const) {
      checkUnique(members, property, problems);
    }
    checkFamilies(members, problems);
  }
}

function checkUnique(members: readonly unknown[], property: keyof EtcdMember, problems: ProblemList): void {
  const seen = new Set<unknown>();
  members.forEach((member, index) => {
    const value = isMap(member) ? member[property] : undefined;
    const key = property === 'device' && typeof value === 'string' ? posix.normalize(value) : spellingOf(value);
    const isOne = property !== 'device' || NAMES_ONE_DISK.test(String(key));
    if (typeof value === 'string' && isOne && seen.has(key)) {
      problems
        .at(index, property)
        .add('EDGE_DUPLICATE', `another member has the ${property} ${value}`, `give each member its own ${property}`);
    }
    seen.add(key);
  });
}

/** Paths with an id of the disk itself. A label, or a volume of LVM, is called the same on every machine. */
const NAMES_ONE_DISK = /^\/dev\/disk\/by-(?:id|uuid|partuuid)\//;

/** A member has one address, and calls all others from it. */
function checkFamilies(members: readonly unknown[], problems: ProblemList): void {
  const families = members.map((member) => isIP(isMap(member) ? String(member.address) : ''));
  const first = families.findIndex((family) => family !== 0);
  families.forEach((family, index) => {
    if (family !== 0 && family !== families[first]) {
      problems
        .at(index, 'address')
        .add(
          'EDGE_CONTRADICTION',
          `this is an address of IPv${family}, and members[${first}] has one of IPv${families[first]}`,
          `write the IPv${families[first]} address of this machine: members call each other by these addresses`,
        );
    }
  });
}

/** The name is also the host name of the machine. */
function checkMemberName(name: unknown, problems: ProblemList): void {
  checkEtcdName(name, problems);
  if (typeof name === 'string' && isLocal(name)) {
    problems.add('EDGE_NAME', `${name} is each member itself`, "write a name such as 'etcd-1'");
  }
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
  } else if (mappedFrom(address) !== undefined) {
    problems.add('EDGE_VALUE', `${address} is an IPv4 address`, `write '${mappedFrom(address)}'`);
  } else if (isUnreachable(address)) {
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

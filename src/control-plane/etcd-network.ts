import { isIP } from 'node:net';
import { compute, text } from '../base/unknown.js';
import type { EtcdMember } from './etcd-cluster-props.js';
import { CLIENT_PORT, METRICS_PORT, PEER_PORT } from './etcd-paths.js';
import type { ProblemList } from '../base/errors.js';
import { mappedFrom, spellingOf } from '../kubernetes/hosts.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { type Check, listOf } from '../base/property-table.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * A rule of a security group, with the names of Neutron as `@pulumi/openstack` (SecGroupRule) and Terraform have them.
 *
 * @category Run the control plane
 */
export interface SecurityGroupRule {
  /** Always `ingress`. */
  readonly direction: 'ingress';
  /** `IPv4` or `IPv6`. */
  readonly ethertype: 'IPv4' | 'IPv6';
  /** Always `tcp`. */
  readonly protocol: 'tcp';
  /** First port. */
  readonly portRangeMin: number;
  /** Last port. */
  readonly portRangeMax: number;
  /** Who may connect, as CIDR. */
  readonly remoteIpPrefix: string;
  /** Why. */
  readonly description: string;
}

/**
 * A server group of Nova, which keeps the members on different hosts.
 *
 * @category Run the control plane
 */
export interface ServerGroup {
  /** Name of the group. */
  readonly name: string;
  /** `anti-affinity`: Nova refuses a machine rather than put two members on one host. */
  readonly policies: readonly string[];
}

/** Rules for the ports of the members: each other, the clients, and the monitoring. */
export function securityGroupRules(given: {
  readonly members: readonly EtcdMember[];
  readonly clients?: readonly string[];
  readonly monitoring?: readonly string[];
}): readonly SecurityGroupRule[] {
  const { members, clients = [], monitoring = [] } = given;
  const rule = (cidr: string, ports: readonly [number, number], description: string): SecurityGroupRule => ({
    direction: 'ingress',
    ethertype: isIP(cidr.split('/')[0] ?? '') === 6 ? 'IPv6' : 'IPv4',
    protocol: 'tcp',
    portRangeMin: ports[0],
    portRangeMax: ports[1],
    remoteIpPrefix: cidr,
    description,
  });
  return [
    ...members.map(({ name, address }) =>
      rule(`${address}/${isIP(address) === 6 ? 128 : 32}`, [CLIENT_PORT, PEER_PORT], `member ${name}`),
    ),
    ...clients.map((cidr) => rule(cidr, [CLIENT_PORT, CLIENT_PORT], 'clients of etcd')),
    ...monitoring.map((cidr) => rule(cidr, [METRICS_PORT, METRICS_PORT], 'metrics of etcd')),
  ];
}

export function serverGroup(name: string): ServerGroup {
  return { name: text`${name}-etcd`, policies: ['anti-affinity'] };
}

/** The rules, also for unknown addresses. */
export function rulesOf(input: Parameters<typeof securityGroupRules>[0]): readonly SecurityGroupRule[] {
  return compute(input, securityGroupRules);
}

/** A CIDR as numbers. */
interface Range {
  readonly family: number;
  readonly first: bigint;
  readonly last: bigint;
}

const bitsOf = (family: number): number => (family === 6 ? 128 : 32);

function rangeOf(cidr: unknown): Range | undefined {
  const [, host = '', length = ''] = typeof cidr === 'string' ? (/^([\da-fA-F.:]+)\/(\d{1,3})$/.exec(cidr) ?? []) : [];
  const family = isIP(host);
  if (family === 0 || Number(length) > bitsOf(family)) {
    return undefined;
  }
  const size = 1n << BigInt(bitsOf(family) - Number(length));
  const first = (numberOf(host, family) / size) * size;
  return { family, first, last: first + size - 1n };
}

function numberOf(host: string, family: number): bigint {
  if (family === 4) {
    return BigInt(host.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0));
  }
  // a URL writes every form in hexadecimal digits
  const halves = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const [before = [], after = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array.from({ length: halves.length === 1 ? 0 : 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Checks a list of CIDRs: each is less than all addresses. */
export const cidrsOf = (property: string, whose: string, example: string): Check =>
  listOf(
    (cidr, problems) => {
      const range = rangeOf(cidr);
      if (range === undefined) {
        problems.add(
          'EDGE_VALUE',
          `${showValue(cidr)} is not a CIDR`,
          `write '${example}', or '10.0.0.5/32' for one address`,
        );
      } else if (isEverything([range], range.family)) {
        problems.add(
          'EDGE_VALUE',
          `${showValue(cidr)} includes every address`,
          `write ${whose}, for example '${example}'`,
        );
      }
    },
    `write ['${example}']`,
    `${property} must be a list`,
  );

/** Checks CIDRs together, and against the addresses of the members. */
export function checkSources(
  cidrs: unknown,
  members: unknown,
  whose: string,
  example: string,
  problems: ProblemList,
): void {
  const ranges = Array.isArray(cidrs) ? cidrs.map(rangeOf) : [];
  const known = ranges.filter((range) => range !== undefined);
  for (const family of [4, 6]) {
    const own = known.filter((range) => range.family === family);
    if (!own.some((range) => isEverything([range], family)) && isEverything(own, family)) {
      problems.add(
        'EDGE_VALUE',
        `together these include every address of IPv${family}`,
        `write ${whose}, for example '${example}'`,
      );
    }
  }
  const families = itemsOf(members).map((member: unknown) => (isMap(member) ? isIP(String(member.address)) : 0));
  const [family = 0] = families;
  if (family === 0 || families.some((other) => other !== family)) {
    return;
  }
  ranges.forEach((range, index) => {
    if (range !== undefined && range.family !== family) {
      problems
        .at(index)
        .add(
          'EDGE_CONTRADICTION',
          `these are addresses of IPv${range.family}, and the members have addresses of IPv${family}, which nobody reaches from there`,
          `write IPv${family} addresses, or remove it`,
        );
    }
  });
}

function isEverything(ranges: readonly Range[], family: number): boolean {
  let next = 0n;
  for (const { first, last } of [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    if (first > next) {
      return false;
    }
    next = last >= next ? last + 1n : next;
  }
  return next === 1n << BigInt(bitsOf(family));
}

/** A load balancer that is a member is lost with it. */
export function checkBalancer(balancer: unknown, members: unknown, problems: ProblemList): void {
  if (typeof balancer !== 'string') {
    return;
  }
  const mapped = mappedFrom(balancer);
  const known: readonly unknown[] = itemsOf(members);
  const index = known.findIndex(
    (member) => isMap(member) && [member.name, spellingOf(member.address)].includes(spellingOf(mapped ?? balancer)),
  );
  if (index >= 0) {
    problems.add(
      'EDGE_CONTRADICTION',
      `this is members[${index}], not a load balancer in front of all`,
      'write the name or the address of the load balancer; API servers need none',
    );
  } else if (mapped !== undefined) {
    problems.add('EDGE_VALUE', `${balancer} is an IPv4 address`, `write '${mapped}'`);
  }
}

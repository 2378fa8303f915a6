import { isIP } from 'node:net';
import type { ProblemList } from '../base/errors.js';
import { mappedFrom, spellingOf } from '../kubernetes/hosts.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { type Check, listOf } from '../base/property-table.js';

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
  const families = (Array.isArray(members) ? members : []).map((member: unknown) =>
    isMap(member) ? isIP(String(member.address)) : 0,
  );
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
  const known: readonly unknown[] = Array.isArray(members) ? members : [];
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

import { isIP } from 'node:net';
import type { Check } from '../base/property-table.js';
import { quoted } from '../base/properties.js';

/** Checks an IP address, or a range of them (CIDR) that is not all of them. */
export const checkAddressRange: Check = (range, problems) => {
  const [address = '', bits, ...more] = typeof range === 'string' ? range.split('/') : [];
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const isValid =
    version > 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
  if (!isValid) {
    problems.add('EDGE_VALUE', `${quoted(range)} is not an IP address or a range`, "write '10.0.0.7' or '10.0.0.0/24'");
  } else if (bits !== undefined && Number(bits) === 0) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(range)} includes every address`,
      "write the addresses of the nodes: '10.0.0.0/24'",
    );
  }
};

/** An IPv6 address as every spelling of it is written in a URL, in brackets; anything else as it is. */
export function spellingOf(value: unknown): unknown {
  return typeof value === 'string' && isIP(value) === 6 && !value.includes('%')
    ? new URL(`http://[${value}]`).hostname
    : value;
}

/** An IPv4 address in the form of IPv6, in its usual form. */
export function mappedFrom(address: string): string | undefined {
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(String(spellingOf(address))) ?? [];
  return high === undefined || low === undefined
    ? undefined
    : [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 255]).join('.');
}

/** Whether a host name or an IP address is each machine itself. Names: those of /etc/hosts of Debian and Fedora, and RFC 6761. */
export function isLocal(host: string): boolean {
  return (
    /^((ip6-)?(localhost|loopback)[46]?(\.localdomain[46]?)?|.*\.localhost)\.?$/i.test(host) ||
    (isIP(host) !== 0 && /^(127\.|0\.|\[::1?\]$)/.test(mappedFrom(host) ?? String(spellingOf(host))))
  );
}

/** Whether a host name or an IP address means something else on every machine, or nothing. */
export function isUnreachable(host: string): boolean {
  return (
    isLocal(host) ||
    (isIP(host) !== 0 &&
      /^(169\.254\.|22[4-9]\.|2[345]\d\.|\[fe[89ab]|\[ff)/.test(mappedFrom(host) ?? String(spellingOf(host))))
  );
}

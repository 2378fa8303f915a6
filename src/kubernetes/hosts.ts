import { isIP } from 'node:net';

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

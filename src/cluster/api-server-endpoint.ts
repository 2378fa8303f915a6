import { isIP } from 'node:net';
import { isDnsSubdomain } from '../kubernetes/names.js';

/** A host and a port. */
export interface ApiServerEndpoint {
  /** Host name, IPv4 address, or IPv6 address without brackets. */
  readonly host: string;
  /** Port number, 1 to 65535. */
  readonly port: number;
}

/** `10.0.0.1:6443`, `api.example:6443`, `[fd00::1]:6443`; undefined for anything else. */
export function parseEndpoint(text: string): ApiServerEndpoint | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, ipv6, host, digits] = match;
  const port = Number(digits);
  if (port < 1 || port > 65535) {
    return undefined;
  }
  if (ipv6 !== undefined) {
    return isIP(ipv6) === 6 ? { host: ipv6, port } : undefined;
  }
  if (host === undefined || (isIP(host) !== 4 && !isDnsSubdomain(host.toLowerCase()))) {
    return undefined;
  }
  // digits and dots that are not an IPv4 address are a mistyped one, not a host name
  return isIP(host) === 0 && /^[\d.]+$/.test(host) ? undefined : { host, port };
}

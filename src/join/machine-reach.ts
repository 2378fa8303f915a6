import { BlockList, isIP } from 'node:net';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import { addressOf, type NetworkAddress } from './join-machine-checks.js';
import type { NodeJoinProps } from './node-join-props.js';

type Input = Pick<NodeJoinProps, 'pool' | 'machines' | 'discoveryFile' | 'files' | 'preJoinCommands'>;

/**
 * Warns about machines whose static network is all that they have (`networkConfig`, `networkFiles`: no DHCP), and that does not reach the API server. Where
 * files or commands of the join set up names or routes, nothing is said.
 */
export function reachWarnings(input: Input): readonly EdgeWarning[] {
  const { pool, machines = [], discoveryFile } = input;
  const warnings = new ProblemList();
  const { apiServer } = pool.cluster;
  const host = typeof apiServer === 'string' ? parseEndpoint(apiServer)?.host : undefined;
  if (host === undefined || discoveryFile !== undefined || isUnknown(machines) || mayChangeNetwork(input)) {
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
    if (isUnknown(nameservers) || needed.some((ip) => isUnknown(ip) || reaches(own, gateway !== undefined, ip))) {
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

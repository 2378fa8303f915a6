import { BlockList, isIP, SocketAddress } from 'node:net';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { type Check, checkProperties, listOfWords, optional, type PropertyTable } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import type { JoinMachine, NodeJoinProps } from './node-join-props.js';
import { checkLabelsOfKubelet, checkNodeName, checkOwnedLabels, checkTimeServers } from './node-options-checks.js';
import { itemsOf } from '../kubernetes/field-values.js';

const EXAMPLE = "write [{ name: 'shop-0001', mac: '52:54:00:12:34:56', address: '192.0.2.10/24' }]";

const ADVICE: Readonly<Record<string, string>> = {
  ip: 'did you mean address?',
  dns: 'did you mean nameservers?',
  ntpServers: 'did you mean ntp?',
  hostname: 'did you mean name?',
  nodeName: 'did you mean name?',
  token: 'the token belongs in the join: all machines share it',
};

/** Checks a list of machines, except for what depends on the cluster and the pool. */
export const checkMachines: Check = optional((machines, problems) => {
  if (!Array.isArray(machines)) {
    problems.add('EDGE_TYPE', 'machines must be a list', EXAMPLE);
    return;
  }
  if (machines.length === 0) {
    problems.add('EDGE_MISSING', 'there are no machines', `${EXAMPLE}; leave it out for a join without machines`);
  }
  const seen = new Map<string, unknown>();
  machines.forEach((machine: unknown, index) => {
    const at = problems.at(index);
    if (isMap(machine)) {
      checkProperties<JoinMachine>(machine, MACHINE, at, ADVICE);
      checkNetwork(machine, at);
      checkOnce(machine, seen, at);
    } else {
      at.add(
        'EDGE_TYPE',
        'a machine must be a map',
        typeof machine === 'string' && machine.length < 64 ? `write { name: '${machine}' }` : EXAMPLE,
      );
    }
  });
});

const MACHINE: PropertyTable<JoinMachine> = {
  name: checkNodeName,
  mac: optional(checkMac),
  address: optional(checkAddress),
  gateway: optional(checkIp),
  nameservers: listOfWords(/^[0-9A-Fa-f:.]+$/, "['192.0.2.53']"),
  labels: checkLabelsOfKubelet,
  ntp: checkTimeServers,
};

/** A MAC address in lower case with colons; undefined if it is none. */
export function macOf(text: unknown): string | undefined {
  const mac = typeof text === 'string' ? text.toLowerCase().replace(/-/g, ':') : '';
  return /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac) ? mac : undefined;
}

function checkMac(value: unknown, problems: ProblemList): void {
  const mac = macOf(value);
  if (mac === undefined) {
    problems.add('EDGE_VALUE', `${showValue(value)} is not a MAC address`, "write '52:54:00:12:34:56'");
  } else if (Number.parseInt(mac.slice(0, 2), 16) % 2 === 1 || mac === '00:00:00:00:00:00') {
    problems.add(
      'EDGE_VALUE',
      `${mac} is a multicast address, or all zeros`,
      'write the address of one interface, as `ip link` shows it',
    );
  }
}

/** An address and the length of its prefix. */
export interface NetworkAddress {
  readonly ip: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number;
}

/** An IP address in its shortest form, by which two spellings are compared; undefined if it is none. */
function ipOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.includes('%')) {
    return undefined;
  }
  const version = isIP(text);
  return version === 0
    ? undefined
    : new SocketAddress({ address: text, family: version === 6 ? 'ipv6' : 'ipv4' }).address;
}

export function addressOf(value: unknown): NetworkAddress | undefined {
  const [, text, digits = ''] = typeof value === 'string' ? (/^([^/]+)\/(\d{1,3})$/.exec(value) ?? []) : [];
  const ip = ipOf(text);
  const family = isIP(ip ?? '') === 6 ? 'ipv6' : 'ipv4';
  const prefix = Number(digits);
  return ip === undefined || prefix < 1 || prefix > (family === 'ipv6' ? 128 : 32) ? undefined : { ip, family, prefix };
}

function checkAddress(value: unknown, problems: ProblemList): void {
  const address = addressOf(value);
  if (address === undefined) {
    const isBare = ipOf(value) !== undefined;
    problems.add(
      'EDGE_VALUE',
      `${showValue(value)} is not an address with its prefix`,
      isBare ? `write '${showValue(value)}/24', with the prefix of its network` : "write '192.0.2.10/24'",
    );
  } else if (/^(0\.|127\.|2(2[4-9]|[3-5]\d)\.|::1?$|ff)/.test(address.ip)) {
    problems.add('EDGE_VALUE', `${address.ip} is not the address of a single machine`, "write '192.0.2.10/24'");
  } else if (!isHost(address)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(value)} is the address of a network, or its broadcast address`,
      'write the address of the machine, with the prefix of its network',
    );
  }
}

/** Whether an IPv4 address is that of a machine in its network; the last two prefixes have neither network nor
 * broadcast address (RFC 3021). */
function isHost({ ip, family, prefix }: NetworkAddress): boolean {
  if (family === 'ipv6' || prefix > 30) {
    return true;
  }
  const size = 2 ** (32 - prefix);
  const host = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) % size;
  return host !== 0 && host !== size - 1;
}

function checkIp(value: unknown, problems: ProblemList): void {
  if (ipOf(value) === undefined) {
    problems.add('EDGE_VALUE', `${showValue(value)} is not an IP address`, "write '192.0.2.1'");
  }
}

/** Checks the network settings of a machine against each other. */
function checkNetwork({ mac, address, gateway, nameservers }: Partial<JoinMachine>, problems: ProblemList): void {
  itemsOf(nameservers).forEach((server, index) => {
    if (typeof server === 'string' && /^[0-9A-Fa-f:.]+$/.test(server)) {
      checkIp(server, problems.at('nameservers', index));
    }
  });
  for (const [name, value] of Object.entries({ address, nameservers })) {
    if (value !== undefined && mac === undefined) {
      problems
        .at('mac')
        .add('EDGE_MISSING', `${name} needs the MAC address of its interface`, "write mac: '52:54:00:12:34:56'");
      break;
    }
  }
  const via = ipOf(gateway);
  const own = addressOf(address);
  if (gateway !== undefined && address === undefined) {
    problems.at('address').add('EDGE_MISSING', 'a gateway needs an address', "write address: '192.0.2.10/24'");
  } else if (via !== undefined && own !== undefined) {
    const network = new BlockList();
    network.addSubnet(own.ip, own.prefix, own.family);
    const family = isIP(via) === 6 ? 'ipv6' : 'ipv4';
    const isReachable = family === own.family && (network.check(via, family) || /^fe[89ab]/.test(via));
    if (!isReachable || via === own.ip) {
      problems
        .at('gateway')
        .add(
          'EDGE_VALUE',
          via === own.ip ? `${via} is the address of the machine itself` : `${via} is not in the network of ${address}`,
          'write the address of the router in that network, or another prefix',
        );
    }
  }
}

/** Refuses a second machine with the same name, MAC address or IP address, in any spelling. */
function checkOnce(
  { name, mac, address }: Partial<JoinMachine>,
  seen: Map<string, unknown>,
  problems: ProblemList,
): void {
  const unique = { name, mac: macOf(mac), address: addressOf(address)?.ip };
  for (const [property, value] of Object.entries(unique)) {
    const key = `${property} ${value}`;
    if (typeof value === 'string' && seen.has(key)) {
      problems
        .at(property)
        .add(
          'EDGE_DUPLICATE',
          property === 'name'
            ? `two machines are called ${value}`
            : `machine ${showValue(seen.get(key))} also has ${value}`,
          property === 'address'
            ? 'give each machine its own; sites with the same private network each need their own join'
            : 'give each machine its own',
        );
    } else if (typeof value === 'string') {
      seen.set(key, name);
    }
  }
}

/** Checks machines against their pool, and against settings that each of them has itself. */
export function checkMachinesOf({ pool, nodeName }: NodeJoinProps, machines: unknown, problems: ProblemList): void {
  checkMachines(machines, problems);
  if (machines !== undefined && nodeName !== undefined) {
    problems.add(
      'EDGE_CONTRADICTION',
      'nodeName is the name of one node, and machines have a name each',
      'leave one out',
    );
  }
  const { apiServer } = pool.cluster;
  const server = typeof apiServer === 'string' ? ipOf(parseEndpoint(apiServer)?.host) : undefined;
  itemsOf(machines).forEach((machine, index) => {
    const labels = isMap(machine) ? machine.labels : undefined;
    if (server !== undefined && isMap(machine) && addressOf(machine.address)?.ip === server) {
      problems
        .at(index, 'address')
        .add(
          'EDGE_DUPLICATE',
          `${server} is the address of the API server, by which nodes reach it`,
          'give the machine its own',
        );
    }
    const at = problems.at(index, 'labels');
    checkOwnedLabels(labels, pool, at);
    for (const key of isUnknown(pool.joinLabels) || !isMap(labels) ? [] : Object.keys(labels)) {
      if (
        key !== pool.cluster.nodePoolLabel &&
        key !== pool.cluster.hostNetworkLabel.key &&
        Object.hasOwn(pool.joinLabels, key)
      ) {
        at.at(key).add('EDGE_RESERVED_KEY', `the pool gives this label to every node`, 'leave it out');
      }
    }
  });
}

import { isIP } from 'node:net';
import { compute, text } from '../base/unknown.js';
import type { EtcdMember } from './etcd-cluster-props.js';
import { CLIENT_PORT, METRICS_PORT, PEER_PORT } from './etcd-paths.js';

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

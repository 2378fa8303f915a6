import type { EdgeArtifact } from '../base/artifact.js';
import { prologue } from '../base/shell-script.js';
import { type YamlValue, yamlOf } from '../base/yaml-emitter.js';
import { compute, text } from '../base/unknown.js';
import { macOf } from './join-machine-checks.js';
import type { JoinMachine } from './node-join-props.js';
import { IDENTITY_FILE } from './node-paths.js';
import { shell } from './shell-parts.js';

/**
 * The files of one machine for cloud-init's data source NoCloud, besides the user-data. None contains the token.
 *
 * @category Join nodes
 */
export interface MachineSeed {
  /** Name of the machine. */
  readonly name: string;
  /** `meta-data`: instance-id and host name. The instance-id depends on the names of pool and machine only. */
  readonly metaData: string;
  /** `network-config`, version 2.
   * @default - the machine has no `mac` */
  readonly networkConfig?: string;
  /** `vendor-data`: name and labels for the join, and the NTP servers. */
  readonly vendorData: string;
}

/** @param timeServers of the join */
export function seedOf(
  machine: JoinMachine,
  poolName: string,
  timeServers: readonly string[] | undefined,
): MachineSeed {
  const { name, mac, ntp } = machine;
  return {
    name,
    // neither name has a _
    metaData: compute({ poolName, name }, (known) =>
      yamlOf({ 'instance-id': `${known.poolName}_${known.name}`, 'local-hostname': known.name }),
    ),
    ...(mac === undefined ? {} : { networkConfig: networkConfig(machine, mac) }),
    vendorData: compute({ name, labels: machine.labels ?? {}, servers: ntp ?? timeServers ?? [] }, vendorData),
  };
}

/** What the join script reads: the name, and the labels, each with a comma before it. */
export function identityLines({ name, labels = {} }: Pick<JoinMachine, 'name' | 'labels'>): string[] {
  const pairs = Object.entries(labels).map(([key, value]) => `,${key}=${value}`);
  return [`name=${name}`, `labels=${pairs.join('')}`];
}

/**
 * cloud-init runs a boothook of vendor-data at every boot, before it writes files and runs commands of user-data. A
 * script of vendor-data would run once, and not again after a power cut; a `write_files` of vendor-data would lose
 * against the one of user-data.
 */
function vendorData(machine: {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly servers: readonly string[];
}): string {
  const hook = [
    '#cloud-boothook',
    '#!/bin/sh',
    ...prologue({ identity_file: IDENTITY_FILE, identity: identityLines(machine).join('\n') }),
    shell('identity-seed'),
  ];
  const parts: { readonly [key: string]: YamlValue }[] = [
    { type: 'text/cloud-boothook', content: hook.join('\n') },
    ...(machine.servers.length === 0
      ? []
      : [
          {
            type: 'text/cloud-config',
            content: `#cloud-config\n${yamlOf({ ntp: { enabled: true, servers: machine.servers } })}`,
          },
        ]),
  ];
  return `#cloud-config-archive\n${yamlOf(parts)}`;
}

/**
 * Version 2 in the part that every renderer of cloud-init knows: only netplan knows an interface by its MAC address
 * alone, so it gets a name, and only some know `to: default`.
 */
function networkConfig({ address, gateway, nameservers = [] }: JoinMachine, mac: string): string {
  const route = (via: string): YamlValue => [{ to: via.includes(':') ? '::/0' : '0.0.0.0/0', via }];
  return yamlOf({
    version: 2,
    ethernets: {
      eth0: {
        match: { macaddress: macOf(mac) ?? '' },
        'set-name': 'eth0',
        ...(address === undefined ? { dhcp4: true } : { dhcp4: false, addresses: [address] }),
        ...(gateway === undefined ? {} : { routes: route(gateway) }),
        ...(nameservers.length === 0 ? {} : { nameservers: { addresses: nameservers } }),
      },
    },
  });
}

/** A complete seed folder for each machine. They share the user-data. */
export function seedArtifacts(
  seeds: readonly MachineSeed[],
  folder: string,
  userData: Omit<EdgeArtifact, 'path'>,
): EdgeArtifact[] {
  return seeds.flatMap(({ name, metaData, networkConfig: network, vendorData: vendor }) => {
    const inFolder = (file: string): string => text`${folder}/${name}/${file}`;
    return [
      { path: inFolder('meta-data'), content: metaData },
      ...(network === undefined ? [] : [{ path: inFolder('network-config'), content: network }]),
      { ...userData, path: inFolder('user-data') },
      { path: inFolder('vendor-data'), content: vendor },
    ];
  });
}

import { macOf } from './join-machine-checks.js';
import type { NodeFile } from './node-file.js';
import type { JoinMachine } from './node-join-props.js';

const NETWORKD_FILE = '/etc/systemd/network/00-edge-nodepools.network';
const NETWORK_MANAGER_FILE = '/etc/NetworkManager/system-connections/edge-nodepools.nmconnection';

/** Files with the network of a machine. */
export const NETWORK_FILES: readonly string[] = [NETWORKD_FILE, NETWORK_MANAGER_FILE];

/**
 * The network of a machine, for machines without cloud-init: systemd-networkd (Flatcar) reads one file, NetworkManager (Fedora CoreOS) the other. None without
 * settings, because both use DHCP by default.
 */
export function networkFiles({ mac, address, gateway, nameservers = [] }: JoinMachine): Required<NodeFile>[] {
  const match = macOf(mac);
  if (match === undefined || (address === undefined && nameservers.length === 0)) {
    return [];
  }
  const networkd = [
    '[Match]',
    `MACAddress=${match}`,
    '[Network]',
    address === undefined ? 'DHCP=yes' : `Address=${address}`,
    ...(gateway === undefined ? [] : [`Gateway=${gateway}`]),
    ...nameservers.map((server) => `DNS=${server}`),
  ];
  const networkManager = [
    '[connection]',
    'id=edge-nodepools',
    'type=ethernet',
    '[ethernet]',
    `mac-address=${match}`,
    ...(['ipv4', 'ipv6'] as const).flatMap((family) => {
      const isOf = (ip: string): boolean => ip.includes(':') === (family === 'ipv6');
      const own = address !== undefined && isOf(address);
      return [
        `[${family}]`,
        // the default of each is DHCP and router advertisements, as networkd has it; a static network has no DHCP
        `method=${own ? 'manual' : family === 'ipv4' && address !== undefined ? 'disabled' : 'auto'}`,
        ...(own ? [`address1=${address}${gateway === undefined ? '' : `,${gateway}`}`] : []),
        ...(nameservers.some(isOf) ? [`dns=${nameservers.filter(isOf).join(';')};`] : []),
      ];
    }),
  ];
  return [
    { path: NETWORKD_FILE, content: `${networkd.join('\n')}\n`, permissions: '0644' },
    // NetworkManager ignores a file that others can read
    { path: NETWORK_MANAGER_FILE, content: `${networkManager.join('\n')}\n`, permissions: '0600' },
  ];
}

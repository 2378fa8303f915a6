import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf, resolve } from 'node:path';
import { artifactsOf, JoinToken } from 'edge-nodepools';
import type { JoinMachine } from 'edge-nodepools/types';
import { declareJoin } from '../../../properties/join-arbitraries.js';
import type { Proof } from '../../harness/group.js';
import { applyIgnition } from '../../harness/ignition.js';

const INIT = resolve(__dirname, '../../harness/network-init.sh');
const MAC = '52:54:00:00:00:01';

/** Networks of machines, and what the interface has then: addresses, gateway, DNS servers. */
const NETWORKS: readonly (readonly [network: Partial<JoinMachine>, has: string])[] = [
  [
    { address: '192.0.2.20/24', gateway: '192.0.2.1', nameservers: ['192.0.2.53', '2001:db8::53'] },
    '192.0.2.20/24\n192.0.2.1\n192.0.2.53\n2001:db8::53\n',
  ],
  [
    { address: '2001:db8::10/64', gateway: 'fe80::1', nameservers: ['2001:db8::53'] },
    '2001:db8::10/64\nfe80::1\n2001:db8::53\n',
  ],
];

/** The network of a machine with Ignition, by the programs that read it. */
export function setsNetworks(proof: Proof): void {
  const kinds = ['networkd', 'NetworkManager'].filter(
    (kind) => kind === 'networkd' || spawnSync('sh', ['-c', `command -v ${kind}`]).status === 0,
  );
  if (kinds.length === 1) {
    proof.note('NetworkManager is skipped, because it is not installed');
  }
  for (const [network, has] of NETWORKS) {
    for (const kind of kinds) {
      const { app } = declareJoin(
        { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' },
        JoinToken.fromFile('/var/lib/edge/join-token'),
        { format: 'ignition', machines: [{ name: 'shop-1', mac: MAC, ...network }] },
      );
      const config = artifactsOf(app).find(({ path }) => path.endsWith('/shop-1.ign'))?.content ?? '';
      const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
      try {
        mkdirSync(pathOf(folder, 'etc'));
        proof.same(`${network.address}: Ignition applies the config`, applyIgnition(config, folder), undefined);
        const { stdout, stderr } = spawnSync(
          'unshare',
          [
            '--mount',
            '--net',
            '--pid',
            '--fork',
            '--kill-child',
            '--propagation',
            'private',
            'sh',
            INIT,
            folder,
            kind,
            MAC,
          ],
          { encoding: 'utf8' },
        );
        proof.same(`${network.address}: ${kind} gives it to the interface, with gateway and DNS`, stdout, has);
        if (stdout !== has) proof.note(stderr.split('\n').slice(-10).join('\n  '));
      } finally {
        rmSync(folder, { recursive: true, force: true });
        rmSync(`${folder}.ign`, { force: true });
      }
    }
  }
}

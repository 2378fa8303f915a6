import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import { SUCCEEDS } from '../../../join/machine-folder.js';
import type { Group } from '../../harness/group.js';
import { SystemdMachine } from '../../harness/systemd-machine.js';
import { Declared } from './declared.js';
import { SimulatedDay } from './simulated-day.js';

export const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const COMMAND = '/usr/local/bin/edge-nodepools-join';

const PASSWORD = '%h:"$x@\\ \'';

/** In place of containerd: writes what systemd has given it. */
const CONTAINERD = `[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/sh -c 'env | grep -i ^https_proxy | sort > /var/lib/containerd-environment; exec sleep infinity'
`;

/** Fails as long as the network is down, and then does what kubelet and kubeadm leave. */
export const KUBEADM = `#!/bin/sh
echo "kubeadm was given ${TOKEN}"
[ -e /var/lib/network-is-up ] || { echo "couldn't validate the identity of the API Server" >&2; exit 1; }
mkdir -p /etc/kubernetes
${SUCCEEDS}
`;

export const joinSystemd: Group = {
  name: 'join-systemd',
  claim:
    'the service of a join is started by the timer of a real systemd, also after a power failure, writes no token into the journal, and removes itself when the node has joined; the runtime gets the password of a proxy from a drop-in',
  programs: 'systemd and its journal, of this machine; kubeadm is a substitute',
  tools: [],
  needs: ['linux', 'root', 'namespaces', 'systemd'],
  run: async (proof) => {
    const machine = new SystemdMachine(mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-')));
    try {
      const { script } = new Declared(`sha256:${'ab'.repeat(32)}`).join(
        JoinToken.fromFile('/var/lib/edge/join-token'),
        {
          service: { secondsBetweenRuns: 10, maxSecondsBetweenRuns: 10 },
          proxy: { httpsProxy: 'http://proxy.example:3128', credentialsFile: '/var/lib/edge/proxy' },
        },
      );
      machine.write('/var/lib/edge/join-token', TOKEN);
      machine.write('/var/lib/edge/proxy', `till:${PASSWORD}\n`);
      machine.write('/usr/local/bin/kubeadm', KUBEADM);
      machine.write('/usr/local/bin/kubelet', '#!/bin/sh\n');
      machine.write('/var/lib/join.sh', script);
      await machine.boot();
      await machine.sh(
        `cat > /etc/systemd/system/containerd.service <<'END'\n${CONTAINERD}END\nsystemctl daemon-reload`,
      );
      const first = await machine.sh('sh /var/lib/join.sh');
      const waits = await machine.sh(`${COMMAND} status`);
      proof.that(
        'the first run fails, and the status says what it waits for',
        first.status === 1 && /waits for an answer of the API server/.test(waits.stdout),
        { first, waits },
      );
      const runtime = await machine.sh(
        'cat /var/lib/containerd-environment; stat -c %a /etc/systemd/system/containerd.service.d/20-*; systemctl show containerd -p ActiveState',
      );
      const encoded = 'http://till:%25h%3A%22%24x%40%5C%20%27@proxy.example:3128';
      proof.same(
        'systemd gives the runtime the proxy with its password, whatever is in it, from a file that only root can read',
        runtime.stdout.split('\n'),
        [`HTTPS_PROXY=${encoded}`, `https_proxy=${encoded}`, '600', 'ActiveState=active', ''],
      );
      const verified = await machine.sh(
        'systemd-analyze verify --man=no edge-nodepools-join.timer edge-nodepools-join.service',
      );
      proof.same('systemd-analyze verify finds nothing in the units', [verified.status, verified.stderr], [0, '']);
      const timer = async (): Promise<string> =>
        (await machine.sh('systemctl is-active edge-nodepools-join.timer')).stdout;
      proof.same('the timer is active', await timer(), 'active\n');

      await machine.cut();
      await machine.boot();
      await proof.eventually(
        'after a power failure the timer of systemd runs it again',
        async () => /\(2 runs since/.test((await machine.sh(`${COMMAND} status`)).stdout),
        40,
      );
      machine.write('/var/lib/network-is-up', '');
      await proof.eventually(
        'and again until the node has joined',
        async () => (await machine.sh(`${COMMAND} status`)).status === 0,
        40,
      );
      await proof.eventually('it removes itself', async () => (await timer()) !== 'active\n', 10);
      const left = await machine.sh(
        'ls /etc/systemd/system /etc/systemd/system/timers.target.wants | grep edge-nodepools',
      );
      proof.same('and its units', left.stdout, '');
      const journal = await machine.sh('journalctl --no-pager -u edge-nodepools-join');
      proof.that(
        'the journal has the output of the runs, without the token and the password of the proxy',
        journal.stdout.includes('kubeadm was given (token)') &&
          !/%25h|%h:/.test(journal.stdout.replaceAll(TOKEN, '%h:')),
        journal,
      );
    } finally {
      await machine.close();
    }
    // by hand: as many seconds as it is told to
    const seconds = Number(process.env.EDGE_NODEPOOLS_SIMULATED_DAY ?? '0');
    if (seconds > 0) {
      const site = new SystemdMachine(mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-')));
      try {
        await new SimulatedDay(proof, site).run(seconds);
      } finally {
        await site.close();
      }
    }
  },
};

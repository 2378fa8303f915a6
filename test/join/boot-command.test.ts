/** What a cloud-config does at boot before its files are written, run by a shell in a separate folder. */
import { rmSync } from 'node:fs';
import { JoinToken } from 'edge-nodepools';
import { parse } from 'yaml';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, JOIN_HOOK, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

(process.platform === 'win32' ? describe.skip : describe)('a boot by cloud-init', () => {
  let machine: Folder;
  beforeEach(() => (machine = new Folder()));
  afterEach(() => rmSync(machine.root, { recursive: true }));

  it('says that it has begun when the next boot would run it: until then, each boot writes its files again', () => {
    const mark = '/var/lib/cloud/instance/sem/edge_nodepools';
    const written = '/var/lib/cloud/instance/sem/config_write_files';
    const { join } = declareJoin(KUBEADM, JoinToken.inline(TOKEN), { attempts: 1 });
    const { bootcmd } = parse(join.userData) as { bootcmd: [[string, string, string]] };
    const boot = (): boolean => {
      machine.write(written, '');
      machine.run(bootcmd[0][2]);
      return machine.has(written);
    };
    expect([boot(), boot()]).toEqual([false, false]);
    machine.program('mv', `[ ! -e ${mark} ] || [ -e ${JOIN_HOOK} ] || echo early >> /run/seen; exec /bin/mv "$@"`);
    machine.program('kubeadm', 'exit 1');
    expect(machine.run(join.script).status).toBe(1);
    expect([machine.has(mark), machine.has(JOIN_HOOK), machine.has('/run/seen'), boot()]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('says at each boot that another cloud-config has replaced all of its lists', () => {
    const instance = '/var/lib/cloud/instance';
    const { random_seed: kept, bootcmd } = parse(declareJoin(KUBEADM, JoinToken.inline(TOKEN)).join.userData) as {
      random_seed: { command: [string, string, string] };
      bootcmd: [unknown];
    };
    expect(kept.command).toEqual(bootcmd[0]);
    const boot = (merged: string) => {
      machine.write(`${instance}/cloud-config.txt`, merged);
      machine.write(`${instance}/sem/config_seed_random`, '');
      const { status, said } = machine.run(kept.command[2]);
      return [status, said, machine.has(`${instance}/sem/config_seed_random`)];
    };
    const lost = [1, expect.stringContaining('other user-data has replaced write_files'), false];
    const other = 'bootcmd: []\nruncmd: []\nwrite_files: []\n';
    expect([boot(other), boot(other)]).toEqual([lost, lost]);
    expect(boot('write_files:\n- path: /var/lib/edge-nodepools/join.sh\n')).toEqual([0, '', false]);
  });
});

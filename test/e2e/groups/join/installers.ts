import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf, resolve } from 'node:path';
import { parse } from 'yaml';
import { JoinToken } from 'edge-nodepools';
import { declareJoin } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';
import { SystemdMachine } from '../../harness/systemd-machine.js';
import { KUBEADM, TOKEN } from './systemd.js';

const PAGE = resolve(__dirname, '../../../../docs/join.md');
const TOKEN_FILE = '/var/lib/edge/join-token';
const UNIT = 'edge-join.service';

/** The commands of the page for each installer, for the new system as the root. */
function commandsOfPage(): Readonly<Record<string, string>> {
  const page = readFileSync(PAGE, 'utf8');
  const [, kickstart = ''] = /^%post --erroronfail\n([^]*?)^%end$/m.exec(page) ?? [];
  const [, yaml = ''] = /^```yaml\n(#cloud-config\nautoinstall:[^]*?)^```$/m.exec(page) ?? [];
  const { autoinstall } = parse(yaml) as { readonly autoinstall: { readonly 'late-commands': readonly string[] } };
  const late = autoinstall['late-commands'].map((line) =>
    line.replace('curtin in-target -- ', '').replaceAll('/target/', '/'),
  );
  return { kickstart, autoinstall: late.join('\n') };
}

async function installs(proof: Proof, name: string, commands: string): Promise<void> {
  const machine = new SystemdMachine(mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-')));
  const ended = async (what: string, wanted: string): Promise<void> =>
    proof.same(`${name}: ${what}`, await machine.ended(UNIT), wanted);
  try {
    const { join } = declareJoin(
      { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' },
      JoinToken.fromFile(TOKEN_FILE),
      { format: 'script', attempts: 1, machines: [{ name: 'shop-0001' }] },
    );
    machine.write('/var/lib/published.sh', join.script);
    machine.write(TOKEN_FILE, TOKEN);
    machine.write('/usr/local/bin/kubeadm', KUBEADM);
    machine.write('/usr/local/bin/kubelet', '#!/bin/sh\n');
    // instead of the server of the page
    machine.write('/usr/local/bin/curl', '#!/bin/sh\n[ "$1 $2" = "-fsS -o" ] && cp /var/lib/published.sh "$3"\n');
    await machine.boot();
    machine.write('/var/lib/commands.sh', commands);
    const ran = await machine.sh('sh -eu /var/lib/commands.sh');
    proof.same(`${name}: the commands of the page run`, ran.status, 0);
    await machine.cut();
    await machine.boot();
    await ended('without a network the unit fails', 'failed exit-code yes');
    machine.write('/var/lib/network-is-up', '');
    await machine.cut();
    await machine.boot();
    await ended('the next boot joins', 'inactive success yes');
    const applied = await machine.sh('grep -x "labels=,shops.example/rack=r1" /var/lib/edge-nodepools/applied');
    proof.same(`${name}: the machine has joined with its labels`, applied.status, 0);
    await machine.cut();
    await machine.boot();
    await ended('the boot after that does not run it', 'inactive success no');
  } finally {
    await machine.close();
  }
}

export const installers: Group = {
  name: 'installers',
  claim:
    'what docs/join.md has for kickstart and autoinstall makes a machine join at a later boot of a real systemd, and after that no more',
  programs: 'systemd of this machine; installers and kubeadm are substitutes',
  tools: [],
  needs: ['linux', 'root', 'namespaces', 'systemd'],
  run: async (proof) => {
    for (const [name, commands] of Object.entries(commandsOfPage())) {
      await installs(proof, name, commands);
    }
  },
};

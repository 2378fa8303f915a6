import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join as pathOf } from 'node:path';
import { artifactsOf, JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { readIgnition } from '../../../join/ignition-files.js';
import { declareJoin } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';
import { applyIgnition, BUTANE, IGNITION_VALIDATE } from '../../harness/ignition.js';
import { SystemdMachine } from '../../harness/systemd-machine.js';
import { setsNetworks } from './machine-networks.js';
import { byButane, ignitionSamples, VARIANTS } from './ignition.js';
import { KUBEADM, TOKEN } from './systemd.js';

const WAY = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const TOKEN_FILE = '/var/lib/edge/join-token';
const UNIT = 'edge-nodepools-boot.service';
const FIRST = '/var/lib/edge-nodepools/first-join.yaml';
const NETWORK = '/var/lib/network-is-up';

/** Each file of a join, as it is below a root: content, mode and owner. */
function seen(root: string, paths: readonly string[]): unknown {
  return paths.map((path) => {
    try {
      const { mode, uid, gid } = statSync(root + path);
      return [path, readFileSync(root + path, 'utf8'), (mode & 0o7777).toString(8), uid, gid];
    } catch (error) {
      return [path, (error as Error).message];
    }
  });
}

/** Ignition writes the files of every join as the other formats do, and replaces those of the image. */
function writesFiles(folder: string, proof: Proof): void {
  for (const [index, { about, join }] of ignitionSamples().entries()) {
    const root = pathOf(folder, `root-${index}`);
    const files = join.files.map((file) => ({ ...file, path: file.path.replace(/^\/run\/.*/, FIRST) }));
    const expected = files.map(({ path, content, permissions }) => [
      path,
      content,
      permissions.replace(/^0+/, ''),
      0,
      0,
    ]);
    const old = pathOf(root, files[0]?.path ?? '');
    mkdirSync(dirname(old), { recursive: true });
    writeFileSync(old, 'of the image', { mode: 0o666 });
    const failure = applyIgnition(join.ignition ?? '', root);
    proof.same(`${about}: Ignition writes every file to the byte, with its mode and owner`, failure, undefined);
    proof.same(
      `${about}: those are the files of the other formats`,
      seen(
        root,
        files.map(({ path }) => path),
      ),
      expected,
    );
    rmSync(root, { recursive: true });
  }
}

/** A machine, and a config of Butane that merges the join: Ignition resolves it. */
function writesMachines(folder: string, proof: Proof): void {
  const { app, join } = declareJoin(WAY, JoinToken.fromFile(TOKEN_FILE), {
    format: 'ignition',
    machines: [{ name: 'shop-1', labels: { rack: 'r1' }, ntp: ['192.0.2.1'] }],
  });
  const [machine] = artifactsOf(app).filter(({ path }) => path === 'join/beijing/shop-1.ign');
  const root = pathOf(folder, 'machine');
  mkdirSync(root);
  proof.same('a machine: Ignition applies its config', applyIgnition(machine?.content ?? '', root), undefined);
  const wanted = readIgnition(machine?.content ?? '').files;
  proof.same(
    'a machine: it has its name, labels and NTP servers, and what all share',
    wanted.map(({ path }) => readFileSync(root + path, 'utf8')),
    wanted.map(({ content }) => content),
  );
  proof.same('a machine: its host name', readFileSync(pathOf(root, 'etc/hostname'), 'utf8'), 'shop-1\n');
  writeFileSync(pathOf(folder, 'join.ign'), join.ignition ?? '');
  for (const [index, [variant]] of VARIANTS.slice(0, 2).entries()) {
    const below = pathOf(folder, `merged-${index}`);
    mkdirSync(below);
    const failure = applyIgnition(byButane(folder, 'join.ign', variant), below);
    const paths = [...join.files.map(({ path }) => path), '/etc/other', `/etc/systemd/system/${UNIT}`];
    proof.that(
      `${variant.replace('\n', ', ')}: Ignition writes the files of both`,
      failure === undefined && paths.every((path) => statSync(below + path, { throwIfNoEntry: false }) !== undefined),
      failure,
    );
  }
}

/** A machine that Ignition has set up with a join, after its first boot with systemd. */
class IgnitionMachine {
  public static async boot(proof: Proof, about: string, token: JoinToken, props: Partial<NodeJoinProps> = {}) {
    const machine = new IgnitionMachine(proof, about);
    const { join } = declareJoin(WAY, token, {
      format: 'ignition',
      attempts: 1,
      postJoinCommands: ['touch /var/lib/joined'],
      ...props,
    });
    const root = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
    proof.same(`${about}: Ignition applies the config`, applyIgnition(join.ignition ?? '', root), undefined);
    // the harness sets up its own systemd in the first boot
    await machine.system.boot();
    await machine.system.cut();
    machine.system.copy(root);
    rmSync(root, { recursive: true });
    rmSync(`${root}.ign`);
    // silent: the journal has what a command prints
    machine.system.write('/usr/local/bin/kubeadm', KUBEADM.replace(/^echo .*\n/m, ''));
    machine.system.write('/usr/local/bin/kubelet', '#!/bin/sh\n');
    await machine.system.boot();
    // systemd itself does this in the first boot of a machine
    const preset = await machine.system.sh(`systemctl preset ${UNIT} && systemctl is-enabled ${UNIT}`);
    proof.same(`${about}: the preset of Ignition enables the unit`, preset.stdout, 'enabled\n');
    return machine;
  }

  public readonly system = new SystemdMachine(mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-')));

  private constructor(
    private readonly proof: Proof,
    private readonly about: string,
  ) {}

  public async reboot(): Promise<void> {
    await this.system.cut();
    await this.system.boot();
  }

  /** What systemd has made of the unit in this boot. */
  public unit(): Promise<string> {
    return this.system.ended(UNIT);
  }

  public async has(claim: string, command: string, expected: string): Promise<void> {
    const { stdout, stderr } = await this.system.sh(command);
    this.proof.same(`${this.about}: ${claim}`, stdout, expected);
    if (stdout !== expected) this.proof.note(stderr);
  }
}

/** An inline token: it is on the disk only until the unit begins. */
async function inlineToken(proof: Proof): Promise<void> {
  const machine = await IgnitionMachine.boot(proof, 'inline token', JoinToken.inline(TOKEN));
  try {
    machine.system.write(NETWORK, '');
    await machine.has(
      'the token is in one file, for root only',
      `stat -c '%a %U' ${FIRST}; grep -rl ${TOKEN} /etc /var/lib`,
      `600 root\n${FIRST}\n`,
    );
    const verified = await machine.system.sh(`systemd-analyze verify --man=no ${UNIT}`);
    proof.same('systemd-analyze verify finds nothing in the unit', [verified.status, verified.stderr], [0, '']);
    await machine.reboot();
    proof.same('inline token: the unit joins', await machine.unit(), 'inactive success yes');
    await machine.has('the commands after the join have run', 'ls /var/lib/joined', '/var/lib/joined\n');
    await machine.has('the token is nowhere', `grep -rl ${TOKEN} /etc /var/lib /run /var/log; ls ${FIRST}`, '');
    await machine.reboot();
    proof.same('inline token: the next boot does not run it', await machine.unit(), 'inactive success no');
  } finally {
    await machine.system.close();
  }
}

/** A token in a file: every boot tries again, until the node has joined. */
async function retries(proof: Proof): Promise<void> {
  const machine = await IgnitionMachine.boot(proof, 'token in a file', JoinToken.fromFile(TOKEN_FILE));
  try {
    machine.system.write(TOKEN_FILE, TOKEN);
    await machine.reboot();
    proof.same('token in a file: without a network the unit fails', await machine.unit(), 'failed exit-code yes');
    machine.system.write(NETWORK, '');
    await machine.reboot();
    proof.same('token in a file: the next boot joins', await machine.unit(), 'inactive success yes');
    await machine.has('the commands after the join have run', 'ls /var/lib/joined', '/var/lib/joined\n');
    await machine.reboot();
    proof.same('token in a file: the boot after that does not run it', await machine.unit(), 'inactive success no');
  } finally {
    await machine.system.close();
  }
}

/** With a service the unit only begins it. */
async function withService(proof: Proof): Promise<void> {
  const machine = await IgnitionMachine.boot(proof, 'with a service', JoinToken.fromFile(TOKEN_FILE), {
    service: { secondsBetweenRuns: 10, maxSecondsBetweenRuns: 10 },
  });
  const status = 'edge-nodepools-join status';
  try {
    machine.system.write(TOKEN_FILE, TOKEN);
    await machine.reboot();
    proof.same('with a service: without a network the first run fails', await machine.unit(), 'failed exit-code yes');
    await machine.has('the timer is active', 'systemctl is-active edge-nodepools-join.timer', 'active\n');
    await machine.has(
      'it finds programs in /opt/bin',
      'systemctl show -p Environment --value edge-nodepools-join.service | grep -c ":/opt/bin$"',
      '1\n',
    );
    await machine.reboot();
    proof.same('with a service: the next boot leaves it to the timer', await machine.unit(), 'inactive success no');
    machine.system.write(NETWORK, '');
    await proof.eventually(
      'with a service: the timer joins',
      async () => (await machine.system.sh(status)).status === 0,
      40,
    );
    await machine.reboot();
    proof.same('with a service: after that no boot runs anything', await machine.unit(), 'inactive success no');
  } finally {
    await machine.system.close();
  }
}

export const ignitionFiles: Group = {
  name: 'ignition-files',
  claim:
    'Ignition writes the files of every join byte for byte as the other formats do, also those of machines, whose network systemd-networkd sets up, and merged by Butane; the unit joins in the first boot of a real systemd, or in a later one, and removes an inline token from the disk',
  programs:
    'ignition 2.14 (stage files), Butane 0.25, systemd and systemd-networkd of this machine, NetworkManager if it is installed; kubeadm is a substitute',
  tools: [IGNITION_VALIDATE, BUTANE],
  needs: ['linux', 'root', 'ignition', 'namespaces', 'systemd', 'iproute2'],
  run: async (proof) => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      writesFiles(folder, proof);
      writesMachines(folder, proof);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    setsNetworks(proof);
    await inlineToken(proof);
    await retries(proof);
    await withService(proof);
  },
};

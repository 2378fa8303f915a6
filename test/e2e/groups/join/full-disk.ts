import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { JoinToken, type NodeJoin, type NodeJoinProps } from 'edge-nodepools';
import { type Folder, JOIN_HOOK, TOKEN } from '../../../join/machine-folder.js';
import { declared, UpdatedNode } from '../../../join/updated-node.js';
import { Folder as Machine } from '../../../join/machine-folder.js';
import type { Group, Proof } from '../../harness/group.js';

const TOKEN_FILE = '/var/lib/edge/join-token';
const FOLDER = '/var/lib/edge-nodepools';
const SERVICE = `${FOLDER}/service.sh`;
const UNITS = '/etc/systemd/system';
const UPDATE_UNIT = `${UNITS}/edge-nodepools-update.service`;

/** By default every seventh amount of free space; by hand every one. */
const STEP = Number(process.env.EDGE_NODEPOOLS_FULL_DISK ?? '7');
/** More than any run needs: the state of the last points is that of a disk with space. */
const ENOUGH = 400;

/** Writes what kubeadm and kubelet write, in their order, ends with the first error as they do, and refuses what kubeadm refuses. */
const KUBEADM = `set -e
[ ! -e /etc/kubernetes/kubelet.conf ] && [ ! -e /etc/kubernetes/pki/ca.crt ]
echo run >> /run/runs
mkdir -p /etc/kubernetes/pki /var/lib/kubelet/pki
echo ${TOKEN} > /etc/kubernetes/bootstrap-kubelet.conf
echo CA > /etc/kubernetes/pki/ca.crt
echo 'kind: KubeletConfiguration' > /var/lib/kubelet/config.yaml
echo 'containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock"' > /var/lib/kubelet/instance-config.yaml
echo 'KUBELET_KUBEADM_ARGS=""' > /var/lib/kubelet/kubeadm-flags.env
pem=/var/lib/kubelet/pki/kubelet-client-current.pem
printf 'current-context: default\\nkind: Config\\nusers:\\n- name: default-auth\\n  user:\\n    client-certificate: %s\\n    client-key: %s\\n' $pem $pem > /etc/kubernetes/kubelet.conf
printf '%s\\n' '-----END CERTIFICATE-----' '-----END EC PRIVATE KEY-----' > $pem
rm /etc/kubernetes/bootstrap-kubelet.conf`;

const JOINED: Partial<NodeJoinProps> = {
  attempts: 1,
  files: [
    { path: '/etc/motd', content: `${'it is a long text\n'.repeat(600)}` },
    { path: '/etc/issue', content: 'short\n', permissions: '0600' },
  ],
  kubeletConfiguration: { maxPods: 20 },
  machineSettings: { sysctl: { 'net.ipv4.tcp_keepalive_time': '601' }, modules: ['loop'] },
  postJoinCommands: ['echo after > /var/lib/edge/after'],
};
const NEXT: Partial<NodeJoinProps> = {
  ...JOINED,
  labels: { site: 'b' },
  files: [{ path: '/etc/motd', content: `${'it is another text\n'.repeat(600)}` }],
  kubeletConfiguration: { maxPods: 30 },
  kubeletExtraArgs: { v: '3' },
};

/** A machine on a small disk: a tmpfs of pages of 4 KiB and of inodes. What is in memory has a place of its own. */
class SmallDisk {
  public readonly machine: Folder;
  private readonly disk = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-disk-'));

  constructor(make: () => Folder) {
    execFileSync('mount', ['-n', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', this.disk]);
    const { TMPDIR } = process.env;
    process.env.TMPDIR = this.disk;
    try {
      this.machine = make();
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    const memory = pathOf(this.machine.root, 'run');
    renameSync(memory, `${memory}-before`);
    mkdirSync(memory);
    execFileSync('mount', ['-n', '-t', 'tmpfs', 'tmpfs', memory]);
    cpSync(`${memory}-before`, memory, { recursive: true });
    rmSync(`${memory}-before`, { recursive: true });
  }

  /** Leaves so many free pages or inodes. */
  public leave(what: 'pages' | 'inodes', count: number): void {
    const format = what === 'pages' ? ['-f', '-c', '%b %f'] : ['-f', '-c', '%c %d'];
    const [all = 0, free = 0] = execFileSync('stat', [...format, this.disk], { encoding: 'utf8' })
      .split(' ')
      .map(Number);
    const limit = all - free + count;
    this.remount(what === 'pages' ? `size=${limit * 4}k` : `nr_inodes=${limit}`);
  }

  public hasSpace(): void {
    this.remount('size=64m,nr_inodes=100000');
  }

  private remount(options: string): void {
    execFileSync('mount', ['-n', '-o', `remount,${options}`, this.disk]);
  }

  /** Every file of the machine with its mode and content, but for what has a time or the number of a run. */
  public get files(): Readonly<Record<string, string>> {
    const { root } = this.machine;
    const all = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^\/(run|bin)(\/|$)/.test(entry.parentPath.slice(root.length)))
      .map((entry) => pathOf(entry.parentPath, entry.name))
      .filter((path) => !/\/edge-nodepools\/(finished|service-status)$/.test(path))
      .sort();
    return Object.fromEntries(
      all.map((path) => [
        path.slice(root.length),
        `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8').replaceAll(root, '')}`,
      ]),
    );
  }

  public close(): void {
    execFileSync('umount', ['-n', '-l', pathOf(this.machine.root, 'run')]);
    execFileSync('umount', ['-n', '-l', this.disk]);
    rmSync(this.disk, { recursive: true });
  }
}

/** One script on a machine whose disk gets full in it. */
interface Case {
  readonly what: string;
  readonly make: () => Folder;
  readonly run: (machine: Folder) => ReturnType<Folder['run']>;
  /** What the machine does by itself at the next boot with space, or undefined if it does nothing, and somebody runs the script again. */
  readonly boot: (machine: Folder) => string | undefined;
  /** What may be on the disk if nothing was changed, for an update. */
  readonly before?: boolean;
}

function newMachine(): Folder {
  const machine = new Machine();
  machine.write(TOKEN_FILE, TOKEN);
  machine.program('kubeadm', KUBEADM);
  for (const name of ['sysctl', 'modprobe']) machine.program(name, 'exit 0');
  machine.program('timedatectl', 'echo yes');
  return machine;
}

/** A machine to which cloud-init has written the files of its join. */
function withFiles(join: NodeJoin): Folder {
  const machine = newMachine();
  for (const { path, content } of join.files) machine.write(path, machine.moved(content));
  machine.write(JOIN_HOOK, machine.moved(`#!/bin/sh\nexec sh ${SERVICE} start\n`));
  return machine;
}

function cases(): Case[] {
  const fromFile = declared({ ...JOINED, token: JoinToken.fromFile(TOKEN_FILE, { removeAfterJoin: true }) });
  const inline = declared(JOINED);
  const service = declared({ ...JOINED, token: JoinToken.fromFile(TOKEN_FILE), service: {} });
  const { updateScript = '' } = declared(NEXT);
  const byHook = (machine: Folder): string | undefined =>
    machine.has(JOIN_HOOK) && machine.has(`${FOLDER}/applied.new`) ? `sh ${FOLDER}/join.sh` : undefined;
  return [
    {
      what: 'a join by script with the token in a file',
      make: newMachine,
      run: (machine) => machine.run(fromFile.script),
      boot: byHook,
    },
    {
      what: 'a join by script with the token in it',
      make: newMachine,
      run: (machine) => machine.run(inline.script),
      // its token is gone
      boot: () => undefined,
    },
    {
      what: 'the first run of the service',
      make: () => withFiles(service),
      run: (machine) => machine.run(`sh ${SERVICE} start`),
      // whichever runs it at a boot
      boot: (machine) => {
        if (machine.has(JOIN_HOOK)) return `sh ${SERVICE} start`;
        const [, command = 'echo no unit; exit 99'] =
          /^ExecStart=\/bin\/(.*)$/m.exec(machine.read(`${UNITS}/edge-nodepools-join.service`)) ?? [];
        return /^OnUnitInactiveSec=/m.test(machine.read(`${UNITS}/edge-nodepools-join.timer`))
          ? command
          : 'echo no timer; exit 99';
      },
    },
    {
      what: 'an update',
      make: () => new UpdatedNode(JOINED),
      run: (machine) => machine.run(updateScript),
      boot: (machine) =>
        machine.has(UPDATE_UNIT) ? (/^ExecStart=\/bin\/(.*)$/m.exec(machine.read(UPDATE_UNIT))?.[1] ?? '') : undefined,
      before: true,
    },
  ];
}

/** A disk that gets full at each file that a join and an update write. */
export const joinFullDisk: Group = {
  name: 'join-full-disk',
  claim:
    'whichever file of a join or an update the disk has no space for, contents or entry: the run ends with an error or has done all of it, no file holds the token, an update changes nothing or says what, and with space the next boot or the next run ends as on an empty disk',
  programs: 'the scripts on a tmpfs of few pages or inodes; kubeadm and kubelet are substitutes',
  tools: [],
  needs: ['linux', 'root'],
  run: (proof) => {
    for (const sample of cases()) {
      const whole = new SmallDisk(sample.make);
      const before = whole.files;
      const { status, said } = sample.run(whole.machine);
      proof.same(`(${sample.what}: with space it succeeds)`, [status, status === 0 ? '' : said], [0, '']);
      const after = whole.files;
      whole.close();
      for (const kind of ['pages', 'inodes'] as const) {
        everyPoint(proof, sample, kind, before, after);
      }
    }
    return Promise.resolve();
  },
};

function everyPoint(
  proof: Proof,
  sample: Case,
  kind: 'pages' | 'inodes',
  before: SmallDisk['files'],
  after: SmallDisk['files'],
): void {
  let [failed, inARow] = [0, 0];
  for (let count = 0; count < ENOUGH && inARow < 3; count += STEP) {
    const disk = new SmallDisk(sample.make);
    const { machine } = disk;
    const at = `${sample.what}, ${count} free ${kind}`;
    disk.leave(kind, count);
    const full = sample.run(machine);
    disk.hasSpace();
    if (full.status === 0) {
      proof.same(`${at}: it has done all of it`, differences(disk.files, after), {});
      inARow++;
    } else {
      failed++;
      inARow = 0;
      proof.same(
        `${at}: the token is only where it was put`,
        machine.whereIsToken().filter((path) => path !== TOKEN_FILE),
        [],
      );
      machine.boot();
      rmSync(`${machine.root}/run/edge-nodepools-join`, { recursive: true, force: true });
      const command = sample.boot(machine);
      if (command !== undefined) {
        const boot = machine.run(command);
        proof.that(`${at}: the next boot with space ends it`, boot.status === 0, { full, boot });
      }
      if (sample.before === true) {
        const now = differences(disk.files, before);
        proof.that(
          `${at}: everything is as before, or as after it`,
          Object.keys(now).length === 0 || Object.keys(differences(disk.files, after)).length === 0,
          { now, full },
        );
      }
      if (command === undefined || sample.before === true) {
        const again = sample.run(machine);
        proof.that(`${at}: the next run with space succeeds`, again.status === 0, { full, again });
      }
      proof.same(`${at}: then it is as on an empty disk`, differences(disk.files, after), {});
    }
    disk.close();
  }
  proof.that(`(${sample.what}: the ${kind} did not suffice ${failed} times)`, failed > 0);
}

/** Files that are not as they should be. */
function differences(seen: SmallDisk['files'], expected: SmallDisk['files']): Readonly<Record<string, unknown>> {
  const paths = [...new Set([...Object.keys(seen), ...Object.keys(expected)])];
  return Object.fromEntries(
    paths.filter((path) => seen[path] !== expected[path]).map((path) => [path, [seen[path], expected[path]]]),
  );
}

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeHttpServerImage } from './container-image.js';
import { containerdConfig, POWER_CUT } from './edge-node.js';
import { KubeadmControlPlane } from './kubeadm-control-plane.js';
import type { Machine } from './machine.js';
import { type Ended, Room } from './room.js';
import { kubernetesTool, pathOf, type Tool } from './tool.js';

const KUBELET = kubernetesTool('kubelet', '1.36');
const SYSTEMCTL = resolve(__dirname, 'systemctl-shim.sh');

const CLOUD_CONFIG = `datasource_list: [NoCloud]
network: {config: disabled}
cloud_init_modules: [seed_random, bootcmd, write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [write-files-deferred, scripts-per-once, scripts-per-boot, scripts-per-instance, scripts-user, final-message]
`;

const WRITE_CUT = resolve(__dirname, 'power-cut.py');

/** The boot of cloud-init. */
const STAGES = ['init --local', 'init', 'modules --mode=config', 'modules --mode=final']
  .map((stage) => `/usr/bin/cloud-init ${stage}`)
  .join('\n');

/** The result of a boot, as reported by cloud-init. */
export interface Boot {
  /** Exit status of `cloud-init status`. */
  readonly status: number;
  /** Output of `cloud-init status --long`. */
  readonly said: string;
  /** Output of everything that ran. */
  readonly output: string;
}

/** User-data of several parts. */
export function multiPart(parts: readonly (readonly [type: string, content: string])[]): string {
  const boundary = '=====edge=====';
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n`,
    ...parts.map(
      ([type, content]) =>
        `--${boundary}\nContent-Type: ${type}; charset="utf-8"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content).toString('base64')}\n`,
    ),
    `--${boundary}--\n`,
  ].join('\n');
}

/** A machine with cloud-init, containerd, kubelet and kubeadm, which has never been a node. */
export class CloudMachine {
  public static readonly TOOLS: readonly Tool[] = [KUBELET];

  public static async open(machine: Machine, name: string, folder: string, logs: string): Promise<CloudMachine> {
    const room = await Room.open(machine, name, folder, logs);
    const cloud = new CloudMachine(room, machine.cgroup);
    await cloud.install();
    return cloud;
  }

  private boots = 0;

  private constructor(
    public readonly room: Room,
    private readonly cgroup: string,
  ) {}

  private async install(): Promise<void> {
    const { room } = this;
    const bin = join(room.folder, 'bin');
    mkdirSync(bin);
    copyFileSync(SYSTEMCTL, join(bin, 'systemctl'));
    // SystemVerification is the one check that a machine with control groups of version 1 cannot pass
    const kubeadm = KubeadmControlPlane.program('kubeadm');
    writeFileSync(
      join(bin, 'kubeadm'),
      `#!/bin/sh\n[ "$1" != join ] || set -- "$@" --ignore-preflight-errors=SystemVerification\nexec ${kubeadm} "$@"\n`,
    );
    chmodSync(join(bin, 'systemctl'), 0o755);
    chmodSync(join(bin, 'kubeadm'), 0o755);
    symlinkSync(pathOf(KUBELET), join(bin, 'kubelet'));
    room.preferPrograms(bin);
    await room.write('/etc/containerd/config.toml', containerdConfig('/var/lib/containerd', '/etc/cni/net.d'));
    await room.write('/etc/cloud/cloud.cfg.d/99-test.cfg', CLOUD_CONFIG);
    const [image] = await Promise.all([writeHttpServerImage(room.folder), this.startContainerd()]);
    await room.must('ctr', ['-n', 'k8s.io', 'images', 'import', image]);
  }

  /** Ends every process of kubelet, containerd, yurthub and containers at once, as a power cut does, and what is in memory goes. */
  public async powerCut(): Promise<void> {
    await this.room.must('sh', [POWER_CUT, this.cgroup]);
  }

  /** Starts containerd, as a boot does. */
  public async startContainerd(): Promise<void> {
    const containerd = this.room.start('containerd', 'containerd', []);
    await containerd.ready(async () => (await this.room.run('ctr', ['version'])).status === 0);
  }

  /** Boots with a user-data; to cloud-init, another instance-id is another machine. */
  public async boot(userData: string, instanceId: string): Promise<Boot> {
    await this.seed(userData, instanceId);
    return this.reboot();
  }

  private async seed(userData: string, instanceId: string): Promise<void> {
    await this.room.write('/var/lib/cloud/seed/nocloud/user-data', userData, '0600');
    await this.room.write('/var/lib/cloud/seed/nocloud/meta-data', `instance-id: ${instanceId}\n`);
  }

  /** Boots with a seed folder, file by file. */
  public async bootSeed(files: Readonly<Record<string, string>>): Promise<Boot> {
    await this.room.sh('rm -rf /var/lib/cloud/seed/nocloud');
    for (const [name, content] of Object.entries(files)) {
      await this.room.write(`/var/lib/cloud/seed/nocloud/${name}`, content, '0600');
    }
    return this.reboot();
  }

  /**
   * Boots again. Everything in memory is lost.
   *
   * @param cutAfter number of writes after which the power fails
   */
  public async reboot(cutAfter?: number): Promise<Boot> {
    const { room } = this;
    this.boots += 1;
    await room.sh(
      'systemctl stop kubelet; rm -rf /run/cloud-init /run/edge-nodepools; : > /var/log/cloud-init-output.log',
    );
    // what systemd starts early: what clears up after a join that was cut off, then an enabled kubelet
    await room.sh(
      '[ ! -e /etc/tmpfiles.d/edge-nodepools.conf ] || systemd-tmpfiles --boot --remove /etc/tmpfiles.d/edge-nodepools.conf; [ ! -s /etc/kubernetes/kubelet.conf ] || systemctl start kubelet',
    );
    const output = await (cutAfter === undefined ? this.stages() : this.cutCommands(STAGES, cutAfter));
    const { status, stdout } = await room.run('/usr/bin/cloud-init', ['status', '--long']);
    const log = await room.sh('cat /var/log/cloud-init-output.log');
    return { status, said: stdout, output: output + log.stdout };
  }

  private async stages(): Promise<string> {
    const { stdout, stderr } = await this.room.sh(STAGES, 900);
    return stdout + stderr;
  }

  /** The same, with every process killed after the n-th write. */
  private async cutCommands(commands: string, count: number, then = ''): Promise<string> {
    const calls =
      'openat,write,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,symlink,symlinkat,chmod,fchmod,fchmodat,sync,fsync,fdatasync';
    const cut = `|/usr/bin/python3 -u ${WRITE_CUT} ${count} ${then}`;
    await this.room.run(
      'strace',
      [
        '-f',
        '-y',
        '-qq',
        '-e',
        `trace=${calls}`,
        '-e',
        'signal=none',
        '-s',
        '0',
        '-o',
        cut,
        'sh',
        '-c',
        `${commands}\nkill -KILL $PPID`,
      ],
      120,
    );
    return '';
  }

  /** Boots with a user-data, and the power fails after the n-th write; the write, or undefined if there are fewer. */
  public async cutBoot(userData: string, instanceId: string, count: number): Promise<string | undefined> {
    await this.seed(userData, instanceId);
    await this.room.sh('rm -f /run/cut');
    await this.reboot(count);
    const { status, stdout } = await this.room.sh('cat /run/cut');
    return status === 0 ? stdout : undefined;
  }

  /** Runs commands, and the power fails after the n-th write: what was written since the last sync is empty. Then kubelet starts with the boot. The write, or undefined if there are fewer. */
  public async cut(commands: string, count: number): Promise<string | undefined> {
    await this.room.sh('rm -f /run/cut');
    await this.cutCommands(commands, count, 'empty');
    const { status, stdout } = await this.room.sh(
      'cat /run/cut; status=$?; rm -rf /run/edge-nodepools; systemctl stop kubelet; systemctl start kubelet; exit $status',
    );
    return status === 0 ? stdout : undefined;
  }

  /** Files and command lines that contain a text. */
  public whereIs(text: string): string[] {
    const found: string[] = [];
    const holds = (file: string): boolean => {
      try {
        return readFileSync(file).includes(text);
      } catch {
        // deleted, or not readable
        return false;
      }
    };
    const visit = (path: string): void => {
      for (const entry of readdirSync(this.room.outside(path), { withFileTypes: true })) {
        const inside = `${path}/${entry.name}`;
        if (entry.isDirectory()) {
          // images and containers are large, and do not contain such texts
          if (!inside.startsWith('/var/lib/containerd/')) visit(inside);
        } else if (entry.isFile() && holds(this.room.outside(inside))) {
          found.push(inside);
        }
      }
    };
    ['/etc', '/run', '/var/lib', '/var/log'].forEach(visit);
    const processes = readdirSync(this.room.outside('/proc')).filter((name) => /^\d+$/.test(name));
    for (const file of processes.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`])) {
      if (holds(this.room.outside(file))) found.push(file);
    }
    return found.sort();
  }

  public sh(line: string): Promise<Ended> {
    return this.room.sh(line);
  }
}

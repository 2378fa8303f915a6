import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EtcdMemberFiles } from 'edge-nodepools/control-plane';
import { Program } from './program.js';
import { type Ended, Room } from './room.js';
import { ETCD, ETCDCTL, ETCDUTL, pathOf, type Tool } from './tool.js';

const CLIENT = { cacert: 'ca.crt', cert: 'peer.crt', key: 'peer.key' };

/** Of etcd.service, beside the loop that starts it. */
const SYSTEMCTL = `#!/bin/sh
case "$*" in
  'stop etcd.service') touch /run/off; pkill -f '^/bin/sh /usr/local/sbin/edge-etcd ready'; pkill -x openssl; while pkill -r R,S,D -x etcd; do sleep 0.2; done ;;
  'start --no-block etcd.service') rm -f /run/off ;;
esac
exit 0
`;

/** Machines with a network of their own, and a block device each, as a cloud has them. They end with the test process. */
export class EtcdSite {
  public static readonly TOOLS: readonly Tool[] = [ETCD, ETCDCTL, ETCDUTL];

  public static async start(): Promise<EtcdSite> {
    const site = new EtcdSite(mkdtempSync(join(tmpdir(), 'edge-nodepools-etcd-')));
    await site.wire.ready(() => Promise.resolve(existsSync(join(site.folder, 'wired'))));
    return site;
  }

  private readonly wire: Program;
  private readonly programs: Program[] = [];
  private readonly loops: string[] = [];
  private links = 0;

  private constructor(public readonly folder: string) {
    mkdirSync(join(folder, 'logs'));
    const lines = `ip link add wire type bridge && ip link set wire up && touch ${folder}/wired && exec sleep infinity`;
    this.wire = this.begin('wire', 'unshare', ['--net', 'sh', '-c', lines]);
  }

  public get logs(): string {
    return join(this.folder, 'logs');
  }

  private begin(name: string, command: string, args: readonly string[]): Program {
    const program = new Program({ name, command, args, logs: this.logs });
    this.programs.push(program);
    return program;
  }

  /** A machine at an address, with the programs of etcd. */
  public async machine(name: string, address: string): Promise<Room> {
    const start = (...given: [string, string, readonly string[]]): Program => this.begin(...given);
    const place = { start, address, isOwn: true };
    const link = `port${++this.links}`;
    const room = await Room.openAt(place, name, join(this.folder, `${name}-${link}`), this.logs);
    const wire = ['-t', String(this.wire.pid), '-n'];
    must('nsenter', [...wire, ...`ip link add ${link} type veth peer name eth0 netns ${room.init}`.split(' ')]);
    must('nsenter', [...wire, ...`ip link set ${link} master wire up`.split(' ')]);
    await room.must('sh', ['-c', `ip address add ${address}/24 dev eth0 && ip link set eth0 up`]);
    for (const tool of EtcdSite.TOOLS) {
      // another user cannot read the cache
      const path = `/usr/local/sbin/${tool.name}`;
      await room.must('sh', ['-c', `touch ${path} && mount -n --bind ${pathOf(tool)} ${path}`]);
    }
    await room.write('/usr/local/sbin/systemctl', '#!/bin/sh\necho "$*" >> /run/systemctl.log\n', '0755');
    room.preferPrograms('/usr/local/sbin');
    return room;
  }

  /** A blank volume; the path of its device. */
  public volume(name: string, megabytes: number): string {
    const file = join(this.folder, `${name}.img`);
    writeFileSync(file, '');
    truncateSync(file, megabytes * 1024 * 1024);
    const device = must('losetup', ['--find', '--show', file]).trim();
    this.loops.push(device);
    return device;
  }

  /** Ends everything; the logs stay if they are wanted. */
  public async stop({ keepLogs = false } = {}): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop('SIGKILL')));
    this.loops.forEach((device) => spawnSync('losetup', ['--detach', device]));
    if (!keepLogs) {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

function must(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  }
  return stdout;
}

/** A member of an etcd cluster on a machine: its own script, its own unit, with the commands of the unit as systemd runs them. */
export class EtcdHost {
  private program?: Program;

  constructor(
    public readonly room: Room,
    public readonly files: EtcdMemberFiles,
  ) {}

  /** Runs the script of the member, as on a machine without cloud-init. */
  public async install(): Promise<Ended> {
    await this.room.write('/run/member.sh', this.files.script, '0700');
    return this.room.run('sh', ['/run/member.sh']);
  }

  /** Attaches a volume under the path of the member's device. */
  public async attach(device: string, path: string): Promise<void> {
    // a loop device that is newer than the room
    const node = `[ -b ${device} ] || mknod ${device} b 7 ${device.replace(/\D/g, '')}`;
    await this.room.must('sh', ['-c', `{ ${node}; } && mkdir -p "$(dirname ${path})" && ln -sf ${device} ${path}`]);
  }

  /** Copies certificates to the machine. */
  public async trust(folder: string): Promise<void> {
    await this.room.must('mkdir', ['-p', '/etc/etcd/pki']);
    for (const file of ['ca.crt', 'server.crt', 'server.key', 'peer.crt', 'peer.key']) {
      copyFileSync(join(folder, file), this.room.outside(`/etc/etcd/pki/${file}`));
    }
  }

  private commandOf(key: string): string {
    const unit = readFileSync(this.room.outside('/etc/systemd/system/etcd.service'), 'utf8');
    return new RegExp(`^${key}=\\+?(.*)$`, 'm').exec(unit)?.[1] ?? '';
  }

  /** What systemd runs before each start. It may wait for the other members. */
  public guard(seconds = 170): Promise<Ended> {
    return this.room.sh(`timeout ${seconds} ${this.commandOf('ExecStartPre')}`);
  }

  /** Starts etcd as systemd does: the guard, then the program as the user of the unit. */
  public async start(prefix: readonly string[] = [], seconds?: number): Promise<Ended> {
    const ready = await this.guard(seconds);
    if (ready.status === 0) {
      const user = ['setpriv', '--reuid=etcd', '--regid=etcd', '--init-groups'];
      const [command = '', ...args] = [...prefix, ...user, ...this.commandOf('ExecStart').split(' ')];
      this.program = this.room.start('etcd', command, args);
    }
    return ready;
  }

  /** Boots: from now on systemd starts etcd, and starts it again after a second (not ten), unless `edge-etcd` stops it. */
  public async boot(): Promise<void> {
    await this.room.write('/usr/local/sbin/systemctl', SYSTEMCTL, '0755');
    const command = `setpriv --reuid=etcd --regid=etcd --init-groups ${this.commandOf('ExecStart')}`;
    const once = `${this.commandOf('ExecStartPre')} 2>>/run/journal && { while [ -e /run/hold ]; do sleep 0.2; done; [ -e /run/off ] || ${command}; }`;
    this.program = this.room.start('systemd', 'sh', [
      '-c',
      `rm -f /run/off; while :; do [ -e /run/off ] || { ${once}; }; sleep 1; done`,
    ]);
  }

  /** The power is cut: every process ends at once. */
  public async cutPower(): Promise<void> {
    await this.room.sh('kill -KILL -1');
    await this.program?.stop('SIGKILL');
    await this.room.sh('rm -f /run/journal');
  }

  /** Whether the power is on: systemd runs. */
  public async isOn(): Promise<boolean> {
    return (await this.room.sh("pgrep -f '^sh -c rm -f /run/off'")).status === 0;
  }

  /** What `edge-etcd ready` has said since the machine booted. */
  public async journal(): Promise<string> {
    return (await this.room.sh('cat /run/journal')).stdout;
  }

  public async runs(): Promise<boolean> {
    return (await this.room.sh('pgrep -r R,S,D -x etcd')).status === 0;
  }

  /** Ends etcd: politely, or as a power cut does. */
  public async stop(signal: 'TERM' | 'KILL' = 'TERM'): Promise<void> {
    await this.room.sh(`pkill -${signal} -x etcd; while pgrep -x etcd >/dev/null; do sleep 0.05; done`);
    await this.program?.stop('SIGKILL');
  }

  /** What etcd wrote since the machine is up. */
  public wholeLog(): string {
    return this.program === undefined ? '' : readFileSync(this.program.logFile, 'utf8');
  }

  public log(): string {
    return this.program?.tail(60) ?? '';
  }

  /** Runs `edge-etcd`. */
  public tool(...args: readonly string[]): Promise<Ended> {
    return this.room.run('/usr/local/sbin/edge-etcd', args);
  }

  /** Runs etcdctl at this member only. */
  public ctl(...args: readonly string[]): Promise<Ended> {
    const pki = Object.entries(CLIENT).map(([flag, file]) => `--${flag}=/etc/etcd/pki/${file}`);
    return this.room.run('etcdctl', [...pki, '--endpoints=https://127.0.0.1:2379', ...args]);
  }

  /** All keys below a prefix. A read that fails, as of a busy machine, says nothing of what is there, and is tried again. */
  public async keys(prefix: string): Promise<ReadonlySet<string>> {
    const read = ['get', prefix, '--prefix', '--keys-only', '--consistency=l', '--command-timeout=20s'];
    for (let attempt = 1; ; attempt++) {
      const { status, stdout, stderr } = await this.ctl(...read);
      if (status === 0) {
        return new Set(stdout.split('\n').filter((line) => line !== ''));
      }
      if (attempt === 10) {
        throw new Error(`${this.files.name} cannot read ${prefix}: ${stderr}`);
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  public async isHealthy(): Promise<boolean> {
    return (await this.ctl('endpoint', 'health')).status === 0;
  }
}

/** Starts etcd once `edge-etcd` tells systemd to, also if that is the last that it does. */
export async function startsWhenAsked(host: EtcdHost, run: Promise<unknown>): Promise<void> {
  let ended = false;
  void run.finally(() => (ended = true));
  const isAsked = async (): Promise<boolean> =>
    (await host.room.sh('grep -q "start --no-block etcd" /run/systemctl.log')).status === 0;
  for (;;) {
    const wasLast = ended;
    if (await isAsked()) {
      await host.start();
      return;
    }
    if (wasLast) {
      return;
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Ends a program that writes as fast as it can, in its machine: a signal does not reach it from outside. */
export async function endWriter(host: EtcdHost, writer: Program): Promise<void> {
  await host.room.sh("pkill -f '[a]cknowledged'");
  await writer.stop();
}

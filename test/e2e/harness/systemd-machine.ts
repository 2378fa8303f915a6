import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Ended } from './room.js';

const INIT = resolve(__dirname, 'systemd-init.sh');
const GROUPS = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup'];

/** A machine with the real systemd and its journal, and no other programs than those of this machine. */
export class SystemdMachine {
  private readonly group: string;
  private root?: ChildProcess;
  private init = '';

  constructor(public readonly folder: string) {
    const parent = GROUPS.find((path) => existsSync(join(path, 'cgroup.procs'))) ?? '';
    this.group = join(parent, `edge-nodepools-${process.pid}-systemd`);
  }

  public async boot(): Promise<void> {
    mkdirSync(this.group, { recursive: true });
    rmSync(join(this.folder, 'up'), { force: true });
    const line = `echo $$ > ${this.group}/cgroup.procs; exec unshare --mount --uts --net --ipc --pid --cgroup --fork --kill-child --mount-proc --propagation private sh ${INIT} ${this.folder}`;
    this.root = spawn('sh', ['-c', line], { stdio: 'ignore' });
    await this.until(() => existsSync(join(this.folder, 'up')));
    const { pid } = this.root;
    this.init = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    for (let attempt = 0; (await this.sh('systemctl is-active multi-user.target')).stdout !== 'active\n'; attempt++) {
      if (attempt > 100) {
        throw new Error(`systemd does not start: ${(await this.sh('systemctl list-units --all')).stdout}`);
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  private async until(holds: () => boolean): Promise<void> {
    for (let attempt = 0; !holds(); attempt++) {
      if (attempt > 100) {
        throw new Error('systemd does not start');
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** The power fails. */
  public async cut(): Promise<void> {
    const { root, init } = this;
    if (root === undefined) {
      return;
    }
    const ended = new Promise((done) => root.once('exit', done));
    process.kill(Number(init), 'SIGKILL');
    await ended;
    this.root = undefined;
  }

  public sh(line: string): Promise<Ended> {
    const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
    const args = ['-t', this.init, '-m', '-u', '-n', '-i', '-p', '--', 'sh', '-c', line];
    return new Promise((done) => {
      execFile('nsenter', args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
        done({ status: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
      });
    });
  }

  /** Writes a file that survives a boot, below /etc, /var/lib or /usr/local/bin, before or between boots. */
  public write(path: string, content: string): void {
    const file = join(this.folder, path.replace(/^\/(var\/|usr\/local\/)?/, ''));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }

  /**
   * What systemd has made of a unit in this boot, when it is done with it: its state, its result, and whether its conditions were met, for example
   * `inactive success yes`.
   */
  public async ended(unit: string, seconds = 40): Promise<string> {
    const line = `systemctl list-jobs --plain --no-legend | grep -F ' ${unit} ' || { systemctl is-active ${unit}; systemctl show --value -p ConditionResult -p Result ${unit}; }`;
    for (let attempt = 0; ; attempt++) {
      const said = (await this.sh(line)).stdout.trim().split('\n').join(' ');
      if (/^(inactive|failed) /.test(said) || attempt > seconds * 5) {
        return said;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  /** Copies /etc and /var/lib of a root folder, with modes and owners, between boots. */
  public copy(root: string): void {
    for (const [from, to] of [
      ['etc', 'etc'],
      ['var/lib', 'lib'],
    ] as const) {
      if (existsSync(join(root, from))) {
        execFileSync('cp', ['-a', `${join(root, from)}/.`, join(this.folder, to)]);
      }
    }
  }

  public async close(): Promise<void> {
    await this.cut();
    // a control group is busy for a moment after its last process has ended
    for (let attempt = 0; attempt < 50 && existsSync(this.group); attempt++) {
      await new Promise((done) =>
        execFile('find', [this.group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'], done),
      );
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

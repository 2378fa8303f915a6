import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Machine } from './machine.js';
import { Program } from './program.js';

const INIT = resolve(__dirname, 'room-init.sh');

/** The result of a command. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a room is: who starts its first process, its address, and whether its network, processes and devices are its own. */
export interface RoomPlace {
  readonly start: (name: string, command: string, args: readonly string[]) => Program;
  readonly address: string;
  readonly isOwn?: boolean;
}

/**
 * A part of a {@link Machine} with its own host name, /etc, /run, /var/lib and /var/log; network and processes are those of the
 * machine. So a control plane and a node can run side by side, each like on its own system. It is removed with the machine.
 */
export class Room {
  public static async open(machine: Machine, name: string, folder: string, logs: string): Promise<Room> {
    return Room.openAt({ start: (...given) => machine.start(...given), address: Machine.ADDRESS }, name, folder, logs);
  }

  /** Opens a room anywhere. One with its own network is like a machine: it has no interface but loopback yet. */
  public static async openAt(place: RoomPlace, name: string, folder: string, logs: string): Promise<Room> {
    mkdirSync(folder, { recursive: true });
    const own = place.isOwn === true ? ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'] : [];
    const init = place.start(`room-${name}`, 'unshare', [
      ...['--mount', '--uts', ...own, '--propagation', 'private'],
      ...['sh', INIT, folder, name, place.address, ...(place.isOwn === true ? ['own'] : [])],
    ]);
    await init.ready(() => Promise.resolve(existsSync(join(folder, 'up'))));
    return new Room(name, folder, logs, childOf(init.pid));
  }

  private path = '/usr/sbin:/usr/bin:/sbin:/bin';

  private constructor(
    public readonly name: string,
    /** A folder outside of it, for its files. */
    public readonly folder: string,
    private readonly logs: string,
    /** Its first process, for this machine. */
    public readonly init: string,
  ) {}

  /** Programs in this folder take precedence over those of the machine. */
  public preferPrograms(folder: string): void {
    this.path = `${folder}:${this.path}`;
  }

  /** Starts a program; it ends with the machine. */
  public start(name: string, command: string, args: readonly string[]): Program {
    return new Program({
      name: `${this.name}-${name}`,
      command: 'nsenter',
      args: this.entering(command, args),
      logs: this.logs,
      env: this.environment(),
    });
  }

  /** Runs a program to its end; a failure is a result, not an error. */
  public async run(command: string, args: readonly string[] = [], seconds = 180, input?: string): Promise<Ended> {
    return new Promise((done) => {
      const child = execFile(
        'nsenter',
        this.entering(command, args),
        { env: this.environment(), maxBuffer: 64 * 1024 * 1024, timeout: seconds * 1000 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          done({ status: code, stdout, stderr });
        },
      );
      if (input !== undefined) child.stdin?.end(input);
    });
  }

  /** Like {@link Room.run}, but a failure is an error. */
  public async must(command: string, args: readonly string[] = [], seconds = 180, input?: string): Promise<string> {
    const { status, stdout, stderr } = await this.run(command, args, seconds, input);
    if (status !== 0) {
      throw new Error(`${command} ${args.join(' ')} in ${this.name}: ${status}\n${stdout}${stderr}`);
    }
    return stdout;
  }

  /** Runs a shell command. */
  public sh(line: string, seconds = 180): Promise<Ended> {
    return this.run('sh', ['-c', line], seconds);
  }

  /** Writes a file in the room. */
  public async write(path: string, content: string, mode = '0644'): Promise<void> {
    // by the input: a token in an argument would be found by the search for it
    const line = 'mkdir -p "$(dirname "$1")" && rm -f "$1" && (umask 077; cat > "$1") && chmod "$2" "$1"';
    await this.must('sh', ['-c', line, 'sh', path, mode], 180, content);
  }

  /** The beginning of a command line that runs a program in the room. */
  public get entrance(): string[] {
    const variables = Object.entries(this.environment()).map(([name, value]) => `${name}=${value}`);
    return ['nsenter', ...this.entering('env', ['-i', ...variables])];
  }

  /** A path of the room for this process. */
  public outside(path: string): string {
    return `/proc/${this.init}/root${path}`;
  }

  private entering(command: string, args: readonly string[]): string[] {
    return ['-t', this.init, '-m', '-u', '-n', '-i', '-p', '--', command, ...args];
  }

  private environment(): NodeJS.ProcessEnv {
    return { PATH: this.path, HOME: '/root', LANG: 'C.UTF-8' };
  }
}

function childOf(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] ?? '';
}

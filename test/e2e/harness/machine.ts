import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Program } from './program.js';

const KEEPER = resolve(__dirname, 'machine.sh');
const RELAY = resolve(__dirname, 'relay.mjs');

/** What a {@link Machine} needs to be started. */
export interface MachineProps {
  readonly name: string;
  /** A separate folder, which is created and removed with the machine. */
  readonly folder: string;
  /** Folder for the logs of its programs; it is not removed. */
  readonly logs: string;
  /** A port of this machine's 127.0.0.1 that is forwarded to the same port of the machine's 127.0.0.1. */
  readonly port: number;
}

/** The response of an HTTP server. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * A small machine inside this one, with separate mounts, processes, host name, network and control group, so that a kubelet in it changes nothing
 * here. It is removed with the test process, also if that is killed.
 */
export class Machine {
  /** Of the documentation range; it exists only in the machine's own network. */
  public static readonly ADDRESS = '192.0.2.10';

  /** Starts a machine without programs. Needs root, `unshare`, `nsenter` and `ip`. */
  public static async start(props: MachineProps): Promise<Machine> {
    const machine = new Machine(props);
    try {
      await machine.boot();
    } catch (error) {
      await machine.stop();
      throw error;
    }
    return machine;
  }

  /** Its own control group, as a kubelet's cgroupRoot. */
  public readonly cgroup: string;
  private readonly logFile: string;
  private readonly keeper: ChildProcess;
  private readonly ended: Promise<number | null>;
  private readonly programs: Program[] = [];
  private readonly sockets = new Map<number, Promise<string>>();
  private init = '';

  private constructor(private readonly props: MachineProps) {
    const { name, folder, logs, port } = props;
    mkdirSync(folder);
    this.cgroup = `/edge-nodepools-${process.pid}-${name}`;
    this.logFile = join(logs, `${name}-machine.log`);
    const log = openSync(this.logFile, 'a');
    // a separate session, so that Ctrl-C does not reach it and it can clean up; its standard input closes when this process ends
    this.keeper = spawn('sh', [KEEPER, folder, this.cgroup, Machine.ADDRESS, String(port), process.execPath], {
      detached: true,
      stdio: ['pipe', log, log],
      env: this.environment(),
    });
    closeSync(log);
    this.ended = new Promise((done) => {
      this.keeper.on('exit', done);
      this.keeper.on('error', () => done(1));
    });
  }

  private async boot(): Promise<void> {
    const { folder, port } = this.props;
    const reach = join(folder, 'reach.sock');
    for (let waited = 0; !existsSync(join(folder, 'up')) || !existsSync(reach); waited += 50) {
      if (waited > 20_000) {
        throw new Error(`the machine ${this.props.name} does not start:\n${readFileSync(this.logFile, 'utf8')}`);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
    const root = childrenOf(this.keeper.pid).find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'unshare\n');
    this.init = childrenOf(Number(root))[0] ?? '';
    this.start('reach', process.execPath, [RELAY, String(port), reach]);
  }

  /** Starts a program in the machine; it ends with the machine. */
  public start(name: string, command: string, args: readonly string[]): Program {
    const program = new Program({
      name: `${this.props.name}-${name}`,
      command: 'nsenter',
      args: this.entering(command, args),
      logs: this.props.logs,
      env: this.environment(),
    });
    this.programs.push(program);
    return program;
  }

  /** Runs a program in the machine to its end; a failure is an error. */
  public async run(command: string, args: readonly string[]): Promise<string> {
    return (await promisify(execFile)('nsenter', this.entering(command, args), { env: this.environment() })).stdout;
  }

  /** Sends a request to an HTTP server on the machine's 127.0.0.1; an error if nothing listens. */
  public async get(port: number, path = '/'): Promise<HttpAnswer> {
    const socketPath = await (this.sockets.get(port) ?? this.open(port));
    return new Promise((done, fail) => {
      get({ socketPath, path, agent: false, headers: { host: 'localhost' } }, (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (body += chunk));
        answer.on('end', () => done({ status: answer.statusCode ?? 0, body }));
        answer.on('error', fail);
      }).on('error', fail);
    });
  }

  private open(port: number): Promise<string> {
    const socket = join(this.props.folder, `open-${port}.sock`);
    const inside = this.start(`open-${port}`, process.execPath, [RELAY, socket, String(port)]);
    const opened = inside.ready(() => Promise.resolve(existsSync(socket))).then(() => socket);
    this.sockets.set(port, opened);
    return opened;
  }

  private entering(command: string, args: readonly string[]): string[] {
    return ['-t', this.init, '-m', '-u', '-n', '-i', '-p', '--', command, ...args];
  }

  private environment(): NodeJS.ProcessEnv {
    // no proxy, no shims of language managers: the environment of an installed machine
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    return { PATH, HOME: this.props.folder, TMPDIR: this.props.folder, LANG: 'C.UTF-8' };
  }

  /** Ends everything in the machine and removes its control groups and its folder. */
  public async stop(): Promise<void> {
    this.keeper.stdin?.end();
    const status = await this.ended;
    await Promise.all(this.programs.map((program) => program.stop('SIGKILL')));
    if (status !== 0) {
      throw new Error(`the machine ${this.props.name} is not removed:\n${readFileSync(this.logFile, 'utf8')}`);
    }
  }
}

function childrenOf(pid: number | undefined): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const running = new Set<Program>();

/** What a program needs to be started. */
export interface ProgramProps {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Folder for its log. */
  readonly logs: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** A program that runs during the tests. It is stopped by its own pid: by `stop`, or when the test process ends for any reason. */
export class Program {
  public readonly logFile: string;
  private readonly name: string;
  private readonly child: ChildProcess;
  private exit: Promise<void>;
  private ended = false;

  constructor({ name, command, args, logs, env, cwd }: ProgramProps) {
    this.name = name;
    this.logFile = join(logs, `${name}.log`);
    const log = openSync(this.logFile, 'a');
    this.child = spawn(command, args, { stdio: ['ignore', log, log], env: env ?? process.env, cwd });
    closeSync(log);
    this.exit = new Promise((done) => {
      const end = (): void => {
        this.ended = true;
        running.delete(this);
        done();
      };
      this.child.on('exit', end);
      this.child.on('error', end);
    });
    running.add(this);
  }

  /** Whether it has ended, by itself or stopped. */
  public get hasEnded(): boolean {
    return this.ended;
  }

  public get pid(): number | undefined {
    return this.child.pid;
  }

  /** Waits until a check succeeds; fails if the program ends before, with the end of its log. */
  public async ready(check: () => Promise<boolean>, seconds = 60): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (Date.now() < deadline) {
      if (this.ended) {
        throw new Error(`${this.name} ended:\n${this.tail()}`);
      }
      if (await check().catch(() => false)) {
        return;
      }
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`${this.name} is not ready after ${seconds} s:\n${this.tail()}`);
  }

  public tail(lines = 30): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** Terminates the program, and kills it after a while. */
  public async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.ended) {
      return;
    }
    this.child.kill(signal);
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.exit;
    clearTimeout(late);
  }

  /** Kills the program at once; for the end of the test process, where nothing can be awaited. */
  public kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** Stops every program when the test process ends for any reason. To be called once, by the runner. */
export function stopProgramsAtExit(): void {
  process.on('exit', () => running.forEach((program) => program.kill()));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(130));
  }
}

/** Free ports of 127.0.0.1, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** CPU time of a process so far, in milliseconds: of all its threads, in nanoseconds in the kernel (Linux, Documentation/scheduler/sched-stats). */
export function cpuTimeOf(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`;
  const spent = readdirSync(tasks).map((task) => {
    try {
      return Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
    } catch {
      // a thread that has ended meanwhile
      return 0;
    }
  });
  return spent.reduce((sum, one) => sum + one, 0) / 1e6;
}

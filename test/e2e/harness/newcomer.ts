import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageRegistry } from './package-registry.js';

/** How a program has ended, and what it has printed. */
export interface Said {
  readonly status: number | null;
  readonly text: string;
}

/** A user with the packed package, who makes projects in one folder. */
export class Newcomer {
  private readonly running = new Set<ChildProcess>();
  public readonly folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-projects-'));
  public readonly registry = PackageRegistry.open(this.folder);
  private readonly bin = join(this.folder, 'tool', 'node_modules', '.bin');

  /** Runs a program in a folder below the user's. */
  public async run(folder: string, command: string, ...args: readonly string[]): Promise<Said> {
    const { url } = await this.registry;
    const { NO_PROXY = '', no_proxy = NO_PROXY, PATH = '' } = process.env;
    const direct = [...no_proxy.split(',').filter(Boolean), '127.0.0.1'].join(',');
    const child = spawn(command, args, {
      cwd: join(this.folder, folder),
      env: {
        // nothing that npm run tells its children
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name))),
        PATH: `${this.bin}:${PATH}`,
        NO_PROXY: direct,
        no_proxy: direct,
        npm_config_registry: url,
        pnpm_config_registry: url,
        npm_config_prefer_offline: 'true',
        pnpm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        npm_config_update_notifier: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.running.add(child);
    let text = '';
    [child.stdout, child.stderr].forEach((stream) => stream.on('data', (data: Buffer) => (text += data.toString())));
    const status = await new Promise<number | null>((done) => {
      child.on('error', (error) => {
        text += error.message;
        done(null);
      });
      child.on('close', done);
    });
    this.running.delete(child);
    return { status, text };
  }

  public read(...path: readonly string[]): string {
    const file = join(this.folder, ...path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  public write(text: string, ...path: readonly string[]): void {
    writeFileSync(join(this.folder, ...path), text, { mode: 0o755 });
  }

  /** The package that a project uses, without links. */
  public packageOf(project: string): string {
    return realpathSync(join(this.folder, project, 'node_modules', 'edge-nodepools'));
  }

  public async close(): Promise<void> {
    this.running.forEach((child) => child.kill('SIGKILL'));
    (await this.registry).close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

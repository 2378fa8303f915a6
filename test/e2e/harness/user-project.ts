import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { helmShell } from './helm.js';
import { installPackage } from './installed-package.js';
import type { Tool } from './tool.js';

const CHART = resolve(__dirname, '..', 'programs', 'chart');
const PAGE = resolve(__dirname, '..', '..', '..', 'docs', 'post-render.md');

/** How a shell has ended, and what it has written. */
export interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The shell blocks of the page, by heading. */
function documented(): Map<string, string[]> {
  const sections = readFileSync(PAGE, 'utf8').split(/^#+ /m);
  return new Map(
    sections.map((section) => [
      section.split('\n', 1)[0] as string,
      [...section.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block as string),
    ]),
  );
}

/** A project of a user: the installed package, a chart with hooks, and the documented commands in a shell. Not synchronous: fake kubelets are in this process. */
export class UserProject {
  private readonly blocks = documented();
  public readonly folder: string;

  constructor(private readonly plane: ControlPlane) {
    this.folder = join(plane.folder, 'project');
    mkdirSync(this.folder);
    installPackage(this.folder);
    cpSync(CHART, join(this.folder, 'chart'), { recursive: true });
  }

  /** A documented block, word for word, in another namespace. */
  public documented(tool: Tool, namespace: string, heading: string, index = 0): Promise<Said> {
    const block = this.blocks.get(heading)?.[index];
    if (block === undefined) {
      throw new Error(`${PAGE} has no shell block ${index} below ${heading}`);
    }
    return this.sh(tool, block.replace(/namespace web\b/g, `namespace ${namespace}`));
  }

  public sh(tool: Tool, script: string): Promise<Said> {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: this.folder,
      env: { ...helmShell(this.plane, tool), npm_config_offline: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    return new Promise((done) => child.on('close', (code) => done({ status: code ?? 1, stdout, stderr })));
  }

  public async must(tool: Tool, script: string): Promise<string> {
    const { status, stdout, stderr } = await this.sh(tool, script);
    if (status !== 0) {
      throw new Error(`${script}: ${stderr}`);
    }
    return stdout;
  }

  public write(path: string, text: string | Buffer): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  public get chart(): string {
    return join(this.folder, 'chart');
  }
}

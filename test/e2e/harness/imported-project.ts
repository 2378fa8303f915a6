import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { shellOf } from './kubectl.js';
import { objectsIn } from './openyurt.js';

const ROOT = resolve(__dirname, '..', '..', '..');

/** A cdk8s project that the command `import` of the built package has written, as its user runs it. */
export class ImportedProject {
  /** What the command has printed. */
  public readonly report: string;

  private constructor(
    private readonly plane: ControlPlane,
    public readonly folder: string,
    input: string,
    given: readonly string[],
  ) {
    mkdirSync(dirname(folder), { recursive: true });
    const args = ['import', input, '--out', folder, ...given];
    const { status, stdout, stderr } = spawnSync('node', [join(ROOT, 'bin', 'edge-nodepools.js'), ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) {
      throw new Error(`edge-nodepools ${args.join(' ')}: ${stdout}${stderr}`);
    }
    this.report = stdout;
    mkdirSync(join(folder, 'node_modules'));
    for (const name of ['cdk8s', 'constructs']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    symlinkSync(ROOT, join(folder, 'node_modules', 'edge-nodepools'));
  }

  /**
   * Imports objects.
   *
   * @param given options of the command
   */
  public static of(plane: ControlPlane, name: string, input: string, given: readonly string[]): ImportedProject {
    return new ImportedProject(plane, join(plane.folder, name), input, given);
  }

  /** Runs the program, with the secrets that the commands of its README.md read from the cluster. */
  public synth(): void {
    const readme = readFileSync(join(this.folder, 'README.md'), 'utf8');
    const secrets = readme.match(/^(?:umask |kubectl ).*\n/gm) ?? [];
    const tsx = `${process.execPath} ${join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs')}`;
    const run = `${tsx} main.ts\n${secrets.length === 0 ? '' : `${tsx} main-secrets.ts`}`;
    const { status, stderr } = spawnSync('bash', ['-ec', `${secrets.join('')}${run}`], {
      cwd: this.folder,
      encoding: 'utf8',
      env: shellOf(this.plane),
    });
    if (status !== 0) {
      throw new Error(`the program in ${this.folder}: ${stderr}`);
    }
  }

  /** What `import --compare` says of a later dump. */
  public compared(input: string): { readonly status: number | null; readonly stdout: string } {
    const args = [join(ROOT, 'bin', 'edge-nodepools.js'), 'import', input, '--compare', this.folder];
    const { status, stdout, stderr } = spawnSync('node', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    return { status, stdout: `${stdout}${stderr}` };
  }

  /** The folder of the whole objects. */
  public get dist(): string {
    return join(this.folder, 'dist');
  }

  /** The folder of parts of objects, for server-side apply; undefined if the program has none. */
  public get patches(): string | undefined {
    const folder = join(this.dist, 'patches');
    return existsSync(folder) ? folder : undefined;
  }

  /** The folder of what has secrets; undefined if the program has none. */
  public get secrets(): string | undefined {
    const folder = join(this.dist, 'secrets');
    return existsSync(folder) ? folder : undefined;
  }

  /** The whole objects that the program makes. */
  public made(): any[] {
    return [...objectsBelow(this.dist), ...(this.secrets === undefined ? [] : objectsBelow(this.secrets))];
  }

  /** The parts of objects that the program makes. */
  public parts(): any[] {
    return this.patches === undefined ? [] : objectsBelow(this.patches);
  }

  /** The source files of the program. */
  public sources(): Record<string, string> {
    const files = readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      // from which dump it is says another file
      .filter((file) => /\.(ts|json|yaml)$/.test(file) && !/^(node_modules|dist|imported-from)/.test(file))
      .sort();
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(this.folder, file), 'utf8')]));
  }
}

function objectsBelow(folder: string): any[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.k8s.yaml'))
    .flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')));
}

/** Writes objects to a file, as `kubectl get --output=yaml` prints them. */
export function dumped(plane: ControlPlane, name: string, objects: readonly any[]): string {
  const file = join(plane.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return existsSync(file) ? file : '';
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { UpgradePlan } from '../../src/adopt/upgrade-plan.js';

/** The folder that the command writes for a plan, with programs that answer as a cluster would: bodies of shell scripts, run in the folder. */
export class PlanFolder {
  public readonly path = mkdtempSync(join(tmpdir(), 'upgrade-'));

  public constructor(plan: UpgradePlan, programs: Readonly<Record<string, string>>) {
    for (const { path, content } of plan.files) {
      this.write(path, content);
    }
    for (const [name, body] of Object.entries(programs)) {
      this.write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >>calls\n${body}\n`, 0o755);
    }
  }

  /** Writes a file, from which a program answers. */
  public write(path: string, content: string, mode?: number): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), content, { mode });
  }

  /** Text of a file; undefined if it does not exist. */
  public read(path: string): string | undefined {
    return existsSync(join(this.path, path)) ? readFileSync(join(this.path, path), 'utf8') : undefined;
  }

  /** Runs words of a shell, and returns what the programs were called with. */
  public sh(words: string): { readonly status: number | null; readonly said: string; readonly calls: string[] } {
    this.write('calls', '');
    const { status, stdout, stderr } = spawnSync('sh', ['-c', words], {
      cwd: this.path,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${this.path}/bin:${process.env.PATH}`, OPENYURT_CHART: this.path },
    });
    const calls = (this.read('calls') ?? '').split('\n').filter((line) => line !== '');
    return { status, said: `${stdout}${stderr}`, calls };
  }

  public remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import { HELM_3, helmShell } from '../../harness/helm.js';
import { chartFolder } from '../../harness/openyurt.js';
import { tryScript } from '../../harness/script.js';
import { versionOf, yurtManagerTool } from '../../harness/tool.js';
import type { AnyYurtManager } from '../../harness/yurt-manager.js';
import { dump, KINDS, plan, scriptsIn } from './fleet.js';

/** A plan, with the environment in which its scripts run. */
export class Upgrade {
  public readonly out: string;
  private readonly env: NodeJS.ProcessEnv;

  public constructor(
    private readonly plane: ControlPlane,
    from: AnyYurtManager,
    private readonly to: AnyYurtManager,
  ) {
    this.out = join(plane.folder, `back-${from}-${to}-${Date.now()}`);
    const release = from === to ? to : versionOf(yurtManagerTool(to)).replace(/^v/, '');
    const args = [`--from=${from}`, `--to=${release}`, '--kubernetes=1.30', `--out=${this.out}`];
    const { code, said } = plan([`--dump=${dump(plane, KINDS)}`, ...args]);
    if (code !== 0) {
      throw new Error(said);
    }
    this.env = {
      ...helmShell(plane, HELM_3),
      OPENYURT_CHART: chartFolder(to),
      OPENYURT_CHART_BEFORE: chartFolder(from),
    };
  }

  public get steps(): string[] {
    return scriptsIn(this.out).map((file) => file.replace(/^.*\/\d\d-|\.sh$/g, ''));
  }

  /** Runs a step, and returns its exit code and what it said. */
  public async step(id: string, word: string, more: NodeJS.ProcessEnv = {}, look?: () => Promise<void>) {
    const file = scriptsIn(this.out).find((path) => path.endsWith(`-${id}.sh`)) as string;
    return tryScript(this.plane, file, { args: [word], env: { ...this.env, ...more }, look });
  }

  public async must(id: string, word: string): Promise<void> {
    const { status, said } = await this.step(id, word);
    if (status !== 0) {
      throw new Error(`${id} ${word} to ${this.to}: ${said}`);
    }
  }

  public async confirm(name: string) {
    return tryScript(this.plane, join(this.out, 'upgrade.sh'), { args: ['--done', name], env: this.env });
  }
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeNodePool, EdgeWarnings, HostNetworkNodePool } from 'edge-nodepools';
import { main } from '../../../../src/app/command/main.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { shellOf } from '../../harness/kubectl.js';
import { type ScriptRun, tryScript } from '../../harness/script.js';
import { crdsThatConvertAt, YurtManager, type YurtManagerRelease } from '../../harness/yurt-manager.js';

const POOLS = 50;

/** The pools of a fleet, half of them host-network pools, as the library writes them for a release. */
export function poolsOf(openYurt: string, kubernetes: string): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  for (let index = 0; index < POOLS; index++) {
    const poolName = `site-${String(index).padStart(2, '0')}`;
    const site = { labels: { site: poolName }, taints: [{ key: 'edge', effect: 'NoSchedule' as const }] };
    const Pool = index % 2 === 0 ? HostNetworkNodePool : EdgeNodePool;
    new Pool(chart, poolName, { cluster, poolName, ...site });
  }
  return Testing.synth(chart);
}

/** A dump as docs/upgrade.md has it. */
export function dump(plane: ControlPlane, kinds: readonly string[]): string {
  const folder = mkdtempSync(join(plane.folder, 'dump-'));
  for (const kind of kinds) {
    const { status, stdout, stderr } = plane.kubectl(['get', kind, '--all-namespaces', '--output=yaml']);
    if (status !== 0) {
      throw new Error(stderr);
    }
    writeFileSync(join(folder, `${kind}.yaml`), stdout);
  }
  return folder;
}

/** Runs the command. */
export function plan(args: readonly string[]): { readonly code: number; readonly said: string } {
  let said = '';
  const print = (text: string): void => void (said += text);
  return { code: main(['upgrade', ...args], { stdin: () => '', stdout: print, stderr: print }), said };
}

/** The folder of a chart: its CustomResourceDefinitions, which convert at the port of this machine. */
export function chartOf(plane: ControlPlane, release: YurtManagerRelease, port: number): string {
  const chart = join(plane.folder, `chart-${release}`);
  mkdirSync(join(chart, 'crds'), { recursive: true });
  for (const crd of crdsThatConvertAt(release, '127.0.0.1', port)) {
    writeFileSync(join(chart, 'crds', `${crd.metadata.name}.json`), JSON.stringify(crd));
  }
  return chart;
}

const DEPLOYMENT = '/apis/apps/v1/namespaces/kube-system/deployments/yurt-manager';

/** The Deployment of yurt-manager as its chart installs it; the program itself runs beside the API server. */
export async function installDeployment(plane: ControlPlane, version: string): Promise<void> {
  const labels = { app: 'yurt-manager' };
  await plane.apply(
    [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'yurt-manager', namespace: 'kube-system' },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'yurt-manager', image: `openyurt/yurt-manager:v${version}` }] },
          },
        },
      },
    ],
    'helm',
  );
  const { metadata } = await plane.api.must('GET', DEPLOYMENT);
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  await plane.api.must(
    'PATCH',
    `${DEPLOYMENT}/status`,
    { status: { ...counts, observedGeneration: metadata.generation } },
    { contentType: 'application/merge-patch+json' },
  );
}

/** yurt-manager, and a `helm upgrade` that replaces it by the one of another release. */
export class Installation {
  private asked = 0;

  private constructor(
    private readonly plane: ControlPlane,
    public manager: YurtManager,
    private readonly bin: string,
  ) {}

  public static async start(plane: ControlPlane, release: YurtManagerRelease): Promise<Installation> {
    const manager = await YurtManager.start(plane, release);
    await installDeployment(plane, `${release}.0`);
    const bin = join(plane.folder, 'bin');
    mkdirSync(bin);
    // asks this process, and waits for its answer
    writeFileSync(
      join(bin, 'helm'),
      `#!/bin/sh\n[ "$1" != history ] || exec echo '[{"revision":1,"status":"deployed"}]'\necho "$*" >"${bin}/asked.part" && mv "${bin}/asked.part" "${bin}/asked.$$"\nuntil test -e "${bin}/answered.$$"; do sleep 0.1; done\n`,
      { mode: 0o755 },
    );
    return new Installation(plane, manager, bin);
  }

  /** What helm was asked, as often as it was. */
  public get upgrades(): number {
    return this.asked;
  }

  /** Runs a script of the plan. */
  public async run(file: string, chart: string, release: YurtManagerRelease, run: ScriptRun = {}) {
    const env = { PATH: `${this.bin}:${shellOf(this.plane).PATH}`, OPENYURT_CHART: chart };
    return tryScript(this.plane, file, { ...run, env, look: () => this.answer(chart, release) });
  }

  private async answer(chart: string, release: YurtManagerRelease): Promise<void> {
    const names = readdirSync(this.bin);
    const asked = names.find((name) => /^asked\.\d+$/.test(name) && !names.includes(name.replace('asked', 'answered')));
    if (asked === undefined) {
      return;
    }
    const answered = join(this.bin, asked.replace('asked', 'answered'));
    const command = readFileSync(join(this.bin, asked), 'utf8').trim();
    const version = /image\.tag=v(\S+)/.exec(command)?.[1] ?? '';
    const expected = `upgrade yurt-manager ${chart} --namespace kube-system --reset-then-reuse-values --set image.tag=v${version}`;
    if (command !== expected || !version.startsWith(`${release}.`)) {
      throw new Error(`helm ${command}`);
    }
    this.asked += 1;
    await this.manager.stop();
    this.manager = await YurtManager.start(this.plane, release, { installsCrds: false });
    await installDeployment(this.plane, version);
    writeFileSync(answered, '');
  }
}

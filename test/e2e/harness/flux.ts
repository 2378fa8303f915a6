import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { objectsIn } from './openyurt.js';
import { freePorts, Program } from './program.js';
import { pathOf, sourcesOf, type Tool } from './tool.js';

export const SOURCE_CONTROLLER: Tool = {
  name: 'source-controller',
  module: 'source-controller-1.9',
  package: 'github.com/fluxcd/source-controller',
};
export const KUSTOMIZE_CONTROLLER: Tool = {
  name: 'kustomize-controller',
  module: 'kustomize-controller-1.9',
  package: 'github.com/fluxcd/kustomize-controller',
};

export const FLUX_TOOLS: readonly Tool[] = [SOURCE_CONTROLLER, KUSTOMIZE_CONTROLLER];

export const FLUX_NAMESPACE = 'flux-system';
const KUSTOMIZATIONS = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${FLUX_NAMESPACE}/kustomizations`;
const SOURCES = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${FLUX_NAMESPACE}`;

/** The state of a Kustomization. */
export interface KustomizationState {
  readonly name: string;
  /** Status of its condition Ready, `Unknown` while it is reconciled. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  /** Commit or digest that is applied; empty if none is. */
  readonly applied: string;
}

/** The CRDs of the controllers. */
export function fluxCrds(): any[] {
  return FLUX_TOOLS.flatMap((tool) => {
    const folder = join(sourcesOf(tool), 'config', 'crd', 'bases');
    return readdirSync(folder).flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')));
  });
}

/** The two controllers of Flux that deliver from Git, with the CRDs of their modules, as the administrator of a control plane. */
export class Flux {
  /**
   * Starts them, and waits until they are ready.
   *
   * @param dependencies how often a Kustomization looks at those on which it depends. The controller has 30 s; with 2 s a thousand that wait leave it no time
   */
  public static async start(plane: ControlPlane, env: NodeJS.ProcessEnv, dependencies = '2s'): Promise<Flux> {
    await plane.applyCrds(fluxCrds());
    await plane.ensureNamespace(FLUX_NAMESPACE);
    const flux = new Flux(plane, env, dependencies);
    await flux.run();
    return flux;
  }

  private programs: Program[] = [];

  private constructor(
    private readonly plane: ControlPlane,
    private readonly env: NodeJS.ProcessEnv,
    private readonly dependencies: string,
  ) {}

  private async run(): Promise<void> {
    const ports = await freePorts(5);
    const [artifacts, ...others] = ports.map((port) => `127.0.0.1:${port}`) as [string, ...string[]];
    const storage = join(this.plane.folder, 'flux-artifacts');
    mkdirSync(storage, { recursive: true });
    await this.start(SOURCE_CONTROLLER, others.slice(0, 2), [
      `--storage-path=${storage}`,
      `--storage-addr=${artifacts}`,
      `--storage-adv-addr=${artifacts}`,
    ]);
    await this.start(KUSTOMIZE_CONTROLLER, others.slice(2), [`--requeue-dependency=${this.dependencies}`]);
  }

  private async start(tool: Tool, [metrics, health]: readonly string[], flags: readonly string[]): Promise<void> {
    const temporary = join(this.plane.folder, `tmp-${tool.name}`);
    mkdirSync(temporary, { recursive: true });
    const program = new Program({
      name: tool.name,
      command: pathOf(tool),
      args: [
        '--enable-leader-election=false',
        '--watch-all-namespaces=true',
        `--metrics-addr=${metrics}`,
        `--health-addr=${health}`,
        ...flags,
      ],
      logs: join(this.plane.folder, 'logs'),
      env: {
        ...process.env,
        ...this.env,
        KUBECONFIG: this.plane.kubeconfig,
        RUNTIME_NAMESPACE: FLUX_NAMESPACE,
        TMPDIR: temporary,
      },
    });
    this.programs.push(program);
    await program.ready(async () => (await fetch(`http://${health}/readyz`)).ok);
  }

  /** The state of each Kustomization. */
  public async states(): Promise<KustomizationState[]> {
    const { items } = await this.plane.api.must('GET', KUSTOMIZATIONS);
    return (items as any[]).map(({ metadata, status }) => {
      const condition = (status?.conditions ?? []).find(({ type }: any) => type === 'Ready') ?? {};
      return {
        name: metadata.name as string,
        ready: condition.status ?? '',
        reason: condition.reason ?? '',
        message: condition.message ?? '',
        applied: (status?.lastAppliedRevision ?? '').replace(/^.*sha(1|256):/, ''),
      };
    });
  }

  /** Lets the source be read now. */
  public async fetch(name: string, kind: 'gitrepositories' | 'ocirepositories' = 'gitrepositories'): Promise<void> {
    await this.reconcile(`${SOURCES}/${kind}/${name}`);
  }

  /** Lets a Kustomization be reconciled now, and waits until that has happened. */
  public async apply(name: string): Promise<void> {
    await this.reconcile(`${KUSTOMIZATIONS}/${name}`);
  }

  public async remove(name: string): Promise<void> {
    await this.plane.api.must('DELETE', `${KUSTOMIZATIONS}/${name}`);
  }

  /** What `flux reconcile` does. */
  private async reconcile(path: string): Promise<void> {
    const requested = new Date().toISOString();
    await this.plane.api.must(
      'PATCH',
      path,
      { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requested } } },
      { contentType: 'application/merge-patch+json' },
    );
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { status } = await this.plane.api.must('GET', path);
      if (status?.lastHandledReconcileAt === requested) {
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(`${path} is not reconciled: ${JSON.stringify(status)}`);
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  /** Resident memory of a controller at its highest, in MiB. */
  public peakMemory(): number[] {
    return this.programs.map(({ pid }) => {
      const kib = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return Math.round(Number(kib) / 1024);
    });
  }

  public async stop(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
  }
}

import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shell } from '../../../src/preconditions/shell-parts.js';
import { type ControlPlane, toolsOf } from './control-plane.js';
import type { Proof } from './group.js';
import { helm, HELM_3, helmShell } from './helm.js';
import { onControlPlane } from './on-control-plane.js';
import { chartFolder } from './openyurt.js';
import { freePorts, Program } from './program.js';
import { pathOf, type Tool, versionOf, yurtManagerTool } from './tool.js';

/** The releases whose yurt-manager is built. */
export type YurtManagerRelease = '1.4' | '1.5' | '1.7';

/** Those and 1.6, of which a machine can have a checkout. */
export type AnyYurtManager = YurtManagerRelease | '1.6';

/** Minor of the API server for the yurt-manager of a release. */
export const KUBERNETES_OF: Readonly<Record<YurtManagerRelease, string>> = {
  '1.4': '1.30',
  '1.5': '1.30',
  '1.7': '1.36',
};

/** Settings of a yurt-manager. */
export interface YurtManagerProps {
  /** Webhook configurations that are applied over the chart's, by force, before yurt-manager starts.
   * @default - the chart's */
  readonly webhooks?: readonly any[];
  /** Field manager of these webhook configurations.
   * @default e2e */
  readonly fieldManager?: string;
  /** Values of the chart, as `--set` has them.
   * @default - only the controller of NodePools runs, with its webhooks; an empty map for the chart's own */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether the scheduler runs, too.
   * @default false */
  readonly scheduler?: boolean;
}

const ONLY_NODE_POOLS = { controllers: 'nodepool' };

const NAMESPACE = 'kube-system';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const DEPLOYMENT = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/yurt-manager`;
const SERVICE = 'yurt-manager-webhook-service';

/** The programs that {@link YurtManager} needs. */
export const yurtManagerTools = (release: AnyYurtManager): Tool[] => [yurtManagerTool(release), HELM_3];

/**
 * yurt-manager as a user installs it: Helm with the unmodified chart of a release, webhooks and conversion through the Service of the chart, and
 * the rights of the chart's ServiceAccount.
 *
 * In place of the Deployment's controller, kubelet and the Pod network it starts the program that the image of the Deployment names, with the
 * arguments of its Pod; the new one before the old one ends, as in a rolling update. The ports are free ones of this machine, and the Endpoints
 * of the Service lead there.
 */
export class YurtManager {
  /** Installs the chart of a release with Helm, or upgrades to it, starts its yurt-manager, and waits until its webhooks answer. */
  public static async start(
    plane: ControlPlane,
    release: AnyYurtManager,
    { webhooks = [], fieldManager, values = ONLY_NODE_POOLS }: YurtManagerProps = {},
  ): Promise<YurtManager> {
    const chart = chartFolder(release);
    const isUpgrade = (await plane.api.send('GET', DEPLOYMENT)).status === 200;
    // Helm installs CustomResourceDefinitions that are missing, and never changes one
    const applied = plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', join(chart, 'crds')]);
    if (applied.status !== 0) {
      throw new Error(applied.stderr);
    }
    plane.api.forgetKinds();
    const set = Object.entries({ 'image.tag': versionOf(yurtManagerTool(release)), ...values });
    await helm(plane, [
      ...['upgrade', '--install', 'yurt-manager', chart, '--namespace', NAMESPACE, '--reset-then-reuse-values'],
      ...set.flatMap(([name, value]) => ['--set', `${name}=${value.replaceAll(',', '\\,')}`]),
    ]);
    if (isUpgrade) {
      // those of the yurt-manager that was stopped
      await plane.api.must('DELETE', PODS, undefined, {
        query: { labelSelector: 'app.kubernetes.io/name=yurt-manager' },
      });
      await restoreWebhooks(plane);
    }
    await plane.apply(webhooks, fieldManager, { force: true });
    const manager = new YurtManager(plane);
    await manager.restart();
    return manager;
  }

  /** How long the program of an earlier Pod runs after the new one is ready; kubelet gives it up to 30,000. */
  public lingersMs = 3_000;
  private runs: { readonly program: Program; readonly release: AnyYurtManager; readonly port: number } | undefined;
  private pods: readonly string[] = [];
  private started = 0;
  private generation = 0;
  private loop: Promise<void> | undefined;
  private stopped = false;

  private constructor(private readonly plane: ControlPlane) {}

  /** The release that runs, or ran last. */
  public get release(): AnyYurtManager {
    return this.current.release;
  }

  /** The port at which its webhooks are served. */
  public get port(): number {
    return this.current.port;
  }

  private get current() {
    if (this.runs === undefined) {
      throw new Error('yurt-manager has never run');
    }
    return this.runs;
  }

  /** Starts the program again with the objects of an earlier run, like a Deployment after its Pod ended. */
  public async restart(): Promise<void> {
    await this.stop();
    this.stopped = false;
    await this.rollOut();
    await this.current.program.ready(() => this.answers());
    this.loop = this.watch();
  }

  /** Follows the Deployment, as its controller does, and starts the program again that has ended by itself, as kubelet does. */
  private async watch(): Promise<void> {
    while (!this.stopped) {
      const { status, body } = await this.plane.api.send('GET', DEPLOYMENT).catch(() => ({ status: 0, body: {} }));
      const changed = status === 200 && body.metadata.generation !== this.generation;
      if (changed || (status === 200 && this.current.program.hasEnded)) {
        // while the API server restarts, the next round tries again
        await this.rollOut().catch(() => undefined);
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  /** Starts what the Deployment says, and ends what ran before once the new one is ready. */
  private async rollOut(): Promise<void> {
    const { metadata, spec } = await this.plane.api.must('GET', DEPLOYMENT);
    this.generation = metadata.generation;
    const [container] = spec.template.spec.containers;
    const release = /:v?(\d+\.\d+)\.\d+$/.exec(container.image as string)?.[1] as AnyYurtManager;
    const before = this.runs?.program;
    const [webhook, metrics, health] = (await freePorts(3)) as [number, number, number];
    this.started += 1;
    const name = `yurt-manager-${this.started}-${release}`;
    const certificates = join(this.plane.folder, `${name}-certificates`);
    mkdirSync(certificates, { recursive: true });
    const ports: Readonly<Record<string, string>> = {
      '--metrics-addr': `127.0.0.1:${metrics}`,
      '--health-probe-addr': `127.0.0.1:${health}`,
      '--webhook-port': String(webhook),
    };
    const program = new Program({
      name,
      command: pathOf(yurtManagerTool(release)),
      args: container.args.map((arg: string) => {
        const [flag = ''] = arg.split('=');
        return flag in ports ? `${flag}=${ports[flag]}` : arg;
      }),
      logs: join(this.plane.folder, 'logs'),
      env: {
        ...process.env,
        KUBECONFIG: await this.kubeconfigOf(spec.template.spec.serviceAccountName as string),
        WEBHOOK_PORT: String(webhook),
        WEBHOOK_CERT_DIR: certificates,
      },
    });
    try {
      await program.ready(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
    } catch (error) {
      await program.stop();
      await this.report([{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }]);
      if (before === undefined) {
        throw error;
      }
      return;
    }
    this.runs = { program, release, port: webhook };
    const podsBefore = this.pods;
    this.pods = [await this.createPod(name, spec.template)];
    await this.lead(webhook);
    await this.report([{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }]);
    if (before !== undefined && !before.hasEnded) {
      // as a Pod that was told to end: the rollout is over, and the API server is still connected to it
      await new Promise((done) => setTimeout(done, this.lingersMs));
      await before.stop();
    }
    for (const pod of podsBefore) {
      await this.plane.api.send('DELETE', `${PODS}/${pod}`);
    }
  }

  /** The Pod of a program, for those who ask whether an earlier one has ended. No scheduler of the test binds it. */
  private async createPod(name: string, template: any): Promise<string> {
    const pod = name.replaceAll('.', '-');
    await this.plane.api.send('DELETE', `${PODS}/${pod}`);
    await this.plane.api.must('POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod, labels: template.metadata.labels },
      spec: { ...template.spec, schedulerName: 'end-to-end-test' },
    });
    return pod;
  }

  /** A kubeconfig with a token of the ServiceAccount, as a Pod has it. */
  private async kubeconfigOf(serviceAccount: string): Promise<string> {
    const { status } = await this.plane.api.must(
      'POST',
      `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${serviceAccount}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86400 } },
    );
    return this.plane.kubeconfigWith('yurt-manager', status.token as string);
  }

  /** What the Deployment's controller reports of its one Pod. */
  private async report(conditions: readonly any[]): Promise<void> {
    const isUp = conditions.every(({ status }) => status === 'True');
    const available = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' };
    await this.plane.api.must(
      'PATCH',
      `${DEPLOYMENT}/status`,
      {
        status: {
          observedGeneration: this.generation,
          replicas: isUp ? 1 : 2,
          updatedReplicas: 1,
          readyReplicas: 1,
          availableReplicas: 1,
          conditions: [...conditions, available],
        },
      },
      { contentType: 'application/merge-patch+json' },
    );
  }

  /** The Endpoints and the EndpointSlice of the Service, as their controllers write them for a Pod with this port. */
  private async lead(port: number): Promise<void> {
    const address = ownAddress();
    const metadata = { name: SERVICE, namespace: NAMESPACE };
    const ports = [{ name: 'https', port, protocol: 'TCP' }];
    await this.plane.apply(
      [
        { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: [{ addresses: [{ ip: address }], ports }] },
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { ...metadata, labels: { 'kubernetes.io/service-name': SERVICE } },
          addressType: 'IPv4',
          endpoints: [{ addresses: [address], conditions: { ready: true } }],
          ports,
        },
      ],
      'endpoint-controller',
      { force: true },
    );
  }

  /** Waits until its webhooks answer: it ends when it loses its lease, for example while the API server is down, and is started again. */
  public async ready(): Promise<void> {
    const deadline = Date.now() + 60_000;
    while (this.current.program.hasEnded || !(await this.answers())) {
      if (Date.now() > deadline) {
        throw new Error(`yurt-manager does not answer:\n${this.current.program.tail()}`);
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  /** Whether the API server reaches the NodePool webhooks and the conversion of old versions. */
  private async answers(): Promise<boolean> {
    const { status, body } = await this.plane.api.send(
      'POST',
      '/apis/apps.openyurt.io/v1alpha1/nodepools',
      { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'NodePool', metadata: { name: 'probe' }, spec: {} },
      { query: { dryRun: 'All' } },
    );
    return status === 201 && body.spec.type === 'Edge';
  }

  /** Stops the program; everything that was installed remains, as when the real one is down. */
  public async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.stopped = true;
    await this.loop;
    await this.runs?.program.stop(signal);
  }
}

/** What a plan of `edge-nodepools upgrade` does after Helm: yurt-manager would keep the webhooks of the earlier release. */
async function restoreWebhooks(plane: ControlPlane): Promise<void> {
  const script = `set -eu\nnamespace=${NAMESPACE} helm_release=yurt-manager\n${shell('script')}${shell('webhooks')}restore_webhooks`;
  await promisify(execFile)('sh', ['-c', script], { cwd: plane.folder, env: helmShell(plane, HELM_3) });
}

/** An address of this machine that Endpoints may have: they refuse those of the loopback interface. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) {
    throw new Error('this machine has no IPv4 address except those of the loopback interface');
  }
  return found.address;
}

/** Runs something with the yurt-manager of a release, on an existing control plane. */
export async function withYurtManager(
  plane: ControlPlane,
  release: AnyYurtManager,
  run: (manager: YurtManager) => Promise<void>,
  props: YurtManagerProps = {},
): Promise<void> {
  const manager = await YurtManager.start(plane, release, props);
  try {
    await run(manager);
  } finally {
    await manager.stop();
  }
}

/** Runs something with the yurt-manager of a release, on a new control plane; keeps the logs if a check fails. */
export async function besideYurtManager(
  release: YurtManagerRelease,
  proof: Proof,
  run: (plane: ControlPlane, manager: YurtManager) => Promise<void>,
  props: YurtManagerProps = {},
): Promise<void> {
  const { scheduler } = props;
  await onControlPlane({ kubernetes: KUBERNETES_OF[release], scheduler }, proof, (plane) =>
    withYurtManager(plane, release, (manager) => run(plane, manager), props),
  );
}

/** The programs that {@link besideYurtManager} needs. */
export function toolsBeside(releases: readonly YurtManagerRelease[]): Tool[] {
  return releases.flatMap((release) => [
    ...toolsOf({ kubernetes: KUBERNETES_OF[release] }),
    ...yurtManagerTools(release),
  ]);
}

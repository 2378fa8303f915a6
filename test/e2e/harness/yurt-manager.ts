import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControlPlane, toolsOf } from './control-plane.js';
import type { Proof } from './group.js';
import { objectsIn, openYurtCrds } from './openyurt.js';
import { freePorts, Program } from './program.js';
import { pathOf, sourcesOf, type Tool, yurtManagerTool } from './tool.js';

/** The releases whose yurt-manager is built. */
export type YurtManagerRelease = '1.4' | '1.5' | '1.7';

/** Minor of the API server beside which the yurt-manager of a release runs here. */
export const KUBERNETES_OF: Readonly<Record<YurtManagerRelease, string>> = {
  '1.4': '1.30',
  '1.5': '1.30',
  '1.7': '1.36',
};

/** Ports of one yurt-manager. */
interface Ports {
  readonly webhook: number;
  readonly metrics: number;
  readonly health: number;
}

const RENDERED: readonly [string | RegExp, string][] = [
  [/\{\{ \.Release\.Namespace \}\}/g, 'kube-system'],
  // what is left are labels of the chart, which nothing here looks at
  [/^.*\{\{.*\}\}.*\n/gm, ''],
];

/** What the chart of a release installs beside the program itself: identities, rights, the empty Secret for certificates, and the webhooks. */
function chartObjects(tool: Tool): any[] {
  const folder = join(sourcesOf(tool), 'charts', 'yurt-manager', 'templates');
  return ['yurt-manager.yaml', 'yurt-manager-auto-generated.yaml']
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/^---$/m))
    .filter((text) => !/^kind: (Deployment|Service)$/m.test(text))
    .map((text) => RENDERED.reduce((done, [pattern, value]) => done.replaceAll(pattern, value), text))
    .flatMap(objectsIn);
}

/** The CRDs of a release. Their conversion webhook is written as a URL: yurt-manager knows only ports 443 (1.7) or a Service (1.4, 1.5) for it. */
function crdsThatConvertAt(release: YurtManagerRelease, port: number): any[] {
  return openYurtCrds(release, false).map((crd) => {
    const { webhook } = crd.spec.conversion;
    if (webhook === undefined) {
      return crd;
    }
    const conversion = {
      strategy: 'Webhook',
      webhook: { ...webhook, clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}` } },
    };
    return { ...crd, spec: { ...crd.spec, conversion } };
  });
}

/** The real yurt-manager of a release, beside a control plane: its webhooks for NodePools, Nodes and Pods, its conversion of NodePools and its NodePool controller. */
export class YurtManager {
  /**
   * Installs what a release needs, starts its yurt-manager and waits until its webhooks answer. Works again on the same control plane
   * after {@link YurtManager.stop}.
   *
   * The program listens on every address of the machine, on free ports; that can not be set.
   */
  public static async start(plane: ControlPlane, release: YurtManagerRelease): Promise<YurtManager> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.apps.openyurt.io';
    const { status, body } = await plane.api.send('GET', path);
    const convertsAt: string | undefined = body.spec?.conversion?.webhook?.clientConfig?.url;
    const [webhook, metrics, health] = (await freePorts(3)) as [number, number, number];
    // a second start keeps the port that the CRDs name: with another one stored pools could not be read until it runs
    const ports = { webhook: convertsAt === undefined ? webhook : Number(new URL(convertsAt).port), metrics, health };
    const crds = crdsThatConvertAt(release, ports.webhook);
    // with pools already stored, the old versions of the API are served only once yurt-manager converts
    await (status === 404 ? plane.applyCrds(crds) : plane.apply(crds));
    const objects = chartObjects(yurtManagerTool(release));
    for (const object of objects.filter(({ kind }) => /WebhookConfiguration$/.test(kind as string))) {
      await plane.api.send('DELETE', await plane.api.pathOf(object));
    }
    await plane.apply(objects);
    const manager = new YurtManager(plane, release, ports);
    await manager.restart();
    return manager;
  }

  private program?: Program;

  private constructor(
    private readonly plane: ControlPlane,
    public readonly release: YurtManagerRelease,
    private readonly ports: Ports,
  ) {}

  /** Starts the program again on the objects that an earlier run left, as a Deployment does with a Pod that ended. */
  public async restart(): Promise<void> {
    await this.stop();
    const { webhook, metrics, health } = this.ports;
    const certificates = join(this.plane.folder, `yurt-manager-${this.release}-certificates`);
    mkdirSync(certificates, { recursive: true });
    this.program = new Program({
      name: `yurt-manager-${this.release}`,
      command: pathOf(yurtManagerTool(this.release)),
      args: [
        '--controllers=nodepool',
        '--leader-elect=false',
        `--webhook-port=${webhook}`,
        `--metrics-addr=127.0.0.1:${metrics}`,
        `--health-probe-addr=127.0.0.1:${health}`,
        '-v=2',
      ],
      logs: join(this.plane.folder, 'logs'),
      env: {
        ...process.env,
        KUBECONFIG: this.plane.kubeconfig,
        // the other writer, for files, finds no key of its own in 1.4 and 1.5 and gives up
        WEBHOOK_CERT_WRITER: 'secret',
        WEBHOOK_HOST: '127.0.0.1',
        WEBHOOK_PORT: String(webhook),
        WEBHOOK_CERT_DIR: certificates,
      },
    });
    try {
      await this.program.ready(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
      await this.program.ready(() => this.answers());
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Whether the API server reaches both NodePool webhooks and, where a release has old versions of the API, the conversion. */
  private async answers(): Promise<boolean> {
    const { status, body } = await this.plane.api.send(
      'POST',
      '/apis/apps.openyurt.io/v1alpha1/nodepools',
      { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'NodePool', metadata: { name: 'probe' }, spec: {} },
      { query: { dryRun: 'All' } },
    );
    return status === 201 && body.spec.type === 'Edge';
  }

  /** Ends the program; its webhook configurations stay, as they do when the real one is down. */
  public async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.program?.stop(signal);
    this.program = undefined;
  }
}

/** Runs something beside the yurt-manager of a release, on a control plane of its own; keeps the logs when a check fails. */
export async function besideYurtManager(
  release: YurtManagerRelease,
  proof: Proof,
  run: (plane: ControlPlane, manager: YurtManager) => Promise<void>,
): Promise<void> {
  const before = proof.failures.length;
  const plane = await ControlPlane.start({ kubernetes: KUBERNETES_OF[release] });
  let manager: YurtManager | undefined;
  let ended = false;
  try {
    manager = await YurtManager.start(plane, release);
    await run(plane, manager);
    ended = true;
  } finally {
    await manager?.stop();
    const failed = !ended || proof.failures.length > before;
    await plane.stop({ keepLogs: failed });
    if (failed) {
      proof.note(`logs are kept in ${plane.folder}`);
    }
  }
}

/** The programs that {@link besideYurtManager} needs. */
export function toolsBeside(releases: readonly YurtManagerRelease[]): Tool[] {
  return releases.flatMap((release) => [...toolsOf({ kubernetes: KUBERNETES_OF[release] }), yurtManagerTool(release)]);
}

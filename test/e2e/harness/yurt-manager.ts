import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, toolsOf } from './control-plane.js';
import type { Proof } from './group.js';
import { onControlPlane } from './on-control-plane.js';
import { chartObjects, isWebhookConfiguration, openYurtCrds } from './openyurt.js';
import { freePorts, Program } from './program.js';
import { pathOf, type Tool, yurtManagerTool } from './tool.js';

/** The releases whose yurt-manager is built. */
export type YurtManagerRelease = '1.4' | '1.5' | '1.7';

/** Minor of the API server for the yurt-manager of a release. */
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

/** Settings of a yurt-manager. */
export interface YurtManagerProps {
  /** Webhook configurations that are applied instead of the chart's, by a separate field manager.
   * @default - the chart's */
  readonly webhooks?: readonly any[];
  /** Field manager of the webhook configurations.
   * @default e2e */
  readonly fieldManager?: string;
  /** How the API server reaches it: by a URL, which yurt-manager writes into the webhooks, or by its Service, as in a cluster. The Service
   * leads to this machine, and the webhooks name a port of it.
   * @default url */
  readonly reachedBy?: 'url' | 'service';
  /** The controllers that run, with their webhooks.
   * @default - only nodepool */
  readonly controllers?: readonly string[];
  /** Whether its CustomResourceDefinitions are applied.
   * @default true */
  readonly installsCrds?: boolean;
  /** Whether the scheduler runs, too.
   * @default false */
  readonly scheduler?: boolean;
}

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'yurt-manager-webhook-service', namespace: 'kube-system' },
  spec: { type: 'ExternalName', externalName: 'localhost' },
};

/** The same configuration with another port of the Service, also in yurt-manager's annotation: a Service without Pods has no port to map. */
export function atPort(configuration: any, port: number): any {
  const { metadata, webhooks } = configuration;
  const template: string | undefined = metadata.annotations?.['yurt-manager-template'];
  return {
    ...configuration,
    metadata:
      template === undefined
        ? metadata
        : {
            ...metadata,
            annotations: {
              ...metadata.annotations,
              'yurt-manager-template': template.replaceAll('"port":443', `"port":${port}`),
            },
          },
    webhooks: webhooks.map((webhook: any) => ({
      ...webhook,
      clientConfig: { service: { ...webhook.clientConfig.service, port } },
    })),
  };
}

/** The CRDs of a release. Their conversion webhook is written as a URL: yurt-manager knows only ports 443 (1.7) or a Service (1.4, 1.5) for it. */
export function crdsThatConvertAt(release: YurtManagerRelease, host: string, port: number): any[] {
  return openYurtCrds(release, false).map((crd) => {
    const { webhook } = crd.spec.conversion;
    if (webhook === undefined) {
      return crd;
    }
    const conversion = {
      strategy: 'Webhook',
      webhook: { ...webhook, clientConfig: { url: `https://${host}:${port}${webhook.clientConfig.service.path}` } },
    };
    return { ...crd, spec: { ...crd.spec, conversion } };
  });
}

/** The real yurt-manager of a release, with a control plane: its webhooks for NodePools, Nodes and Pods, its conversion of NodePools and its NodePool controller. */
export class YurtManager {
  /**
   * Installs what a release needs, starts its yurt-manager and waits until its webhooks answer. Works again on the same control plane
   * after {@link YurtManager.stop}.
   *
   * The program listens on every address of the machine, on free ports; this is not configurable.
   */
  public static async start(
    plane: ControlPlane,
    release: YurtManagerRelease,
    props: YurtManagerProps = {},
  ): Promise<YurtManager> {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.apps.openyurt.io';
    const { status, body } = await plane.api.send('GET', path);
    const convertsAt: string | undefined = body.spec?.conversion?.webhook?.clientConfig?.url;
    const [webhook, metrics, health] = (await freePorts(3)) as [number, number, number];
    // a second start keeps the port in the CRDs: with another one, stored pools could not be read until it runs
    const ports = { webhook: convertsAt === undefined ? webhook : Number(new URL(convertsAt).port), metrics, health };
    // the certificate is for the Service and localhost, or for the host of the URL
    const byService = props.reachedBy === 'service';
    const crds = crdsThatConvertAt(release, byService ? 'localhost' : '127.0.0.1', ports.webhook);
    // with stored pools, the old versions of the API are served only when yurt-manager converts
    if (props.installsCrds !== false) {
      await (status === 404 ? plane.applyCrds(crds) : plane.apply(crds));
    }
    const objects = chartObjects(release);
    const webhooks = props.webhooks ?? objects.filter(isWebhookConfiguration);
    for (const object of webhooks) {
      await plane.api.send('DELETE', await plane.api.pathOf(object));
    }
    await plane.apply([
      ...objects.filter((object) => !isWebhookConfiguration(object)),
      ...(byService ? [SERVICE] : []),
    ]);
    await plane.apply(
      webhooks.map((object) => (byService ? atPort(object, ports.webhook) : object)),
      props.fieldManager,
    );
    const manager = new YurtManager(plane, release, ports, byService, props.controllers ?? ['nodepool']);
    await manager.restart();
    return manager;
  }

  private program?: Program;

  private constructor(
    private readonly plane: ControlPlane,
    public readonly release: YurtManagerRelease,
    private readonly ports: Ports,
    private readonly byService: boolean,
    private readonly controllers: readonly string[],
  ) {}

  /** The port at which its webhooks are served. */
  public get port(): number {
    return this.ports.webhook;
  }

  /** Starts the program again with the objects of an earlier run, like a Deployment after its Pod ended. */
  public async restart(): Promise<void> {
    await this.stop();
    const { webhook, metrics, health } = this.ports;
    const certificates = join(this.plane.folder, `yurt-manager-${this.release}-certificates`);
    mkdirSync(certificates, { recursive: true });
    this.program = new Program({
      name: `yurt-manager-${this.release}`,
      command: pathOf(yurtManagerTool(this.release)),
      args: [
        `--controllers=${this.controllers.join(',')}`,
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
        // the other certificate writer, for files, finds no key in 1.4 and 1.5 and fails
        WEBHOOK_CERT_WRITER: 'secret',
        ...(this.byService ? {} : { WEBHOOK_HOST: '127.0.0.1' }),
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

  /** Stops the program; its webhook configurations remain, as when the real one is down. */
  public async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.program?.stop(signal);
    this.program = undefined;
  }
}

/** Runs something with the yurt-manager of a release, on an existing control plane. */
export async function withYurtManager(
  plane: ControlPlane,
  release: YurtManagerRelease,
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
  return releases.flatMap((release) => [...toolsOf({ kubernetes: KUBERNETES_OF[release] }), yurtManagerTool(release)]);
}

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { objectsIn } from './openyurt.js';
import { freePorts, Program } from './program.js';
import { pathOf, sourcesOf, type Tool } from './tool.js';

/** Argo CD is one program, which takes its role from its name. */
export const ARGO_CD: Tool = {
  name: 'argocd',
  module: 'argo-cd-3.6',
  package: 'github.com/argoproj/argo-cd/v3/cmd',
  newerGo: true,
};

export const ARGO_CD_NAMESPACE = 'argocd';
const API = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}`;
const MERGE = { contentType: 'application/merge-patch+json' };

/** The state of an Application. */
export interface ApplicationState {
  readonly name: string;
  readonly sync: string;
  readonly health: string;
  /** Phase of the last operation, which can have failed while the status says Synced. */
  readonly phase: string;
  readonly message: string;
  /** Commit of the last operation that ended well or not. */
  readonly operated: string;
  /** Commit that was compared with the cluster. */
  readonly compared: string;
}

/** How Argo CD runs. */
export interface ArgoCdProps {
  /** Environment for the repository. */
  readonly env: NodeJS.ProcessEnv;
  /** Certificates of repositories, by host. */
  readonly certificates: Readonly<Record<string, string>>;
  /** Clusters besides its own, and names for them; its own is the one without an address. */
  readonly clusters: Readonly<
    Record<string, { readonly server?: string; readonly token?: string; readonly caData?: string }>
  >;
}

/** The objects of a folder of the module. */
function shipped(folder: string): any[] {
  const path = join(sourcesOf(ARGO_CD), 'manifests', folder);
  return readdirSync(path)
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) => objectsIn(readFileSync(join(path, file), 'utf8')));
}

export const argoCdCrds = (): any[] => shipped('crds');

/** Redis, repository server, application controller and ApplicationSet controller of Argo CD, with the CRDs and the configuration of the module. */
export class ArgoCd {
  public static async start(plane: ControlPlane, props: ArgoCdProps): Promise<ArgoCd> {
    await plane.applyCrds(argoCdCrds());
    await plane.apply(
      shipped('base/config').map((object) => ({
        ...object,
        metadata: { ...object.metadata, namespace: ARGO_CD_NAMESPACE },
        ...(object.kind === 'Secret' ? { stringData: { 'server.secretkey': 'e2e' } } : {}),
        // by default it looks at a repository each 2 to 3 minutes
        ...(object.metadata.name === 'argocd-cm'
          ? { data: { ...object.data, 'timeout.reconciliation': '20s', 'timeout.reconciliation.jitter': '0s' } }
          : {}),
      })),
    );
    await plane.apply([
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: 'default', namespace: ARGO_CD_NAMESPACE },
        spec: {
          sourceRepos: ['*'],
          destinations: [{ namespace: '*', server: '*' }],
          clusterResourceWhitelist: [{ group: '*', kind: '*' }],
        },
      },
      ...Object.entries(props.clusters).map(([name, { server, token, caData }]) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `cluster-${name}`,
          namespace: ARGO_CD_NAMESPACE,
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        },
        stringData: {
          name,
          server: server ?? 'https://kubernetes.default.svc',
          config: JSON.stringify({
            ...(token === undefined ? {} : { bearerToken: token }),
            ...(caData === undefined ? {} : { tlsClientConfig: { caData } }),
          }),
        },
      })),
    ]);
    const argoCd = new ArgoCd(plane, props);
    await argoCd.run();
    return argoCd;
  }

  private readonly programs = new Map<string, Program>();

  private constructor(
    private readonly plane: ControlPlane,
    private readonly props: ArgoCdProps,
  ) {}

  private async run(): Promise<void> {
    const [redis, repository, ...rest] = (await freePorts(9)) as [number, number, ...number[]];
    const [repositoryMetrics, controllerMetrics, metrics, probe, webhook] = rest;
    this.programs.set(
      'redis',
      new Program({
        name: 'redis-server',
        command: 'redis-server',
        args: [
          '--port',
          `${redis}`,
          '--bind',
          '127.0.0.1',
          '--save',
          '',
          '--appendonly',
          'no',
          '--dir',
          this.folder('redis'),
        ],
        logs: join(this.plane.folder, 'logs'),
      }),
    );
    const namespace = `--namespace=${ARGO_CD_NAMESPACE}`;
    const cache = `--redis=127.0.0.1:${redis}`;
    const server = `127.0.0.1:${repository}`;
    await this.start('argocd-repo-server', repositoryMetrics, '/metrics', [
      cache,
      '--address=127.0.0.1',
      `--port=${repository}`,
      '--metrics-address=127.0.0.1',
      `--metrics-port=${repositoryMetrics}`,
      '--disable-tls',
      '--client-ca-path=',
    ]);
    await this.start('argocd-application-controller', controllerMetrics, '/healthz', [
      namespace,
      cache,
      `--repo-server=${server}`,
      '--repo-server-plaintext',
      `--metrics-port=${controllerMetrics}`,
    ]);
    await this.start('argocd-applicationset-controller', metrics, '/metrics', [
      namespace,
      `--argocd-repo-server=${server}`,
      '--repo-server-plaintext',
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--probe-addr=127.0.0.1:${probe}`,
      `--webhook-addr=127.0.0.1:${webhook}`,
      // without it, no step of a rollout begins
      '--enable-progressive-syncs',
    ]);
  }

  private folder(name: string): string {
    const folder = join(this.plane.folder, 'argo-cd', name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  private async start(role: string, port: number | undefined, path: string, flags: readonly string[]): Promise<void> {
    const [bin, tls] = [this.folder(`${role}/bin`), this.folder(`${role}/tls`)];
    for (const [host, certificate] of Object.entries(this.props.certificates)) {
      copyFileSync(certificate, join(tls, host));
    }
    const wrapper = join(bin, 'git-verify-wrapper.sh');
    copyFileSync(join(sourcesOf(ARGO_CD), 'hack', 'git-verify-wrapper.sh'), wrapper);
    chmodSync(wrapper, 0o755);
    // git asks it for credentials
    symlinkSync(pathOf(ARGO_CD), join(bin, 'argocd'));
    const program = new Program({
      name: role,
      command: pathOf(ARGO_CD),
      args: flags,
      logs: join(this.plane.folder, 'logs'),
      env: {
        ...process.env,
        ...this.props.env,
        PATH: `${bin}:${process.env.PATH}`,
        HOME: this.folder(`${role}/home`),
        TMPDIR: this.folder(`${role}/tmp`),
        KUBECONFIG: this.plane.kubeconfig,
        ARGOCD_BINARY_NAME: role,
        ARGOCD_FAKE_IN_CLUSTER: 'true',
        ARGOCD_TLS_DATA_PATH: tls,
        ARGOCD_SSH_DATA_PATH: this.folder(`${role}/ssh`),
        ARGOCD_GNUPGHOME: this.folder(`${role}/gpg`),
        ARGOCD_GPG_ENABLED: 'false',
        ARGOCD_PLUGINSOCKFILEPATH: this.folder(`${role}/plugins`),
      },
    });
    this.programs.set(role, program);
    await program.ready(async () => (await fetch(`http://127.0.0.1:${port}${path}`)).ok);
  }

  /** The state of each Application. */
  public async states(): Promise<ApplicationState[]> {
    const { items } = await this.plane.api.must('GET', `${API}/applications`);
    return (items as any[]).map(({ metadata, status = {} }) => ({
      name: metadata.name,
      sync: status.sync?.status ?? '',
      health: status.health?.status ?? '',
      phase: status.operationState?.phase ?? '',
      message: [
        status.operationState?.message ?? '',
        ...(status.conditions ?? []).map(({ message }: any) => message),
      ].join('; '),
      operated: status.operationState?.syncResult?.revision ?? '',
      compared: status.sync?.revision ?? '',
    }));
  }

  /** Lets the repository of each Application and each ApplicationSet be read now. */
  public async refresh(): Promise<void> {
    for (const [kind, annotation, value] of [
      ['applications', 'argocd.argoproj.io/refresh', 'normal'],
      ['applicationsets', 'argocd.argoproj.io/application-set-refresh', 'true'],
    ]) {
      const { items } = await this.plane.api.must('GET', `${API}/${kind}`);
      for (const { metadata } of items) {
        await this.plane.api.send(
          'PATCH',
          `${API}/${kind}/${metadata.name}`,
          { metadata: { annotations: { [annotation as string]: value } } },
          MERGE,
        );
      }
    }
  }

  /** Syncs an Application once more, as `argocd app sync` does. */
  public async sync(name: string): Promise<void> {
    const path = `${API}/applications/${name}`;
    // a sync is known by the second in which it began
    await new Promise((done) => setTimeout(done, 1_000));
    const { spec, status } = await this.plane.api.must('GET', path);
    const before: string = status?.operationState?.startedAt ?? '';
    // an operation does not take the options of the Application by itself
    const { syncOptions } = spec.syncPolicy;
    const operation = { operation: { sync: { syncStrategy: { hook: {} }, syncOptions } } };
    await this.plane.api.must('PATCH', path, operation, MERGE);
    const deadline = Date.now() + 120_000;
    for (;;) {
      const { startedAt, phase } = (await this.plane.api.must('GET', path)).status?.operationState ?? {};
      if (startedAt !== before && phase === 'Succeeded') {
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(`${name} is not synced: ${phase}`);
      }
      await new Promise((done) => setTimeout(done, 500));
    }
  }

  public async remove(kind: 'applications' | 'applicationsets', name: string): Promise<void> {
    await this.plane.api.must('DELETE', `${API}/${kind}/${name}`);
  }

  /** Resident memory of each program at its highest, in MiB. */
  public peakMemory(): Record<string, number> {
    return Object.fromEntries(
      [...this.programs].map(([name, { pid }]) => {
        const kib = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        return [name, Math.round(Number(kib) / 1024)];
      }),
    );
  }

  public async stop(): Promise<void> {
    await Promise.all([...this.programs.values()].map((program) => program.stop()));
  }
}

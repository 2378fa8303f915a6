import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api-client.js';
import { type Audited, auditFlags } from './audit-log.js';
import { FakeNodes } from './fake-nodes.js';
import { cpuTimeOf, freePorts, Program } from './program.js';
import { ETCD, kubernetesTool, pathOf, type Tool } from './tool.js';

/** Settings of a control plane. */
export interface ControlPlaneProps {
  /** Minor of the API server: `1.30`, `1.34`, `1.36` or `1.37`. */
  readonly kubernetes: string;
  /** Feature gates of the API server.
   * @default - none */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** API versions that are off by default, `admissionregistration.k8s.io/v1beta1`.
   * @default - none */
  readonly runtimeConfig?: readonly string[];
  /** Whether the scheduler and these controllers also run (of Kubernetes 1.36).
   * @default - none */
  readonly controllers?: readonly string[];
  /** @default false */
  readonly scheduler?: boolean;
  /** Further flags of the API server.
   * @default - none */
  readonly apiServerFlags?: readonly string[];
  /** Which writes are in an audit log.
   * @default - none */
  readonly audits?: Audited;
}

/** What its API server can be restarted with. */
type ApiServerFlags = Pick<ControlPlaneProps, 'featureGates' | 'runtimeConfig' | 'apiServerFlags'>;

/** A control plane where Deployments and DaemonSets roll out; what makes their Pods Ready is a separate setting. */
export const WITH_ROLLOUTS: ControlPlaneProps = {
  kubernetes: '1.36',
  scheduler: true,
  controllers: [
    'daemonset-controller',
    'deployment-controller',
    'replicaset-controller',
    'garbage-collector-controller',
  ],
};

/** The programs that a control plane needs. */
export function toolsOf({ kubernetes, controllers, scheduler }: ControlPlaneProps): Tool[] {
  return [
    ETCD,
    kubernetesTool('kube-apiserver', kubernetes),
    kubernetesTool('kubectl', '1.36'),
    ...(controllers === undefined ? [] : [kubernetesTool('kube-controller-manager', '1.36')]),
    ...(scheduler === true ? [kubernetesTool('kube-scheduler', '1.36')] : []),
  ];
}

/** Tokens by user; `system:node:edge1` exercises NodeRestriction. */
const USERS = {
  admin: 'admin-token,admin,1,"system:masters"',
  scheduler: 'scheduler-token,system:kube-scheduler,2,',
  node: 'node-token,system:node:edge1,3,"system:nodes"',
  plain: 'plain-token,alice,4,',
} as const;

/** A real API server with its etcd, and optionally scheduler and controllers, on free ports of 127.0.0.1 and in a separate folder. */
export class ControlPlane {
  /** Starts a control plane and waits until it is ready. The tools must have been built. */
  public static async start(props: ControlPlaneProps): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    const [etcdPort, peerPort, securePort] = (await freePorts(3)) as [number, number, number];
    const plane = new ControlPlane(props, folder, etcdPort, peerPort, securePort);
    try {
      await plane.startApiServer();
      await plane.startControllers();
    } catch (error) {
      await plane.stop({ keepLogs: true });
      throw error;
    }
    return plane;
  }

  /** Client of the API server as `system:masters`. */
  public readonly api: ApiClient;
  public readonly nodes: FakeNodes;
  /** Temporary folder: logs, certificates, kubeconfig. */
  public readonly folder: string;
  /** Path of the administrator's kubeconfig. */
  public readonly kubeconfig: string;
  private apiServer?: Program;
  private minor: string;
  private flags: ApiServerFlags;
  private readonly programs: Program[] = [];

  private constructor(
    private readonly props: ControlPlaneProps,
    folder: string,
    private readonly etcdPort: number,
    private readonly peerPort: number,
    public readonly port: number,
  ) {
    this.minor = props.kubernetes;
    this.flags = props;
    this.folder = folder;
    mkdirSync(join(folder, 'logs'));
    this.kubeconfig = this.kubeconfigOf('admin');
    this.api = new ApiClient(port, 'admin-token');
    this.nodes = new FakeNodes(this.api);
  }

  /** Minor of the API server. */
  public get kubernetes(): string {
    return this.minor;
  }

  /** CPU time of the API server so far, in milliseconds. */
  public apiServerCpuTime(): number {
    return cpuTimeOf(this.apiServer?.pid);
  }

  /** A kubeconfig file of one of the known users. */
  public kubeconfigOf(user: keyof typeof USERS): string {
    return this.kubeconfigWith(user, `${user}-token`);
  }

  /** A kubeconfig file with a token. */
  public kubeconfigWith(user: string, token: string): string {
    const file = join(this.folder, `${user}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'e2e', cluster: { server: `https://127.0.0.1:${this.port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: 'e2e', context: { cluster: 'e2e', user } }],
      'current-context': 'e2e',
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  private async startApiServer(): Promise<void> {
    const logs = join(this.folder, 'logs');
    const at = `http://127.0.0.1:${this.etcdPort}`;
    this.programs.push(
      new Program({
        name: 'etcd',
        command: pathOf(ETCD),
        args: [
          '--data-dir',
          join(this.folder, 'etcd'),
          '--listen-client-urls',
          at,
          '--advertise-client-urls',
          at,
          '--listen-peer-urls',
          `http://127.0.0.1:${this.peerPort}`,
          '--initial-advertise-peer-urls',
          `http://127.0.0.1:${this.peerPort}`,
          '--initial-cluster',
          `default=http://127.0.0.1:${this.peerPort}`,
          '--unsafe-no-fsync',
        ],
        logs,
      }),
    );
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(this.folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    writeFileSync(join(this.folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(join(this.folder, 'tokens.csv'), `${Object.values(USERS).join('\n')}\n`, { mode: 0o600 });
    await this.restartApiServer();
  }

  /** Replaces the API server by the one of another minor, on the same data. */
  public async upgradeApiServer(kubernetes: string): Promise<void> {
    this.minor = kubernetes;
    this.api.forgetKinds();
    await this.restartApiServer();
  }

  /** Starts or restarts the API server on the same data. */
  public async restartApiServer(signal?: NodeJS.Signals): Promise<void> {
    await this.apiServer?.stop(signal);
    this.apiServer = this.apiServerAt(this.port, 'kube-apiserver');
    await this.apiServer.ready(async () => (await this.api.send('GET', '/readyz')).status === 200, 120);
  }

  /** Stops the API server; `restartApiServer` brings it back. */
  public async stopApiServer(signal?: NodeJS.Signals): Promise<void> {
    await this.apiServer?.stop(signal);
  }

  /** Restarts the API server on the same data with other flags, as after a change of its manifest. */
  public async restartApiServerWith(flags: ApiServerFlags): Promise<void> {
    this.flags = flags;
    this.api.forgetKinds();
    await this.restartApiServer();
  }

  /** Starts a second API server on the same etcd, as in a control plane of several machines. Returns a client of it. */
  public async startSecondApiServer(): Promise<ApiClient> {
    const [port] = (await freePorts(1)) as [number];
    const program = this.apiServerAt(port, 'kube-apiserver-2');
    this.programs.push(program);
    const api = new ApiClient(port, 'admin-token');
    await program.ready(async () => (await api.send('GET', '/readyz')).status === 200, 120);
    return api;
  }

  private apiServerAt(port: number, name: string): Program {
    const gates = Object.entries(this.flags.featureGates ?? {}).map(([gate, on]) => `${gate}=${on}`);
    const served = (this.flags.runtimeConfig ?? []).map((version) => `${version}=true`);
    return new Program({
      name,
      command: pathOf(kubernetesTool('kube-apiserver', this.kubernetes)),
      args: [
        `--etcd-servers=http://127.0.0.1:${this.etcdPort}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--cert-dir=${join(this.folder, `certs-${name}`)}`,
        '--service-cluster-ip-range=10.0.0.0/24',
        // webhooks of a Service are called at its Endpoints: no kube-proxy runs here
        '--enable-aggregator-routing=true',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${join(this.folder, 'sa.pub')}`,
        `--service-account-signing-key-file=${join(this.folder, 'sa.key')}`,
        '--authorization-mode=Node,RBAC',
        // kube-proxy, as kubeadm renders it, is privileged
        '--allow-privileged=true',
        '--enable-admission-plugins=NodeRestriction',
        '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
        `--token-auth-file=${join(this.folder, 'tokens.csv')}`,
        ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
        ...(served.length > 0 ? [`--runtime-config=${served.join(',')}`] : []),
        ...(this.flags.apiServerFlags ?? []),
        ...(this.props.audits === undefined ? [] : auditFlags(this.folder, this.auditLog, this.props.audits)),
      ],
      logs: join(this.folder, 'logs'),
    });
  }

  /** Path of the audit log. */
  public get auditLog(): string {
    return join(this.folder, 'logs', 'audit.log');
  }

  private async startControllers(): Promise<void> {
    const { controllers, scheduler } = this.props;
    const logs = join(this.folder, 'logs');
    const common = ['--leader-elect=false', '--secure-port=0'];
    if (controllers !== undefined) {
      const args = [`--kubeconfig=${this.kubeconfig}`, ...common, `--controllers=${controllers.join(',')}`];
      this.programs.push(
        new Program({
          name: 'kube-controller-manager',
          command: pathOf(kubernetesTool('kube-controller-manager', '1.36')),
          args,
          logs,
        }),
      );
    }
    if (scheduler === true) {
      const args = [`--kubeconfig=${this.kubeconfigOf('scheduler')}`, ...common];
      this.programs.push(
        new Program({ name: 'kube-scheduler', command: pathOf(kubernetesTool('kube-scheduler', '1.36')), args, logs }),
      );
    }
    // the API server creates kube-system, a moment after it is ready
    await this.apiServer?.ready(
      async () => (await this.api.send('GET', '/api/v1/namespaces/kube-system')).status === 200,
    );
  }

  /** Runs kubectl as the administrator; a failure is a result, not an error. */
  public kubectl(
    args: readonly string[],
    input?: string,
  ): { readonly status: number; readonly stdout: string; readonly stderr: string } {
    const { status, stdout, stderr } = spawnSync(
      pathOf(kubernetesTool('kubectl', '1.36')),
      [`--kubeconfig=${this.kubeconfig}`, ...args],
      {
        encoding: 'utf8',
        input,
        maxBuffer: 256 * 1024 * 1024,
        env: { ...process.env, KUBECACHEDIR: join(this.folder, 'kubectl-cache') },
      },
    );
    return { status: status ?? 1, stdout, stderr };
  }

  /** Server-side apply with strict validation; returns the stored objects. Missing namespaces are created. */
  public async apply(
    manifests: readonly any[],
    fieldManager = 'e2e',
    query: Readonly<Record<string, string | boolean>> = {},
  ): Promise<any[]> {
    const stored: any[] = [];
    for (const manifest of manifests) {
      await this.ensureNamespace(manifest.metadata.namespace as string | undefined);
      stored.push(
        await this.api.must('PATCH', await this.api.pathOf(manifest), manifest, {
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager, fieldValidation: 'Strict', ...query },
        }),
      );
    }
    return stored;
  }

  public async ensureNamespace(name: string | undefined): Promise<void> {
    if (name !== undefined && (await this.api.send('GET', `/api/v1/namespaces/${name}`)).status === 404) {
      await this.api.must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  }

  /** Applies CustomResourceDefinitions and waits until their kinds are served. */
  public async applyCrds(crds: readonly any[]): Promise<void> {
    for (const crd of await this.apply(crds)) {
      const path = await this.api.pathOf(crd);
      await this.apiServer?.ready(async () => {
        const { body } = await this.api.send('GET', path);
        return (body.status?.conditions ?? []).some(
          (condition: any) => condition.type === 'Established' && condition.status === 'True',
        );
      });
      for (const version of crd.spec.versions.filter(({ served }: any) => served)) {
        await this.apiServer?.ready(
          async () =>
            (await this.api.send('GET', `/apis/${crd.spec.group}/${version.name}/${crd.spec.names.plural}`)).status ===
            200,
        );
      }
    }
  }

  /** Stops everything that was started, and removes the folder unless its logs are kept. */
  public async stop({ keepLogs = false } = {}): Promise<void> {
    this.api.close();
    const [etcd, ...controllers] = this.programs;
    const programs = this.apiServer === undefined ? controllers : [this.apiServer, ...controllers];
    await Promise.all(programs.map((program) => program.stop()));
    await etcd?.stop('SIGKILL');
    if (!keepLogs) {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

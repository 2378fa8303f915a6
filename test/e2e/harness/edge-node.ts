import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HTTP_SERVER_IMAGE, writeHttpServerImage } from './container-image.js';
import type { ControlPlane } from './control-plane.js';
import { type HttpAnswer, Machine } from './machine.js';
import type { Program } from './program.js';
import { kubernetesTool, pathOf, type Tool } from './tool.js';

const KUBELET = kubernetesTool('kubelet', '1.36');
const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** The only CNI configuration of a host-network node: sufficient for Ready, without a network for Pods. */
const LOOPBACK_CNI = { cniVersion: '1.0.0', name: 'lo', plugins: [{ type: 'loopback' }] };

export const POWER_CUT = resolve(__dirname, 'power-cut.sh');

/** Settings of an edge node. */
export interface EdgeNodeProps {
  readonly name: string;
  /** Labels with which the node registers.
   * @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints with which the node registers.
   * @default - none */
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** Manifests of static Pods, by the name of the file.
   * @default - none */
  readonly staticPods?: Readonly<Record<string, string>>;
  /** Further fields of its KubeletConfiguration.
   * @default - none */
  readonly kubelet?: object;
}

/**
 * A real node: containerd and kubelet with only the loopback CNI, in a separate machine. It has one image, {@link HTTP_SERVER_IMAGE};
 * its Pods need `imagePullPolicy: Never`.
 */
export class EdgeNode {
  /** The programs that are built for an edge node. */
  public static readonly TOOLS: readonly Tool[] = [KUBELET];

  /** Starts a node and waits until it is Ready. The tools must have been built; containerd, runc and the CNI plugins are those of the machine. */
  public static async start(controlPlane: ControlPlane, props: EdgeNodeProps): Promise<EdgeNode> {
    const lacking = ['unshare', 'nsenter', 'ip', 'containerd', 'ctr', 'runc'].filter((program) => !isOnPath(program));
    if (lacking.length > 0) {
      throw new Error(`a real edge node needs ${lacking.join(', ')}`);
    }
    const folder = join(controlPlane.folder, `edge-node-${props.name}`);
    const logs = join(controlPlane.folder, 'logs');
    const machine = await Machine.start({ name: props.name, folder, logs, port: controlPlane.port });
    const node = new EdgeNode(controlPlane, props, folder, machine);
    try {
      const [image] = await Promise.all([writeHttpServerImage(folder), node.startContainerd()]);
      await machine.run('ctr', ['-n', 'k8s.io', 'images', 'import', image]);
      await node.startKubelet();
    } catch (error) {
      await node.stop();
      throw error;
    }
    return node;
  }

  public readonly name: string;

  private constructor(
    private readonly controlPlane: ControlPlane,
    private readonly props: EdgeNodeProps,
    private readonly folder: string,
    public readonly machine: Machine,
  ) {
    this.name = props.name;
  }

  private containerd?: Program;
  private kubelet?: Program;

  private async startContainerd(): Promise<void> {
    const netd = join(this.folder, 'net.d');
    mkdirSync(netd);
    mkdirSync(this.manifests);
    Object.entries(this.props.staticPods ?? {}).forEach(([name, text]) =>
      writeFileSync(join(this.manifests, name), text),
    );
    writeFileSync(join(netd, '0-loopback.conflist'), JSON.stringify(LOOPBACK_CNI));
    writeFileSync(this.containerdConfig, containerdConfig(join(this.folder, 'containerd'), netd));
    await this.runContainerd();
  }

  private get containerdConfig(): string {
    return join(this.folder, 'containerd.toml');
  }

  private async runContainerd(): Promise<void> {
    this.containerd = this.machine.start('containerd', 'containerd', ['--config', this.containerdConfig]);
    await this.containerd.ready(async () => (await this.machine.run('ctr', ['version'])) !== '');
  }

  private async startKubelet(): Promise<void> {
    const config = join(this.folder, 'kubelet.json');
    const resolvConf = join(this.folder, 'resolv.conf');
    writeFileSync(resolvConf, '');
    writeFileSync(config, JSON.stringify(this.kubeletConfig(resolvConf), undefined, 2));
    this.kubeconfig();
    this.runKubelet();
    await this.kubelet?.ready(() => this.isReady(), 120);
  }

  /** Folder of the manifests of static Pods. */
  public get manifests(): string {
    return join(this.folder, 'manifests');
  }

  private runKubelet(): void {
    const labels = Object.entries(this.props.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    this.kubelet = this.machine.start('kubelet', pathOf(KUBELET), [
      `--config=${join(this.folder, 'kubelet.json')}`,
      `--kubeconfig=${join(this.folder, 'kubeconfig')}`,
      `--hostname-override=${this.name}`,
      `--node-ip=${Machine.ADDRESS}`,
      `--root-dir=${join(this.folder, 'kubelet')}`,
      `--cert-dir=${join(this.folder, 'pki')}`,
      ...(labels.length > 0 ? [`--node-labels=${labels.join(',')}`] : []),
    ]);
  }

  /** Ends every process of kubelet, containerd and containers at once, as a power cut does, and what is in memory goes. */
  public async powerCut(): Promise<void> {
    await this.machine.run('sh', [POWER_CUT, this.machine.cgroup]);
    // those that have started them in the machine
    await this.kubelet?.stop('SIGKILL');
    await this.containerd?.stop('SIGKILL');
  }

  /** Starts containerd and then kubelet again. Returns the time when kubelet was started. */
  public async boot(): Promise<number> {
    await this.runContainerd();
    this.runKubelet();
    return Date.now();
  }

  /** The end of the log of kubelet. */
  public get kubeletSays(): string {
    return this.kubelet?.tail() ?? '';
  }

  /** The API server authorizes the node as a node of its name. */
  private kubeconfig(): string {
    const config = JSON.parse(readFileSync(this.controlPlane.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const users = config.users.map((entry) => ({
      ...entry,
      user: { ...entry.user, as: `system:node:${this.name}`, 'as-groups': ['system:nodes'] },
    }));
    const file = join(this.folder, 'kubeconfig');
    writeFileSync(file, JSON.stringify({ ...config, users }), { mode: 0o600 });
    return file;
  }

  private kubeletConfig(resolvConf: string): object {
    return {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: '127.0.0.1',
      authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      cgroupDriver: 'cgroupfs',
      cgroupRoot: this.machine.cgroup,
      failCgroupV1: false,
      failSwapOn: false,
      containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
      resolvConf,
      staticPodPath: this.manifests,
      volumePluginDir: join(this.folder, 'volume-plugins'),
      // a nearly full disk is irrelevant for the tests, and the image cannot be pulled again
      evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '1Mi', 'imagefs.available': '1Mi' },
      imageGCHighThresholdPercent: 100,
      ...(this.props.taints === undefined ? {} : { registerWithTaints: this.props.taints }),
      ...this.props.kubelet,
    };
  }

  private async isReady(): Promise<boolean> {
    const { body } = await this.controlPlane.api.send('GET', `/api/v1/nodes/${this.name}`);
    return (body.status?.conditions ?? []).some(
      ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
    );
  }

  /** Sends a request to an HTTP server on the node's 127.0.0.1; an error if nothing listens. */
  public get(port: number, path = '/'): Promise<HttpAnswer> {
    return this.machine.get(port, path);
  }

  /** Stops kubelet, containerd and all containers, and removes their files; the Node object is not deleted. */
  public async stop(): Promise<void> {
    await this.machine.stop();
  }
}

function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/sbin" command -v ${program}`]).status === 0;
}

/** Configuration of a containerd that runs in a small machine. */
export function containerdConfig(root: string, netd: string): string {
  const plugins = ['/usr/lib/cni', '/opt/cni/bin'].find((path) => existsSync(join(path, 'loopback')));
  if (plugins === undefined) {
    throw new Error('a real edge node needs the CNI plugin loopback');
  }
  const text = (value: string): string => JSON.stringify(value);
  // restrict_oom_score_adj: in a container without CAP_SYS_RESOURCE runc fails without it
  return `version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
root = ${text(root)}
state = "/run/containerd"
[grpc]
  address = ${text(CONTAINERD_SOCKET)}
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${text(HTTP_SERVER_IMAGE)}
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${text(plugins)}
    conf_dir = ${text(netd)}
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
`;
}

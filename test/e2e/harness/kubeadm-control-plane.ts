import { rmSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { Machine } from './machine.js';
import type { Room } from './room.js';
import { ETCD, kubernetesTool, pathOf, type Tool, versionOf } from './tool.js';

const MINOR = '1.36';
const KUBEADM = kubernetesTool('kubeadm', MINOR);
const KUBECTL = kubernetesTool('kubectl', MINOR);
const PROGRAMS: Readonly<Record<string, Tool>> = {
  etcd: ETCD,
  'kube-apiserver': kubernetesTool('kube-apiserver', MINOR),
  'kube-controller-manager': kubernetesTool('kube-controller-manager', MINOR),
  'kube-scheduler': kubernetesTool('kube-scheduler', MINOR),
};
const ADMIN = '/etc/kubernetes/super-admin.conf';
const AUDIT_LOG = '/var/log/audit.log';
const CONFIG = '/run/init.yaml';

/** A control plane of kubeadm: certificates, static Pods, add-ons. The static Pods run as processes, with unchanged command lines. */
export class KubeadmControlPlane {
  public static readonly TOOLS: readonly Tool[] = [KUBEADM, KUBECTL, ...Object.values(PROGRAMS)];

  /**
   * @param room where it runs
   * @param kubelet settings of kubelets of this machine, which kubeadm passes to every node
   */
  public static async start(room: Room, kubelet: object): Promise<KubeadmControlPlane> {
    const plane = new KubeadmControlPlane(room);
    await plane.init(kubelet);
    return plane;
  }

  /** `sha256:…` of the cluster's CA. */
  public caCertHash = '';
  private apiServerArgs: readonly string[] = [];

  private constructor(public readonly room: Room) {}

  private async init(kubelet: object): Promise<void> {
    const { room } = this;
    await room.write(
      '/etc/kubernetes/audit.yaml',
      stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [
          { level: 'Request', verbs: ['create'], resources: [{ group: '', resources: ['nodes', 'pods/binding'] }] },
          { level: 'None' },
        ],
      }),
    );
    await room.write(CONFIG, this.configuration(kubelet));
    for (const phase of ['certs all', 'kubeconfig all', 'etcd local', 'control-plane all']) {
      await this.phase(phase, []);
    }
    for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']) {
      const pod = parse(await room.must('cat', [`/etc/kubernetes/manifests/${name}.yaml`]));
      const [, ...args]: string[] = pod.spec.containers[0].command;
      if (name === 'kube-apiserver') {
        this.apiServerArgs = args;
        await this.startApiServer();
      } else {
        room.start(name, pathOf(PROGRAMS[name] as Tool), args);
      }
    }
    for (const phase of ['upload-config all', 'bootstrap-token', 'addon all']) {
      await this.phase(phase, [`--kubeconfig=${ADMIN}`]);
    }
    const key =
      'openssl x509 -in /etc/kubernetes/pki/ca.crt -pubkey -noout | openssl pkey -pubin -outform der | sha256sum';
    this.caCertHash = `sha256:${(await room.must('sh', ['-c', key])).slice(0, 64)}`;
  }

  /** Starts the API server, or starts it again, with the flags of its static Pod. */
  public async startApiServer(): Promise<void> {
    const name = 'kube-apiserver';
    const program = this.room.start(name, pathOf(PROGRAMS[name] as Tool), this.apiServerArgs);
    await program.ready(async () => (await this.kubectl(['get', '--raw', '/readyz'])).status === 0, 120);
  }

  /** Kills the API server, by its id in the machine. */
  public async killApiServer(): Promise<void> {
    const kill =
      'for each in /proc/[0-9]*; do [ "$(cat "$each/comm" 2>/dev/null)" != kube-apiserver ] || kill -KILL "${each#/proc/}"; done';
    await this.room.must('sh', ['-c', kill]);
  }

  private async phase(phase: string, args: readonly string[]): Promise<void> {
    await this.room.must(pathOf(KUBEADM), ['init', 'phase', ...phase.split(' '), `--config=${CONFIG}`, ...args]);
  }

  private configuration(kubelet: object): string {
    const version = 'kubeadm.k8s.io/v1beta4';
    const flag = (name: string, value: string) => ({ name, value });
    const mount = (name: string, path: string) => ({ name, hostPath: path, mountPath: path, pathType: 'File' });
    return [
      {
        apiVersion: version,
        kind: 'InitConfiguration',
        localAPIEndpoint: { advertiseAddress: Machine.ADDRESS, bindPort: 6443 },
        nodeRegistration: { name: 'cp1', criSocket: 'unix:///nonexistent.sock' },
        bootstrapTokens: [],
      },
      {
        apiVersion: version,
        kind: 'ClusterConfiguration',
        kubernetesVersion: versionOf(KUBEADM),
        controlPlaneEndpoint: '127.0.0.1:6443',
        apiServer: {
          certSANs: ['127.0.0.1'],
          extraArgs: [flag('audit-policy-file', '/etc/kubernetes/audit.yaml'), flag('audit-log-path', AUDIT_LOG)],
          extraVolumes: [mount('audit', '/etc/kubernetes/audit.yaml')],
        },
        controllerManager: { extraArgs: [flag('leader-elect', 'false')] },
        scheduler: { extraArgs: [flag('leader-elect', 'false')] },
        etcd: { local: { dataDir: '/var/lib/etcd', extraArgs: [flag('unsafe-no-fsync', 'true')] } },
      },
      { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...kubelet },
    ]
      .map((document) => stringify(document))
      .join('---\n');
  }

  /** kubectl as the administrator, for a shell in the room. */
  public get command(): string {
    return `${pathOf(KUBECTL)} --kubeconfig=${ADMIN}`;
  }

  /** Runs kubectl as the administrator; a failure is a result. */
  public kubectl(args: readonly string[]): ReturnType<Room['run']> {
    return this.room.run(pathOf(KUBECTL), [`--kubeconfig=${ADMIN}`, ...args]);
  }

  /** Like {@link KubeadmControlPlane.kubectl}, but a failure is an error. */
  public must(args: readonly string[]): Promise<string> {
    return this.room.must(pathOf(KUBECTL), [`--kubeconfig=${ADMIN}`, ...args]);
  }

  /** An object as data; undefined if there is none. */
  public async get(...args: readonly string[]): Promise<any> {
    const { status, stdout } = await this.kubectl(['get', '-o', 'json', ...args]);
    return status === 0 ? JSON.parse(stdout) : undefined;
  }

  public async apply(object: object): Promise<void> {
    // a CustomResourceDefinition is longer than an argument of a command can be
    const file = this.room.outside('/run/object.json');
    rmSync(file, { force: true });
    writeFileSync(file, JSON.stringify(object), { mode: 0o600 });
    await this.must(['apply', '--server-side', '--force-conflicts', '-f', '/run/object.json']);
  }

  /** A line for a shell in which `kubectl` is the administrator's. */
  public async sh(line: string): Promise<void> {
    await this.room.must('sh', ['-c', `kubectl() { ${this.command} "$@"; }\n${line}`]);
  }

  /** A token like those of kubeadm. */
  public async newTokenText(): Promise<string> {
    return (await this.room.must(pathOf(KUBEADM), ['token', 'generate'])).trim();
  }

  /** Creates a bootstrap token, and waits until the control plane has signed cluster-info with it. */
  public async makeKnown(secret: object, tokenId: string): Promise<void> {
    await this.apply(secret);
    for (let attempt = 0; attempt < 300; attempt++) {
      const { data } = (await this.get('configmap', 'cluster-info', '--namespace=kube-public')) ?? {};
      if (data?.[`jws-kubeconfig-${tokenId}`] !== undefined) {
        return;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
    throw new Error(`no signature by token ${tokenId} after a minute`);
  }

  /** The requests to the API server, oldest first. */
  public async audited(): Promise<any[]> {
    const text = await this.room.must('cat', [AUDIT_LOG]);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }

  public static program(name: 'kubeadm' | 'kubectl'): string {
    return pathOf(name === 'kubeadm' ? KUBEADM : KUBECTL);
  }
}

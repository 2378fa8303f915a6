import { App, Chart, Testing } from 'cdk8s';
import {
  BootstrapToken,
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  NodeReservation,
  type NodeReservationProps,
  SystemComponent,
} from 'edge-nodepools';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';

/** Port of the workload on the node. */
export const PORT = 9110;

const AMOUNTS: NodeReservationProps = {
  kubeReserved: { cpu: '100m', memory: '256Mi', ephemeralStorage: '500Mi', pid: 1000 },
  systemReserved: { cpu: '150m', memory: '200Mi', ephemeralStorage: '300M' },
  evictionHard: { 'memory.available': '3%', 'nodefs.available': '1.5%', 'imagefs.available': '1%' },
};

/** What of a machine depends on the size of its disk. */
export const SIZES_ON_DISK =
  'grep -e containerLog -e imageGC /var/lib/kubelet/config.yaml; cat /etc/systemd/journald.conf.d/10-edge-nodepools.conf 2>/dev/null; true';

/** What a user declares, and attributes for the tests. */
export class Declared {
  public readonly reservation = NodeReservation.of(AMOUNTS);
  /** The same amounts, on a disk on which logs are smaller. */
  public readonly reservationOnDisk = NodeReservation.of({ ...AMOUNTS, diskSize: '60Gi' });

  constructor(
    private readonly caCertHash: string,
    private readonly kubernetes = '1.36',
  ) {}

  /** A new tree, with new pools and joins. */
  private chart(): Chart {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    return new Chart(app, 'site');
  }

  public pool(apiServer = '192.0.2.10:6443', caCertHash = this.caCertHash): HostNetworkNodePool {
    const cluster = EdgeCluster.of({
      openYurt: 'none',
      kubernetes: this.kubernetes,
      apiServer,
      caCertHashes: [caCertHash],
    });
    return new HostNetworkNodePool(this.chart(), 'pool', {
      cluster,
      poolName: 'beijing',
      labels: { site: 'bj' },
      registrationTaint: true,
      taints: [{ key: 'site', value: 'bj', effect: 'PreferNoSchedule' }],
      reservation: this.reservation,
    });
  }

  public join(token: JoinToken, props: Partial<NodeJoinProps> = {}): NodeJoin {
    return new NodeJoin(this.chart(), 'join', {
      pool: this.pool(),
      token,
      attempts: 1,
      timeouts: { discovery: '5s', kubeletHealthCheck: '10s', tlsBootstrap: '20s' },
      ...props,
    });
  }

  public bootstrapToken(text: string): object {
    const chart = this.chart();
    const expiration = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
    new BootstrapToken(chart, 'token', { token: JoinToken.inline(text), expiration });
    return Testing.synth(chart)[0] as object;
  }

  public workload(): object {
    const labels = { app: 'collector' };
    return new HostNetworkWorkload(this.chart(), 'collector', {
      pool: this.pool(),
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'collector', namespace: 'default' },
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              automountServiceAccountToken: false,
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: 'server',
                  image: HTTP_SERVER_IMAGE,
                  imagePullPolicy: 'Never',
                  args: [String(PORT)],
                  ports: [{ containerPort: PORT }],
                  env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
                },
              ],
            },
          },
        },
      },
    }).manifest;
  }

  /** kubectl commands that exclude kube-proxy and CoreDNS. */
  public exclusionCommands(): string[] {
    const { report } = new EdgeSystemComponents(this.chart(), 'system', {
      cluster: this.pool().cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
    });
    return report.map(({ command }) => command ?? 'false');
  }
}

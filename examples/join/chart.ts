import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: 'api.shops.example:6443',
  // kubeadm token create --print-join-command prints it
  caCertHashes: ['sha256:4a6b1d2f8c90e37512ab34cd56ef78900b1c2d3e4f5061728394a5b6c7d8e9f0'],
  yurthub: true,
});

/** Small machines in shops: one core, 2 GiB, a disk of 32 GiB. */
export const MACHINE = { cpu: 1, memory: '2Gi', ephemeralStorage: '32Gi' };

/** Three ways to join machines to a pool: cloud-init, a script, Cluster API. */
export class ShopsChart extends Chart {
  public readonly cloud: NodeJoin;
  public readonly onSite: NodeJoin;
  /** The allocatable resources of a machine, as text. */
  public readonly report: string;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shops' });

    const reservation = NodeReservation.preset('edge-small');
    const shops = new HostNetworkNodePool(this, 'pool', {
      cluster,
      poolName: 'shops',
      registrationTaint: true,
      reservation,
    });

    // Machines with cloud-init: the provisioning tool writes the token to a file on the machine.
    this.cloud = new NodeJoin(this, 'cloud', {
      pool: shops,
      token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
      labels: { 'shops.example/kind': 'cloud' },
      packages: { manager: 'apt', version: '1.34.2' },
      provider: 'openstack',
    });

    // Machines without cloud-init run the script; they fetch the token with their own certificate.
    this.onSite = new NodeJoin(this, 'on-site', {
      pool: shops,
      token: JoinToken.fromCommand([
        'curl',
        '--fail',
        '--cert',
        '/etc/machine/cert.pem',
        'https://tokens.shops.example/join',
      ]),
      labels: { 'shops.example/kind': 'on-site' },
      kubeletConfiguration: { maxPods: 20 },
      ntpServers: ['ntp.shops.example'],
      format: 'script',
    });

    // Machines of Cluster API get their token from it.
    new KubeadmConfigTemplate(this, 'machines', { pool: shops, labels: { 'shops.example/kind': 'machine' } });

    const { cpu, memory, ephemeralStorage } = reservation.allocatable(MACHINE);
    const saved = reservation.savedPerNode([SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL]);
    this.report = [
      `for Pods on a machine: cpu ${cpu}, memory ${memory}, ephemeral-storage ${ephemeralStorage}`,
      `saved on each, because kube-proxy and flannel are excluded: ${saved.memory} of memory`,
    ].join('\n');
  }
}

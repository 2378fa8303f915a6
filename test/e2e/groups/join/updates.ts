import { JoinToken, type NodeJoin, type NodeJoinProps, NodeReservation } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { KubeadmControlPlane } from '../../harness/kubeadm-control-plane.js';
import type { Ended } from '../../harness/room.js';
import { isReady, type JoinProof } from './proof.js';

/** The programs of this machine, except for kubectl, which nodes of kubeadm do not have. */
const WITHOUT_KUBECTL =
  'mkdir -p /run/programs; ln -sf /usr/sbin/* /usr/bin/* /run/programs; rm -f /run/programs/kubectl; mount -t tmpfs tmpfs /usr/local/bin';

/** Of a small machine; the test machine has a cgroup driver of its own. */
const MACHINE: NodeJoinProps['machine'] = {
  sysctl: { 'net.ipv4.tcp_keepalive_time': '601' },
  diskSize: '8Gi',
  registries: [{ registry: 'docker.io', mirrors: ['https://mirror.example'] }],
};

/** Settings that a node gets after it has joined, by the real kubelet and kubeadm. */
export class Updates {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
    /** What the node has joined with. */
    private readonly joined: Partial<NodeJoinProps>,
  ) {}

  public async run(): Promise<void> {
    const { joins, machine, joined } = this;
    const { proof, site } = joins;
    const { name } = machine.room;
    await machine.sh(WITHOUT_KUBECTL);
    const reservation = NodeReservation.of({ kubeReserved: { cpu: '300m', memory: '300Mi' } });
    const settings = { reservation, kubeletExtraArgs: { v: '3' }, machine: MACHINE };
    const join = this.declared({ ...settings, labels: { rack: 'r1' } });
    const before = await this.starts();
    const first = await this.update(join, 'curl');
    proof.that(
      'an update of reservation, argument and label on a node without kubectl succeeds, and restarts kubelet once',
      first.status === 0 && (await this.starts()) === before + 1,
      first,
    );
    await proof.eventually(
      'then the node is Ready with the new reservation',
      async () => {
        const node = await site.plane.get('node', name);
        const { capacity, allocatable } = node.status;
        const ephemeralStorage = capacity['ephemeral-storage'] as string;
        const expected = reservation.allocatable({ cpu: capacity.cpu, memory: capacity.memory, ephemeralStorage });
        return isReady(node) && allocatable.cpu === expected.cpu && allocatable.memory === expected.memory;
      },
      30,
    );
    proof.same(
      'and its Node has the hash of the new join and the new label, set with the credential of kubelet',
      await this.labels(),
      [join.contentHash.slice(0, 10), 'r1'],
    );
    const running = await machine.sh(`tr '\\0' ' ' < /proc/$(cat /run/kubelet.pid)/cmdline`);
    proof.that('kubelet runs with the new argument', running.stdout.includes(' --v=3'), running);
    const machineNow = await machine.sh(
      'cat /proc/sys/net/ipv4/tcp_keepalive_time; containerd config dump | grep -e config_path -e "SystemdCgroup = true" | sort -u; grep -e containerLog -e imageGC /var/lib/kubelet/config.yaml',
    );
    proof.same(
      'and the machine has its kernel parameter, and kubelet runs with the log and image sizes of a small disk',
      machineNow.stdout.replace(/ {2,}/g, ''),
      '601\nconfig_path = "/etc/containerd/certs.d"\ncontainerLogMaxFiles: 2\ncontainerLogMaxSize: 2Mi\nimageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\n',
    );
    await this.twice(join);
    await this.back(join);
    await this.removesLabel(joined, settings);
  }

  private declared(props: Partial<NodeJoinProps>): NodeJoin {
    return this.joins.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), {
      ...this.joined,
      timeouts: { discovery: '5s', kubeletHealthCheck: '5s', tlsBootstrap: '20s' },
      ...props,
    });
  }

  private async update({ updateScript = '' }: NodeJoin, by: 'curl' | 'kubectl'): Promise<Ended> {
    const { room } = this.machine;
    await room.write('/run/update.sh', updateScript);
    const kubectl = KubeadmControlPlane.program('kubectl');
    return room.sh(
      `${by === 'curl' ? 'rm -f' : `ln -sf ${kubectl}`} /run/programs/kubectl; PATH="$(dirname "$(command -v kubeadm)"):/run/programs" sh -s < /run/update.sh`,
    );
  }

  /** How often kubelet has started. */
  private async starts(): Promise<number> {
    return Number((await this.machine.sh("grep -c 'Starting kubelet main sync loop' /var/log/kubelet.log")).stdout);
  }

  private async labels(): Promise<readonly unknown[]> {
    const { labels } = (await this.joins.site.plane.get('node', this.machine.room.name)).metadata;
    return [labels['edge-nodepools/join'], labels.rack];
  }

  /** Files of the node, and its kubelet. */
  private async state(): Promise<string> {
    const { stdout } = await this.machine.sh(
      'cat /run/kubelet.pid; find /etc/kubernetes /etc/cni /etc/containerd /etc/hostile /var/lib/kubelet/*.* /var/lib/edge-nodepools -type f -exec cksum {} + | sort',
    );
    return stdout;
  }

  private async twice(join: NodeJoin): Promise<void> {
    const before = await this.state();
    const again = await this.update(join, 'kubectl');
    this.joins.proof.that(
      'run again, with kubectl, it says that there is nothing to do, and changes no file',
      again.status === 0 && again.stderr.includes('nothing to do') && (await this.state()) === before,
      again,
    );
  }

  private async back(join: NodeJoin): Promise<void> {
    const { proof } = this.joins;
    const before = (await this.state()).replace(/^\d+\n/, '');
    const broken = this.declared({ kubeletConfiguration: { cpuManagerPolicy: 'nonsense' }, labels: { rack: 'r2' } });
    const failed = await this.update(broken, 'curl');
    proof.that(
      'a configuration with which kubelet does not start is taken back, and the script says so',
      failed.status === 70 && failed.stderr.includes('taken back: this node is as before'),
      failed,
    );
    proof.same('then all files are the former ones', (await this.state()).replace(/^\d+\n/, ''), before);
    proof.same('and the Node has the former labels', await this.labels(), [join.contentHash.slice(0, 10), 'r1']);
    const { status } = await this.machine.sh('curl -fsS http://127.0.0.1:10248/healthz');
    proof.same('and kubelet is healthy', status, 0);
  }

  /** Labels need no restart, and those of the former join go. */
  private async removesLabel(joined: Partial<NodeJoinProps>, settings: Partial<NodeJoinProps>): Promise<void> {
    const { proof } = this.joins;
    const join = this.declared({ ...joined, ...settings });
    const before = await this.starts();
    const ran = await this.update(join, 'curl');
    proof.that('an update of labels alone restarts nothing', ran.status === 0 && (await this.starts()) === before, ran);
    proof.same('and removes the label of the former join', await this.labels(), [
      join.contentHash.slice(0, 10),
      undefined,
    ]);
  }
}

import { JoinToken, type NodeJoin, type NodeJoinProps, NodeReservation } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { KubeadmControlPlane } from '../../harness/kubeadm-control-plane.js';
import type { Ended } from '../../harness/room.js';
import { SHELLS } from '../../../join/machine-folder.js';
import { SIZES_ON_DISK } from './declared.js';
import { isReady, type JoinProof } from './proof.js';

/** The programs of this machine, except for kubectl, which nodes of kubeadm do not have. */
const WITHOUT_KUBECTL =
  'mkdir -p /run/programs; ln -sf /usr/sbin/* /usr/bin/* /run/programs; rm -f /run/programs/kubectl; mount -t tmpfs tmpfs /usr/local/bin';

/** Of a small machine; the test machine has a cgroup driver of its own. */
const MACHINE: NodeJoinProps['machineSettings'] = {
  sysctl: { 'net.ipv4.tcp_keepalive_time': '601' },
  registries: [{ registry: 'docker.io', mirrors: ['https://mirror.example'] }],
};

const AMOUNTS = { kubeReserved: { cpu: '300m', memory: '300Mi' } };

/** By default the power fails after a few writes of an update; by hand after every n-th. */
const STEP = Number(process.env.EDGE_NODEPOOLS_POWER_CUTS ?? '100');

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
    const reservation = NodeReservation.of({ ...AMOUNTS, diskSize: '8Gi' });
    const settings = { reservation, kubeletExtraArgs: { v: '3' }, machineSettings: MACHINE };
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
      `cat /proc/sys/net/ipv4/tcp_keepalive_time; containerd config dump | grep -e config_path -e "SystemdCgroup = true" | sort -u; ${SIZES_ON_DISK}`,
    );
    proof.same(
      'and the machine has its kernel parameter, and kubelet and the journal the sizes for the small disk of the reservation',
      machineNow.stdout.replace(/ {2,}/g, ''),
      '601\nconfig_path = "/etc/containerd/certs.d"\ncontainerLogMaxFiles: 2\ncontainerLogMaxSize: 2Mi\nimageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\n[Journal]\nSystemMaxUse=32M\n',
    );
    await this.twice(join);
    await this.back(join);
    await this.removesLabel(joined, settings);
    await this.diskGrows(settings);
    await this.byEveryShell(settings);
    await this.diskIsFull(settings);
    await this.powerFails(settings);
  }

  private declared(props: Partial<NodeJoinProps>): NodeJoin {
    return this.joins.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), {
      ...this.joined,
      timeouts: { discovery: '5s', kubeletHealthCheck: '5s', tlsBootstrap: '20s' },
      ...props,
    });
  }

  private async update(join: NodeJoin, by: 'curl' | 'kubectl', shell = 'sh'): Promise<Ended> {
    return this.machine.sh(await this.command(join, by, shell));
  }

  private async command({ updateScript = '' }: NodeJoin, by: 'curl' | 'kubectl', shell = 'sh'): Promise<string> {
    await this.machine.room.write('/run/update.sh', updateScript);
    const kubectl = KubeadmControlPlane.program('kubectl');
    return `${by === 'curl' ? 'rm -f' : `ln -sf ${kubectl}`} /run/programs/kubectl; PATH="$(dirname "$(command -v kubeadm)"):/run/programs" ${shell} -s < /run/update.sh`;
  }

  private isHealthy = async (): Promise<boolean> =>
    (await this.machine.sh('curl -fsS http://127.0.0.1:10248/healthz')).status === 0;

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
    const broken = this.declared({
      kubeletConfiguration: { featureGates: { Nonsense: true } },
      labels: { rack: 'r2' },
    });
    const failed = await this.update(broken, 'curl');
    proof.that(
      'a configuration with which kubelet does not start is taken back, and the script says so',
      failed.status === 70 && failed.stderr.includes('taken back: this node is as before'),
      failed,
    );
    proof.same('then all files are the former ones', (await this.state()).replace(/^\d+\n/, ''), before);
    proof.same('and the Node has the former labels', await this.labels(), [join.contentHash.slice(0, 10), 'r1']);
    proof.that('and kubelet is healthy', await this.isHealthy());
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

  /** Another size in the reservation alone, with which everything is as by default. */
  private async diskGrows(settings: Partial<NodeJoinProps>): Promise<void> {
    const { proof } = this.joins;
    const before = await this.starts();
    const reservation = NodeReservation.of({ ...AMOUNTS, diskSize: '100Gi' });
    const ran = await this.update(this.declared({ ...settings, reservation }), 'curl');
    proof.that(
      'an update to a reservation for a larger disk succeeds, and restarts kubelet once',
      ran.status === 0 && (await this.starts()) === before + 1 && (await this.isHealthy()),
      ran,
    );
    proof.same(
      'then kubelet and the journal have their default sizes',
      (await this.machine.sh(SIZES_ON_DISK)).stdout,
      '',
    );
  }

  /** With shells of this machine that have -s (posh has not; test/join runs it, and yash): each gives kubelet another argument. */
  private async byEveryShell(settings: Partial<NodeJoinProps>): Promise<void> {
    const { proof } = this.joins;
    for (const [index, shell] of SHELLS.filter((name) => !/^(posh|yash)/.test(name)).entries()) {
      if ((await this.machine.sh(`command -v ${shell.split(' ')[0] ?? ''}`)).status !== 0) {
        proof.note(`an update by ${shell}: not run, because this machine does not have it`);
        continue;
      }
      const before = await this.starts();
      const join = this.declared({
        ...settings,
        kubeletExtraArgs: { v: `${index % 2}` },
        labels: { rack: `r${index}` },
      });
      const ran = await this.update(join, 'curl', shell);
      proof.that(
        `an update by ${shell} succeeds, and restarts kubelet once`,
        ran.status === 0 && (await this.starts()) === before + 1 && (await this.isHealthy()),
        ran,
      );
      proof.same(`an update by ${shell} sets the labels`, await this.labels(), [
        join.contentHash.slice(0, 10),
        `r${index}`,
      ]);
    }
  }

  private async diskIsFull(settings: Partial<NodeJoinProps>): Promise<void> {
    const { proof } = this.joins;
    const folder = '/var/lib/edge-nodepools/update';
    const before = await this.state();
    await this.machine.sh(`mkdir -p ${folder} && mount -t tmpfs -o size=16k tmpfs ${folder}`);
    const full = await this.update(this.declared({ ...settings, kubeletExtraArgs: { v: '6' } }), 'curl');
    await this.machine.sh(`umount ${folder}; rmdir ${folder}`);
    proof.that(
      'an update on a full disk says so, and changes nothing',
      full.status === 74 && full.stderr.includes('Nothing is changed') && (await this.state()) === before,
      full,
    );
  }

  /** A power failure in an update, a boot, and the same update again. */
  private async powerFails(settings: Partial<NodeJoinProps>): Promise<void> {
    const { joins, machine } = this;
    const { proof, site } = joins;
    for (let at = Math.min(STEP, 4), cut: string | undefined = ''; cut !== undefined; at += STEP) {
      const join = this.declared({ ...settings, kubeletExtraArgs: { v: `${at % 7}` }, labels: { rack: `cut-${at}` } });
      cut = await machine.cut(await this.command(join, 'curl'), at);
      const where = cut === undefined ? 'after its end' : `after write ${at}, ${cut}`;
      await this.boots(where);
      const again = await this.update(join, 'curl');
      proof.that(
        `a power failure in an update, ${where}: the next run succeeds, and kubelet is healthy`,
        again.status === 0 && (await this.isHealthy()),
        again,
      );
      proof.same(`a power failure in an update, ${at}: the Node has its labels`, await this.labels(), [
        join.contentHash.slice(0, 10),
        `cut-${at}`,
      ]);
      await proof.eventually(
        `a power failure in an update, ${at}: the node is Ready`,
        async () => isReady(await site.plane.get('node', machine.room.name)),
        60,
      );
    }
  }

  /** What a boot runs, and then another join: it never takes the node for one that has it. */
  private async boots(where: string): Promise<void> {
    const { joins, machine } = this;
    await machine.sh(
      'PATH="$(dirname "$(command -v kubeadm)"):/run/programs"; cd /var/lib/edge-nodepools/update && [ ! -e changing ] && [ ! -e changed ] || sh ./update.sh heal',
    );
    await machine.room.write('/run/other-join.sh', this.declared({ labels: { rack: 'another' } }).script);
    const other = await machine.sh('sh /run/other-join.sh');
    const left = await machine.sh(
      'tail -c 1 /var/lib/edge-nodepools/applied | wc -l; ls -A /etc/containerd | grep edge-nodepools',
    );
    joins.proof.that(
      `a power failure in an update, ${where}: after the boot the record is whole, no copy is left, and another join is refused`,
      other.status === 78 && /Not applied: /.test(other.stderr) && left.stdout.trim() === '1',
      { other, left },
    );
  }
}

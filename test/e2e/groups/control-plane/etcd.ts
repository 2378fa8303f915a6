import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster } from 'edge-nodepools';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { parse, stringify } from 'yaml';
import { EtcdHost, EtcdSite } from '../../harness/etcd-site.js';
import type { Group, Proof } from '../../harness/group.js';
import type { Program } from '../../harness/program.js';
import type { Room } from '../../harness/room.js';
import { SecondDay } from './etcd-second-day.js';
import { kubernetesTool, pathOf, versionOf } from '../../harness/tool.js';

const KUBEADM = kubernetesTool('kubeadm', '1.36');
const KUBECTL = kubernetesTool('kubectl', '1.36');
const API_SERVER = kubernetesTool('kube-apiserver', '1.36');

const NAMES = ['etcd-1', 'etcd-2', 'etcd-3'] as const;
const MEMBERS = NAMES.map((name, index) => ({
  name,
  address: `192.0.2.1${index + 1}`,
  device: `/dev/disk/by-id/virtio-${name}`,
}));
/** kubeadm gives every CA of etcd this name. */
const OTHER_CA = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=etcd-ca'.split(' ');
const CONTROL_PLANE = '192.0.2.5';
const CONF = '/etc/kubernetes/super-admin.conf';

/** The cluster of the proof. */
export function declared(): EtcdCluster {
  return new EtcdCluster(new Chart(new App(), 'chart'), 'etcd', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
    name: 'edge',
    members: MEMBERS,
    certificates: { source: 'kubeadm' },
    quota: '16Mi',
    // a test machine shares its disk
    latency: 'shared',
    snapshots: { keep: 2, upload: ['sh', '-c', 'mkdir -p /run/uploaded && cp "$1" /run/uploaded/', 'sh', '{file}'] },
  });
}

/** The alerts of the cluster. */
function alerts(): any[] {
  const chart = new Chart(new App(), 'chart');
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
  const certificates = { source: 'files' as const };
  new EtcdCluster(chart, 'etcd', {
    cluster,
    name: 'edge',
    members: MEMBERS,
    certificates,
    alerts: { job: 'edge-etcd' },
  });
  return Testing.synth(chart);
}

/** Three members and a control plane. */
class EtcdProof {
  private hosts: EtcdHost[] = [];
  private readonly cluster = declared();
  private readonly pki: string;

  constructor(
    private readonly site: EtcdSite,
    private readonly proof: Proof,
  ) {
    this.pki = join(site.folder, 'pki');
  }

  public async run(): Promise<void> {
    this.makeCertificates();
    await this.refusesWithout();
    await this.serves();
    await new SecondDay(this.hosts, this.site, this.proof, this.pki).run();
  }

  /** Our script, with the real kubeadm. */
  private makeCertificates(): void {
    const { proof, pki, site } = this;
    const script = join(site.folder, 'certificates.sh');
    writeFileSync(script, this.cluster.certificatesScript as string);
    const env = { ...process.env, PATH: `${dirname(pathOf(KUBEADM))}:${process.env.PATH}` };
    const make = () => spawnSync('sh', [script, pki], { encoding: 'utf8', env });
    const { status, stderr } = make();
    proof.that('certificates: kubeadm makes them from our documents', status === 0, stderr);
    const keys = (folder: string) => readdirSync(join(pki, folder)).filter((file) => file.endsWith('.key'));
    proof.same('certificates: the key of the CA is in no folder of a machine', [...NAMES, 'apiserver'].map(keys), [
      ...NAMES.map(() => ['peer.key', 'server.key']),
      ['apiserver-etcd-client.key'],
    ]);
    const before = readFileSync(join(pki, 'etcd-1', 'server.key'), 'utf8');
    make();
    proof.same(
      'certificates: a second run keeps them',
      readFileSync(join(pki, 'etcd-1', 'server.key'), 'utf8'),
      before,
    );
    rmSync(join(pki, 'etcd-1', 'server.key'));
    make();
    proof.that('certificates: what a killed run left out is made', existsSync(join(pki, 'etcd-1', 'server.key')));
    renameSync(join(pki, 'ca'), join(site.folder, 'safe'));
    rmSync(join(pki, 'etcd-1'), { recursive: true });
    const without = make();
    proof.that(
      'certificates: without the key of the CA no second CA is made',
      without.status === 1 && /of a CA whose key is not in/.test(without.stderr),
      without.stderr,
    );
    renameSync(join(site.folder, 'safe'), join(pki, 'ca'));
    proof.same('certificates: with it, a removed folder is made again', make().status, 0);
  }

  /** The guard: no volume, a foreign volume, no certificates. */
  private async refusesWithout(): Promise<void> {
    const { proof, site } = this;
    for (const { name, address } of MEMBERS) {
      const files = this.cluster.members.find((one) => one.name === name);
      this.hosts.push(new EtcdHost(await site.machine(name, address), files as never));
    }
    for (const host of this.hosts) {
      const { status, stderr } = await host.install();
      proof.that(`${host.files.name}: its script installs it`, status === 0, stderr);
    }
    const [first] = this.hosts as [EtcdHost];
    await this.isWellFormed(first);
    const says = async (claim: string, pattern: RegExp): Promise<void> => {
      const { status, stderr } = await first.start();
      proof.that(`guard: ${claim}`, status === 1 && pattern.test(stderr), stderr);
    };
    await says('without its volume a member does not start, and says so', /virtio-etcd-1 is not attached/);
    const { device } = MEMBERS[0] as { readonly device: string };
    const foreign = site.volume('foreign', 32);
    spawnSync('mkfs.ext3', ['-q', foreign]);
    await first.attach(foreign, device);
    await says('a volume with another file system is not formatted', /has other content than ext4/);
    const unknown = site.volume('unknown', 32);
    spawnSync('dd', [`of=${unknown}`, 'bs=1', 'seek=5000', 'conv=notrunc'], { input: 'something' });
    await first.attach(unknown, device);
    await says('nor is one with unknown content', /is not blank/);
    await first.room.must('touch', ['/etc/etcd/formatted.begun']);
    await says('a format that the power cut ended is done again', /pki\/ca\.crt is not there yet/);
    await first.room.must('umount', ['/var/lib/etcd']);
    await first.room.must('rm', ['/etc/etcd/formatted']);
    const newer = await first.room.sh("sed 's/version=3[.]6/version=3.7/' /usr/local/sbin/edge-etcd | sh -s ready");
    proof.that(
      'guard: with another minor than declared it does not start',
      newer.status === 1 && /etcd 3\.6\.\d+ is installed, and this member is declared for 3\.7/.test(newer.stderr),
      newer.stderr,
    );
    for (const [index, host] of this.hosts.entries()) {
      await host.attach(site.volume(`data-${index}`, 512), MEMBERS[index]?.device ?? '');
    }
    await says('without certificates it does not start either', /pki\/ca\.crt is not there yet/);
    const mounted = await first.room.sh('findmnt -n -o FSTYPE,TARGET --mountpoint /var/lib/etcd; cat /etc/fstab');
    proof.that(
      'guard: a blank volume is formatted and mounted, also after a reboot',
      /^ext4 [^]*\n\/dev\/disk\/by-id\/virtio-etcd-1 \/var\/lib\/etcd ext4/.test(mounted.stdout),
      mounted.stdout,
    );
    await first.trust(join(this.pki, 'etcd-2'));
    await says('with the certificates of another member it does not start', /server\.crt is not for 192\.0\.2\.11/);
    await first.trust(join(this.pki, 'etcd-1'));
    await first.room.must('openssl', [...OTHER_CA, '-keyout', '/dev/null', '-out', '/etc/etcd/pki/ca.crt']);
    await says('with a CA of the same name that is another it does not start', /server\.crt is not signed by/);
    await first.room.must('umount', ['/var/lib/etcd']);
    await first.attach(site.volume('other', 32), device);
    await says('a volume that became blank is not formatted again', /is blank, and this member had data/);
    await first.room.sh(`mkdir -p /run/x && mount -t tmpfs tmpfs /var/lib/etcd`);
    await says('another file system at its folder is refused', /tmpfs is mounted at \/var\/lib\/etcd/);
    await first.room.must('umount', ['/var/lib/etcd']);
    await first.attach('/dev/' + this.loopOf('data-0'), device);
  }

  /** What else reads our files: systemd and cloud-init. */
  private async isWellFormed({ room, files }: EtcdHost): Promise<void> {
    const { proof } = this;
    const readers = {
      'systemd-analyze': 'systemd-analyze verify $(ls /etc/systemd/system/*etcd*) 2>&1',
      'cloud-init': 'cloud-init schema --config-file /run/user-data 2>&1 | grep -v "^Valid"',
    };
    await room.write('/run/user-data', files.userData);
    for (const [reader, line] of Object.entries(readers)) {
      if ((await room.sh(`command -v ${reader}`)).status !== 0) {
        proof.note(`skipped, because ${reader} is not installed: what it says of our files`);
      } else {
        proof.same(`${reader} has nothing to say about our files`, (await room.sh(`${line} || :`)).stdout, '');
      }
    }
  }

  private loopOf(volume: string): string {
    const { stdout } = spawnSync('losetup', ['--associated', join(this.site.folder, `${volume}.img`)], {
      encoding: 'utf8',
    });
    return /^\/dev\/(\w+):/.exec(stdout)?.[1] ?? '';
  }

  private async serves(): Promise<void> {
    const { proof, hosts, site } = this;
    await Promise.all(hosts.map((host) => host.trust(join(this.pki, host.files.name))));
    const started = await Promise.all(hosts.map((host) => host.start()));
    proof.that(
      'they start with their volumes and their certificates, when all are there',
      started.every(({ status }) => status === 0),
      started,
    );
    await proof.eventually('the three members elect a leader, over TLS', async () =>
      (await Promise.all(hosts.map((host) => host.isHealthy()))).every(Boolean),
    );
    const list = await (hosts[0] as EtcdHost).tool('run', 'member', 'list');
    proof.that(
      'edge-etcd run asks all members',
      NAMES.every((name) => list.stdout.includes(name)),
      list,
    );
    const plain = await (hosts[0] as EtcdHost).room.sh(
      'etcdctl --cacert=/etc/etcd/pki/ca.crt --endpoints=https://127.0.0.1:2379 --command-timeout=2s get a',
    );
    proof.that('a client without a certificate is refused', plain.status !== 0);

    await this.hasMetrics();
    const control = await site.machine('cp1', CONTROL_PLANE);
    const apiServer = await this.startApiServer(control);
    const kubectl = (...args: string[]) => control.run(pathOf(KUBECTL), [`--kubeconfig=${CONF}`, ...args]);
    await apiServer.ready(async () => (await kubectl('get', '--raw', '/readyz')).status === 0, 120);
    const made = await kubectl('create', 'configmap', 'proof', '--from-literal=a=b');
    proof.that('the API server of kubeadm stores objects in them', made.status === 0, made.stderr);
    const stored = await (hosts[2] as EtcdHost).ctl('get', '/registry/configmaps/default/proof', '--keys-only');
    proof.that('and they are at every member', stored.stdout.includes('/registry/configmaps/default/proof'), stored);

    await (hosts[1] as EtcdHost).stop('KILL');
    // a request that the killed leader had is lost
    await proof.eventually(
      'with one of three members killed, it writes again after the election',
      async () => (await kubectl('create', 'configmap', `without-${Date.now()}`)).status === 0,
    );
    await (hosts[1] as EtcdHost).start();
    await proof.eventually('the killed member comes back with its data', () => (hosts[1] as EtcdHost).isHealthy());
  }

  /** Every metric of the alerts is one of etcd. That of the other members appears when the first probe has answered. */
  private async hasMetrics(): Promise<void> {
    const names = new Set(JSON.stringify(alerts()).match(/\betcd_\w+(?=\{)/g));
    const missing = async (): Promise<string[]> => {
      const { stdout } = await (this.hosts[0] as EtcdHost).room.sh(
        'curl -s --noproxy "*" http://127.0.0.1:2381/metrics || wget -qO- http://127.0.0.1:2381/metrics',
      );
      return [...names].filter((name) => !new RegExp(`^${name}[ {]`, 'm').test(stdout));
    };
    await this.proof.eventually(
      `every metric of the alerts (${names.size}) is one of a member`,
      async () => names.size >= 9 && (await missing()).length === 0,
      60,
    );
  }

  /** The API server as kubeadm writes it, with our ClusterConfiguration. */
  private async startApiServer(control: Room): Promise<Program> {
    const { proof } = this;
    const { apiVersion } = this.cluster.clusterConfiguration;
    const documents = [
      {
        apiVersion,
        kind: 'InitConfiguration',
        localAPIEndpoint: { advertiseAddress: CONTROL_PLANE },
        nodeRegistration: { name: 'cp1', criSocket: 'unix:///nonexistent.sock' },
      },
      { ...this.cluster.clusterConfiguration, kubernetesVersion: versionOf(KUBEADM) },
    ];
    await control.write('/run/init.yaml', documents.map((document) => stringify(document)).join('---\n'));
    await control.must('mkdir', ['-p', '/etc/kubernetes/pki/etcd']);
    for (const [from, to] of [
      ['ca.crt', 'etcd/ca.crt'],
      ['apiserver-etcd-client.crt', 'apiserver-etcd-client.crt'],
      ['apiserver-etcd-client.key', 'apiserver-etcd-client.key'],
    ]) {
      await control.write(
        `/etc/kubernetes/pki/${to}`,
        readFileSync(join(this.pki, 'apiserver', from as string), 'utf8'),
        '0600',
      );
    }
    for (const phase of ['certs all', 'kubeconfig super-admin', 'control-plane apiserver']) {
      await control.must(pathOf(KUBEADM), ['init', 'phase', ...phase.split(' '), '--config=/run/init.yaml']);
    }
    proof.that('kubeadm makes no etcd of its own', !existsSync(control.outside('/etc/kubernetes/manifests/etcd.yaml')));
    const pod = parse(await control.must('cat', ['/etc/kubernetes/manifests/kube-apiserver.yaml']));
    const [, ...args]: string[] = pod.spec.containers[0].command;
    proof.same(
      'kubeadm gives the API server the flags that we name for control planes without it',
      this.cluster.apiServerFlags.filter((flag) => !args.includes(flag)),
      [],
    );
    return control.start('kube-apiserver', pathOf(API_SERVER), args);
  }
}

/** EtcdCluster on three machines. */
export const etcd: Group = {
  name: 'etcd',
  claim:
    'three members of an EtcdCluster, from its own files, refuse to start without their volume or their certificates, serve the API server of kubeadm over TLS, survive the loss of one, lose no acknowledged write and begin no second cluster when a restore or a replacement is cut off at any step, and say so when a certificate has expired or is not valid yet; they have every metric of the alerts',
  programs: `etcd 3.6, kubeadm and kube-apiserver 1.36`,
  tools: [...EtcdSite.TOOLS, KUBEADM, KUBECTL, API_SERVER],
  needs: ['linux', 'root', 'namespaces', 'iproute2', 'openssl'],
  run: async (proof) => {
    const site = await EtcdSite.start();
    try {
      await new EtcdProof(site, proof).run();
    } finally {
      const keepLogs = proof.failures.length > 0;
      if (keepLogs) {
        proof.note(`logs: ${site.logs}`);
      }
      await site.stop({ keepLogs });
    }
  },
};

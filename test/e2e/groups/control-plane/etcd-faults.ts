import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { EdgeCluster } from 'edge-nodepools';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { EtcdHost, EtcdSite } from '../../harness/etcd-site.js';
import type { Group, Proof } from '../../harness/group.js';
import type { Ended } from '../../harness/room.js';

const MEMBERS = [1, 2, 3].map((number) => ({
  name: `etcd-${number}`,
  address: `192.0.2.1${number}`,
  device: `/dev/disk/by-id/virtio-etcd-${number}`,
}));

/** A CA, and a certificate for each member, with which it is server and client. */
const CERTIFICATES = `
cd "$1" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=etcd-ca -keyout ca.key -out ca.crt -days 30
for n in 1 2 3; do
  mkdir "etcd-$n" && cp ca.crt "etcd-$n" && cd "etcd-$n"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=etcd-$n" -keyout peer.key -out csr
  printf 'subjectAltName=IP:192.0.2.1%s,IP:127.0.0.1\\nextendedKeyUsage=serverAuth,clientAuth\\n' "$n" > ext
  openssl x509 -req -in csr -CA ../ca.crt -CAkey ../ca.key -CAcreateserial -extfile ext -days 30 -out peer.crt
  openssl x509 -req -in csr -CA ../ca.crt -CAkey ../ca.key -CAcreateserial -extfile ext -days 0 -out expired.crt
  cp peer.crt server.crt; cp peer.key server.key; cd ..
done`;

/** Writes twenty keys at a time as fast as it can, at the members of an address list, and notes each that was acknowledged: TAG ENDPOINTS. */
const WRITER = `
i=0; while :; do
  i=$((i + 1)); words=; for k in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j; do words="$words\\nput /w/$1-$i-$k x"; done; sleep 0.1
  printf "\\n$words\\n\\n\\n" | sed '2{/^$/d}' |
    etcdctl --cacert=/etc/etcd/pki/ca.crt --cert=/etc/etcd/pki/peer.crt --key=/etc/etcd/pki/peer.key \\
      --endpoints="$2" --command-timeout=3s txn 2>/dev/null | grep -q SUCCESS &&
    for k in 0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j; do echo "/w/$1-$i-$k"; done >> /run/acknowledged
done`;

/** Cuts the power before or after a command that writes, by the pattern in /run/cut. */
const CUT = `
CUT=$(cat /run/cut 2>/dev/null)
cuts() { case "$*" in $CUT) [ -z "$CUT" ] || kill -KILL -1 $$ ;; esac; }
${['chown', 'chmod', 'mkdir', 'mv', 'sync', 'cp', 'sed', 'rmdir']
  .map(
    (name) =>
      `${name}() { cuts before ${name} "$@"; command ${name} "$@"; was=$?; cuts after ${name} "$@"; return $was; }`,
  )
  .join('\n')}
`;

/** Every write of an agreement, and of the beginning with restored data. */
const OF_BEGIN = [
  'before mkdir -p /var/lib/etcd/prepared/member',
  'before sync /var/lib/etcd/prepared/member/agreed.new',
  'before mv /var/lib/etcd/prepared/member/agreed.new *',
  'after mv /var/lib/etcd/prepared/member/agreed.new *',
  'before mv /var/lib/etcd/data *',
  'after mv /var/lib/etcd/data *',
  'after sed *initial-cluster-token: *',
  'after mv /etc/etcd/etcd.conf.yml.new *',
  'before mv /var/lib/etcd/prepared /var/lib/etcd/data',
  'after mv /var/lib/etcd/prepared /var/lib/etcd/data',
];

/** Three members at a site of their own, a machine that writes to them, and what is done to them. */
class Trio {
  public static async start(name: string, proof: Proof): Promise<Trio> {
    const site = await EtcdSite.start();
    const trio = new Trio(name, proof, site);
    await trio.prepare();
    return trio;
  }

  private readonly cluster = new EtcdCluster(new Chart(new App(), 'chart'), 'etcd', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
    name: 'edge',
    members: MEMBERS,
    certificates: { source: 'files' },
    latency: 'shared',
    quota: '64Mi',
  });
  private readonly hosts: EtcdHost[] = [];
  private writer?: EtcdHost;
  private volumes = 0;
  private tags = 0;

  private constructor(
    private readonly name: string,
    private readonly proof: Proof,
    public readonly site: EtcdSite,
  ) {}

  public host(number: number): EtcdHost {
    return this.hosts[number - 1] as EtcdHost;
  }

  public that(claim: string, holds: boolean, seen: unknown = ''): void {
    this.proof.that(`${this.name}: ${claim}`, holds, seen);
  }

  private async eventually(claim: string, look: () => Promise<boolean>, seconds = 240): Promise<void> {
    await this.proof.eventually(`${this.name}: ${claim}`, look, seconds);
  }

  private async prepare(): Promise<void> {
    const { status, stderr } = spawnSync('sh', ['-c', CERTIFICATES, 'sh', this.site.folder], { encoding: 'utf8' });
    this.that(
      'its certificates are made',
      status === 0 && existsSync(join(this.site.folder, 'etcd-3/peer.crt')),
      stderr,
    );
    await Promise.all(MEMBERS.map((_, index) => this.build(index + 1)));
    const room = await this.site.machine('writer', '192.0.2.5');
    this.writer = new EtcdHost(room, this.host(1).files);
    await this.writer.trust(join(this.site.folder, 'etcd-1'));
  }

  /** A machine is built from its first user data, with a blank volume; one that was there before is gone, with its volume. */
  public async build(number: number): Promise<void> {
    const former = this.hosts[number - 1];
    if (former !== undefined) {
      await former.cutPower();
      await former.room.must('ip', ['link', 'set', 'eth0', 'down']);
    }
    const { name, address, device } = MEMBERS[number - 1] as (typeof MEMBERS)[0];
    const files = this.cluster.members.find((one) => one.name === name) as EtcdHost['files'];
    const host = new EtcdHost(await this.site.machine(name, address), files);
    this.hosts[number - 1] = host;
    await host.install();
    await host.attach(this.site.volume(`data-${++this.volumes}`, 512), device);
    await host.trust(join(this.site.folder, name));
  }

  public async boot(...numbers: readonly number[]): Promise<void> {
    await Promise.all(numbers.map((number) => this.host(number).boot()));
  }

  public async cutPower(...numbers: readonly number[]): Promise<void> {
    await Promise.all(numbers.map((number) => this.host(number).cutPower()));
  }

  public async serve(...numbers: readonly number[]): Promise<void> {
    await this.eventually(`${numbers.join(', ')} serve`, async () =>
      (await Promise.all(numbers.map((number) => this.host(number).isHealthy()))).every(Boolean),
    );
  }

  /** The first day: all are there, and begin. */
  public async begins(): Promise<void> {
    await this.boot(1, 2, 3);
    await this.serve(1, 2, 3);
  }

  public acknowledged(): string[] {
    try {
      const file = this.writer?.room.outside('/run/acknowledged') ?? '';
      return readFileSync(file, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  /** Writes until 400 more keys are acknowledged by these members, and goes on writing. */
  public async write(...numbers: readonly number[]): Promise<void> {
    const before = this.acknowledged().length;
    const endpoints = numbers.map((number) => `https://192.0.2.1${number}:2379`).join(',');
    this.writer?.room.start(`writer-${++this.tags}`, 'sh', ['-c', WRITER, 'sh', `${this.tags}`, endpoints]);
    await this.eventually(`${numbers.join(', ')} acknowledge 400 writes`, () =>
      Promise.resolve(this.acknowledged().length >= before + 400),
    );
  }

  public async endWrites(): Promise<void> {
    await this.writer?.cutPower();
  }

  /** It does not begin, whoever asks how often, and its journal says why. */
  public async refuses(number: number, why: RegExp): Promise<void> {
    const host = this.host(number);
    await this.eventually(`etcd-${number} says ${why.source}`, async () => why.test(await host.journal()), 180);
    await new Promise((done) => setTimeout(done, 4000));
    this.that(`etcd-${number} does not begin`, !(await host.runs()), await host.journal());
  }

  /** Stops it after its guard, before etcd is started, until it is let go. */
  public async hold(...numbers: readonly number[]): Promise<void> {
    await Promise.all(numbers.map((number) => this.host(number).room.sh('touch /run/hold')));
  }

  public async letGo(...numbers: readonly number[]): Promise<void> {
    await Promise.all(numbers.map((number) => this.host(number).room.sh('rm -f /run/hold')));
  }

  /** It has noted that it may begin, and has no data yet. */
  public async hasAgreed(number: number): Promise<void> {
    await this.eventually(
      `etcd-${number} has agreed`,
      async () => (await this.host(number).room.sh('cat /var/lib/etcd/data/member/agreed')).status === 0,
    );
  }

  /** Boots a machine whose power is cut at a write of its guard. */
  public async bootUntil(number: number, cut: string): Promise<void> {
    const host = this.host(number);
    const path = '/usr/local/sbin/edge-etcd';
    await host.room.write('/run/cut.sh', CUT);
    await host.room.write('/run/cut', cut);
    await host.room.sh(
      `[ -e /run/whole ] || cp ${path} /run/whole; sed "1r /run/cut.sh" /run/whole > /run/new; cat /run/new > ${path}`,
    );
    await host.boot();
    await this.eventually(`etcd-${number} is cut ${cut}`, async () => !(await host.isOn()));
    await host.cutPower();
    await host.room.sh(`cat /run/whole > ${path}`);
  }

  public async stop(...numbers: readonly number[]): Promise<void> {
    await Promise.all(numbers.map((number) => this.host(number).room.must('systemctl', ['stop', 'etcd.service'])));
  }

  /** On each the same file, while none runs. */
  public async restore(...numbers: readonly number[]): Promise<void> {
    await this.stop(...numbers);
    for (const number of numbers) {
      await this.runs(number, 'restore', '/run/F');
    }
  }

  public async tool(number: number, ...words: readonly string[]): Promise<Ended> {
    return this.host(number).tool(...words);
  }

  public async runs(number: number, ...words: readonly string[]): Promise<void> {
    const ended = await this.tool(number, ...words);
    this.that(`edge-etcd ${words.join(' ')} on etcd-${number}`, ended.status === 0, ended);
  }

  public async isRefused(number: number, words: readonly string[], why: RegExp): Promise<void> {
    const ended = await this.tool(number, ...words);
    this.that(
      `edge-etcd ${words.join(' ')} on etcd-${number} is refused`,
      ended.status === 1 && why.test(ended.stderr),
      ended,
    );
  }

  /** A snapshot of a member, on all machines. */
  public async snapshot(number: number): Promise<void> {
    const { status, stdout, stderr } = await this.tool(number, 'snapshot');
    this.that(`etcd-${number} saves a snapshot`, status === 0 && stdout !== '', stderr);
    copyFileSync(this.host(number).room.outside(stdout.trim()), join(this.site.folder, 'F'));
    await this.handOut();
  }

  public handOut(): Promise<void> {
    this.hosts.forEach((host) => copyFileSync(join(this.site.folder, 'F'), host.room.outside('/run/F')));
    return Promise.resolve();
  }

  /** All serve, and every acknowledged write is at each of them. */
  public async lostNothing(...numbers: readonly number[]): Promise<void> {
    await this.serve(...numbers);
    await this.endWrites();
    const acknowledged = this.acknowledged();
    for (const number of numbers) {
      const there = await this.host(number).keys('/w/');
      const lost = acknowledged.filter((key) => !there.has(key));
      this.that(
        `of ${acknowledged.length} acknowledged writes, 0 are lost at etcd-${number}`,
        lost.length === 0,
        lost.length,
      );
    }
  }
}

const REPLACE = /run edge-etcd replace/;
const WAITS = /has no data and waits/;

/** Second faults. Each ends with every acknowledged write, or with a refusal that says what to do. */
const FAULTS: Readonly<Record<string, (trio: Trio) => Promise<void>>> = {
  'rebuilt alone': async (trio) => {
    await trio.begins();
    await trio.cutPower(2);
    await trio.write(1, 3);
    await trio.cutPower(1, 3);
    await trio.build(1);
    await trio.boot(1);
    await trio.refuses(1, WAITS);
    await trio.boot(2);
    await trio.refuses(1, REPLACE);
    await trio.boot(3);
    await trio.serve(2, 3);
    await trio.runs(1, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'restored alone': async (trio) => {
    await trio.begins();
    await trio.snapshot(1);
    await trio.restore(1, 2, 3);
    await trio.serve(1, 2, 3);
    await trio.cutPower(3);
    await trio.write(1, 2);
    await trio.cutPower(1, 2);
    await trio.build(1);
    await trio.handOut();
    await trio.boot(1, 3);
    await trio.refuses(1, REPLACE);
    await trio.isRefused(1, ['replace'], /run edge-etcd restore FILE on every member/);
    await trio.isRefused(1, ['restore', '/run/F'], /etcd runs at 192.0.2.13:2380/);
    // nor when nobody answers
    await trio.cutPower(3);
    await trio.tool(1, 'restore', '/run/F');
    await trio.refuses(1, /waits/);
    await trio.boot(2, 3);
    await trio.serve(2, 3);
    await trio.runs(1, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'expired certificate': async (trio) => {
    await trio.begins();
    await trio.write(1, 2, 3);
    const { room } = trio.host(1);
    await room.must('cp', ['/etc/etcd/pki/peer.crt', '/run/peer.crt']);
    copyFileSync(join(trio.site.folder, 'etcd-1/expired.crt'), room.outside('/etc/etcd/pki/peer.crt'));
    await new Promise((done) => setTimeout(done, 1500));
    const began = Date.now();
    const ended = await room.run('timeout', ['60', '/usr/local/sbin/edge-etcd', 'snapshot']);
    trio.that(
      'a snapshot fails, and says why',
      ended.status === 1 && /peer\.crt has expired/.test(ended.stderr) && Date.now() - began < 50_000,
      ended,
    );
    const left = await room.sh('ls -A /var/lib/etcd-snapshots');
    trio.that('and leaves nothing', left.stdout === '', left);
    await room.must('cp', ['/run/peer.crt', '/etc/etcd/pki/peer.crt']);
    await trio.runs(1, 'snapshot');
    await trio.lostNothing(1, 2, 3);
  },
  'lagging witness': async (trio) => {
    // etcd-3 is off from before etcd-1 has started, and never learns that it did
    await trio.hold(1);
    await trio.boot(1, 2, 3);
    await trio.serve(2, 3);
    await trio.cutPower(3);
    await trio.letGo(1);
    await trio.serve(1, 2);
    await trio.write(1, 2);
    await trio.cutPower(1, 2);
    await trio.build(1);
    await trio.boot(1, 3);
    await trio.refuses(1, /waits for most members/);
    await trio.isRefused(1, ['begin'], /have the data of this cluster/);
    await trio.boot(2);
    await trio.refuses(1, REPLACE);
    await trio.serve(2, 3);
    await trio.runs(1, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'two rebuilt, the third off': async (trio) => {
    await trio.begins();
    await trio.write(1, 2, 3);
    await trio.endWrites();
    await trio.snapshot(3);
    await trio.cutPower(1, 2, 3);
    await Promise.all([trio.build(1), trio.build(2)]);
    await trio.handOut();
    await trio.boot(1, 2);
    await trio.refuses(1, WAITS);
    await trio.boot(3);
    await trio.refuses(1, REPLACE);
    await trio.refuses(2, REPLACE);
    await trio.isRefused(1, ['begin'], REPLACE);
    await trio.isRefused(1, ['replace'], /run edge-etcd restore FILE on every member/);
    await trio.isRefused(1, ['restore', '/run/F'], /etcd runs at 192.0.2.13:2380/);
    await trio.restore(1, 2, 3);
    await trio.lostNothing(1, 2, 3);
  },
  'machines boot apart': async (trio) => {
    await trio.boot(3);
    await trio.refuses(3, WAITS);
    await trio.boot(1);
    await trio.refuses(1, WAITS);
    await trio.cutPower(3);
    await trio.boot(2);
    await trio.refuses(2, WAITS);
    await trio.boot(3);
    await trio.serve(1, 2, 3);
    await trio.write(1, 2, 3);
    await trio.lostNothing(1, 2, 3);
  },
  'power cut between agreement and beginning': async (trio) => {
    await trio.hold(1, 2, 3);
    await trio.boot(1, 2, 3);
    await Promise.all([1, 2, 3].map((number) => trio.hasAgreed(number)));
    await trio.cutPower(1, 2, 3);
    await trio.letGo(1, 2, 3);
    await trio.boot(3);
    await trio.refuses(3, WAITS);
    await trio.boot(2, 1);
    await trio.serve(1, 2, 3);
    await trio.write(1, 2, 3);
    await trio.lostNothing(1, 2, 3);
  },
  'one begins late, another loses its volume': async (trio) => {
    await trio.hold(3);
    await trio.boot(1, 2, 3);
    await trio.serve(1, 2);
    await trio.write(1, 2);
    await trio.cutPower(1, 3);
    await trio.build(1);
    await trio.boot(1);
    await trio.refuses(1, REPLACE);
    await trio.letGo(3);
    await trio.boot(3);
    await trio.serve(2, 3);
    await trio.runs(1, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'two lost, the third lags': async (trio) => {
    await trio.begins();
    await trio.cutPower(3);
    await trio.write(1, 2);
    await trio.endWrites();
    await trio.cutPower(1, 2);
    await Promise.all([trio.build(1), trio.build(2)]);
    await trio.boot(1, 2, 3);
    await trio.refuses(1, REPLACE);
    await trio.refuses(2, REPLACE);
    await trio.isRefused(2, ['begin'], REPLACE);
    await trio.isRefused(2, ['replace'], /run edge-etcd restore FILE on every member/);
  },
  'a restore that misses one member': async (trio) => {
    await trio.begins();
    await trio.write(1, 2, 3);
    await trio.endWrites();
    await trio.snapshot(1);
    await trio.cutPower(3);
    await trio.restore(1, 2);
    await trio.refuses(1, /restored data, which it does not use yet, and waits/);
    await trio.boot(3);
    await trio.refuses(2, /etcd runs at 192.0.2.13:2380 with other data than that of the restore/);
    await trio.cutPower(1);
    await trio.restore(3);
    await trio.boot(1);
    await trio.lostNothing(1, 2, 3);
  },
  'a restore without a lost machine': async (trio) => {
    await trio.begins();
    await trio.write(1, 2, 3);
    await trio.endWrites();
    await trio.snapshot(1);
    await trio.cutPower(3);
    await trio.restore(1, 2);
    await trio.runs(1, 'begin');
    await trio.runs(2, 'begin');
    await trio.serve(1, 2);
    await trio.write(1, 2);
    await trio.build(3);
    await trio.boot(3);
    await trio.refuses(3, REPLACE);
    await trio.runs(3, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'restored alone beside one that lags': async (trio) => {
    await trio.begins();
    await trio.snapshot(1);
    await trio.hold(3);
    await trio.restore(1, 2, 3);
    await trio.serve(1, 2);
    await trio.write(1, 2);
    await trio.cutPower(1, 2, 3);
    await trio.build(1);
    await trio.handOut();
    await trio.boot(1);
    await trio.runs(1, 'restore', '/run/F');
    await trio.letGo(3);
    await trio.boot(3);
    await trio.refuses(1, /restored data, which it does not use yet, and waits/);
    await trio.boot(2);
    await trio.refuses(1, REPLACE);
    await trio.serve(2, 3);
    await trio.runs(1, 'replace');
    await trio.lostNothing(1, 2, 3);
  },
  'a word that is used up': async (trio) => {
    await trio.boot(1, 2);
    await trio.refuses(1, /run edge-etcd begin/);
    await trio.runs(1, 'begin');
    await trio.runs(2, 'begin');
    await trio.serve(1, 2);
    await trio.write(1, 2);
    await trio.endWrites();
    await trio.cutPower(1);
    await trio.build(1);
    await trio.boot(1, 3);
    await trio.refuses(1, REPLACE);
    await trio.refuses(3, /waits for most members/);
    await trio.isRefused(3, ['begin'], /have the data of this cluster/);
    await trio.snapshot(2);
    await trio.restore(1, 2, 3);
    await trio.lostNothing(1, 2, 3);
  },
  // long: each cut is a boot
  ...(process.env.EDGE_NODEPOOLS_POWER_CUTS === undefined
    ? {}
    : {
        'cut at every write of the beginning': async (trio: Trio): Promise<void> => {
          await trio.begins();
          await trio.write(1, 2, 3);
          await trio.endWrites();
          await trio.snapshot(1);
          await trio.hold(2, 3);
          await trio.restore(1, 2, 3);
          await trio.cutPower(1);
          for (const cut of OF_BEGIN) {
            await trio.bootUntil(1, cut);
          }
          await trio.boot(1);
          await trio.letGo(2, 3);
          await trio.lostNothing(1, 2, 3);
        },
      }),
};

/** Second faults at members of an EtcdCluster, several sites at once. */
/** Those that run always, within a minute; `.` is all of them. */
const OFTEN = '^(rebuilt alone|restored alone|expired certificate)$';

export const etcdFaults: Group = {
  name: 'etcd-faults',
  claim:
    'an EtcdCluster comes up by itself on its first day, whenever its machines boot, and loses no acknowledged write by a second fault: a member without data begins only with all others, and a restore is one act of all members',
  programs: 'etcd 3.6',
  tools: [...EtcdSite.TOOLS],
  needs: ['linux', 'root', 'namespaces', 'iproute2', 'openssl'],
  run: async (proof) => {
    const only = new RegExp(process.env.EDGE_NODEPOOLS_ETCD_FAULT ?? OFTEN);
    const left = Object.entries(FAULTS).filter(([name]) => only.test(name));
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [name, run] = next;
        const began = Date.now();
        const trio = await Trio.start(name, proof);
        try {
          await run(trio);
        } catch (error) {
          trio.that('it runs to its end', false, (error as Error).stack);
        } finally {
          const keepLogs = proof.failures.some((failure) => failure.startsWith(`${name}:`));
          proof.note(
            `${name}: ${Math.round((Date.now() - began) / 1000)} s${keepLogs ? `, logs: ${trio.site.logs}` : ''}`,
          );
          await trio.site.stop({ keepLogs });
        }
      }
    };
    await Promise.all([work(), work(), work()]);
  },
};

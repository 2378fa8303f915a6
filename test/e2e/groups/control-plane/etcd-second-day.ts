import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWriter, type EtcdHost, type EtcdSite } from '../../harness/etcd-site.js';
import type { Proof } from '../../harness/group.js';
import type { Program } from '../../harness/program.js';
import { Cuts } from './etcd-cuts.js';
import { Recovery, replace } from './etcd-recovery.js';

const SNAPSHOT = '/run/snapshot.db';

/** Members that are killed, replaced, defragmented, restored, full, and that have a certificate that is not valid now. */
export class SecondDay {
  constructor(
    private readonly hosts: EtcdHost[],
    private readonly site: EtcdSite,
    private readonly proof: Proof,
    private readonly pki: string,
  ) {}

  private host(index: number): EtcdHost {
    return this.hosts[index] as EtcdHost;
  }

  public async run(): Promise<void> {
    const writer = await this.startWriter();
    await this.replaces();
    await this.defragments();
    const acknowledged = await this.savesSnapshot();
    await endWriter(this.host(0), writer);
    await this.lostNothing('after a kill, a replacement and a defragmentation', this.acknowledged());
    await this.restores(acknowledged);
    await new Cuts(this.hosts, this.site, this.proof).run(acknowledged);
    await new Recovery(this.hosts, this.site, this.proof, this.pki).run(acknowledged);
    await this.isFull();
    await this.expires();
  }

  /** Writes as fast as it can, and notes every write that was acknowledged. */
  private async startWriter(): Promise<Program> {
    const line =
      'i=0; while :; do i=$((i+1)); edge-etcd run put --command-timeout=3s "/w/$i" x >/dev/null 2>&1 && echo $i >> /run/acknowledged; done';
    const writer = this.host(0).room.start('writer', 'sh', ['-c', line]);
    await writer.ready(() => Promise.resolve(this.acknowledged().length > 5));
    return writer;
  }

  private acknowledged(): string[] {
    try {
      return readFileSync(this.host(0).room.outside('/run/acknowledged'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  private async lostNothing(when: string, acknowledged: readonly string[]): Promise<void> {
    const there = await this.host(0).keys('/w/');
    const lost = acknowledged.filter((number) => !there.has(`/w/${number}`));
    this.proof.same(`${when}, no acknowledged write is lost`, lost, []);
    this.proof.that(`${when}: there were writes`, acknowledged.length > 20, String(acknowledged.length));
  }

  /** A member loses its volume. */
  private async replaces(): Promise<void> {
    const { proof } = this;
    const host = this.host(2);
    await host.stop('KILL');
    await host.room.must('umount', ['/var/lib/etcd']);
    await this.isNotReplaced(host);
    await host.attach(this.site.volume('new', 512), '/dev/disk/by-id/virtio-etcd-3');
    const refused = await host.start();
    proof.that('replace: the guard refuses its new volume, which is blank', /is blank/.test(refused.stderr), refused);
    // as on a machine that is new, too
    await host.room.must('rm', ['/etc/etcd/formatted']);
    const asNew = await host.start();
    proof.that(
      'replace: nor does it start as a new member in place of the old one',
      asNew.status === 1 && /has no data, and had data for the member at .*: run edge-etcd replace/.test(asNew.stderr),
      asNew,
    );
    const { status, stderr } = await replace(host);
    proof.that(
      'replace: it is a voting member again, under writes',
      status === 0 && /is a member again/.test(stderr),
      stderr,
    );
    const members = (await this.host(0).ctl('member', 'list')).stdout.trim().split('\n');
    proof.same(
      'replace: there are three members, and no learner',
      members.map((line) => /started.*false$/.test(line)),
      [true, true, true],
    );
    const again = await host.tool('replace');
    proof.that(
      'replace: with data it is refused',
      again.status === 1 && /needs no replacement/.test(again.stderr),
      again,
    );
  }

  /** Its volume is not mounted, and then not even attached: its data is not lost. */
  private async isNotReplaced(host: EtcdHost): Promise<void> {
    const { proof } = this;
    // of this member, also while there is no leader
    const ids = async (): Promise<string> =>
      (await this.host(0).ctl('member', 'list', '--consistency=s')).stdout.replace(/, .*/g, '');
    const before = await ids();
    const kept = await host.tool('replace');
    proof.that(
      'replace: a member whose volume is not mounted keeps its data',
      kept.status === 1 && /has the data of this member/.test(kept.stderr),
      kept,
    );
    await host.room.must('umount', ['/var/lib/etcd']);
    await host.room.must('rm', ['/dev/disk/by-id/virtio-etcd-3']);
    const detached = await host.tool('replace');
    proof.that(
      'replace: nor is a member replaced whose volume is not attached',
      detached.status === 1 && /is not attached/.test(detached.stderr),
      detached,
    );
    proof.same('replace: both are still members', await ids(), before);
  }

  private async defragments(): Promise<void> {
    const { proof, hosts } = this;
    const all = await Promise.all(hosts.map((host) => host.tool('defrag', 'force')));
    proof.same(
      'defrag: all members, asked at once, are defragmented',
      all.map(({ status, stderr }) => (status === 0 ? 0 : stderr)),
      [0, 0, 0],
    );
    proof.that(
      'defrag: the leader passes its office on first',
      hosts.some((host) => host.wholeLog().includes('leadership transfer finished')),
    );
    const times = hosts.map((host) => {
      const at = (text: string): number =>
        Date.parse(new RegExp(`"ts":"([^"]*)"[^\\n]*"msg":"${text}"`).exec(host.wholeLog())?.[1] ?? '');
      return [at('defragmenting'), at('finished defragmenting directory')] as const;
    });
    const sorted = [...times].sort(([a], [b]) => a - b);
    proof.that(
      'defrag: one at a time',
      sorted.every(([start, end], index) => start <= end && (index === 0 || start >= (sorted[index - 1]?.[1] ?? NaN))),
      times,
    );
  }

  /** Returns what was acknowledged before the snapshot. */
  private async savesSnapshot(): Promise<string[]> {
    const { proof } = this;
    const acknowledged = this.acknowledged();
    for (const host of this.hosts) {
      const { status, stdout, stderr } = await host.tool('snapshot');
      proof.that(`${host.files.name}: saves a snapshot under writes`, status === 0, stderr);
      await host.room.must('cp', [stdout.trim(), SNAPSHOT]);
    }
    const uploaded = await Promise.all(this.hosts.map((host) => host.room.sh('ls /run/uploaded/*.db')));
    proof.same('snapshot: one member uploads, the leader', uploaded.filter(({ status }) => status === 0).length, 1);
    const folder = '/var/lib/etcd-snapshots';
    const others = [
      'etcd-1-20200101T000000Z.db.new.part',
      'etcd-1-b-20200101T000000Z.db',
      'etcd-1-b-20200102T000000Z.db',
    ];
    await this.host(0).room.sh(`cd ${folder} && touch -d '2 days ago' ${others.join(' ')}`);
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((done) => setTimeout(done, 1000));
      await this.host(0).tool('snapshot');
    }
    const { stdout } = await this.host(0).room.sh('ls /var/lib/etcd-snapshots');
    const left = stdout.trim().split('\n');
    proof.same('snapshot: old ones are removed', left.filter((file) => !others.includes(file)).length, 2);
    proof.same(
      'snapshot: and what a killed one left, but no file of another member',
      others.filter((file) => left.includes(file)),
      others.slice(1),
    );
    await this.host(0).room.sh(`rm ${folder}/etcd-1-b-*`);
    return acknowledged;
  }

  private async restores(acknowledged: readonly string[]): Promise<void> {
    const { proof, hosts } = this;
    const wrong = await this.host(0).tool('restore', '/etc/etcd/etcd.conf.yml');
    proof.that(
      'restore: another file is refused before etcd is stopped',
      wrong.status === 1 && (await this.host(0).isHealthy()),
      wrong,
    );
    await this.host(0).ctl('put', '/after', 'the snapshot');
    const before = /"Revision" : (\d+)/.exec((await this.host(0).tool('status')).stdout)?.[1];
    const file = readFileSync(this.host(0).room.outside(SNAPSHOT));
    await this.host(0).room.sh('rm -f /run/systemctl.log');
    const beside = await this.host(0).tool('restore', SNAPSHOT);
    proof.that(
      'restore: beside members that serve it is refused, and stops nothing',
      beside.status === 1 &&
        /what it acknowledges now would be lost: stop the API servers/.test(beside.stderr) &&
        (await this.host(0).room.sh('! grep -q stop /run/systemctl.log')).status === 0,
      beside,
    );
    await Promise.all(hosts.slice(1).map((host) => host.stop()));
    const own = await this.host(0).tool('restore', SNAPSHOT);
    proof.that(
      'restore: beside the etcd of its own machine, too',
      own.status === 1 && /etcd runs at 192\.0\.2\.11:2380 with other data/.test(own.stderr),
      own,
    );
    await this.host(0).stop();
    for (const host of hosts) {
      writeFileSync(host.room.outside('/run/restore.db'), file);
      const { status, stderr } = await host.tool('restore', '/run/restore.db');
      proof.that(`${host.files.name}: restores the snapshot`, status === 0, stderr);
    }
    await Promise.all(hosts.map((host) => host.start()));
    await proof.eventually(
      'restore: the members are a cluster again',
      async () => (await Promise.all(hosts.map((host) => host.isHealthy()))).every(Boolean),
      120,
    );
    await this.lostNothing('restored', acknowledged);
    const later = await this.host(0).ctl('get', '/after', '--print-value-only');
    proof.same('restore: what came after the snapshot is not there', later.stdout, '');
    const revision = /"Revision" : (\d+)/.exec((await this.host(0).tool('status')).stdout)?.[1];
    await this.isRestoredOnce();
    proof.that('restore: revisions only go up', Number(revision) > Number(before), [before, revision]);
  }

  /** A second restore of one member would take back what the others count as its votes. */
  private async isRestoredOnce(): Promise<void> {
    const again = await this.host(0).tool('restore', '/run/restore.db');
    this.proof.that(
      'restore: a member is not restored again to a file that its cluster came from',
      again.status === 1 && /with what came after \/run\/restore.db/.test(again.stderr),
      again,
    );
  }

  /** More data than the quota, then more than the volume. */
  private async isFull(): Promise<void> {
    const { proof, hosts } = this;
    const fill =
      'head -c 1000000 /dev/zero | tr "\\000" x > /run/big; for i in $(seq 100); do edge-etcd run put /big < /run/big 2>&1 | grep -q "database space exceeded" && exit 0; done; exit 1';
    proof.same('full: at the quota, writes are refused', (await this.host(0).room.sh(fill)).status, 0);
    const alarm = await this.host(0).tool('run', 'alarm', 'list');
    proof.that('full: with an alarm', /NOSPACE/.test(alarm.stdout), alarm);
    proof.same('full: history is dropped', (await this.host(0).tool('compact')).status, 0);
    for (const host of hosts) {
      const { status, stderr } = await host.tool('defrag', 'force');
      proof.that(`${host.files.name}: makes room, although writes are refused`, status === 0, stderr);
    }
    await this.host(0).tool('run', 'alarm', 'disarm');
    proof.same('full: then it writes again', (await this.host(0).tool('run', 'put', 'a', 'b')).status, 0);

    await this.host(1).room.sh('head -c 400M /dev/zero > /var/lib/etcd/fill');
    // small ones: the member that comes back takes all of them at once, before it has dropped their history, and must stay below the quota
    const others = await this.host(0).room.sh(
      'head -c 200000 /run/big > /run/part; for i in $(seq 10); do edge-etcd run put /big < /run/part >/dev/null 2>&1 || sleep 1; edge-etcd compact >/dev/null 2>&1; done; edge-etcd run put a c',
    );
    proof.same('full: while the volume of one member is full, the others write', others.status, 0);
    await this.host(1).room.sh('rm /var/lib/etcd/fill');
    await this.host(1).stop('KILL');
    await this.host(1).start();
    await proof.eventually('full: with room, it comes back', () => this.host(1).isHealthy(), 120);
  }

  private async expires(): Promise<void> {
    const { proof } = this;
    const host = this.host(1);
    await this.hasTimes('expired', '20200101000000Z', '20200102000000Z', /server\.crt has expired/);
    await host.room.sh('cd /etc/etcd/pki && cp server.crt peer.crt && cp server.key peer.key');
    const blind = await host.tool('restore', '/run/restore.db');
    proof.that(
      'expired: restore does not take members that refuse the certificate for members that do not run',
      blind.status === 1 && /does not answer to \S+peer\.crt/.test(blind.stderr),
      blind,
    );
    await host.trust(join(this.pki, 'etcd-2'));
    await host.guard();
    proof.that('expired: a new certificate counts at once, without a restart', await host.isHealthy());
    // as a machine sees it whose clock is an hour behind that of who made the certificate
    const hour = (ahead: number): string =>
      new Date(Date.now() + ahead * 3_600_000).toISOString().replace(/[-:T]|\.\d+/g, '');
    await this.hasTimes('early', hour(1), hour(24), /server\.crt is not valid yet at /);
    await host.trust(join(this.pki, 'etcd-2'));
    await host.guard();
    proof.that('early: with a certificate that is valid now it serves again', await host.isHealthy());
  }

  /** A member has a certificate that is not valid now. */
  private async hasTimes(what: string, from: string, to: string, says: RegExp): Promise<void> {
    const { proof, site } = this;
    const host = this.host(1);
    const made = join(site.folder, what);
    spawnSync('cp', ['-r', join(this.pki, 'etcd-2'), made]);
    const { status, stderr } = spawnSync('sh', ['-c', TIMES, 'sh', made, join(this.pki, 'ca'), from, to], {
      encoding: 'utf8',
    });
    proof.that(`${what}: the certificate is made`, status === 0, stderr);
    copyFileSync(join(made, 'server.crt'), host.room.outside('/etc/etcd/pki/server.crt'));
    const guard = await host.guard();
    proof.that(`${what}: the guard says so`, guard.status === 0 && says.test(guard.stderr), guard);
    const seen = await host.ctl('endpoint', 'health', '--command-timeout=3s');
    proof.that(`${what}: clients refuse this member`, seen.status !== 0);
    proof.same(`${what}: the others serve them`, (await host.tool('run', 'put', 'a', 'd')).status, 0);
    rmSync(made, { recursive: true });
  }
}

/** A certificate of the same key and names, with other times: FOLDER CA FROM TO. */
const TIMES = `
cd "$1" && : > index.txt && echo 01 > serial && mkdir certs
openssl x509 -in server.crt -noout -ext subjectAltName -nocert 2>/dev/null | sed -n '$ s/IP Address/IP/gp' | sed 's/^ */subjectAltName=/' > ext
printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index.txt\\nserial=serial\\nnew_certs_dir=certs\\ndefault_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\n' > conf
openssl req -new -key server.key -subj /CN=etcd-2 -out csr &&
openssl ca -batch -config conf -cert "$2/ca.crt" -keyfile "$2/ca.key" -in csr -extfile ext -startdate "$3" -enddate "$4" -out server.crt -notext
`;

import { readFileSync } from 'node:fs';
import { endWriter, type EtcdHost, type EtcdSite, startsWhenAsked } from '../../harness/etcd-site.js';
import type { Proof } from '../../harness/group.js';
import type { Ended } from '../../harness/room.js';

/** Kills the tool with everything that it runs before or after a command, by a pattern of its words. The tool itself needs `cut`. */
const CUT = `
cuts() { case "$*" in $CUT) kill -KILL 0 ;; esac; }
${['systemctl', 'rm', 'mv', 'chown', 'sed', 'etcdctl', 'etcdutl', 'mkfs', 'mount']
  .map(
    (name) =>
      `${name}() { cuts before ${name} "$@"; command ${name} "$@"; was=$?; cuts after ${name} "$@"; return $was; }`,
  )
  .join('\n')}
`;

/** Where a restore is cut off, in its order. */
const OF_RESTORE = [
  'before systemctl stop *',
  'before etcdutl snapshot restore *',
  'after etcdutl snapshot restore *',
  'after chown -R etcd:etcd /var/lib/etcd/prepared.new',
  'after mv /var/lib/etcd/prepared.new *',
  'before systemctl start *',
];

/** Where a replacement is cut off, in its order, and whether a boot follows: after some it would start the member, and the others are not reached. */
const OF_REPLACE: readonly (readonly [where: string, boots: boolean])[] = [
  ['before systemctl stop *', true],
  // the boot formats the volume
  ['before mkfs *', true],
  ['after sed *s|^initial-cluster-state: *', true],
  ['before etcdctl * member remove *', true],
  ['after etcdctl * member remove *', true],
  ['before etcdctl * member add *', true],
  ['after etcdctl * member add *', true],
  ['after sed *s|^initial-cluster: *', true],
  ['before mv /var/lib/etcd/data/member/agreed.new *', true],
  ['before systemctl start *', false],
  ['before etcdctl * member promote *', true],
];

/** A restore and a replacement that the power cuts off, at one point after the other, with a boot after each; then they are run again. */
export class Cuts {
  constructor(
    private readonly hosts: readonly EtcdHost[],
    private readonly site: EtcdSite,
    private readonly proof: Proof,
  ) {}

  private host(index: number): EtcdHost {
    return this.hosts[index] as EtcdHost;
  }

  /** `acknowledged`: the numbers of writes that the snapshot has. */
  public async run(acknowledged: readonly string[]): Promise<void> {
    for (const host of this.hosts) {
      await host.room.write('/run/cut.sh', CUT);
    }
    await this.restores(acknowledged);
    await this.replaces();
  }

  /** Runs `edge-etcd` until it is killed, or to its end; starts etcd when it tells systemd to. */
  private async cut(host: EtcdHost, where: string, ...words: readonly string[]): Promise<Ended> {
    // the volume has no room for the data of many restores
    await host.room.sh(
      'rm -rf /run/systemctl.log /var/lib/etcd/before-*; sed "1r /run/cut.sh" /usr/local/sbin/edge-etcd > /run/edge-etcd-cut',
    );
    const run = host.room.sh(`CUT='${where}' setsid -w sh /run/edge-etcd-cut ${words.join(' ')}`, 400);
    await startsWhenAsked(host, run);
    return run;
  }

  /** After the cut the machine boots, and systemd starts etcd, unless its guard refuses; then the power fails again. */
  private async boots(host: EtcdHost): Promise<string> {
    await host.stop('KILL');
    // where it waits for the others, systemd would wait, too
    const { status, stderr } = await host.start([], 10);
    await new Promise((done) => setTimeout(done, 1500));
    const { stdout } = await host.room.sh('find /var/lib/etcd/data ! -user etcd 2>/dev/null | head -n 3');
    await host.stop('KILL');
    return status === 0 && stdout !== '' ? stdout : stderr.replace(/^edge-etcd: /, '');
  }

  private async restores(acknowledged: readonly string[]): Promise<void> {
    const { proof, hosts } = this;
    await this.host(0).ctl('put', '/before-cuts', 'x');
    await Promise.all(hosts.map((host) => host.stop()));
    const restore = ['restore', '/run/restore.db', 'cuts'] as const;
    for (const where of OF_RESTORE) {
      const killed = await this.cut(this.host(0), where, ...restore);
      proof.that(`cuts: a restore is killed ${where}`, killed.status === 137, killed);
      const said = await this.boots(this.host(0));
      proof.that(`cuts: after a boot then, nothing of another owner is in its data`, !said.startsWith('/'), said);
    }
    await this.cut(this.host(1), 'after mv /var/lib/etcd/prepared.new *', ...restore);
    await this.boots(this.host(1));
    await this.cut(this.host(2), 'before mv /var/lib/etcd/prepared.new *', ...restore);
    for (const host of hosts) {
      const { status, stderr } = await host.tool(...restore);
      proof.that(`cuts: ${host.files.name} is restored by the next run`, status === 0, stderr);
    }
    await Promise.all(hosts.map((host) => host.start()));
    await this.isOneCluster('a restore that was cut off');
    await this.hasAll('a restore that was cut off', acknowledged);
    const { stdout } = await this.host(0).ctl('get', '/before-cuts', '--print-value-only');
    proof.same('cuts: and what came after the snapshot is not there', stdout, '');
    for (const { room, files } of hosts) {
      const foreign = await room.sh('find /var/lib/etcd/data ! -user etcd; stat -c %U:%a /var/lib/etcd/data');
      proof.same(`cuts: ${files.name}: etcd owns its restored data`, foreign.stdout, 'etcd:700\n');
    }
  }

  private async replaces(): Promise<void> {
    const { proof, site } = this;
    const host = this.host(2);
    const writer = this.host(0).room.start('cuts-writer', 'sh', [
      '-c',
      'i=0; while :; do i=$((i+1)); edge-etcd run put --command-timeout=3s "/w/cut-$i" x >/dev/null 2>&1 && echo "cut-$i" >> /run/acknowledged-cuts; done',
    ]);
    await writer.ready(() => Promise.resolve(this.acknowledged().length > 3));
    await host.stop('KILL');
    await host.room.must('umount', ['/var/lib/etcd']);
    await host.attach(site.volume('cut', 512), '/dev/disk/by-id/virtio-etcd-3');
    for (const [where, boots] of OF_REPLACE) {
      const killed = await this.cut(host, where, 'replace');
      proof.that(`cuts: a replacement is killed ${where}`, killed.status === 137, killed);
      if (boots) {
        await this.boots(host);
      }
    }
    const ended = await this.cut(host, 'never', 'replace');
    proof.that('cuts: the next replacement makes it a member', ended.status === 0, ended);
    await this.isOneCluster('a replacement that was cut off');
    await endWriter(this.host(0), writer);
    const acknowledged = this.acknowledged();
    proof.that('cuts: there were writes meanwhile', acknowledged.length > 20, acknowledged.length);
    await this.hasAll('a replacement that was cut off', acknowledged);
  }

  private acknowledged(): string[] {
    try {
      return readFileSync(this.host(0).room.outside('/run/acknowledged-cuts'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  private async hasAll(after: string, acknowledged: readonly string[]): Promise<void> {
    const there = await this.host(2).keys('/w/');
    const lost = acknowledged.filter((number) => !there.has(`/w/${number}`));
    this.proof.same(`cuts: after ${after}, no acknowledged write is lost`, lost, []);
  }

  /** All are voting members of one cluster. */
  private async isOneCluster(after: string): Promise<void> {
    const { proof, hosts } = this;
    await proof.eventually(
      `cuts: after ${after}, all three are healthy`,
      async () => (await Promise.all(hosts.map((host) => host.isHealthy()))).every(Boolean),
      120,
    );
    const ids = await Promise.all(
      hosts.map(async (host) => /"ClusterID" : (\d+)/.exec((await host.tool('status')).stdout)?.[1]),
    );
    proof.same(`cuts: after ${after}, they are one cluster`, new Set(ids).size, 1);
    const members = (await this.host(0).ctl('member', 'list')).stdout.trim().split('\n');
    proof.same(
      `cuts: after ${after}, there are three members, and no learner`,
      members.map((line) => /started.*false$/.test(line)),
      [true, true, true],
    );
  }
}

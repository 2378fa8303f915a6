import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EtcdHost, type EtcdSite, startsWhenAsked } from '../../harness/etcd-site.js';
import type { Proof } from '../../harness/group.js';
import type { Ended } from '../../harness/room.js';

/** Runs `edge-etcd replace`, and starts etcd when it tells systemd to. */
export async function replace(host: EtcdHost, ...words: readonly string[]): Promise<Ended> {
  await host.stop();
  await host.room.sh('rm -f /run/systemctl.log');
  const replaced = host.tool('replace', ...words);
  await startsWhenAsked(host, replaced);
  return replaced;
}

/** Machines and volumes that are lost after a restore: the survivors belong to a cluster of another id than that of the declaration. */
export class Recovery {
  constructor(
    private readonly hosts: EtcdHost[],
    private readonly site: EtcdSite,
    private readonly proof: Proof,
    private readonly pki: string,
  ) {}

  private host(index: number): EtcdHost {
    return this.hosts[index] as EtcdHost;
  }

  /** `acknowledged`: the numbers of writes that must be there at the end. */
  public async run(acknowledged: readonly string[]): Promise<void> {
    await this.isRebuilt(2);
    await this.isRebuilt(1);
    await this.hasAll('two machines rebuilt with blank volumes, one after the other', acknowledged);
    await this.losesMost();
    await this.hasAll('the volumes of two members lost at once', acknowledged);
    await this.getsAnotherVolume();
    await this.hasAll('another volume', acknowledged);
  }

  private async hasAll(after: string, acknowledged: readonly string[]): Promise<void> {
    const there = await this.host(1).keys('/w/');
    const lost = acknowledged.filter((number) => !there.has(`/w/${number}`));
    this.proof.same(`recovery: after ${after}, no write of the snapshot is lost`, lost, []);
    const ids = await Promise.all(
      this.hosts.map(async (host) => /"ClusterID" : (\d+)/.exec((await host.tool('status')).stdout)?.[1]),
    );
    this.proof.same(`recovery: after ${after}, all members are of one cluster`, new Set(ids).size, 1);
  }

  private async areHealthy(claim: string): Promise<void> {
    await this.proof.eventually(
      claim,
      async () => (await Promise.all(this.hosts.map((host) => host.isHealthy()))).every(Boolean),
      120,
    );
  }

  /** A machine is built again from its user data, with a blank volume. */
  private async isRebuilt(index: number): Promise<void> {
    const { proof, site } = this;
    const { files, room } = this.host(index);
    await this.host(index).stop('KILL');
    await room.must('ip', ['link', 'set', 'eth0', 'down']);
    const host = new EtcdHost(await site.machine(files.name, `192.0.2.1${index + 1}`), files);
    this.hosts[index] = host;
    await host.install();
    await host.attach(site.volume(`rebuilt-${index}`, 256), `/dev/disk/by-id/virtio-${files.name}`);
    await host.trust(join(this.pki, files.name));
    const refused = await host.start();
    proof.that(
      `${files.name}: rebuilt with a blank volume after a restore, it does not begin a cluster of its own`,
      refused.status === 1 && /run edge-etcd replace/.test(refused.stderr) && (await this.hasNoLog(host)),
      refused,
    );
    const { status, stderr } = await replace(host);
    proof.that(`${files.name}: edge-etcd replace makes it a member of the restored cluster`, status === 0, stderr);
    await this.areHealthy(`${files.name}: and all three are healthy`);
  }

  private async hasNoLog(host: EtcdHost): Promise<boolean> {
    return (await host.room.sh('ls /var/lib/etcd/data/member/wal/*.wal')).status !== 0;
  }

  /** Two volumes are lost, and the disks of the system stay. */
  private async losesMost(): Promise<void> {
    const { proof, site, hosts } = this;
    await this.host(0).ctl('put', '/last', 'write');
    const [survivor, ...lost] = [this.host(0), this.host(1), this.host(2)] as const;
    await Promise.all(lost.map((host) => host.stop('KILL')));
    const taken = await survivor.tool('snapshot');
    proof.that('most lost: the survivor saves a snapshot, also without a quorum', taken.status === 0, taken.stderr);
    const file = readFileSync(survivor.room.outside(taken.stdout.trim()));
    for (const host of lost) {
      await host.room.must('umount', ['/var/lib/etcd']);
      await host.attach(site.volume(`blank-${host.files.name}`, 256), `/dev/disk/by-id/virtio-${host.files.name}`);
      const { stderr, status } = await host.start();
      proof.that(
        `most lost: ${host.files.name} does not start on its blank volume, and says what to do`,
        status === 1 && /is blank, and this member had data.*run edge-etcd restore FILE/.test(stderr),
        stderr,
      );
    }
    const replaced = await this.host(1).tool('replace');
    proof.that(
      'most lost: replace needs a majority, and names restore',
      replaced.status === 1 && /if most members lost their data, run edge-etcd restore FILE/.test(replaced.stderr),
      replaced,
    );
    for (const host of hosts) {
      writeFileSync(host.room.outside('/run/restore.db'), file);
    }
    const beside = await this.host(1).tool('restore', '/run/restore.db');
    proof.that(
      'most lost: restore wants the survivor stopped',
      beside.status === 1 && /etcd runs at 192\.0\.2\.11:2380 with other data/.test(beside.stderr),
      beside,
    );
    await survivor.stop();
    // its volume has no room for the data of two restores
    await survivor.room.must('sh', ['-c', 'rm -rf /var/lib/etcd/before-*']);
    for (const host of hosts) {
      const { status, stderr } = await host.tool('restore', '/run/restore.db');
      proof.that(`most lost: ${host.files.name} is restored`, status === 0, stderr);
    }
    await Promise.all(hosts.map((host) => host.start()));
    await this.areHealthy('most lost: restored on every member, they are a cluster again');
    const { stdout } = await this.host(2).ctl('get', '/last', '--print-value-only');
    proof.same('most lost: with the last write of the survivor', stdout.trim(), 'write');
  }

  /** The volume is lost, and the new one has another id: another device is declared. */
  private async getsAnotherVolume(): Promise<void> {
    const { proof, site } = this;
    const former = this.host(1);
    const device = '/dev/disk/by-id/virtio-another';
    await former.stop('KILL');
    await former.room.must('umount', ['/var/lib/etcd']);
    await former.room.must('rm', ['/dev/disk/by-id/virtio-etcd-2']);
    const script = former.files.script.replaceAll('/dev/disk/by-id/virtio-etcd-2', device);
    const host = new EtcdHost(former.room, { ...former.files, script });
    this.hosts[1] = host;
    await host.attach(site.volume('another', 256), device);
    proof.same('another volume: the new script of the member is run', (await host.install()).status, 0);
    const { status, stderr } = await replace(host);
    proof.that('another volume: edge-etcd replace is all that is needed', status === 0, stderr);
    await this.areHealthy('another volume: and all three are healthy');
    const { stdout } = await host.room.sh('grep /var/lib/etcd /etc/fstab');
    proof.same(
      'another volume: fstab has only the line of the new one',
      stdout,
      `${device} /var/lib/etcd ext4 defaults,noatime,nofail 0 2\n`,
    );
  }
}

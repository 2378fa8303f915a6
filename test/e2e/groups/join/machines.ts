import { JoinToken, type NodeJoin } from 'edge-nodepools';
import type { MachineSeed, JoinMachine } from 'edge-nodepools/types';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { type JoinProof, told } from './proof.js';

const TOKEN_FILE = '/var/lib/edge/join-token';

const MACHINES: JoinMachine[] = [
  { name: 'shop-0001', labels: { 'shops.example/rack': 'r_1.x', 'shops.example/floor': '' }, ntp: ['192.0.2.123'] },
  { name: 'shop-0002', labels: { 'shops.example/rack': 'r2' } },
];

/** NTP servers as cloud-init has merged them from user-data and vendor-data. */
const MERGED = `
from cloudinit.stages import Init
init = Init()
init.read_cfg()
init.fetch(existing='trust')
init._reset()
print(init.cfg.get('ntp', {}).get('servers'))
`;

/** Machines that share one join, each with its seed. */
export class Machines {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    const { machine, joins } = this;
    const { proof, site } = joins;
    const join = joins.declared.join(JoinToken.fromFile(TOKEN_FILE), {
      machines: MACHINES,
      ntpServers: ['192.0.2.1'],
      labels: { 'shops.example/rack': 'none' },
    });
    const [first, second] = join.seeds;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    // cloud-init sets the name of the machine, and kubelet looks its address up by it
    await machine.sh(
      'uname -n > /run/name; cp /etc/hostname /etc/hosts /run/; echo "192.0.2.10 shop-0001" >> /etc/hosts',
    );

    const stranger = await machine.boot(join.userData, 'i-no-machine');
    proof.that(
      'machines: a machine that is not in the list does not join, and says why',
      stranger.status !== 0 && /\/machine does not name this machine: the vendor-data/.test(stranger.output),
      told(stranger),
    );

    const boot = await machine.bootSeed(filesOf(join, first));
    proof.that('machines: a machine with its seed folder joins', boot.status === 0, told(boot));
    await joins.isAsDeclared(machine, 'as a machine', true, 'shop-0001');
    const born = await joins.bornWith('shop-0001');
    proof.same(
      'machines: the Node has the name of the machine, and its labels are in the very request that made it',
      [born['shops.example/rack'], born['shops.example/floor']],
      ['r_1.x', ''],
    );
    await machine.room.write('/run/merged.py', MERGED);
    const merged = await machine.sh('/usr/bin/python3 /run/merged.py');
    proof.same('machines: cloud-init has the NTP servers of the machine', merged.stdout, "['192.0.2.123']\n");
    proof.same('machines: the token is only where it was put', machine.whereIs(token), [TOKEN_FILE]);

    const reboot = await machine.reboot();
    proof.that('machines: rebooted, cloud-init is done', reboot.status === 0, told(reboot));
    const other = await machine.bootSeed(filesOf(join, second));
    proof.that(
      'machines: the seed of another machine on this node is refused, and says what is not applied',
      other.status !== 0 && /Not applied: labels of this machine, name of this machine\./.test(other.output),
      told(other),
    );
    proof.that(
      'machines: there is no Node of the other machine',
      (await site.plane.get('node', 'shop-0002')) === undefined,
    );
    await joins.leaves(machine, 'shop-0001');
    await machine.sh(`rm -rf /var/lib/cloud/seed/nocloud; rm ${TOKEN_FILE}; cp /run/hostname /run/hosts /etc/`);
    const renamed = await machine.sh('cat /run/name > /proc/sys/kernel/hostname; uname -n | cmp - /run/name');
    proof.same('machines: the machine has its name again', renamed.status, 0);
  }
}

function filesOf({ userData }: NodeJoin, seed: MachineSeed | undefined): Record<string, string> {
  return {
    'user-data': userData,
    'meta-data': seed?.metaData ?? '',
    'network-config': seed?.networkConfig ?? '',
    'vendor-data': seed?.vendorData ?? '',
  };
}

import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { ignitionProgram } from '../../harness/ignition.js';
import type { JoinProof } from './proof.js';

const UNIT = '/etc/systemd/system/edge-nodepools-boot.service';
const PROPS: Partial<NodeJoinProps> = {
  format: 'ignition',
  files: [{ path: '/etc/motd', content: 'edge\n' }],
  ntpServers: ['192.0.2.1'],
};

/** A machine that Ignition has set up joins; its unit is tested in ignition-boots.ts, with the real systemd. */
export class IgnitionJoin {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    const { joins, machine } = this;
    const { proof } = joins;
    const program = ignitionProgram();
    if (program === undefined) {
      proof.note('a join by Ignition is skipped, because ignition is not installed');
      return;
    }
    const token = await joins.newToken();
    const { ignition = '' } = joins.declared.join(JoinToken.inline(token), PROPS);
    await machine.room.write('/run/join.ign', ignition, '0600');
    const apply = `ln -s ${program} /run/ignition-apply; container=edge /run/ignition-apply --root / --offline /run/join.ign; status=$?; rm /run/join.ign; exit $status`;
    const applied = await machine.sh(apply);
    proof.that('by Ignition: it applies the config', applied.status === 0, applied);
    proof.same('by Ignition: the token is only in one file on the disk', machine.whereIs(token), [
      '/var/lib/edge-nodepools/first-join.yaml',
    ]);
    // as systemd does
    const started = await machine.sh(
      `sed -n 's/^ExecStart\\(Pre\\)\\{0,1\\}=//p' ${UNIT} > /run/unit.sh; sh -eu /run/unit.sh`,
    );
    proof.that('by Ignition: what the unit starts joins', started.status === 0, started);
    await joins.isAsDeclared(machine, 'by Ignition');
    proof.same('by Ignition: the token is nowhere', machine.whereIs(token), []);
    await joins.leaves(machine, undefined, PROPS);
    const left = await machine.sh(`ls ${UNIT}; rm -f /etc/motd /etc/systemd/system-preset/20-ignition.preset`);
    proof.same('by Ignition: after leaving, its unit is gone', left.stdout, '');
  }
}

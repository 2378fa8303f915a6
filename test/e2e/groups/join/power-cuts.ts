import { JoinToken } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { isReady, type JoinProof, told } from './proof.js';

const TOKEN_FILE = '/var/lib/edge-token/join-token';

/** More than a boot has. */
const ENOUGH = 1000;

/**
 * A power failure after a write, anywhere in the first boot: kill -9 for every process, then a boot. The machine is Ready after it, or the boot reports an
 * error and the next one heals it.
 */
export class PowerCuts {
  private count = 0;

  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  /** Cuts after every n-th write of a boot. */
  public async everyWrite(step = 1): Promise<void> {
    const { proof } = this.joins;
    for (let at = 1; at < ENOUGH; at += step) {
      const cut = await this.cutAt(at);
      if (cut === undefined) {
        proof.note(`${at - 1} writes`);
        return;
      }
    }
  }

  /** @returns the write after which the power failed; undefined if the boot has fewer writes */
  public async cutAt(at: number): Promise<string | undefined> {
    const { joins, machine } = this;
    const { proof, declared, site } = joins;
    const { name } = machine.room;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    this.count += 1;
    const { userData } = declared.join(JoinToken.fromFile(TOKEN_FILE), {
      postJoinCommands: ['echo joined >> /var/lib/edge-token/after'],
    });
    const cut = await machine.cutBoot(userData, `i-cut-${this.count}`, at);
    const ready = async (): Promise<boolean> => isReady(await site.plane.get('node', name));
    let boot = await machine.reboot();
    const reported = boot.status !== 0;
    if (reported) {
      boot = await machine.reboot();
    }
    await proof.eventually(
      `power failure ${at}, after ${cut}: the next boot joins${reported ? ', after one that reports an error' : ''}`,
      async () => boot.status === 0 && (await ready()),
      60,
    );
    const after = await machine.sh('cat /var/lib/edge-token/after; rm -f /var/lib/edge-token/after');
    proof.that(`power failure ${at}: the commands after the join were run`, /joined/.test(after.stdout), told(boot));
    proof.same(
      `power failure ${at}: the token is only in its file`,
      machine.whereIs(token).filter((path) => path !== TOKEN_FILE),
      [],
    );
    await joins.leaves(machine);
    return cut;
  }
}

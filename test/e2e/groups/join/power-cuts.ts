import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { JoinToken, type NodeJoin, type NodeJoinProps } from 'edge-nodepools';
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

  /** A few points: kubelet has no certificate yet, and the disk is full while cloud-init writes the files. */
  public async run(): Promise<void> {
    await this.certificateIsLate();
    await this.beforeCertificate();
    await this.diskIsFull();
  }

  private async signer(signal: 'STOP' | 'CONT'): Promise<void> {
    await this.machine.sh(`pkill -${signal} -x kube-controller`);
    if (signal === 'CONT') {
      // nsenter stops with its program, and does not continue with it: the machine could never be shut down
      await promisify(execFile)('pkill', ['-CONT', '-P', String(process.pid), '-x', 'nsenter']);
    }
  }

  private async withToken(props: Partial<NodeJoinProps> = {}): Promise<NodeJoin> {
    const { joins, machine } = this;
    await machine.room.write(TOKEN_FILE, await joins.newToken(), '0600');
    return joins.declared.join(JoinToken.fromFile(TOKEN_FILE), props);
  }

  private isReady = async (): Promise<boolean> => {
    const { site } = this.joins;
    return isReady(await site.plane.get('node', this.machine.room.name));
  };

  private async certificateIsLate(): Promise<void> {
    const { joins, machine } = this;
    const { script } = await this.withToken({ timeouts: { discovery: '5s', tlsBootstrap: '3s' } });
    await machine.room.write('/run/join.sh', script);
    await this.signer('STOP');
    const late = await machine.sh('sh /run/join.sh');
    await this.signer('CONT');
    joins.proof.that(
      'a slow signer: the script says what kubelet waits for',
      late.status !== 0 && /kubelet waits for its certificate/.test(late.stderr),
      late,
    );
    await joins.proof.eventually('a slow signer: kubelet still gets its certificate', this.isReady, 60);
    const again = await machine.sh('sh /run/join.sh');
    joins.proof.that('a slow signer: the next run finds a node', again.status === 0, again);
    await joins.leaves(machine);
  }

  private async beforeCertificate(): Promise<void> {
    const { joins, machine } = this;
    const killer =
      '(until [ -s /etc/kubernetes/kubelet.conf ]; do sleep 0.1; done; children=$(pgrep -P $PPID); kill -KILL $PPID $children $(cat /run/kubelet.pid)) >/dev/null 2>&1 &';
    const { userData } = await this.withToken({
      preJoinCommands: [`[ -e /run/power-is-back ] || { ${killer} }`],
    });
    await machine.sh('rm -f /run/power-is-back');
    await this.signer('STOP');
    await machine.boot(userData, 'i-no-certificate');
    await this.signer('CONT');
    const { stdout } = await machine.sh(
      'touch /run/power-is-back; grep -c kubelet-client-current.pem /etc/kubernetes/kubelet.conf; ls /var/lib/kubelet/pki | grep -c client',
    );
    joins.proof.same(
      'a power failure before the certificate: kubelet.conf names one that does not exist',
      stdout,
      '2\n0\n',
    );
    const boot = await machine.reboot();
    joins.proof.that('a power failure before the certificate: the next boot joins', boot.status === 0, told(boot));
    await joins.proof.eventually('a power failure before the certificate: the node is Ready', this.isReady, 60);
    await joins.leaves(machine);
  }

  private async diskIsFull(): Promise<void> {
    const { joins, machine } = this;
    const folder = '/var/lib/edge-nodepools';
    const { userData } = await this.withToken();
    await machine.sh(`mkdir -p ${folder} && mount -t tmpfs -o size=8k tmpfs ${folder}`);
    const full = await machine.boot(userData, 'i-disk-full');
    joins.proof.that('a full disk while the files are written: an error', full.status !== 0, told(full));
    const still = await machine.reboot();
    joins.proof.that('a full disk: still an error at the next boot', still.status !== 0, told(still));
    await machine.sh(`umount ${folder}`);
    const boot = await machine.reboot();
    joins.proof.that('a full disk: a boot with space joins', boot.status === 0, told(boot));
    await joins.proof.eventually('a full disk: the node is Ready', this.isReady, 60);
    await joins.leaves(machine);
  }

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
    const { proof, declared } = joins;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    this.count += 1;
    const { userData } = declared.join(JoinToken.fromFile(TOKEN_FILE), {
      postJoinCommands: ['echo joined >> /var/lib/edge-token/after'],
    });
    const cut = await machine.cutBoot(userData, `i-cut-${this.count}`, at);
    let boot = await machine.reboot();
    const reported = boot.status !== 0;
    if (reported) {
      boot = await machine.reboot();
    }
    await proof.eventually(
      `power failure ${at}, after ${cut}: the next boot joins${reported ? ', after one that reports an error' : ''}`,
      async () => boot.status === 0 && (await this.isReady()),
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

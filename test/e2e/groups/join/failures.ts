import { resolve } from 'node:path';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { Boot, CloudMachine } from '../../harness/cloud-machine.js';
import { type JoinProof, told } from './proof.js';

const TOKEN_FILE = '/var/lib/edge/join-token';
const RELAY = resolve(__dirname, '..', '..', 'harness', 'relay.mjs');
const HOOK = '/var/lib/cloud/scripts/per-boot/edge-nodepools-join';

/** One way to fail. */
interface Failure {
  readonly what: string;
  readonly props?: Partial<NodeJoinProps>;
  /** Text that the output must contain. */
  readonly says: RegExp;
  /** Exit status of the script, if it is not kubeadm's 1. */
  readonly status?: number;
  readonly provoke?: (token: string) => Promise<unknown>;
  readonly fix: (token: string) => Promise<unknown>;
}

/** Kills the script and what it runs a moment after kubelet has got the token, on a slow machine, too. */
const KILLER =
  '(until [ -s /etc/kubernetes/bootstrap-kubelet.conf ]; do sleep 0.2; done; sleep 1; children=$(pgrep -P $PPID); kill -KILL $PPID $children) >/dev/null 2>&1 &';

/** Failures of real machines: each is reported, leaves no token, and the next boot joins without manual steps. */
export class JoinFailures {
  private count = 0;

  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    for (const failure of this.failures()) {
      await this.failsThenJoins(failure);
    }
    await this.inlineFails();
    await this.powerFails();
    await this.powerFailsInline();
    await this.runtimeIsTold();
  }

  private failures(): Failure[] {
    const { machine, joins } = this;
    const { plane } = joins.site;
    const { name } = machine.room;
    return [
      {
        what: 'the API server does not answer',
        props: { pool: joins.declared.pool('127.0.0.1:6444') },
        says: /couldn't validate the identity of the API Server/,
        fix: () => this.relay(6444, 6443),
      },
      {
        what: 'the token is not known',
        says: /could not find a JWS signature/,
        provoke: async (token) =>
          plane.must(['-n', 'kube-system', 'delete', 'secret', `bootstrap-token-${token.slice(0, 6)}`]),
        fix: (token) => joins.makeKnown(token),
      },
      {
        what: 'a Node of that name is Ready',
        says: /a Node with name "edge1" and status "Ready" already exists/,
        provoke: async () => {
          await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
          const status = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
          await plane.must(['patch', 'node', name, '--subresource=status', '--type=merge', '-p', status]);
        },
        fix: () => plane.must(['delete', 'node', name]),
      },
      {
        what: 'kubelet does not start',
        says: /kubelet/,
        provoke: () => machine.sh('touch /run/kubelet-is-broken'),
        fix: () => machine.sh('rm /run/kubelet-is-broken'),
      },
      {
        what: 'the file with the token is not there',
        says: /join-token cannot be read/,
        status: 66,
        provoke: () => machine.sh(`rm ${TOKEN_FILE}`),
        fix: (token) => machine.room.write(TOKEN_FILE, token, '0600'),
      },
      {
        what: 'the file holds no token',
        says: /does not hold a token: 24 characters/,
        status: 65,
        provoke: (token) => machine.room.write(TOKEN_FILE, `${token}x`, '0600'),
        fix: (token) => machine.room.write(TOKEN_FILE, token, '0600'),
      },
      {
        what: 'a command before the join fails',
        props: { preJoinCommands: ['true', '[ -e /run/ready ] || exit 42'] },
        says: /command before the join 2 of 2 failed/,
        status: 42,
        fix: () => machine.sh('touch /run/ready'),
      },
      {
        what: 'kubeadm is not installed',
        says: /kubeadm: .*not found/,
        status: 127,
        provoke: () => machine.sh('mv $(command -v kubeadm) /run/kubeadm-away'),
        fix: () => machine.sh('mv /run/kubeadm-away $(dirname $(command -v systemctl))/kubeadm'),
      },
    ];
  }

  private async failsThenJoins({ what, props, says, status = 1, provoke, fix }: Failure): Promise<void> {
    const { joins, machine } = this;
    const { proof } = joins;
    const claim = (text: string): string => `${what}: ${text}`;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    await provoke?.(token);
    this.count += 1;
    const join = joins.declared.join(JoinToken.fromFile(TOKEN_FILE), props);
    const failed = await machine.boot(join.userData, `i-failure-${this.count}`);
    this.isTold(claim, failed, says);
    proof.same(
      claim('the exit status is that of the failed program'),
      (await machine.sh('sh /var/lib/edge-nodepools/join.sh')).status,
      status,
    );
    proof.same(
      claim('only the file of the user contains the token'),
      machine.whereIs(token).filter((path) => path !== TOKEN_FILE),
      [],
    );
    await fix(token);
    const joined = await machine.reboot();
    proof.that(claim('the next boot joins, without manual steps'), joined.status === 0, told(joined));
    await joins.isAsDeclared(machine, claim('after it'));
    proof.that(claim('and a later boot does not retry'), (await machine.sh(`[ -e ${HOOK} ]`)).status !== 0);
    await joins.leaves(machine);
  }

  private isTold(claim: (text: string) => string, boot: Boot, says: RegExp): void {
    const { proof } = this.joins;
    proof.that(
      claim('cloud-init status reports the failure'),
      boot.status !== 0 && /status: error/.test(boot.said),
      told(boot),
    );
    proof.that(claim('the output says what failed'), says.test(boot.output), told(boot));
  }

  /** A token in the file itself can be read once: the next run is another instance-id. */
  private async inlineFails(): Promise<void> {
    const { joins, machine } = this;
    const { proof, declared } = joins;
    const token = await joins.newToken();
    const wrong = declared.join(JoinToken.inline(token), {
      pool: declared.pool(undefined, `sha256:${'ab'.repeat(32)}`),
    });
    const failed = await machine.boot(wrong.userData, 'i-wrong-hash');
    this.isTold((text) => `a wrong CA hash, inline token: ${text}`, failed, /none of the public keys .* are pinned/);
    proof.same(
      'a wrong CA hash, inline token: no file of the join contains the token',
      machine.whereIs(token).filter((path) => !path.startsWith('/var/lib/cloud/')),
      [],
    );
    const gone = await machine.sh('sh /var/lib/edge-nodepools/join.sh');
    proof.that(
      'the same file again reports that its token is gone',
      gone.status === 66 && /the file with the token is gone/.test(gone.stderr),
      gone,
    );
    const joined = await machine.boot(declared.join(JoinToken.inline(token)).userData, 'i-right-hash');
    proof.that('the right file with a new instance-id joins', joined.status === 0, told(joined));
    await joins.isAsDeclared(machine, 'after a wrong CA hash');
    await joins.leaves(machine);
  }

  /** A power failure between the request for a certificate and the response: the script ends without its trap. */
  private async powerFails(): Promise<void> {
    const { joins, machine } = this;
    const { proof, declared } = joins;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    await machine.sh('touch /run/kubelet-is-broken');
    const join = declared.join(JoinToken.fromFile(TOKEN_FILE, { removeAfterJoin: true }), {
      preJoinCommands: [`[ -e /run/power-is-back ] || ${KILLER}`],
    });
    const cut = await machine.boot(join.userData, 'i-power-cut');
    const { stdout } = await machine.sh(`cat ${HOOK}; ls /etc/kubernetes/bootstrap-kubelet.conf`);
    proof.that(
      'a power failure in the middle of a join: the script was killed, and the next boot will run it',
      cut.status !== 0 && stdout.startsWith('#!/bin/sh\n') && stdout.includes('bootstrap-kubelet.conf'),
      { stdout, told: told(cut) },
    );
    await machine.sh('rm /run/kubelet-is-broken; touch /run/power-is-back');
    const joined = await machine.reboot();
    proof.that('a power failure: the next boot joins', joined.status === 0, told(joined));
    await joins.isAsDeclared(machine, 'after a power cut');
    proof.same('after a power failure: the token is nowhere', machine.whereIs(token), []);
    await joins.leaves(machine);
  }

  /** The same with a token that cannot be read again: no later join cleans up. */
  private async powerFailsInline(): Promise<void> {
    const { joins, machine } = this;
    const { proof, declared } = joins;
    const token = await joins.newToken();
    const left = (): string[] => machine.whereIs(token).filter((path) => !path.startsWith('/var/lib/cloud/'));
    await machine.sh('touch /run/kubelet-is-broken');
    const join = declared.join(JoinToken.inline(token), { preJoinCommands: [KILLER] });
    await machine.boot(join.userData, 'i-power-cut-inline');
    proof.that(
      'a power failure, inline token: kubelet’s kubeconfig with the token remains',
      left().includes('/etc/kubernetes/bootstrap-kubelet.conf'),
      left(),
    );
    await machine.reboot();
    proof.same('a power failure, inline token: after the next boot no file of the join contains it', left(), []);
    await machine.sh('rm /run/kubelet-is-broken');
    const again = declared.join(JoinToken.inline(token));
    const joined = await machine.boot(again.userData, 'i-power-is-back-inline');
    proof.that(
      'a power failure, inline token: the same file with a new instance-id joins',
      joined.status === 0,
      told(joined),
    );
    await joins.leaves(machine);
  }

  /** The configuration of the real containerd after the script has edited its file. */
  private async runtimeIsTold(): Promise<void> {
    const { joins, machine } = this;
    const { script } = joins.declared.join(JoinToken.fromFile(TOKEN_FILE), {
      cniFolder: '/etc/edge/cni',
      sandboxImage: 'registry.example:5000/pause:3.10',
    });
    await machine.room.write('/run/join.sh', script);
    const file = '/etc/containerd/config.toml';
    const dump = `containerd --config ${file} config dump | grep -E 'sandbox_image|[^_]conf_dir|restrict_oom_score_adj'`;
    // without a token it stops after the preparations
    const { stdout } = await machine.sh(
      `cp ${file} /run/config.toml; rm -f ${TOKEN_FILE}; sh /run/join.sh; ${dump}; mv /run/config.toml ${file}`,
    );
    joins.proof.same(
      'containerd reads the folder and the image, and all other settings are unchanged',
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .sort(),
      [
        'conf_dir = "/etc/edge/cni"',
        'restrict_oom_score_adj = true',
        'sandbox_image = "registry.example:5000/pause:3.10"',
      ],
    );
    await machine.sh(
      'rm -rf /etc/edge/cni /var/lib/edge-nodepools /var/lib/cloud/scripts/per-boot/edge-nodepools-join',
    );
  }

  private async relay(from: number, to: number): Promise<void> {
    const { machine } = this.joins.site;
    const relay = machine.start(`relay-${from}`, process.execPath, [RELAY, String(from), String(to)]);
    await relay.ready(async () => (await this.machine.sh(`grep -qi :${from.toString(16)} /proc/net/tcp`)).status === 0);
  }
}

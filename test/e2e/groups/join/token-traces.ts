import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { type JoinProof, KEPT_BY_CLOUD_INIT } from './proof.js';

const SCAN = resolve(__dirname, '..', '..', 'harness', 'token-scan.py');
const TOKEN_FILE = '/var/lib/edge/join-token';
const SECRET_FILE = '/run/secret-store';
/** Files outside of the folders of the machine, which it shares with this machine: those that are newer than the join. */
const ELSEWHERE = String.raw`find /tmp /var/tmp /root /home /opt -xdev \( -path '*/edge-nodepools-*' -o -path '*/.cache' -o -path /root/go \) -prune -o -type f -newer /run/begin -size -2048 -exec grep -lFf /run/needle {} + 2>/dev/null`;

/** Everything that a machine could still have of a token: arguments and environments at every moment of the join, then memory and files. */
export class TokenTraces {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    const { machine, joins } = this;
    const { declared } = joins;
    await this.canFail();
    await this.leavesNone('inline, by cloud-init', [], async (token) => {
      const { status } = await machine.boot(declared.join(JoinToken.inline(token)).userData, 'i-traces');
      return status;
    });
    await this.leavesNone('from a file', [TOKEN_FILE], async (token) => {
      await machine.room.write(TOKEN_FILE, token, '0600');
      return this.byScript(JoinToken.fromFile(TOKEN_FILE));
    });
    await this.leavesNone('from a command, by the service', [SECRET_FILE], async (token) => {
      await machine.room.write(SECRET_FILE, token, '0600');
      await machine.sh('mount -t tmpfs tmpfs /usr/local/bin');
      const status = await this.byScript(JoinToken.fromCommand(['cat', SECRET_FILE]));
      await machine.sh('umount /usr/local/bin');
      return status;
    });
  }

  private async byScript(token: JoinToken): Promise<number> {
    const { script } = this.joins.declared.join(token, token.kind === 'command' ? { service: {} } : {});
    await this.machine.room.write('/run/join.sh', script);
    return (await this.machine.sh('sh /run/join.sh')).status;
  }

  /** @param kept where it was put */
  private async leavesNone(
    how: string,
    kept: readonly string[],
    joinsWith: (token: string) => Promise<number>,
  ): Promise<void> {
    const { joins, machine } = this;
    const { proof } = joins;
    const token = await joins.newToken();
    const text = token.slice(7);
    await machine.sh('touch /run/begin');
    const watch = this.scan(['watch'], text);
    const status = await joinsWith(token);
    const seen = await watch.end();
    proof.same(`traces, ${how}: it joins`, status, 0);
    const [rounds = 0] = seen.flatMap((line) => (line.startsWith('looked ') ? [Number(line.slice(7))] : []));
    proof.that(`(traces, ${how}: arguments and environments were read often)`, rounds > 20, seen);
    proof.same(
      `traces, ${how}: it was in no argument and no environment of any process, at any moment`,
      seen.filter((line) => !line.startsWith('looked ')),
      [],
    );
    proof.same(
      `traces, ${how}: it is in no file but where it was put`,
      machine.whereIs(text).filter((path) => !kept.includes(path) && !KEPT_BY_CLOUD_INIT.test(path)),
      [],
    );
    await machine.room.write('/run/needle', text, '0600');
    const { stdout } = await machine.sh(`${ELSEWHERE}; rm -f /run/needle`);
    proof.same(`traces, ${how}: nor in a new file of another folder`, stdout, '');
    const held = await this.memory(text);
    proof.note(`traces, ${how}: in memory after the join: ${held.join(', ') || 'none'}`);
    proof.same(
      `traces, ${how}: no process has it in memory but kubelet, which has read its bootstrap kubeconfig`,
      held.filter((name) => name !== 'kubelet'),
      [],
    );
    await machine.sh('systemctl restart kubelet');
    await proof.eventually(
      `traces, ${how}: after a restart of kubelet, none has`,
      async () => (await this.memory(text)).length === 0,
      20,
    );
    await machine.sh(`rm -f ${kept.join(' ')}`);
    await joins.leaves(machine, undefined, how.endsWith('service') ? { service: {} } : {});
  }

  /** Names of the processes that have it in memory; those of the control plane do not count, which knows its tokens. */
  private async memory(text: string): Promise<string[]> {
    const { init } = this.joins.site.plane.room;
    const lines = await this.scan(['memory', readlinkSync(`/proc/${init}/ns/mnt`)], text).end();
    this.joins.proof.that(
      '(the memory of processes was read)',
      Number(/looked (\d+)/.exec(lines.join())?.[1]) > 3,
      lines,
    );
    return lines.filter((line) => line.startsWith('memory ')).map((line) => line.slice(7));
  }

  private scan(args: readonly string[], text: string): { readonly end: () => Promise<string[]> } {
    const [command = '', ...entering] = this.machine.room.entrance;
    const scan = spawn(command, [...entering, '/usr/bin/python3', SCAN, ...args]);
    const said: string[] = [];
    [scan.stdout, scan.stderr].forEach((stream) => stream.on('data', (data: Buffer) => said.push(data.toString())));
    const ended = new Promise((done) => scan.once('close', done));
    scan.stdin.write(`${text}\n`);
    return {
      end: async () => {
        scan.stdin.end();
        await ended;
        return said.join('').trim().split('\n');
      },
    };
  }

  /** A process that has a text in all three places. */
  private async canFail(): Promise<void> {
    const { proof } = this.joins;
    const text = 'h0ldsthet0k3n000';
    const holder = this.machine.room.start('holder', 'env', [
      `HELD=${text}`,
      ...['/usr/bin/python3', '-c', 'import time; time.sleep(600)', text],
    ]);
    await holder.ready(async () => (await this.machine.sh(`pgrep -f ${text.slice(0, 8)}`)).status === 0);
    const watch = this.scan(['watch'], text);
    await new Promise((done) => setTimeout(done, 3000));
    proof.same('(a process that holds a text is found)', (await watch.end()).slice(0, 2).sort(), [
      'cmdline python3',
      'environ python3',
    ]);
    proof.same('(and in its memory)', await this.memory(text), ['python3']);
    await holder.stop('SIGKILL');
  }
}

import { JoinToken } from 'edge-nodepools';
import { type Boot, type CloudMachine, multiPart } from '../../harness/cloud-machine.js';
import { isReady, type JoinProof, told } from './proof.js';

const TOKEN_FILE = '/var/lib/edge-parts/join-token';
const HOOK = '/var/lib/cloud/scripts/per-boot/edge-nodepools-join';

/** Lists of a cloud-config, each of which replaces that of an earlier part. */
const LISTS = {
  runcmd: "runcmd: [[sh, -c, 'echo runcmd >> /run/other']]",
  write_files: 'write_files: [{ path: /run/other-file, content: other }]',
  bootcmd: "bootcmd: [[sh, -c, 'echo bootcmd >> /run/other']]",
} as const;

type List = keyof typeof LISTS;

/** Every choice of lists. */
const CHOICES: readonly (readonly List[])[] = [
  ['runcmd'],
  ['bootcmd'],
  ['write_files'],
  ['runcmd', 'bootcmd'],
  ['runcmd', 'write_files'],
  ['bootcmd', 'write_files'],
  ['runcmd', 'bootcmd', 'write_files'],
];

const otherOf = (lists: readonly List[]): string =>
  ['#cloud-config', ...lists.map((list) => LISTS[list]), ''].join('\n');

/** User-data of several parts, ours in any place, by the real cloud-init: a cloud-config after ours replaces the lists that it has. */
export class UserDataParts {
  private count = 0;

  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    for (const lists of CHOICES) {
      await this.before(lists);
      await this.after(lists);
    }
    await this.joinsAndHeals();
  }

  /** A join that fails at its first step: quick, and it says whether it was run. */
  private get ours(): string {
    const preJoinCommands = ['echo run >> /run/join-was-run; exit 41'];
    return this.joins.declared.join(JoinToken.fromFile(TOKEN_FILE), { preJoinCommands, attempts: 1 }).userData;
  }

  private async boot(parts: readonly string[]): Promise<Boot & { seen: string }> {
    const { machine } = this;
    this.count += 1;
    await machine.sh(`rm -rf /run/other* /run/join-was-run ${HOOK} /var/lib/edge-nodepools`);
    const userData = multiPart(parts.map((part) => ['text/cloud-config', part]));
    const boot = await machine.boot(userData, `i-parts-${this.count}`);
    const { stdout } = await machine.sh('cat /run/join-was-run; cat /run/other /run/other-file | sort');
    return { ...boot, seen: stdout };
  }

  /** What the other part does. */
  private ran(lists: readonly List[]): string {
    const words = lists.map((list) => (list === 'write_files' ? 'other' : list));
    return words
      .sort()
      .map((word) => `${word}\n`)
      .join('');
  }

  /** Ours is before the other one. */
  private async before(lists: readonly List[]): Promise<void> {
    const { proof } = this.joins;
    const boot = await this.boot([this.ours, otherOf(lists)]);
    const what = `user-data with ours before a cloud-config with ${lists.join(', ')}`;
    if (!lists.includes('write_files')) {
      proof.that(
        `${what}: the join is run, once, and its status is that of cloud-init`,
        boot.status !== 0 &&
          boot.seen === `run\n${this.ran(lists)}` &&
          /before the join 1 of 1 failed/.test(boot.output),
        { ...boot, told: told(boot) },
      );
      await this.machine.sh('rm -f /run/join-was-run');
      const again = await this.machine.reboot();
      const { stdout } = await this.machine.sh('cat /run/join-was-run');
      proof.that(`${what}: the next boot runs it again`, again.status !== 0 && stdout === 'run\n', told(again));
    } else {
      const saysSo = ({ status, output }: Boot): boolean =>
        status !== 0 && /this machine does not join: other user-data has replaced write_files/.test(output);
      proof.that(
        `${what}: there are no files of ours, and cloud-init reports an error that says so`,
        saysSo(boot) && boot.seen === this.ran(lists),
        { ...boot, told: told(boot) },
      );
      const again = await this.machine.reboot();
      proof.that(`${what}: so does the next boot`, saysSo(again), told(again));
    }
  }

  /** Ours is after the other one, and between two. */
  private async after(lists: readonly List[]): Promise<void> {
    const boot = await this.boot([otherOf(lists), this.ours]);
    this.joins.proof.that(
      `user-data with ours after a cloud-config with ${lists.join(', ')}: both are run, ours once`,
      boot.status !== 0 && boot.seen === `run\n${this.ran(lists)}`,
      { ...boot, told: told(boot) },
    );
  }

  /** The same with a join that succeeds, after a boot at which it fails. */
  private async joinsAndHeals(): Promise<void> {
    const { joins, machine } = this;
    const { proof, declared, site } = joins;
    await machine.sh(`rm -rf /run/other* ${HOOK} /var/lib/edge-nodepools`);
    await machine.room.write(TOKEN_FILE, await joins.newToken(), '0600');
    const preJoinCommands = ['[ -e /run/parts-are-ready ]'];
    const { userData } = declared.join(JoinToken.fromFile(TOKEN_FILE), { preJoinCommands, attempts: 1 });
    const parts = multiPart(
      [otherOf(['runcmd', 'bootcmd']), userData, otherOf(['runcmd', 'bootcmd'])].map((part) => [
        'text/cloud-config',
        part,
      ]),
    );
    const failed = await machine.boot(parts, 'i-parts-join');
    await machine.sh('touch /run/parts-are-ready');
    const boot = await machine.reboot();
    proof.that(
      'user-data with ours between two that have runcmd and bootcmd: what fails at the first boot joins at the next one',
      failed.status !== 0 && boot.status === 0,
      { failed: told(failed), then: told(boot) },
    );
    await proof.eventually(
      'user-data with ours between two others: the node is Ready',
      async () => isReady(await site.plane.get('node', machine.room.name)),
      60,
    );
    proof.that('and a later boot does not retry', (await machine.sh(`[ -e ${HOOK} ]`)).status !== 0);
    await joins.leaves(machine);
  }
}

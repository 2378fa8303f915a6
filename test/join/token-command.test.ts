/** What a command that prints the token may do instead, in each shell. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

/** The one of the machine, and with all samples each that it has. */
const SHELLS = ['sh', 'dash', 'busybox sh', 'mksh', 'bash --posix', 'posh'].filter(
  (shell) => shell === 'sh' || (isFullDepth && spawnSync(`${shell} -c true`, { shell: true }).status === 0),
);

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('a command that prints the token', () => {
  let machine: Folder;
  beforeEach(() => {
    machine = new Folder();
    machine.program('kubeadm', `cp "$3" /run/seen; ${SUCCEEDS}`);
  });
  afterEach(() => rmSync(machine.root, { recursive: true }));

  const run = (command: string | string[], shell = 'sh', timeoutSeconds: number | null = 1) => {
    const moved = typeof command === 'string' ? machine.moved(command) : command.map((word) => machine.moved(word));
    const { join } = declareJoin(
      KUBEADM,
      JoinToken.fromCommand(moved, timeoutSeconds === null ? {} : { timeoutSeconds }),
      { attempts: 1 },
    );
    const file = join.files.find(({ path }) => path.endsWith('/join.sh'))?.content ?? '';
    join.files
      .filter(({ path }) => path.startsWith('/var/lib/'))
      .forEach(({ path, content }) => machine.write(path, machine.moved(content)));
    machine.write('/run/join.sh', machine.moved(file));
    return machine.run(`exec ${shell} ${machine.root}/run/join.sh`);
  };

  const left = (): string[] => readdirSync(pathOf(machine.root, 'run')).filter((name) => name === 'edge-nodepools');

  it.each(SHELLS)('%s: that hangs is ended, with everything that still has its output open', (shell) => {
    // the second one would keep a pipe open
    const hung = run("trap '' TERM; sleep 5 & sleep 5", shell);
    expect(hung).toMatchObject({ status: 66, said: expect.stringContaining('has not ended in 1 s') });
    expect(machine.whereIsToken()).toEqual([]);
  });

  it.each([null, 5])('with timeoutSeconds %s: its failures are told, and its token is taken', (timeout) => {
    machine.write('/var/lib/edge/token', `\uFEFF${TOKEN} \r\n\r\n`);
    const as = (status: number, says: RegExp) => ({ status, said: expect.stringMatching(says) as unknown });
    expect(run('exit 7', 'sh', timeout)).toEqual(as(66, timeout ? /failed with status 7/ : /token cannot be read/));
    expect(run('true', 'sh', timeout)).toEqual(as(65, /the command does not hold a token: it has 0 characters/));
    expect(run("printf '\\r\\n'", 'sh', timeout)).toEqual(as(65, /0 characters/));
    expect(run('cat /var/lib/edge/token; exit 1', 'sh', timeout)).toMatchObject({ status: 66 });
    expect(run('/nonexistent', 'sh', timeout)).toMatchObject({ status: 66 });
    expect(run('cat /var/lib/edge/token; echo more', 'sh', timeout)).toEqual(as(65, /more than one line/));
    expect(machine.has('/run/seen')).toBe(false);
    expect(run(['cat', '/var/lib/edge/token'], 'sh', timeout)).toMatchObject({ status: 0 });
    expect(machine.read('/run/seen')).toContain(`    token: "${TOKEN}"\n`);
    expect(machine.whereIsToken()).toEqual(['/run/seen', '/var/lib/edge/token']);
    expect(left().map((name) => readdirSync(pathOf(machine.root, 'run', name)))).toEqual([[]]);
  });

  it('with a timeout: a power cut leaves its output to the next boot, which removes it', () => {
    machine.write('/var/lib/edge/token', TOKEN);
    // the script is killed when the token is written, and before it is read
    const cut = run(`cat /var/lib/edge/token; kill -KILL $(ps -o ppid= -p $PPID)`, 'sh', 5);
    expect(cut.status).toBe(null);
    expect(machine.whereIsToken()).toContain('/run/edge-nodepools/token-output');
    machine.boot();
    expect(machine.whereIsToken()).toEqual(['/var/lib/edge/token']);
  });

  it('with a timeout says that the machine has no timeout', () => {
    const { join } = declareJoin(KUBEADM, JoinToken.fromCommand('x', { timeoutSeconds: 5 }));
    expect(join.preflightScript).toMatch(/for program in .* timeout[ ;]/);
  });
});

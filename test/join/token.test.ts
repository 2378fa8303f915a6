/** What a token may look like where it comes from: in a program, in a file and from a command on the machine. */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import { shell } from '../../src/join/shell-parts.js';
import { isFullDepth } from '../depth.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';

const SECRET = TOKEN.split('.')[1] as string;
const BOM = '\uFEFF';

/** Texts, and what both the program and the machine say about them; undefined for texts that are a token. */
const TEXTS: readonly (readonly [text: string, inProgram: RegExp | undefined, onMachine: RegExp | undefined])[] = [
  [TOKEN, undefined, undefined],
  [`${TOKEN}\n`, undefined, undefined],
  [`${TOKEN}\r\n`, undefined, undefined],
  [`${TOKEN}\r`, undefined, undefined],
  ['', /empty/, /0 characters/],
  [' \t\n', /empty/, /0 characters/],
  [`${BOM}${TOKEN}`, undefined, undefined],
  [`${BOM}${TOKEN}\r\n`, undefined, undefined],
  [`\r\n \t${TOKEN}\t \r\n\n`, undefined, undefined],
  [`${TOKEN}\n${TOKEN}\n`, /more than one line/, /47 characters, not one line with/],
  [`# token\r\n${TOKEN}\r\n`, /more than one line/, /not one line with/],
  [`${TOKEN.slice(0, 9)}\r${TOKEN.slice(9)}`, /more than one line/, /not one line with/],
  [` ${TOKEN}`, undefined, undefined],
  [`${TOKEN} \n`, undefined, undefined],
  [`${TOKEN.slice(0, 9)} ${TOKEN.slice(9)}`, /24 characters/, /not one line with/],
  [`"${TOKEN}"`, /quotes/, /25 characters, not one/],
  [`'${TOKEN}'\n`, /quotes/, /25 characters, not one/],
  [TOKEN.toUpperCase(), /capital/, /not one line with/],
  [`token=${TOKEN}`, /other text/, /not one line with/],
  [`kubeadm join 10.0.0.1:6443 --token ${TOKEN}`, /other text/, /not one line with/],
  [Buffer.from(TOKEN).toString('base64'), /base64/, /not one line with/],
  ['token0.placeholder00000', /placeholder/, /not one line with/],
  [TOKEN.slice(0, -1), /22 characters/, /22 characters/],
  [`${TOKEN}0`, /24 characters/, /24 characters/],
  ['k3x9q2-7v1m0c8z4b6n5j2h', /6.*16/, /not one line with/],
];

const FEW = TEXTS.filter((_, index) => index > 0);

describe.each(TEXTS.map((row) => [JSON.stringify(row[0]), ...row] as const))('a token %s', (_, text, inProgram) => {
  it('in a program is accepted without what is around it, or refused with the reason', () => {
    if (inProgram === undefined) {
      expect(JoinToken.textOf(JoinToken.inline(text))).toBe(TOKEN);
      return;
    }
    let said = '';
    try {
      JoinToken.inline(text);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(inProgram);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain(SECRET.toUpperCase());
  });
});

const onMachine = process.platform === 'win32' ? it.skip : it;

onMachine('on the machine the same texts are accepted, or refused with the reason', () => {
  // all in one run of the shell, which takes its time to start
  const script = [
    'say() { echo "$*"; }',
    'token_from=it',
    'read_token() { :; }',
    shell('token'),
    ...TEXTS.map(([text]) => {
      const octal = [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
      return `token=$(printf '${octal}'); get_token && echo "is a token: $(printf %s "$token" | cksum)"`;
    }),
  ];
  const { stdout, stderr } = spawnSync('sh', { input: script.join('\n'), encoding: 'utf8' });
  expect(stderr).toBe('');
  const said = stdout.trimEnd().split('\n');
  const isToken = said[0];
  expect(isToken).toMatch(/^is a token/);
  expect(said).toHaveLength(TEXTS.length);
  FEW.forEach(([, , expected], index) => {
    expect([TEXTS[index + 1]?.[0], said[index + 1]]).toEqual([
      TEXTS[index + 1]?.[0],
      expected === undefined ? isToken : expect.stringMatching(expected),
    ]);
  });
  expect(stdout).not.toMatch(new RegExp(SECRET, 'i'));
});

it('what is not text is named', () => {
  expect(() => JoinToken.inline(undefined as unknown as string)).toThrow(/there is no text.*environment variable/s);
  expect(() => JoinToken.inline(123456 as unknown as string)).toThrow(/a number/);
});

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

/** The one of the machine, and with all samples each that it has. */
const SHELLS = ['sh', 'dash', 'busybox sh', 'mksh', 'bash --posix', 'posh'].filter(
  (shell) => shell === 'sh' || (isFullDepth && spawnSync(`${shell} -c true`, { shell: true }).status === 0),
);

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('a token on the machine', () => {
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

  it.each(SHELLS)(
    'by %s, from a command that hangs: it is ended, with everything that still has its output open',
    (shell) => {
      // the second one would keep a pipe open
      const hung = run("trap '' TERM; sleep 5 & sleep 5", shell);
      expect(hung).toMatchObject({ status: 66, said: expect.stringContaining('has not ended in 1 s') });
      expect(machine.whereIsToken()).toEqual([]);
    },
  );

  it.each([null, 5])(
    'from a command with timeoutSeconds %s: its failures are reported, and its token is taken',
    (timeout) => {
      machine.write('/var/lib/edge/token', `\uFEFF${TOKEN} \r\n\r\n`);
      const as = (status: number, says: RegExp) => ({ status, said: expect.stringMatching(says) as unknown });
      expect(run('exit 7', 'sh', timeout)).toEqual(as(66, /the command for the token failed with status 7/));
      expect(run('true', 'sh', timeout)).toEqual(as(65, /the command does not hold a token: 0 characters/));
      expect(run("printf '\\r\\n'", 'sh', timeout)).toEqual(as(65, /0 characters/));
      expect(run('cat /var/lib/edge/token; exit 1', 'sh', timeout)).toMatchObject({ status: 66 });
      expect(run('/nonexistent', 'sh', timeout)).toMatchObject({ status: 66 });
      expect(run('cat /var/lib/edge/token; echo more', 'sh', timeout)).toEqual(as(65, /not one line with/));
      expect(machine.has('/run/seen')).toBe(false);
      expect(run(['cat', '/var/lib/edge/token'], 'sh', timeout)).toMatchObject({ status: 0 });
      expect(machine.read('/run/seen')).toContain(`    token: "${TOKEN}"\n`);
      expect(machine.whereIsToken()).toEqual(['/run/seen', '/var/lib/edge/token']);
      expect(left().map((name) => readdirSync(pathOf(machine.root, 'run', name)))).toEqual([[]]);
    },
  );

  it('from a command with a timeout: a power cut leaves its output to the next boot, which removes it', () => {
    machine.write('/var/lib/edge/token', TOKEN);
    // the script is killed when the token is written, and before it is read
    const cut = run(`cat /var/lib/edge/token; kill -KILL $(ps -o ppid= -p $PPID)`, 'sh', 5);
    expect(cut.status).toBe(null);
    expect(machine.whereIsToken()).toContain('/run/edge-nodepools/token-output');
    machine.boot();
    expect(machine.whereIsToken()).toEqual(['/var/lib/edge/token']);
  });

  it('from a command with a timeout: the preflight script says that the machine has no timeout', () => {
    const { join } = declareJoin(KUBEADM, JoinToken.fromCommand('x', { timeoutSeconds: 5 }));
    expect(join.preflightScript).toMatch(/^programs='[^']*\btimeout\b/m);
  });

  it('from a Secret is refused if it splits the document', () => {
    const secret = JoinToken.fromSecret({ name: 'join', namespace: 'kube-system' });
    const { script } = declareJoin(KUBEADM, secret, { attempts: 1 }).join;
    expect(machine.run(script)).toMatchObject({ status: 66, said: expect.stringContaining('Secret kube-system/join') });
    const refused = machine.run(script.replaceAll('token0.placeholder00000', `${TOKEN}\n`));
    expect(refused).toMatchObject({ status: 65, said: expect.stringContaining('more than one line') });
    expect(machine.run(script.replaceAll('token0.placeholder00000', TOKEN)).status).toBe(0);
  });
});

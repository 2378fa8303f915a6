/** The password of a proxy in a file on the machine: what the script makes of it, and where it is not. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import fc from 'fast-check';
import { EdgeError, EdgeWarnings, JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { proxySteps } from '../../src/join/proxy.js';
import { prologue } from '../../src/base/shell-script.js';
import { anyCharacter, hostileText } from '../properties/hostile-text.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const FILE = '/var/lib/edge/proxy-credentials';
const TOKEN_FILE = '/var/lib/edge/join-token';
const DROP_IN = '/etc/systemd/system/containerd.service.d/20-edge-nodepools-proxy.conf';
const PASSWORD = 'p@ss:w/o?rd #%100 "quoted" \'single\' $(id) `id` \\n é漢';
const PROXY = { httpsProxy: 'http://proxy.shops.example:3128', credentialsFile: FILE };

const joinWith = (props: Partial<NodeJoinProps> = {}) =>
  declareJoin(KUBEADM, JoinToken.fromFile(TOKEN_FILE), { nodeName: 'till-1', attempts: 1, proxy: PROXY, ...props })
    .join;

const SHELLS = [['sh'], ['dash'], ['busybox', 'sh'], ['mksh'], ['bash', '--posix'], ['posh']].filter(
  ([shell = '', ...args]) => shell === 'sh' || spawnSync(shell, [...args, '-c', 'true']).status === 0,
);

const isUnix = process.platform !== 'win32';
const describeInShell = isUnix ? describe : describe.skip;

const useProxyLines = (credentials: Parameters<typeof proxySteps>[0]): string[] => {
  const { variables, parts } = proxySteps(credentials);
  return [...prologue(variables), ...parts];
};

/** What is in the URL that a script made of a user and a password. */
function partsOf(url: string): readonly string[] {
  const [, user = '', password = ''] = /^http:\/\/([A-Za-z0-9._~%-]+):([A-Za-z0-9._~%-]*)@proxy:3128$/.exec(url) ?? [];
  return [user, password].map(decodeURIComponent);
}

describeInShell('in each shell', () => {
  const folder = mkdtempSync(pathOf(tmpdir(), 'proxy-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const line = fc.oneof(hostileText, fc.string({ unit: anyCharacter, maxLength: 40 })).map((text) =>
    // the file has one line; a surrogate alone is no text
    text.replace(/[\0\r\n]/g, '').replace(/\p{Surrogate}/gu, ''),
  );
  const user = line.map((text) => text.replace(/[:\uFEFF]/g, '')).filter((text) => text !== '');

  it.each(SHELLS.map((shell) => [shell.join(' '), shell] as const))(
    '%s: any user and password come back from the URL and from the drop-in',
    (_, [command = '', ...args]) => {
      const samples = fc.sample(fc.tuple(user, line, fc.constantFrom('', '\n', '\r\n')), { numRuns: 25, seed: 5 });
      const script = samples.flatMap(([name, password, end], index) => {
        const file = pathOf(folder, `credentials-${index}`);
        writeFileSync(file, `${name}:${password}${end}`);
        const credentials = { file, urls: { https_proxy: 'http://proxy:3128' } };
        const lines = [...useProxyLines(credentials), 'use_proxy || exit', 'echo "$HTTPS_PROXY"'];
        return ['(', ...lines, `write_drop_in '${file}.conf'`, ')'];
      });
      const { stdout, stderr, status } = spawnSync(command, args, {
        input: ['set -u', 'LC_ALL=C', 'export LC_ALL', 'say() { echo "$*" >&2; }', ...script].join('\n'),
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      const urls = stdout.trimEnd().split('\n');
      samples.forEach(([name, password], index) => {
        expect(partsOf(urls[index] ?? '')).toEqual([name, password]);
        const path = pathOf(folder, `credentials-${index}.conf`);
        const lines = readFileSync(path, 'utf8').split('\n');
        // as systemd reads it
        const seen = lines.map((text) => /^Environment="(\w+)=(.*)"$/.exec(text)?.slice(1) ?? []);
        expect(seen.slice(1, 3).map(([variable, url = '']) => [variable, url.replaceAll('%%', '%')])).toEqual([
          ['https_proxy', urls[index]],
          ['HTTPS_PROXY', urls[index]],
        ]);
        expect(statSync(path).mode & 0o777).toBe(0o600);
      });
    },
  );

  it.each(['', '\n', 'user', ':password', 'user:pass\nword\n', 'user:pass\rword', 'user:pass\0word', '\uFEFF:x'])(
    'a file with %j is refused, without its content',
    (content) => {
      const file = pathOf(folder, 'wrong');
      writeFileSync(file, content);
      const lines = useProxyLines({ file, urls: { https_proxy: 'http://proxy:3128' } });
      const input = ['say() { echo "$*" >&2; }', ...lines, 'use_proxy; echo $?'].join('\n');
      const { stdout, stderr } = spawnSync('sh', { input, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['65\n', `${file} does not hold one line user:password\n`]);
    },
  );
});

describeInShell('on a machine', () => {
  let machine: Folder;
  const ENCODED = encodeURIComponent(PASSWORD).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const URL = `http://till:${ENCODED}@proxy.shops.example:3128`;
  beforeEach(() => {
    machine = new Folder();
    machine.write(TOKEN_FILE, TOKEN);
    machine.write(FILE, `till:${PASSWORD}\n`);
    machine.program('kubeadm', `echo "$https_proxy $HTTPS_PROXY" > /run/seen; ${SUCCEEDS}`);
  });
  afterEach(() => rmSync(machine.root, { recursive: true }));

  it('kubeadm and commands of the user see it, the runtime has it, and no argument of a program contains it', () => {
    for (const name of ['awk', 'od', 'sed', 'cat', 'mkdir', 'mv', 'rm', 'chmod', 'grep', 'printf', 'systemctl']) {
      const real = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
      machine.program(name, `echo "$0 $*" >> /run/arguments; ${real.startsWith('/') ? `exec ${real} "$@"` : ':'}`);
    }
    machine.program('systemctl', 'echo "$*" >> /run/arguments');
    const { script, leaveScript } = joinWith({ postJoinCommands: ['echo "$https_proxy" > /run/after'] });
    const { status, said } = machine.run(script);
    expect([status, said]).toEqual([0, '']);
    expect(machine.read('/run/seen')).toBe(`${URL} ${URL}\n`);
    expect(machine.read('/run/after')).toBe(`${URL}\n`);
    expect(machine.read(DROP_IN)).toContain(`Environment="https_proxy=${URL.replaceAll('%', '%%')}"`);
    expect(statSync(machine.root + DROP_IN).mode & 0o777).toBe(0o600);
    const told = machine.read('/run/arguments');
    expect(told).toContain('restart containerd');
    expect([told.includes(ENCODED), told.includes(PASSWORD)]).toEqual([false, false]);
    const holders = readdirSync(machine.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(pathOf(machine.root, path)).isFile())
      .filter((path) => /p(@|%+40)ss/.test(machine.read(`/${path}`)))
      .sort();
    expect(holders.map((path) => `/${path}`)).toEqual([DROP_IN, '/run/after', '/run/seen', FILE]);
    machine.program('kubeadm', 'exit 0');
    machine.run(leaveScript);
    expect(machine.has(DROP_IN)).toBe(false);
  });

  it.each([
    ['is not there', undefined, 66, /proxy-credentials cannot be read/],
    ['has no password', 'till', 65, /does not hold one line user:password/],
  ] as const)('a file that %s ends the join, and the next run joins', (_, content, expected, says) => {
    rmSync(machine.root + FILE);
    if (content !== undefined) {
      machine.write(FILE, content);
    }
    const { script } = joinWith();
    const { status, said } = machine.run(script);
    expect([status, machine.has('/run/seen')]).toEqual([expected, false]);
    expect(said).toMatch(says);
    machine.write(FILE, `till:${PASSWORD}`);
    expect(machine.run(script).status).toBe(0);
    expect(machine.read('/run/seen')).toContain(URL);
    // a machine that has joined does not need it
    rmSync(machine.root + FILE);
    expect(machine.run(script)).toMatchObject({ status: 0 });
  });
});

describe('what is declared', () => {
  it('only the path is in the files, the published join, the scripts and the hashes', () => {
    const { files, userData, script, leaveScript, updateScript = '', preflightScript } = joinWith();
    const texts = [...files.map(({ content }) => content), userData, script, leaveScript, updateScript];
    expect(texts.filter((text) => text.includes('http://proxy.shops.example:3128')).length).toBeGreaterThan(2);
    expect(leaveScript).toContain(DROP_IN);
    expect(preflightScript).toContain(`proxy_file=${FILE}`);
    expect(joinWith().contentHash).not.toBe(joinWith({ proxy: { httpsProxy: PROXY.httpsProxy } }).contentHash);
  });

  it('a password in a URL is a warning that names the option, not the password', () => {
    const warned = (proxy: NodeJoinProps['proxy']) => {
      const { chart } = declareJoin(KUBEADM, JoinToken.fromFile(TOKEN_FILE), { proxy });
      return EdgeWarnings.of(chart.node.root).filter(({ code }) => code === 'EDGE_PASSWORD');
    };
    const httpsProxy = 'http://till:s3cret@proxy.example:3128';
    const [warning, ...others] = warned({ httpProxy: 'http://till@proxy.example', httpsProxy });
    expect(warning).toMatchObject({ path: expect.stringContaining('proxy.httpsProxy') });
    expect(warning?.hint).toContain('credentialsFile');
    expect([others, JSON.stringify(warning).includes('s3cret')]).toEqual([[], false]);
    expect(warned(PROXY)).toEqual([]);
  });

  it('a password in the URL of a repository is a warning, without the password', () => {
    const warned = (packages: NodeJoinProps['packages']) => {
      const { chart } = declareJoin(KUBEADM, JoinToken.fromFile(TOKEN_FILE), { packages });
      return EdgeWarnings.of(chart.node.root).filter(({ code }) => code === 'EDGE_PASSWORD');
    };
    const repository = 'https://till:s3cret@packages.example/deb';
    const apt = { manager: 'apt', version: `${KUBEADM.kubernetes}.2` } as const;
    const warnings = warned({ ...apt, repository, runtime: { name: 'containerd.io', repository } });
    expect(warnings.map(({ path }) => path.replace(/^.*packages/, 'packages'))).toEqual([
      'packages.repository',
      'packages.runtime.repository',
    ]);
    expect(JSON.stringify(warnings)).not.toContain('s3cret');
    expect(warned({ ...apt, repository: 'https://till@packages.example/deb' })).toEqual([]);
  });

  it('a password in the place of the path is not in the error', () => {
    let said: unknown;
    try {
      joinWith({ proxy: { ...PROXY, credentialsFile: 'till:s3cret' } });
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(EdgeError);
    expect((said as Error).message).not.toContain('s3cret');
  });
});

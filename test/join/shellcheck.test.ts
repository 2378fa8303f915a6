/** What runs on machines, as it is rendered: valid for shellcheck, and readable on a screen. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { JoinToken, type NodeJoin, type NodeJoinProps } from 'edge-nodepools';
import { declareJoin } from '../properties/join-arbitraries.js';

const KUBEADM = { openYurt: '1.7', kubernetes: '1.34', via: undefined } as const;
const FILE = JoinToken.fromFile('/var/lib/edge/join-token');
const TIMED = JoinToken.fromCommand('cat /var/lib/edge/token', { timeoutSeconds: 5 });

const join = (props: Partial<NodeJoinProps> = {}, token = FILE, way: Parameters<typeof declareJoin>[0] = KUBEADM) =>
  declareJoin(way, token, props).join;
const scriptOf = ({ files }: NodeJoin): string => files.find(({ path }) => path.endsWith('/join.sh'))?.content ?? '';

const JOINS: Readonly<Record<string, () => NodeJoin>> = {
  plain: () => join(),
  'with a token of a command': () => join({}, TIMED),
  'with an inline token': () => join({}, JoinToken.inline('k3x9q2.7v1m0c8z4b6n5j2h')),
  'with commands and settings': () =>
    join({
      preJoinCommands: ['true', ['echo', "it's"]],
      postJoinCommands: ['true'],
      sandboxImage: 'registry.example/pause:3.10',
      kubeletConfiguration: { maxPods: 30 },
      proxy: { httpsProxy: 'http://proxy.example:3128', credentialsFile: '/var/lib/edge/proxy' },
      machineSettings: { swap: 'off', modules: ['br_netfilter'], sysctl: { 'vm.overcommit_memory': '1' } },
    }),
  'by yurtadm': () => join({}, FILE, { openYurt: '1.6', kubernetes: '1.30', via: 'yurtadm' }),
};

const hasShellcheck = spawnSync('shellcheck', ['--version']).error === undefined;

(hasShellcheck ? describe : describe.skip)('for shellcheck', () => {
  it.each(Object.keys(JOINS))('a join %s is valid in each dialect', (name) => {
    const made = JOINS[name]?.() as NodeJoin;
    for (const dialect of ['sh', 'dash']) {
      // steps are called by name; words of paths and names are split on purpose; && || is no if
      // commands are variables with a number
      const indirect = name === 'with commands and settings' ? ',SC2034' : '';
      const excluded = `SC1003,SC2015,SC2086,SC2317,SC2329${indirect}`;
      const options = [`--shell=${dialect}`, '--norc', `--exclude=${excluded}`, '-'];
      // the second one has the first one as a quoted text, of which shellcheck only asks whether it should expand
      for (const [input, severity] of [
        [scriptOf(made), 'style'],
        [made.script, 'warning'],
      ] as const) {
        const { stdout } = spawnSync('shellcheck', [`--severity=${severity}`, ...options], { input, encoding: 'utf8' });
        expect(stdout).toBe('');
      }
    }
  });
});

describe('on a screen', () => {
  it('no line of a shell file is longer than 120 characters', () => {
    const folder = resolve(__dirname, '../../src/join');
    const long = readdirSync(folder)
      .filter((name) => name.endsWith('.sh'))
      .flatMap((name) => readFileSync(resolve(folder, name), 'utf8').split('\n'))
      .filter((line) => line.length > 120);
    expect(long).toEqual([]);
  });

  it('a plain join is short, and keeps its comments and its indentation', () => {
    const script = scriptOf(join());
    const lines = script.split('\n');
    expect(lines.length).toBeLessThanOrEqual(160);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    expect(lines.filter((line) => line.startsWith('# ')).length).toBeGreaterThan(8);
    expect(Buffer.byteLength(join().userData)).toBeLessThan(11_000);
  });
});

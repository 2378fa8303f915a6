/** `edge-nodepools dump`, and the options that all commands have. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/app/command/main.js';
import { filesAt } from '../../src/app/command/read-files.js';
import { node, pool } from '../upgrades/dump.js';

/** Runs the command with a kubectl that lists what it was asked for, except some kinds. */
function run(
  args: readonly string[],
  without: RegExp = /^$/,
): { code: number; out: string; err: string; asked: string[] } {
  let [out, err] = ['', ''];
  const asked: string[] = [];
  const code = main(args, {
    stdin: () =>
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [pool('hz'), node('edge-1', 'hz', '1.30.4')] }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
    kubectl: (given) => {
      asked.push(given.join(' '));
      const kinds = given[given.indexOf('get') + 1] ?? '';
      return without.test(kinds) ? undefined : `apiVersion: v1\nitems: []\nkind: List # ${kinds}\n`;
    },
  });
  return { code, out, err, asked };
}

const COMMANDS = ['show', 'check', 'diff', 'explain', 'simulate', 'nodes', 'preconditions', 'upgrade', 'import'];

describe('edge-nodepools dump', () => {
  it.each(COMMANDS)('%s: runs kubectl get, and prints the same lines', (command) => {
    const { code, asked, out } = run(['dump', command]);
    const printed = run(['dump', command, '--print']);
    expect([code, printed.code, printed.asked]).toEqual([0, 0, []]);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((each) => each.startsWith('get ') && !each.includes('secret'))).toBe(true);
    const lines = printed.out.trimEnd().split('\necho ---\n');
    expect(lines.map((line) => line.replace(/^kubectl /, '').replace(/ \|\| true$/, ''))).toEqual(asked);
    expect(out.split('---\n')).toHaveLength(asked.length);
  });

  it('asks a cluster without OpenYurt for none of its kinds, and goes on without optional ones', () => {
    expect(run(['dump', 'nodes', '--openyurt', 'none', '--context', 'lab']).asked).toEqual([
      '--context lab get nodes,pods --all-namespaces --output=yaml',
      '--context lab get configmaps --all-namespaces --selector=edge-nodepools/pool --output=yaml',
    ]);
    expect(COMMANDS.flatMap((each) => run(['dump', each, '--openyurt=none']).asked).join()).not.toContain('openyurt');
    const { code, out } = run(['dump', 'preconditions'], /mutatingadmissionpolicies|validatingadmissionpolicies/);
    expect([code, out.split('---\n').length]).toEqual([0, 3]);
  });

  it('ends with 2 where kubectl fails, and writes nothing', () => {
    expect(run(['dump', 'nodes'], /nodepools/)).toMatchObject({
      code: 2,
      out: '',
      err: 'kubectl could not read nodes,nodepools.apps.openyurt.io,pods; in a cluster without OpenYurt, add --openyurt none\n',
    });
    expect(run(['dump', 'pods']).code).toBe(2);
    expect(run(['dump']).code).toBe(2);
  });
});

describe('every command', () => {
  it('has --json where it has --format json', () => {
    const pairs = [
      ['show', '-'],
      ['check', '-'],
      ['explain', 'web', '-'],
      ['diff', '-', __filename],
      // into no folder: inside of a file is none
      ['nodes', '--dump', '-', '--host-network-pool', 'hz', '--out', `${__filename}/nodes`],
    ];
    for (const args of pairs) {
      const [short, long] = [run([...args, '--json']), run([...args, '--format', 'json'])];
      expect(short).toEqual(long);
      expect(short.err).not.toContain('unknown option');
    }
    for (const command of ['show', 'check', 'explain', 'diff', 'simulate', 'nodes', 'preconditions', 'upgrade']) {
      const { out } = run(['help', command]);
      expect(out).toMatch(/--format <format>/);
      expect(out).toMatch(/--json/);
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it.each([
    ['preconditions --openyurt 1.7', '--dump, --kubernetes are missing; write --dump '],
    ['preconditions --openyurt 1.7 --kubernetes 1.30', '--dump is missing; write --dump '],
    ['upgrade --dump - --from 1.6', '--kubernetes is missing; write --dump '],
    ['nodes', 'write --dump '],
  ])('%s: names the missing option', (args, said) => {
    expect(run(args.split(' '))).toMatchObject({ code: 2, err: expect.stringContaining(said) });
  });
});

describe('a file that is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { ä: "ö" }\n';
  const read = (bytes: Buffer): string => {
    writeFileSync(join(folder, 'a.yaml'), bytes);
    const line = { stdin: () => '', stdout: () => undefined, stderr: () => undefined };
    return filesAt(join(folder, 'a.yaml'), 'check', undefined, line)[0]?.text ?? '';
  };

  it('that is not there may be meant by another name', () => {
    const line = { stdin: () => '', stdout: () => undefined, stderr: () => undefined };
    read(Buffer.from(text));
    const asked = (name: string) => () => filesAt(join(folder, name), 'check', undefined, line);
    expect(asked('b.yaml')).toThrow(/no such file or folder; did you mean .*a\.yaml\?$/);
    expect(asked('other/dist')).toThrow(/no such file or folder$/);
  });

  it('may be in UTF-16 with its mark, as Windows PowerShell writes it, and is refused if it is not UTF-8', () => {
    expect(read(Buffer.from(text))).toBe(text);
    expect(read(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toBe(text);
    expect(read(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())).toBe(text);
    expect(() => read(Buffer.from(text, 'latin1'))).toThrow(/a\.yaml is not UTF-8; convert it first/);
  });
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { main, showProgress, tick } from '../../src/cli/main.js';
import { type ShellBlock, shellBlocksOf } from '../shell-blocks.js';
import { parse } from 'yaml';
import { type ReadBytes, readStdin } from '../../src/cli/stdin.js';

function run(args: readonly string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(args, { stdin: () => '', stdout: (text) => (out += text), stderr: (text) => (err += text) });
  return { code, out, err };
}

describe('edge-nodepools', () => {
  it('speaks of its own flags, and says what was meant', () => {
    const { version } = JSON.parse(readFileSync(resolve(__dirname, '../../package.json'), 'utf8'));
    expect(run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    expect(run(['help', 'help'])).toEqual(run(['help']));
    expect(run(['help', 'upgrade'])).toEqual(run(['upgrade', '--help']));
    for (const [args, said] of [
      [['post-rendr'], /Did you mean post-render\?/],
      [['help', 'post-rendr'], /there is no command post-rendr[^]*Did you mean post-render\?/],
      [['help', 'post-rendr', '--strict'], /Did you mean post-render\?/],
      [['post-render', '--openYurt=1.7'], /Did you mean --openyurt\?/],
      [['preconditions', '--dum=x'], /Did you mean --dump\?/],
      [['post-render', 'file.yaml'], /reads stdin: edge-nodepools post-render < /],
      [['post-render', '--openyurt=9'], /--openyurt: "9" is not a known OpenYurt/],
      [['post-render', '--openyurt=1.9'], /--openyurt: OpenYurt 1\.9 is newer[^]*write --allow-newer to treat/],
      [['post-render', '--kubernetes=1.99'], /--kubernetes: Kubernetes 1\.99 is newer[^]*write --allow-newer to treat/],
      [
        ['post-render', '--pod-template-path=Job.example.com'],
        /Job\.example\.com has no path; write [^]*=spec\.template/,
      ],
      [['post-render', '--pod-template-path=constructor=spec'], /kind constructor, so its API group is needed/],
      [['post-render', '--pod-template-path=__proto__=spec'], /__proto__ is not a kind with its API group/],
      [['init', '--openyurt=1.34'], /1\.34 is a minor of Kubernetes: write --openyurt 1\.7, --kubernetes 1\.34/],
      [['nodes', 'dist'], /nodes takes only flags: --dump <folder or file>/],
      [['upgrade', 'dist'], /upgrade takes only flags: --dump <folder or file>/],
      [['post-render', '-f', 'web.yaml'], /it reads stdin: edge-nodepools post-render < /],
      [['diff', '-', resolve(__dirname, '../../package.json')], /there is no Kubernetes object in stdin/],
      [['diff', resolve(__dirname, '../../package.json'), '-'], /there is no Kubernetes object in .*package\.json/],
      [
        ['show', 'dist', '--host-network-pool=edge,beijing'],
        /Repeat the option: --host-network-pool edge --host-network-pool beijing/,
      ],
      [['show', 'dist', '--host-network-pool=edge=3'], /the number of its nodes is --nodes edge=3/],
      [['check', 'dist', '--host-network-pool=Edge_1!'], /not a pool name/],
      [['check', 'dist', '--host-network-pool='], /not a pool name/],
      [['show', 'dist', '--node-pool-label=a/b=edge'], /without a value: --node-pool-label a\/b$/m],
      [['explain', __dirname, 'web'], /is a folder or file, and comes last; write explain web /],
      [['show', __filename], /this is a program: run it/],
      [['check', resolve(__dirname, '../../tsconfig.build.json')], /there is no Kubernetes object in /],
      ...['x!=0', 'x==0', 'a b=c', 'x=a b'].map(
        (label) =>
          [
            ['nodes', '--dump=-', `--host-network-label=${label}`],
            /is not a (qualified name|label (key|value))/,
          ] as const,
      ),
      [['post-render', '--openyurt=1.34', '--kubernetes=1.7'], /swapped: write --openyurt 1\.7, --kubernetes 1\.34/],
    ] as const) {
      const { code, err } = run(args);
      expect([args, code, err]).toEqual([args, 2, expect.stringMatching(said)]);
      expect(err).not.toMatch(/allowNewer|openYurt:|undefined/);
    }
  });

  it('speaks of no flag that the command does not have', () => {
    const dump = ['--dump=/nowhere', '--from=1.6'];
    for (const args of [
      ['init', '--openyurt=1.99'],
      ['init', '--kubernetes=1.99'],
      ['init', '--openyurt='],
      ['upgrade', ...dump, '--to=1.99', '--kubernetes=1.30'],
      ['upgrade', ...dump, '--kubernetes=1.30..1.99'],
      ['post-render', '--openyurt=1.99'],
      ['preconditions', '--dump=/nowhere', '--openyurt=1.99', '--kubernetes=1.99'],
      ['preconditions', '--dump=/nowhere', '--openyurt=none', '--kubernetes=1.34', '--distribution=x'],
      ['show', '/nowhere'],
      ['nodes'],
    ]) {
      const { code, err } = run(args);
      const known = run([args[0] as string, '--help']).out;
      const flags = err.match(/--[a-z][a-z-]+/g) ?? [];
      expect([
        args,
        code,
        flags.filter((flag) => !known.includes(flag) && !/^--(output|all-namespaces)$/.test(flag)),
      ]).toEqual([args, 2, []]);
    }
  });

  it('reads stdin, and calls it so', () => {
    for (const args of [
      ['show', '-'],
      ['nodes', '--dump=-'],
      ['preconditions', '--dump=-', '--openyurt=none', '--kubernetes=1.34'],
    ]) {
      const { code, err } = run(args);
      expect([args, code, err]).toEqual([args, 2, expect.stringMatching(/there is no .* in stdin\b/)]);
    }
  });

  it('fits 80 columns with its help', () => {
    const names = [...run(['--help']).out.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name]) => name as string);
    expect(names).toContain('post-render');
    for (const name of names) {
      expect([
        name,
        run([name, '--help'])
          .out.split('\n')
          .filter((line) => line.length > 80),
      ]).toEqual([name, []]);
    }
  });
});

describe('a command at work', () => {
  it('says so after 2, 4, 8, … seconds, and not before', () => {
    const written: string[] = [];
    let second = (): void => undefined;
    // as it runs in its worker: from its text alone
    const alone = new Function(`return ${tick.toString()}`)() as typeof tick; // eslint-disable-line @typescript-eslint/no-implied-eval
    alone('show', { write: (text) => written.push(text), everySecond: (run) => (second = run) });
    const seen = Array.from({ length: 20 }, () => {
      second();
      return written.length;
    });
    expect(seen.indexOf(1) + 1).toBe(2);
    expect(written).toEqual([2, 4, 8, 16].map((seconds) => `edge-nodepools show: still working, ${seconds} s\n`));
  });

  it('is reported once for a command, and only shown on a terminal', () => {
    const begun: string[] = [];
    const line = { stdin: () => '', stdout: () => undefined, stderr: () => undefined };
    for (const args of [['show', '/nowhere'], ['help', 'show'], ['--version'], ['nonsense']]) {
      main(args, { ...line, begins: (command) => void begun.push(command) });
    }
    expect(begun).toEqual(['show']);
    expect(showProgress('show', false)).toBeUndefined();
  });
});

describe('docs/command.md', () => {
  const page = readFileSync(resolve(__dirname, '../../docs/command.md'), 'utf8');
  const rowsOf = (text: string): string[][] =>
    [...text.matchAll(/^\| `(.*)$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.replace(/`/g, '').trim()),
    );
  const [commands = '', exits = ''] = page.split('## Exit codes');

  it('has every command, with the exit codes of its help', () => {
    const names = [...run(['--help']).out.matchAll(/^ {2}([a-z][a-z-]+) (?!.*\[command\])/gm)].map(
      ([, name]) => name as string,
    );
    expect(names.length).toBeGreaterThan(4);
    expect(rowsOf(commands).map(([name]) => name)).toEqual(names);
    expect(rowsOf(exits).map(([name, ...codes]) => [name, ...[0, 1, 2].filter((code) => codes[code] !== '')])).toEqual(
      names.map((name) => {
        const [, said = ''] = /Exit code ([^]*?)(\n\n|$)/.exec(run([name, '--help']).out) ?? [];
        return [name, ...[...said.matchAll(/\b([012]):/g)].map(([, code]) => Number(code))];
      }),
    );
  });

  it('and nothing is coloured', () => {
    for (const args of [['--help'], ['nonsense'], ['show', '/nowhere']]) {
      const { out, err } = run(args);
      expect(`${out}${err}`).not.toContain('\u001b');
    }
  });
});

const root = resolve(__dirname, '..', '..');
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const blocks = ['README.md', ...docs.map((name) => `docs/${name}`)].flatMap(shellBlocksOf);

/** A page that a group of the end-to-end tests follows: each block runs there unless a note says why not. */
const FOLLOWED = { page: 'docs/getting-started.md', by: 'test/e2e/groups/getting-started/getting-started.ts' };

const runBy = ({ page, notes }: ShellBlock): string | undefined =>
  notes['run by'] ?? (page === FOLLOWED.page && notes['not run'] === undefined ? FOLLOWED.by : undefined);

describe('the commands of the pages', () => {
  const run = blocks.filter((block) => runBy(block) !== undefined);
  const others = blocks.filter((block) => runBy(block) === undefined);

  it.each(run.map((block) => [`${block.page}:${block.line}`, runBy(block) as string, block] as const))(
    '%s runs in %s',
    (_, file, { page, notes }) => {
      expect(notes['not run']).toBeUndefined();
      expect(existsSync(join(root, file))).toBe(true);
      // a test reads the page, .ci/run has the command itself
      const name = file.startsWith('test/') ? page.replace('docs/', '') : 'npm start';
      expect(readFileSync(join(root, file), 'utf8')).toContain(name);
    },
  );

  it.each(
    others.map((block) => [`${block.page}:${block.line}`, block.notes['not run'] ?? 'no reason', block] as const),
  )('%s does not run: %s', (_, reason) => {
    expect(reason.split(' ').length).toBeGreaterThan(4);
    // what it names instead is there
    for (const [path] of reason.matchAll(/\b(test|docs)\/[\w/.-]*\w/g)) {
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    }
  });

  it('are found', () => {
    expect(run.length).toBeGreaterThan(15);
    expect(blocks.some(({ code }) => code.includes('npx edge-nodepools init fleet --openyurt 1.7'))).toBe(true);
  });
});

const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

describe('the plugin for Helm 4', () => {
  const { version, files } = JSON.parse(textOf('package.json')) as { version: string; files: string[] };

  it('is in the package, with its version, under the name in the documentation', () => {
    const plugin: unknown = parse(textOf('helm-plugins', 'edge-nodepools', 'plugin.yaml'));
    expect(plugin).toMatchObject({ apiVersion: 'v1', type: 'postrenderer/v1', name: 'edge-nodepools', version });
    expect(files).toContain('helm-plugins');
    expect(textOf('docs', 'post-render.md')).toMatch(/--post-renderer edge-nodepools$/m);
  });
});

/** Gives one chunk after the other; an Error is thrown. */
function reads(...chunks: (Buffer | string | Error)[]): ReadBytes {
  return (buffer) => {
    const next = chunks.shift() ?? '';
    if (next instanceof Error) {
      throw next;
    }
    return Buffer.from(next as string).copy(buffer);
  };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'read' });

describe('stdin', () => {
  it('is read to its end, with characters that two chunks share', () => {
    const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)];
    expect(readStdin(reads('a: ', first, second, '\r\n'))).toBe('a: ä\r\n');
    expect(readStdin(reads())).toBe('');
  });

  it('is waited for if the pipe is non-blocking', () => {
    expect(readStdin(reads(failure('EAGAIN'), 'a', failure('EAGAIN'), failure('EAGAIN'), 'b'))).toBe('ab');
    expect(readStdin(reads('a', failure('EOF'), 'b'))).toBe('a');
    expect(() => readStdin(reads('a', failure('EISDIR')))).toThrow('stdin is a folder; write < file');
    expect(() => readStdin(reads('a', failure('EIO')))).toThrow('EIO');
  });

  it('keeps a byte order mark, and is refused if it is not UTF-8', () => {
    expect(readStdin(reads('\uFEFFa: b\n'))).toBe('\uFEFFa: b\n');
    expect(() => readStdin(reads(Buffer.from('a: ä\n', 'latin1')))).toThrow('stdin is not UTF-8');
    expect(() => readStdin(reads(Buffer.from('\uFEFFa: b\n', 'utf16le')))).toThrow('stdin is not UTF-8');
  });
});

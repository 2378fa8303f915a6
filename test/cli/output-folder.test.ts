/** The output folder of EdgeApp: what is touched, what is stale, and what is never removed. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, Chart, App } from 'cdk8s';
import {
  EdgeApp,
  EdgeWarnings,
  EdgeCluster,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  writeArtifacts,
} from 'edge-nodepools';
import { main } from '../../src/cli/main.js';
import { filesAt } from '../../src/cli/read-files.js';
import { node, pool } from '../adopt/dump.js';

const RECORD = '.edge-app-files';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-app-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('files of EdgeApp', () => {
  const fleet = (
    names: readonly string[],
    value = 'v',
    props: ConstructorParameters<typeof EdgeApp>[0] = {},
  ): EdgeApp => {
    const app = new EdgeApp({ outdir: folder, ...props });
    names.forEach(
      (name) =>
        new ApiObject(new Chart(app, name), 'o', {
          apiVersion: 'v1',
          kind: 'A',
          data: { name, value: name === 'b' ? value : 'v' },
        }),
    );
    app.synth();
    return app;
  };
  const file = (name: string): string => join(folder, `${name}.k8s.yaml`);
  let printed: string[];
  beforeEach(() => {
    printed = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  });
  afterEach(() => jest.restoreAllMocks());

  it('are touched only if they change, also if they become shorter or longer', () => {
    fleet(['a', 'b']);
    const old = new Date(1000);
    for (const value of ['v', 'w', 'longer', 's', 'x'.repeat(600_000), 's']) {
      const before = readFileSync(file('b'), 'utf8');
      readdirSync(folder).forEach((name) => utimesSync(join(folder, name), old, old));
      fleet(['a', 'b'], value);
      expect(statSync(file('a')).mtime).toEqual(old);
      expect(statSync(join(folder, RECORD)).mtime).toEqual(old);
      expect(readFileSync(file('b'), 'utf8')).toContain(`  value: ${value}\n`);
      expect(statSync(file('b')).mtime.getTime() === old.getTime()).toBe(before === readFileSync(file('b'), 'utf8'));
    }
  });

  it('that are stale are reported until they are removed, and nothing else is', () => {
    const names = ['a.k8s.yaml', 'b.k8s.yaml', 'c/d.k8s.yaml', 'mine.k8s.yaml'];
    mkdirSync(join(folder, 'c'));
    names.forEach((name) => writeFileSync(join(folder, name), ''));
    writeFileSync(join(folder, RECORD), ['a.k8s.yaml', 'b.k8s.yaml', 'c/d.k8s.yaml', 'gone.k8s.yaml', ''].join('\n'));
    const stale = ['b.k8s.yaml', 'c/d.k8s.yaml'];
    for (let time = 0; time < 2; time++) {
      expect(fleet(['a']).staleFiles).toEqual(stale);
      expect(printed.splice(0).join('')).toMatch(/EDGE_STALE_FILES .*: b\.k8s\.yaml, c\/d\.k8s\.yaml\n/);
    }
    expect(fleet(['a'], 'v', { prune: false }).staleFiles).toEqual(stale);
    expect(fleet(['a'], 'v', { prune: true }).staleFiles).toEqual(stale);
    expect(printed).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual([RECORD, 'a.k8s.yaml', 'c', 'mine.k8s.yaml']);
    expect(fleet(['a']).staleFiles).toEqual([]);
  });

  it('of another app in the same folder are not stale, those of a removed chart are', () => {
    const app = fleet(['a', 'b'], 'v', { prune: true });
    fleet(['c'], 'v', { prune: true });
    app.node.tryRemoveChild('b');
    app.synth();
    expect(readdirSync(folder).sort()).toEqual([RECORD, 'a.k8s.yaml', 'c.k8s.yaml']);
  });

  it('outside of the folder are never removed', () => {
    const outside = join(folder, 'outside');
    const outdir = join(folder, 'dist');
    [outside, outdir].forEach((path) => mkdirSync(path));
    writeFileSync(join(outside, 'a.yaml'), '');
    symlinkSync(outside, join(outdir, 'link'));
    symlinkSync(join(outside, 'a.yaml'), join(outdir, 'file'));
    for (const path of [
      '../outside/a.yaml',
      join(outside, 'a.yaml'),
      'x/../../outside/a.yaml',
      'file',
      'link/a.yaml',
    ]) {
      writeFileSync(join(outdir, RECORD), `${path}\n`);
      try {
        fleet(['a'], 'v', { outdir, prune: true });
      } catch (error) {
        expect(String(error)).toMatch(/EDGE_ARTIFACT.*symbolic link/);
      }
      expect(readdirSync(outside)).toEqual(['a.yaml']);
    }
  });

  it('fail the synth if they are stale and warnings are errors; prune is a boolean', () => {
    fleet(['a']);
    writeFileSync(join(folder, 'b.k8s.yaml'), '');
    writeFileSync(join(folder, RECORD), 'b.k8s.yaml\n');
    const app = new EdgeApp({ outdir: folder });
    EdgeWarnings.setMode(app, 'error');
    expect(() => app.synth()).toThrow(/EDGE_STALE_FILES/);
    EdgeWarnings.accept(app, 'EDGE_STALE_FILES', 'kept on purpose');
    app.synth();
    expect(() => new EdgeApp({ prune: 'yes' as never })).toThrow(/EDGE_TYPE {2}prune/);
  });
});

describe('writeArtifacts', () => {
  const cluster = EdgeCluster.of({
    openYurt: 'none',
    kubernetes: '1.34',
    apiServer: '10.0.0.1:6443',
    caCertHashes: [`sha256:${'ab'.repeat(32)}`],
  });

  function appWith(props: Partial<NodeJoinProps>): App {
    const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'edge-nodepools-')) });
    const chart = new Chart(app, 'fleet');
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge' });
    new NodeJoin(chart, 'join', { pool, token: JoinToken.inline('abcdef.0123456789abcdef'), ...props });
    app.synth();
    return app;
  }

  /** What it prints. */
  function told(app: App): string {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      writeArtifacts(app);
      return write.mock.calls.map(([text]) => String(text)).join('');
    } finally {
      write.mockRestore();
    }
  }

  describe('writeArtifacts', () => {
    it('tells of a join that is in no file, because its token is inline', () => {
      const text = told(appWith({}));
      expect(text).toContain('EDGE_NOT_WRITTEN  publish: this join is in no manifest and in no file');
      expect(text).toContain('-> write publish: true');
      expect(text).not.toContain('0123456789abcdef');
    });

    it.each<[string, Partial<NodeJoinProps>]>([
      ['that is published', { publish: true }],
      ['that is not, by choice', { publish: false }],
      ['with a reference', { token: JoinToken.fromFile('/var/lib/edge/join-token') }],
      ['whose machines have files', { machines: [{ name: 'edge-1' }] }],
    ])('tells nothing of one %s', (_, props) => {
      expect(told(appWith(props))).toBe('');
    });

    it('touches only files that change', () => {
      const app = appWith({ machines: [{ name: 'edge-1' }] });
      const files = writeArtifacts(app);
      const old = new Date(1000);
      files.forEach((file) => utimesSync(file, old, old));
      writeFileSync(files[0] as string, 'edited');
      writeArtifacts(app);
      const changed = files.filter((file) => statSync(file).mtime.getTime() !== old.getTime());
      expect(changed).toEqual([files[0]]);
      expect(readFileSync(files[0] as string, 'utf8')).not.toBe('edited');
    });

    it('tells nothing where warnings are off', () => {
      const app = appWith({});
      EdgeWarnings.setMode(app, 'silent');
      expect(told(app)).toBe('');
    });

    it('refuses a folder other than that of the app, and takes what forEach gives', () => {
      const app = appWith({ publish: true });
      const write = writeArtifacts as (...args: unknown[]) => string[];
      expect(() => write(app, 'build')).toThrow(
        /EDGE_UNKNOWN_PROPERTY {2}folder: [^]*new App\(\{ outdir: "build" \}\)/,
      );
      expect(write(app, app.outdir)).not.toEqual([]);
      expect([app].flatMap(write)).not.toEqual([]);
    });
  });
});

/** `edge-nodepools dump`, and the options that all commands have. */
describe('dumps', () => {
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
      expect([code, out.split('---\n').length]).toEqual([0, 6]);
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
});

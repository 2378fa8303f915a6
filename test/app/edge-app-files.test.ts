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
import { ApiObject, Chart } from 'cdk8s';
import { EdgeApp, EdgeWarnings } from 'edge-nodepools';

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

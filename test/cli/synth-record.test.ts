/** What EdgeApp has written is known to the next synth, however the one before it ended. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, Lazy } from 'cdk8s';
import { EdgeApp } from 'edge-nodepools';
import { writeChanged } from '../../src/base/output.js';

const RECORD = '.edge-app-files';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'edge-app-'));
  folder = join(root, 'dist');
});
afterEach(() => rmSync(root, { recursive: true }));

const object = (scope: Chart, id: string, data: object = {}): ApiObject =>
  new ApiObject(scope, id, { apiVersion: 'v1', kind: 'A', data });

/** An app with an object in each chart. */
function synth(outdir: string, names: readonly string[], change: (app: EdgeApp, charts: Chart[]) => void): EdgeApp {
  const app = new EdgeApp({ outdir, prune: true });
  const charts = names.map((name) => new Chart(app, name));
  charts.forEach((chart) => object(chart, 'o'));
  change(app, charts);
  try {
    app.synth();
  } catch (error) {
    expect(String(error)).toMatch(/non-simple object/);
  }
  return app;
}

/** The folder as another process finds it: one process takes what its own apps have written for theirs. */
function asLater(outdir: string): string {
  const later = mkdtempSync(join(root, 'later-'));
  cpSync(outdir, later, { recursive: true, verbatimSymlinks: true });
  return later;
}

const filesIn = (outdir: string): string[] =>
  readdirSync(outdir)
    .filter((name) => name !== RECORD)
    .sort();
const nothing = (): void => undefined;

describe('files of an earlier synth are stale', () => {
  it.each<[string, string[], (app: EdgeApp, charts: Chart[]) => void]>([
    ['that failed', ['a.k8s.yaml', 'old.k8s.yaml'], (_, [, b]) => object(b as Chart, 'bad', { at: new Date(0) })],
    [
      'with a dependency out of the tree, which App takes',
      ['0000-b.k8s.yaml', '0001-a.k8s.yaml'],
      (_, [a, b]) => {
        a?.addDependency(b as Chart);
        b?.addDependency(object(new Chart(new App(), 'other'), 'o'));
      },
    ],
    [
      'whose tree changed while it was rendered',
      ['a.k8s.yaml', 'b.k8s.yaml'],
      (_, [a, b]) => {
        const late = (): ApiObject => object(b as Chart, 'late');
        const produce = (): string => (b?.node.tryFindChild('late') ?? late()).node.path;
        object(a as Chart, 'lazy', { at: Lazy.any({ produce }) });
      },
    ],
  ])('%s', (_, written, change) => {
    synth(folder, ['old'], nothing);
    const second = asLater(folder);
    synth(second, ['a', 'b'], change);
    expect(filesIn(second)).toEqual(written);
    const third = asLater(second);
    expect(synth(third, ['z'], nothing).staleFiles).toEqual(written);
    expect(filesIn(third)).toEqual(['z.k8s.yaml']);
  });

  it('whose record was checked out with other ends of lines', () => {
    synth(folder, ['a', 'old'], nothing);
    const later = asLater(folder);
    writeFileSync(join(later, RECORD), 'a.k8s.yaml\r\nold.k8s.yaml\r\n');
    expect(synth(later, ['a'], nothing).staleFiles).toEqual(['old.k8s.yaml']);
    expect(filesIn(later)).toEqual(['a.k8s.yaml']);
  });

  it('until they are gone: a link is not removed', () => {
    synth(folder, ['a', 'old'], nothing);
    rmSync(join(folder, 'old.k8s.yaml'));
    symlinkSync('a.k8s.yaml', join(folder, 'old.k8s.yaml'));
    const later = asLater(folder);
    for (let time = 0; time < 2; time++) {
      expect(synth(later, ['a'], nothing).staleFiles).toEqual(['old.k8s.yaml']);
    }
  });
});

it('apps that share a folder: nothing is stale before the last of them is synthesized', () => {
  synth(folder, ['a'], nothing);
  synth(folder, ['b', 'old'], nothing);
  const later = asLater(folder);
  const apps = ['a', 'b'].map((name) => {
    const app = new EdgeApp({ outdir: later, prune: true });
    object(new Chart(app, name), 'o');
    return app;
  });
  const found = apps.map((app) => {
    app.synth();
    return app.staleFiles;
  });
  expect(found).toEqual([[], ['old.k8s.yaml']]);
  expect(filesIn(later)).toEqual(['a.k8s.yaml', 'b.k8s.yaml']);
});

it('a file stays as it is if its text cannot be made', () => {
  const app = (data: object): EdgeApp => {
    const made = new EdgeApp({ outdir: folder });
    object(new Chart(made, 'a'), 'o', data);
    return made;
  };
  expect(() => app({ call: nothing }).synth()).toThrow(/Function/);
  expect(readdirSync(folder)).toEqual([]);
  const path = join(folder, 'large');
  const text = 'x'.repeat(1_000_000);
  writeFileSync(path, text);
  const failing = function* (): Generator<string> {
    yield `y${text}`;
    throw new Error('no');
  };
  expect(() => writeChanged(path, failing())).toThrow('no');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('a pipe is written to, which has no positions', () => {
  const pipe = join(root, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0" && (cat "$0" > /dev/null 2>&1 &)', pipe]);
  expect(writeChanged(pipe, ['a'])).toBe(true);
});

/** Every example in cdk8s: what it writes is imported, and the program makes the same objects. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullDepth } from '../depth.js';
import { distOf, filesBelow, imported, objectsOf, readAll, RELEASES, type TextFile } from './programs.js';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const ALL = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'main.ts')))
  // it needs the program helm
  .filter((name) => name !== 'helm-and-include')
  // folders of several clusters, with what an engine reads besides
  .filter((name) => !['argo-cd', 'flux'].includes(name));
const NAMES = isFullDepth ? ALL : ['existing-cluster', 'quickstart'];

/** Releases that are not those of most examples: by example, or by the beginning of a file. */
const OTHERS: Readonly<Record<string, object>> = {
  admission: { openYurt: '1.7', kubernetes: '1.36' },
  'existing-cluster': { openYurt: '1.7', kubernetes: '1.37' },
  'existing-labels': { openYurt: 'none', kubernetes: '1.36' },
  'without-openyurt': { openYurt: 'none', kubernetes: '1.34' },
};

function releasesOf(name: string, [first]: readonly TextFile[]): object | undefined {
  const [, release] = /^openyurt-(1-\d|none)/.exec(first?.path ?? '') ?? [];
  return release === undefined ? OTHERS[name] : { ...RELEASES, openYurt: release.replace('-', '.') };
}

/** The files of an example, of which one has the objects of one cluster. */
function filesOf(name: string): readonly (readonly TextFile[])[] {
  const outdir = mkdtempSync(join(tmpdir(), 'edge-nodepools-example-'));
  const before = process.env.CDK8S_OUTDIR;
  process.env.CDK8S_OUTDIR = outdir;
  try {
    jest.isolateModules(() => jest.requireActual(join(EXAMPLES, name, 'main.ts')));
    const files = filesBelow(outdir);
    // these two have a chart for each of several clusters
    return ['every-release', 'upgrade'].includes(name) ? files.map((file) => [file]) : [files];
  } finally {
    process.env.CDK8S_OUTDIR = before;
    rmSync(outdir, { recursive: true, force: true });
  }
}

let files: ReadonlyMap<string, readonly (readonly TextFile[])[]>;
beforeAll(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
  jest.spyOn(console, 'error').mockReturnValue();
  files = new Map(NAMES.map((name) => [name, filesOf(name)]));
});
afterAll(() => jest.restoreAllMocks());

/** Runs a test for the clusters of each example. */
function each(test: (dist: readonly TextFile[], given?: object) => void): void {
  files.forEach((clusters, name) => clusters.forEach((dist) => test(dist, releasesOf(name, dist))));
  expect(files.size).toBe(NAMES.length);
}

describe('the import of what an example writes', () => {
  it('makes the same objects, and none is lost', () => {
    each((dist, given) => {
      const program = imported(dist, 'cdk8s', given);
      program.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
      const secrets = program.secrets.length > 0;
      expect(program.counts.objects).toBe(readAll(dist).length);
      const made = objectsOf(program);
      expect(secrets ? made.filter(({ kind }) => kind !== 'Secret') : made).toEqual(
        readAll(dist).filter(({ kind }) => !secrets || kind !== 'Secret'),
      );
    });
  });

  it('declares four of five objects that concern edge pools, or that this library has written', () => {
    let [ofEdge, recognized] = [0, 0];
    each((dist, given) => {
      const { counts } = imported(dist, 'cdk8s', given);
      // a thousand pools would hide the others
      ofEdge += Math.min(counts.ofEdge, 30);
      recognized += Math.min(counts.recognized, 30);
    });
    expect(ofEdge).toBeGreaterThan(10);
    expect(recognized / ofEdge).toBeGreaterThanOrEqual(0.8);
  });

  it('gives the same program again for what that program writes', () => {
    each((dist, given) => {
      const first = imported(dist, 'cdk8s', given);
      first.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
      const second = imported(distOf(first), 'cdk8s', given);
      expect(second.files).toEqual(first.files);
    });
  });
});

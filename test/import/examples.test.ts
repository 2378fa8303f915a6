/** Every example in cdk8s: what it writes is imported, and the program makes the same objects. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullDepth } from '../depth.js';
import { distOf, filesBelow, imported, objectsOf, readAll, type TextFile } from './programs.js';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const ALL = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'main.ts')))
  // it needs the program helm
  .filter((name) => name !== 'helm-and-include');
const NAMES = isFullDepth ? ALL : ['existing-cluster', 'quickstart'];

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
function each(test: (dist: readonly TextFile[]) => void): void {
  files.forEach((clusters) => clusters.forEach(test));
  expect(files.size).toBe(NAMES.length);
}

describe('the import of what an example writes', () => {
  it('makes the same objects, and none is lost', () => {
    each((dist) => {
      const program = imported(dist);
      program.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
      const secrets = program.secrets.length > 0;
      expect(program.counts.objects).toBe(readAll(dist).length);
      const made = objectsOf(program);
      expect(secrets ? made.filter(({ kind }) => kind !== 'Secret') : made).toEqual(
        readAll(dist).filter(({ kind }) => !secrets || kind !== 'Secret'),
      );
    });
  });

  it('gives the same program again for what that program writes', () => {
    each((dist) => {
      const first = imported(dist);
      first.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
      const second = imported(distOf(first));
      expect(second.files).toEqual(first.files);
    });
  });
});

/** What messages of a delivery say: where the fault is, and what to write. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import { EdgeApp, EdgeError } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux, fromGit, fromOci } from 'edge-nodepools/delivery';
import { checkDeliveredFiles, staleFiles } from '../../src/output/delivered-files.js';
import { folder, GIT } from './shops.js';

function told(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof EdgeError) {
      return error.problems.map(({ code, path, message, hint }) => `${code} ${path}: ${message} -> ${hint}`);
    }
    throw error;
  }
}

const named = (name: string, engine: any = argoCd()): string[] =>
  told(() => {
    const app = new EdgeApp({ outdir: folder() });
    new FleetDelivery(app, 'delivery', {
      name,
      engine,
      source: GIT,
      sites: [{ name: 'lab', charts: [new Chart(app, 'lab')] }],
    });
  });

it.each([
  ['argo-cd', argoCd(), 44],
  ['flux', flux(), 42],
])('%s: a name that leaves none for sites', (_, engine, longest) => {
  expect(named('a'.repeat(60), engine)).toEqual([
    expect.stringMatching(
      new RegExp(`^EDGE_NAME name: .* leaves no characters for the names of sites: .* at most ${longest} characters$`),
    ),
  ]);
  expect(named('a'.repeat(longest + 1), engine)).toHaveLength(1);
  expect(named('a'.repeat(longest), engine)).toEqual([]);
});

it('no charts', () => {
  const app = new EdgeApp({ outdir: folder() });
  const run = (): unknown =>
    new FleetDelivery(app, 'delivery', { source: GIT, engine: argoCd(), sites: [{ name: 'lab', charts: [] }] });
  expect(told(run)).toEqual([expect.stringContaining('sites[0].charts: there are no charts ->')]);
});

it.each([
  [
    () => fromOci({ url: 'oci://registry.example/Fleet' }),
    "has capitals, .* -> write url: 'oci://registry.example/fleet'",
  ],
  [() => fromGit({ url: 'https://git.example/a.git', path: './deploy/dist/' }), "-> write path: 'deploy/dist'"],
  [() => fromGit({ url: 'https://git.example/a.git', path: '/dist' }), "-> write path: 'dist'"],
  [() => fromGit({ url: 'https://git.example/a.git', path: '../dist' }), "-> write path: 'dist'"],
])('what to write is what was given, written well: %#', (run, expected) => {
  expect(told(run)).toEqual([expect.stringMatching(new RegExp(expected))]);
});

it('files of a former site are still read by the engine', () => {
  expect(staleFiles('dist', ['argo-cd/sites/former.json'], 'x').message).toMatch(
    /; an engine goes on delivering what they say$/,
  );
  expect(staleFiles('dist', ['chart.k8s.yaml'], 'x').message).not.toContain('engine');
});

it('a file in place of the output folder', () => {
  const path = join(folder(), 'file');
  writeFileSync(path, '');
  for (const outdir of [path, join(path, 'dist'), join(path, 'a', 'b')]) {
    expect(told(() => checkDeliveredFiles(outdir, [], []))).toEqual([
      expect.stringContaining(`EDGE_ARTIFACT : ${path} is no folder`),
    ]);
  }
  mkdirSync(join(path, '..', 'dist'));
  expect(told(() => checkDeliveredFiles(join(path, '..', 'dist', 'a'), [], []))).toEqual([]);
});

/** What newcomers write in a delivery: refused or told, with what to write. */
import { ApiObject, App, Chart } from 'cdk8s';
import { EdgeError, EdgeCluster, EdgeWarnings, HostNetworkNodePool, EdgeApp } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux, fromGit, fromOci } from 'edge-nodepools/delivery';
import { GIT, folder } from './shops.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDeliveredFiles, staleFiles } from '../../src/base/output.js';

function refused(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, path, hint }) => `${code} ${path} ${hint}`);
  }
}

const COMMIT = '7f3a'.repeat(10);

describe('a Git source', () => {
  it.each<[given: object, hint: string]>([
    [{ url: 'https://github.com/o/r/tree/main' }, "url write url: 'https://github.com/o/r.git', branch: 'main'"],
    [
      { url: 'https://github.com/o/r/blob/v1/deploy/dist/' },
      "url write url: 'https://github.com/o/r.git', branch: 'v1', path: 'deploy/dist'",
    ],
    [{ url: 'https://gitlab.example/a/b/c/-/tree/main' }, "url write url: 'https://gitlab.example/a/b/c.git', branch"],
    [{ url: 'https://gitea.example/o/r/src/branch/main' }, "url write url: 'https://gitea.example/o/r.git', branch"],
    [{ url: 'https://github.com/o/r.git?ref=v1' }, "url write url: 'https://github.com/o/r.git', branch: 'v1'"],
    [{ url: 'git@github.com:o/r.git' }, "url write url: 'ssh://git@github.com/o/r.git'"],
    [{ branch: 'refs/heads/main' }, "branch write branch: 'main'"],
    [{ branch: 'refs/tags/v1' }, "branch write tag: 'v1'"],
    [{ tag: 'refs/tags/v1' }, "tag write tag: 'v1'"],
    [{ tag: COMMIT }, 'tag write the name of a tag'],
    [{ branch: COMMIT }, 'branch write the name of a tag'],
    [{ tag: '>=1.0.0' }, "tag write 'v1.0.0'"],
  ])('of %p says what to write', (given, hint) => {
    expect(refused(() => fromGit({ url: 'https://git.example/fleet.git', ...given }))).toEqual([
      expect.stringContaining(`EDGE_VALUE ${hint}`),
    ]);
  });

  it.each<object>([
    { url: 'https://gitlab.example/group/tree/main' },
    { url: 'https://gitlab.example/group/blob/fleet.git' },
    { url: 'https://dev.azure.com/org/project/_git/repo' },
    { url: 'ssh://git@github.com/o/r.git' },
    { url: 'https://github.com/o/tree' },
    { branch: 'release/v1' },
    { branch: 'refs' },
    { tag: '20240101' },
    { tag: 'deadbeef' },
  ])('takes %p', (given) => {
    expect(refused(() => fromGit({ url: 'https://git.example/fleet.git', ...given }))).toEqual([]);
  });
});

describe('a path of a Git source', () => {
  const told = (path?: string): string[] => {
    const app = new App();
    const chart = new Chart(app, 'lab');
    new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap' });
    const source = fromGit({ url: 'https://git.example/fleet.git', ...(path === undefined ? {} : { path }) });
    new FleetDelivery(app, 'delivery', { source, engine: argoCd(), sites: [{ name: 'lab', charts: [chart] }] });
    return EdgeWarnings.of(app)
      .filter(({ path: of }) => of === 'source.path')
      .map(({ hint }) => hint);
  };

  it('is that of the output folder, not of the folder sites in it', () => {
    expect(told('dist/sites')).toEqual([expect.stringContaining("write path: 'dist';")]);
    expect(told('sites')).toEqual([expect.stringContaining('leave it out;')]);
    expect([undefined, 'dist', 'sites/dist', 'mysites'].flatMap(told)).toEqual([]);
  });
});

describe('the waves of sites', () => {
  const told = (rollout: object | undefined, ...waves: readonly (number | undefined)[]): string[] => {
    const app = new App();
    new FleetDelivery(app, 'delivery', {
      source: GIT,
      engine: argoCd(),
      ...(rollout === undefined ? {} : { rollout }),
      sites: waves.map((wave, index) => {
        const chart = new Chart(app, `site-${index}`);
        new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap' });
        return {
          name: `site-${index}`,
          cluster: { name: `site-${index}` },
          charts: [chart],
          ...(wave === undefined ? {} : { wave }),
        };
      }),
    });
    return EdgeWarnings.of(app).flatMap(({ code, path }) => (code === 'EDGE_MISSING' ? [path] : []));
  };

  it('are of all sites, if some say that they are the first', () => {
    expect(told({}, 0, 1, undefined)).toEqual(['sites[2].wave']);
    expect(told({}, undefined, 1)).toEqual([]);
    expect(told({}, 0, 1)).toEqual([]);
    expect(told(undefined, undefined, undefined)).toEqual([]);
    expect(() => told({ steps: [{ wave: 1 }] }, undefined, 1)).toThrow(
      /no step has the sites of wave 0, so they would never change: site-0\n.*give them another wave, or add/,
    );
  });
});

describe('the charts of a site', () => {
  /** The warnings of a delivery whose sites have charts for clusters, by name of the site. */
  const told = (...sites: readonly (readonly [site: string, ...clusters: readonly object[]])[]): string[] => {
    const app = new App();
    new FleetDelivery(app, 'delivery', {
      source: GIT,
      engine: argoCd(),
      sites: sites.map(([name, ...clusters]) => ({
        name,
        cluster: { name },
        charts: clusters.map((given, index) => {
          const chart = new Chart(app, `${name}-${index}`);
          const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', ...given });
          new HostNetworkNodePool(chart, 'pool', { cluster, poolName: `${name}-${index}` });
          return chart;
        }),
      })),
    });
    return EdgeWarnings.of(app)
      .filter(({ code }) => code === 'EDGE_WRONG_CLUSTER')
      .map(({ path, message }) => `${path}: ${message}`);
  };

  it('are for its cluster, where the names of clusters and sites say so', () => {
    expect(told(['lab', { name: 'beijing' }], ['beijing', { name: 'lab' }])).toEqual([
      'sites[0].charts: the site lab has a chart for the cluster beijing, and the site beijing has none',
      'sites[1].charts: the site beijing has a chart for the cluster lab, and the site lab has none',
    ]);
    expect(told(['lab', { name: 'lab' }], ['beijing', { name: 'beijing' }])).toEqual([]);
    // one description for all, or names that sites do not have
    expect(told(['lab', { name: 'lab' }], ['beijing', { name: 'lab' }])).toEqual([]);
    expect(told(['lab', { name: 'a' }], ['beijing', { name: 'b' }])).toEqual([]);
    expect(told(['lab', {}], ['beijing', { kubernetes: '1.36' }])).toEqual([]);
  });

  it('are for one cluster', () => {
    for (const [one, other] of [
      [{ name: 'lab' }, { name: 'b', kubernetes: '1.36' }],
      [{}, { kubernetes: '1.33' }],
      [{ apiServer: 'a.example:6443' }, { apiServer: 'b.example:6443' }],
    ] as const) {
      expect(told(['lab', one, other])).toEqual([
        expect.stringMatching(/^sites\[0\]\.charts: .* a site is one cluster$/),
      ]);
    }
    // one that says more of the same
    expect(told(['lab', {}, { apiServer: 'a.example:6443' }, { yurthub: true }])).toEqual([]);
  });
});

describe('a time of Flux', () => {
  const FIELDS = ['interval', 'sourceInterval', 'retryInterval', 'timeout'];

  it.each([0.5, 0, '500ms', '0s', '0.2s', -1, '5 min', '10'])('is refused: %p', (value) => {
    for (const field of FIELDS) {
      expect(refused(() => flux({ [field]: value }))).toEqual([expect.stringContaining(`EDGE_VALUE ${field} write '`)]);
    }
  });

  it.each([1, 30, '1s', '1m30s', '1.5h', 86_400])('is taken: %p', (value) => {
    FIELDS.forEach((field) => expect(refused(() => flux({ [field]: value }))).toEqual([]));
  });
});

/** Warnings of a delivery of one of two charts. */
function told(props: object, charts: readonly string[] = ['lab']): string[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const made = ['lab', 'office'].map((name) => new Chart(app, name));
  made.forEach((chart) => new ApiObject(chart, 'web', { apiVersion: 'v1', kind: 'ConfigMap' }));
  new Chart(app, 'without-objects');
  const all = { source: GIT, engine: argoCd(), ...props };
  new FleetDelivery(app, 'delivery', {
    ...all,
    sites: [{ name: 'lab', charts: made.filter(({ node }) => charts.includes(node.id)) }],
  });
  return EdgeWarnings.of(app).map(({ code, path, message, hint }) => `${code} ${path}: ${message} -> ${hint}`);
}

describe('a delivery', () => {
  it('tells of a chart that no site has', () => {
    expect(told({})).toEqual([expect.stringMatching(/^EDGE_MATCHES_NOTHING sites: no site has the chart office: /)]);
    expect(told({}, ['lab', 'office'])).toEqual([]);
  });

  it('tells of a branch of a clone', () => {
    const source = fromGit({ url: 'https://git.example/fleet.git', branch: 'origin/main' });
    expect(told({ source }, ['lab', 'office'])).toEqual([expect.stringContaining("-> write branch: 'main'")]);
  });

  it.each<[number | string, string | undefined]>([
    [300_000, 'write 300 for 5 min'],
    [60_000, 'write 60 for 60 s'],
    [3_600_000, 'write 3600 for 60 min'],
    [86_400, undefined],
    [3600, undefined],
    ['300000s', undefined],
  ])('tells of milliseconds: %p', (interval, hint) => {
    expect(told({ engine: flux({ interval }) }, ['lab', 'office'])).toEqual(
      hint === undefined ? [] : [expect.stringContaining(hint)],
    );
  });
});

/** What messages of a delivery say: where the fault is, and what to write. */
describe('what messages say', () => {
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
        new RegExp(
          `^EDGE_NAME name: .* leaves no characters for the names of sites: .* at most ${longest} characters$`,
        ),
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
});

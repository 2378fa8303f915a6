/** Sites whose manifests are for other clusters are told, as those of charts are. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';
import { argoCd, declared, FleetDelivery, fromGit } from 'edge-nodepools/pulumi/delivery';
import { record } from '../recorded.js';

const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));
beforeAll(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
afterAll(() => jest.restoreAllMocks());

/** The warnings of a delivery whose sites have pools for clusters, by name of the site. */
async function told(...sites: readonly (readonly [site: string, ...clusters: readonly object[]])[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-clusters-'));
  made.push(folder);
  const { warnings } = await record(() => {
    new FleetDelivery('delivery', {
      folder,
      source: fromGit({ url: 'https://git.example/fleet.git' }),
      engine: argoCd(),
      sites: sites.map(([name, ...clusters]) => ({
        name,
        cluster: { name },
        manifests: clusters.map((given, index) => {
          const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', ...given });
          return declared(HostNetworkNodePool, { cluster, poolName: `${name}-${index}` });
        }),
      })),
    });
  });
  return warnings.filter((text) => text.includes('EDGE_WRONG_CLUSTER'));
}

it('where the names of clusters and sites say so', async () => {
  // Pulumi shows what is of one kind together
  const both = (await told(['lab', { name: 'beijing' }], ['beijing', { name: 'lab' }])).join('\n');
  expect(both).toContain(
    'sites[0].manifests: the site lab has a manifest for the cluster beijing, and the site beijing has none',
  );
  expect(both).toContain(
    'sites[1].manifests: the site beijing has a manifest for the cluster lab, and the site lab has none',
  );
  expect(await told(['lab', { name: 'lab' }], ['beijing', { name: 'beijing' }])).toEqual([]);
  expect(await told(['lab', { name: 'a' }], ['beijing', { name: 'b' }])).toEqual([]);
});

it('where a site has manifests for two, once', async () => {
  for (const [one, other] of [
    [{ name: 'lab' }, { name: 'b', kubernetes: '1.36' }],
    [{}, { kubernetes: '1.33' }],
  ] as const) {
    expect(await told(['lab', one, other])).toEqual([
      expect.stringMatching(/sites\[0\]\.manifests: .* a site is one cluster/),
    ]);
  }
});

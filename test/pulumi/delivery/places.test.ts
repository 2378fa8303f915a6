/** Two deliveries of one program, by what they have in common: a folder, a place in the repository, or objects in the cluster of the engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as kubernetes from '@pulumi/kubernetes';
import {
  argoCd,
  FleetDelivery,
  type FleetDeliveryArgs,
  flux,
  fromGit,
  fromOci,
  declared,
} from 'edge-nodepools/pulumi/delivery';
import { record } from '../recorded.js';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';

const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));
beforeAll(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
afterAll(() => jest.restoreAllMocks());

const git = (path: string): FleetDeliveryArgs['source'] => fromGit({ url: 'https://git.example/fleet.git', path });
const oci = fromOci({ url: 'oci://registry.example/fleet' });
const [CLUSTER, SECRET] = [{ name: 'x' }, { kubeConfigSecret: 'x' }];

/** Two deliveries: of a site `lab` in the folder `a`, read from `a` in Git, and of `beijing`, which are other in all of that. */
async function problemsOf(
  one: Partial<FleetDeliveryArgs>,
  other: Partial<FleetDeliveryArgs>,
  options: (name: string) => object = () => ({}),
): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'edge-nodepools-places-'));
  made.push(root);
  let found: string[] = [];
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } };
  await record(() => {
    const of = (name: string, site: string, { folder = name, sites, ...more }: any): unknown =>
      new FleetDelivery(
        name,
        {
          name,
          source: git(folder as string),
          engine: argoCd(),
          folder: join(root, folder as string),
          sites: sites ?? [{ name: site, cluster: { name: site }, manifests: [object] }],
          ...more,
        },
        options(name),
      );
    of('a', 'lab', one);
    try {
      of('b', 'beijing', other);
    } catch (error) {
      const { errors } = error as { errors?: { propertyPath: string; reason: string }[] };
      found = errors?.map(({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`) ?? [String(error)];
    }
  });
  return found;
}

const site = (name: string, cluster: object | undefined = CLUSTER): any => ({
  name,
  ...(cluster === undefined ? {} : { cluster }),
  manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } }],
});

it.each<[string, object, object, string[]]>([
  ['other in all', {}, {}, []],
  ['one folder', { folder: 'x' }, { folder: 'x' }, ['EDGE_DUPLICATE folder']],
  [
    'one folder of two engines',
    { folder: 'x' },
    { folder: 'x', engine: flux(), sites: [site('y', SECRET)] },
    ['EDGE_DUPLICATE folder'],
  ],
  [
    'one folder and one name',
    { folder: 'x', name: 'x' },
    { folder: 'x', name: 'x' },
    ['EDGE_DUPLICATE folder', 'EDGE_DUPLICATE name'],
  ],
  ['one place in Git', { source: git('x') }, { source: git('x') }, ['EDGE_DUPLICATE source']],
  ['two paths in Git', { source: git('x') }, { source: git('y') }, []],
  ['one registry', { source: oci }, { source: oci }, []],
  [
    'one site in one registry',
    { source: oci, sites: [site('x')] },
    { source: oci, sites: [site('x')] },
    ['EDGE_DUPLICATE source'],
  ],
  ['one name', { name: 'x' }, { name: 'x' }, ['EDGE_DUPLICATE name']],
  ['one name in two namespaces', { name: 'x' }, { name: 'x', engine: argoCd({ namespace: 'y' }) }, []],
  [
    'one name of engines in the sites',
    { name: 'x', engine: argoCd({ runsOn: 'sites' }), sites: [{ ...site('y'), cluster: undefined }] },
    { name: 'x', engine: argoCd({ runsOn: 'sites' }), sites: [{ ...site('z'), cluster: undefined }] },
    [],
  ],
  [
    'names that make one Application',
    { name: 'x', sites: [site('y-z', { name: 'y' })] },
    { name: 'x-y', sites: [site('z', { name: 'z' })] },
    ['EDGE_DUPLICATE name'],
  ],
  [
    'names that make one Kustomization',
    { name: 'x', engine: flux(), sites: [site('y-z', SECRET)] },
    { name: 'x-y', engine: flux(), sites: [site('z', SECRET)] },
    ['EDGE_DUPLICATE name'],
  ],
])('%s', async (_, one, other, expected) => {
  expect(await problemsOf(one, other)).toEqual(expected);
});

it('one name in two hubs', async () => {
  const provider = (name: string): object => ({
    provider: new kubernetes.Provider(`hub-${name}`, { kubeconfig: '{}' }),
  });
  expect(await problemsOf({ name: 'x' }, { name: 'x' }, provider)).toEqual([]);
});

/** Sites whose manifests are for other clusters are told, as those of charts are. */
describe('the clusters of sites', () => {
  const made: string[] = [];
  afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));
  beforeAll(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
  afterAll(() => jest.restoreAllMocks());

  /** The warnings of a delivery whose sites have pools for clusters, by name of the site. */
  async function told(
    ...sites: readonly (readonly [site: string, ...clusters: readonly object[]])[]
  ): Promise<string[]> {
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
});

it('a site that gets another name is refused, by what an earlier run has written into the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-places-'));
  made.push(folder);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } };
  const run = async (name: string): Promise<string[]> => {
    let found: string[] = [];
    await record(() => {
      try {
        new FleetDelivery('a', {
          ...{ source: git('a'), engine: argoCd(), folder, deletion: 'prune' },
          sites: [{ ...site(name), manifests: [object] }],
        });
      } catch (error) {
        found = (error as { errors: { propertyPath: string }[] }).errors.map(({ propertyPath }) => propertyPath);
      }
    });
    return found;
  };
  expect(await run('lab')).toEqual([]);
  expect(await run('peking')).toEqual(['sites[0].name']);
  expect(await run('lab')).toEqual([]);
});

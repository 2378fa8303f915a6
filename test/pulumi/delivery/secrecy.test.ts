/**
 * What is secret never gets into a file that is committed.
 *
 * @jest-environment <rootDir>/test/pulumi/rejections-environment.cjs
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  PoolAdmission,
  RegularNodePool,
} from 'edge-nodepools/pulumi';
import {
  argoCd,
  DeclaredManifests,
  declared,
  FleetDelivery,
  type FleetDeliveryArgs,
  flux,
  fromGit,
  fromOci,
} from 'edge-nodepools/pulumi/delivery';
import { objectsIn, record } from '../recorded.js';

const CANARY = 'canary.0123456789canary';
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name: 'it' });
const joined = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  name: 'it',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});

const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'edge-nodepools-secrecy-'));
  made.push(path);
  return path;
}

type Manifests = FleetDeliveryArgs['sites'][number]['manifests'];

const delivery = (outdir: string, manifests: unknown, more: object = {}): FleetDelivery =>
  new FleetDelivery('delivery', {
    source: fromGit({ url: 'https://git.example/fleet.git' }),
    engine: argoCd(),
    folder: outdir,
    sites: [{ name: 'it', manifests: manifests as Manifests }],
    ...more,
  });

/** The problems of a program: `code path`. */
async function problemsOf(program: () => unknown): Promise<string[]> {
  let found: string[] = [];
  await record(() => {
    try {
      program();
    } catch (error) {
      const { errors } = error as { errors?: { propertyPath: string; reason: string }[] };
      found = errors?.map(({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`) ?? [String(error)];
    }
  });
  return found;
}

const filesIn = (outdir: string): string[] =>
  readdirSync(outdir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const configMap = (data: unknown): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'b' },
  data,
});

const pool = (): HostNetworkNodePool =>
  HostNetworkNodePool.fromPoolName({ cluster: joined, poolName: 'it' }) as HostNetworkNodePool;

it.each<[string, () => unknown, string]>([
  [
    'a secret in a plain object',
    () => [configMap({ a: pulumi.secret(CANARY) })],
    'EDGE_KNOWN_LATER sites[0].manifests[0]["ConfigMap b/a"]',
  ],
  ['an Output of a whole object', () => [pulumi.output(configMap({}))], 'EDGE_KNOWN_LATER sites[0].manifests[0]'],
  ['an Output of all', () => pulumi.output([configMap({})]), 'EDGE_KNOWN_LATER sites[0].manifests'],
  [
    'an Output in a component',
    () => [declared(HostNetworkNodePool, { cluster, poolName: 'it', labels: { a: pulumi.secret('b') } })],
    'EDGE_KNOWN_LATER sites[0].manifests[0]["NodePool it"]',
  ],
  [
    'a Secret in plain text',
    () => [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'b' }, stringData: { a: CANARY } }],
    'EDGE_SECRET sites[0]["Secret b/a"]',
  ],
  [
    'a token in a ConfigMap',
    () => [configMap({ a: `token: ${CANARY.slice(0, 6)}.0123456789abcdef` })],
    'EDGE_SECRET sites[0]["ConfigMap b/a"]',
  ],
])('%s is refused, and nothing is written', async (_, manifests, problem) => {
  const outdir = folder();
  expect(await problemsOf(() => delivery(outdir, manifests()))).toEqual([problem]);
  expect(filesIn(outdir)).toEqual([]);
});

it('a join with the token in it is refused, and one whose machines read it is delivered', async () => {
  const of = (token: JoinToken): unknown[] => [declared(NodeJoin, { pool: pool(), token, publish: true })];
  const outdir = folder();
  const inline = JoinToken.inline('abcdef.0123456789abcdef');
  expect((await problemsOf(() => delivery(outdir, of(inline)))).map((each) => each.split(' ')[0])).toEqual([
    'EDGE_SECRET',
  ]);
  expect(filesIn(outdir)).toEqual([]);
  await record(() => delivery(outdir, of(JoinToken.fromFile('/run/edge/join-token'))));
  const texts = filesIn(outdir).map((path) => readFileSync(path, 'utf8'));
  expect(texts.some((text) => text.includes('kind: ConfigMap') && text.includes('/run/edge/join-token'))).toBe(true);
  expect(texts.join()).not.toContain('0123456789abcdef');
});

it('an Output that no manifest has is no obstacle', async () => {
  const outdir = folder();
  const of = EdgeCluster.of({
    openYurt: '1.7',
    kubernetes: '1.36',
    name: 'it',
    apiServer: pulumi.output('10.0.0.1:6443'),
  });
  await record(() => delivery(outdir, [declared(HostNetworkNodePool, { cluster: of, poolName: 'it' })]));
  expect(filesIn(outdir).map((path) => path.slice(outdir.length + 1))).toContain('sites/it/10-pools/it.k8s.yaml');
});

it('policies know the pools of their site, and of no other', async () => {
  const outdir = folder();
  const site = (name: string): object => ({
    name,
    cluster: { name },
    manifests: [
      declared(PoolAdmission, { cluster, guarantees: { nodeLabel: true } }),
      declared(HostNetworkNodePool, { cluster, poolName: `pool-of-${name}` }),
    ],
  });
  await record(() => delivery(outdir, [], { sites: [site('one'), site('other')] }));
  const policies = (name: string): string =>
    readFileSync(join(outdir, `sites/${name}/20-policies/${name}.k8s.yaml`), 'utf8');
  expect(policies('one')).toContain('pool-of-one');
  expect(policies('one')).not.toContain('pool-of-other');
  expect(policies('other')).toContain('pool-of-other');
});

it.each<[string, object, string]>([
  ['an Output of the engine', { name: pulumi.output('a') }, 'EDGE_KNOWN_LATER name'],
  [
    'an engine that also delivers itself',
    { engine: argoCd({ selfManaged: true }) },
    'EDGE_CONTRADICTION engine.selfManaged',
  ],
  ['no folder', { folder: '' }, 'EDGE_VALUE folder'],
  ['prune', { prune: 'yes' }, 'EDGE_TYPE prune'],
  ['no sites', { sites: [] }, 'EDGE_MISSING sites'],
  [
    'charts',
    { sites: [{ name: 'it', charts: [], manifests: [configMap({})] }] },
    'EDGE_UNKNOWN_PROPERTY sites[0].charts',
  ],
  ['no manifest', { sites: [{ name: 'it', manifests: [] }] }, 'EDGE_TYPE sites[0].manifests'],
  ['text', { sites: [{ name: 'it', manifests: ['a'] }] }, 'EDGE_TYPE sites[0].manifests[0]'],
  [
    'a bad pool',
    {
      sites: [
        {
          name: 'it',
          manifests: [
            new DeclaredManifests('x', {}, () => {
              throw new Error('no');
            }),
          ],
        },
      ],
    },
    'Error: no',
  ],
  [
    'problems of components',
    { sites: [{ name: 'it', manifests: [declared(RegularNodePool, { cluster, poolName: 'A B' })] }] },
    'EDGE_NAME sites[0].manifests[0].poolName',
  ],
])('%s', async (_, more, problem) => {
  expect(await problemsOf(() => delivery(folder(), [configMap({})], more))).toEqual([problem]);
});

it('files of a former site are reported, or removed, and a file of nobody is refused', async () => {
  const outdir = folder();
  const two = { sites: ['a', 'b'].map((name) => ({ name, cluster: { name }, manifests: [configMap({})] })) };
  const copy = (): void => void delivery(outdir, [configMap({})], two);
  await record(copy);
  const begin = filesIn(outdir).length;
  // in one process all programs of a folder count; so the record of an earlier one is written by hand
  const other = folder();
  mkdirSync(join(other, 'sites/gone'), { recursive: true });
  writeFileSync(join(other, 'sites/gone/old.k8s.yaml'), '');
  writeFileSync(join(other, '.edge-app-files'), 'sites/gone/old.k8s.yaml\n');
  const { warnings } = await record(() => delivery(other, [configMap({})]));
  expect(warnings.join()).toContain('EDGE_STALE_FILES');
  await record(() => delivery(other, [configMap({})], { prune: true }));
  expect(filesIn(other).some((path) => path.includes('gone'))).toBe(false);
  writeFileSync(join(other, 'sites/it/site.json'), '{}');
  expect(await problemsOf(() => delivery(other, [configMap({})]))).toEqual(['EDGE_ARTIFACT ["sites/it/site.json"]']);
  expect(begin).toBeGreaterThan(3);
});

it('writes an archive for each site of a registry', async () => {
  const outdir = folder();
  const recording = await record(() =>
    delivery(outdir, [configMap({})], {
      engine: flux(),
      source: fromOci({ url: 'oci://registry.example/fleet' }),
      sites: [{ name: 'it', cluster: { kubeConfigSecret: 'it' }, manifests: [configMap({})] }],
    }),
  );
  expect(filesIn(outdir).map((path) => path.slice(outdir.length + 1))).toContain('oci/it.tar.gz');
  expect(objectsIn(recording).map(({ inputs }) => inputs.kind)).toEqual(['OCIRepository', 'Kustomization']);
});

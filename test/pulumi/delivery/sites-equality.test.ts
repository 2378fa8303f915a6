/** A site gets the same from a chart and from components, file by file, and so does the engine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as ofCdk8s from 'edge-nodepools/delivery';
import { declared, FleetDelivery, type FleetDeliveryArgs } from 'edge-nodepools/pulumi/delivery';
import { parseAllDocuments } from 'yaml';
import { isFullDepth } from '../../depth.js';
import * as constructs from '../../doors/cdk8s.js';
import * as components from '../../doors/pulumi.js';
import type { Noun } from '../../nouns/noun.js';
import { NOUNS } from '../../nouns/nouns.js';
import { objectsIn, record } from '../recorded.js';

const RUNS = isFullDepth ? 60 : 2;
jest.setTimeout(180_000);

/** The components whose objects can be files. */
const DELIVERED = [
  ...['HostNetworkNodePool', 'RegularNodePool', 'PoolAdmission', 'PoolWebhook', 'OpenYurtWebhooks'],
  ...['EdgeSystemComponents', 'ExcludedWorkload', 'HostNetworkWorkload', 'YurtAppSet', 'YurtStaticSet'],
  ...['NodeAccess', 'NodeJoin', 'KubeadmConfigTemplate', 'ServingCertificateApprover'],
] as const;

/** Arguments that only this binding has. */
const OWN = ['await', 'force', 'fieldManager', 'retainPublished'];

const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));
beforeAll(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
afterAll(() => jest.restoreAllMocks());

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'edge-nodepools-sites-'));
  made.push(path);
  return path;
}

/** The objects of each layer of the site, without what differs by how a site is declared: names of files, and null values. */
function layersIn(outdir: string): Record<string, unknown[]> {
  const root = join(outdir, 'sites/it');
  return Object.fromEntries(
    readdirSync(root)
      .sort()
      .map((layer) => [layer, readdirSync(join(root, layer)).flatMap((file) => objectsAt(join(root, layer, file)))]),
  );
}

function objectsAt(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document) => document.toJS() as { kind: string; metadata: { name: string } })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map(withoutNull);
}

const keyOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }): string => `${kind} ${metadata.name}`;

/** cdk8s leaves out null values and empty annotations. */
function withoutNull(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) =>
      item === null || (key === 'annotations' && Object.keys(item as object).length === 0) ? undefined : item,
    ),
  );
}

type Result = { readonly layers?: unknown; readonly engine?: unknown; readonly codes?: readonly string[] };

const BASE = {
  source: ofCdk8s.fromGit({ url: 'https://git.example/fleet.git', path: 'dist' }),
  engine: ofCdk8s.argoCd({ selfManaged: false }),
  partials: 'engine' as const,
};

function fromCharts(name: string, noun: Noun<any>, sample: any): Result {
  const outdir = folder();
  const app = new constructs.EdgeApp({ outdir });
  constructs.EdgeWarnings.setMode(app, 'silent');
  try {
    const chart = new cdk8s.Chart(app, 'it');
    const poolOf = (described: any): unknown =>
      constructs.HostNetworkNodePool.fromPoolName(chart, `pool-${described.poolName}`, described);
    new (constructs as any)[name](chart, 'it', (noun.prepare ?? ((given) => given))(sample, poolOf));
    const delivery = new ofCdk8s.FleetDelivery(app, 'delivery', { ...BASE, sites: [{ name: 'it', charts: [chart] }] });
    app.synth();
    return { layers: layersIn(outdir), engine: delivery.engineObjects };
  } catch (error) {
    if (!(error instanceof constructs.EdgeError)) {
      throw error;
    }
    return { codes: error.problems.map(({ code }) => code).sort() };
  }
}

async function fromComponents(name: string, noun: Noun<any>, sample: any): Promise<Result> {
  const outdir = folder();
  try {
    let engine: unknown;
    const recording = await record(() => {
      const poolOf = (described: any): unknown => components.HostNetworkNodePool.fromPoolName(described);
      const args = (noun.prepare ?? ((given) => given))(sample, poolOf);
      engine = new FleetDelivery('delivery', {
        ...BASE,
        folder: outdir,
        sites: [{ name: 'it', manifests: [declared((components as any)[name], args)] }],
      }).engineObjects;
    });
    const applied = objectsIn(recording).map(({ inputs }) => inputs);
    expect(applied).toEqual(withoutNull(engine));
    return { layers: layersIn(outdir), engine };
  } catch (error) {
    const { errors } = error as { errors?: { reason: string }[] };
    if (!Array.isArray(errors)) {
      throw error;
    }
    return { codes: errors.map(({ reason }) => reason.split(':')[0] as string).sort() };
  }
}

/** A sample whose workload has a namespace, without which it is refused. */
function whole(sample: any): any {
  const metadata = sample.workload?.metadata;
  return metadata === undefined
    ? sample
    : { ...sample, workload: { ...sample.workload, metadata: { namespace: 'tills', ...metadata } } };
}

it.each(DELIVERED)('%s: a site gets the same objects in the same layers', async (name) => {
  const noun = NOUNS[name] as Noun<any>;
  const without = (sample: any): any =>
    Object.fromEntries(Object.entries(sample as object).filter(([key]) => !OWN.includes(key)));
  const samples = fc.sample(noun.samples, { numRuns: RUNS, seed: 8 }).map(without).map(whole);
  let equal = 0;
  for (const sample of samples) {
    const expected = fromCharts(name, noun, sample);
    expect(await fromComponents(name, noun, sample)).toEqual(expected);
    equal += expected.layers === undefined ? 0 : 1;
  }
  expect({ name, equal: equal > (isFullDepth ? RUNS / 10 : -1) }).toEqual({ name, equal: true });
});

it('every component is delivered, or says why not', async () => {
  const others = Object.keys(NOUNS).filter((name) => !(DELIVERED as readonly string[]).includes(name));
  const reasons = others.map((name) => {
    try {
      declared((components as any)[name], {});
      return [name, 'delivered'];
    } catch (error) {
      return [name, /EDGE_\w+/.exec((error as Error).message)?.[0]];
    }
  });
  expect(reasons.filter(([, code]) => code !== 'EDGE_TYPE')).toEqual([]);
  expect(others).toEqual(expect.arrayContaining(['BootstrapToken', 'EdgePreconditions']));
  await record(() => undefined);
});

const args = (outdir: string, more: Partial<FleetDeliveryArgs>): FleetDeliveryArgs => ({
  ...BASE,
  folder: outdir,
  sites: [
    { name: 'it', manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } }] },
  ],
  ...more,
});

describe.each([
  ['argo-cd', ofCdk8s.argoCd(), { name: 'x' }],
  ['flux', ofCdk8s.flux(), { kubeConfigSecret: 'x' }],
] as const)('%s', (name, engine, cluster) => {
  it('the objects of the engine are those of the construct, without the one that delivers them', async () => {
    const props = (runsOn: 'hub' | 'sites'): any => ({ ...BASE, engine: { ...engine, runsOn }, rollout: {} });
    for (const source of [BASE.source, ofCdk8s.fromOci({ url: 'oci://registry.example/fleet' })]) {
      const rollout = name === 'flux' && source.source === 'oci' ? undefined : {};
      const sites = ['lab', 'beijing'].map((each, wave) => ({
        name: each,
        wave: rollout === undefined ? 0 : wave,
        cluster: name === 'flux' ? { kubeConfigSecret: `${each}-kubeconfig` } : { name: each },
      }));
      const app = new constructs.EdgeApp({ outdir: folder() });
      constructs.EdgeWarnings.setMode(app, 'silent');
      const construct = new ofCdk8s.FleetDelivery(app, 'delivery', {
        ...props('hub'),
        source,
        rollout,
        sites: sites.map((site) => {
          const chart = new cdk8s.Chart(app, site.name);
          new cdk8s.ApiObject(chart, 'a', {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'a', namespace: 'tills' },
          });
          return { ...site, charts: [chart] };
        }),
      });
      const isRoot = ({ kind, metadata }: any): boolean =>
        metadata.name === 'fleet' && ['Application', 'Kustomization'].includes(kind as string);
      const expected = construct.engineObjects.filter((object) => !isRoot(object));
      let found: unknown;
      const recording = await record(() => {
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'tills' } };
        const given = { source, rollout, sites: sites.map((site) => ({ ...site, manifests: [object] })) };
        found = new FleetDelivery('delivery', args(folder(), { ...props('hub'), ...given })).engineObjects;
      });
      expect(found).toEqual(expected);
      expect(objectsIn(recording).length).toBe(expected.length);
      expect(expected.length).toBeGreaterThan(1);
    }
  });

  it('in the sites nothing is applied, and the objects of the engines are written', async () => {
    const outdir = folder();
    const recording = await record(() => {
      new FleetDelivery('delivery', args(outdir, { engine: { ...engine, runsOn: 'sites' } }));
    });
    expect(objectsIn(recording)).toEqual([]);
    expect(readdirSync(join(outdir, name, 'it'))).toEqual(['fleet.k8s.yaml']);
  });

  it('a preview writes nothing, and an update what the engine reads, but not what it applies itself', async () => {
    const outdir = folder();
    const sites = args(outdir, {}).sites.map((site) => ({ ...site, cluster }));
    await record(() => void new FleetDelivery('delivery', args(outdir, { engine, sites })), true);
    expect(readdirSync(outdir)).toEqual([]);
    await record(() => void new FleetDelivery('delivery', args(outdir, { engine, sites })));
    const paths = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(json|yaml)$/.test(path),
    );
    expect(paths.sort()).toEqual([
      ...(name === 'argo-cd' ? ['argo-cd/sites/it.json'] : []),
      'sites/it/30-workloads/it.k8s.yaml',
    ]);
  });
});

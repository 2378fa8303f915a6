import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, type App, Chart } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import {
  EdgeApp,
  EdgeCluster,
  EdgeError,
  EdgeSystemComponents,
  HostNetworkNodePool,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools';
import {
  argoCd,
  type DeliveredCharts,
  FleetDelivery,
  type FleetDeliveryProps,
  flux,
  fromGit,
} from 'edge-nodepools/delivery';

export const GIT = fromGit({ url: 'https://git.example/shops.git', path: 'dist' });
export const ENGINES = { 'argo-cd': argoCd(), flux: flux() } as const;
export type EngineName = keyof typeof ENGINES;

/** A chart with an object of each layer. */
export function chartOf(app: App, name: string, { image = 'till:1', patches = false } = {}): Chart {
  const chart = new Chart(app, name);
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', name });
  new PoolAdmission(chart, 'admission', { cluster });
  new ApiObject(chart, 'till', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'till', namespace: 'tills' },
    spec: { selector: { matchLabels: { app: 'till' } }, template: { spec: { containers: [{ name: 'till', image }] } } },
  });
  new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'tills' });
  if (patches) {
    new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
  }
  return chart;
}

/** The cluster of a site as an engine finds it. */
export function clusterOf(engine: EngineName, name: string): DeliveredCharts['cluster'] {
  return engine === 'flux' ? { kubeConfigSecret: `${name}-kubeconfig` } : { name };
}

/** A delivery of some sites. */
export function delivery(
  app: App,
  engine: EngineName,
  names: readonly string[],
  {
    props = {},
    site = () => ({}),
    chart = (name) => chartOf(app, name),
  }: {
    readonly props?: Partial<FleetDeliveryProps>;
    readonly site?: (name: string, index: number) => Partial<DeliveredCharts>;
    readonly chart?: (name: string, index: number) => Chart;
  } = {},
): FleetDelivery {
  return new FleetDelivery(app, 'delivery', {
    source: GIT,
    engine: ENGINES[engine],
    sites: names.map((name, index) => ({
      name,
      cluster: clusterOf(engine, name),
      charts: [chart(name, index)],
      ...site(name, index),
    })),
    ...props,
  });
}

export type Manifest = Record<string, any>;

export const NAMES = Object.keys(ENGINES) as EngineName[];
const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));
beforeAll(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
afterAll(() => jest.restoreAllMocks());

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'edge-nodepools-delivery-'));
  made.push(path);
  return path;
}

/** All files of a folder, by their paths. */
export function filesIn(outdir: string): Map<string, string> {
  const entries = readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(outdir.length + 1), readFileSync(path, 'utf8')] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function synth(
  build: (app: App) => unknown,
  { outdir = folder(), AppClass = EdgeApp }: { readonly outdir?: string; readonly AppClass?: typeof App } = {},
): Map<string, string> {
  const app = new AppClass({ outdir });
  build(app);
  app.synth();
  return filesIn(outdir);
}

/** The objects of the manifests whose paths begin so. */
export function objectsOf(files: ReadonlyMap<string, string>, begin: string): Manifest[] {
  return [...files]
    .filter(([path]) => path.startsWith(begin) && path.endsWith('.yaml'))
    .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

export function problemsOf(run: () => unknown): { code: string; path: string }[] {
  try {
    run();
  } catch (error) {
    if (error instanceof EdgeError) {
      return error.problems.map(({ code, path }) => ({ code, path }));
    }
    throw error;
  }
  return [];
}

import { ApiObject, Chart } from 'cdk8s';
import { type EdgeApp, EdgeCluster, HostNetworkNodePool } from 'edge-nodepools';
import { type ArgoCdEngine, FleetDelivery, type FluxEngine, fromGit } from 'edge-nodepools/delivery';
import type { Proof } from '../../harness/group.js';
import { type ShopClusters, synthesized } from './shop-clusters.js';

/** The repository, the delivery and the pool. */
export const LEAVING = 'leaving';

const POOL = `/apis/apps.openyurt.io/v1beta2/nodepools/${LEAVING}`;
const SETTINGS = `/api/v1/namespaces/default/configmaps/${LEAVING}`;

function program(engine: ArgoCdEngine | FluxEngine, withPool: boolean): (app: EdgeApp) => void {
  return (app) => {
    const chart = new Chart(app, 'site');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name: 'headquarters' });
    if (withPool) {
      new HostNetworkNodePool(chart, 'pool', { cluster, poolName: LEAVING });
    }
    new ApiObject(chart, 'settings', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: LEAVING, namespace: 'default' },
      data: { pool: String(withPool) },
    });
    new FleetDelivery(app, 'delivery', {
      name: LEAVING,
      source: fromGit({ url: `https://git.example/${LEAVING}.git`, path: 'dist' }),
      engine,
      deletion: 'prune',
      sites: [{ name: 'headquarters', charts: [chart] }],
    });
  };
}

/** With `deletion: prune` a pool leaves the program while it has a node: yurt-manager refuses to delete it. */
export async function poolWithNodes(
  shops: ShopClusters & { readonly proof: Proof },
  engine: ArgoCdEngine | FluxEngine,
  {
    begin,
    changed,
    state,
  }: {
    /** Delivers the output for the first time. */
    readonly begin: (outdir: string, commit: string) => Promise<void>;
    /** Lets the engine read a commit. */
    readonly changed: () => Promise<void>;
    /** What the engine says. */
    readonly state: () => Promise<unknown>;
  },
): Promise<void> {
  const { proof, planes, git } = shops;
  const { api } = planes.headquarters;
  const outdir = synthesized(shops, program(engine, true));
  await begin(outdir, git.commit(`${LEAVING}.git`, outdir, 'with a pool'));
  await api.must('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: LEAVING, labels: { 'apps.openyurt.io/nodepool': LEAVING } },
  });
  const { metadata } = await api.must('GET', POOL);
  git.commit(`${LEAVING}.git`, synthesized(shops, program(engine, false)), 'without it');
  await changed();
  await proof.eventually(
    'a change that takes a pool with a node out of the program reaches the site',
    async () => (await api.send('GET', SETTINGS)).body.data?.pool === 'false',
    120,
  );
  await new Promise((done) => setTimeout(done, 20_000));
  const { status, body } = await api.send('GET', POOL);
  proof.that(
    'and the pool stays, with deletion: prune, too',
    status === 200 && body.metadata.uid === metadata.uid && body.metadata.deletionTimestamp === undefined,
    body,
  );
  proof.note(`a pool with a node: ${JSON.stringify(await state())}`);
  await api.must('DELETE', `/api/v1/nodes/${LEAVING}`);
  const since = Date.now();
  while ((await api.send('GET', POOL)).status === 200 && Date.now() - since < 60_000) {
    await new Promise((done) => setTimeout(done, 1000));
  }
  const isGone = (await api.send('GET', POOL)).status === 404;
  proof.note(`without nodes, within a minute: ${isGone ? `deleted after ${Date.now() - since} ms` : 'still there'}`);
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addFleet } from '../../../../examples/flux/chart.js';
import { pruned } from './flux-prune.js';
import { type FluxShops, isApplied, settled } from './flux-shops.js';
import { edit, imageOf, objectsOf, SHOP_NAMES, synthesized, versionsOf } from './shop-clusters.js';

/** A change of the example, as a commit that the source has read. */
async function change(shops: FluxShops, message: string, made: (outdir: string) => void): Promise<FluxShops> {
  const outdir = synthesized(shops, addFleet);
  made(outdir);
  const commit = shops.git.commit('shops.git', outdir, message);
  await shops.flux.fetch('shops');
  return { ...shops, outdir, commit };
}

/** What Kubernetes refuses in the first wave reaches no other wave; the next commit goes on. */
async function brokenWave(shops: FluxShops): Promise<void> {
  const { proof, flux, commit: before } = shops;
  const broken = await change(shops, 'a selector cannot change', (outdir) => {
    edit(outdir, '3.1.0', '3.2.0');
    edit(outdir, 'matchLabels:\n      app: till', 'matchLabels:\n      app: another');
  });
  await proof.eventually(
    'an error in the workloads of the headquarters is reported',
    async () =>
      (await flux.states()).some(
        ({ name, ready, message }) =>
          name === 'shops-headquarters-workloads' && ready === 'False' && /immutable|selector/.test(message),
      ),
    60,
  );
  await new Promise((done) => setTimeout(done, 15_000));
  const others = (await flux.states()).filter(({ name }) => /beijing|hangzhou/.test(name));
  proof.that(
    'meanwhile no other shop has the commit',
    others.every(({ applied }) => applied === before && applied !== broken.commit),
    others,
  );
  proof.same(
    'and its workload is unchanged',
    [await imageOf(shops, 'beijing'), await imageOf(shops, 'hangzhou')],
    ['3.1.0', '3.1.0'],
  );
  const fixed = await change(shops, 'another image', (outdir) => edit(outdir, '3.1.0', '3.2.1'));
  await settled(fixed);
  proof.same('the next commit reaches all shops', await Promise.all(SHOP_NAMES.map((name) => imageOf(shops, name))), [
    '3.2.1',
    '3.2.1',
    '3.2.1',
  ]);
}

/** Beijing is offline while a change comes, and gets it by itself when it is back. */
async function offline(shops: FluxShops): Promise<void> {
  const { proof, flux, planes } = shops;
  await planes.beijing.stopApiServer();
  const changed = await change(shops, 'another image', (outdir) => edit(outdir, '3.1.0', '3.3.0'));
  await proof.eventually(
    'while Beijing is offline, Hangzhou gets a change',
    () => isApplied(flux, 'shops-hangzhou-patches', changed.commit),
    180,
  );
  const beijing = (await flux.states()).filter(({ name }) => name.includes('beijing'));
  proof.that(
    'and Beijing is reported as not ready',
    beijing.some(({ ready }) => ready !== 'True'),
    beijing,
  );
  await planes.beijing.restartApiServer();
  await proof.eventually(
    'Beijing gets it when it is back, without being asked',
    () => isApplied(flux, 'shops-beijing-patches', changed.commit),
    300,
  );
  proof.same('Beijing has the image', await imageOf(shops, 'beijing'), '3.3.0');
}

/** What a person changes by kubectl is as in Git after the next reconciliation. */
async function byHand(shops: FluxShops): Promise<void> {
  const { proof, flux, planes } = shops;
  const merge = { contentType: 'application/merge-patch+json', query: { fieldManager: 'kubectl-edit' } };
  const pool = '/apis/apps.openyurt.io/v1beta2/nodepools/tills';
  await planes.headquarters.api.must('PATCH', pool, { spec: { labels: { shop: 'another' } } }, merge);
  await flux.apply('shops-headquarters-pools');
  const { spec } = await planes.headquarters.api.must('GET', pool);
  proof.same('a label of the pool that was changed by hand is as in Git again', spec.labels.shop, 'headquarters');
}

/** A shop leaves the program: with `deletion: keep` nothing of it changes. */
async function siteRemoved(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, outdir } = shops;
  const objects = objectsOf(outdir, 'beijing');
  const before = await versionsOf(planes.beijing, objects);
  await change(shops, 'Beijing leaves', (folder) => {
    edit(folder, '3.1.0', '3.3.0');
    rmSync(join(folder, 'sites', 'beijing'), { recursive: true });
    rmSync(join(folder, 'flux', 'sites', 'beijing.k8s.yaml'));
  });
  await proof.eventually(
    'the Kustomizations of a shop that has left are deleted',
    async () => (await flux.states()).every(({ name }) => !name.includes('beijing')),
    120,
  );
  proof.same(
    'and every object stays in the cluster of the shop, unchanged',
    await versionsOf(planes.beijing, objects),
    before,
  );
}

/** Everything that changes over time. */
export async function changedOnes(shops: FluxShops): Promise<void> {
  await brokenWave(shops);
  await offline(shops);
  await byHand(shops);
  await siteRemoved(shops);
  await pruned(shops);
}

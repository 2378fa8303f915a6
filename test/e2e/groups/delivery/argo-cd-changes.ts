import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addFleet } from '../../../../examples/argo-cd/chart.js';
import { allWell, type ArgoCdShops, isWell, stateOf } from './argo-cd-shops.js';
import { prunedByArgoCd } from './argo-cd-prune.js';
import { heldByArgoCd } from './argo-cd-partials.js';
import { edit, imageOf, objectsOf, SHOP_NAMES, synthesized, versionsOf } from './shop-clusters.js';

/** A change of the example, as a commit that Argo CD is told of, as a webhook of the repository does. */
async function change(shops: ArgoCdShops, message: string, made: (outdir: string) => void): Promise<ArgoCdShops> {
  const outdir = synthesized(shops, addFleet);
  made(outdir);
  const commit = shops.git.commit('shops.git', outdir, message);
  await shops.argoCd.refresh();
  return { ...shops, outdir, commit };
}

async function brokenWave(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd } = shops;
  const broken = await change(shops, 'a selector cannot change', (outdir) => {
    edit(outdir, '3.1.0', '3.2.0');
    edit(outdir, 'matchLabels:\n      app: till', 'matchLabels:\n      app: another');
  });
  await proof.eventually(
    'an error in the headquarters is reported',
    async () => /immutable|selector/.test((await stateOf(argoCd, 'shops-headquarters'))?.message ?? ''),
    90,
  );
  await new Promise((done) => setTimeout(done, 30_000));
  proof.same(
    'meanwhile no other shop has the change',
    [await imageOf(shops, 'beijing'), await imageOf(shops, 'hangzhou')],
    ['3.1.0', '3.1.0'],
  );
  proof.note(`broken ${broken.commit}: ${JSON.stringify(await stateOf(argoCd, 'shops-headquarters'))}`);
  const fixed = await change(shops, 'another image', (outdir) => edit(outdir, '3.1.0', '3.2.1'));
  await allWell(fixed, 'the next commit reaches all shops', 300);
  proof.same('with its image', await Promise.all(SHOP_NAMES.map((name) => imageOf(shops, name))), [
    '3.2.1',
    '3.2.1',
    '3.2.1',
  ]);
}

async function offline(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes } = shops;
  await planes.beijing.stopApiServer();
  const changed = await change(shops, 'another image', (outdir) => edit(outdir, '3.1.0', '3.3.0'));
  await proof.eventually(
    'while Beijing is offline, Hangzhou gets a change',
    async () => (await imageOf(shops, 'hangzhou')) === '3.3.0',
    240,
  );
  proof.note(JSON.stringify((await argoCd.states()).filter(({ name }) => name.includes('beijing'))));
  await planes.beijing.restartApiServer();
  await proof.eventually(
    'Beijing gets it when it is back, without being asked',
    () => isWell(argoCd, 'shops-beijing', changed.commit),
    600,
  );
  proof.same('with its image', await imageOf(shops, 'beijing'), '3.3.0');
  await allWell(changed, 'and all shops are healthy');
}

async function siteRemoved(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes, outdir } = shops;
  const objects = objectsOf(outdir, 'beijing');
  const before = await versionsOf(planes.beijing, objects);
  await change(shops, 'Beijing leaves', (folder) => {
    edit(folder, '3.1.0', '3.3.0');
    rmSync(join(folder, 'sites', 'beijing'), { recursive: true });
    for (const parameters of ['sites', 'patches']) {
      rmSync(join(folder, 'argo-cd', parameters, 'beijing.json'));
    }
  });
  await proof.eventually(
    'the applications of a shop that has left are deleted',
    async () => (await argoCd.states()).every(({ name }) => !name.includes('beijing')),
    120,
  );
  await new Promise((done) => setTimeout(done, 5000));
  proof.same(
    'and every object stays in the cluster of the shop, unchanged',
    await versionsOf(planes.beijing, objects),
    before,
  );
}

/** The ApplicationSet is deleted by mistake. */
async function allRemoved({ proof, argoCd, planes, outdir }: ArgoCdShops): Promise<void> {
  const objects = objectsOf(outdir, 'hangzhou');
  const before = await versionsOf(planes.hangzhou, objects);
  await argoCd.remove('applications', 'shops');
  await argoCd.remove('applicationsets', 'shops');
  await argoCd.remove('applicationsets', 'shops-patches');
  await new Promise((done) => setTimeout(done, 20_000));
  proof.same(
    'an ApplicationSet that is deleted takes nothing with it',
    await versionsOf(planes.hangzhou, objects),
    before,
  );
}

/** Everything that changes over time. */
export async function changedByArgoCd(shops: ArgoCdShops): Promise<void> {
  await heldByArgoCd(shops);
  await brokenWave(shops);
  await offline(shops);
  await siteRemoved(shops);
  await allRemoved(shops);
  await prunedByArgoCd(shops);
}

import type { EdgeApp } from 'edge-nodepools';
import { argoCd as argoCdEngine, FleetDelivery, fromGit } from 'edge-nodepools/delivery';
import { PlatformChart, ShopChart, SHOPS as EXAMPLES } from '../../../../examples/argo-cd/chart.js';
import { auditedWrites } from '../../harness/audit-log.js';
import { inShell, stored } from '../../harness/kubectl.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { type ArgoCdShops, isWell } from './argo-cd-shops.js';
import { layersOf, objectsOf, synthesized, versionsOf } from './shop-clusters.js';

/** Shops with `deletion: 'prune'` and a rollout. */
const pruning =
  (shops: readonly string[]) =>
  (app: EdgeApp): void => {
    new FleetDelivery(app, 'delivery', {
      name: 'shops',
      source: fromGit({ url: 'https://git.example/shops.git', path: 'dist' }),
      engine: argoCdEngine(),
      rollout: {},
      partials: 'engine',
      deletion: 'prune',
      sites: EXAMPLES.filter(({ name }) => shops.includes(name)).map((shop) => {
        const platform = new PlatformChart(app, `${shop.name}-platform`, shop);
        return {
          name: shop.name,
          wave: shop.wave,
          cluster: { name: shop.cluster },
          charts: [platform, new ShopChart(app, `${shop.name}-shop`, platform.pool)],
        };
      }),
    });
  };

const isGone = (versions: Record<string, string>): boolean =>
  Object.values(versions).every((version) => version === '');

/** With `deletion: prune`: an object leaves, then a shop, and its objects with it, but no object of others. */
export async function prunedByArgoCd(shops: ArgoCdShops): Promise<void> {
  const { proof, git, argoCd, planes, addOns } = shops;
  const { headquarters, hangzhou } = planes;
  const outdir = synthesized(shops, pruning(['headquarters', 'hangzhou']));
  const first = git.commit('shops.git', outdir, 'prune');
  // Argo CD has applied these objects itself before, so it owns their fields
  inShell(headquarters, `kubectl apply --server-side --force-conflicts -f ${outdir}/argo-cd/`);
  await argoCd.refresh();
  await proof.eventually(
    'what was deleted by mistake is delivered again, now with deletion: prune',
    () => isWell(argoCd, 'shops-hangzhou', first),
    240,
  );
  const layers = layersOf(outdir, 'hangzhou');
  const own = ['10-pools', '20-policies', '30-workloads'].flatMap((layer) => layers[layer] ?? []);
  const components = (['kube-proxy', 'coredns'] as const).map((addOn) => addOns.hangzhou.rendered(addOn));
  const identities = (): Promise<string[]> =>
    Promise.all(components.map(async (each) => (await stored(hangzhou, each)).metadata.uid as string));
  const before = await identities();
  const writes = auditedWrites(hangzhou.auditLog).length;
  // the program without the shop: what else its synth changes is what the engine gets with it
  synthesized(shops, pruning(['headquarters']), outdir);
  git.commit('shops.git', outdir, 'Hangzhou leaves');
  await argoCd.refresh();
  await proof.eventually(
    'with deletion: prune, the objects of a shop that has left are deleted',
    async () => isGone(await versionsOf(hangzhou, own)),
    180,
  );
  await proof.eventually(
    'and its applications',
    async () => (await argoCd.states()).every(({ name }) => !name.includes('hangzhou')),
    60,
  );
  proof.same('but kube-proxy and CoreDNS stay, the same objects', await identities(), before);
  const excluded = await Promise.all(components.map(async (each) => isExcluded(await stored(hangzhou, each))));
  proof.same('and excluded', excluded, [true, true]);
  const deleted = auditedWrites(hangzhou.auditLog)
    .slice(writes)
    .filter(({ verb, userAgent }) => verb === 'delete' && userAgent.startsWith('argocd'))
    .map(({ resource, name }) => `${resource}/${name}`);
  const order = [/^daemonsets\//, /bindings\//, /policies\//, /^nodepools\//].map((pattern) => ({
    first: deleted.findIndex((each) => pattern.test(each)),
    last: deleted.findLastIndex((each) => pattern.test(each)),
  }));
  proof.that(
    'workloads are deleted before bindings, bindings before policies, policies before pools',
    order.every(({ first: begin }, index) => begin > (order[index - 1]?.last ?? -1)),
    deleted,
  );
  proof.that(
    'the headquarters have everything',
    !Object.values(await versionsOf(headquarters, objectsOf(outdir, 'headquarters'))).includes(''),
  );
}

import type { EdgeApp } from 'edge-nodepools';
import { FleetDelivery, flux as fluxEngine, fromGit } from 'edge-nodepools/delivery';
import { PlatformChart, ShopChart, SHOPS as EXAMPLES } from '../../../../examples/flux/chart.js';
import { auditedWrites } from '../../harness/audit-log.js';
import { stored } from '../../harness/kubectl.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { type FluxShops, settled } from './flux-shops.js';
import { layersOf, objectsOf, synthesized, versionsOf } from './shop-clusters.js';

/** Shops with `deletion: 'prune'` and without a rollout. */
const pruning =
  (shops: readonly string[]) =>
  (app: EdgeApp): void => {
    new FleetDelivery(app, 'delivery', {
      name: 'shops',
      source: fromGit({ url: 'https://git.example/shops.git', path: 'dist' }),
      engine: fluxEngine(),
      partials: 'engine',
      deletion: 'prune',
      sites: EXAMPLES.filter(({ name }) => shops.includes(name)).map((shop) => {
        const platform = new PlatformChart(app, `${shop.name}-platform`, shop);
        return {
          name: shop.name,
          cluster: { kubeConfigSecret: shop.kubeConfig },
          charts: [platform, new ShopChart(app, `${shop.name}-shop`, platform.pool)],
        };
      }),
    });
  };

/** With `deletion: prune`: a shop leaves, and its objects with it, but no object of others. */
export async function pruned(shops: FluxShops): Promise<void> {
  const { proof, git, flux, planes, addOns } = shops;
  const { hangzhou } = planes;
  const outdir = synthesized(shops, pruning(['headquarters', 'hangzhou']));
  const commit = git.commit('shops.git', outdir, 'prune');
  await flux.fetch('shops');
  await settled(shops, commit);
  const layers = layersOf(outdir, 'hangzhou');
  const own = ['10-pools', '20-policies', '30-workloads'].flatMap((layer) => layers[layer] ?? []);
  const components = (['kube-proxy', 'coredns'] as const).map((addOn) => addOns.hangzhou.rendered(addOn));
  const identities = (): Promise<string[]> =>
    Promise.all(components.map(async (each) => (await stored(hangzhou, each)).metadata.uid as string));
  const before = await identities();
  const writes = auditedWrites(hangzhou.auditLog).length;
  synthesized(shops, pruning(['headquarters']), outdir);
  git.commit('shops.git', outdir, 'Hangzhou leaves');
  await flux.fetch('shops');
  await proof.eventually(
    'with deletion: prune, the objects of a shop that has left are deleted',
    async () => Object.values(await versionsOf(hangzhou, own)).every((version) => version === ''),
    120,
  );
  proof.same('but kube-proxy and CoreDNS stay, the same objects', await identities(), before);
  const excluded = await Promise.all(components.map(async (each) => isExcluded(await stored(hangzhou, each))));
  proof.same('and excluded', excluded, [true, true]);
  const deleted = auditedWrites(hangzhou.auditLog)
    .slice(writes)
    .filter(({ verb, userAgent }) => verb === 'delete' && userAgent.startsWith('kustomize-controller'))
    .map(({ resource, name }) => `${resource}/${name}`);
  proof.note(`deleted in this order: ${deleted.join(', ')}`);
  const first = (pattern: RegExp): number => deleted.findIndex((each) => pattern.test(each));
  const last = (pattern: RegExp): number => deleted.findLastIndex((each) => pattern.test(each));
  proof.that('its bindings before its policies', last(/bindings\//) < first(/policies\//), deleted);
  proof.that(
    'the headquarters are as before',
    Object.values(await versionsOf(planes.headquarters, objectsOf(outdir, 'headquarters'))).every(
      (version) => version !== '',
    ),
  );
}

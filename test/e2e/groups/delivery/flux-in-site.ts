import type { EdgeApp } from 'edge-nodepools';
import { FleetDelivery, flux as fluxEngine, fromGit } from 'edge-nodepools/delivery';
import { inShell } from '../../harness/kubectl.js';
import { type FluxShops, isApplied } from './flux-shops.js';
import { ownChart } from './own-chart.js';
import { synthesized } from './shop-clusters.js';

/** A Flux in the site: it delivers to its own cluster, and itself. */
export async function inSite(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git } = shops;
  const program =
    (value: string) =>
    (app: EdgeApp): void => {
      new FleetDelivery(app, 'delivery', {
        name: 'own',
        source: fromGit({ url: 'https://git.example/own.git', path: 'dist' }),
        engine: fluxEngine({ runsOn: 'sites' }),
        sites: ['headquarters', 'elsewhere'].map((name) => ({
          name,
          charts: [ownChart(app, `own-${name}`, value)],
        })),
      });
    };
  const outdir = synthesized(shops, program('one'));
  const commit = git.commit('own.git', outdir, 'own');
  inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/flux/headquarters/`);
  await proof.eventually(
    'an engine in a site delivers to its cluster',
    () => isApplied(flux, 'own-headquarters-workloads', commit),
    120,
  );
  await proof.eventually('and itself', () => isApplied(flux, 'own', commit), 120);
  proof.that(
    'and nothing of other sites',
    (await flux.states()).every(({ name }) => !name.includes('elsewhere')),
  );
  const next = git.commit('own.git', synthesized(shops, program('other')), 'other');
  await flux.fetch('own');
  await proof.eventually('a commit reaches it', () => isApplied(flux, 'own-headquarters-workloads', next), 120);
  const { body } = await planes.headquarters.api.send('GET', '/api/v1/namespaces/default/configmaps/own-headquarters');
  proof.same('with its objects', body.data?.value, 'other');
}

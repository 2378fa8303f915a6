import { ApiObject, Chart } from 'cdk8s';
import type { EdgeApp } from 'edge-nodepools';
import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools';
import { FleetDelivery, flux as fluxEngine, fromGit } from 'edge-nodepools/delivery';
import { FLUX_NAMESPACE } from '../../harness/flux.js';
import { inShell } from '../../harness/kubectl.js';
import type { FluxShops } from './flux-shops.js';
import { synthesized, verifiedKubeconfig } from './shop-clusters.js';

/** E2E_DELIVERED_SITES=1000 delivers so many sites, and does nothing else; without it, none. */
export const SITES = Number(process.env.E2E_DELIVERED_SITES ?? 0);

const NAMES = Array.from({ length: SITES }, (_, index) => `shop-${index}`);

/** Sites with a pool and a ConfigMap each. They are in one cluster, which each reaches by a Secret of its own, so their objects have names of their own. */
function many(app: EdgeApp): void {
  new FleetDelivery(app, 'delivery', {
    name: 'many',
    source: fromGit({ url: 'https://git.example/many.git', path: 'dist' }),
    engine: fluxEngine(),
    sites: NAMES.map((name) => {
      const chart = new Chart(app, name);
      const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name });
      new HostNetworkNodePool(chart, 'pool', { cluster, poolName: name });
      new ApiObject(chart, 'settings', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
        data: { name },
      });
      return { name, cluster: { kubeConfigSecret: `${name}-kubeconfig` }, charts: [chart] };
    }),
  });
}

/** How long many sites take, and how much memory. */
export async function manySites(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git } = shops;
  const { headquarters, beijing } = planes;
  const value = JSON.stringify(verifiedKubeconfig(beijing));
  await headquarters.apply(
    NAMES.map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace: FLUX_NAMESPACE },
      stringData: { value },
    })),
  );
  const synth = Date.now();
  const outdir = synthesized(shops, many);
  const synthSeconds = (Date.now() - synth) / 1000;
  const commit = git.commit('many.git', outdir, 'many');
  const begin = Date.now();
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/flux/many.k8s.yaml`);
  await proof.eventually(
    `${SITES} sites are delivered`,
    async () => {
      const states = (await flux.states()).filter(({ name }) => name.startsWith('many-'));
      return (
        states.length === 2 * SITES && states.every(({ ready, applied }) => ready === 'True' && applied === commit)
      );
    },
    3600,
  );
  proof.note(
    `${SITES} sites: synth ${synthSeconds} s, delivered in ${Math.round((Date.now() - begin) / 1000)} s, memory at its highest ${flux.peakMemory().join(' and ')} MiB`,
  );
}

import { flux as fluxEngine } from 'edge-nodepools/delivery';
import { FLUX_NAMESPACE } from '../../harness/flux.js';
import { inShell } from '../../harness/kubectl.js';
import type { FluxShops } from './flux-shops.js';
import { MANY, many, SITE_NAMES, SITES } from './many-sites.js';
import { synthesized, verifiedKubeconfig } from './shop-clusters.js';

/** How long many sites take, and how much memory. */
export async function manySites(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git } = shops;
  const { headquarters, beijing } = planes;
  const value = JSON.stringify(verifiedKubeconfig(beijing));
  await headquarters.apply(
    SITE_NAMES.map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-kubeconfig`, namespace: FLUX_NAMESPACE },
      stringData: { value },
    })),
  );
  const synth = Date.now();
  const outdir = synthesized(
    shops,
    many(fluxEngine(), (name) => ({ kubeConfigSecret: `${name}-kubeconfig` })),
  );
  const synthSeconds = (Date.now() - synth) / 1000;
  const commit = git.commit(`${MANY}.git`, outdir, MANY);
  const begin = Date.now();
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/flux/${MANY}.k8s.yaml`);
  await proof.eventually(
    `${SITES} sites are delivered`,
    async () => {
      const states = (await flux.states()).filter(({ name }) => name.startsWith(`${MANY}-`));
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

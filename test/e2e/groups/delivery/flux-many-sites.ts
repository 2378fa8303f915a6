import { join } from 'node:path';
import { flux as fluxEngine, fromOci } from 'edge-nodepools/delivery';
import { FLUX_NAMESPACE } from '../../harness/flux.js';
import { inShell } from '../../harness/kubectl.js';
import { OciRegistry } from '../../harness/oci-registry.js';
import type { FluxShops } from './flux-shops.js';
import { MANY, many, SITE_NAMES, SITES } from './many-sites.js';
import { synthesized, verifiedKubeconfig } from './shop-clusters.js';

/** E2E_DELIVERED_FROM=git has all sites in one repository, which each Kustomization unpacks as a whole. */
const FROM_GIT = process.env.E2E_DELIVERED_FROM === 'git';

/** How long many sites take, and how much memory. */
export async function manySites(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git, folder } = shops;
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
  const registry = await OciRegistry.open(join(folder, 'registry'));
  try {
    const cluster = (name: string): object => ({ kubeConfigSecret: `${name}-kubeconfig` });
    const source = FROM_GIT ? undefined : fromOci({ url: `oci://${registry.host}/${MANY}`, insecure: true });
    const synth = Date.now();
    const outdir = synthesized(shops, many(fluxEngine(), cluster, source));
    const synthSeconds = (Date.now() - synth) / 1000;
    const versions = new Map<string, string>();
    const commit = FROM_GIT ? git.commit(`${MANY}.git`, outdir, MANY) : undefined;
    for (const name of SITE_NAMES) {
      const archive = join(outdir, 'oci', `${name}.tar.gz`);
      const version = commit ?? registry.push(archive, `${MANY}/${name}`, 'latest').replace('sha256:', '');
      versions.set(`${MANY}-${name}-pools`, version).set(`${MANY}-${name}-workloads`, version);
    }
    const begin = Date.now();
    inShell(headquarters, `kubectl apply --server-side -R -f ${outdir}/flux/`);
    await proof.eventually(
      `${SITES} sites are delivered`,
      async () => {
        const states = await flux.states();
        const ready = states.filter(({ name, ready, applied }) => ready === 'True' && applied === versions.get(name));
        return ready.length === versions.size;
      },
      3600,
    );
    proof.note(
      `${SITES} sites: synth ${synthSeconds} s, delivered in ${Math.round((Date.now() - begin) / 1000)} s, memory at its highest ${flux.peakMemory().join(' and ')} MiB`,
    );
  } finally {
    await registry.close();
  }
}

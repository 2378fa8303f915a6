import type { Flux } from '../../harness/flux.js';
import type { Proof } from '../../harness/group.js';
import type { ShopClusters } from './shop-clusters.js';

/** The shops, delivered by a Flux. */
export interface FluxShops extends ShopClusters {
  readonly flux: Flux;
  readonly outdir: string;
  readonly commit: string;
  readonly proof: Proof;
}

export async function isApplied(flux: Flux, name: string, commit: string): Promise<boolean> {
  return (await flux.states()).some(
    (state) => state.name === name && state.ready === 'True' && state.applied === commit,
  );
}

/** Waits until every Kustomization is ready at a commit. */
export async function settled({ proof, flux, commit }: FluxShops, at = commit): Promise<void> {
  const unfinished = async (): Promise<object[]> =>
    (await flux.states()).filter(
      ({ name, ready, applied }) => name.startsWith('shops') && (ready !== 'True' || applied !== at),
    );
  for (let attempt = 0; (await unfinished()).length > 0; attempt++) {
    if (attempt === 600) {
      proof.same('every Kustomization becomes ready', await unfinished(), []);
      return;
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

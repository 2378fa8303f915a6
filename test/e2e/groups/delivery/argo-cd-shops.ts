import { addFleet } from '../../../../examples/argo-cd/chart.js';
import { ArgoCd, type ApplicationState } from '../../harness/argo-cd.js';
import type { Proof } from '../../harness/group.js';
import { inShell } from '../../harness/kubectl.js';
import { certificateOf, type ShopClusters, synthesized } from './shop-clusters.js';

/** The shops, delivered by an Argo CD. */
export interface ArgoCdShops extends ShopClusters {
  readonly argoCd: ArgoCd;
  readonly outdir: string;
  readonly commit: string;
  readonly proof: Proof;
}

/** What README.md of the example says, in its order. */
export async function deliveredByArgoCd(clusters: ShopClusters, proof: Proof): Promise<ArgoCdShops> {
  const { planes, git } = clusters;
  const outdir = synthesized(clusters, addFleet);
  const commit = git.commit('shops.git', outdir, 'the shops');
  const { beijing, hangzhou } = planes;
  const argoCd = await ArgoCd.start(planes.headquarters, {
    env: git.env,
    certificates: { 'git.example': git.certificate },
    clusters: {
      headquarters: {},
      ...Object.fromEntries(
        Object.entries({ beijing, hangzhou }).map(([name, plane]) => [
          name,
          { server: `https://127.0.0.1:${plane.port}`, token: 'admin-token', caData: certificateOf(plane) },
        ]),
      ),
    },
  });
  inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
  return { ...clusters, argoCd, outdir, commit, proof };
}

export async function stateOf(argoCd: ArgoCd, name: string): Promise<ApplicationState | undefined> {
  return (await argoCd.states()).find((state) => state.name === name);
}

/** Whether an application is delivered at a commit, and well. */
export async function isWell(argoCd: ArgoCd, name: string, commit: string): Promise<boolean> {
  const state = await stateOf(argoCd, name);
  return (
    state?.sync === 'Synced' && state.health === 'Healthy' && state.phase === 'Succeeded' && state.compared === commit
  );
}

/** Waits until every application is healthy at a commit. */
export async function allWell({ proof, argoCd, commit }: ArgoCdShops, claim: string, seconds = 240): Promise<void> {
  await proof.eventually(
    claim,
    async () => {
      const states = await argoCd.states();
      return (
        states.length > 1 &&
        states.every(
          ({ sync, health, phase, compared }) =>
            sync === 'Synced' && health === 'Healthy' && phase === 'Succeeded' && compared === commit,
        )
      );
    },
    seconds,
  );
  if (proof.failures.some((failure) => failure.startsWith(claim))) {
    proof.note(JSON.stringify(await argoCd.states(), undefined, 1));
  }
}

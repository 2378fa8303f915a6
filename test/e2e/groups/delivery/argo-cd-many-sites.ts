import { argoCd as argoCdEngine } from 'edge-nodepools/delivery';
import { ARGO_CD_NAMESPACE } from '../../harness/argo-cd.js';
import { inShell } from '../../harness/kubectl.js';
import type { ArgoCdShops } from './argo-cd-shops.js';
import { MANY, many, SITE_NAMES, SITES } from './many-sites.js';
import { certificateOf, synthesized } from './shop-clusters.js';

const SET = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applicationsets/${MANY}`;

/**
 * How long many sites take, how large the ApplicationSet is, and how much memory they need. All clusters have one address, so the application controller
 * holds the objects of one cluster, and not of a thousand.
 */
export async function manySites(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes, git } = shops;
  const { headquarters, beijing } = planes;
  await headquarters.apply(
    SITE_NAMES.map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `cluster-${name}`,
        namespace: ARGO_CD_NAMESPACE,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      stringData: {
        name,
        server: `https://127.0.0.1:${beijing.port}`,
        config: JSON.stringify({ bearerToken: 'admin-token', tlsClientConfig: { caData: certificateOf(beijing) } }),
      },
    })),
  );
  const synth = Date.now();
  const outdir = synthesized(
    shops,
    many(argoCdEngine(), (name) => ({ name })),
  );
  const synthSeconds = (Date.now() - synth) / 1000;
  const commit = git.commit(`${MANY}.git`, outdir, MANY);
  const begin = Date.now();
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
  await proof.eventually(
    `${SITES} sites are delivered`,
    async () => {
      const states = (await argoCd.states()).filter(({ name }) => name.startsWith(`${MANY}-`));
      return (
        states.length === SITES &&
        states.every(({ sync, phase, compared }) => sync === 'Synced' && phase === 'Succeeded' && compared === commit)
      );
    },
    3600,
  );
  const set = JSON.stringify(await headquarters.api.must('GET', SET));
  proof.note(
    `${SITES} sites: synth ${synthSeconds} s, delivered in ${Math.round((Date.now() - begin) / 1000)} s, ApplicationSet ${set.length} bytes, memory at its highest, MiB: ${JSON.stringify(argoCd.peakMemory())}`,
  );
}

import { FleetDelivery, flux as fluxEngine, fromGit } from 'edge-nodepools/delivery';
import { FLUX_NAMESPACE } from '../../harness/flux.js';
import { inShell } from '../../harness/kubectl.js';
import { type FluxShops, isApplied } from './flux-shops.js';
import { ownChart } from './own-chart.js';
import { synthesized } from './shop-clusters.js';

/** The delivery and the service account of a tenant. */
const TENANT = 'tenant';

/** A tenant of Flux has the permissions of its service account in the site, and no others. */
export async function asTenant(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git } = shops;
  const outdir = synthesized(shops, (app) => {
    new FleetDelivery(app, 'delivery', {
      name: TENANT,
      source: fromGit({ url: `https://git.example/${TENANT}.git`, path: 'dist' }),
      engine: fluxEngine({ serviceAccountName: TENANT }),
      sites: [
        {
          name: 'hangzhou',
          cluster: { kubeConfigSecret: 'hangzhou-kubeconfig' },
          charts: [ownChart(app, TENANT, 'one')],
        },
      ],
    });
  });
  const commit = git.commit(`${TENANT}.git`, outdir, TENANT);
  inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/flux/${TENANT}.k8s.yaml`);
  const first = `${TENANT}-hangzhou-pools`;
  await proof.eventually(
    'a tenant without permissions in the site is refused there',
    async () =>
      (await flux.states()).some(
        ({ name, ready, message }) =>
          name === first &&
          ready === 'False' &&
          message.includes(`system:serviceaccount:${FLUX_NAMESPACE}:${TENANT}`) &&
          /forbidden/.test(message),
      ),
    90,
  );
  const { status } = await planes.hangzhou.api.send('GET', `/apis/apps.openyurt.io/v1beta2/nodepools/${TENANT}`);
  proof.same('and nothing of it is in the site', status, 404);
  const group = 'rbac.authorization.k8s.io';
  await planes.hangzhou.apply([
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRole',
      metadata: { name: TENANT },
      rules: [
        { apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], verbs: ['*'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
      ],
    },
    {
      apiVersion: `${group}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: TENANT },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: TENANT },
      subjects: [{ kind: 'ServiceAccount', namespace: FLUX_NAMESPACE, name: TENANT }],
    },
  ]);
  await flux.apply(first);
  await proof.eventually(
    'with permissions for its kinds it is delivered',
    () => isApplied(flux, `${TENANT}-hangzhou-workloads`, commit),
    120,
  );
}

import { argoCd as argoCdEngine } from 'edge-nodepools/delivery';
import { inShell, stored } from '../../harness/kubectl.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { type ArgoCdShops, isWell } from './argo-cd-shops.js';
import { claimed, COMPONENTS, type Component, componentsOf, installComponents, outcomes } from './installers.js';
import { ownersOf } from './owners.js';
import { synthesized } from './shop-clusters.js';

/** kube-proxy and CoreDNS of a shop without admission policies that change Pods, as kubeadm has installed them. */
export async function heldByArgoCd(shops: ArgoCdShops): Promise<void> {
  const { proof, addOns, planes } = shops;
  const { hangzhou } = planes;
  for (const addOn of ['kube-proxy', 'coredns'] as const) {
    const rendered = addOns.hangzhou.rendered(addOn);
    const first = await stored(hangzhou, rendered);
    proof.that(`${addOn}: the partial object is applied`, isExcluded(first));
    proof.same(`${addOn}: kubeadm still owns its containers, and alone`, ownersOf(first), ['kubeadm']);
    const { resourceVersion } = first.metadata;
    addOns.hangzhou.install(addOn, hangzhou.kubeconfig);
    await proof.eventually(
      `${addOn}: kubeadm writes it again, as at an upgrade, and the affinity comes back`,
      async () => {
        const now = await stored(hangzhou, rendered);
        return now.metadata.resourceVersion !== resourceVersion && isExcluded(now);
      },
      60,
    );
  }
  // a sync that fails fails for all objects of its application, so what does not hold is apart
  const [byKubectl, others] = [true, false].map((wanted) =>
    COMPONENTS.filter(({ installer }) => (installer === 'kubectl') === wanted),
  ) as [Component[], Component[]];
  await otherInstallers(shops, 'components', others);
  await otherInstallers(shops, 'by-kubectl', byKubectl);
}

/** Which partial objects hold with Argo CD by what has installed the component. */
const HOLDS = ['without-affinity-serverside', 'with-affinity-helm', 'without-affinity-helm', 'without-affinity-helm4'];

async function otherInstallers(shops: ArgoCdShops, delivery: string, components: readonly Component[]): Promise<void> {
  const { proof, argoCd, planes, git } = shops;
  const { headquarters, hangzhou } = planes;
  await installComponents(hangzhou, components);
  const outdir = synthesized(
    shops,
    componentsOf(delivery, components, argoCdEngine(), { name: 'hangzhou' }, 'kubeadm'),
  );
  const commit = git.commit(`${delivery}.git`, outdir, 'components');
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
  const name = `${delivery}-hangzhou-patches`;
  const applied = async (): Promise<void> => {
    for (let attempt = 0; attempt < 45 && !(await isWell(argoCd, name, commit)); attempt++) {
      await new Promise((done) => setTimeout(done, 1000));
    }
  };
  await applied();
  const seen = await outcomes(hangzhou, components, {
    apply: async () => {
      await new Promise((done) => setTimeout(done, 10_000));
      await argoCd.refresh();
      await applied();
    },
    remove: async () => {
      await argoCd.remove('applications', delivery);
      await argoCd.remove('applicationsets', `${delivery}-patches`);
      await proof.eventually('their application is deleted', async () =>
        (await argoCd.states()).every((state) => state.name !== name),
      );
    },
  });
  proof.note(JSON.stringify(seen));
  claimed(proof, 'Argo CD', seen, HOLDS);
}

import { flux as fluxEngine } from 'edge-nodepools/delivery';
import { inShell, kubectlApply, stored } from '../../harness/kubectl.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { claimed, COMPONENTS, componentsOf, installComponents, outcomes } from './installers.js';
import { ownersOf } from './owners.js';
import { synthesized } from './shop-clusters.js';
import { type FluxShops, isApplied, settled } from './flux-shops.js';

/** kube-proxy and CoreDNS of a shop without admission policies that change Pods, as kubeadm has installed them. */
export async function heldPartials(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, addOns } = shops;
  const { hangzhou } = planes;
  for (const addOn of ['kube-proxy', 'coredns'] as const) {
    const rendered = addOns.hangzhou.rendered(addOn);
    const applied = async (): Promise<any> => {
      await flux.apply('shops-hangzhou-patches');
      return stored(hangzhou, rendered);
    };
    const first = await stored(hangzhou, rendered);
    proof.that(`${addOn}: the partial object is applied`, isExcluded(first));
    proof.same(`${addOn}: kubeadm still owns its containers, and alone`, ownersOf(first), ['kubeadm']);
    proof.same(`${addOn}: they are as kubeadm wrote them`, containersOf(first), containersOf(rendered));
    addOns.hangzhou.install(addOn, hangzhou.kubeconfig);
    proof.that(
      `${addOn}: kubeadm, which writes it again at an upgrade, removes the affinity`,
      !isExcluded(await stored(hangzhou, rendered)),
    );
    proof.that(`${addOn}: the next reconciliation brings it back`, isExcluded(await applied()));
    kubectlApply(hangzhou, [rendered], ['--server-side=false']);
    const again = await applied();
    proof.that(`${addOn}: after a client-side kubectl apply of its manifest it is excluded`, isExcluded(again));
    proof.same(`${addOn}: with the containers of the manifest`, containersOf(again), containersOf(rendered));
    addOns.hangzhou.install(addOn, hangzhou.kubeconfig);
    proof.that(`${addOn}: and again after kubeadm`, isExcluded(await applied()));
  }
  await endOfPatches(shops);
  await otherInstallers(shops);
}

const containersOf = ({ spec }: any): unknown[] =>
  spec.template.spec.containers.map(({ name, image, command }: any) => ({ name, image, command }));

/** The Kustomization of the patches is deleted, by hand and with its shop. */
async function endOfPatches(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, addOns, commit } = shops;
  const { hangzhou } = planes;
  const manifests = (['kube-proxy', 'coredns'] as const).map((addOn) => addOns.hangzhou.rendered(addOn));
  const identities = async (): Promise<string[]> =>
    Promise.all(manifests.map(async (manifest) => (await stored(hangzhou, manifest)).metadata.uid as string));
  const before = await identities();
  await flux.remove('shops-hangzhou-patches');
  await proof.eventually('the Kustomization of the patches is deleted', async () =>
    (await flux.states()).every(({ name }) => name !== 'shops-hangzhou-patches'),
  );
  proof.same('kube-proxy and CoreDNS stay, the same objects', await identities(), before);
  const excluded = await Promise.all(manifests.map(async (manifest) => isExcluded(await stored(hangzhou, manifest))));
  proof.same('and excluded', excluded, [true, true]);
  await flux.apply('shops');
  await proof.eventually(
    'what delivers the objects of Flux makes it again',
    () => isApplied(flux, 'shops-hangzhou-patches', commit),
    60,
  );
  await settled(shops);
}

/** Which partial objects hold with Flux by what has installed the component. */
const HOLDS = [
  'with-affinity-kubectl',
  'without-affinity-kubectl',
  'without-affinity-serverside',
  'with-affinity-helm',
  'without-affinity-helm',
  'without-affinity-helm4',
];

async function otherInstallers(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, git } = shops;
  const { headquarters, hangzhou } = planes;
  await installComponents(hangzhou, COMPONENTS);
  const outdir = synthesized(
    shops,
    componentsOf('components', COMPONENTS, fluxEngine(), { kubeConfigSecret: 'hangzhou-kubeconfig' }, 'kubectl'),
  );
  const commit = git.commit('components.git', outdir, 'components');
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/flux/components.k8s.yaml`);
  const name = 'components-hangzhou-patches';
  await proof.eventually(
    'the partial objects of other components are applied',
    () => isApplied(flux, name, commit),
    90,
  );
  const seen = await outcomes(hangzhou, COMPONENTS, {
    apply: () => flux.apply(name),
    remove: async () => {
      await flux.remove(name);
      await proof.eventually('their Kustomization is deleted', async () =>
        (await flux.states()).every((state) => state.name !== name),
      );
    },
  });
  claimed(proof, 'Flux', seen, HOLDS);
  proof.note(JSON.stringify(seen));
}

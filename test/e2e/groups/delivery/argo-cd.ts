import { argoCd as argoCdEngine } from 'edge-nodepools/delivery';
import { ARGO_CD } from '../../harness/argo-cd.js';
import type { Group } from '../../harness/group.js';
import { inShell } from '../../harness/kubectl.js';
import { HELM_3, HELM_4 } from '../../harness/helm.js';
import { CRANE } from '../../harness/oci-registry.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { allWell, type ArgoCdShops, deliveredByArgoCd, isWell, stateOf } from './argo-cd-shops.js';
import { manySites } from './argo-cd-many-sites.js';
import { changedByArgoCd } from './argo-cd-changes.js';
import { byRegistry, inSite } from './argo-cd-sources.js';
import { SITES } from './many-sites.js';
import { WEBHOOKS, webhooksShared } from './openyurt-webhooks.js';
import { ownAdmission } from './own-admission.js';
import { LEAVING, poolWithNodes } from './pool-with-nodes.js';
import { order } from './order.js';
import { layersOf, objectsOf, SHOP_NAMES, SHOP_TOOLS, versionsOf, withShops } from './shop-clusters.js';

async function example(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, commit, outdir, planes } = shops;
  await proof.eventually(
    'the headquarters are delivered first',
    () => isWell(argoCd, 'shops-headquarters', commit),
    240,
  );
  await proof.eventually('then Beijing', () => isWell(argoCd, 'shops-beijing', commit), 180);
  const hangzhou = await stateOf(argoCd, 'shops-hangzhou');
  proof.that(
    'Hangzhou waits for the resource definitions of OpenYurt, which it does not have yet',
    hangzhou?.phase !== 'Succeeded',
    hangzhou,
  );
  proof.note(JSON.stringify(hangzhou));
  await planes.hangzhou.applyCrds(openYurtCrds('1.7', true));
  await allWell(shops, 'Hangzhou gets everything when OpenYurt is there, without being asked');
  for (const name of SHOP_NAMES) {
    const missing = Object.entries(await versionsOf(planes[name], objectsOf(outdir, name))).filter(
      ([, version]) => version === '',
    );
    proof.same(`${name} has every object of its folder`, missing, []);
    order(planes[name], name, 'argocd', 3, proof);
  }
}

/** A commit without a change of objects. */
async function secondSync(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, outdir, planes, git } = shops;
  const versions = (): Promise<Record<string, string>[]> =>
    Promise.all(SHOP_NAMES.map((name) => versionsOf(planes[name], objectsOf(outdir, name))));
  const before = await versions();
  const commit = git.commit('shops.git', outdir, 'nothing');
  await argoCd.refresh();
  await allWell({ ...shops, commit }, 'a commit without a change reaches all shops');
  const after = await versions();
  SHOP_NAMES.forEach((name, index) =>
    proof.same(`a second sync changes nothing in ${name}`, after[index], before[index]),
  );
  const [pool] = layersOf(outdir, 'headquarters')['10-pools'] ?? [];
  const { spec } = await planes.headquarters.api.must('GET', await planes.headquarters.api.pathOf(pool));
  proof.that(
    'what yurt-manager adds to a pool stays, and is no drift',
    Object.keys(spec).some((field) => !(field in pool.spec)),
    spec,
  );
}

/** What yurt-manager and Argo CD write into one object. */
async function webhooks(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes } = shops;
  const settled = (claim: string, commit: string): Promise<void> =>
    proof.eventually(claim, () => isWell(argoCd, `${WEBHOOKS}-headquarters`, commit), 240);
  await webhooksShared(shops, argoCdEngine(), {
    agent: 'argocd',
    begin: async (outdir, commit) => {
      inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
      await settled('webhook configurations are delivered', commit);
    },
    again: async (commit) => {
      await argoCd.sync(`${WEBHOOKS}-headquarters`);
      await settled('they are synced once more', commit);
    },
  });
}

async function leavingPool(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes } = shops;
  const name = `${LEAVING}-headquarters`;
  await poolWithNodes(shops, argoCdEngine(), {
    begin: async (outdir, commit) => {
      inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
      await proof.eventually('a site with a pool is delivered', () => isWell(argoCd, name, commit), 240);
    },
    changed: () => argoCd.refresh(),
    state: () => stateOf(argoCd, name),
  });
}

async function sitesOwnAdmission(shops: ArgoCdShops): Promise<void> {
  await ownAdmission(shops, argoCdEngine(), (outdir) => {
    inShell(shops.planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
  });
}

export const argoCd: Group = {
  name: 'argo-cd',
  claim:
    'examples/argo-cd, unchanged, on the controllers of Argo CD with three API servers: pools, policies and workloads in this order, in the audit log; a second sync changes nothing; the caBundle that yurt-manager writes into the webhooks of the engine is undone by neither; partial objects of what kubeadm and Helm 3 install hold through its next releases and the end of the delivery, those of kubectl apply do not, those of server-side apply and Helm 4 only without an affinity of their own; what the API server refuses in the first wave stops the others until the next commit, a site that is offline stops none; an ApplicationSet that is deleted by mistake takes nothing with it; with prune a site that leaves is deleted in the reverse order, and no pool with nodes; from a registry, and by an engine in the site, too; the admission that a site brings with what answers it does not stop its first sync',
  programs:
    'repository server, application controller and ApplicationSet controller of Argo CD 3.6.1, kube-apiserver 1.36 and 1.34, kube-controller-manager, kube-scheduler and kubeadm 1.36, yurt-manager 1.7.0, helm 3.20 and 4.3, crane 0.22, redis-server, git http-backend; kubelets are substitutes',
  tools: [...SHOP_TOOLS, HELM_3, HELM_4, CRANE, ARGO_CD],
  needs: ['delivery', 'git', 'openssl', 'redis'],
  run: async (proof) => {
    await withShops(proof, true, async (clusters) => {
      const shops = await deliveredByArgoCd(clusters, proof);
      try {
        if (SITES > 0) {
          await manySites(shops);
          return;
        }
        await example(shops);
        await secondSync(shops);
        await changedByArgoCd(shops);
        await webhooks(shops);
        await byRegistry(shops);
        await inSite(shops);
        await leavingPool(shops);
        await sitesOwnAdmission(shops);
        proof.note('many sites: skipped, because E2E_DELIVERED_SITES is not set');
        proof.note(`memory at its highest, MiB: ${JSON.stringify(shops.argoCd.peakMemory())}`);
      } finally {
        await shops.argoCd.stop();
      }
    });
  },
};

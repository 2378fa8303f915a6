import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeSystemComponents, EdgeWarnings, SystemComponent } from 'edge-nodepools';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { podsOf } from '../../harness/fake-fleet.js';
import { flannel } from '../../harness/flannel.js';
import { KUBEADM, type KubeadmAddOn, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { kubectlApply, stored } from '../../harness/kubectl.js';
import { isExcluded } from './excluded-component.js';

const PROPS = {
  kubernetes: '1.36',
  scheduler: true,
  controllers: ['daemonset-controller', 'deployment-controller', 'replicaset-controller'],
};
const LABEL = 'nodepool.openyurt.io/hostnetwork';

/** kube-proxy, CoreDNS and flannel with the default strategy of Kubernetes 1.36. */
function policies(): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'system');
  new EdgeSystemComponents(chart, 'components', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
    exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
  });
  return Testing.synth(chart);
}

/** The nodes of the Pods of a workload, when there are Pods. */
async function nodesOf(plane: ControlPlane, workload: any): Promise<string[]> {
  for (let attempt = 0; attempt < 150; attempt++) {
    const pods = await podsOf(plane, workload);
    if (pods.length > 0 && pods.every(({ spec }) => spec.nodeName !== undefined)) {
      return [...new Set(pods.map(({ spec }) => spec.nodeName as string))].sort();
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  return [];
}

async function prove(plane: ControlPlane, proof: Proof): Promise<void> {
  await plane.ensureNamespace('kube-flannel');
  await plane.nodes.fake('edge', { [LABEL]: 'true' });
  await plane.nodes.fake('regular');
  await plane.apply(policies());
  const probe = { ...flannel(), metadata: { name: 'kube-flannel-ds', namespace: 'kube-flannel' } };
  await proof.eventually('the policy is in effect', async () => {
    const path = '/apis/apps/v1/namespaces/kube-flannel/daemonsets';
    return isExcluded(await plane.api.must('POST', path, probe, { query: { dryRun: 'All' } }));
  });
  const addOns = new KubeadmAddOns(plane.folder);
  const kubeadms = (['kube-proxy', 'coredns'] as KubeadmAddOn[]).map((addOn) => ({
    addOn,
    rendered: addOns.rendered(addOn),
  }));
  for (const { addOn, rendered } of kubeadms) {
    proof.that(`${addOn}: kubeadm renders no node affinity`, !isExcluded(rendered));
    addOns.install(addOn, plane.kubeconfig);
    const first = await stored(plane, rendered);
    proof.that(`${addOn}: installed by kubeadm it is excluded`, isExcluded(first));
    proof.same(`${addOn}: and runs on the regular node alone`, await nodesOf(plane, first), ['regular']);
    addOns.install(addOn, plane.kubeconfig);
    const second = await stored(plane, rendered);
    proof.that(`${addOn}: written again by kubeadm, without affinity, it is still excluded`, isExcluded(second));
    proof.same(`${addOn}: nothing rolls out`, second.spec, first.spec);
    if (addOn === 'kube-proxy') {
      // the generation of a Deployment also grows with its annotations, which kubeadm removes (pkg/registry/apps/deployment/strategy.go)
      proof.same(`${addOn}: its generation is unchanged`, second.metadata.generation, 1);
    }
    const path = await plane.api.pathOf(rendered);
    const { resourceVersion: _version, ...metadata } = rendered.metadata;
    const put = await plane.api.must('PUT', path, { ...rendered, metadata });
    proof.that(`${addOn}: PUT without affinity (kubeadm upgrade, an operator) it is still excluded`, isExcluded(put));
    proof.same(`${addOn}: and nothing rolls out`, put.spec, first.spec);
    const replaced = plane.kubectl(['replace', '-f', '-'], JSON.stringify(rendered));
    proof.that(`${addOn}: kubectl replace succeeds`, replaced.status === 0, replaced.stderr);
    proof.that(`${addOn}: and cannot remove the exclusion`, isExcluded(await stored(plane, rendered)));
  }
  const [applied] = await plane.apply([flannel()], 'installer');
  proof.that('flannel: its own term is preserved, with the exclusion', isExcluded(applied));
  proof.same('flannel: it runs on the regular node alone', await nodesOf(plane, applied), ['regular']);
  kubectlApply(plane, [{ ...flannel('flannel:2'), metadata: { name: 'other', namespace: 'kube-flannel' } }]);
  proof.that(
    'another DaemonSet is not changed',
    !isExcluded(await stored(plane, { ...flannel(), metadata: { name: 'other', namespace: 'kube-flannel' } })),
  );
  const late = 'edge-2';
  await plane.nodes.fake(late, { [LABEL]: 'true' });
  // enough time for the DaemonSet controller: only `other` runs there
  const other = await stored(plane, { ...flannel(), metadata: { name: 'other', namespace: 'kube-flannel' } });
  await proof.eventually('a DaemonSet that is not excluded runs on a new host-network node', async () =>
    (await podsOf(plane, other)).some(({ spec }) => spec.nodeName === late),
  );
  for (const { addOn, rendered } of kubeadms) {
    proof.same(`${addOn}: still on the regular node alone`, await nodesOf(plane, rendered), ['regular']);
  }
}

export const systemPolicy: Group = {
  name: 'system-policy',
  claim:
    'excluded by policy, kube-proxy, CoreDNS and flannel never run on a host-network node, whichever client writes them, and no write causes a rollout',
  programs: 'kube-apiserver, kube-scheduler, kube-controller-manager, kubeadm and kubectl 1.36',
  tools: [...toolsOf(PROPS), KUBEADM],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      await prove(plane, proof);
    });
  },
};

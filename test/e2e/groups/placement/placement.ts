import { spawnSync } from 'node:child_process';
import { type Chart, Testing } from 'cdk8s';
import { EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import type { PlacementNode } from '../../../../src/fleet/node.js';
import { whyNotOn } from '../../../../src/fleet/pod-placement.js';
import { daemonSet } from '../../../bad-inputs/case.js';
import { type ControlPlane, toolsOf, WITH_ROLLOUTS } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { documents, shellOf } from '../../harness/kubectl.js';
import {
  BEIJING,
  cluster,
  fleet,
  HANGZHOU,
  look,
  makeNodes,
  OTHERS,
  podsOf,
  standsOn,
} from '../../harness/fake-fleet.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import { flannel } from '../../harness/flannel.js';
import { hostNetworkWorkloads } from './host-network.js';
import { ownLabels } from './own-labels.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';

const PROPS = WITH_ROLLOUTS;

async function foretold(plane: ControlPlane, workload: any, nodes: readonly PlacementNode[]): Promise<string[]> {
  const { kind, spec } = await plane.api.must('GET', await plane.api.pathOf(workload));
  return nodes
    .filter((node) => whyNotOn(spec.template.spec, node, kind === 'DaemonSet') === undefined)
    .map(({ name }) => name)
    .sort();
}

/** Schedules a Deployment again, with one Pod for each possible node; its anti-affinity distributes the Pods over all of them. */
async function spread(plane: ControlPlane, workload: any, replicas: number): Promise<void> {
  const path = `${await plane.api.pathOf(workload)}/scale`;
  const scale = (count: number): Promise<any> =>
    plane.api.must(
      'PATCH',
      path,
      { spec: { replicas: count } },
      { contentType: 'application/merge-patch+json', query: { fieldManager: 'scaler' } },
    );
  await scale(0);
  while ((await podsOf(plane, workload)).length > 0) {
    await new Promise((done) => setTimeout(done, 100));
  }
  await scale(replicas);
}

/** A system workload, and the nodes on which it can run. */
interface Component {
  readonly name: string;
  readonly object: any;
  readonly before: readonly string[];
}

async function everyComponentStands(
  plane: ControlPlane,
  proof: Proof,
  nodes: readonly PlacementNode[],
  components: readonly Component[],
  when: string,
  isThere: (node: string) => boolean,
): Promise<void> {
  for (const { name, object, before } of components) {
    const expected = before.filter(isThere).sort();
    proof.same(`${name} ${when}: the evaluator predicts its nodes`, await foretold(plane, object, nodes), expected);
    if (object.kind === 'Deployment') {
      // the rollout of the patch, before the Pods are scheduled again
      const rolledOut = async (): Promise<boolean> => {
        const seen = await look(plane, object);
        return seen.settled && seen.nodes.every((node) => expected.includes(node));
      };
      await proof.eventually(`${name} ${when}: the Deployment rolls out to such nodes only`, rolledOut, 60);
      await spread(plane, object, expected.length);
    }
    await standsOn(plane, proof, `${name} ${when}: is on those nodes and on no others`, object, expected);
  }
}

async function systemComponents(plane: ControlPlane, proof: Proof, nodes: readonly PlacementNode[]): Promise<void> {
  const addOns = new KubeadmAddOns(plane.folder);
  const linux = [...BEIJING, ...HANGZHOU, ...OTHERS];
  const components: Component[] = [
    { name: 'kube-proxy', object: addOns.rendered('kube-proxy'), before: linux },
    { name: 'CoreDNS', object: addOns.rendered('coredns'), before: [...BEIJING, ...OTHERS] },
    { name: 'flannel', object: flannel(), before: linux },
  ];
  const { chart } = fleet();
  const system = new EdgeSystemComponents(chart, 'system', {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
    strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
  });
  const partials = documents(Testing.synth(system.patchChart as Chart));
  const ways: Readonly<Record<string, () => { status: number | null; stderr: string }>> = {
    'partial objects, server-side': () => plane.kubectl(['apply', ...system.applyFlags, '-f', '-'], partials),
    'commands of the report': () =>
      spawnSync('sh', ['-ec', system.report.map(({ command }) => command).join('\n')], {
        encoding: 'utf8',
        env: shellOf(plane),
      }),
  };
  const isHost = (node: string): boolean => [...BEIJING, ...HANGZHOU].includes(node);
  for (const [way, patch] of Object.entries(ways)) {
    for (const { object } of components) {
      await plane.ensureNamespace(object.metadata.namespace as string);
      const path = await plane.api.pathOf(object);
      await plane.api.must('POST', path.slice(0, path.lastIndexOf('/')), object);
    }
    await everyComponentStands(plane, proof, nodes, components, `before the ${way}`, () => true);
    const { status, stderr } = patch();
    proof.that(`the ${way}: kubectl succeeds`, status === 0, stderr);
    await everyComponentStands(plane, proof, nodes, components, `after the ${way}`, (node) => !isHost(node));
    await rejoin(plane, proof, components, `after the ${way}`, isHost);
    for (const { object } of components) {
      await plane.api.must('DELETE', await plane.api.pathOf(object));
      await proof.eventually(
        `${object.metadata.name} can be removed`,
        async () => (await podsOf(plane, object)).length === 0,
        60,
      );
    }
  }
}

/** A node that leaves and joins again changes nothing. */
async function rejoin(
  plane: ControlPlane,
  proof: Proof,
  components: readonly Component[],
  when: string,
  isHost: (node: string) => boolean,
): Promise<void> {
  const { beijing } = fleet();
  await plane.nodes.delete('beijing-1');
  await plane.nodes.fake('beijing-1', beijing.joinLabels, beijing.registrationTaints);
  // a Pod that can run on every node shows that the controllers know the node
  const canary = {
    ...daemonSet({ nodeSelector: { 'kubernetes.io/hostname': 'beijing-1' } }),
    metadata: { name: 'canary', namespace: 'default' },
  };
  await plane.apply([canary]);
  await standsOn(plane, proof, `a Pod for it reaches the node that joined again ${when}`, canary, ['beijing-1']);
  for (const { name, object, before } of components.filter(({ object: { kind } }) => kind === 'DaemonSet')) {
    const expected = before.filter((node) => !isHost(node));
    await standsOn(plane, proof, `${name} ${when}: stays off a node that joins again`, object, expected);
  }
  await plane.api.must('DELETE', await plane.api.pathOf(canary));
  await proof.eventually('the canary can be removed', async () => (await podsOf(plane, canary)).length === 0);
}

export const placement: Group = {
  name: 'placement',
  claim:
    'without our patch kube-proxy, CoreDNS and flannel run on host-network nodes, with it only on other nodes; host-network workloads run on their pools and nowhere else; a second one with the same port stays Pending, as predicted; the same, and the policies, for fleets with a label of their own (KubeEdge, EKS hybrid nodes, virtual-kubelet)',
  programs: 'kube-apiserver, kube-scheduler, kube-controller-manager, kubeadm and kubectl 1.36',
  tools: [...toolsOf(PROPS), KUBEADM],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      const kubelets = new FakeKubelets(plane.api);
      try {
        const nodes = await makeNodes(plane);
        await systemComponents(plane, proof, nodes);
        await hostNetworkWorkloads(plane, proof);
      } finally {
        await kubelets.stop();
      }
    });
    await onControlPlane(PROPS, proof, (plane) => ownLabels(plane, proof));
  },
};

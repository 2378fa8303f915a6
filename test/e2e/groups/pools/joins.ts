import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, RegularNodePool, EdgeWarnings, HostNetworkNodePool, type INodePool } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { besideYurtManager, KUBERNETES_OF, toolsBeside, type YurtManagerRelease } from '../../harness/yurt-manager.js';
import { ofChosenMinors } from '../../harness/minors.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const ALL_RELEASES: readonly (readonly [YurtManagerRelease, string])[] = [
  ['1.4', '1.23'],
  ['1.5', '1.28'],
  ['1.7', '1.34'],
];
const RELEASES = ofChosenMinors(ALL_RELEASES, ([release]) => KUBERNETES_OF[release]);

interface Pools {
  readonly shop: INodePool;
  readonly depot: INodePool;
  readonly objects: readonly any[];
}

/** A host-network pool and a regular one, both with labels, annotations and taints for their nodes. */
function poolsFor(openYurt: string, kubernetes: string): Pools {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'pools');
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  const shop = new HostNetworkNodePool(chart, 'shop', {
    cluster,
    poolName: 'shop',
    labels: { site: 'hz', 'example.com/rank': '1' },
    annotations: { owner: 'team-edge' },
    taints: [{ key: 'site', value: 'hz', effect: 'PreferNoSchedule' }],
    registrationTaint: true,
  });
  const depot = new RegularNodePool(chart, 'depot', { cluster, poolName: 'depot', labels: { site: 'sh' } });
  return { shop, depot, objects: Testing.synth(chart) };
}

const taintsOf = (node: any): string[] =>
  (node.spec.taints ?? []).map(({ key, value, effect }: any) => `${key}=${value ?? ''}:${effect}`).sort();

/** A node that registers like a kubelet: it retries while the webhook does not know its pool. */
async function register(plane: ControlPlane, name: string, labels: object, taints: readonly any[] = []): Promise<any> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await plane.nodes.fake(name, { ...labels }, taints);
    } catch (error) {
      if (attempt === 20) {
        throw error;
      }
      await new Promise((done) => setTimeout(done, 250));
    }
  }
}

/** The pool's labels, annotations and taints on a node, which only the NodePool controller sets. */
async function hasWhatThePoolGives(plane: ControlPlane, name: string, pool: INodePool): Promise<boolean> {
  const { metadata, ...node } = await plane.nodes.get(name);
  return (
    metadata.labels.site === 'hz' &&
    metadata.labels['example.com/rank'] === '1' &&
    metadata.annotations?.owner === 'team-edge' &&
    pool.taints.every(({ key, value, effect }) => taintsOf(node).includes(`${key}=${value ?? ''}:${effect}`))
  );
}

async function withYurtManager(plane: ControlPlane, { shop, depot, objects }: Pools, about: string, proof: Proof) {
  const claim = (what: string): string => `${about} up: ${what}`;
  const early = await plane.api.send('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'early', labels: shop.joinLabels },
  });
  proof.that(
    claim('a node that registers before its pool exists is refused'),
    early.status >= 400 && /not found/i.test(early.body.message as string),
    early.body,
  );
  await plane.apply(objects);
  const joined = await register(plane, 'shop-1', shop.joinLabels, shop.registrationTaints);
  proof.same(claim('the host-network label is set from the start'), joined.metadata.labels[HOST_NETWORK], 'true');
  proof.that(
    claim('so is the registration taint'),
    taintsOf(joined).includes(`${HOST_NETWORK}=true:NoSchedule`),
    joined.spec,
  );
  await proof.eventually(claim('the node gets the labels, annotations and taints of the pool'), () =>
    hasWhatThePoolGives(plane, 'shop-1', shop),
  );
  await proof.eventually(claim('the pool counts it as a ready member'), async () => {
    const { status } = await plane.api.must('GET', await plane.api.pathOf(objects[0]));
    return (status?.nodes ?? []).includes('shop-1') && status.readyNodeNum === 1;
  });
  const byWebhook = await register(plane, 'shop-2', shop.nodeSelector);
  proof.same(
    claim('the webhook sets the same label as our join labels'),
    byWebhook.metadata.labels[HOST_NETWORK],
    shop.joinLabels[HOST_NETWORK],
  );
  const regular = await register(plane, 'depot-1', depot.joinLabels, depot.registrationTaints);
  await proof.eventually(
    claim('a node of a regular pool gets the labels of its pool'),
    async () => (await plane.nodes.get('depot-1')).metadata.labels.site === 'sh',
  );
  proof.same(claim('and no host-network label'), regular.metadata.labels[HOST_NETWORK], undefined);
}

async function withoutYurtManager(plane: ControlPlane, { shop }: Pools, about: string, proof: Proof): Promise<void> {
  const claim = (what: string): string => `${about} down: ${what}`;
  const joined = await plane.nodes.fake('shop-3', shop.joinLabels, shop.registrationTaints);
  const bare = await plane.nodes.fake('shop-4', shop.nodeSelector);
  proof.same(
    claim('a node with our join labels has the host-network label'),
    joined.metadata.labels[HOST_NETWORK],
    'true',
  );
  proof.same(
    claim('and the registration taint, and no other'),
    taintsOf(joined).filter((taint) => !taint.startsWith('node.kubernetes.io/')),
    shop.registrationTaints.map(({ key, value, effect }) => `${key}=${value}:${effect}`),
  );
  proof.same(claim('it does not get the labels of the pool'), joined.metadata.labels.site, undefined);
  proof.same(
    claim('a node with only the membership label does not have the label'),
    bare.metadata.labels[HOST_NETWORK],
    undefined,
  );
}

export const joins: Group = {
  name: 'joins',
  claim:
    'a node that joins with the labels of its pool is a member of the host-network pool from the start, and gets the labels, annotations and taints of the pool; while yurt-manager is down, it has the labels with which it registered',
  programs: 'yurt-manager 1.4.0 and 1.5.1 on kube-apiserver 1.30, yurt-manager 1.7.0 on kube-apiserver 1.36',
  tools: toolsBeside(RELEASES.map(([release]) => release)),
  run: async (proof) => {
    for (const [release, kubernetes] of RELEASES) {
      await besideYurtManager(release, proof, async (plane, manager) => {
        const pools = poolsFor(release, kubernetes);
        const about = `yurt-manager ${release}`;
        await withYurtManager(plane, pools, about, proof);
        await manager.stop();
        await withoutYurtManager(plane, pools, about, proof);
        await manager.restart();
        await proof.eventually(`${about} back: the node gets the metadata of the pool`, () =>
          hasWhatThePoolGives(plane, 'shop-3', pools.shop),
        );
      });
    }
  },
};

import { isDeepStrictEqual } from 'node:util';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, RegularNodePool, EdgeWarnings, HostNetworkNodePool, type INodePool } from 'edge-nodepools';
import type { PlacementNode } from '../../../src/fleet/node.js';
import type { ControlPlane } from './control-plane.js';
import type { Proof } from './group.js';

export const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

/** A tree of constructs with the three pools. Two trees are independent, so their ports do not conflict. */
export function fleet(): {
  chart: Chart;
  beijing: HostNetworkNodePool;
  hangzhou: HostNetworkNodePool;
  regular: RegularNodePool;
} {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet', { namespace: 'default' });
  return {
    chart,
    beijing: new HostNetworkNodePool(chart, 'beijing', { cluster, poolName: 'beijing', expectedNodes: 2 }),
    hangzhou: new HostNetworkNodePool(chart, 'hangzhou', { cluster, poolName: 'hangzhou', registrationTaint: true }),
    regular: new RegularNodePool(chart, 'shanghai', { cluster, poolName: 'shanghai' }),
  };
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';
/** Nodes by kind: the first pool has no taint, the second has one, and the others have a Pod network. */
export const BEIJING = ['beijing-1', 'beijing-2'];
export const HANGZHOU = ['hangzhou-1', 'hangzhou-2'];
export const OTHERS = ['control', 'no-pool', 'shanghai-1', 'shanghai-2'];

/** Members of all three pools, a node of no pool, one of another operating system, and one of the control plane. */
export async function makeNodes(plane: ControlPlane): Promise<PlacementNode[]> {
  const { beijing, hangzhou, regular } = fleet();
  const join = (name: string, pool: INodePool): Promise<any> =>
    plane.nodes.fake(name, pool.joinLabels, pool.registrationTaints);
  const made = await Promise.all([
    ...BEIJING.map((name) => join(name, beijing)),
    ...HANGZHOU.map((name) => join(name, hangzhou)),
    ...['shanghai-1', 'shanghai-2'].map((name) => join(name, regular)),
    plane.nodes.fake('no-pool'),
    plane.nodes.fake('windows', { 'kubernetes.io/os': 'windows' }),
    plane.nodes.fake('control', { [CONTROL_PLANE]: '' }, [{ key: CONTROL_PLANE, effect: 'NoSchedule' }]),
  ]);
  return made.map(({ metadata, spec }) => ({
    name: metadata.name,
    labels: metadata.labels,
    taints: spec.taints ?? [],
  }));
}

/** The Pods of a workload, by its selector. */
export async function podsOf(plane: ControlPlane, workload: any): Promise<any[]> {
  const labels = Object.entries(workload.spec.selector.matchLabels as Record<string, string>);
  const { items } = await plane.api.must(
    'GET',
    `/api/v1/namespaces/${workload.metadata.namespace ?? 'default'}/pods`,
    undefined,
    { query: { labelSelector: labels.map((pair) => pair.join('=')).join(',') } },
  );
  return items;
}

/** Whether the controllers have processed the object, and the nodes of its Pods then. */
export async function look(plane: ControlPlane, workload: any): Promise<{ settled: boolean; nodes: string[] }> {
  const { kind, metadata, spec, status } = await plane.api.must('GET', await plane.api.pathOf(workload));
  const pods = await podsOf(plane, workload);
  const counts =
    kind === 'DaemonSet'
      ? [status.desiredNumberScheduled, status.updatedNumberScheduled ?? 0, status.numberReady ?? 0]
      : [spec.replicas, status.replicas ?? 0, status.updatedReplicas ?? 0, status.readyReplicas ?? 0];
  return {
    settled:
      status.observedGeneration === metadata.generation && counts.every((count: unknown) => count === pods.length),
    nodes: [...new Set(pods.map((pod) => (pod.spec.nodeName as string | undefined) ?? 'none'))].sort(),
  };
}

/** Waits until a workload runs exactly on these nodes. */
export async function standsOn(
  plane: ControlPlane,
  proof: Proof,
  claim: string,
  workload: any,
  nodes: readonly string[],
): Promise<void> {
  const expected = { settled: true, nodes: [...nodes].sort() };
  const deadline = Date.now() + 60_000;
  let seen = await look(plane, workload);
  while (!isDeepStrictEqual(seen, expected) && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, 200));
    seen = await look(plane, workload);
  }
  proof.same(claim, seen, expected);
}

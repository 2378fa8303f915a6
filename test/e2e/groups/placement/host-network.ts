import { EdgeError, type HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import { daemonSet, deployment } from '../../../bad-inputs/case.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { BEIJING, fleet, HANGZHOU, podsOf, standsOn } from '../../harness/fake-fleet.js';

function named(make: typeof deployment, name: string, port: object, replicas?: number): any {
  const labels = { app: name };
  const object = make({ containers: [{ name: 'web', image: 'web', ports: [port] }] });
  const { template } = object.spec;
  return {
    ...object,
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels } },
    },
  };
}

type Pools = (pools: ReturnType<typeof fleet>) => HostNetworkNodePool[];

const onBeijing: Pools = ({ beijing }) => [beijing];
const onHangzhou: Pools = ({ hangzhou }) => [hangzhou];
const onBoth: Pools = ({ beijing, hangzhou }) => [beijing, hangzhou];

/** A workload as changed by the library, in a new tree. */
function alone(pools: Pools, workload: any): any {
  const tree = fleet();
  return new HostNetworkWorkload(tree.chart, 'workload', { pools: pools(tree), workload }).manifest;
}

/** Codes of the error or the warnings of the library about two workloads in one tree. */
function together(pools: Pools, first: any, second: any): { refused: string[]; warned: string[] } {
  const tree = fleet();
  new HostNetworkWorkload(tree.chart, 'first', { pools: pools(tree), workload: first });
  try {
    const made = new HostNetworkWorkload(tree.chart, 'second', { pools: pools(tree), workload: second });
    return { refused: [], warned: made.warnings.map(({ code }) => code) };
  } catch (error) {
    if (!(error instanceof EdgeError)) {
      throw error;
    }
    return { refused: error.problems.map(({ code }) => code), warned: [] };
  }
}

const CONFLICT = { refused: ['EDGE_PORT_CONFLICT'], warned: [] };

/** Waits until so many Pods of a workload are unschedulable because of a port, and checks that no other one is pending. */
async function waitsForPort(
  plane: ControlPlane,
  proof: Proof,
  claim: string,
  workload: any,
  waiting: number,
  bound: number,
): Promise<void> {
  const counts = async (): Promise<{ waiting: number; bound: number; pods: number }> => {
    const pods = await podsOf(plane, workload);
    const refusal = ({ status }: any): any =>
      status.conditions?.find(({ type, status: holds }: any) => type === 'PodScheduled' && holds === 'False');
    return {
      waiting: pods.filter((pod) => /free ports/.test((refusal(pod)?.message as string | undefined) ?? '')).length,
      bound: pods.filter((pod) => pod.spec.nodeName !== undefined).length,
      pods: pods.length,
    };
  };
  const expected = JSON.stringify({ waiting, bound, pods: waiting + bound });
  const deadline = Date.now() + 30_000;
  let seen = await counts();
  while (JSON.stringify(seen) !== expected && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, 200));
    seen = await counts();
  }
  proof.that(claim, JSON.stringify(seen) === expected, `seen ${JSON.stringify(seen)}\nexpected ${expected}`);
}

/** Workloads of host-network pools on the fake fleet: where they run, and what happens to the second one on a port. */
export async function hostNetworkWorkloads(plane: ControlPlane, proof: Proof): Promise<void> {
  const collector = named(daemonSet, 'collector', { containerPort: 9110 });
  const both = named(daemonSet, 'both', { containerPort: 9120 });
  const web = named(deployment, 'web', { containerPort: 8080 }, 2);
  const landed: [string, any, readonly string[]][] = [
    ['DaemonSet on an open pool', alone(onBeijing, collector), BEIJING],
    ['DaemonSet on two pools, one of them tainted', alone(onBoth, both), [...BEIJING, ...HANGZHOU]],
    ['Deployment on the tainted pool', alone(onHangzhou, web), HANGZHOU],
  ];
  for (const [what, object, expected] of landed) {
    await plane.apply([object]);
    await standsOn(plane, proof, `${what}: is on the nodes of its pools and on no others`, object, expected);
  }

  const rival = named(daemonSet, 'rival', { containerPort: 9110 });
  proof.same('a second DaemonSet on a port is refused by the library', together(onBeijing, collector, rival), CONFLICT);
  await plane.apply([alone(onBeijing, rival)]);
  await waitsForPort(plane, proof, 'applied all the same, each of its Pods waits for free ports', rival, 2, 0);

  const late = named(deployment, 'late', { containerPort: 8080 }, 1);
  proof.same('a Deployment on a taken port is refused by the library', together(onHangzhou, web, late), CONFLICT);
  await plane.apply([alone(onHangzhou, late)]);
  await waitsForPort(plane, proof, 'applied all the same, its Pod waits for free ports', late, 1, 0);

  const udp = named(daemonSet, 'udp', { containerPort: 9110, protocol: 'UDP' });
  const free = { refused: [], warned: [] };
  proof.same('the same number over UDP is fine for the library', together(onBeijing, collector, udp), free);
  await plane.apply([alone(onBeijing, udp)]);
  await standsOn(plane, proof, 'and for the scheduler', udp, BEIJING);

  const one = named(deployment, 'one', { containerPort: 7070 }, 1);
  const other = named(deployment, 'other', { containerPort: 7070 }, 1);
  const crowded = { refused: [], warned: ['EDGE_PORT_CONFLICT'] };
  proof.same('two single Pods on a pool of two nodes are a warning', together(onBeijing, one, other), crowded);
  await plane.apply([alone(onBeijing, one), alone(onBeijing, other)]);
  await waitsForPort(plane, proof, 'the first of them is bound', one, 0, 1);
  await waitsForPort(plane, proof, 'and the second, on the node that is left', other, 0, 1);

  const third = named(deployment, 'third', { containerPort: 6060 }, 3);
  const tree = fleet();
  const { warnings, manifest } = new HostNetworkWorkload(tree.chart, 'third', { pool: tree.beijing, workload: third });
  const codes = warnings.map(({ code }) => code);
  proof.same('three Pods for a pool of two nodes are a warning', codes, ['EDGE_REPLICAS']);
  await plane.apply([manifest]);
  await waitsForPort(plane, proof, 'and one of them waits', third, 1, 2);
}

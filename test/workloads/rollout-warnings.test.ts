/** A rollout that goes on while nodes are unreachable must not stop everything when none is. */
import { Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload, type HostNetworkWorkloadProps } from 'edge-nodepools';
import { daemonSet, deployment } from '../bad-inputs/case.js';

function warnings(workload: any, props: Partial<HostNetworkWorkloadProps>, expectedNodes?: number): string[] {
  const chart = Testing.chart();
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
  const pool = new HostNetworkNodePool(chart, 'hz', {
    ...{ cluster, poolName: 'hz' },
    ...(expectedNodes === undefined ? {} : { expectedNodes }),
  });
  return new HostNetworkWorkload(chart, 'x', { pool, workload, ...props }).warnings
    .filter(({ code }) => code === 'EDGE_ROLLOUT')
    .map(({ path, message, hint }) => `${path}: ${message}: ${hint}`);
}
const sized = (replicas: number): any => deployment({}, { replicas });

it.each<
  [
    what: string,
    workload: any,
    props: Partial<HostNetworkWorkloadProps>,
    nodes: number | undefined,
    expected: RegExp | undefined,
  ]
>([
  [
    'DaemonSet, 9 of 4',
    daemonSet(),
    { rollout: 'rolling', nodesAway: 9 },
    4,
    /^nodesAway: nodesAway 9 is more than the 4 nodes: write nodesAway: 2 or less/,
  ],
  [
    'DaemonSet, 4 of 4',
    daemonSet(),
    { rollout: 'rolling', nodesAway: 4 },
    4,
    /^nodesAway: every update stops .* all 4 nodes/,
  ],
  ['DaemonSet, 3 of 4', daemonSet(), { rollout: 'rolling', nodesAway: 3 }, 4, /write nodesAway: 2 or less/],
  ['DaemonSet, 2 of 4', daemonSet(), { rollout: 'rolling', nodesAway: 2 }, 4, undefined],
  [
    'DaemonSet, the default of 2',
    daemonSet(),
    { rollout: 'rolling' },
    2,
    /^rollout: every update stops .*write nodesAway: 0,/,
  ],
  ['DaemonSet, one node', daemonSet(), { rollout: 'rolling', nodesAway: 0 }, 1, undefined],
  ['DaemonSet, nodes not known', daemonSet(), { rollout: 'rolling', nodesAway: 9 }, undefined, undefined],
  [
    'advanced-rolling, 4 of 4',
    daemonSet(),
    { rollout: 'advanced-rolling', nodesAway: 4 },
    4,
    /write nodesAway: 3 or less/,
  ],
  ['advanced-rolling, 100%', daemonSet(), { rollout: 'advanced-rolling', nodesAway: '100%' }, 4, /all 4 nodes/],
  ['advanced-rolling, 3 of 4', daemonSet(), { rollout: 'advanced-rolling', nodesAway: 3 }, 4, undefined],
  ['ota', daemonSet(), { rollout: 'ota' }, 2, undefined],
  [
    'Deployment, 2 of 2 Pods',
    sized(2),
    { rollout: 'rolling', nodesAway: 1 },
    4,
    /^nodesAway: maxUnavailable 2 of 2 Pods.*write nodesAway: 0, or at least 3 at spec\.replicas$/,
  ],
  ['Deployment, 2 of 3 Pods', sized(3), { rollout: 'rolling', nodesAway: 1 }, 4, undefined],
  [
    'Deployment, 3 of 3 Pods',
    sized(3),
    { rollout: 'rolling', nodesAway: 2 },
    4,
    /write nodesAway: 1 or less, or at least 4/,
  ],
  ['Deployment, one Pod', sized(1), { rollout: 'rolling', nodesAway: 1 }, 4, undefined],
  ['Deployment, 9 of 4 nodes', sized(20), { rollout: 'rolling', nodesAway: 9 }, 4, /9 is more than the 4 nodes/],
  ['no rollout', sized(2), {}, 4, undefined],
])('%s', (_, workload, props, nodes, expected) => {
  const found = warnings(workload, props, nodes);
  expect(found).toHaveLength(expected === undefined ? 0 : 1);
  expect(found.join()).toMatch(expected ?? /^$/);
});

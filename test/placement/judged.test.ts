import { judge } from '../../src/placement/kubelet.js';
import { clusterOf, type ClusterNode } from '../../src/placement/placement-cluster.js';
import { placementPod } from '../../src/placement/placement-pod.js';
import { refusalsOf } from '../../src/placement/scheduler.js';
import { JUDGED_PLACEMENTS } from '../corpus/judged-placements.js';
import { clusterOfRow } from '../corpus/judged-pods.js';
import { isAccepted, NO_HOST_NETWORK } from '../properties/placement-clusters.js';

// the group `judged` asks kube-scheduler, the DaemonSet controller and kubelet about the same rows
it.each(JUDGED_PLACEMENTS.map((row) => [row.what, row] as const))('%s', (_, row) => {
  const { nodes, pods, namespaces, claims, volumes } = clusterOfRow(row);
  const cluster = clusterOf([...nodes, ...pods, ...namespaces, ...claims, ...volumes], true);
  const pod = { ...placementPod(row.pod), isDaemon: row.daemon === true };
  const node = cluster.nodes[0] as ClusterNode;
  const verdict = judge(pod, node, cluster, NO_HOST_NETWORK);
  expect(verdict.outcome).not.toBe('unknown');
  expect(isAccepted(pod, verdict)).toBe(row.by === undefined);
  const isPlugin = row.by !== undefined && !['DaemonSet', 'kubelet'].includes(row.by);
  if (isPlugin) {
    expect(refusalsOf(pod, node, cluster).map(({ by }) => by)).toContain(row.by);
  }
});

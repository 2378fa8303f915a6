import fc from 'fast-check';
import { OPENYURT_HOST_NETWORK } from '../../../../src/kubernetes/labels.js';
import { clusterOf } from '../../../../src/placement/placement-cluster.js';
import { judge } from '../../../../src/placement/kubelet.js';
import { placementPod } from '../../../../src/placement/placement-pod.js';
import { placementCluster, STORAGE } from '../../../properties/placement-clusters.js';
import type { Group } from '../../harness/group.js';
import { type Answer, askPlacementJudge, PLACEMENT_JUDGE } from '../../harness/placement-judge.js';

/** Three nodes and twelve Pods each. */
const CLUSTERS = Number(process.env.EDGE_NODEPOOLS_PLACEMENT_CLUSTERS ?? 278);

/** The label has another value on these nodes, so that what only kubelet refuses counts as scheduled. */
const NO_HOST_NETWORK = { ...OPENYURT_HOST_NETWORK, value: 'of no node' };

interface Cluster {
  readonly nodes: any[];
  readonly pods: any[];
  readonly namespaces: any[];
  readonly asked: readonly { readonly pod: any; readonly daemon: boolean }[];
}

/** What we say of the Pods of a cluster: accepted, refused or unknown on each node. */
function ours({ nodes, pods, namespaces, asked }: Cluster): Record<string, string>[] {
  const kinds = (kind: string, objects: readonly object[]): any[] => objects.map((each) => ({ kind, ...each }));
  const { claims, volumes, storageClasses } = STORAGE;
  const objects = [...kinds('Node', nodes), ...pods, ...kinds('Namespace', namespaces), ...claims, ...volumes, ...storageClasses];
  const cluster = clusterOf(objects, true);
  return asked.map(({ pod, daemon }) => {
    const template = { ...placementPod(pod), isDaemon: daemon };
    return Object.fromEntries(
      cluster.nodes.map((node) => {
        const { outcome, refusal } = judge(template, node, cluster, NO_HOST_NETWORK);
        return [node.name, outcome === 'runs' ? 'accepted' : outcome === 'unknown' ? 'unknown' : `refused: ${refusal?.by} ${refusal?.reason}`];
      }),
    );
  });
}

export const judgedPlacement: Group = {
  name: 'judged',
  claim:
    'random Pods and DaemonSets (affinity to nodes and Pods, spread, taints, ports, resources, init containers and sidecars, volumes, gates, nodeName) on random nodes with Pods on them: the packages of kube-scheduler, of the DaemonSet controller and of kubelet’s admission decide as our evaluator says, and it answers unknown for few',
  programs: 'kube-scheduler, kube-controller-manager and kubelet 1.36, as packages',
  tools: [PLACEMENT_JUDGE],
  run: async (proof) => {
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    const clusters = fc.sample(placementCluster, { seed, numRuns: CLUSTERS }) as Cluster[];
    const answers = askPlacementJudge(clusters.map((cluster) => ({ ...STORAGE, ...cluster })));
    const tally = { cases: 0, accepted: 0, refused: 0, unknown: 0 };
    const by = new Map<string, number>();
    clusters.forEach((cluster, index) => {
      ours(cluster).forEach((said, position) => {
        const theirs = answers[index]?.[position] as Answer;
        for (const [node, { by: plugin, reasons }] of Object.entries(theirs)) {
          const mine = said[node] ?? 'nothing';
          const isUnknown = mine === 'unknown';
          tally.cases += 1;
          tally[isUnknown ? 'unknown' : plugin === undefined ? 'accepted' : 'refused'] += 1;
          by.set(plugin ?? 'nobody', (by.get(plugin ?? 'nobody') ?? 0) + 1);
          if (!isUnknown && mine.startsWith('accepted') !== (plugin === undefined)) {
            const { nodes, pods, asked } = cluster;
            const seen = { plugin, reasons, mine, node, asked: asked[position], nodes, pods };
            proof.that(`seed ${seed}, cluster ${index}, Pod ${position}, ${node}`, false, seen);
          }
        }
      });
    });
    proof.note(`${tally.cases} cases, seed ${seed}; who decides: ${JSON.stringify(Object.fromEntries(by))}`);
    proof.that('10,000 cases, of every kind, at most one in twenty unknown', tally.accepted > 500 && tally.refused > 500 && tally.unknown * 20 <= tally.cases, tally);
    return Promise.resolve();
  },
};

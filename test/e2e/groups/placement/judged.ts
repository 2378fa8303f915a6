import fc from 'fast-check';
import { clusterOf } from '../../../../src/fleet/placement-cluster.js';
import { judge } from '../../../../src/fleet/kubelet.js';
import { placementPod } from '../../../../src/fleet/placement-pod.js';
import { enforcedLevel, forbiddenBy } from '../../../../src/fleet/pod-security.js';
import { refusalsOf } from '../../../../src/fleet/scheduler.js';
import { JUDGED_PLACEMENTS } from '../../../corpus/judged-placements.js';
import { clusterOfRow, JUDGED_MINOR } from '../../../corpus/judged-pods.js';
import { isAccepted, NO_HOST_NETWORK, placementCluster } from '../../../properties/placement-clusters.js';
import { STORAGE } from '../../../properties/placement-storage.js';
import type { Group, Proof } from '../../harness/group.js';
import {
  type Answer,
  askPlacementJudge,
  OTHER_JUDGED_MINOR,
  PLACEMENT_JUDGE,
  type Question,
} from '../../harness/placement-judge.js';

/** Four nodes and twelve Pods each: 10,032 cases. EDGE_NODEPOOLS_PLACEMENT_CLUSTERS=2084 makes 100,032. */
const CLUSTERS = Number(process.env.EDGE_NODEPOOLS_PLACEMENT_CLUSTERS ?? 209);

const MINOR = OTHER_JUDGED_MINOR ?? JUDGED_MINOR;

/** As many as the judge is asked at once. */
const AT_ONCE = 250;

/** Who decides in the judge: a plugin of the scheduler, or another program, which has no name for its parts. */
const OTHER_PROGRAMS = ['DaemonSet', 'kubelet', 'NodeName'];

interface Said {
  readonly isUnknown: boolean;
  readonly isAccepted: boolean;
  /** Every plugin that refuses. */
  readonly by: readonly string[];
  readonly reason: string;
}

/** What we say of the Pods of a question, on each node. */
export function ours({
  nodes,
  pods,
  namespaces,
  claims,
  volumes,
  storageClasses,
  asked,
}: Question): Map<string, Said>[] {
  const kinds = (kind: string, objects: readonly object[]): any[] => objects.map((each) => ({ kind, ...each }));
  const objects = [
    ...kinds('Node', nodes),
    ...pods,
    ...kinds('Namespace', namespaces),
    ...claims,
    ...volumes,
    ...storageClasses,
  ];
  const cluster = clusterOf(objects, true, MINOR);
  const labelsOf = new Map(namespaces.map(({ metadata }: any) => [metadata.name, metadata.labels]));
  return asked.map(({ pod, daemon }) => {
    const template = { ...placementPod(pod as any), isDaemon: daemon };
    const level = enforcedLevel(labelsOf.get(template.namespace), MINOR);
    const forbidden = level === undefined ? undefined : forbiddenBy(level, template);
    if (forbidden !== undefined) {
      const said = { isUnknown: false, isAccepted: false, by: ['PodSecurity'], reason: forbidden };
      return new Map(cluster.nodes.map(({ name }) => [name, said]));
    }
    return new Map(
      cluster.nodes.map((node) => {
        const verdict = judge(template, node, cluster, NO_HOST_NETWORK);
        return [
          node.name,
          {
            isUnknown: verdict.outcome === 'unknown',
            isAccepted: isAccepted(template, verdict),
            by: refusalsOf(template, node, cluster).map(({ by }) => by),
            reason: `${verdict.outcome} ${verdict.refusal?.reason ?? ''}`,
          },
        ];
      }),
    );
  });
}

/** Whether both say the same: accepted or refused, and the plugin that refuses is one of ours. */
export function agrees({ isAccepted: isOurs, by: all }: Said, by: string | undefined): boolean {
  return isOurs === (by === undefined) && (by === undefined || OTHER_PROGRAMS.includes(by) || all.includes(by));
}

function rows(proof: Proof): void {
  const questions = JUDGED_PLACEMENTS.map((row): Question => ({
    ...clusterOfRow(row),
    asked: [{ pod: row.pod, daemon: row.daemon === true }],
  }));
  const answers = askPlacementJudge(questions);
  JUDGED_PLACEMENTS.forEach(({ what, by }, index) => {
    const { by: seen, reasons } = answers[index]?.[0]?.n ?? { by: 'nothing' };
    proof.that(`row “${what}”: ${by ?? 'accepted'}`, seen === by, { seen, reasons });
  });
}

export const judgedPlacement: Group = {
  name: 'judged',
  claim:
    'random Pods and DaemonSets (Pod Security by version, affinity to nodes and Pods, spread, features of nodes, resizes, taints, ports, resources, init containers and sidecars, volumes, gates, nodeName) on random nodes with Pods on them: the packages of Pod Security, of kube-scheduler, of the DaemonSet controller and of kubelet’s admission decide as our evaluator says, by the plugin that it names; at most one case in a hundred is unknown',
  programs: 'kube-scheduler, kube-controller-manager and kubelet 1.36, as packages',
  tools: [PLACEMENT_JUDGE],
  run: async (proof) => {
    // the rows are those of one minor
    if (MINOR === JUDGED_MINOR) {
      rows(proof);
    }
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    const clusters = fc.sample(placementCluster, { seed, numRuns: CLUSTERS });
    const by = new Map<string, number>();
    let [cases, unknown] = [0, 0];
    for (let first = 0; first < clusters.length; first += AT_ONCE) {
      const questions = clusters.slice(first, first + AT_ONCE).map((cluster): Question => ({ ...STORAGE, ...cluster }));
      const answers = askPlacementJudge(questions);
      questions.forEach((question, index) => {
        ours(question).forEach((said, position) => {
          for (const [node, { by: plugin, reasons }] of Object.entries(answers[index]?.[position] as Answer)) {
            const mine = said.get(node) as Said;
            cases += 1;
            by.set(plugin ?? 'nobody', (by.get(plugin ?? 'nobody') ?? 0) + 1);
            if (mine.isUnknown) {
              unknown += 1;
              continue;
            }
            const { nodes, pods, asked } = question;
            proof.that(
              `seed ${seed}, cluster ${first + index}, Pod ${position}, ${node}`,
              agrees(mine, plugin),
              agrees(mine, plugin) ? '' : { plugin, reasons, mine, node, asked: asked[position], nodes, pods },
            );
          }
        });
      });
    }
    const decided = Object.fromEntries(by);
    proof.note(`${cases} cases, ${unknown} of them unknown, seed ${seed}; who decides: ${JSON.stringify(decided)}`);
    proof.that('at most one case in a hundred is unknown', unknown * 100 <= cases, { unknown, cases });
    const rare = PLUGINS.filter((plugin) => (by.get(plugin) ?? 0) * 1000 < cases);
    proof.that('each plugin decides at least one of 1,000 cases', rare.length === 0, { rare, decided });
    return Promise.resolve();
  },
};

const PLUGINS = [
  ...[
    'nobody',
    'PodSecurity',
    'NodeDeclaredFeatures',
    'DaemonSet',
    'kubelet',
    'SchedulingGates',
    'NodeUnschedulable',
    'NodeName',
    'TaintToleration',
    'NodeAffinity',
  ],
  ...[
    'NodePorts',
    'NodeResourcesFit',
    'VolumeRestrictions',
    'VolumeBinding',
    'VolumeZone',
    'PodTopologySpread',
    'InterPodAffinity',
  ],
];

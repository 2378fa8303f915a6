import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { PlacementNode } from '../../../../src/fleet/node.js';
import { nodeAffinityMatches } from '../../../../src/fleet/node-affinity-match.js';
import { whyNotOn } from '../../../../src/fleet/pod-placement.js';
import { node as randomNode, podSpec as randomPodSpec } from '../../../properties/arbitraries.js';
import { admits } from '../../../reference/node-affinity.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36', scheduler: true, controllers: ['daemonset-controller'] };

/** With few nodes, "on none" is frequent and "on this one" is significant; with many, the scheduler has a choice. */
const NODES_OF_ROUND = [1, 2, 3, 1, 2, 4, 1, 3, 2, 5];
const PODS = 36;
const DAEMON_SETS = 8;
const DEADLINE = 60_000;

const tainted = { key: fc.constantFrom('site', 'raw'), value: fc.constantFrom('hz', 'bj') };
const taints = fc.uniqueArray(
  fc.record({ ...tainted, effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule') }),
  { maxLength: 2, selector: ({ key, effect }) => `${key}:${effect}` },
);
const effect = fc.constantFrom('NoSchedule', 'NoExecute');
const tolerations = fc.array(
  fc.oneof(
    fc.constant({ operator: 'Exists' }),
    fc.record({ operator: fc.constant('Exists'), effect }),
    fc.record({ key: tainted.key, operator: fc.constant('Exists'), effect }, { requiredKeys: ['key', 'operator'] }),
    fc.record({ ...tainted, operator: fc.constant('Equal'), effect }, { requiredKeys: ['key', 'value'] }),
  ),
  { maxLength: 2 },
);

// other fields of the arbitrary are for tests of patches, and API servers refuse them
const podSpec = fc
  .record({ spec: randomPodSpec, tolerations })
  .map(({ spec: { affinity, nodeSelector, containers }, tolerations: own }): any => ({
    containers,
    tolerations: own,
    ...(nodeSelector === undefined ? {} : { nodeSelector: { ...nodeSelector } }),
    ...(affinity?.nodeAffinity === undefined ? {} : { affinity: { nodeAffinity: affinity.nodeAffinity } }),
  }));

interface Round {
  readonly nodes: readonly { readonly labels: Readonly<Record<string, string>>; readonly taints: readonly any[] }[];
  readonly pods: readonly any[];
  readonly daemonSets: readonly any[];
}

function roundOf(nodes: number): fc.Arbitrary<Round> {
  const fill = (length: number): fc.ArrayConstraints => ({
    minLength: length,
    maxLength: length,
    size: 'max',
  });
  return fc.record({
    nodes: fc.array(fc.record({ labels: randomNode.map(({ labels }) => labels), taints }), fill(nodes)),
    pods: fc.array(podSpec, fill(PODS)),
    daemonSets: fc.array(podSpec, fill(DAEMON_SETS)),
  });
}

/** Counts of results, to check at the end that there are cases of every kind. */
interface Tally {
  cases: number;
  bound: number;
  refused: number;
  bySelection: number;
  byTaint: number;
}

/** Polls until a result is as expected; returns the last result. */
async function ask<T>(question: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + DEADLINE;
  for (;;) {
    const answer = await question();
    if (wanted(answer) || Date.now() > deadline) {
      return answer;
    }
    await new Promise((done) => setTimeout(done, 150));
  }
}

function daemonSet(name: string, spec: any): any {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

const PODS_PATH = '/api/v1/namespaces/default/pods';
const DAEMON_SETS_PATH = '/apis/apps/v1/namespaces/default/daemonsets';

/** The nodes of each DaemonSet, and the desired number. */
async function daemons(plane: ControlPlane): Promise<Map<string, { desired?: number; nodes: string[] }>> {
  const [sets, pods] = await Promise.all([plane.api.must('GET', DAEMON_SETS_PATH), plane.api.must('GET', PODS_PATH)]);
  return new Map(
    sets.items.map(({ metadata, status }: any) => [
      metadata.name,
      {
        desired: status.observedGeneration === metadata.generation ? status.desiredNumberScheduled : undefined,
        nodes: pods.items
          .filter((pod: any) => pod.metadata.labels?.app === metadata.name)
          .map((pod: any) => pod.spec.nodeName ?? 'none')
          .sort(),
      },
    ]),
  );
}

/** Nodes of a round, once scheduler and DaemonSet controller are known to have seen them: a stale view of them would be no disagreement. */
async function makeNodes(plane: ControlPlane, index: number, round: Round): Promise<PlacementNode[]> {
  const mark = { round: String(index) };
  const names = round.nodes.map((_, position) => `node-${'abcde'[position]}`);
  for (const [position, { labels, taints: own }] of round.nodes.entries()) {
    await plane.nodes.fake(names[position] as string, { ...labels, ...mark }, own);
  }
  const canary = daemonSet(`canary-${index}`, {
    nodeSelector: mark,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'a', image: 'a' }],
  });
  await plane.api.must('POST', DAEMON_SETS_PATH, canary);
  const seen = await ask(
    async () => (await daemons(plane)).get(`canary-${index}`)?.nodes,
    (nodes) => isDeepStrictEqual(nodes, names),
  );
  if (!isDeepStrictEqual(seen, names)) {
    throw new Error(`round ${index}: the canary is on ${JSON.stringify(seen)}, not on ${names.join(', ')}`);
  }
  return Promise.all(
    names.map(async (name) => {
      const { metadata, spec } = await plane.nodes.get(name);
      return { name, labels: metadata.labels, taints: spec.taints ?? [] };
    }),
  );
}

async function judgePods(
  plane: ControlPlane,
  round: Round,
  nodes: readonly PlacementNode[],
  where: string,
  proof: Proof,
  tally: Tally,
): Promise<void> {
  const names = round.pods.map((_, index) => `pod-${index}`);
  await Promise.all(
    round.pods.map((spec, index) =>
      plane.api.must('POST', PODS_PATH, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: names[index], labels: { random: 'pod' } },
        spec,
      }),
    ),
  );
  const condition = ({ status }: any): any => status.conditions?.find(({ type }: any) => type === 'PodScheduled');
  const { items } = await ask(
    () => plane.api.must('GET', PODS_PATH, undefined, { query: { labelSelector: 'random=pod' } }),
    ({ items: pods }) => pods.length === names.length && pods.every((pod: any) => condition(pod) !== undefined),
  );
  const byName = new Map<string, any>(items.map((pod: any) => [pod.metadata.name, pod]));
  round.pods.forEach((spec, index) => {
    const pod = byName.get(names[index] as string);
    const found = nodes.filter((node) => whyNotOn(spec, node) === undefined).map(({ name }) => name);
    const bound: string | undefined = pod.spec.nodeName;
    const agrees =
      bound === undefined ? found.length === 0 && condition(pod)?.status === 'False' : found.includes(bound);
    const seen = { spec, nodes, found, bound, condition: condition(pod) };
    proof.that(`${where}: scheduler and evaluator agree on Pod ${index}`, agrees, seen);
    tally.cases += 1;
    tally[bound === undefined ? 'refused' : 'bound'] += 1;
    for (const node of nodes) {
      const matches = nodeAffinityMatches(spec, node);
      tally[matches ? 'byTaint' : 'bySelection'] += found.includes(node.name) ? 0 : 1;
      const reference = admits(spec, { name: node.name, labels: { ...node.labels } });
      if (matches !== reference) {
        proof.that(`${where}: the evaluator of the tests agrees on Pod ${index}`, false, { spec, node, reference });
      }
    }
  });
}

/**
 * A DaemonSet shows the result for every node, not only for the preferred one. Names are unique per round:
 * the controller may create a last Pod of a deleted DaemonSet, and there is no garbage collector here.
 */
async function judgeDaemonSets(
  plane: ControlPlane,
  index: number,
  round: Round,
  nodes: readonly PlacementNode[],
  where: string,
  proof: Proof,
  tally: Tally,
): Promise<void> {
  const nameOf = (position: number): string => `daemon-${index}-${position}`;
  const expected = new Map(
    round.daemonSets.map((spec, position) => {
      const found = nodes.filter((node) => whyNotOn(spec, node, true) === undefined).map(({ name }) => name);
      return [nameOf(position), { desired: found.length, nodes: found }];
    }),
  );
  await Promise.all(
    round.daemonSets.map((spec, position) =>
      plane.api.must('POST', DAEMON_SETS_PATH, daemonSet(nameOf(position), spec)),
    ),
  );
  const seen = await ask(
    () => daemons(plane),
    (answer) => [...expected].every(([name, wanted]) => isDeepStrictEqual(answer.get(name), wanted)),
  );
  round.daemonSets.forEach((spec, position) => {
    const name = nameOf(position);
    const agrees = isDeepStrictEqual(seen.get(name), expected.get(name));
    proof.that(`${where}: DaemonSet controller, scheduler and evaluator agree on DaemonSet ${position}`, agrees, {
      spec,
      nodes,
      expected: expected.get(name),
      seen: seen.get(name),
    });
    tally.cases += 1;
  });
}

async function clear(plane: ControlPlane, nodes: readonly PlacementNode[]): Promise<void> {
  await plane.api.must('DELETE', DAEMON_SETS_PATH, { propagationPolicy: 'Background' });
  // there is no garbage collector here, and the controller may create a last Pod while its DaemonSet is deleted
  const left = await ask(
    async () => {
      await plane.api.must('DELETE', PODS_PATH, { gracePeriodSeconds: 0 });
      const [pods, sets] = await Promise.all([PODS_PATH, DAEMON_SETS_PATH].map((path) => plane.api.must('GET', path)));
      return pods.items.length + sets.items.length;
    },
    (count) => count === 0,
  );
  if (left > 0) {
    throw new Error(`${left} objects of a round cannot be removed`);
  }
  await Promise.all(nodes.map(({ name }) => plane.nodes.delete(name)));
}

export const randomPlacement: Group = {
  name: 'random',
  claim:
    'random Pods and DaemonSets (node affinity, nodeSelector, tolerations) on random nodes (labels, taints): the real scheduler and DaemonSet controller place them exactly as our evaluator predicts',
  programs: 'kube-apiserver, kube-scheduler and kube-controller-manager 1.36',
  tools: toolsOf(PROPS),
  run: async (proof) => {
    const seed = Number(process.env.E2E_SEED ?? Date.now() % 2 ** 31);
    const total = NODES_OF_ROUND.length * (PODS + DAEMON_SETS);
    proof.note(
      `${total} cases in ${NODES_OF_ROUND.length} rounds, seed ${seed} (E2E_SEED=${seed} runs the same again)`,
    );
    const tally: Tally = { cases: 0, bound: 0, refused: 0, bySelection: 0, byTaint: 0 };
    await onControlPlane(PROPS, proof, async (plane) => {
      for (const [index, count] of NODES_OF_ROUND.entries()) {
        const [round] = fc.sample(roundOf(count), { seed: seed + index, numRuns: 1 }) as [Round];
        const where = `seed ${seed}, round ${index}`;
        const nodes = await makeNodes(plane, index, round);
        await judgePods(plane, round, nodes, where, proof, tally);
        await judgeDaemonSets(plane, index, round, nodes, where, proof, tally);
        await clear(plane, nodes);
      }
      proof.note(
        `Pods: ${tally.bound} bound, ${tally.refused} on no node; nodes refused ${tally.bySelection} times by selection, ${tally.byTaint} times by a taint alone`,
      );
      proof.that('there are at least 300 cases', tally.cases >= 300, tally);
      const rarest = Math.min(tally.bound, tally.refused, tally.bySelection, tally.byTaint);
      proof.that('the cases are of every kind', rarest >= 20, tally);
    });
  },
};

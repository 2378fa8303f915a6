import type { Proof } from '../../harness/group.js';
import {
  type JudgedFlags,
  type JudgedNode,
  nodeLifecycleJudge,
  runNodeLifecycle,
} from '../../harness/node-lifecycle-judge.js';
import { compare } from './compare.js';

/** A site of which some Nodes fall silent. */
interface Site {
  readonly name: string;
  readonly nodes: number;
  readonly silent: number;
  /** Nodes with node.kubernetes.io/exclude-disruption, the last ones. */
  readonly excluded: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Time is compressed by the flags: less grace, more evictions in a second. */
const FLAGS: JudgedFlags = {
  nodeMonitorPeriod: 1,
  nodeMonitorGracePeriod: 20,
  nodeEvictionRate: 0.2,
  secondaryNodeEvictionRate: 0.1,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 9,
};

/** Every number of silent Nodes up to 11: at most two, below, at and above 0.55, and all; 9 and 10 Nodes are beside the threshold of large zones. */
const SIZES: readonly (readonly [nodes: number, silent: number])[] = [
  ...[1, 2, 3, 4, 5].flatMap((nodes) => Array.from({ length: nodes }, (_, index) => [nodes, index + 1] as const)),
  ...([
    [6, 3],
    [6, 4],
    [7, 3],
    [7, 4],
    [9, 4],
    [9, 5],
    [9, 6],
    [10, 5],
    [10, 6],
    [10, 10],
    [11, 6],
    [11, 7],
  ] as const),
];

/** Every form of the labels of a zone. */
function zoneLabels(index: number): Record<string, string> {
  const name = `site-${index}`;
  const forms: readonly Record<string, string>[] = [
    { 'topology.kubernetes.io/zone': name },
    { 'topology.kubernetes.io/region': name },
    { 'topology.kubernetes.io/region': 'north', 'topology.kubernetes.io/zone': name },
    { 'failure-domain.beta.kubernetes.io/zone': name, 'topology.kubernetes.io/zone': 'other' },
  ];
  return forms[index % forms.length] as Record<string, string>;
}

/** A site by its number: each size with each form of label, and one of seven with a Node that does not count. */
function siteOf(index: number): Site {
  const [nodes, silent] = SIZES[Math.floor(index / 4) % SIZES.length] as readonly [number, number];
  const excluded = index % 7 === 0 && nodes > 1 ? 1 : 0;
  return { name: `site-${index}`, nodes, silent, excluded, labels: zoneLabels(index) };
}

const ALIVE: Site = { name: 'alive', nodes: 1, silent: 0, excluded: 0, labels: {} };

const unreachable = (rest: object): object => ({ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', ...rest });

/** How the Pods of the Nodes tolerate the taint. */
const TOLERATIONS: readonly (readonly object[])[] = [
  [unreachable({ operator: 'Exists' })],
  [unreachable({ operator: 'Exists', tolerationSeconds: 2 })],
  [{ operator: 'Exists' }],
  [unreachable({ operator: 'Exists', tolerationSeconds: 0 }), { operator: 'Exists' }],
  [{ operator: 'Exists' }, unreachable({ operator: 'Exists', tolerationSeconds: 0 })],
  [unreachable({ operator: 'Equal', value: 'other' })],
  [unreachable({ operator: 'Equal', tolerationSeconds: 4 })],
  [],
];

function nodesOf({ name, nodes, silent, excluded, labels }: Site): JudgedNode[] {
  return Array.from({ length: nodes }, (_, index) => ({
    name: `${name}-${index}`,
    labels: {
      ...labels,
      ...(index >= nodes - excluded ? { 'node.kubernetes.io/exclude-disruption': '' } : {}),
    },
    silent: index < silent,
  }));
}

/** Clusters of one zone, of which no Node has a label, beside the thresholds of the defaults. */
const UNZONED: readonly (readonly [nodes: number, silent: number, excluded: number])[] = [
  [12, 4, 0],
  [12, 8, 0],
  [3, 2, 0],
  [4, 3, 0],
  [20, 11, 0],
  [20, 10, 0],
  [50, 28, 0],
  [51, 28, 0],
  [51, 29, 0],
  [5, 5, 0],
  [5, 4, 1],
];

/** Many sites at once, all sites at once without any other Node, and clusters without zones. */
export async function judgeOutages(proof: Proof, minor: '1.30' | '1.36', sites: number): Promise<void> {
  const many = Array.from({ length: sites }, (_, index) => siteOf(index));
  const whole = Array.from({ length: 200 }, (_, index) => ({ ...siteOf(index), silent: siteOf(index).nodes }));
  const flags = { ...FLAGS, nodeMonitorGracePeriod: 5, nodeEvictionRate: 1, largeClusterSizeThreshold: 50 };
  await Promise.all([
    judged(proof, minor, `${sites} sites`, [...many, ALIVE], FLAGS),
    judged(proof, minor, 'all of 200 sites', whole, { ...FLAGS, nodeMonitorGracePeriod: 5 }),
    ...UNZONED.map(([nodes, silent, excluded]) => {
      const site = { name: 'plain', nodes, silent, excluded, labels: {} };
      return judged(proof, minor, `${silent} of ${nodes} Nodes without zones`, [site], flags);
    }),
  ]);
}

async function judged(
  proof: Proof,
  minor: '1.30' | '1.36',
  what: string,
  sites: readonly Site[],
  flags: JudgedFlags,
): Promise<void> {
  const nodes = sites
    .flatMap(nodesOf)
    .map((node, index) => ({ ...node, tolerations: TOLERATIONS[index % TOLERATIONS.length] as readonly object[] }));
  // every certain taint has come by then, twice over
  const most = Math.max(...sites.map(({ silent }) => silent));
  const seen = await runNodeLifecycle(
    nodeLifecycleJudge(minor),
    nodes,
    flags,
    (1.5 * (most + 1)) / flags.nodeEvictionRate + 10,
  );
  const { verdicts, taints, evictions } = compare(nodes, seen, flags);
  const claim = `Kubernetes ${minor}, ${what}`;
  for (const [zone, wrong] of verdicts) {
    proof.that(`${claim}: ${zone === '' ? 'without zone' : zone}`, wrong.length === 0, wrong.join('\n'));
  }
  const alive = nodes.filter(({ silent }) => !silent).map(({ name }) => name);
  const lost = seen.nodes.filter(({ name, unknown }) => unknown !== undefined && alive.includes(name));
  proof.that(`${claim}: the other Nodes stay Ready`, lost.length === 0, lost);
  proof.note(`${claim}: ${verdicts.size} zones judged, ${taints} taints, ${evictions} evictions`);
}

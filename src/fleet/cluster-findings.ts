import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import { nameOf } from '../kubernetes/object.js';
import { isHostNetworkNode, type PlacementNode } from './node.js';
import { type NodeFinding, reportNodes } from './node-report.js';
import { findConversions } from '../preconditions/node-pool-findings.js';
import type { Finding } from './finding.js';
import type { ReadSettings } from './check-settings.js';
import { findingAt, type PlacedObject } from './placed-object.js';

const PATHS: Readonly<Record<NodeFinding['kind'], string>> = {
  'label-missing': 'metadata.labels',
  'label-unexpected': 'metadata.labels',
  'pool-missing': 'metadata.labels',
  'taint-missing': 'spec.taints',
  'pod-misplaced': 'metadata.name',
  'not-converted': 'status.conditions',
  'dead-after-boot': 'metadata.labels',
};

/** The Nodes of a dump that are not as their pools require. */
export function nodeFindings(placed: readonly PlacedObject[], { labels, declared }: ReadSettings): Finding[] {
  const { nodePoolLabel, hostNetworkLabel } = labels;
  const nameOfPool = (pool: PlacementNode): string => pool.labels[nodePoolLabel] ?? pool.name;
  const { nodes, staleJobs } = reportNodes(
    placed.map(({ object }) => object),
    {
      membershipLabel: nodePoolLabel,
      hostNetworkLabel,
      hostNetworkPools: declared.filter((pool) => isHostNetworkNode(pool, hostNetworkLabel)).map(nameOfPool),
    },
  );
  const byName = new Map(
    placed
      .filter(({ object }) => object.kind === 'Node' || object.kind === 'Job')
      .map((each) => [nameOf(each.object), each]),
  );
  const found = (name: string, path: string, message: string): Finding[] => {
    const place = byName.get(name);
    const hint = 'npx edge-nodepools nodes --dump FILE writes the commands that repair it';
    return place === undefined ? [] : [findingAt(place, 'error', { code: 'EDGE_NODE', path, message, hint })];
  };
  return [
    ...nodes.flatMap(({ name, findings }) =>
      findings.flatMap(({ kind, what }) => found(`Node ${name}`, PATHS[kind], what)),
    ),
    ...staleJobs.flatMap(({ job = '', repair }) => found(job, 'metadata.name', repair?.what ?? '')),
  ];
}

/** NodePools that an upgrade of OpenYurt converts to the other kind, or has converted. Their version tells the release. */
export function poolFindings(placed: readonly PlacedObject[], { labels }: ReadSettings): Finding[] {
  const nodes = placed.map(({ object }) => object).filter(({ kind }) => kind === 'Node');
  // the newest release that stores a version
  const releases = new Map(OPENYURT_RELEASES.map((release) => [release.nodePoolVersion, release]));
  return [...releases].flatMap(([version, release]) => {
    const pools = new Map(
      placed
        .filter(({ object }) => object.kind === 'NodePool' && object.apiVersion === `apps.openyurt.io/${version}`)
        .map((each) => [nameOf(each.object), each]),
    );
    const objects = [...pools.values()].map(({ object }) => object);
    return findConversions(release, labels.nodePoolLabel, [...objects, ...nodes]).flatMap(
      ({ pool, state, reason, commands }) => {
        const place = pools.get(`NodePool ${pool}`);
        const hint =
          state === 'missing'
            ? `declare it with HostNetworkNodePool, which writes it; or run: ${commands.join('; ')}`
            : 'npx edge-nodepools preconditions --dump FILE writes the commands that repair it';
        const problem = { code: 'EDGE_POOL_CONVERSION', path: 'metadata.annotations', message: reason, hint } as const;
        return place === undefined ? [] : [findingAt(place, state === 'missing' ? 'warning' : 'error', problem)];
      },
    );
  });
}

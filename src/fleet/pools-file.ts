import type { ProblemList } from '../base/errors.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { isMap } from '../base/plain-data.js';
import { memberOfPool } from './fleet.js';
import type { FleetLabels, PlacementNode } from './node.js';

/**
 * The file beside the manifests of a program that says which pools it declares, one on each line: without OpenYurt a pool has no object, and no NodePool
 * says how many nodes are expected. Not `.json`, because kubectl and Argo CD take every file of a folder that ends so for a manifest.
 */
export const POOLS_FILE = 'pools.jsonl';

/** A pool that a program declares: an example node of it, and what is known of all its nodes. */
export interface ListedPool extends PlacementNode, Required<FleetLabels> {
  /** @default - unknown */
  readonly expectedNodes?: number;
  /** Minor of Kubernetes of its cluster.
   * @default - unknown */
  readonly kubernetes?: string;
  /** The site of a FleetDelivery to which it belongs.
   * @default - it belongs to all that is read */
  readonly site?: string;
}

/**
 * The file for the pools of a program; undefined if it has none.
 *
 * @param sitesOf the sites to which a pool is delivered
 */
export function poolsFile<Pool extends NodePoolAttributes>(
  pools: readonly Pool[],
  sitesOf: (pool: Pool) => readonly string[] = () => [],
): EdgeArtifact | undefined {
  const lines = pools.flatMap((pool) => {
    const { expectedNodes, cluster } = pool;
    const { name, labels, taints } = memberOfPool(pool);
    const { nodePoolLabel, hostNetworkLabel, kubernetes } = cluster;
    const [first, ...others] = sitesOf(pool);
    return [first, ...others].map((site) =>
      JSON.stringify({ name, labels, taints, expectedNodes, nodePoolLabel, hostNetworkLabel, kubernetes, site }),
    );
  });
  // a pool that is created elsewhere can be named in several places
  return lines.length === 0 ? undefined : { path: POOLS_FILE, content: `${[...new Set(lines)].join('\n')}\n` };
}

/** A pool, or an example node of one, as a declared pool. */
export function declaredPool(pool: PlacementNode | NodePoolAttributes, labels: Required<FleetLabels>): ListedPool {
  if (!isPool(pool)) {
    return { ...pool, ...labels };
  }
  const { name, labels: written, taints } = memberOfPool(pool);
  const { expectedNodes, cluster } = pool;
  const { kubernetes } = cluster;
  return {
    name,
    labels: written,
    taints,
    ...labels,
    kubernetes,
    ...(expectedNodes === undefined ? {} : { expectedNodes }),
  };
}

/** A pool of which only the name is known. */
export function poolNamed(pool: string, { nodePoolLabel, hostNetworkLabel }: Required<FleetLabels>): ListedPool {
  const { key, value } = hostNetworkLabel;
  return { name: pool, labels: { [nodePoolLabel]: pool, [key]: value }, nodePoolLabel, hostNetworkLabel };
}

/** The minor of Kubernetes of pools; undefined if they do not say it, or not the same. */
export function minorOfPools(pools: readonly { readonly kubernetes?: string }[]): string | undefined {
  const [minor, ...others] = new Set(pools.map(({ kubernetes }) => kubernetes));
  return others.length === 0 ? minor : undefined;
}

/** The pools in the text of such a file. */
export function poolsIn(text: string, problems: ProblemList): ListedPool[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') {
      return [];
    }
    const pool = parsed(line);
    if (pool === undefined) {
      problems.add(
        'EDGE_TYPE',
        `line ${index + 1} is not a pool, as writeArtifacts writes it`,
        'run cdk8s synth again',
      );
    }
    return pool ?? [];
  });
}

function parsed(line: string): ListedPool | undefined {
  let pool: unknown;
  try {
    pool = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isDeclared(pool) ? pool : undefined;
}

function isDeclared(pool: unknown): pool is ListedPool {
  return (
    isMap(pool) &&
    typeof pool.name === 'string' &&
    typeof pool.nodePoolLabel === 'string' &&
    isTexts(pool.labels) &&
    isTexts(pool.hostNetworkLabel) &&
    Array.isArray(pool.taints) &&
    pool.taints.every(isTexts) &&
    [pool.site, pool.kubernetes].every((each) => each === undefined || typeof each === 'string') &&
    (pool.expectedNodes === undefined || Number.isSafeInteger(pool.expectedNodes))
  );
}

function isTexts(value: unknown): boolean {
  return isMap(value) && Object.values(value).every((each) => typeof each === 'string');
}

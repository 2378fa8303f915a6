import { manifestsOf } from './manifests.js';
import { isConstruct } from './tree.js';
import { EdgeError } from '../base/errors.js';
import { placeFleet, type PoolPlacement } from '../fleet/fleet.js';
import { workloadOf } from '../fleet/made-pods.js';
import { itemsOf, mergedObjects } from '../fleet/placement-input.js';
import { labelsOfEveryNode, type PlacementNode } from '../fleet/node.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { whatIs } from '../base/properties.js';

/** What jest needs of a matcher: `expect.extend(matchers)`. */
interface Outcome {
  readonly pass: boolean;
  readonly message: () => string;
}

const WRITE = 'write expect(workload): a manifest, a construct, or a list of them, such as Testing.synth(chart)';

/** The objects in what a test expects something of: manifests, constructs, and lists of both. */
function objectsIn(received: unknown, matcher: string): PlainMap[] {
  if (Array.isArray(received)) {
    return received.flatMap((each) => objectsIn(each, matcher));
  }
  if (isConstruct(received)) {
    return manifestsOf(received).filter(isMap);
  }
  if (!isMap(received)) {
    throw new EdgeError(matcher, [
      { code: 'EDGE_TYPE', path: '', message: `the workload is ${whatIs(received)}`, hint: WRITE },
    ]);
  }
  return itemsOf(received);
}

/** Where the workloads can run, of all Pods that the objects have. */
function placementOf(received: unknown, pool: PlacementNode | NodePoolAttributes, matcher: string): PoolPlacement {
  if (typeof pool !== 'object' || pool === null) {
    throw new EdgeError(matcher, [
      {
        code: 'EDGE_TYPE',
        path: '',
        message: `the pool is ${whatIs(pool)}`,
        hint: `write expect(workload).${matcher}(pool), or a node: { name: 'edge-1', labels: pool.joinLabels }`,
      },
    ]);
  }
  // other pools are not asked about
  const objects = objectsIn(received, matcher).filter(({ kind }) => kind !== 'NodePool' && kind !== 'Node');
  const all = mergedObjects(objects);
  // policies, classes and volumes among them decide, too
  if (!all.some((object) => workloadOf(object) !== undefined)) {
    throw new EdgeError(matcher, [
      { code: 'EDGE_NO_POD_TEMPLATE', path: '', message: 'there is no workload in what is given', hint: WRITE },
    ]);
  }
  return placeFleet(all, [pool])[0] as PoolPlacement;
}

const nameOf = (pool: PlacementNode | NodePoolAttributes): string =>
  isPool(pool) ? `the nodes of the pool ${pool.poolName}` : `the node ${pool.name}`;

/** The labels of a node that is not a pool: a pool is known by its name, and of a node the test has written each label. */
function labelsText(pool: PlacementNode | NodePoolAttributes): string {
  if (isPool(pool)) {
    return '';
  }
  const labels = Object.entries({ ...labelsOfEveryNode(pool.name), ...pool.labels }).map(
    ([key, value]) => `${key}=${value}`,
  );
  return `\nlabels of ${pool.name}: ${labels.sort().join(', ')}`;
}

const listed = (lines: readonly string[]): string => lines.map((line) => `\n  ${line}`).join('');

/**
 * Matchers for `expect.extend`. Importing `edge-nodepools/testing` adds them to the global `expect`, where there is one.
 *
 * @category Test where things run
 */
export const matchers = {
  /** Whether every workload runs on the nodes of a pool, by the rules of the scheduler and of kubelet. */
  toLandOn(received: unknown, pool: PlacementNode | NodePoolAttributes): Outcome {
    const { runs, excluded, others } = placementOf(received, pool, 'toLandOn');
    const reasons = [
      ...excluded.map(({ workload, reason }) => `${workload}: ${reason}`),
      ...others.map(({ workload, outcome, reason }) => `${workload}: ${outcome}, ${reason}`),
    ];
    return {
      pass: reasons.length === 0,
      message: () =>
        reasons.length === 0
          ? `can all run on ${nameOf(pool)}, and at least one was expected not to:${listed(runs)}`
          : `expected to run on ${nameOf(pool)}, but cannot:${listed(reasons)}${labelsText(pool)}`,
    };
  },
  /** Whether no workload is scheduled to the nodes of a pool, also none that never starts there. */
  toBeExcludedFrom(received: unknown, pool: PlacementNode | NodePoolAttributes): Outcome {
    const { runs, excluded, others } = placementOf(received, pool, 'toBeExcludedFrom');
    const there = [...runs, ...others.map(({ workload, outcome }) => `${workload}: ${outcome}`)];
    const reasons = excluded.map(({ workload, reason }) => `${workload}: ${reason}`);
    return {
      pass: there.length === 0,
      message: () =>
        there.length === 0
          ? `are all kept off ${nameOf(pool)}, and at least one was expected not to be:${listed(reasons)}`
          : `expected to be kept off ${nameOf(pool)}, but are not:${listed(there)}${labelsText(pool)}`,
    };
  },
};

/** Whether the global `expect` of jest has the matchers now; without it: `expect.extend(matchers)`. */
export const IS_EXTENDED = extend(globalThis as object);

function extend({ expect }: { readonly expect?: { readonly extend?: (added: object) => void } }): boolean {
  expect?.extend?.(matchers);
  return expect?.extend !== undefined;
}

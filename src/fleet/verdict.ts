import type { ObjectPath } from '../base/plain-data.js';

/**
 * What becomes of a workload on the nodes of a pool, in one word or two:
 *
 * - `runs`: it can be scheduled there, and starts
 * - `never starts`: it can be scheduled there, and kubelet cannot start it
 * - `excluded`: by a label, a taint, a node affinity or a policy
 * - `no room`: a resource of the node is not enough
 * - `port taken`: another Pod has a port of the node
 * - `waits`: for something else, such as another Pod or a volume
 * - `unknown`: the manifests do not say it
 *
 * @category Test where things run
 */
export type PlacementOutcome = 'runs' | 'never starts' | 'excluded' | 'no room' | 'port taken' | 'waits' | 'unknown';

/** Who decides, and how: a plugin of kube-scheduler's default profile by its name, or another component. */
export interface Refusal {
  readonly by: string;
  readonly outcome: Exclude<PlacementOutcome, 'runs'>;
  /** In the words of the fields, without the Pod and the node: `taint site=hz:NoSchedule`. */
  readonly reason: string;
  /** The field of the Pod spec that decides.
   * @default - that of the plugin */
  readonly field?: ObjectPath;
}

/** Whether the answer is why, and no list of Pods. */
export function isRefusal(made: readonly unknown[] | Refusal): made is Refusal {
  return !Array.isArray(made);
}

/** The result for one Pod and one node. */
export interface Verdict {
  readonly outcome: PlacementOutcome;
  /** Undefined only for `runs`. */
  readonly refusal?: Refusal;
}

/** What lasts longest comes first: a Pod that is excluded need not say what it would wait for. */
const ORDER: readonly PlacementOutcome[] = ['excluded', 'waits', 'no room', 'port taken', 'unknown', 'never starts'];

/** Labels are what most people write, so they are reported before taints. */
const FIRST = ['NodeName', 'NodeAffinity'];

/** The one of several refusals that is reported. */
export function decidingRefusal(refusals: readonly Refusal[]): Refusal | undefined {
  const rank = ({ outcome, by }: Refusal): number => ORDER.indexOf(outcome) * 2 + (FIRST.includes(by) ? 0 : 1);
  return [...refusals].sort((a, b) => rank(a) - rank(b))[0];
}

import type { ProblemList } from '../base/errors.js';
import { showValue } from '../base/properties.js';
import { secondsOf } from './duration.js';
import type { Taint } from './taint.js';

/**
 * How long Pods stay on a node that lost its network: `forever`, a time span such as `'2h'` or `'90s'`, or `default`, which is 5 minutes for Pods that
 * are not of a DaemonSet (admission plugin DefaultTolerationSeconds).
 *
 * @category Declare pools
 */
export type Autonomy = 'forever' | 'default' | (string & {});

/** The taints of a node that is silent, or whose kubelet says that it is not ready (node-lifecycle-controller, NoExecuteTaintTemplate). */
export const OUTAGE_TAINTS: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
];

/** Seconds of an autonomy: Infinity for `forever`, undefined for `default` and what is not valid. */
export function autonomySeconds(autonomy: unknown): number | undefined {
  return autonomy === 'forever' ? Infinity : secondsOf(autonomy);
}

/** Longest `tolerationSeconds` that the taint-eviction-controller counts right: it multiplies by 10^9 in 64 bits (292 years); this is 100 years. */
const MOST_SECONDS = 3_153_600_000;

/** Checks an optional autonomy. */
export function checkAutonomy(value: unknown, problems: ProblemList): void {
  if (value === undefined || value === 'forever' || value === 'default') {
    return;
  }
  const seconds = typeof value === 'string' ? secondsOf(value) : undefined;
  const refuse = (why: string, hint: string): void => problems.add('EDGE_VALUE', `${showValue(value)} ${why}`, hint);
  if (seconds === undefined) {
    refuse(
      'is neither a time span nor a word for one',
      `write ${typeof value === 'number' && value > 0 ? `'${value}s'` : "'2h'"}, 'forever' or 'default'`,
    );
  } else if (seconds < 1 || !Number.isInteger(seconds)) {
    // OpenYurt reads 0 as forever, Kubernetes as at once; tolerationSeconds is a whole number
    refuse('is not a whole number of seconds of at least 1', "write '1s' or more, 'forever' or 'default'");
  } else if (seconds > MOST_SECONDS) {
    refuse('is more than 100 years', "write 'forever'");
  }
}

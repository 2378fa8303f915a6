import type { EdgeWarning } from '../base/errors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { type EvictionThresholds, shareOf } from './eviction-signal.js';

/** Warns of soft thresholds that are met only when the hard one is, which evicts at once: kubelet compares the two with nothing (`ParseThresholdConfig`). */
export function lateThresholdWarnings(soft: EvictionThresholds, hard: EvictionThresholds, path: string): EdgeWarning[] {
  return Object.entries(soft).flatMap(([signal, threshold]): EdgeWarning[] => {
    const limit = hard[signal as keyof EvictionThresholds];
    return limit === undefined || !isMetLater(threshold, limit)
      ? []
      : [
          {
            code: 'EDGE_CONTRADICTION',
            path: `${path}.evictionSoft["${signal}"]`,
            message: `the soft threshold ${threshold} is not above the hard one, ${limit}, which evicts at once: it has no effect`,
            hint: `write more than ${limit}, or leave it out`,
          },
        ];
  });
}

/** Whether a threshold is met at or after another one of the same unit. kubelet ignores 0% and 100%. */
function isMetLater(soft: string, hard: string): boolean {
  const [share, limit] = [shareOf(soft), shareOf(hard)];
  if (share === undefined && limit === undefined) {
    const [amount, most] = [Quantity.parse(soft), Quantity.parse(hard)];
    return amount !== undefined && most !== undefined && amount.nano <= most.nano;
  }
  return share !== undefined && limit !== undefined && limit > 0 && limit < 1 && share > 0 && share <= limit;
}

import type { EdgeWarning } from '../base/errors.js';
import type { WebhookFinding } from '../preconditions/webhook-findings.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';

/** Repairs the webhooks of the release that stays. An upgrade of OpenYurt replaces them anyway. */
export function webhooksStep(wrong: readonly WebhookFinding[]): UpgradeStep {
  return upgradeStep({
    id: 'webhooks',
    what: `Replace the webhooks of yurt-manager by those of its release: ${namesOf(wrong)}.`,
    why: 'An earlier upgrade has kept those of the release before: yurt-manager takes them from an annotation of the configurations.',
    pods: 'keep running',
    parts: ['restore-webhooks'],
  });
}

const namesOf = (wrong: readonly WebhookFinding[]): string =>
  wrong.map(({ webhook, state }) => `${webhook} (${state === 'missing' ? 'missing' : 'wrong'})`).join(', ');

/** What is reported of them while they are wrong. */
export function webhookWarnings(wrong: readonly WebhookFinding[], changesOpenYurt: boolean): EdgeWarning[] {
  return wrong.length === 0
    ? []
    : [
        {
          code: 'EDGE_HALF_UPGRADED',
          path: 'dump',
          message: `webhooks of yurt-manager are not those of its release: ${namesOf(wrong)}. Until then nothing enforces what they check, except admission policies of this library`,
          hint: changesOpenYurt
            ? 'the step yurt-manager replaces them; edge-nodepools preconditions writes a script that does it at once'
            : 'the step webhooks replaces them',
        },
      ];
}

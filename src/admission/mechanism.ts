import type { ProblemList } from '../base/errors.js';
import { concerns, GUARANTEES, type GuaranteeFacts, type PoolGuarantee } from './guarantee.js';
import { missedOptIn, mutatingPolicies } from './mutating-policies.js';
import { VALIDATING, type ValidationAction } from './policy.js';
import type { GuaranteeSettings, PoolAdmissionProps } from './pool-admission-props.js';

/** What enforces a guarantee in a cluster. */
export type Mechanism =
  | { readonly kind: 'policy'; readonly apiVersion: string; readonly flags?: string }
  // while yurt-manager is down, by the failurePolicy of its webhook
  | { readonly kind: 'webhook'; readonly whileDown: 'not held' | 'writes refused' }
  | { readonly kind: 'nothing' };

function mechanismOf(facts: GuaranteeFacts, props: PoolAdmissionProps): Mechanism {
  const { cluster } = props;
  if (facts.policy === 'mutating') {
    const policies = mutatingPolicies(cluster, props.mutatingAdmissionPolicy);
    if (policies !== undefined) {
      return { kind: 'policy', ...policies };
    }
  } else if (cluster.hasValidatingAdmissionPolicy()) {
    return { kind: 'policy', apiVersion: VALIDATING };
  }
  const shipped = cluster
    .openYurtWebhooks()
    .find(({ type, resource }) => type === facts.webhook?.type && resource === facts.webhook.resource);
  return shipped === undefined
    ? { kind: 'nothing' }
    : { kind: 'webhook', whileDown: shipped.failurePolicy === 'Fail' ? 'writes refused' : 'not held' };
}

/** The settings of a guarantee; empty if it is `true` or a default. */
export function settingsOf(props: PoolAdmissionProps, guarantee: PoolGuarantee): GuaranteeSettings {
  const settings = props.guarantees?.[guarantee];
  return typeof settings === 'object' ? settings : {};
}

/** The validationActions of the policy of a guarantee. */
export function actionsOf(props: PoolAdmissionProps, guarantee: PoolGuarantee): readonly ValidationAction[] {
  return settingsOf(props, guarantee).validationActions ?? props.validationActions ?? ['Deny', 'Audit'];
}

/** A hint for a guarantee that nothing enforces, or nothing with settings: the opt-in if it would help, and another way. */
export function alternativeTo(
  { cluster, mutatingAdmissionPolicy }: PoolAdmissionProps,
  guarantee: PoolGuarantee,
  other: string,
): string {
  const optIn = GUARANTEES[guarantee].policy === 'mutating' ? missedOptIn(cluster, mutatingAdmissionPolicy) : undefined;
  return optIn === undefined ? other : `${optIn}, or: ${other}`;
}

/** What enforces each guarantee that is turned on. A guarantee that is turned on by name and that nothing can enforce is a problem. */
export function mechanismsOf(props: PoolAdmissionProps, problems: ProblemList): Map<PoolGuarantee, Mechanism> {
  const mechanisms = new Map<PoolGuarantee, Mechanism>();
  for (const [name, facts] of Object.entries(GUARANTEES)) {
    const guarantee = name as PoolGuarantee;
    const wanted = props.guarantees?.[guarantee];
    if (wanted === false || (wanted === undefined && !facts.byDefault) || !concerns(guarantee, props.cluster)) {
      continue;
    }
    const mechanism = mechanismOf(facts, props);
    mechanisms.set(guarantee, mechanism);
    if (wanted === undefined || mechanism.kind === 'policy') {
      continue;
    }
    const at = problems.at('guarantees', guarantee);
    if (mechanism.kind === 'nothing') {
      at.add(
        'EDGE_NOT_GUARANTEED',
        `nothing in ${props.cluster.toString()} can enforce it`,
        alternativeTo(props, guarantee, `leave it out; ${facts.instead}`),
      );
    } else if (typeof wanted === 'object') {
      at.add(
        'EDGE_NOT_GUARANTEED',
        `in ${props.cluster.toString()} OpenYurt's webhook enforces it, and a webhook has no such settings here`,
        alternativeTo(
          props,
          guarantee,
          'write true, or leave it out; to change settings of the webhooks, use OpenYurtWebhooks',
        ),
      );
    }
  }
  return mechanisms;
}

import type { EdgeWarning } from '../../errors.js';
import { type Plan, type PlannedObject, type PlannedWarning, shownWarning } from '../../cluster/plan.js';
import { problemsOf, type Scope } from '../../cluster/scope.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { ownMetadata } from '../../kubernetes/own-labels.js';
import { copyOf, type PlainMap } from '../../validation/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../../validation/unknown.js';
import { claimAdmissionNames } from '../admission-names.js';
import { checkPoolWebhook, INJECT_CA } from './pool-webhook-checks.js';
import type { PoolWebhookEntry, PoolWebhookProps } from './pool-webhook-props.js';
import { clientConfigOf } from './webhook-client.js';
import { lockWarnings, reachedBy } from './webhook-lock.js';
import { ruleOf, type RuleTarget, rulesOf } from './webhook-rules.js';
import { givenSettings } from './webhook-settings.js';

/** What a PoolWebhook answers. */
export interface PoolWebhookAnswers {
  /** Name of the configuration object, where it is given. */
  readonly configurationName?: string;
  /** What can lock the cluster while the server is down, or can never work. */
  readonly warnings: readonly EdgeWarning[];
}

const OWN_NAME = { path: ['metadata', 'name'], hint: 'give one of them another name, or remove one' };

/**
 * Plans a webhook configuration for a server of the user's own.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolWebhook(props: PoolWebhookProps, scope: Scope): Plan<PoolWebhookAnswers> {
  const problems = problemsOf(scope);
  const subject = `PoolWebhook ${scope.path}`;
  checkPoolWebhook(props ?? {}, problems);
  problems.throwIfAny(subject);
  const object = configurationOf(props);
  const objects: PlannedObject[] = [{ object, apply: 'create' }];
  claimAdmissionNames(scope, props.cluster, objects, OWN_NAME, problems);
  problems.throwIfAny(subject);
  const warnings = warningsOf(props);
  return {
    subject,
    objects,
    cluster: props.cluster,
    answers: {
      configurationName: compute(
        props.metadata,
        (metadata) => metadata?.name,
        isUnknown(props.metadata) && props.metadata,
      ),
      warnings: warnings.map(shownWarning),
    },
    warnings,
    artifacts: [],
  };
}

/** The configuration object. */
function configurationOf(props: PoolWebhookProps): KubernetesObject {
  const { type, metadata, injectCaFrom } = props;
  const target = targetOf(props);
  const annotations = injectCaFrom === undefined ? {} : { annotations: { [INJECT_CA]: injectCaFrom } };
  return copyOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: ownMetadata(metadata, annotations),
    webhooks: compute(
      props.webhooks,
      (entries) => entries.map((entry) => compute(entry, (one) => webhookOf(one, target), isUnknown(entry) && entry)),
      isUnknown(props.webhooks) && props.webhooks,
    ),
  });
}

/** What the short names of rules depend on. */
function targetOf({ cluster, type }: PoolWebhookProps): RuleTarget {
  return { type, nodePoolApiVersion: cluster.nodePoolApiVersion() };
}

function webhookOf(entry: PoolWebhookEntry, target: RuleTarget): PlainMap {
  return {
    name: entry.name,
    admissionReviewVersions: entry.admissionReviewVersions ?? ['v1'],
    clientConfig: clientConfigOf(entry),
    ...givenSettings(entry),
    failurePolicy: failurePolicyOf(entry, target),
    matchPolicy: entry.matchPolicy ?? 'Equivalent',
    ...(target.type === 'mutating' ? { reinvocationPolicy: entry.reinvocationPolicy ?? 'Never' } : {}),
    rules: rulesOf(entry.rules, target),
    sideEffects: entry.sideEffects ?? 'None',
    timeoutSeconds: entry.timeoutSeconds ?? 10,
  };
}

/**
 * What happens while the server is down, by default: what the server needs to start again is let through, as OpenYurt's own webhooks let Pods and Nodes
 * through. Everything else is refused, as is the default of the API server.
 */
function failurePolicyOf({ failurePolicy, rules }: PoolWebhookEntry, target: RuleTarget): 'Fail' | 'Ignore' {
  return (
    failurePolicy ??
    compute(rules, (all) => (reachedBy(all.map((rule) => ruleOf(rule, target))).length > 0 ? 'Ignore' : 'Fail'))
  );
}

/** What can lock the cluster, and what cannot work yet; what depends on unknown values is found when they are known. */
function warningsOf(props: PoolWebhookProps): PlannedWarning[] {
  const target = targetOf(props);
  const entries = Array.isArray(props.webhooks) ? props.webhooks : [];
  return entries.flatMap((entry, index) => {
    if (isUnknown(entry) || holdsUnknown(entry.rules)) {
      return [];
    }
    const { name, service, caBundle } = entry;
    const path = `webhooks[${index}]`;
    const locks = lockWarnings(
      {
        name,
        reaches: reachedBy(entry.rules.map((rule) => ruleOf(rule, target))),
        failurePolicy: failurePolicyOf(entry, target),
        settings: givenSettings(entry),
        serverNamespace: service?.namespace,
        reads: [path],
      },
      `${path}.failurePolicy`,
    );
    const noCa =
      !isUnknown(name) && service !== undefined && caBundle === undefined && props.injectCaFrom === undefined;
    return [
      ...locks,
      ...(noCa
        ? [
            {
              code: 'EDGE_CA_BUNDLE' as const,
              path: `${path}.caBundle`,
              message: `${name} is served by a Service, and no CA is given for its certificate: every call fails until something writes caBundle`,
              hint: 'write caBundle, or injectCaFrom where cert-manager makes the certificate',
            },
          ]
        : []),
    ];
  });
}

import type { EdgeWarning } from '../base/errors.js';
import { type Plan, type PlannedObject, type PlannedWarning, shownWarning } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { ownMetadata } from '../kubernetes/labels.js';
import { copyOf, type PlainMap } from '../base/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { claimAdmissionNames } from './admission-names.js';
import { checkPoolWebhook, INJECT_CA } from './pool-webhook-checks.js';
import type { PoolWebhookEntry, PoolWebhookProps } from './pool-webhook-props.js';
import { clientConfigOf } from './webhook-client.js';
import { lockWarnings, reachedBy } from './webhook-lock.js';
import { ruleOf, type RuleTarget, rulesOf } from './webhook-rules.js';
import { givenSettings } from './webhook-settings.js';

/** Attributes of a PoolWebhook. */
export interface PoolWebhookAttributes {
  /** Name of the configuration object, if metadata sets it. */
  readonly configurationName?: string;
  /** Warnings about webhooks that can lock the cluster while the server is down, or that cannot work. */
  readonly warnings: readonly EdgeWarning[];
}

const OWN_NAME = { path: ['metadata', 'name'], hint: 'give one of them another name, or remove one' };

/**
 * Plans a webhook configuration for an admission server of the user.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolWebhook(props: PoolWebhookProps, scope: Scope): Plan<PoolWebhookAttributes> {
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
    attributes: {
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

/** What the rules behind the short names depend on. */
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
 * The default failurePolicy: `Ignore` if the rules match requests that the server needs to start again, like OpenYurt's own webhooks for Pods and Nodes;
 * otherwise `Fail`, the default of the API server.
 */
function failurePolicyOf({ failurePolicy, rules }: PoolWebhookEntry, target: RuleTarget): 'Fail' | 'Ignore' {
  return (
    failurePolicy ??
    compute(rules, (all) => (reachedBy(all.map((rule) => ruleOf(rule, target))).length > 0 ? 'Ignore' : 'Fail'))
  );
}

/** Warnings about webhooks that can lock the cluster or cannot work. Those that depend on unknown values follow when the values are known. */
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
              message: `${name} is served by a Service and has no CA for its certificate: every call fails until caBundle is set`,
              hint: 'write caBundle, or injectCaFrom if cert-manager issues the certificate',
            },
          ]
        : []),
    ];
  });
}

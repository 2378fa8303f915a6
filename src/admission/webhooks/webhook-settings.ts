import type { ProblemList } from '../../errors.js';
import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../../cluster/kubernetes-capabilities.js';
import { isMap } from '../../validation/plain-data.js';
import { checkLabelSelector, type LabelSelector } from '../../kubernetes/label-selector.js';
import { isQualifiedName } from '../../kubernetes/label-syntax.js';
import type { FailurePolicy } from '../../cluster/openyurt-webhook.js';
import { checkKnownProperties, checkOneOf, showValue } from '../../validation/properties.js';

/**
 * A CEL expression that a request must fulfil before a webhook is called for it.
 *
 * @category Admit Pods and Nodes
 */
export interface MatchCondition {
  /** Name, unique within the webhook: letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** CEL expression over `object`, `oldObject`, `request` and `authorizer`; it must give a boolean. It is not compiled here. */
  readonly expression: string;
}

/**
 * When a webhook is called, and what happens when its server does not answer.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookSettings {
  /** What happens while the server does not answer. `Fail` on Pods, Nodes or Leases can lock a cluster in which the server itself runs.
   * @default - as the construct says */
  readonly failurePolicy?: FailurePolicy;
  /** How long the API server waits for an answer, 1 to 30 seconds. Every request that the webhook looks at waits as long.
   * @default - 10 seconds, the default of the API server */
  readonly timeoutSeconds?: number;
  /** Namespaces whose objects are looked at. It does nothing for Nodes, NodePools and other objects without namespace.
   * @default - all */
  readonly namespaceSelector?: LabelSelector;
  /** Objects that are looked at, by their labels. Whoever writes an object can choose its labels.
   * @default - all */
  readonly objectSelector?: LabelSelector;
  /** Requests that are looked at, by CEL expressions (Kubernetes 1.28+). At most 64.
   * @default - all */
  readonly matchConditions?: MatchCondition[];
}

/** Names of the settings. */
export const WEBHOOK_SETTINGS = [
  'failurePolicy',
  'timeoutSeconds',
  'namespaceSelector',
  'objectSelector',
  'matchConditions',
];

/** Label that every namespace has since Kubernetes 1.21; its value is the name of the namespace. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** Checks settings as the API server does (`pkg/apis/admissionregistration/validation`). */
export function checkWebhookSettings(
  settings: { [K in keyof WebhookSettings]: unknown },
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  checkOneOf(settings.failurePolicy, ['Fail', 'Ignore'], problems.at('failurePolicy'));
  const { timeoutSeconds } = settings;
  if (
    timeoutSeconds !== undefined &&
    !(Number.isInteger(timeoutSeconds) && (timeoutSeconds as number) >= 1 && (timeoutSeconds as number) <= 30)
  ) {
    problems
      .at('timeoutSeconds')
      .add(
        'EDGE_VALUE',
        `${showValue(timeoutSeconds)} is not a whole number of seconds from 1 to 30`,
        'write timeoutSeconds: 10, or less: every request that the webhook looks at can wait that long',
      );
  }
  checkLabelSelector(settings.namespaceSelector, problems.at('namespaceSelector'));
  checkLabelSelector(settings.objectSelector, problems.at('objectSelector'));
  checkMatchConditions(settings.matchConditions, cluster, problems.at('matchConditions'));
}

function checkMatchConditions(conditions: unknown, cluster: EdgeCluster | undefined, problems: ProblemList): void {
  if (conditions === undefined) {
    return;
  }
  if (!Array.isArray(conditions)) {
    problems.add('EDGE_TYPE', 'matchConditions must be a list', "write [{ name: 'edge', expression: '…' }]");
    return;
  }
  if (cluster !== undefined && conditions.length > 0 && !hasWebhookMatchConditions(cluster)) {
    problems.add(
      'EDGE_MATCH_CONDITIONS',
      `Kubernetes ${cluster.kubernetes} drops matchConditions silently, and the webhook would look at everything`,
      'use objectSelector or namespaceSelector; matchConditions begin with Kubernetes 1.28',
    );
  }
  if (conditions.length > 64) {
    problems.add(
      'EDGE_VALUE',
      `there are ${conditions.length} conditions`,
      'write at most 64, joined with && if need be',
    );
  }
  const seen = new Set<unknown>();
  conditions.forEach((condition: unknown, index) => {
    const at = problems.at(index);
    if (!isMap(condition)) {
      at.add('EDGE_TYPE', 'a condition must be a map', "write { name: 'edge', expression: '…' }");
      return;
    }
    checkKnownProperties(condition, ['name', 'expression'], at);
    const { name, expression } = condition;
    if (typeof name !== 'string' || !isQualifiedName(name)) {
      at.at('name').add('EDGE_NAME', `${showValue(name)} is not a name of a condition`, "write name: 'exclude-system'");
    } else if (seen.has(name)) {
      at.at('name').add('EDGE_DUPLICATE', `two conditions are called ${name}`, 'give each a name of its own');
    }
    seen.add(name);
    if (typeof expression !== 'string' || expression.trim() === '') {
      at.at('expression').add(
        'EDGE_MISSING',
        'a condition needs a CEL expression',
        'write expression: \'request.userInfo.username != "system:node:edge1"\'',
      );
    }
  });
}

/** The settings that are given, and nothing else: fields of a webhook. */
export function givenSettings(input: WebhookSettings): WebhookSettings {
  return Object.fromEntries(
    WEBHOOK_SETTINGS.map((name) => [name, input[name as keyof WebhookSettings]] as const).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

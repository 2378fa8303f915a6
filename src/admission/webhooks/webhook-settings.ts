import type { ProblemList } from '../../errors.js';
import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../../cluster/kubernetes-capabilities.js';
import { isMap } from '../../validation/plain-data.js';
import { checkLabelSelector, type LabelSelector } from '../../kubernetes/label-selector.js';
import { isQualifiedName } from '../../kubernetes/label-syntax.js';
import type { FailurePolicy } from '../../cluster/openyurt-webhook.js';
import { showValue } from '../../validation/properties.js';
import {
  checkProperties,
  listOf,
  mapWith,
  oneOf,
  optional,
  type PropertyTable,
} from '../../validation/property-table.js';

/**
 * A CEL expression that a request must fulfil before a webhook is called for it.
 *
 * @category Admit Pods and Nodes
 */
export interface MatchCondition {
  /** Name, unique within the webhook: letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** CEL expression over `object`, `oldObject`, `request` and `authorizer`; it must be a boolean. It is not compiled here. */
  readonly expression: string;
}

/**
 * When a webhook is called, and what happens when its server does not answer.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookSettings {
  /** What happens while the server does not answer. `Fail` on Pods, Nodes or Leases can lock a cluster in which the server itself runs.
   * @default - as set for the construct */
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

/** Label that every namespace has since Kubernetes 1.21; its value is the name of the namespace. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** The settings, as the API server checks them (`pkg/apis/admissionregistration/validation`). */
export function webhookSettings(cluster: EdgeCluster | undefined): PropertyTable<WebhookSettings> {
  return {
    failurePolicy: oneOf('Fail', 'Ignore'),
    timeoutSeconds: optional(checkTimeout),
    namespaceSelector: checkLabelSelector,
    objectSelector: checkLabelSelector,
    matchConditions: optional((conditions, problems) => checkMatchConditions(conditions, cluster, problems)),
  };
}

function checkTimeout(seconds: unknown, problems: ProblemList): void {
  if (!(Number.isInteger(seconds) && (seconds as number) >= 1 && (seconds as number) <= 30)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(seconds)} is not a whole number of seconds from 1 to 30`,
      'write timeoutSeconds: 10, or less: every request that the webhook looks at can wait that long',
    );
  }
}

const checkCondition = mapWith(
  (condition, problems) => checkProperties(condition, CONDITION, problems),
  'a condition must be a map',
  "write { name: 'edge', expression: '…' }",
);

const CONDITIONS = listOf(
  (condition, problems) => checkCondition(condition ?? null, problems),
  "write [{ name: 'edge', expression: '…' }]",
  'matchConditions must be a list',
);

const CONDITION: PropertyTable<MatchCondition> = {
  name: (name, problems) => {
    if (typeof name !== 'string' || !isQualifiedName(name)) {
      problems.add('EDGE_NAME', `${showValue(name)} is not a name of a condition`, "write name: 'exclude-system'");
    }
  },
  expression: (expression, problems) => {
    if (typeof expression !== 'string' || expression.trim() === '') {
      problems.add(
        'EDGE_MISSING',
        'a condition needs a CEL expression',
        'write expression: \'request.userInfo.username != "system:node:edge1"\'',
      );
    }
  },
};

function checkMatchConditions(conditions: unknown, cluster: EdgeCluster | undefined, problems: ProblemList): void {
  CONDITIONS(conditions, problems);
  if (!Array.isArray(conditions)) {
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
  const names = conditions.map((condition: unknown) => (isMap(condition) ? condition.name : undefined));
  names.forEach((name, index) => {
    if (typeof name === 'string' && isQualifiedName(name) && names.indexOf(name) < index) {
      problems
        .at(index, 'name')
        .add('EDGE_DUPLICATE', `two conditions are called ${name}`, 'give each a name of its own');
    }
  });
}

/** The settings that are given, and nothing else: fields of a webhook. */
export function givenSettings(input: WebhookSettings): WebhookSettings {
  return Object.fromEntries(
    Object.keys(webhookSettings(undefined))
      .map((name) => [name, input[name as keyof WebhookSettings]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../cluster/kubernetes-capabilities.js';
import { isMap } from '../base/plain-data.js';
import { checkLabelSelector, type LabelSelector } from '../kubernetes/label-selector.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import { numberAsText, showValue } from '../base/properties.js';
import { checkProperties, listOf, mapWith, oneOf, optional, type PropertyTable } from '../base/property-table.js';

/**
 * A CEL expression that must be true for a request; otherwise the webhook is not called for it.
 *
 * @category Admit Pods and Nodes
 */
export interface MatchCondition {
  /** Name, unique within the webhook: letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** CEL expression over `object`, `oldObject`, `request` and `authorizer` that returns a boolean. Its syntax is not checked. */
  readonly expression: string;
}

/**
 * For which requests a webhook is called, and what happens if its server does not respond.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookSettings {
  /** Whether a request is refused (`Fail`) or admitted (`Ignore`) if the server does not respond. `Fail` for Pods, Nodes or Leases can lock the cluster in
   * which the server runs.
   * @default - for one of several webhooks of OpenYurtWebhooks: as for all of them, else as in the chart; for PoolWebhook: Ignore if the rules match
   * requests that the server needs to start again, else Fail */
  readonly failurePolicy?: FailurePolicy;
  /** How long the API server waits for a response, 1 to 30 seconds. Every request that the webhook matches can wait that long.
   * @default - 10 seconds, the default of the API server */
  readonly timeoutSeconds?: number;
  /** Namespaces whose objects match. It has no effect on Nodes, NodePools and other cluster-scoped objects.
   * @default - all */
  readonly namespaceSelector?: LabelSelector;
  /** Labels of the objects that match. Users who can write an object can choose its labels.
   * @default - all */
  readonly objectSelector?: LabelSelector;
  /** CEL expressions that must all be true for a request (Kubernetes 1.28+). At most 64.
   * @default - all */
  readonly matchConditions?: MatchCondition[];
}

/** Label of every namespace since Kubernetes 1.21; its value is the name of the namespace. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/** Checks settings as the API server does (`pkg/apis/admissionregistration/validation`). */
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
      numberAsText(seconds)?.message ?? `${showValue(seconds)} is not a whole number of seconds from 1 to 30`,
      numberAsText(seconds)?.hint ??
        'write timeoutSeconds: 10, or less: every request that the webhook matches can wait that long',
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
      `Kubernetes ${cluster.kubernetes} drops matchConditions silently, and the webhook would match all requests`,
      'use objectSelector or namespaceSelector; matchConditions exist from Kubernetes 1.28 on',
    );
  }
  if (conditions.length > 64) {
    problems.add(
      'EDGE_VALUE',
      `there are ${conditions.length} conditions`,
      'write at most 64; several can be joined with &&',
    );
  }
  const names = conditions.map((condition: unknown) => (isMap(condition) ? condition.name : undefined));
  names.forEach((name, index) => {
    if (typeof name === 'string' && isQualifiedName(name) && names.indexOf(name) < index) {
      problems
        .at(index, 'name')
        .add('EDGE_DUPLICATE', `two conditions have the name ${name}`, 'give each condition a unique name');
    }
  });
}

/** The settings that are given, as fields of a webhook. */
export function givenSettings(input: WebhookSettings): WebhookSettings {
  return Object.fromEntries(
    Object.keys(webhookSettings(undefined))
      .map((name) => [name, input[name as keyof WebhookSettings]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

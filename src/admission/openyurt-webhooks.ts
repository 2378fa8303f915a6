import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import { type Plan, type PlannedObject, shownWarning } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { claimAdmissionNames } from './claimed-names.js';
import { chosenWebhooks, openYurtWebhookConfiguration, openYurtWebhookWarnings } from './openyurt-configurations.js';
import { type OpenYurtWebhooksProps, TEMPLATE_ANNOTATION } from './openyurt-webhooks-props.js';
import { EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../cluster/kubernetes-capabilities.js';
import { firstOpenYurtWith, openYurtKeepsMatchConditions } from '../cluster/openyurt-capabilities.js';
import { checkNamespace } from '../kubernetes/names.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { checkOwnLabels } from '../kubernetes/labels.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { checkBoolean, nearest, showValue } from '../base/properties.js';
import { type PropertyTable, checkProperties, listOf, mapWith, optional, plain } from '../base/property-table.js';
import { type WebhookSettings, webhookSettings } from './webhook-settings.js';
import { checkControllers, checkIndependentWebhooks } from './yurt-manager-flags.js';

/** Attributes of OpenYurtWebhooks. */
export interface OpenYurtWebhooksAttributes {
  /** The webhooks that are written, as the chart ships them, in its order. */
  readonly webhooks: readonly OpenYurtWebhook[];
  /** Warnings about webhooks that can lock the cluster while yurt-manager is down. */
  readonly warnings: readonly EdgeWarning[];
}

const ONCE = {
  path: ['cluster'],
  hint: 'remove one of them: a cluster has these two objects only once (or give each EdgeCluster a name, if these are two clusters)',
};

/**
 * Plans the webhook configurations of yurt-manager.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planOpenYurtWebhooks(props: OpenYurtWebhooksProps, scope: Scope): Plan<OpenYurtWebhooksAttributes> {
  const problems = problemsOf(scope);
  const subject = `OpenYurtWebhooks ${scope.path}`;
  checkOpenYurtWebhooks(props ?? {}, problems);
  problems.throwIfAny(subject);
  const objects = (['mutating', 'validating'] as const).map((type): PlannedObject => ({
    object: openYurtWebhookConfiguration(type, props),
    apply: 'create',
    id: type,
  }));
  claimAdmissionNames(scope, props.cluster, objects, ONCE, problems);
  problems.throwIfAny(subject);
  const warnings = openYurtWebhookWarnings(props);
  return {
    subject,
    objects,
    cluster: props.cluster,
    attributes: { webhooks: chosenWebhooks(props), warnings: warnings.map(shownWarning) },
    warnings,
    artifacts: [],
  };
}

const ADVICE: Readonly<Record<string, string>> = {
  caBundle: 'leave it out: yurt-manager creates its certificate and writes caBundle',
  service: 'leave it out: yurt-manager writes the Service; if yurt-manager runs in another namespace, write namespace',
  matchPolicy: 'leave it out: with Exact, the webhook is not called for NodePools in another API version',
  name: 'leave it out: yurt-manager requires the names of the chart',
  without: 'did you mean exclude?',
};

/** The properties. The valid values of some depend on the webhooks of the release. */
function properties(cluster: EdgeCluster | undefined): PropertyTable<OpenYurtWebhooksProps> {
  const release = cluster?.hasOpenYurt() === true ? cluster : undefined;
  return {
    ...webhookSettings(cluster),
    cluster: plain(checkCluster),
    namespace: optional(checkNamespace),
    webhooks: mapWith(
      (webhooks, problems) => checkSettingsByKey(webhooks, release, problems),
      'webhooks must be a map',
      "write webhooks: { pods: { failurePolicy: 'Fail' } }",
    ),
    exclude: plain(
      listOf((key, problems) => checkKey(key, release, problems), "write exclude: ['pods']", 'exclude must be a list'),
    ),
    controllers: plain(checkControllers),
    disableIndependentWebhooks: plain(checkIndependentWebhooks),
    template: checkBoolean,
    metadata: checkOwnMetadata,
  };
}

/** Checks the properties of OpenYurtWebhooks. */
function checkOpenYurtWebhooks(input: OpenYurtWebhooksProps, problems: ProblemList): void {
  const cluster = input.cluster instanceof EdgeCluster ? input.cluster : undefined;
  checkProperties(input, properties(cluster), problems, ADVICE);
  checkKept(input, cluster, problems);
  if (cluster?.hasOpenYurt() === false) {
    problems
      .at('cluster')
      .add(
        'EDGE_NO_OPENYURT',
        'without OpenYurt no yurt-manager serves its webhooks',
        'remove OpenYurtWebhooks; for your own admission server use PoolWebhook',
      );
  }
}

function checkSettingsByKey(
  webhooks: Record<string, unknown>,
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  if (cluster === undefined) {
    return;
  }
  for (const [key, value] of Object.entries(webhooks)) {
    const at = problems.at(key);
    const named = webhooksOf(key, cluster);
    checkKey(key, cluster, at);
    if (!isMap(value)) {
      at.add('EDGE_TYPE', 'settings must be a map', "write { failurePolicy: 'Fail' }");
      continue;
    }
    checkProperties(value, webhookSettings(cluster), at, ADVICE);
    checkKept(value, cluster, at);
    if (value.namespaceSelector !== undefined && named.length > 0 && named.every(({ scope }) => scope === 'Cluster')) {
      at.at('namespaceSelector').add(
        'EDGE_CONTRADICTION',
        `${named[0]?.resource} are cluster-scoped, and a namespaceSelector has no effect on them`,
        'use objectSelector or matchConditions',
      );
    }
  }
}

/** Refuses settings that the yurt-manager of the release drops. */
function checkKept(
  settings: { [K in keyof WebhookSettings]: unknown },
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  if (cluster?.hasOpenYurt() === true && settings.matchConditions !== undefined && hasWebhookMatchConditions(cluster)) {
    if (!openYurtKeepsMatchConditions(cluster)) {
      problems
        .at('matchConditions')
        .add(
          'EDGE_MATCH_CONDITIONS',
          `the yurt-manager of OpenYurt ${cluster.openYurt} drops matchConditions when it writes the object, and the webhook would match all requests`,
          `use objectSelector or namespaceSelector; ${firstOpenYurtWith((release) => release.keepsMatchConditions)} and later keep matchConditions`,
        );
    }
  }
}

/** The webhooks of the release with a key: the name of one webhook, or the resource of several. */
function webhooksOf(key: string, cluster: EdgeCluster): OpenYurtWebhook[] {
  return cluster.openYurtWebhooks().filter(({ name, resource }) => name === key || resource === key);
}

function checkKey(key: unknown, cluster: EdgeCluster | undefined, problems: ProblemList): void {
  if (cluster === undefined || (typeof key === 'string' && webhooksOf(key, cluster).length > 0)) {
    return;
  }
  const resources = [...new Set(cluster.openYurtWebhooks().map(({ resource }) => resource))].sort();
  const near = nearest(showValue(key), [...resources, ...cluster.openYurtWebhooks().map(({ name }) => name)]);
  problems.add(
    'EDGE_VALUE',
    `OpenYurt ${cluster.openYurt} has no webhook ${showValue(key)}`,
    near === undefined ? `write one of ${resources.join(', ')}, or the name of a webhook` : `did you mean '${near}'?`,
  );
}

/** Checks metadata of objects whose names are fixed. */
function checkOwnMetadata(metadata: unknown, problems: ProblemList): void {
  checkMadeMetadata(metadata, problems);
  if (!isMap(metadata)) {
    return;
  }
  for (const field of ['name', 'namespace']) {
    if (metadata[field] !== undefined) {
      problems
        .at(field)
        .add(
          'EDGE_RESERVED_KEY',
          'yurt-manager requires two cluster-scoped objects with the names of the chart',
          'remove it',
        );
    }
  }
  checkOwnLabels(metadata, problems);
  if (Object.hasOwn(mapAt(metadata, 'annotations'), TEMPLATE_ANNOTATION)) {
    problems
      .at('annotations', TEMPLATE_ANNOTATION)
      .add(
        'EDGE_RESERVED_KEY',
        `${TEMPLATE_ANNOTATION} is reserved: managed by edge-nodepools (template)`,
        'remove it',
      );
  }
}

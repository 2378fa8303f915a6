import type { ProblemList } from '../../errors.js';
import { checkCluster, EdgeCluster } from '../../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../../cluster/kubernetes-capabilities.js';
import { openYurtKeepsMatchConditions } from '../../cluster/openyurt-capabilities.js';
import type { OpenYurtWebhook } from '../../cluster/openyurt-webhook.js';
import { checkNamespace } from '../../kubernetes/names.js';
import { checkMetadata } from '../../kubernetes/object-input.js';
import { checkOwnLabels } from '../../kubernetes/own-labels.js';
import { isMap, mapAt } from '../../validation/plain-data.js';
import { checkBoolean, nearest, showValue } from '../../validation/properties.js';
import {
  checkProperties,
  listOf,
  mapWith,
  optional,
  plain,
  type PropertyTable,
} from '../../validation/property-table.js';
import { webhookSettings, type WebhookSettings } from '../webhooks/webhook-settings.js';
import { checkControllers, checkIndependentWebhooks } from './controllers.js';
import { type OpenYurtWebhooksProps, TEMPLATE_ANNOTATION } from './openyurt-webhooks-props.js';

const ADVICE: Readonly<Record<string, string>> = {
  caBundle: 'yurt-manager makes its own certificate and writes caBundle itself: leave it out',
  service: 'yurt-manager writes the Service itself: leave it out, and write namespace where it runs elsewhere',
  matchPolicy: 'leave it out: with Exact, NodePools written in another API version would pass unseen',
  name: 'yurt-manager looks for the names of the chart: leave it out',
  without: 'did you mean exclude?',
};

/** The properties; what may stand in some of them depends on the webhooks of the release. */
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

/** Checks everything about OpenYurt's webhooks. */
export function checkOpenYurtWebhooks(input: OpenYurtWebhooksProps, problems: ProblemList): void {
  const cluster = input.cluster instanceof EdgeCluster ? input.cluster : undefined;
  checkProperties(input, properties(cluster), problems, ADVICE);
  checkKept(input, cluster, problems);
  if (cluster?.hasOpenYurt() === false) {
    problems
      .at('cluster')
      .add(
        'EDGE_NO_OPENYURT',
        'without OpenYurt nobody serves its webhooks',
        'remove OpenYurtWebhooks; for a server of your own use PoolWebhook',
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
        `${named[0]?.resource} have no namespace, and a namespaceSelector does nothing for them`,
        'use objectSelector or matchConditions',
      );
    }
  }
}

/** What the yurt-manager of the release would drop. */
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
          `the yurt-manager of OpenYurt ${cluster.openYurt} drops matchConditions when it writes the object, and the webhook would look at everything`,
          'use objectSelector or namespaceSelector; OpenYurt 1.5 and later keep matchConditions',
        );
    }
  }
}

/** The webhooks of the release that a key means: those of a resource, or the one of a name. */
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

/** Metadata of an object whose name is fixed. */
function checkOwnMetadata(metadata: unknown, problems: ProblemList): void {
  checkMetadata(metadata, problems);
  if (!isMap(metadata)) {
    return;
  }
  for (const field of ['name', 'namespace']) {
    if (metadata[field] !== undefined) {
      problems
        .at(field)
        .add(
          'EDGE_RESERVED_KEY',
          'yurt-manager looks for two cluster-scoped objects by the names of the chart',
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

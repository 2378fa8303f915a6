import type { ProblemList } from '../../errors.js';
import { checkCluster, type EdgeCluster } from '../../cluster/edge-cluster.js';
import { hasWebhookMatchConditions } from '../../cluster/kubernetes-capabilities.js';
import { openYurtKeepsMatchConditions } from '../../cluster/openyurt-capabilities.js';
import type { ObjectMetadata } from '../../kubernetes/object.js';
import { isMap, mapAt } from '../../validation/plain-data.js';
import { checkNamespace } from '../../kubernetes/names.js';
import { checkOwnLabels } from '../../kubernetes/own-labels.js';
import { checkBoolean, checkKnownProperties, nearest, showValue } from '../../validation/properties.js';
import { checkWebhookSettings, WEBHOOK_SETTINGS, type WebhookSettings } from '../webhooks/webhook-settings.js';
import { checkMetadata } from '../../kubernetes/object-input.js';
import { checkFlags } from './controllers.js';
import type { OpenYurtWebhook } from '../../cluster/openyurt-webhook.js';

/**
 * Properties of {@link OpenYurtWebhooks}. The settings that stand here count for all of its webhooks, those in `webhooks` for some.
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhooksProps extends WebhookSettings {
  /** The cluster; it must have OpenYurt. */
  readonly cluster: EdgeCluster;
  /** Namespace in which yurt-manager and its Service run: the namespace of the Helm release.
   * @default kube-system */
  readonly namespace?: string;
  /** Settings of some webhooks, by resource (`pods`, `nodes`, `nodepools` …) or by name (`mutate.core.v1.pod.openyurt.io`); the name
   * counts more than the resource, and both more than the settings for all.
   * @default - none */
  readonly webhooks?: Record<string, WebhookSettings>;
  /** Webhooks that are left out, by resource or by name.
   * @default - none */
  readonly without?: string[];
  /** The flag `--controllers` of yurt-manager (chart value `controllers`, split at the commas), so that only webhooks are written that it
   * serves. Entries that it does not serve it removes when it starts, and every apply would bring them back for a moment.
   * @default - every webhook that the chart ships */
  readonly controllers?: string[];
  /** The flag `--disable-independent-webhooks` of yurt-manager (chart value `disableIndependentWebhooks`): `node`, `pod`, `endpoints`,
   * `endpointslice` or `*`.
   * @default - none */
  readonly disableIndependentWebhooks?: string[];
  /** Whether the annotation `yurt-manager-template` is written too. yurt-manager takes the webhooks from there: with it, a change is in effect
   * once it is applied; without it, yurt-manager writes the annotation when it first sees the object, and undoes every later change.
   * @default true */
  readonly template?: boolean;
  /** Labels and annotations of the two objects.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
}

const PROPERTIES = [
  'cluster',
  'namespace',
  'webhooks',
  'without',
  'controllers',
  'disableIndependentWebhooks',
  'template',
  'metadata',
  ...WEBHOOK_SETTINGS,
];

const ADVICE: Readonly<Record<string, string>> = {
  caBundle: 'yurt-manager makes its own certificate and writes caBundle itself: leave it out',
  service: 'yurt-manager writes the Service itself: leave it out, and write namespace where it runs elsewhere',
  matchPolicy: 'leave it out: with Exact, NodePools written in another API version would pass unseen',
  name: 'yurt-manager looks for the names of the chart: leave it out',
  exclude: 'did you mean without?',
};

/** The annotation from which yurt-manager takes the webhooks (`pkg/yurtmanager/webhook/util/configuration/configuration.go`). */
export const TEMPLATE_ANNOTATION = 'yurt-manager-template';

/** Checks everything about OpenYurt's webhooks. */
export function checkOpenYurtWebhooks(input: OpenYurtWebhooksProps, problems: ProblemList): void {
  const hasCluster = checkCluster(input.cluster, problems.at('cluster'));
  const cluster = hasCluster ? input.cluster : undefined;
  checkKnownProperties(input, PROPERTIES, problems, ADVICE);
  if (cluster?.hasOpenYurt() === false) {
    problems
      .at('cluster')
      .add(
        'EDGE_NO_OPENYURT',
        'without OpenYurt nobody serves its webhooks',
        'remove OpenYurtWebhooks; for a server of your own use PoolWebhook',
      );
  }
  if (input.namespace !== undefined) {
    checkNamespace(input.namespace, problems.at('namespace'));
  }
  checkFlags(input, problems);
  checkBoolean(input.template, problems.at('template'));
  checkOwnMetadata(input.metadata, problems.at('metadata'));
  checkSettings(input, cluster, problems);
  if (cluster?.hasOpenYurt() !== true) {
    return;
  }
  checkWithout(input.without, cluster, problems.at('without'));
  const settings: unknown = input.webhooks ?? {};
  if (!isMap(settings)) {
    problems
      .at('webhooks')
      .add('EDGE_TYPE', 'webhooks must be a map', "write webhooks: { pods: { failurePolicy: 'Fail' } }");
    return;
  }
  for (const [key, value] of Object.entries(settings)) {
    const at = problems.at('webhooks', key);
    const named = webhooksOf(key, cluster);
    checkKey(key, cluster, at);
    if (!isMap(value)) {
      at.add('EDGE_TYPE', 'settings must be a map', "write { failurePolicy: 'Fail' }");
      continue;
    }
    checkKnownProperties(value, WEBHOOK_SETTINGS, at, ADVICE);
    checkSettings(value, cluster, at);
    if (value.namespaceSelector !== undefined && named.length > 0 && named.every(({ scope }) => scope === 'Cluster')) {
      at.at('namespaceSelector').add(
        'EDGE_CONTRADICTION',
        `${named[0]?.resource} have no namespace, and a namespaceSelector does nothing for them`,
        'use objectSelector or matchConditions',
      );
    }
  }
}

function checkSettings(
  settings: { [K in keyof WebhookSettings]: unknown },
  cluster: EdgeCluster | undefined,
  problems: ProblemList,
): void {
  checkWebhookSettings(settings, cluster, problems);
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
export function webhooksOf(key: string, cluster: EdgeCluster): OpenYurtWebhook[] {
  return cluster.openYurtWebhooks().filter(({ name, resource }) => name === key || resource === key);
}

function checkKey(key: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (typeof key === 'string' && webhooksOf(key, cluster).length > 0) {
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

function checkWithout(without: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (without === undefined) {
    return;
  }
  if (!Array.isArray(without)) {
    problems.add('EDGE_TYPE', 'without must be a list', `write without: [${JSON.stringify(without)}]`);
    return;
  }
  without.forEach((key: unknown, index) => checkKey(key, cluster, problems.at(index)));
}

/** Metadata of an object whose name is not the user's to choose. */
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
      .add('EDGE_RESERVED_KEY', `${TEMPLATE_ANNOTATION} is not the user’s to set`, 'remove it');
  }
}

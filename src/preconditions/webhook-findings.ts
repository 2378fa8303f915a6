import { CONFIGURATIONS, SERVICE } from '../admission/openyurt-configurations.js';
import { isServed } from '../admission/yurt-manager-flags.js';
import { OPENYURT_RELEASES, type OpenYurtRelease } from '../cluster/openyurt-releases.js';
import type { OpenYurtWebhook } from '../cluster/openyurt-webhook.js';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../kubernetes/labels.js';
import { shellScript } from '../base/shell-script.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import type { PreconditionFile } from './precondition.js';
import { shell } from './shell-parts.js';
import { DEFAULT_YURT_MANAGER, type YurtManagerFact, yurtManagerFact } from './yurt-manager-fact.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A webhook of yurt-manager that is not what its release serves. */
export interface WebhookFinding {
  readonly webhook: string;
  /** `missing`: an upgrade has lost it, and nothing does its work. `harmful`: it is of another release, or cannot be called. */
  readonly state: 'missing' | 'harmful';
  readonly reason: string;
}

const configurationsIn = (objects: readonly PlainMap[]): PlainMap[] =>
  objects.filter((object) =>
    Object.values(CONFIGURATIONS).some(
      ({ kind, name }) => object.kind === kind && mapAt(object, 'metadata').name === name,
    ),
  );

const webhooksIn = (configuration: PlainMap): PlainMap[] => {
  const { webhooks } = configuration;
  return Array.isArray(webhooks) ? webhooks.filter(isMap) : [];
};

const pathIn = (webhook: PlainMap): unknown => valueAt(webhook, ['clientConfig', 'service', 'path']);

/** The rules of a webhook as text, like those in the lines of {@link webhooksFile}. */
function rulesIn({ rules }: PlainMap): string {
  const listOf = (value: unknown): string => `[${itemsOf(value).join(' ')}]`;
  return (Array.isArray(rules) ? rules.filter(isMap) : [])
    .map((rule) => ` ${[rule.apiGroups, rule.apiVersions, rule.resources, rule.operations].map(listOf).join('')}`)
    .join('');
}

/** The rules that a release gives a webhook. */
const rulesOf = ({ apiGroup, apiVersion, resource, operations }: OpenYurtWebhook): string =>
  ` [${apiGroup}][${apiVersion}][${resource}][${operations.join(' ')}]`;

/**
 * The webhooks that a release serves in a cluster, with the flags of its yurt-manager.
 *
 * @param before the release in the dump: a program that declares the configurations can leave out some of its webhooks
 */
export function expectedWebhooks(
  release: OpenYurtRelease,
  objects: readonly PlainMap[],
  before: OpenYurtRelease = release,
): OpenYurtWebhook[] {
  const { flags } = yurtManagerFact(objects) ?? DEFAULT_YURT_MANAGER;
  const declared = configurationsIn(objects).filter(
    (object) => mapAt(mapAt(object, 'metadata'), 'labels')[MANAGED_BY_LABEL] === MANAGED_BY,
  );
  const paths = declared.flatMap(webhooksIn).map(pathIn);
  const leftOut = declared.length === 0 ? [] : before.webhooks.filter(({ path }) => !paths.includes(path));
  return release.webhooks.filter(
    (webhook) =>
      isServed(webhook, flags) &&
      !leftOut.some(({ resource, type }) => resource === webhook.resource && type === webhook.type),
  );
}

/** The webhooks of a release as lines, like those that `wrong_webhooks` of webhooks.sh makes of the cluster. */
export function webhooksFile(webhooks: readonly OpenYurtWebhook[], { namespace }: YurtManagerFact): PreconditionFile {
  const lines = webhooks.map(
    (webhook) =>
      `${CONFIGURATIONS[webhook.type].kind} ${webhook.name} ${namespace}/${SERVICE}${webhook.path}${rulesOf(webhook)}\n`,
  );
  return { path: 'files/webhooks.txt', content: lines.join('') };
}

/**
 * Finds the webhooks that an upgrade of yurt-manager has lost or kept, in the configurations of a dump. If it has none of yurt-manager, they are lost if it
 * has others, and yurt-manager: so the kind was read.
 */
export function findWebhooks(release: OpenYurtRelease | undefined, objects: readonly PlainMap[]): WebhookFinding[] {
  const configurations = configurationsIn(objects);
  const manager = yurtManagerFact(objects);
  const { version, namespace } = manager ?? DEFAULT_YURT_MANAGER;
  const isRead =
    configurations.length > 0 ||
    (manager !== undefined && objects.some(({ kind }) => Object.values(CONFIGURATIONS).some((of) => of.kind === kind)));
  // what runs is judged, also if the cluster is named otherwise
  const running = OPENYURT_RELEASES.find((row) => version?.startsWith(`${row.release}.`)) ?? release;
  if (!isRead || running === undefined) {
    return [];
  }
  const expected = expectedWebhooks(running, objects);
  const found = configurations.flatMap((configuration) =>
    webhooksIn(configuration).map((webhook) => ({ kind: configuration.kind, webhook })),
  );
  const authorities = found.map(({ webhook }) => valueAt(webhook, ['clientConfig', 'caBundle']));
  const missing = expected.filter(
    ({ type, name }) => !found.some(({ kind, webhook }) => kind === CONFIGURATIONS[type].kind && webhook.name === name),
  );
  const wrongIn = (kind: unknown, webhook: PlainMap, index: number): string | undefined => {
    const known = running.webhooks.find(
      ({ type, name }) => name === webhook.name && kind === CONFIGURATIONS[type].kind,
    );
    const service = mapAt(mapAt(webhook, 'clientConfig'), 'service');
    if (known === undefined) {
      return `yurt-manager of ${running.release} does not serve it`;
    }
    if (pathIn(webhook) !== known.path) {
      return `its path is ${String(pathIn(webhook))}, and ${running.release} serves ${known.path}`;
    }
    if (rulesIn(webhook) !== rulesOf(known)) {
      return `its rules are${rulesIn(webhook)}, those of ${running.release} are${rulesOf(known)}`;
    }
    if (service.name !== SERVICE || service.namespace !== namespace) {
      return `its Service is ${String(service.namespace)}/${String(service.name)}, not ${namespace}/${SERVICE}, which leads to yurt-manager`;
    }
    if (authorities[index] === undefined || authorities[index] === '') {
      return 'it has no CA, so the API server cannot call it';
    }
    return authorities[index] === authorities[0] ? undefined : 'its CA differs from that of the others';
  };
  return [
    ...missing.map(({ name, resource, operations }): WebhookFinding => ({
      webhook: name,
      state: 'missing',
      reason: `yurt-manager of ${running.release} serves it for ${operations.join(', ')} of ${resource}, and the API server does not call it: an upgrade has kept the webhooks of an earlier release`,
    })),
    ...found.flatMap(({ kind, webhook }, index): WebhookFinding[] => {
      const reason = wrongIn(kind, webhook, index);
      return reason === undefined ? [] : [{ webhook: String(webhook.name), state: 'harmful', reason }];
    }),
  ];
}

/** The script that repairs webhooks; none if there is nothing to repair. */
export function webhooksScript(release: OpenYurtRelease | undefined, objects: readonly PlainMap[]): PreconditionFile[] {
  const fact = yurtManagerFact(objects) ?? DEFAULT_YURT_MANAGER;
  const running = OPENYURT_RELEASES.find((row) => fact.version?.startsWith(`${row.release}.`)) ?? release;
  if (findWebhooks(release, objects).length === 0 || running === undefined) {
    return [];
  }
  const content = shellScript({
    comments: [
      'Replaces the webhooks of yurt-manager by those of its release, which an upgrade has lost. It can be repeated.',
    ],
    variables: { namespace: fact.namespace, helm_release: fact.helmRelease },
    parts: [shell('own-folder'), shell('script'), shell('webhooks'), shell('webhooks-repair')],
  });
  return [{ path: 'webhooks.sh', content }, webhooksFile(expectedWebhooks(running, objects), fact)];
}

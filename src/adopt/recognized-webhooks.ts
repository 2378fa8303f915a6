import { CONFIGURATIONS } from '../admission/openyurt-configurations.js';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks.js';
import { TEMPLATE_ANNOTATION } from '../admission/openyurt-webhooks-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap, same, valueAt, withoutValueAt } from '../base/plain-data.js';
import { PlannedSearch, type RecognizedSet } from './planned-search.js';
import type { ImportedObject } from './recognized-object.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Settings of a webhook, which the API server has defaults for. */
const SETTINGS = ['failurePolicy', 'timeoutSeconds', 'namespaceSelector', 'objectSelector', 'matchConditions'];

/** The webhooks of OpenYurt, with the settings that they show: for all of them, or by name. */
export function recognizeWebhooks(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
  reasons: Map<ImportedObject, string>,
): RecognizedSet[] {
  const names: string[] = Object.values(CONFIGURATIONS).map(({ name }) => name);
  const own = objects.filter(
    ({ object }) =>
      String(object.kind).endsWith('WebhookConfiguration') && names.includes(String(mapAt(object, 'metadata').name)),
  );
  if (!cluster.hasOpenYurt() || own.length === 0) {
    return [];
  }
  const search = new PlannedSearch(objects, pools);
  const planned =
    (props: PlainMap) =>
    (scope: Scope): Plan<unknown> =>
      planOpenYurtWebhooks({ cluster, ...props }, scope);
  const shown = shownSettings(own.map(withStoredDefaults), cluster);
  const candidates = [{}, withCommonSettings(shown), shown];
  for (const props of candidates) {
    const made = search.made(planned(props));
    if (made !== undefined) {
      const fewest = Object.keys(props).reduce<PlainMap>((kept, key) => {
        const others = withoutValueAt(kept, [key]) as PlainMap;
        const isSame =
          same(search.made(planned(others)), made) && search.score(planned(others)) === search.score(planned(props));
        return isSame ? others : kept;
      }, props);
      return [search.set({ className: 'OpenYurtWebhooks', props: fewest }, made, planned(fewest))];
    }
  }
  search.reasons('OpenYurtWebhooks', planned(shown)).forEach((reason, each) => reasons.set(each, reason));
  return [];
}

/** What an API server has printed, without its defaults, fails where it says nothing. */
function withStoredDefaults({ object, isStored }: ImportedObject): PlainMap {
  return isStored === true
    ? { ...object, webhooks: webhooksOf(object).map((each) => ({ failurePolicy: 'Fail', ...each })) }
    : object;
}

function webhooksOf(object: PlainMap): PlainMap[] {
  return itemsOf(object.webhooks).filter(isMap);
}

function shownSettings(objects: readonly PlainMap[], cluster: EdgeCluster): PlainMap {
  const there = objects.flatMap(webhooksOf);
  const shipped = cluster.openYurtWebhooks();
  const exclude = shipped.map(({ name }) => name).filter((name) => !there.some((each) => each.name === name));
  const namespace = valueAt(there[0], ['clientConfig', 'service', 'namespace']);
  const { labels, annotations } = mapAt(objects[0] ?? {}, 'metadata');
  const besides = (map: unknown, keys: readonly string[]): PlainMap =>
    Object.fromEntries(Object.entries(isMap(map) ? map : {}).filter(([key]) => !keys.includes(key)));
  const metadata = Object.fromEntries(
    Object.entries({
      labels: besides(labels, Object.keys(OWN_LABELS)),
      annotations: besides(annotations, [TEMPLATE_ANNOTATION]),
    }).filter(([, map]) => Object.keys(map).length > 0),
  );
  const webhooks = there.flatMap((webhook): [string, PlainMap][] => {
    const as = shipped.find(({ name }) => name === webhook.name);
    const settings = SETTINGS.filter(
      (field) => webhook[field] !== undefined && !(field === 'failurePolicy' && webhook[field] === as?.failurePolicy),
    ).map((field) => [field, webhook[field]] as const);
    return settings.length === 0 ? [] : [[String(webhook.name), Object.fromEntries(settings)]];
  });
  return {
    ...(namespace === 'kube-system' ? {} : { namespace }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(isMap(annotations) && annotations[TEMPLATE_ANNOTATION] !== undefined ? {} : { template: false }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
  };
}

/** The most common value of each setting for all webhooks, and others by name. */
function withCommonSettings({ webhooks, ...props }: PlainMap): PlainMap {
  const all = Object.entries(isMap(webhooks) ? (webhooks as Record<string, PlainMap>) : {});
  const common: PlainMap = {};
  for (const field of SETTINGS) {
    const counts = new Map<string, number>();
    for (const [, settings] of all) {
      const text = JSON.stringify(settings[field]);
      if (text !== undefined) {
        counts.set(text, (counts.get(text) ?? 0) + 1);
      }
    }
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    if (most !== undefined && most[1] > 1) {
      common[field] = JSON.parse(most[0]);
    }
  }
  const rest = all.flatMap(([name, settings]): [string, PlainMap][] => {
    const others = Object.entries(settings).filter(([field, value]) => !same(value, common[field]));
    return others.length === 0 ? [] : [[name, Object.fromEntries(others)]];
  });
  return { ...common, ...props, ...(rest.length === 0 ? {} : { webhooks: Object.fromEntries(rest) }) };
}

import { asWritten } from './server-fields.js';
import { withoutDefaults } from '../kubernetes/api-defaults.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { joinPath } from '../base/errors.js';
import { withoutServerFields } from '../preconditions/documents.js';
import { isMap, mapAt, type PlainMap, same, withoutValueAt } from '../base/plain-data.js';
import { itemKey } from './field-changes.js';

/** An object of a dump, with what can be compared with the manifests. */
export interface LivePart {
  readonly object: PlainMap;
  /** Fields that the manifests do not write, and of which the dump does not say whether people wrote them. */
  readonly unknown: readonly string[];
}

/** Kinds that are workloads of Kubernetes itself, whose defaults are known. */
const BUILT_IN = [
  ...['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps'],
  ...['ReplicationController', 'Job.batch', 'CronJob.batch'],
];

/**
 * What can be compared of an object of a dump: the fields that the manifests write, and those that people wrote, by `managedFields`. Without them, the fields
 * that the API server never adds to a template, too. To a Pod admission adds tolerations, volumes and more in the name of who creates it.
 */
export function livePart(live: PlainMap, written: PlainMap): LivePart {
  const owners = mapAt(live, 'metadata').managedFields;
  const isOwned = live.kind !== 'Pod' && Array.isArray(owners) && owners.length > 0;
  const unknown: string[] = [];
  const side: Sides = {
    isPod: live.kind === 'Pod',
    note: BUILT_IN.includes(groupKindOf(live)) && !isOwned ? (path) => unknown.push(path) : () => undefined,
  };
  const mine = isOwned ? withoutServerFields(asWritten(live)) : undefined;
  const parts = { mine, bare: withoutDefaults(withoutRestart(live), 'compare') };
  const object = partOf(withoutServerFields(live), withoutServerFields(written), parts, '', side) as PlainMap;
  return { object, unknown };
}

/** The annotation that `kubectl rollout restart` writes into the template, and that nothing takes away. */
function withoutRestart(live: PlainMap): PlainMap {
  const path = ['spec', 'template', 'metadata', 'annotations'];
  return withoutValueAt(live, [...path, 'kubectl.kubernetes.io/restartedAt']) as PlainMap;
}

interface Sides {
  readonly isPod: boolean;
  /** Notes a field of which it is not known who wrote it. */
  readonly note: (path: string) => void;
}

/** Fields of a Pod spec that the API server never adds to a template: one that the manifests do not write goes. */
const NEVER_ADDED = [
  ...['affinity', 'nodeName', 'nodeSelector', 'tolerations', 'topologySpreadConstraints', 'schedulingGates'],
  ...['dnsConfig', 'hostAliases', 'hostIPC', 'hostNetwork', 'hostPID', 'initContainers', 'runtimeClassName', 'volumes'],
];

/** Fields below `spec` that autoscalers write. */
const SCALED = 'spec.replicas';

/** The same value, otherwise. */
interface Versions {
  /** What people wrote of it; undefined if that is not known. */
  readonly mine: unknown;
  /** Without defaults. */
  readonly bare: unknown;
}

function partOf(live: unknown, written: unknown, { mine, bare }: Versions, path: string, side: Sides): unknown {
  if (isMap(live) && isMap(written)) {
    const own = mine === undefined ? undefined : isMap(mine) ? mine : {};
    const rest = isMap(bare) ? bare : {};
    const isTemplate = !side.isPod && Array.isArray(live.containers) && Array.isArray(written.containers);
    const fields = Object.keys(live).flatMap((key): [string, unknown][] => {
      const at = joinPath(path, key);
      if (written[key] !== undefined) {
        const below = { mine: own === undefined ? undefined : (own[key] ?? {}), bare: rest[key] };
        return [[key, partOf(live[key], written[key], below, at, side)]];
      }
      if (own === undefined ? isTemplate && NEVER_ADDED.includes(key) : own[key] !== undefined) {
        return [[key, own?.[key] ?? live[key]]];
      }
      if (path.startsWith('spec') && own === undefined && at !== SCALED && !isEmpty(rest[key])) {
        side.note(at);
      }
      return [];
    });
    return Object.fromEntries(fields);
  }
  if (!Array.isArray(live) || !Array.isArray(written)) {
    return live;
  }
  const key = itemKey(live, written);
  if (key !== undefined) {
    const find = (items: unknown, value: unknown): unknown =>
      Array.isArray(items) ? items.filter(isMap).find((item) => item[key] === value) : undefined;
    return (live as PlainMap[]).flatMap((item) => {
      const other = find(written, item[key]);
      const below = {
        mine: mine === undefined ? undefined : (find(mine, item[key]) ?? {}),
        bare: find(bare, item[key]),
      };
      if (other === undefined) {
        return side.isPod ? [] : [item];
      }
      return [partOf(item, other, below, `${path}[${key}=${String(item[key])}]`, side)];
    });
  }
  const none = { mine: undefined, bare: undefined };
  const isThere = (item: unknown): boolean => live.some((each) => same(each, item));
  if (side.isPod && written.every(isThere)) {
    return written;
  }
  return live.length === written.length
    ? live.map((item, index) => partOf(item, written[index], none, joinPath(path, index), side))
    : live;
}

/** Go prints structs and lists also where they are empty. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isMap(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0) ||
    value === null
  );
}

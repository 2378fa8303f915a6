import { groupKindOf, workloadKindOf, isNamespaced } from '../kubernetes/group-kind.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { RelatedObjects } from './related-objects.js';

/** Labels that name the application of an object, the most telling one first. */
const APP_LABELS = [
  'app.kubernetes.io/part-of',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/name',
  'app',
  'k8s-app',
  'release',
];

/** The label of a part of an application. */
const PART_LABEL = 'app.kubernetes.io/name';

/** With more objects than these, an application has a file for each of its parts. */
const LARGE = 25;

/** Kinds in the order in which they are applied: what others need comes first. */
const RANKS = [
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
  'PriorityClass.scheduling.k8s.io',
  'StorageClass.storage.k8s.io',
  'ServiceAccount',
  'ClusterRole.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'ConfigMap',
  'Secret',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Service',
];

/** Where an object stands in its file. */
export function rankOf(object: PlainMap): string {
  const groupKind = groupKindOf(object);
  const rank = RANKS.indexOf(groupKind);
  const { name, namespace } = mapAt(object, 'metadata');
  return [String(rank < 0 ? RANKS.length : rank).padStart(2, '0'), groupKind, String(namespace), String(name)].join(
    ' ',
  );
}

/** The file of an object. */
export interface ObjectGroup {
  /** `namespaces/shop`, `cluster`, or `apps` for objects whose namespace nothing says. */
  readonly folder: string;
  /** Namespace, if it is one. */
  readonly namespace?: string;
  /** Name of the application, or of the kind. */
  readonly app: string;
  /** Whether it has the objects of a kind.
   * @default false */
  readonly isKind?: boolean;
}

/** The file of objects of a namespace that no application names. */
export const OTHERS = 'other';

/** Folder of objects of the whole cluster. */
const CLUSTER = 'cluster';

/** Kinds of the whole cluster that belong to an application in a namespace, as its roles do. */
const OF_AN_APP = /^(?:ClusterRole|ClusterRoleBinding|ValidatingWebhookConfiguration|MutatingWebhookConfiguration)\./;

/** The group of each object: its namespace and the application that it belongs to, by labels, or by the beginning of its name. */
export function groupsOf(objects: readonly PlainMap[]): Map<PlainMap, ObjectGroup> {
  const sizes = new Map<string, number>();
  const keyOf = (object: PlainMap): string => `${placeOf(object).folder} ${appOf(object) ?? ''}`;
  objects.forEach((object) => sizes.set(keyOf(object), (sizes.get(keyOf(object)) ?? 0) + 1));
  const apps = new Map<string, Set<string>>();
  const groups = new Map<PlainMap, ObjectGroup>();
  const rest: PlainMap[] = [];
  for (const object of objects) {
    const place = placeOf(object);
    if (OF_THEIR_KIND[groupKindOf(object)] !== undefined) {
      groups.set(object, ofItsKind(object));
      continue;
    }
    const whole = appOf(object);
    const app = whole !== undefined && (sizes.get(keyOf(object)) ?? 0) > LARGE ? (partOf(object) ?? whole) : whole;
    if (app === undefined || (place.folder === CLUSTER && OF_AN_APP.test(groupKindOf(object)))) {
      rest.push(object);
    } else {
      apps.set(place.folder, (apps.get(place.folder) ?? new Set()).add(app));
      groups.set(object, { ...place, app });
    }
  }
  withRelated(objects, rest, groups);
  for (const object of rest.filter((each) => !groups.has(each))) {
    groups.set(object, groupByName(object, apps));
  }
  const others = [...groups].filter(([, { app }]) => app === OTHERS);
  for (const [object, group] of others) {
    // many without an application are easier to find by their kind
    if (others.filter(([, { folder }]) => folder === group.folder).length > LARGE) {
      groups.set(object, { ...group, app: pluralOf(object) });
    }
  }
  return groups;
}

/** Adds objects that belong to those of one group only: first to workloads, then to what belongs to these. */
function withRelated(
  objects: readonly PlainMap[],
  rest: readonly PlainMap[],
  groups: Map<PlainMap, ObjectGroup>,
): void {
  const all = new RelatedObjects(objects);
  let open = rest.map((object) => ({ object, related: all.of(object) })).filter(({ related }) => related.length > 0);
  for (let before = -1; before !== open.length;) {
    before = open.length;
    const found = open.map(({ related }) => commonGroup(related, groups));
    open.forEach(({ object }, index) => {
      const group = found[index];
      if (group !== undefined) {
        groups.set(object, group);
      }
    });
    open = open.filter((_, index) => found[index] === undefined);
  }
}

/** The group of all that have one. */
function commonGroup(
  objects: readonly PlainMap[],
  groups: ReadonlyMap<PlainMap, ObjectGroup>,
): ObjectGroup | undefined {
  const found = objects.flatMap((each) => groups.get(each) ?? []);
  const [group] = found;
  return group !== undefined && found.every(({ folder, app }) => folder === group.folder && app === group.app)
    ? group
    : undefined;
}

/** Kinds of the whole cluster that stand together, or each in a file of its own, whatever their labels are: others need them. */
const OF_THEIR_KIND: Readonly<Record<string, 'together' | 'alone'>> = {
  Namespace: 'together',
  'CustomResourceDefinition.apiextensions.k8s.io': 'alone',
};

function ofItsKind(object: PlainMap): ObjectGroup {
  return OF_THEIR_KIND[groupKindOf(object)] === 'together'
    ? { folder: CLUSTER, app: pluralOf(object), isKind: true }
    : { folder: `${CLUSTER}/crds`, app: String(mapAt(object, 'metadata').name) };
}

/** The application that an object is named after, in its namespace; a role of the whole cluster, in the only namespace that has this application. */
function groupByName(object: PlainMap, apps: ReadonlyMap<string, ReadonlySet<string>>): ObjectGroup {
  const place = placeOf(object);
  const name = String(mapAt(object, 'metadata').name);
  const isCluster = place.folder === CLUSTER;
  const label = appOf(object);
  const inFolder = (folder: string): string | undefined => {
    const known = [...(apps.get(folder) ?? [])];
    const labelled = [label, partOf(object)].find((each) => each !== undefined && known.includes(each));
    // the longest one: shop-db before shop
    return (
      labelled ??
      known
        .filter((app) => name === app || (app.length > 2 && name.startsWith(`${app}-`)))
        .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))[0]
    );
  };
  if (isCluster && OF_AN_APP.test(groupKindOf(object))) {
    const [found, ...others] = [...apps.keys()].sort().flatMap((folder) => {
      const app = folder === CLUSTER ? undefined : inFolder(folder);
      return app === undefined ? [] : [{ folder, app }];
    });
    if (found !== undefined && others.length === 0) {
      const [, namespace] = /^namespaces\/(.*)$/.exec(found.folder) ?? [];
      return { ...found, ...(namespace === undefined ? {} : { namespace }) };
    }
  }
  const app = inFolder(place.folder) ?? (isCluster ? label : undefined);
  return app === undefined
    ? { ...place, app: isCluster ? pluralOf(object) : OTHERS, ...(isCluster ? { isKind: true } : {}) }
    : { ...place, app };
}

function partOf(object: PlainMap): string | undefined {
  const part = mapAt(mapAt(object, 'metadata'), 'labels')[PART_LABEL];
  return typeof part === 'string' && part !== '' ? part : undefined;
}

function placeOf(object: PlainMap): Omit<ObjectGroup, 'app'> {
  const { namespace } = mapAt(object, 'metadata');
  if (typeof namespace === 'string' && namespace !== '') {
    return { folder: `namespaces/${namespace}`, namespace };
  }
  return { folder: isNamespaced(object) ? 'apps' : CLUSTER };
}

function appOf(object: PlainMap): string | undefined {
  const { labels, name } = mapAt(object, 'metadata');
  const own = mapAt({ labels }, 'labels');
  const label = APP_LABELS.map((key) => own[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof label === 'string' ? label : workloadKindOf(object) === undefined ? undefined : String(name);
}

/** `Config-Map` */
export function kindWords(kind: unknown): string {
  return String(kind).replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-');
}

function pluralOf({ kind }: PlainMap): string {
  const words = kindWords(kind);
  return words.replace(/(?:s|y|)$/, (end) => (end === 'y' ? 'ies' : end === 's' ? 'ses' : 's'));
}

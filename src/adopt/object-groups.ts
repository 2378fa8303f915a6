import { groupKindOf, isNamespaced, workloadKindOf } from '../kubernetes/group-kind.js';
import { type PlainMap, isMap, mapAt, valueAt } from '../base/plain-data.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { itemsOf } from '../kubernetes/field-values.js';

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

/** Group and kind of CustomResourceDefinitions. */
export const DEFINITION = 'CustomResourceDefinition.apiextensions.k8s.io';

/** Kinds in the order in which they are applied: what others need comes first. */
const RANKS = [
  'Namespace',
  DEFINITION,
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
    if (TOGETHER.includes(groupKindOf(object))) {
      groups.set(object, { folder: CLUSTER, app: pluralOf(object), isKind: true });
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

/** Kinds of the whole cluster that stand together, whatever their labels are: others need them. */
const TOGETHER = ['Namespace', DEFINITION];

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

/** What an object without a label of an application belongs to: the workloads that it selects or scales, and those that use it. */
class RelatedObjects {
  /** By namespace, kind and name. */
  private readonly named = new Index();
  /** Workloads by namespace and each label of their Pods. */
  private readonly labelled = new Index();
  /** Who uses an object, by its namespace, kind and name. */
  private readonly users = new Index();
  /** Bindings by their role, with the namespace of a Role. */
  private readonly bindings = new Index();

  constructor(objects: readonly PlainMap[]) {
    for (const object of objects) {
      const place = namespaceOf(object);
      this.named.add([place, object.kind, mapAt(object, 'metadata').name], object);
      labelsOf(object).forEach((label) => this.labelled.add([place, ...label], object));
      usedBy(object).forEach((used) => this.users.add([place, ...used], object));
      const { kind, name } = mapAt(object, 'roleRef');
      if (kind !== undefined) {
        this.bindings.add([kind === 'Role' ? place : '', kind, name], object);
      }
    }
  }

  /** The objects to which one belongs; none if nothing says. */
  public of(object: PlainMap): readonly PlainMap[] {
    const place = namespaceOf(object);
    const { name } = mapAt(object, 'metadata');
    const spec = mapAt(object, 'spec');
    switch (groupKindOf(object)) {
      case 'Service':
        return this.selected(place, spec.selector);
      case 'PodDisruptionBudget.policy':
        return this.selected(place, mapAt(spec, 'selector').matchLabels);
      case 'NetworkPolicy.networking.k8s.io':
        return this.selected(place, mapAt(spec, 'podSelector').matchLabels);
      case 'HorizontalPodAutoscaler.autoscaling':
        return this.referred(place, mapAt(spec, 'scaleTargetRef'));
      case 'VerticalPodAutoscaler.autoscaling.k8s.io':
        return this.referred(place, mapAt(spec, 'targetRef'));
      case 'Endpoints':
        return this.referred(place, { kind: 'Service', name });
      case 'Ingress.networking.k8s.io':
        return backendsOf(spec).flatMap((each) => this.referred(place, { kind: 'Service', name: each }));
      case 'RoleBinding.rbac.authorization.k8s.io':
      case 'ClusterRoleBinding.rbac.authorization.k8s.io':
        return itemsOf(object.subjects)
          .filter(isMap)
          .filter(({ kind }) => kind === 'ServiceAccount')
          .flatMap((subject) => this.referred(subject.namespace ?? place, subject));
      case 'Role.rbac.authorization.k8s.io':
      case 'ClusterRole.rbac.authorization.k8s.io':
        return this.bindings.get([place, object.kind, name]);
      default:
        return this.users.get([place, object.kind, name]);
    }
  }

  private referred(place: unknown, { kind, name }: PlainMap): readonly PlainMap[] {
    return this.named.get([place, kind, name]);
  }

  /** The workloads whose Pods have labels. */
  private selected(place: string, labels: unknown): readonly PlainMap[] {
    const wanted = Object.entries(isMap(labels) ? labels : {});
    const [fewest = [], ...others] = wanted
      .map((label) => this.labelled.get([place, ...label]))
      .sort((a, b) => a.length - b.length);
    return fewest.filter((each) => others.every((some) => some.includes(each)));
  }
}

/** Objects by what they are looked up with. */
class Index {
  private readonly objects = new Map<string, PlainMap[]>();

  public add(key: readonly unknown[], object: PlainMap): void {
    const text = JSON.stringify(key);
    const known = this.objects.get(text);
    if (known === undefined) {
      this.objects.set(text, [object]);
    } else if (known.at(-1) !== object) {
      known.push(object);
    }
  }

  public get(key: readonly unknown[]): readonly PlainMap[] {
    return this.objects.get(JSON.stringify(key)) ?? [];
  }
}

function namespaceOf(object: PlainMap): string {
  const { namespace } = mapAt(object, 'metadata');
  return typeof namespace === 'string' ? namespace : '';
}

/** Labels of the Pods of a workload. */
function labelsOf(object: PlainMap): [key: string, value: unknown][] {
  return podPlaces(object).flatMap(({ path, isTemplate }) => {
    const labels = isTemplate ? valueAt(object, [...path, 'metadata', 'labels']) : undefined;
    return Object.entries(isMap(labels) ? labels : {});
  });
}

function backendsOf(spec: PlainMap): unknown[] {
  const found = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (isMap(value)) {
      if (isMap(value.service)) {
        found.add(value.service.name);
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(spec);
  return [...found];
}

/** Fields by which a Pod spec names other objects, and their kinds (core/v1). */
const REFERENCES: Readonly<Record<string, readonly [kind: string, field?: string]>> = {
  serviceAccountName: ['ServiceAccount'],
  configMap: ['ConfigMap', 'name'],
  configMapRef: ['ConfigMap', 'name'],
  configMapKeyRef: ['ConfigMap', 'name'],
  secret: ['Secret', 'secretName'],
  secretRef: ['Secret', 'name'],
  secretKeyRef: ['Secret', 'name'],
  imagePullSecrets: ['Secret', 'name'],
  persistentVolumeClaim: ['PersistentVolumeClaim', 'claimName'],
};

/** Kind and name of what a workload or an Ingress uses. */
function usedBy(object: PlainMap): [kind: string, name: string][] {
  const found: [string, string][] = [];
  const visit = (value: unknown, field: string): void => {
    const [kind, key] = REFERENCES[field] ?? [];
    const name = key === undefined ? value : isMap(value) ? value[key] : undefined;
    if (kind !== undefined && typeof name === 'string') {
      found.push([kind, name]);
    }
    if (Array.isArray(value)) {
      value.forEach((item) => visit(item, field));
    } else if (isMap(value)) {
      Object.entries(value).forEach(([step, item]) => visit(item, step));
    }
  };
  podPlaces(object).forEach((place) => visit(podSpecAt(object, place), ''));
  if (object.kind === 'Ingress') {
    const { tls } = mapAt(object, 'spec');
    itemsOf(tls).forEach((each) => visit(each, 'secret'));
  }
  return found;
}

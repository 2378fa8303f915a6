import { groupKindOf, workloadKindOf } from '../kubernetes/group-kind.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';

/** Labels that name the application of an object, the most telling one first. */
const APP_LABELS = [
  'app.kubernetes.io/part-of',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/name',
  'app',
  'k8s-app',
  'release',
];

/** Kinds with a namespace, besides workloads, that often stand in manifests without one. */
const NAMESPACED: ReadonlySet<string> = new Set([
  'ConfigMap',
  'Secret',
  'Service',
  'ServiceAccount',
  'PersistentVolumeClaim',
  'LimitRange',
  'ResourceQuota',
  'Endpoints',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'Ingress.networking.k8s.io',
  'NetworkPolicy.networking.k8s.io',
  'PodDisruptionBudget.policy',
  'HorizontalPodAutoscaler.autoscaling',
]);

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
}

const OTHERS = 'other';

/** The group of each object: its namespace and the application that it belongs to, by labels, or by the beginning of its name. */
export function groupsOf(objects: readonly PlainMap[]): Map<PlainMap, ObjectGroup> {
  const apps = new Map<string, Set<string>>();
  const groups = new Map<PlainMap, ObjectGroup>();
  const rest: PlainMap[] = [];
  for (const object of objects) {
    const place = placeOf(object);
    const app = appOf(object);
    if (app === undefined) {
      rest.push(object);
    } else {
      apps.set(place.folder, (apps.get(place.folder) ?? new Set()).add(app));
      groups.set(object, { ...place, app });
    }
  }
  for (const object of rest) {
    const place = placeOf(object);
    const name = String(mapAt(object, 'metadata').name);
    const known = [...(apps.get(place.folder) ?? [])].filter((app) => name === app || name.startsWith(`${app}-`));
    // the longest one: shop-db before shop
    const [longest] = known.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    groups.set(object, { ...place, app: longest ?? (place.folder === 'cluster' ? pluralOf(object) : OTHERS) });
  }
  return groups;
}

function placeOf(object: PlainMap): Omit<ObjectGroup, 'app'> {
  const { namespace } = mapAt(object, 'metadata');
  if (typeof namespace === 'string' && namespace !== '') {
    return { folder: `namespaces/${namespace}`, namespace };
  }
  const isNamespaced = NAMESPACED.has(groupKindOf(object)) || workloadKindOf(object) !== undefined;
  return { folder: isNamespaced ? 'apps' : 'cluster' };
}

function appOf(object: PlainMap): string | undefined {
  const { labels, name } = mapAt(object, 'metadata');
  const own = mapAt({ labels }, 'labels');
  const label = APP_LABELS.map((key) => own[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof label === 'string' ? label : workloadKindOf(object) === undefined ? undefined : String(name);
}

function pluralOf({ kind }: PlainMap): string {
  const words = String(kind).replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-');
  return words.replace(/(?:s|y|)$/, (end) => (end === 'y' ? 'ies' : end === 's' ? 'ses' : 's'));
}

import { groupKindOf } from '../kubernetes/group-kind.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';

/** What an object without a label of an application belongs to: the workloads that it selects or scales, and those that use it. */
export class RelatedObjects {
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
        return (Array.isArray(object.subjects) ? object.subjects : [])
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
    (Array.isArray(tls) ? tls : []).forEach((each) => visit(each, 'secret'));
  }
  return found;
}

import { groupKindOf } from '../kubernetes/group-kind.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';

/** What an object without a label of an application belongs to: the workloads that it selects or scales, and those that use it. */
export class RelatedObjects {
  private readonly byPlace = new Map<string, PlainMap[]>();

  constructor(private readonly objects: readonly PlainMap[]) {
    for (const object of objects) {
      const place = namespaceOf(object);
      this.byPlace.set(place, [...(this.byPlace.get(place) ?? []), object]);
    }
  }

  /** The objects to which one belongs; none if nothing says. */
  public of(object: PlainMap): readonly PlainMap[] {
    const near = this.byPlace.get(namespaceOf(object)) ?? [];
    const { name } = mapAt(object, 'metadata');
    const spec = mapAt(object, 'spec');
    switch (groupKindOf(object)) {
      case 'Service':
        return selected(near, spec.selector);
      case 'PodDisruptionBudget.policy':
        return selected(near, mapAt(spec, 'selector').matchLabels);
      case 'NetworkPolicy.networking.k8s.io':
        return selected(near, mapAt(spec, 'podSelector').matchLabels);
      case 'HorizontalPodAutoscaler.autoscaling':
        return near.filter((each) => isReferred(each, spec.scaleTargetRef));
      case 'VerticalPodAutoscaler.autoscaling.k8s.io':
        return near.filter((each) => isReferred(each, spec.targetRef));
      case 'Endpoints':
        return near.filter((each) => isReferred(each, { kind: 'Service', name }));
      case 'Ingress.networking.k8s.io':
        return near.filter((each) => each.kind === 'Service' && backendsOf(spec).has(mapAt(each, 'metadata').name));
      case 'RoleBinding.rbac.authorization.k8s.io':
      case 'ClusterRoleBinding.rbac.authorization.k8s.io':
        return this.subjectsOf(object);
      case 'Role.rbac.authorization.k8s.io':
      case 'ClusterRole.rbac.authorization.k8s.io':
        return this.objects.filter(
          (each) =>
            isReferred(object, each.roleRef) &&
            (object.kind === 'ClusterRole' || namespaceOf(each) === namespaceOf(object)),
        );
      default:
        return near.filter((each) => usedBy(each).has(`${String(object.kind)} ${String(name)}`));
    }
  }

  private subjectsOf(binding: PlainMap): PlainMap[] {
    const subjects = (Array.isArray(binding.subjects) ? binding.subjects : []).filter(isMap);
    return this.objects.filter((each) =>
      subjects.some(
        (subject) =>
          subject.kind === 'ServiceAccount' &&
          isReferred(each, subject) &&
          namespaceOf(each) === (subject.namespace ?? namespaceOf(binding)),
      ),
    );
  }
}

function namespaceOf(object: PlainMap): string {
  const { namespace } = mapAt(object, 'metadata');
  return typeof namespace === 'string' ? namespace : '';
}

function isReferred(object: PlainMap, reference: unknown): boolean {
  return isMap(reference) && reference.kind === object.kind && reference.name === mapAt(object, 'metadata').name;
}

/** The workloads whose Pods have labels. */
function selected(near: readonly PlainMap[], labels: unknown): PlainMap[] {
  const wanted = Object.entries(isMap(labels) ? labels : {});
  return wanted.length === 0
    ? []
    : near.filter((each) =>
        podPlaces(each).some(({ path, isTemplate }) => {
          const own = isTemplate ? valueAt(each, [...path, 'metadata', 'labels']) : undefined;
          return isMap(own) && wanted.every(([key, value]) => own[key] === value);
        }),
      );
}

function backendsOf(spec: PlainMap): ReadonlySet<unknown> {
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
  return found;
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

const USED = new WeakMap<PlainMap, ReadonlySet<string>>();

/** What a workload or an Ingress uses, as `ConfigMap web`. */
function usedBy(object: PlainMap): ReadonlySet<string> {
  const known = USED.get(object);
  if (known !== undefined) {
    return known;
  }
  const found = new Set<string>();
  const visit = (value: unknown, field: string): void => {
    const [kind, key] = REFERENCES[field] ?? [];
    const name = key === undefined ? value : isMap(value) ? value[key] : undefined;
    if (kind !== undefined && typeof name === 'string') {
      found.add(`${kind} ${name}`);
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
  USED.set(object, found);
  return found;
}

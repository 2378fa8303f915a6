import { isMap, type PlainMap, same } from '../validation/plain-data.js';

/** Managers that are controllers, not people: their field manager is the name of the program (`rest.AddUserAgent`, `fieldmanager` of each). */
export const CONTROLLERS =
  /^(?:kube-controller-manager|kube-scheduler|kube-apiserver|kubelet|kube-proxy|cloud-controller-manager|[a-z-]*-cloud-controller-manager|yurt-manager|yurthub|cluster-autoscaler|vpa-[a-z]+|cainjector|cert-manager-cainjector|snapshot-controller|csi-[a-z]+)$/;

/** Which fields managers own, as fieldsV1 (structured-merge-diff): a map with steps; empty: all of it. */
export interface FieldOwners {
  readonly people: readonly PlainMap[];
  readonly controllers: readonly PlainMap[];
  /** Whether a person has applied it server-side: what nobody owns is then a default, because only what is applied is owned. */
  readonly isApplied: boolean;
}

/** The owners of the fields of an object; undefined if the dump does not have them (`kubectl get --show-managed-fields`). */
export function ownersOf(metadata: PlainMap): FieldOwners | undefined {
  const entries = (Array.isArray(metadata.managedFields) ? metadata.managedFields : []).filter(isMap);
  if (entries.length === 0) {
    return undefined;
  }
  const isController = ({ manager, subresource }: PlainMap): boolean =>
    CONTROLLERS.test(String(manager)) || (subresource ?? '') !== '';
  const fieldsOf = (some: readonly PlainMap[]): PlainMap[] =>
    some.flatMap(({ fieldsV1 }) => (isMap(fieldsV1) ? [fieldsV1] : []));
  const people = entries.filter((entry) => !isController(entry));
  return {
    people: fieldsOf(people),
    controllers: fieldsOf(entries.filter(isController)),
    isApplied: people.length > 0 && people.every(({ operation }) => operation === 'Apply'),
  };
}

/** A map without the fields that only controllers own, and without what the API server has added to what was applied. */
export function ownedMap(map: PlainMap, owners: FieldOwners, keeps: (field: string) => boolean): PlainMap {
  const entries = Object.entries(map).flatMap(([field, value]): [string, unknown][] => {
    // server-side apply gives an empty list no owner
    if (keeps(field) || (Array.isArray(value) && value.length === 0)) {
      return [[field, value]];
    }
    const kept = owned(value, ownersIn(owners, field));
    return kept === undefined ? [] : [[field, kept]];
  });
  return Object.fromEntries(entries);
}

/** The owners of a field of a map. */
export function ownersIn(owners: FieldOwners, field: string): FieldOwners {
  const step = `f:${field}`;
  return { ...owners, people: stepInto(owners.people, step), controllers: stepInto(owners.controllers, step) };
}

function stepInto(nodes: readonly PlainMap[], step: string): PlainMap[] {
  return nodes.flatMap((node) => (isMap(node[step]) ? [node[step]] : []));
}

/** A node without steps owns everything below it. */
const isLeaf = (node: PlainMap): boolean => Object.keys(node).length === 0;

/** What people own of a value; undefined if nothing. */
function owned(value: unknown, owners: FieldOwners): unknown {
  const { people, controllers, isApplied } = owners;
  if (people.length === 0) {
    return controllers.length > 0 || isApplied ? undefined : value;
  }
  if (people.some(isLeaf)) {
    return value;
  }
  if (isMap(value)) {
    return ownedMap(value, owners, () => false);
  }
  if (!Array.isArray(value)) {
    return value;
  }
  return value.flatMap((item: unknown) => {
    const below = { ...owners, people: stepsTo(people, item), controllers: stepsTo(controllers, item) };
    const keys = keysOf(people, item);
    const kept =
      isMap(item) && below.people.length > 0 && !below.people.some(isLeaf)
        ? ownedMap(item, below, (field) => keys.includes(field))
        : owned(item, below);
    return kept === undefined ? [] : [kept];
  });
}

/** The nodes of an item of a list: by its keys, or by its value. */
function stepsTo(nodes: readonly PlainMap[], item: unknown): PlainMap[] {
  return nodes.flatMap((node) =>
    Object.entries(node).flatMap(([step, below]) => (isStepTo(step, item) && isMap(below) ? [below] : [])),
  );
}

function isStepTo(step: string, item: unknown): boolean {
  if (step.startsWith('v:')) {
    return same(parsed(step), item);
  }
  const keys = step.startsWith('k:') ? parsed(step) : undefined;
  return isMap(keys) && isMap(item) && Object.entries(keys).every(([key, value]) => same(item[key], value));
}

/** The keys of an item, by which its owners find it; a default among them, such as a protocol, is owned by nobody. */
function keysOf(nodes: readonly PlainMap[], item: unknown): string[] {
  const steps = nodes.flatMap((node) => Object.keys(node)).filter((step) => isStepTo(step, item));
  return steps.flatMap((step) => {
    const keys = parsed(step);
    return isMap(keys) ? Object.keys(keys) : [];
  });
}

function parsed(step: string): unknown {
  try {
    return JSON.parse(step.slice(2));
  } catch {
    return undefined;
  }
}

import { joinPath } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { copyOf, isMap, mapAt, type PlainMap, same } from '../base/plain-data.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * The rule of docs/import.md, for every field: what only a known controller owns is left out, and reported: server-side apply leaves it in the cluster as it
 * is. All else is kept: losing a field is worse than keeping one. What only a manager owns of which nothing is known is kept and reported, and so is a field
 * of a controller without which what is kept may be invalid. Two values are a controller's also where others write them: a `caBundle` that no tool owns, and
 * `replicas` where an autoscaler of the dump targets the object.
 */

/** Managers by which people write (`--field-manager` of each), and the names that the API server gives to those it does not know. */
const TOOLS =
  /^(?:kubectl(?:[-.\d].*)?|oc(?:\.exe)?|helm(?:\.exe)?|kustomize-controller|helm-controller|argocd(?:-[a-z-]+)?|pulumi-(?:resource-)?kubernetes.*|Terraform.*|HashiCorp.*|kubeadm|edge-nodepools.*|before-first-apply|unknown)$/;

/** Managers that are controllers by their name: those of Kubernetes, of known projects, and what is called so. */
const CONTROLLERS =
  /^(?:kube-(?:apiserver|scheduler|proxy)|kubelet|(?:.+-)?(?:controller|controller-manager|operator|injector|autoscaler|provisioner|admission|webhook)|manager|cainjector|cert-manager.*|pilot-discovery|istio.*|linkerd.*|kyverno.*|gatekeeper.*|keda.*|vpa(?:-.+)?|cilium.*|calico.*|antrea.*|flannel.*|csi-.+|longhorn-.+|vault-k8s|karpenter.*|descheduler|flagger|speaker|velero.*|nfd-.+|yurt-?(?:manager|hub)|raven.*)$/;

/** Commands of kubectl that change an object which somebody else has made. */
const EDITS = /^kubectl-(?:annotate|autoscale|edit|label|patch|rollout|scale|set|taint)$/;

/** Objects of the API server whose `caBundle` injectors write. */
const WITH_CA = /\.(?:admissionregistration|apiregistration|apiextensions)\.k8s\.io$/;

/** An entry of managedFields. */
interface Owner {
  readonly manager: string;
  readonly subresource: string;
  readonly isApply: boolean;
  readonly isTool: boolean;
  /** Its fields, as fieldsV1 (structured-merge-diff): a map with steps; empty: all of it. */
  readonly node: PlainMap;
}

/** A field that another manager writes: left out, unless it is kept. */
export interface OthersField {
  /** `webhooks[].clientConfig.caBundle` */
  readonly field: string;
  readonly manager: string;
  /** Whether it is kept, because nothing says that its manager is a controller, or because what is kept may be invalid without it. */
  readonly isKept?: true;
}

/** The entries of managedFields; none if the dump does not have them (`kubectl get --show-managed-fields`). */
function ownersOf(object: PlainMap): Owner[] {
  const { managedFields } = mapAt(object, 'metadata');
  return itemsOf(managedFields)
    .filter(isMap)
    .map(({ manager, subresource, operation, fieldsV1 }) => ({
      manager: String(manager),
      subresource: typeof subresource === 'string' ? subresource : '',
      isApply: operation === 'Apply',
      isTool: TOOLS.test(String(manager)),
      node: isMap(fieldsV1) ? fieldsV1 : {},
    }))
    .filter((owner) => !isLeaf(owner));
}

/** Names of the managers that have written an object: tools, and its maker. */
export function writersOf(object: PlainMap): string[] {
  const owners = ownersOf(object).filter(({ subresource }) => subresource === '');
  const maker = makerOf(owners);
  return owners.map(({ manager }) => manager).filter((manager) => TOOLS.test(manager) || manager === maker);
}

/** The manager that has made the object and is no known tool: the one that owns most, where no tool has made it, or where it applies as much as all tools. */
function makerOf(owners: readonly Owner[]): string | undefined {
  const ofSpec = owners.map(({ node }) => fieldsIn(node, ['f:metadata', 'f:status']));
  const isBare = ofSpec.every((count) => count === 0);
  const counts = new Map<string, number>();
  let byTools = 0;
  let isMade = false;
  owners.forEach(({ manager, isTool, node }, index) => {
    const count = isBare ? fieldsIn(node, []) : (ofSpec[index] ?? 0);
    if (isTool) {
      byTools += count;
      isMade ||= count > 0 && !EDITS.test(manager);
    } else {
      counts.set(manager, (counts.get(manager) ?? 0) + count);
    }
  });
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  const applies = owners.some(({ manager, isApply }) => isApply && manager === first?.[0]);
  return first !== undefined && first[1] > 0 && (!isMade || (applies && first[1] >= byTools)) ? first[0] : undefined;
}

/** Number of fields below a node. */
function fieldsIn(node: PlainMap, except: readonly string[]): number {
  return Object.entries(node).reduce((sum, [step, below]) => {
    const own = isMap(below) && Object.keys(below).length > 0 ? fieldsIn(below, []) : 1;
    return except.includes(step) ? sum : sum + own;
  }, 0);
}

/** What all fields of an object are judged by. */
interface Judged {
  /** Tools, the maker, and every manager that is not known as a controller. */
  readonly isWriter: (owner: Owner) => boolean;
  /** Tools and the maker. */
  readonly isSure: (owner: Owner) => boolean;
  /** Whether its writers have applied it server-side: what nobody owns is then a default, because only what is applied is owned. */
  readonly isApplied: boolean;
  readonly withCa: boolean;
  readonly isScaled: boolean;
  /** Whether it is a part of an item of a list. */
  readonly isInItem: boolean;
  /** Notes a field that others own. */
  readonly lost: (field: string, owners: readonly Owner[]) => void;
  readonly kept: (field: string, owners: readonly Owner[]) => void;
}

/** What an autoscaler writes. */
export const REPLICAS = 'spec.replicas';

/** Fields without which an object of Kubernetes is invalid, or means something else. */
const NEEDED = [
  ...['roleRef', 'spec.jobTemplate', 'spec.rules', 'spec.scaleTargetRef', 'spec.schedule', 'spec.selector'],
  ...['spec.template', 'spec.template.spec', 'spec.template.spec.containers', 'spec.containers', 'spec.versions'],
];

/** Fields of which no part is left out by its owner. */
const KEPT = ['apiVersion', 'kind'];

/** Fields of metadata that have no owner. */
const IDENTITY = ['name', 'namespace', 'generateName'];

/**
 * An object without what its other managers write.
 *
 * @param given the object with its managedFields
 * @param record what kubectl apply has recorded
 * @param isScaled whether an autoscaler of the dump targets it
 */
export function withoutOthersFields(
  object: PlainMap,
  given: PlainMap,
  record: PlainMap | undefined,
  isScaled: boolean,
): { readonly object: PlainMap; readonly others: readonly OthersField[] } {
  const owners = ownersOf(given);
  const withCa = WITH_CA.test(groupKindOf(given));
  const others: OthersField[] = [];
  if (owners.length === 0) {
    return withoutUnowned(object, record, withCa, isScaled);
  }
  const maker = makerOf(owners.filter(({ subresource }) => subresource === ''));
  // who writes the status of an object is its controller
  const controllers = owners.filter(({ subresource, node }) => subresource === 'status' || isMap(node['f:status']));
  const isController = (name: string): boolean =>
    CONTROLLERS.test(name) || controllers.some(({ manager }) => manager === name);
  const isOpen = ({ subresource }: Owner): boolean => subresource === '' || (subresource === 'scale' && !isScaled);
  const isSure = (owner: Owner): boolean => (owner.isTool || owner.manager === maker) && isOpen(owner);
  const isWriter = (owner: Owner): boolean => isSure(owner) || (isOpen(owner) && !isController(owner.manager));
  const writers = owners.filter(isWriter);
  if (writers.length === 0) {
    return withoutUnowned(object, record, false, isScaled);
  }
  const sure = writers.filter(isSure);
  const judged: Judged = {
    isWriter,
    isSure,
    isApplied: (sure.length > 0 ? sure : writers).every(({ isApply }) => isApply),
    withCa,
    isScaled,
    isInItem: false,
    lost: (field, by) => others.push({ field, manager: managersOf(by) }),
    kept: (field, by) => others.push({ field, manager: managersOf(by), isKept: true }),
  };
  const { metadata } = object;
  return {
    object: {
      // the owner of stringData owns nothing of data, to which the API server moves it
      ...ownedMap(object, owners, '', judged, (field) =>
        [...KEPT, 'metadata', ...(object.kind === 'Secret' ? ['data'] : [])].includes(field),
      ),
      metadata: ownedMap(isMap(metadata) ? metadata : {}, ownersIn(owners, 'metadata'), 'metadata', judged, (field) =>
        IDENTITY.includes(field),
      ),
    },
    others,
  };
}

export const NOT_SHOWN = 'not shown: dump with --show-managed-fields';

/** Of a dump without managedFields: what controllers write is kept if kubectl apply has recorded it. */
function withoutUnowned(
  object: PlainMap,
  record: PlainMap | undefined,
  withCa: boolean,
  isScaled: boolean,
): { readonly object: PlainMap; readonly others: readonly OthersField[] } {
  const result = copyOf(object);
  const recorded = JSON.stringify(record ?? {});
  const fields = new Set<string>();
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      value.forEach((item: unknown) => walk(item, `${path}[]`));
    } else if (isMap(value)) {
      if (typeof value.caBundle === 'string' && !recorded.includes(value.caBundle)) {
        delete value.caBundle;
        fields.add(joinPath(path, 'caBundle'));
      }
      Object.entries(value).forEach(([field, item]) => walk(item, joinPath(path, field)));
    }
  };
  if (withCa) {
    walk(result, '');
  }
  const spec = mapAt(result, 'spec');
  if (isScaled && spec.replicas !== undefined) {
    delete spec.replicas;
    fields.add(REPLICAS);
  }
  return { object: result, others: [...fields].map((field) => ({ field, manager: NOT_SHOWN })) };
}

/** A map without the fields that only others own, and without what the API server has added to what was applied. */
function ownedMap(
  map: PlainMap,
  owners: readonly Owner[],
  path: string,
  judged: Judged,
  keeps: (field: string) => boolean,
): PlainMap {
  const entries = Object.entries(map).flatMap(([field, value]): [string, unknown][] => {
    // server-side apply gives an empty list no owner
    if (keeps(field) || (Array.isArray(value) && value.length === 0)) {
      return [[field, value]];
    }
    const at = joinPath(path, field);
    const below = ownersIn(owners, field);
    if (judged.isScaled && at === REPLICAS) {
      owned(value, below, at, { ...judged, isWriter: () => false });
      return [];
    }
    // a leaf above owns it with all else
    const isCa =
      field === 'caBundle' && judged.withCa && !below.some((owner) => owner.isTool && judged.isWriter(owner));
    // lists of an item, and resources, which autoscalers write, are not needed
    const isNeeded =
      !below.some(judged.isWriter) &&
      (NEEDED.includes(at) || (judged.isInItem && !Array.isArray(value) && field !== 'resources'));
    const kept = owned(value, below, at, isCa || isNeeded ? { ...judged, isWriter: () => !isCa } : judged);
    return kept === undefined ? [] : [[field, kept]];
  });
  return Object.fromEntries(entries);
}

/** The owners of a field of a map. */
function ownersIn(owners: readonly Owner[], field: string): Owner[] {
  const step = `f:${field}`;
  return owners.flatMap((owner) => (isMap(owner.node[step]) ? [{ ...owner, node: owner.node[step] }] : []));
}

/** A node without steps owns everything below it. */
const isLeaf = ({ node }: Owner): boolean => Object.keys(node).length === 0;

/** What writers own of a value; undefined if nothing. */
function owned(value: unknown, owners: readonly Owner[], path: string, judged: Judged): unknown {
  const writers = owners.filter(judged.isWriter);
  if (writers.length === 0) {
    if (owners.length > 0) {
      lose(value, owners, path, judged);
    }
    return owners.length > 0 || judged.isApplied ? undefined : value;
  }
  if (writers.some(isLeaf)) {
    if (!writers.some(judged.isSure)) {
      judged.kept(path, writers);
    }
    return value;
  }
  if (isMap(value)) {
    return ownedMap(value, owners, path, judged, () => false);
  }
  if (!Array.isArray(value)) {
    return value;
  }
  return value.flatMap((item: unknown) => {
    const below = stepsTo(owners, item);
    const ofWriters = below.filter(judged.isWriter);
    const keys = keysOf(writers, item);
    const kept =
      isMap(item) && ofWriters.length > 0 && !ofWriters.some(isLeaf)
        ? ownedMap(item, below, `${path}[]`, { ...judged, isInItem: true }, (field) => keys.includes(field))
        : owned(item, below, `${path}[]`, judged);
    return kept === undefined ? [] : [kept];
  });
}

/** Notes a value that others own: of a map each field, because they may be of several managers. */
function lose(value: unknown, owners: readonly Owner[], path: string, judged: Judged): void {
  if (!isMap(value) || owners.some(isLeaf)) {
    judged.lost(path, owners);
    return;
  }
  for (const [field, item] of Object.entries(value)) {
    const below = ownersIn(owners, field);
    if (below.length > 0) {
      lose(item, below, joinPath(path, field), judged);
    }
  }
}

/** `kube-controller-manager (scale)` */
function managersOf(owners: readonly Owner[]): string {
  const names = owners.map(({ manager, subresource }) =>
    subresource === '' ? manager : `${manager} (${subresource})`,
  );
  return [...new Set(names)].join(', ');
}

/** A step of a path as fieldChanges writes it: an item by its key, an item by its index, a key in quotes, or a field. */
const STEP = /\[([\w-]+)=([^\]]*)\]|\[(\d*)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

/** Who owns a field of an object; of a field that is gone, who has written the object last. */
export function managersAt(object: PlainMap, path: string): string {
  let owners: readonly Owner[] = ownersOf(object).filter(({ subresource }) => subresource !== 'status');
  let value: unknown = object;
  for (const [, key, wanted, index, text, name] of path.matchAll(STEP)) {
    if (owners.length === 0 || index === '' || owners.some(isLeaf)) {
      break;
    }
    if (key !== undefined || index !== undefined) {
      const items: readonly unknown[] = itemsOf(value);
      value =
        key === undefined
          ? items[Number(index)]
          : items.find((item) => isMap(item) && String(item[key]) === String(wanted));
      const item = value;
      owners = stepsTo(owners, item);
    } else {
      const field = text === undefined ? String(name) : String(JSON.parse(text));
      value = isMap(value) ? value[field] : undefined;
      owners = ownersIn(owners, field);
    }
  }
  return owners.length > 0 ? managersOf(owners) : lastWriter(object);
}

function lastWriter(object: PlainMap): string {
  const { managedFields } = mapAt(object, 'metadata');
  const entries = itemsOf(managedFields)
    .filter(isMap)
    .filter(({ subresource }) => subresource !== 'status')
    .sort((a, b) => (String(a.time) < String(b.time) ? 1 : -1));
  return entries[0] === undefined ? '' : `nobody; last written by ${String(entries[0].manager)}`;
}

/** The owners of an item of a list: by its keys, or by its value. */
function stepsTo(owners: readonly Owner[], item: unknown): Owner[] {
  return owners.flatMap((owner) =>
    Object.entries(owner.node).flatMap(([step, below]) =>
      isStepTo(step, item) && isMap(below) ? [{ ...owner, node: below }] : [],
    ),
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
function keysOf(owners: readonly Owner[], item: unknown): string[] {
  const steps = owners.flatMap(({ node }) => Object.keys(node)).filter((step) => isStepTo(step, item));
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

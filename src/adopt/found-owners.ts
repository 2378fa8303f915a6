import { nameOf } from '../kubernetes/object.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { writersOf } from '../fleet/managed-fields.js';
import { LAST_APPLIED } from '../fleet/server-values.js';

/** Who has applied objects, and what is stopped there before the first change. */
export interface FoundOwner {
  /** `Helm release kube-system/yurt-manager` */
  readonly owner: string;
  /** `Deployment shop/web`, in the order of the input. */
  readonly objects: readonly string[];
  readonly stop: string;
}

/** How a tool marks what it applies. */
interface Tool {
  /** @returns the tool and its unit, or undefined if the object is not one of it */
  readonly of: (object: PlainMap, managers: readonly string[]) => string | undefined;
  readonly stop: string;
}

const labelsOf = (object: PlainMap): PlainMap => mapAt(mapAt(object, 'metadata'), 'labels');
const annotationsOf = (object: PlainMap): PlainMap => mapAt(mapAt(object, 'metadata'), 'annotations');
const textIn = (map: PlainMap, key: string): string | undefined => {
  const value = map[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const flux =
  (what: string, group: string): Tool['of'] =>
  (object) => {
    const [name, namespace] = ['name', 'namespace'].map((key) => textIn(labelsOf(object), `${group}/${key}`));
    return name === undefined ? undefined : `Flux ${what} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  };

/** An Application by its tracking annotation, by the label of annotation+label tracking, or by what the controller writes with label tracking. */
const argoCd: Tool['of'] = (object, managers) => {
  const [tracked] = (textIn(annotationsOf(object), 'argocd.argoproj.io/tracking-id') ?? '').split(':');
  const instance = textIn(labelsOf(object), 'argocd.argoproj.io/instance');
  // argocd-server and others write Secrets and ConfigMaps of Argo CD itself
  const labelled = managers.some((manager) => /^argocd-(?:application-)?controller$/.test(manager))
    ? (textIn(labelsOf(object), 'app.kubernetes.io/instance') ?? 'of another name')
    : undefined;
  const name = tracked === '' ? (instance ?? labelled) : tracked;
  return name === undefined ? undefined : `Argo CD Application ${name}`;
};

const helm: Tool['of'] = (object) => {
  const [name, namespace] = ['name', 'namespace'].map((key) =>
    textIn(annotationsOf(object), `meta.helm.sh/release-${key}`),
  );
  return name === undefined ? undefined : `Helm release ${namespace === undefined ? '' : `${namespace}/`}${name}`;
};

const byManager =
  (name: string, pattern: RegExp): Tool['of'] =>
  (_, managers) =>
    managers.some((manager) => pattern.test(manager)) ? name : undefined;

/** Tools that apply again on their own, or at the next run: the first one that has marked an object is its owner. */
const TOOLS: readonly Tool[] = [
  {
    of: flux('Kustomization', 'kustomize.toolkit.fluxcd.io'),
    stop: 'annotation kustomize.toolkit.fluxcd.io/prune: disabled, then remove it from the repository of Flux',
  },
  {
    of: flux('HelmRelease', 'helm.toolkit.fluxcd.io'),
    stop: 'suspend the HelmRelease, annotation helm.sh/resource-policy: keep, then remove it from the chart',
  },
  {
    of: argoCd,
    stop: 'annotation argocd.argoproj.io/sync-options: Prune=false, then remove it from the Application',
  },
  {
    of: helm,
    stop: 'annotation helm.sh/resource-policy: keep, then remove it from the chart; or leave the release to Helm, and its files out of fleet.ts',
  },
  {
    of: byManager('Helm', /^helm(?:\.exe)?$/),
    stop: 'annotation helm.sh/resource-policy: keep, then remove it from the chart',
  },
  {
    of: byManager('Flux', /^(?:kustomize|helm)-controller$/),
    stop: 'suspend what applies it, and remove it there without deleting it',
  },
  { of: byManager('Pulumi', /^pulumi-/), stop: 'pulumi state delete of the old program, after its last up' },
  { of: byManager('Terraform', /^(?:Terraform|HashiCorp)\b/i), stop: 'terraform state rm, after its last apply' },
  {
    of: byManager('kubeadm', /^kubeadm$/),
    stop: 'kubeadm upgrade writes it again: remove it here, unless it is to differ',
  },
];

/** Names of the API server for owners that it does not know, and of kube-controller-manager for the rules of roles that it adds up. */
const NOBODY = /^(?:before-first-apply|unknown|clusterrole-aggregation-controller)$/;

const OWN = /^edge-nodepools$/;
const KUBECTL = /^(?:kubectl|oc\b)/;

/**
 * The tools that have applied objects: by their labels and annotations, and by the managers of fields. Nothing for manifests that show none.
 *
 * Sources: meta.helm.sh (helm pkg/action/validate.go), argocd.argoproj.io (argo-cd common/common.go), toolkit.fluxcd.io (kustomize-controller).
 */
export function findOwners(objects: readonly PlainMap[]): FoundOwner[] {
  const found = new Map<string, { objects: string[]; stop: string }>();
  for (const object of objects) {
    const owner = ownerOf(object);
    if (owner !== undefined) {
      const each = found.get(owner.name) ?? { objects: [], stop: owner.stop };
      each.objects.push(nameOf(object));
      found.set(owner.name, each);
    }
  }
  return [...found]
    .map(([owner, each]) => ({ owner, ...each }))
    .sort((a, b) => b.objects.length - a.objects.length || (a.owner < b.owner ? -1 : 1));
}

function ownerOf(object: PlainMap): { readonly name: string; readonly stop: string } | undefined {
  const managers = writersOf(object).filter((manager) => !NOBODY.test(manager));
  for (const { of, stop } of TOOLS) {
    const name = of(object, managers);
    if (name !== undefined) {
      return { name, stop };
    }
  }
  const other = managers.find((manager) => !OWN.test(manager) && !KUBECTL.test(manager));
  if (other !== undefined) {
    return {
      name: `the field manager ${other}`,
      stop: 'what applies with this name: remove it there without deleting it',
    };
  }
  if (managers.some((manager) => KUBECTL.test(manager)) || annotationsOf(object)[LAST_APPLIED] !== undefined) {
    return { name: 'kubectl', stop: 'nobody applies the old manifests any more' };
  }
  return managers.length > 0 ? { name: 'edge-nodepools', stop: 'the other program of this library' } : undefined;
}

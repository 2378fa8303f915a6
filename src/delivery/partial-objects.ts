import type { ProblemList } from '../base/errors.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { FLUX_APPLY_ANNOTATION } from '../kubernetes/labels.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { SystemComponent } from '../system-components/system-component.js';
import { entryOf, isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { whatIs } from '../base/properties.js';
import { checkProperties, mapWith, oneOf, type PropertyTable } from '../base/property-table.js';
import { type DeliveryEngine, engineName } from './delivery-engine.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** What has created a component, and so which fields of it have an owner, of which kind. */
export type InstalledBy = 'kubeadm' | 'helm' | 'kubectl' | 'serverSide';

/**
 * A component of which a delivery has a partial object.
 *
 * @category Deliver many clusters
 */
export interface DeliveredComponent {
  /** What installs it: kubeadm, Helm 3, `kubectl apply`, or what applies server-side: `kubectl apply --server-side`, and Helm 4 where it has made the release.
   * @default - as its project does; required for a component that is not in the catalog, and for one by Helm that ships an affinity */
  readonly installedBy?: 'kubeadm' | 'helm' | 'kubectl' | 'serverSide';
  /** Labels of its selector (`spec.selector.matchLabels`), which Flux needs: it refuses a workload without a selector.
   * @default - that of kubeadm for kube-proxy and CoreDNS; required with Flux for others */
  readonly selector?: Record<string, string>;
}

const COMPONENT: PropertyTable<DeliveredComponent> = {
  installedBy: oneOf('kubeadm', 'helm', 'kubectl', 'serverSide'),
  selector: checkLabels,
};

export const checkComponents = mapWith(
  (map, problems) => {
    for (const [name, value] of Object.entries(map)) {
      if (!/^(DaemonSet|Deployment|StatefulSet) [a-z0-9.-]+\/[a-z0-9.-]+$/.test(name)) {
        problems
          .at(name)
          .add(
            'EDGE_NAME',
            `${name} names no workload`,
            "write 'DaemonSet kube-flannel/kube-flannel-ds', as in the report of EdgeSystemComponents",
          );
      } else if (!isMap(value)) {
        problems.at(name).add('EDGE_TYPE', `this is ${whatIs(value)}`, "write { installedBy: 'kubectl' }");
      } else {
        checkProperties(value, COMPONENT, problems.at(name));
      }
    }
  },
  'components must be a map',
  "write components: { 'DaemonSet kube-flannel/kube-flannel-ds': { installedBy: 'kubectl' } }",
);

/** Kinds of which an own object always has a selector and containers (staging/src/k8s.io/api/apps/v1). */
const WHOLE = ['DaemonSet.apps', 'Deployment.apps', 'StatefulSet.apps'];

/** What a workload lacks that every whole one has; then it is a part of one of others, or a mistake. */
export function missingParts(object: KubernetesObject): string[] {
  if (!WHOLE.includes(groupKindOf(object))) {
    return [];
  }
  const spec = mapAt(object, 'spec');
  const { containers } = mapAt(mapAt(spec, 'template'), 'spec');
  return [
    ...(Object.keys(mapAt(spec, 'selector')).length === 0 ? ['selector'] : []),
    ...(Array.isArray(containers) && containers.length > 0 ? [] : ['containers']),
  ];
}

/** What a component that ships an affinity meets, if what installs it applies server-side: two field managers want the one atomic field. */
const CONFLICT =
  'it ships an affinity of its own, and is installed by a server-side apply, so its next release is refused: it conflicts with the engine';

/**
 * Which partial objects hold, with the settings that this delivery gives them. Each row was seen with Argo CD 3.6 and kustomize-controller 1.9 against an API
 * server 1.36: applied, two further releases by what installs the component, applied again, and the end of the delivery.
 *
 * @param shipsOwn whether the component ships a node affinity
 */
function obstacleOf(engine: DeliveryEngine['engine'], installedBy: InstalledBy, shipsOwn: boolean): string | undefined {
  if (installedBy === 'serverSide') {
    return shipsOwn ? CONFLICT : undefined;
  }
  return installedBy === 'kubectl' && engine === 'argo-cd'
    ? 'with an object of kubectl apply, Argo CD fails at every later sync while its status says Synced, and the affinity is missing'
    : undefined;
}

/** Selectors that are the same in all releases (kubeadm phases/addons/proxy and dns, manifests.go). A selector is immutable. */
const SELECTORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'DaemonSet kube-system/kube-proxy': { 'k8s-app': 'kube-proxy' },
  'Deployment kube-system/coredns': { 'k8s-app': 'kube-dns' },
};

/** What does the same without a partial object, for hints. */
export const INSTEAD =
  "exclude it by a policy (strategy ADMISSION_POLICY, from Kubernetes 1.36 on), in its own manifests (docs/post-render.md), or by the kubectl command of the report and partials: 'apart'";

/** How a component is installed, by the catalog. */
function installedByDefault(name: string): InstalledBy | undefined {
  const owners = SystemComponent.known().flatMap(({ data }) =>
    data.workloads
      .filter(({ kind, namespace, name: own }) => `${kind} ${namespace}/${own}` === name)
      .map(() => data.owner),
  );
  const [owner] = owners;
  return owner === 'kubeadm' || owner === 'helm' ? owner : owner === 'manifest' ? 'kubectl' : undefined;
}

/**
 * The partial object as an engine applies it without taking the component away.
 *
 * @returns the object with what its engine needs; undefined if it does not hold, which is a problem then
 */
export function heldPartial(
  object: KubernetesObject,
  engine: DeliveryEngine['engine'],
  components: Readonly<Record<string, DeliveredComponent>>,
  problems: ProblemList,
): KubernetesObject | undefined {
  const name = nameOf(object);
  const { installedBy = installedByDefault(name), selector = entryOf(SELECTORS, name) } =
    entryOf(components, name) ?? {};
  const settings = `components: { '${name}': { installedBy: 'kubeadm' } }`;
  if (installedBy === undefined) {
    problems.add(
      'EDGE_MISSING',
      `it is not known what installs ${name}`,
      `write ${settings}, or 'helm', 'kubectl', 'serverSide'`,
    );
    return undefined;
  }
  const shipsOwn = shipsAffinity(object);
  if (installedBy === 'helm' && entryOf(components, name)?.installedBy === undefined && shipsOwn) {
    problems.add(
      'EDGE_MISSING',
      `it is not known whether Helm 3 or Helm 4 has installed ${name}: Helm 4 applies server-side, and conflicts with the engine on the affinity that it ships`,
      `write components: { '${name}': { installedBy: 'helm' } } for Helm 3; 'serverSide' for Helm 4 is refused`,
    );
    return undefined;
  }
  const obstacle = obstacleOf(engine, installedBy, shipsOwn);
  if (obstacle !== undefined) {
    problems.add(
      'EDGE_STRATEGY',
      `${engineName(engine)} cannot hold the partial object of ${name}: ${obstacle}`,
      INSTEAD,
    );
    return undefined;
  }
  if (engine === 'argo-cd') {
    return withAnnotations(object, { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' });
  }
  if (selector === undefined) {
    problems.add(
      'EDGE_MISSING',
      `Flux refuses ${name} without its selector`,
      `write components: { '${name}': { selector: { app: '…' } } }, as \`kubectl get\` shows spec.selector.matchLabels`,
    );
    return undefined;
  }
  return withAnnotations(withSelector(object, selector), {
    // without it Flux takes over all fields that it applies from whoever applied them before, and deletes the object with its Kustomization
    'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    [FLUX_APPLY_ANNOTATION]: 'Merge',
  });
}

/** Whether a component has a node affinity of its own: then its partial object has that, too, and not only the exclusion. */
function shipsAffinity(object: KubernetesObject): boolean {
  const required = [
    'spec',
    'template',
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
  ];
  const { nodeSelectorTerms: terms } = required.reduce<PlainMap>(mapAt, object);
  return (itemsOf(terms) as readonly PlainMap[]).some(
    ({ matchExpressions, ...others }) =>
      Object.keys(others).length > 0 || !Array.isArray(matchExpressions) || matchExpressions.length > 1,
  );
}

function withSelector(object: KubernetesObject, selector: Readonly<Record<string, string>>): KubernetesObject {
  const spec = mapAt(object, 'spec');
  const template = mapAt(spec, 'template');
  const metadata = mapAt(template, 'metadata');
  return {
    ...object,
    spec: {
      ...spec,
      selector: { matchLabels: { ...selector } },
      template: { ...template, metadata: { ...metadata, labels: { ...mapAt(metadata, 'labels'), ...selector } } },
    },
  };
}

/** An object with more annotations, before its own. */
export function withAnnotations(object: KubernetesObject, added: Readonly<Record<string, string>>): KubernetesObject {
  const { metadata = {} } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...added, ...metadata.annotations } } };
}

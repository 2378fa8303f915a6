import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import { lookUpKubernetes } from '../cluster/kubernetes-minors.js';
import { EdgeError, type EdgeProblem } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';

/** A release, and what shows it. */
export interface FoundRelease {
  readonly version: string;
  readonly shownBy: string;
  /** What the objects show, if it is another version than the given one.
   * @default - the same, or nothing */
  readonly otherwise?: string;
}

/** What the objects of a cluster show of its releases. */
export interface FoundReleases {
  readonly openYurt: FoundRelease;
  readonly kubernetes: FoundRelease;
}

/** What the user says. */
export interface GivenReleases {
  readonly openYurt?: string | undefined;
  readonly kubernetes?: string | undefined;
}

/**
 * The releases of the cluster: those that are given, or that the objects show.
 *
 * @throws {@link EdgeError} with EDGE_MISSING for what nothing shows
 */
export function findReleases(objects: readonly PlainMap[], given: GivenReleases): FoundReleases {
  const images = imagesOf(objects);
  const openYurt = givenOr(given.openYurt, () => findOpenYurt(objects, images));
  const kubernetes = givenOr(given.kubernetes, () => findKubernetes(objects, images));
  const problems: EdgeProblem[] = [
    ...(openYurt === undefined
      ? [missing('openYurt', 'OpenYurt', 'write --openyurt 1.7, or --openyurt none for a cluster without it')]
      : []),
    ...(kubernetes === undefined
      ? [
          missing(
            'kubernetes',
            'Kubernetes',
            'write --kubernetes 1.36; or add the Nodes: kubectl get nodes --output=yaml',
          ),
        ]
      : []),
  ];
  if (openYurt === undefined || kubernetes === undefined) {
    throw new EdgeError('import', problems);
  }
  return { openYurt, kubernetes };
}

function missing(path: string, what: string, hint: string): EdgeProblem {
  return { code: 'EDGE_MISSING', path, message: `nothing in the objects shows the release of ${what}`, hint };
}

function givenOr(given: string | undefined, find: () => FoundRelease | undefined): FoundRelease | undefined {
  const found = find();
  if (given === undefined) {
    return found;
  }
  const minorOf = (version: string): string => version.replace(/^v/, '').split('.').slice(0, 2).join('.');
  const otherwise =
    found === undefined || minorOf(found.version) === minorOf(given)
      ? {}
      : { otherwise: `${found.version}, by ${found.shownBy}` };
  return { version: given, shownBy: 'the command line', ...otherwise };
}

/** Images of containers, by the last part of their name, with the versions of their tags. */
function imagesOf(objects: readonly PlainMap[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (isMap(value)) {
      if (typeof value.image === 'string') {
        const { name, version } = versionOfImage(value.image);
        if (version !== undefined && !found.has(name)) {
          found.set(name, version);
        }
      }
      Object.values(value).forEach(visit);
    }
  };
  objects.forEach((object) => visit(object.spec));
  return found;
}

/** The last part of the name of an image, and the version of its tag. */
function versionOfImage(image: string): { readonly name: string; readonly version: string | undefined } {
  const [last = ''] = image.split('/').slice(-1);
  const [name = '', tag = ''] = last.split(/[:@]/);
  return { name, version: /^v?(\d+\.\d[\w.-]*)$/.exec(tag)?.[1] };
}

const YURT_IMAGES = ['yurt-manager', 'yurthub', 'yurt-coordinator-webhook'];

function findOpenYurt(objects: readonly PlainMap[], images: ReadonlyMap<string, string>): FoundRelease | undefined {
  const image = YURT_IMAGES.find((name) => images.has(name));
  if (image !== undefined) {
    return { version: images.get(image) as string, shownBy: `the image ${image}` };
  }
  const charts = objects.map((object) => mapAt(mapAt(object, 'metadata'), 'labels')['helm.sh/chart']);
  const chart = charts.map((label) => /^yurt-manager-v?(\d+\.[\w.-]+)$/.exec(String(label))?.[1]).find(Boolean);
  if (chart !== undefined) {
    return { version: chart, shownBy: 'the chart yurt-manager' };
  }
  // a version of the NodePool kind that only one release writes
  const versions = new Set(objects.flatMap(nodePoolVersions));
  const fitting = OPENYURT_RELEASES.filter(({ nodePoolVersion }) => versions.has(nodePoolVersion));
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined
    ? { version: only.release, shownBy: `NodePools in ${only.nodePoolVersion}` }
    : undefined;
}

/** The version of a NodePool, or the one in which a CustomResourceDefinition stores them. */
function nodePoolVersions(object: PlainMap): string[] {
  if (groupKindOf(object) === 'NodePool.apps.openyurt.io') {
    return [String(object.apiVersion).replace(/^.*\//, '')];
  }
  const isDefinition = mapAt(object, 'metadata').name === 'nodepools.apps.openyurt.io' && isMap(object.spec);
  const versions = isDefinition ? mapAt(object, 'spec').versions : [];
  return (Array.isArray(versions) ? versions : [])
    .filter((version): version is PlainMap => isMap(version) && version.storage === true)
    .map(({ name }) => String(name));
}

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'];

function findKubernetes(objects: readonly PlainMap[], images: ReadonlyMap<string, string>): FoundRelease | undefined {
  const uploaded = objects.find(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === 'kubeadm-config',
  );
  const text = valueAt(uploaded, ['data', 'ClusterConfiguration']);
  const [, configured] = /^kubernetesVersion: v?([\d.]+)/m.exec(typeof text === 'string' ? text : '') ?? [];
  if (configured !== undefined) {
    return { version: configured, shownBy: 'the ConfigMap kubeadm-config' };
  }
  const image = CONTROL_PLANE.find((name) => images.has(name));
  if (image !== undefined) {
    return { version: images.get(image) as string, shownBy: `the image ${image}` };
  }
  // kubelets are never newer than the API server
  const kubelets = objects
    .filter(({ kind }) => kind === 'Node')
    .map((node) => valueAt(node, ['status', 'nodeInfo', 'kubeletVersion']))
    .flatMap((version) => /^v?(\d+\.\d+\.\d+)/.exec(String(version))?.[1] ?? [])
    .filter((version) => lookUpKubernetes(version).kind === 'known')
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const newest = kubelets.at(-1);
  return newest === undefined ? undefined : { version: newest, shownBy: 'the newest kubelet' };
}

import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import { isOlderMinor, KUBERNETES_MINORS, lookUpKubernetes } from '../cluster/kubernetes-minors.js';
import { EdgeError, type EdgeProblem } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A release, and what shows it. */
export interface FoundRelease {
  readonly version: string;
  readonly shownBy: string;
  /** What the objects also show, if it is another version.
   * @default - the same, or nothing */
  readonly otherwise?: string;
  /** The object that shows it.
   * @default - the command line, or several objects */
  readonly shownIn?: PlainMap;
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
  const kubernetes = withPolicies(
    givenOr(given.kubernetes, () => findKubernetes(objects, images)),
    objects,
  );
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

/** Problems of a release that objects show, at their place in place of the command line. */
export function problemsAtPlaces(
  problems: readonly EdgeProblem[],
  { openYurt, kubernetes }: FoundReleases,
  placeOf: (object: PlainMap) => string | undefined,
): EdgeProblem[] {
  const found: Readonly<Record<string, FoundRelease>> = { openYurt, kubernetes };
  return problems.map((problem) => {
    const { shownIn, shownBy = '' } = found[problem.path] ?? {};
    const place = shownIn === undefined ? undefined : placeOf(shownIn);
    return place === undefined
      ? problem
      : {
          ...problem,
          path: place,
          message: `by ${shownBy}: ${problem.message}`,
          hint: `${problem.path === 'openYurt' ? '--openyurt' : '--kubernetes'}: ${problem.hint}`,
        };
  });
}

/** The first minor that serves the policies of the objects by default, if it is newer than the release. */
function withPolicies(release: FoundRelease | undefined, objects: readonly PlainMap[]): FoundRelease | undefined {
  const found = release === undefined ? undefined : lookUpKubernetes(release.version);
  if (release === undefined || release.otherwise !== undefined || found?.kind !== 'known') {
    return release;
  }
  const first = firstMinorOf(objects);
  return first !== undefined && isOlderMinor(found.row.minor, first.minor)
    ? { ...release, otherwise: `${first.minor} or later, by ${first.shownBy}` }
    : release;
}

/** The first minor of Kubernetes that serves a MutatingAdmissionPolicy without flags in the version in which the objects have one. */
export function firstMinorOf(
  objects: readonly PlainMap[],
): { readonly minor: string; readonly shownBy: string } | undefined {
  const isStable = objects.some(
    ({ apiVersion, kind }) => kind === 'MutatingAdmissionPolicy' && apiVersion === 'admissionregistration.k8s.io/v1',
  );
  const row = KUBERNETES_MINORS.find(
    ({ mutatingAdmissionPolicy: support }) => support?.version === 'v1' && support.byDefault,
  );
  return isStable && row !== undefined ? { minor: row.minor, shownBy: 'MutatingAdmissionPolicy in v1' } : undefined;
}

function missing(path: string, what: string, hint: string): EdgeProblem {
  return { code: 'EDGE_MISSING', path, message: `nothing in the objects shows the release of ${what}`, hint };
}

function minorOf(version: string): string {
  return version.replace(/^v/, '').split('.').slice(0, 2).join('.');
}

function givenOr(given: string | undefined, find: () => FoundRelease | undefined): FoundRelease | undefined {
  const found = find();
  if (given === undefined) {
    return found;
  }
  const otherwise =
    found === undefined || minorOf(found.version) === minorOf(given)
      ? {}
      : { otherwise: `${found.version}, by ${found.shownBy}` };
  return { version: given, shownBy: 'the command line', ...otherwise };
}

/** Images, by the last part of their name: with the versions of their tags, and the object that has them. */
type Images = ReadonlyMap<string, FoundRelease>;

function imagesOf(objects: readonly PlainMap[]): Images {
  const found = new Map<string, FoundRelease>();
  const visit = (value: unknown, shownIn: PlainMap): void => {
    if (Array.isArray(value)) {
      value.forEach((item) => visit(item, shownIn));
    } else if (isMap(value)) {
      if (typeof value.image === 'string') {
        const { name, version } = versionOfImage(value.image);
        if (version !== undefined && !found.has(name)) {
          found.set(name, { version, shownBy: `the image ${name}`, shownIn });
        }
      }
      Object.values(value).forEach((item) => visit(item, shownIn));
    }
  };
  objects.forEach((object) => visit(object.spec, object));
  return found;
}

/** The last part of the name of an image, and the version of its tag. */
function versionOfImage(image: string): { readonly name: string; readonly version: string | undefined } {
  const [last = ''] = image.split('/').slice(-1);
  const [name = '', tag = ''] = last.split(/[:@]/);
  return { name, version: /^v?(\d+\.\d[\w.-]*)$/.exec(tag)?.[1] };
}

const YURT_IMAGES = ['yurt-manager', 'yurthub', 'yurt-coordinator-webhook'];

function findOpenYurt(objects: readonly PlainMap[], images: Images): FoundRelease | undefined {
  const chart = objects.flatMap((shownIn): FoundRelease[] => {
    const label = mapAt(mapAt(shownIn, 'metadata'), 'labels')['helm.sh/chart'];
    const [, version] = /^yurt-manager-v?(\d+\.[\w.-]+)$/.exec(String(label)) ?? [];
    return version === undefined ? [] : [{ version, shownBy: 'the chart yurt-manager', shownIn }];
  })[0];
  const image = YURT_IMAGES.flatMap((name) => images.get(name) ?? [])[0];
  if (image !== undefined && chart !== undefined && minorOf(image.version) !== minorOf(chart.version)) {
    // charts up to 1.5 have the image of the release before
    return { ...image, otherwise: `${chart.version}, by ${chart.shownBy}` };
  }
  if (image !== undefined || chart !== undefined) {
    return image ?? chart;
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
  return itemsOf(versions)
    .filter((version): version is PlainMap => isMap(version) && version.storage === true)
    .map(({ name }) => String(name));
}

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'];

function findKubernetes(objects: readonly PlainMap[], images: Images): FoundRelease | undefined {
  const uploaded = objects.find(
    (object) => object.kind === 'ConfigMap' && mapAt(object, 'metadata').name === 'kubeadm-config',
  );
  const text = valueAt(uploaded, ['data', 'ClusterConfiguration']);
  const [, configured] = /^kubernetesVersion: v?([\d.]+)/m.exec(typeof text === 'string' ? text : '') ?? [];
  if (configured !== undefined) {
    return {
      version: configured,
      shownBy: 'the ConfigMap kubeadm-config',
      ...(uploaded === undefined ? {} : { shownIn: uploaded }),
    };
  }
  const image = CONTROL_PLANE.flatMap((name) => images.get(name) ?? [])[0];
  if (image !== undefined) {
    return image;
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

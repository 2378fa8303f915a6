import { bootstrapTokens } from '../../../corpus/joins.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3 } from '../../harness/helm.js';
import { dumped, ImportedProject } from '../../harness/imported-project.js';
import { buildPackage } from '../../harness/installed-package.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { documents } from '../../harness/kubectl.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { objectsIn, openYurtCrds } from '../../harness/openyurt.js';
import { operatorCrds } from '../../harness/operator-crds.js';
import { openYurtRelease, otherManifests, published, PUBLISHED } from '../../harness/published-manifests.js';
import { corpus } from '../../../corpus/corpus.js';
import { examples, installed, isPartial } from './accepted.js';
import { withoutServerFields } from './server-side.js';
import { changedSince } from './changed-since.js';
import { givenBack } from './given-back.js';
import { shop } from './shop.js';

const PROPS = { kubernetes: '1.36' } as const;
const RELEASES = ['1.4', '1.5', '1.7'];

/** Objects that are applied to one cluster and imported together. */
interface Source {
  readonly name: string;
  /** A chart is rendered only where it is needed. */
  readonly make: () => readonly any[];
  /** @default '1.7' */
  readonly openYurt?: string;
}

const isCrd = ({ kind }: any): boolean => kind === 'CustomResourceDefinition';
const keyOf = ({ apiVersion, kind, metadata }: any): string =>
  [String(apiVersion).replace(/\/.*$/, ''), kind, metadata.namespace, metadata.name].join(' ');

/** The first of each name: two sets of the corpus may have objects of one name. */
function distinct(objects: readonly any[]): any[] {
  return [...new Map([...objects].reverse().map((object) => [keyOf(object), object])).values()].reverse();
}

/** What another tool installs, with the definitions that its objects need. */
function projects(plane: ControlPlane): Source[] {
  const addOns = new KubeadmAddOns(plane.folder);
  return [
    { name: 'a fleet written by hand', make: shop },
    {
      name: 'kubeadm init phase addon',
      make: () => (['coredns', 'kube-proxy'] as const).flatMap((addOn) => objectsIn(addOns.printed(addOn))),
    },
    ...PUBLISHED.map((name) => ({ name, make: () => published(name) })),
    {
      name: 'prometheus-operator',
      make: () => operatorCrds('prometheus-operator-0.85', 'prometheuses', 'prometheusrules'),
    },
    { name: 'Elastic Cloud on Kubernetes', make: () => operatorCrds('eck-3.5', 'elasticsearches') },
    { name: 'external-snapshotter', make: () => operatorCrds('external-snapshotter-8.7', 'volumesnapshotclasses') },
    { name: 'Cluster API', make: () => operatorCrds('cluster-api-1.13', 'machinedeployments') },
    ...otherManifests().map(({ name, objects }) => ({ name, make: () => objects })),
  ];
}

/** The examples, of which each is a cluster, and the manifests of the unit tests. */
function ours(): Source[] {
  const served = ({ apiVersion, kind }: any): boolean => !/cluster\.x-k8s\.io|v1beta1$/.test(`${apiVersion} ${kind}`);
  const byExample = new Map<string, any[]>();
  for (const { name, objects, present = [] } of examples()) {
    const [example = ''] = name.split(': ');
    // these two have a file for each of several clusters
    const key = /every-release|upgrade/.test(example) ? name : example;
    const own = objects.filter((object) => !isPartial(object) && served(object));
    byExample.set(key, distinct([...(byExample.get(key) ?? []), ...own, ...present.filter(() => own.length > 0)]));
  }
  const sets = [...corpus(), ...bootstrapTokens()].flatMap(({ objects }) => objects);
  return [
    ...[...byExample]
      .filter(([, { length }]) => length > 0 && length < 200)
      .map(([name, objects]) => ({
        name,
        make: () => objects,
        openYurt: releaseOf(name),
      })),
    { name: 'system components', make: () => distinct(sets.filter(isPartial).map(installed)) },
  ];
}

/** The release of an example, as somebody would give it who imports its cluster. */
function releaseOf(name: string): string {
  const [, minor] = /openyurt-1-(\d)/.exec(name) ?? [];
  return minor !== undefined
    ? `1.${minor}`
    : /without|existing-labels|none/.test(name)
      ? 'none'
      : name.includes('upgrade: before')
        ? '1.5'
        : '1.7';
}

/** How clusters get their objects: each leaves other owners of fields behind. */
const WAYS = ['kubectl apply', 'kubectl apply --server-side', 'kubectl create'] as const;

/** The objects that the API server accepts, as it stores them. */
async function install(
  plane: ControlPlane,
  objects: readonly any[],
  way: (typeof WAYS)[number],
): Promise<{ readonly accepted: any[]; readonly stored: any[] }> {
  await plane.applyCrds(objects.filter(isCrd).map(withoutConversion));
  const others = objects.filter((object) => !isCrd(object) && object.kind !== 'Namespace');
  await plane.apply(objects.filter(({ kind }) => kind === 'Namespace'));
  for (const { metadata } of others) {
    await plane.ensureNamespace(metadata.namespace as string | undefined);
  }
  const [, ...args] = way.split(' ');
  plane.kubectl([...args, '--validate=false', '-f', '-'], documents(others));
  const stored: any[] = [];
  const accepted: any[] = [];
  const isServed = async (object: any): Promise<boolean> =>
    plane.api.pathOf(object).then(
      () => true,
      () => false,
    );
  for (const object of [...objects.filter(isCrd), ...objects.filter(({ kind }) => kind === 'Namespace'), ...others]) {
    const path = (await isServed(object)) ? await plane.api.pathOf(object) : undefined;
    const { status, body } = path === undefined ? { status: 404, body: {} } : await plane.api.send('GET', path);
    if (status === 200) {
      stored.push(body);
      accepted.push(object);
    }
  }
  return { accepted, stored };
}

/** Nothing here serves conversions. */
function withoutConversion(crd: any): any {
  const {
    status: _status,
    metadata: { creationTimestamp: _time, ...metadata },
    ...rest
  } = crd;
  return { ...rest, metadata, spec: { ...rest.spec, conversion: { strategy: 'None' } } };
}

async function remove(plane: ControlPlane, objects: readonly any[]): Promise<void> {
  for (const object of objects.filter((each) => each.kind !== 'Namespace' && !isCrd(each))) {
    await plane.api.send('DELETE', await plane.api.pathOf(object), { gracePeriodSeconds: 0 });
  }
}

/** Another owner of a value that has one as a whole, such as the rules of a webhook, does not matter: a difference would show. */
const FORCED = ['--server-side', '--force-conflicts', '--field-manager=edge-nodepools'];

/** A dump becomes a program that changes nothing in this cluster, and makes the same in an empty one. */
async function judge(
  plane: ControlPlane,
  other: ControlPlane,
  source: Source,
  index: number,
  proof: Proof,
): Promise<Counted> {
  const way = WAYS[index % WAYS.length] as (typeof WAYS)[number];
  const claim = (what: string): string => `${source.name} (${way}): ${what}`;
  // a document that is no object of a cluster, such as a kustomization, is no part of it
  const objects = source.make().filter(({ metadata }) => metadata?.name !== undefined);
  const { accepted, stored } = await install(plane, objects, way);
  // kinds of operators that are not installed are not
  proof.that(claim('has objects'), accepted.length > 0, differenceOf(objects, accepted));
  const id = `imported-${index}`;
  const given = ['--openyurt', source.openYurt ?? '1.7', '--kubernetes', PROPS.kubernetes];
  const project = ImportedProject.of(plane, id, dumped(plane, id, stored), given);
  project.synth();
  const made = project.made();
  const parts = project.parts();
  proof.same(claim('no object is lost'), [...made, ...parts].map(keyOf).sort(), stored.map(keyOf).sort());
  const folders = [project.dist, project.patches, project.secrets].filter((each) => each !== undefined);
  for (const folder of folders) {
    const diff = plane.kubectl(['diff', ...FORCED, '-f', folder]);
    proof.that(
      claim(
        `kubectl diff is empty for all ${folder === project.dist ? 'objects' : folder === project.patches ? 'parts of objects' : 'secrets'}`,
      ),
      diff.status === 0 && diff.stdout === '',
      `${diff.stdout}${diff.stderr}`.slice(0, 3000),
    );
  }
  // what the program does not say would show only here
  await other.applyCrds(made.filter(isCrd));
  const whole = [
    ...made.filter(({ kind }) => kind === 'Namespace'),
    ...made.filter(({ kind }) => kind !== 'Namespace'),
  ];
  const again: any[] = [];
  for (const object of whole) {
    again.push(...(await other.apply([object], 'edge-nodepools', { force: true })));
  }
  const byKey = new Map(again.map((object) => [keyOf(object), withoutServerFields(object)]));
  const isWhole = (object: any): boolean => !parts.some((part) => keyOf(part) === keyOf(object));
  for (const object of stored.filter(isWhole)) {
    proof.same(
      claim(`${keyOf(object)} is the same in an empty cluster`),
      byKey.get(keyOf(object)),
      withoutServerFields(object),
    );
  }
  const next = ImportedProject.of(plane, `again/${id}`, project.dist, given);
  const [was, is] = [project.sources(), next.sources()];
  const others = Object.keys({ ...was, ...is }).filter((file) => was[file] !== is[file]);
  proof.same(claim('imported again, it is the same program'), others, []);
  await remove(plane, stored);
  await remove(other, stored);
  return countedIn(project.report);
}

/** Objects that concern edge pools, and those of them that classes make. */
interface Counted {
  readonly ofEdge: number;
  readonly recognized: number;
}

function countedIn(report: string): Counted {
  const [, ofEdge = '0', recognized = '0'] = /^of (\d+) that concern edge pools (\d+) by classes/m.exec(report) ?? [];
  return { ofEdge: Number(ofEdge), recognized: Number(recognized) };
}

function differenceOf(all: readonly any[], accepted: readonly any[]): string {
  const known = new Set(accepted);
  return all
    .filter((object) => !known.has(object))
    .map(keyOf)
    .join('\n');
}

export const imported: Group = {
  name: 'imported',
  claim:
    'what runs in a cluster becomes a program whose kubectl diff is empty for every object, and which makes the same objects in an empty cluster: examples, system components, OpenYurt’s charts of three releases, add-ons of kubeadm, flannel, calico, argo-cd, cert-manager, ingress-nginx, metrics-server and operators, by kubectl apply, apply --server-side and create; imported again, it is the same program; the way back of the page changes nothing and leaves nothing; what somebody changes after the dump, by kubectl apply, server-side apply, Helm or as Argo CD, import --compare finds with its manager',
  programs: 'kube-apiserver, kubectl and kubeadm 1.36, helm 3.20, the charts of OpenYurt 1.4, 1.5 and 1.7',
  tools: [...toolsOf(PROPS), KUBEADM, HELM_3],
  run: async (proof) => {
    buildPackage();
    const only = process.env.EDGE_NODEPOOLS_SOURCES;
    let index = 0;
    const counted = new Map<string, Counted>();
    // a cluster has the CustomResourceDefinitions of one release
    for (const release of only === undefined ? RELEASES : [RELEASES.at(-1) as string]) {
      await onControlPlane(PROPS, proof, async (plane) => {
        await onControlPlane(PROPS, proof, async (other) => {
          if (release === '1.7') {
            // pools of all sources
            await plane.applyCrds(openYurtCrds(release, true));
            await other.applyCrds(openYurtCrds(release, true));
          }
          const chart = {
            name: `OpenYurt’s chart ${release}`,
            make: () => openYurtRelease(release),
            openYurt: release,
          };
          const sources = [chart, ...(release === '1.7' ? [...projects(plane), ...ours()] : [])];
          for (const source of sources.filter(({ name }) => only === undefined || new RegExp(only).test(name))) {
            counted.set(source.name, await judge(plane, other, source, index++, proof));
          }
          if (release === '1.7') {
            await givenBack(plane, proof);
            await changedSince(plane, proof);
          }
        });
      });
    }
    const sums = [...counted.values()].map(({ ofEdge, recognized }) => [ofEdge, recognized] as const);
    const [all, recognized] = [0, 1].map((which) => sums.reduce((sum, each) => sum + (each[which] ?? 0), 0)) as [
      number,
      number,
    ];
    proof.that(
      'four of five objects that concern edge pools are made by classes',
      only !== undefined || recognized >= 0.8 * all,
      JSON.stringify([...counted].filter(([, each]) => each.recognized < each.ofEdge)),
    );
    proof.note(`${index} sources, ${recognized} of ${all} objects that concern edge pools by classes`);
  },
};

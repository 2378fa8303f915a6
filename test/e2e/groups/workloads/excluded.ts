import { isDeepStrictEqual } from 'node:util';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { workloadShapes } from '../../../corpus/workload-shapes.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { yurtAppSets } from './yurt-app-set.js';
import { besideYurtManager, KUBERNETES_OF, toolsBeside, type YurtManagerRelease } from '../../harness/yurt-manager.js';
import { ofChosenMinors } from '../../harness/minors.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const NAMESPACE = 'shapes';
const SCHEDULER = { kubernetes: '1.36', scheduler: true } as const;

const EXCLUSION = { key: HOST_NETWORK, operator: 'NotIn', values: ['true'] };

/**
 * Shapes to which the webhook of 1.5+ appends its requirement although we do not change them, in our Pods as in others, because our Pods are
 * annotated, too: an empty term matches nothing before and every other node after, and a NotIn with "true" among other values is sufficient.
 */
const APPENDED: Readonly<Record<string, string>> = {
  'empty-term-beside': 'the empty term',
  'only-empty-term': 'the empty term',
  'excluded-among-values': 'a term that excludes already',
};

/** A shape as Pods: original, and as our construct writes it. */
interface PodsOfShape {
  readonly name: string;
  readonly plain: any;
  readonly excluded: any;
}

/** The Pod template of a workload; a Pod is its own template. */
function templateIn(object: any): any {
  if (object.kind === 'Pod') {
    return object;
  }
  if (object?.template?.spec?.containers !== undefined) {
    return object.template;
  }
  return Object.values(object as object)
    .filter((value) => value !== null && typeof value === 'object')
    .map(templateIn)
    .find((template) => template !== undefined);
}

function podOf(workload: any, name: string): any {
  const { metadata, spec } = templateIn(workload);
  const { labels, annotations } = metadata ?? {};
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE, labels, annotations }, spec };
}

function shapes(): PodsOfShape[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'shapes');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  return workloadShapes.map(({ name, workload }) => {
    const { manifest } = new ExcludedWorkload(chart, name, { cluster, workload });
    return { name, plain: podOf(workload, `${name}-plain`), excluded: podOf(manifest, `${name}-excluded`) };
  });
}

const termsOf = (pod: any): any =>
  pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

function annotated(pod: any): any {
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: 'true' };
  return { ...pod, metadata: { ...pod.metadata, name: `${pod.metadata.name}-annotated`, annotations } };
}

/** Terms after the webhook has appended its requirement to those that do not have exactly that one. */
function appended(terms: readonly any[]): any[] {
  const hasIt = ({ matchExpressions }: any): boolean =>
    (matchExpressions ?? []).some((expression: object) => isDeepStrictEqual(expression, EXCLUSION));
  return terms.map((term) =>
    hasIt(term) ? term : { ...term, matchExpressions: [...(term.matchExpressions ?? []), EXCLUSION] },
  );
}

async function throughWebhook(release: YurtManagerRelease, pods: readonly PodsOfShape[], proof: Proof): Promise<void> {
  const values = { controllers: release === '1.7' ? 'nodepool,yurtappset' : 'nodepool' };
  await besideYurtManager(release, proof, withPods, { values, scheduler: release === '1.7' });

  async function withPods(plane: ControlPlane): Promise<void> {
    await plane.ensureNamespace(NAMESPACE);
    const create = (pod: any): Promise<any> => plane.api.must('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, pod);
    for (const { name, plain, excluded } of pods) {
      const claim = (what: string): string => `yurt-manager ${release}: ${name}: ${what}`;
      const ours = await create(excluded);
      const untouched = await create(plain);
      const theirs = await create(annotated(plain));
      proof.same(claim('without the annotation nothing is added'), untouched.spec.affinity, plain.spec.affinity);
      if (release === '1.4') {
        proof.same(claim('nothing is added to our affinity'), ours.spec.affinity, excluded.spec.affinity);
        proof.same(claim('nothing is added to an annotated Pod'), theirs.spec.affinity, plain.spec.affinity);
      } else if (name in APPENDED) {
        const expected = appended(termsOf(excluded) as any[]);
        proof.same(claim(`the webhook appends to ${APPENDED[name]}, in our Pod too`), termsOf(ours), expected);
        proof.same(claim('and it makes the same change for only the annotation'), termsOf(theirs), expected);
      } else {
        proof.same(claim('the webhook adds nothing to our affinity'), ours.spec.affinity, excluded.spec.affinity);
        proof.same(claim('it makes the same change for only the annotation'), termsOf(theirs), termsOf(excluded));
      }
    }
    if (release === '1.7') {
      await yurtAppSets(plane, proof);
    }
  }
}

/** The node of each of these Pods; undefined for an unschedulable one. Every Pod must be new. */
async function placesOf(plane: ControlPlane, pods: readonly any[]): Promise<Map<string, string | undefined>> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  for (const pod of pods) {
    await plane.api.must('POST', path, pod);
  }
  const names = new Set(pods.map(({ metadata }) => metadata.name as string));
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { items } = await plane.api.must('GET', path);
    const ours = (items as any[]).filter(({ metadata }) => names.has(metadata.name as string));
    const isDecided = ({ spec, status }: any): boolean =>
      spec.nodeName !== undefined ||
      (status.conditions ?? []).some(({ type, reason }: any) => type === 'PodScheduled' && reason === 'Unschedulable');
    if (ours.every(isDecided)) {
      return new Map(ours.map(({ metadata, spec }) => [metadata.name as string, spec.nodeName as string | undefined]));
    }
    if (Date.now() > deadline) {
      const waiting = ours.filter((pod) => !isDecided(pod)).map(({ metadata }) => metadata.name as string);
      throw new Error(`the scheduler has no result for ${waiting.join(', ')}`);
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Waits until the scheduler knows a node: a Pod that selects it is bound. */
async function schedulerKnows(plane: ControlPlane, node: string): Promise<void> {
  const scout = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `scout-${node}`, namespace: NAMESPACE },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'a', image: 'a' }],
    },
  };
  await plane.api.must('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, scout);
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { spec } = await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods/${scout.metadata.name}`);
    if (spec.nodeName === node) {
      return;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`the scheduler does not know ${node}`);
}

const renamed = (pod: any, suffix: string): any => ({
  ...pod,
  metadata: { ...pod.metadata, name: `${pod.metadata.name}-${suffix}` },
});

/**
 * First only regular nodes exist, and the scheduler shows which original shapes can run on them. Then a host-network node is added,
 * which most shapes match and prefer.
 */
async function bound(pods: readonly PodsOfShape[], proof: Proof): Promise<void> {
  await onControlPlane(SCHEDULER, proof, async (plane) => {
    await plane.ensureNamespace(NAMESPACE);
    const lessLiked = [{ key: 'busy', effect: 'PreferNoSchedule' }];
    const regular = { 'plain-1': {}, 'plain-2': { site: 'b', [HOST_NETWORK]: 'false' } };
    for (const [name, labels] of Object.entries(regular)) {
      await plane.nodes.fake(name, labels, lessLiked);
      await schedulerKnows(plane, name);
    }
    const alone = await placesOf(
      plane,
      pods.map(({ plain }) => renamed(plain, 'alone')),
    );
    await plane.nodes.fake('edge-1', { site: 'a', rank: '9', [HOST_NETWORK]: 'true' });
    await schedulerKnows(plane, 'edge-1');
    const plain = await placesOf(
      plane,
      pods.map((shape) => shape.plain),
    );
    const excluded = await placesOf(
      plane,
      pods.map((shape) => shape.excluded),
    );
    const tally = { toRegular: 0, onlyEdge: 0, nowhere: 0, lured: 0 };
    for (const { name, ...shape } of pods) {
      const fits = alone.get(`${shape.plain.metadata.name}-alone`) !== undefined;
      const original = plain.get(shape.plain.metadata.name as string);
      const place = excluded.get(shape.excluded.metadata.name as string);
      const claim = (what: string): string => `scheduler: ${name}: ${what}`;
      proof.that(claim('excluded, it is never on the host-network node'), place !== 'edge-1', place);
      if (fits) {
        proof.that(claim('excluded, it is on a regular node'), place !== undefined && place in regular, place);
        tally.toRegular += 1;
      } else {
        proof.same(claim('excluded, it is Pending, because no regular node matches'), place, undefined);
        tally[original === 'edge-1' ? 'onlyEdge' : 'nowhere'] += 1;
      }
      tally.lured += original === 'edge-1' ? 1 : 0;
    }
    proof.note(
      `${pods.length} shapes: excluded, ${tally.toRegular} go to regular nodes; of the others, ${tally.onlyEdge} fit only the host-network node, ${tally.nowhere} none`,
    );
    proof.that(
      'scheduler: most shapes go to the host-network node when they are not excluded',
      tally.lured > pods.length / 2,
      tally,
    );
    proof.that(
      'scheduler: some shapes fit only the host-network node, most fit others',
      tally.onlyEdge > 0 && tally.toRegular > pods.length / 2,
      tally,
    );
  });
}

const RELEASES = ofChosenMinors<YurtManagerRelease>(['1.4', '1.5', '1.7'], (release) => KUBERNETES_OF[release]);

export const excluded: Group = {
  name: 'excluded',
  claim:
    "an excluded workload never runs on a host-network node, and runs on every other node on which it could run before; OpenYurt's Pod webhook adds nothing to it, and makes the same change for the annotation alone (except if a term is empty, or already excludes in another form)",
  programs:
    'yurt-manager 1.4.0 and 1.5.1 on kube-apiserver 1.30, yurt-manager 1.7.0 on kube-apiserver 1.36, kube-scheduler 1.36',
  tools: [...toolsBeside(RELEASES), ...toolsOf(SCHEDULER)],
  run: async (proof) => {
    const pods = shapes();
    proof.that('there are at least 20 shapes', pods.length >= 20, String(pods.length));
    await bound(pods, proof);
    for (const release of RELEASES) {
      await throughWebhook(release, pods, proof);
    }
  },
};

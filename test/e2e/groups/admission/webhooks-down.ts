import type { AdmissionReport, PoolGuarantee } from 'edge-nodepools';
import type { ApiAnswer } from '../../harness/api-client.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { withYurtManager, type YurtManagerRelease, yurtManagerTools } from '../../harness/yurt-manager.js';
import { fleet, inForce, TIERS } from './fleet.js';
import { affinities, excludedTerms, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, LABEL, MEMBERSHIP } from './requests.js';
import { olderVersions } from './older-versions.js';
import { poolsStoredBefore } from './pools-stored-before.js';
import { ofChosenMinors } from '../../harness/minors.js';

const DRY_RUN = { query: { dryRun: 'All' } };
const MERGE = { ...DRY_RUN, contentType: 'application/merge-patch+json' };
const PODS = '/api/v1/namespaces/default/pods';

/** OpenYurt's releases, and the API server for each. */
const PAIRS: readonly [release: YurtManagerRelease, kubernetes: string, optIn?: 'v1beta1'][] = [
  ['1.4', '1.30'],
  ['1.5', '1.30'],
  ['1.7', '1.34'],
  ['1.7', '1.34', 'v1beta1'],
  ['1.7', '1.36'],
  ['1.7', '1.37'],
];

type Outcome = AdmissionReport['withYurtManagerDown'];

const CHOSEN = ofChosenMinors(PAIRS, ([, kubernetes]) => kubernetes);

/** The result of a forbidden change: refused, admitted, or failed because a webhook did not respond. */
function guarded({ status, body }: ApiAnswer): Outcome {
  if (status < 300) {
    return 'not held';
  }
  return /failed calling webhook/.test(body.message as string) ? 'writes refused' : 'held';
}

const added = (holds: boolean): Outcome => (holds ? 'held' : 'not held');

/** Tries each guarantee of the default set on the API server. */
function probes(plane: ControlPlane, poolVersion: string): Partial<Record<PoolGuarantee, () => Promise<Outcome>>> {
  const isExcluded = (spec: any): Outcome => added(requiredTerms(spec) !== undefined);
  const create = async (body: any): Promise<Outcome> =>
    isExcluded((await plane.api.must('POST', PODS, body, DRY_RUN)).spec);
  const labels = { app: 'a' };
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'new', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations: { [ANNOTATION]: 'true' } }, spec: pod({}).spec },
    },
  };
  return {
    immutablePools: async () => {
      const path = `/apis/${poolVersion}/nodepools/hz`;
      return guarded(await plane.api.send('PATCH', path, { spec: { hostNetwork: false } }, MERGE));
    },
    frozenNodeLabels: async () =>
      guarded(await plane.api.send('PATCH', '/api/v1/nodes/free', { metadata: { labels: { [LABEL]: null } } }, MERGE)),
    nodeLabel: async () => {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'new', labels: { [MEMBERSHIP]: 'hz' } } };
      const { body } = await plane.api.send('POST', '/api/v1/nodes', node, DRY_RUN);
      return added(body.metadata?.labels?.[LABEL] === 'true');
    },
    annotatedPods: () => create(pod({}, { [ANNOTATION]: 'true' })),
    annotatedTemplates: async () => {
      const made = await plane.api.must('POST', '/apis/apps/v1/namespaces/default/daemonsets', daemonSet, DRY_RUN);
      return isExcluded(made.spec.template.spec);
    },
    presetNodeName: () => create(pod({ nodeName: 'free' })),
  };
}

/** The affinity of annotated Pods, as the API server stores them now. */
async function storedTerms(plane: ControlPlane): Promise<Map<string, unknown>> {
  const terms = new Map<string, unknown>();
  for (const { name, affinity } of [...affinities(), { name: 'nothing', affinity: undefined }]) {
    const made = await plane.api.must('POST', PODS, pod({ affinity }, { [ANNOTATION]: 'true' }), DRY_RUN);
    terms.set(name, requiredTerms(made.spec));
  }
  return terms;
}

const hasEmptyTerm = (affinity: any): boolean =>
  (requiredTerms({ affinity }) ?? []).some(
    ({ matchExpressions = [], matchFields = [] }: any) => matchExpressions.length + matchFields.length === 0,
  );

/** Our policies and the webhook write the same affinity; together nothing more than the webhook. */
function sameAffinity(
  claim: (what: string) => string,
  theirs: ReadonlyMap<string, unknown>,
  together: ReadonlyMap<string, unknown> | undefined,
  proof: Proof,
): void {
  for (const { name, affinity } of [...affinities(), { name: 'nothing', affinity: undefined }]) {
    const ours = excludedTerms(requiredTerms({ affinity }));
    if (hasEmptyTerm(affinity)) {
      proof.that(
        claim(`${name}: the webhook changes the empty term, which we do not change`),
        JSON.stringify(theirs.get(name)) !== JSON.stringify(ours),
      );
    } else {
      proof.same(claim(`${name}: the webhook changes an annotated Pod like our policy`), theirs.get(name), ours);
    }
    if (together !== undefined) {
      proof.same(claim(`${name}: with both installed nothing is added twice`), together.get(name), theirs.get(name));
    }
  }
}

async function prove([release, kubernetes, optIn]: (typeof PAIRS)[number], proof: Proof): Promise<void> {
  const server = optIn === undefined ? kubernetes : `${kubernetes} with ${optIn}`;
  const claim = (what: string): string => `yurt-manager ${release} on Kubernetes ${server}: ${what}`;
  const flags = optIn && TIERS.find(({ props }) => props.mutatingAdmissionPolicy === optIn)?.plane;
  await onControlPlane({ kubernetes, ...flags }, proof, async (plane) => {
    await withYurtManager(plane, release, async (manager) => {
      const { admission, pools, policies } = fleet(kubernetes, { mutatingAdmissionPolicy: optIn }, release);
      const mutates = policies.some(({ kind }) => kind === 'MutatingAdmissionPolicy');
      await plane.nodes.fake('free', { [LABEL]: 'true' });
      await plane.apply(pools);
      const theirs = await storedTerms(plane);
      const withPolicies = await olderVersions(plane, release, claim, proof);
      await plane.apply(policies);
      if (mutates) {
        await applyDaemonSet(plane);
        await inForce(plane, true, proof);
      } else {
        await new Promise((done) => setTimeout(done, 3000));
      }
      if (release !== '1.4') {
        sameAffinity(claim, theirs, mutates ? await storedTerms(plane) : undefined, proof);
      }
      const tries = probes(plane, pools[0].apiVersion as string);
      proof.same(
        claim('the report has a row for each guarantee'),
        admission.report.map(({ guarantee }) => guarantee),
        Object.keys(tries),
      );
      for (const { guarantee, mechanism } of admission.report) {
        const expected = mechanism === 'nothing' ? 'not held' : 'held';
        await proof.eventually(
          claim(`${guarantee} is ${expected}, by ${mechanism}`),
          async () => (await tries[guarantee]!()) === expected,
          10,
        );
      }
      await withPolicies();
      await manager.stop('SIGKILL');
      for (const { guarantee, withYurtManagerDown } of admission.report) {
        const seen = await tries[guarantee]!();
        proof.same(
          claim(`killed: ${guarantee} is ${withYurtManagerDown}, as the report says`),
          seen,
          withYurtManagerDown,
        );
      }
      if (mutates) {
        proof.that(
          claim('the report has all guarantees as held without yurt-manager'),
          admission.report.every((row) => row.withYurtManagerDown === 'held'),
        );
      }
    });
  });
}

async function applyDaemonSet(plane: ControlPlane): Promise<void> {
  const labels = { app: 'a' };
  await plane.apply([
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'annotated', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod({}).spec } },
    },
  ]);
}

export const besideWebhooks: Group = {
  name: 'webhooks-down',
  claim:
    'our policies give Pods the same affinity as OpenYurt’s webhook, and add nothing to it; with yurt-manager killed they enforce exactly the guarantees in the report, and read pools of an older release without yurt-manager once the pools were written again',
  programs:
    'yurt-manager 1.4.0, 1.5.1 and 1.7.0 beside kube-apiserver 1.30, 1.34 (also with MutatingAdmissionPolicy v1beta1), 1.36 and 1.37',
  tools: CHOSEN.flatMap(([release, kubernetes]) => [...toolsOf({ kubernetes }), ...yurtManagerTools(release)]),
  run: async (proof) => {
    for (const pair of CHOSEN) {
      await prove(pair, proof);
    }
    await poolsStoredBefore(proof);
  },
};

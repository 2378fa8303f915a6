import { type ControlPlane, toolsOf, WITH_ROLLOUTS } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { fleet, inForce, type Tier, TIERS, V1BETA1 } from './fleet.js';
import { options } from './options.js';
import { affinityOf, manyTerms, pod, podRequests } from './pod-requests.js';
import { templateRequests } from './template-requests.js';
import { ANNOTATION, DESIRED, LABEL, MEMBERSHIP, nodeRequests, type Request } from './requests.js';
import { poolRequests, poolsBefore } from './pool-requests.js';
import { manyPools } from './many-pools.js';
import { restarts } from './restarts.js';
import { changesUnderLoad } from './changes-under-load.js';
import { earlierDaemonSets } from './earlier-daemon-sets.js';
import { firstNodes } from './first-nodes.js';
import { hostileTexts } from './hostile-texts.js';
import { gateScheduling, WITH_SCHEDULER } from './gate-scheduling.js';
import { labelledPods } from './labelled-pods.js';
import { laterLabels } from './later-labels.js';
import { laterMutations } from './later-mutations.js';
import { lostFlags } from './lost-flags.js';
import { poolChanges } from './pool-changes.js';
import { missingKind } from './missing-kind.js';

const V1 = 'admissionregistration.k8s.io/v1';

/** Nodes and a DaemonSet from before the policies, and permissions of the plain user. */
export async function before(plane: ControlPlane): Promise<void> {
  await plane.nodes.fake('member', { [MEMBERSHIP]: 'hz', [LABEL]: 'true' });
  await plane.nodes.fake('free', { [LABEL]: 'true' });
  await plane.nodes.fake('edge1', { [LABEL]: 'true' });
  await plane.nodes.fake('odd', { [MEMBERSHIP]: 'hz', [LABEL]: 'no' });
  await plane.nodes.fake('loose');
  await plane.nodes.fake('aliased', { [DESIRED]: 'hz', [LABEL]: 'true' });
  const labels = { app: 'a' };
  await plane.apply([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'alice' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'annotated', namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: { [ANNOTATION]: 'true' } }, spec: pod({}).spec },
      },
    },
    ...['crowded', 'deleted'].map((name) => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'default', ...(name === 'deleted' ? { finalizers: ['example.com/wait'] } : {}) },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { [ANNOTATION]: 'true' } },
          spec: pod(affinityOf(manyTerms(101))).spec,
        },
      },
    })),
  ]);
  await plane.api.must('DELETE', '/apis/apps/v1/namespaces/default/daemonsets/deleted');
}

/** Sends every request and checks the result. */
export async function judge(
  plane: ControlPlane,
  requests: readonly Request[],
  name: string,
  proof: Proof,
): Promise<void> {
  for (const { what, user, method, path, body, options: sent, wrong } of requests) {
    const answer = await plane.api.send(method, path, body, { token: `${user}-token`, ...sent });
    const fault = wrong(answer);
    proof.that(`Kubernetes ${name}: ${user}: ${what}`, fault === undefined, fault);
  }
}

/** Checks that the type checking controller has no warnings about any validating policy. */
async function typesCheck(plane: ControlPlane, name: string, proof: Proof): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const list = async (): Promise<any[]> => (await plane.api.must('GET', path)).items;
  await proof.eventually(`Kubernetes ${name}: every validating policy was type-checked`, async () =>
    (await list()).every(({ status, metadata }) => status?.observedGeneration === metadata.generation),
  );
  for (const { metadata, status } of await list()) {
    const warnings = status?.typeChecking?.expressionWarnings ?? [];
    proof.same(`Kubernetes ${name}: ${metadata.name} has no type warnings`, warnings, []);
  }
}

async function prove({ kubernetes, props, mutates, plane: wanted }: Tier, proof: Proof): Promise<void> {
  const name =
    props.mutatingAdmissionPolicy === undefined ? kubernetes : `${kubernetes} with ${props.mutatingAdmissionPolicy}`;
  const controllers = ['validatingadmissionpolicy-status-controller'];
  await onControlPlane({ kubernetes, controllers, audits: 'nodes', ...wanted }, proof, async (plane) => {
    await (mutates
      ? missingKind(plane, { kubernetes, props, mutates }, `Kubernetes ${name}`, proof)
      : plane.applyCrds(openYurtCrds('1.7', true)));
    await before(plane);
    const { pools, policies } = fleet(kubernetes, props);
    await plane.apply(pools);
    await poolsBefore(plane);
    const stored = await plane.apply(policies);
    const again = await plane.apply(policies);
    const versions = (objects: readonly any[]): unknown => objects.map(({ metadata }) => metadata.generation);
    proof.same(`Kubernetes ${name}: a second apply changes no policy`, versions(again), versions(stored));
    await inForce(plane, mutates, proof);
    await typesCheck(plane, name, proof);
    const requests = [
      ...(await nodeRequests(plane, mutates)),
      ...poolRequests(),
      ...(await podRequests(plane, mutates)),
      ...(await templateRequests(plane, mutates)),
    ];
    proof.note(`Kubernetes ${name}: ${policies.length} objects, ${requests.length} requests`);
    await judge(plane, requests, name, proof);
    if (mutates) {
      await manyPools(plane, { kubernetes, props, mutates }, `Kubernetes ${name}`, proof);
      await restarts(plane, `Kubernetes ${name}`, proof);
      if (kubernetes === '1.36' || process.env.E2E_FIRST_NODES !== undefined) {
        await firstNodes(plane, { kubernetes, props, mutates }, `Kubernetes ${name}`, proof);
      }
      await laterLabels(plane, props.mutatingAdmissionPolicy === undefined ? V1 : V1BETA1, name, proof);
      await laterMutations(plane, props.mutatingAdmissionPolicy === undefined ? V1 : V1BETA1, name, proof);
      await poolChanges(plane, { kubernetes, props, mutates }, name, proof);
    }
    await hostileTexts(plane, name, proof);
    await options(plane, { kubernetes, props, mutates }, policies, proof);
    await typesCheck(plane, name, proof);
    if (mutates) {
      await labelledPods(plane, { kubernetes, props, mutates }, name, proof);
      await changesUnderLoad(plane, { kubernetes, props, mutates }, name, proof);
    }
    if (props.mutatingAdmissionPolicy !== undefined) {
      await lostFlags(plane, { kubernetes, props, mutates, plane: wanted }, `Kubernetes ${name}`, proof);
    }
  });
}

export const admission: Group = {
  name: 'admission',
  claim:
    'our admission policies compile without warnings, and decide every request of a table correctly: users, verbs, versions, forms of affinity, opt-ins, hostile texts; what other policies add later does not get past them; the scheduler never tries a closed node; nodes that register before a policy is in effect are found and repaired; rollouts of DaemonSets from before strict end after one write; no Pod is refused while policies are applied, switched and deleted',
  programs:
    'kube-apiserver 1.30, 1.34 (also with MutatingAdmissionPolicy v1beta1), 1.36 and 1.37, kube-controller-manager and kube-scheduler 1.36',
  tools: [
    ...TIERS.flatMap(({ kubernetes }) => toolsOf({ kubernetes, controllers: [] })),
    ...toolsOf(WITH_SCHEDULER),
    ...toolsOf(WITH_ROLLOUTS),
  ],
  run: async (proof) => {
    for (const tier of TIERS) {
      await prove(tier, proof);
    }
    await gateScheduling(proof);
    await earlierDaemonSets(proof);
  },
};

import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { deployment } from '../../../bad-inputs/case.js';
import { corpus } from '../../../corpus/corpus.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { isWebhookConfiguration, openYurtCrds } from '../../harness/openyurt.js';
import {
  besideYurtManager,
  KUBERNETES_OF,
  toolsBeside,
  YurtManager,
  type YurtManagerRelease,
} from '../../harness/yurt-manager.js';
import { ofChosenMinors } from '../../harness/minors.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const PODS = '/api/v1/namespaces/default/pods';
const KUBERNETES: Readonly<Record<string, string>> = { '1.5': '1.28', '1.7': '1.34' };

/** Two host-network pools and the Pod template of an excluded workload. */
function ours(openYurt: string): {
  readonly pools: readonly any[];
  readonly joinLabels: object;
  readonly template: any;
} {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'faults');
  const cluster = EdgeCluster.of({ openYurt, kubernetes: KUBERNETES[openYurt] as string });
  const given = cluster.hasNodePoolField('leaderElectionStrategy') ? { leaderElectionStrategy: 'random' as const } : {};
  const first = new HostNetworkNodePool(chart, 'shop', { cluster, poolName: 'shop', ...given });
  new HostNetworkNodePool(chart, 'late', { cluster, poolName: 'late' });
  const pools = Testing.synth(chart);
  const { manifest } = new ExcludedWorkload(chart, 'web', { cluster, workload: deployment() });
  return { pools, joinLabels: first.joinLabels, template: (manifest as any).spec.template };
}

const pod = (name: string, template: any): any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...template,
  metadata: { ...template.metadata, name, namespace: 'default' },
});

/** A Pod with only the annotation, which depends on the webhook. */
const annotated = (name: string): any => {
  const { template } = deployment().spec;
  return pod(name, { ...template, metadata: { ...template.metadata, annotations: { [ANNOTATION]: 'true' } } });
};

const isExcluded = ({ spec }: any): boolean => JSON.stringify(spec.affinity ?? {}).includes(HOST_NETWORK);

/** The result of an attempt: undefined if it succeeds, the message if it is refused. */
async function refusalOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

async function killed(plane: ControlPlane, manager: YurtManager, proof: Proof): Promise<void> {
  const { api } = plane;
  const { pools, joinLabels, template } = ours(manager.release);
  const [shop, late] = pools;
  const claim = (what: string): string => `yurt-manager ${manager.release} killed: ${what}`;
  const [before] = await plane.apply([shop]);
  proof.that(claim('before, the annotation is enough'), isExcluded(await api.must('POST', PODS, annotated('up'))));

  await manager.stop('SIGKILL');
  const { webhooks } = await api.must(
    'GET',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/yurt-manager-mutating-webhook-configuration',
  );
  const policyOf = (path: string): string =>
    webhooks.find(({ clientConfig }: any) => clientConfig.service.path.includes(path))?.failurePolicy as string;
  proof.same(
    claim('the webhooks remain: Ignore for Nodes and Pods, Fail for NodePools'),
    ['core-openyurt-io-v1-node', 'core-openyurt-io-v1-pod', '-nodepool'].map(policyOf),
    ['Ignore', 'Ignore', 'Fail'],
  );
  proof.that(
    claim('a Pod with only the annotation is admitted without affinity'),
    !isExcluded(await api.must('POST', PODS, annotated('down'))),
  );
  const kept = await api.must('POST', PODS, pod('ours', template));
  proof.same(claim('our excluded workload keeps its affinity'), kept.spec.affinity, template.spec.affinity);
  const joined = await plane.nodes.fake('edge-1', { ...joinLabels });
  proof.same(
    claim('a node with our join labels has the host-network label'),
    joined.metadata.labels[HOST_NETWORK],
    'true',
  );

  const unreachable = /failed calling webhook "[mv]\.v1beta\d\.nodepool\.kb\.io".*connection refused/;
  const refused = async (what: string, attempt: Promise<unknown>): Promise<void> => {
    const message = await refusalOf(attempt);
    proof.that(
      claim(`${what} is refused, and the message names the webhook`),
      unreachable.test(message ?? ''),
      message,
    );
  };
  await refused('a new pool', plane.apply([late]));
  await refused('a second apply of a pool', plane.apply([shop]));
  await refused('deleting a pool', api.must('DELETE', await api.pathOf(shop)));
  proof.same(claim('the new pool is not stored'), (await api.send('GET', await api.pathOf(late))).status, 404);
  proof.same(
    claim('the existing pool can be read in the version that we write'),
    (await api.must('GET', await api.pathOf(shop))).spec.hostNetwork,
    true,
  );

  await manager.restart();
  const [stored] = await plane.apply([late]);
  proof.same(claim('back again, the same apply works'), stored.spec.hostNetwork, true);
  const [again] = await plane.apply([late]);
  proof.same(claim('and once more changes nothing'), again.metadata.resourceVersion, stored.metadata.resourceVersion);
  const [after] = await plane.apply([shop]);
  proof.same(
    claim('the first pool is unchanged'),
    [after.metadata.generation, after.spec],
    [before.metadata.generation, before.spec],
  );
  proof.that(claim('Pods are mutated again'), isExcluded(await api.must('POST', PODS, annotated('back'))));
}

async function restarted(plane: ControlPlane, manager: YurtManager, proof: Proof): Promise<void> {
  const objects = corpus()
    .filter(({ name }) => name.includes(`of OpenYurt ${manager.release} `) || name === 'excluded workloads')
    .flatMap((entry) => entry.objects)
    // the group "webhooks" tests them
    .filter((object) => !isWebhookConfiguration(object));
  await plane.apply(objects);
  // applied twice, because the group "stored" tests what yurt-manager changes at creation
  const before = await plane.apply(objects);
  await plane.restartApiServer();
  // it can lose its lease, and is started again
  await manager.ready();
  for (const [index, object] of objects.entries()) {
    const { kind, metadata } = object as { kind: string; metadata: { name: string } };
    const claim = (what: string): string => `API server restarted: ${kind} ${metadata.name}: ${what}`;
    const read = await plane.api.must('GET', await plane.api.pathOf(object));
    proof.same(
      claim('still stored'),
      [read.spec, read.metadata.generation],
      [before[index].spec, before[index].metadata.generation],
    );
    const [again] = await plane.apply([object]);
    // OpenYurt converts a YurtAppSet of v1alpha1 with additions, so every apply of one is a new generation
    const unchanged = (stored: any): unknown =>
      object.apiVersion === 'apps.openyurt.io/v1alpha1' ? stored.spec : stored.metadata.resourceVersion;
    proof.same(claim('a second apply changes nothing'), unchanged(again), unchanged(before[index]));
  }
  await proof.eventually('API server restarted: the webhooks respond as before', async () => {
    const { body } = await plane.api.send('POST', PODS, annotated('after-restart'), { query: { dryRun: 'All' } });
    return body.spec !== undefined && isExcluded(body);
  });
}

async function crdComesLate(proof: Proof): Promise<void> {
  await onControlPlane({ kubernetes: '1.36' }, proof, async (plane) => {
    let manager: YurtManager | undefined;
    try {
      const claim = (what: string): string => `CRD after the pool: ${what}`;
      const { pools, joinLabels } = ours('1.7');
      const [shop, late] = pools;
      const bare = { ...late, spec: { type: 'Edge', hostNetwork: true } };
      const apply = (object: any): { readonly status: number; readonly stderr: string } =>
        plane.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
      const first = apply(shop);
      proof.that(
        claim('the first apply is refused, and names the kind'),
        first.status !== 0 &&
          first.stderr.includes('no matches for kind "NodePool" in version "apps.openyurt.io/v1beta2"'),
        first.stderr,
      );
      await plane.applyCrds(openYurtCrds('1.7', true));
      const second = apply(shop);
      proof.that(claim('with the CRD the same apply works'), second.status === 0, second.stderr);
      const read = async (): Promise<any> => plane.api.must('GET', await plane.api.pathOf(shop));
      const stored = await read();
      proof.same(claim('hostNetwork is stored'), stored.spec.hostNetwork, true);
      await plane.apply([bare]);
      manager = await YurtManager.start(plane, '1.7');
      const third = apply(shop);
      proof.that(claim('the same apply works when yurt-manager is started after it'), third.status === 0, third.stderr);
      proof.same(
        claim('and changes nothing'),
        (await read()).metadata.resourceVersion,
        stored.metadata.resourceVersion,
      );
      const refusal = apply(bare);
      proof.that(
        claim('a pool without leaderElectionStrategy that was stored without the webhook cannot be applied again'),
        refusal.status !== 0 && refusal.stderr.includes('leaderElectionStrategy should be Random or Mark'),
        refusal.stderr,
      );
      await plane.nodes.fake('edge-1', { ...joinLabels });
      await proof.eventually(claim('the pool gets members'), async () =>
        ((await read()).status?.nodes ?? []).includes('edge-1'),
      );
    } finally {
      await manager?.stop();
    }
  });
}

const RELEASES = ofChosenMinors<YurtManagerRelease>(['1.5', '1.7'], (release) => KUBERNETES_OF[release]);

export const faults: Group = {
  name: 'faults',
  claim:
    'with yurt-manager killed, its webhook unreachable, the API server restarted or the CRD late, our objects keep their effect, and the same apply succeeds when the fault is fixed',
  programs: 'yurt-manager 1.5.1 on kube-apiserver 1.30, yurt-manager 1.7.0 and kubectl on kube-apiserver 1.36',
  tools: toolsBeside(RELEASES),
  run: async (proof) => {
    for (const release of RELEASES) {
      await besideYurtManager(release, proof, (plane, manager) => killed(plane, manager, proof));
    }
    await besideYurtManager('1.7', proof, (plane, manager) => restarted(plane, manager, proof));
    await crdComesLate(proof);
  },
};

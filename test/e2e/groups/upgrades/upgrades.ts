import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import { toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { dump, KINDS, plan, poolsOf, runPlan, scriptsIn, shippedWebhooks, webhooksOf } from './fleet.js';
import { YurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const MEMBERSHIP = 'apps.openyurt.io/nodepool';
const EDGE_WORKER = 'openyurt.io/is-edge-worker';
const poolsIn = async (plane: ControlPlane, version: string): Promise<any[]> =>
  (await plane.api.must('GET', `/apis/apps.openyurt.io/${version}/nodepools`)).items;

/** What a pool is, in any version of the API. */
const meaningOf = ({ metadata, spec }: any): unknown => ({
  name: metadata.name,
  type: spec.type,
  hostNetwork: spec.hostNetwork === true,
  labels: spec.labels,
  taints: spec.taints,
});

const labelsOfNodes = async (plane: ControlPlane): Promise<unknown> =>
  (await plane.api.must('GET', '/api/v1/nodes')).items.map(({ metadata }: any) => ({
    name: metadata.name,
    labels: { ...metadata.labels, [EDGE_WORKER]: undefined },
  }));

/** From 1.4 to 1.5 with upgrade.sh, and once more. */
async function withTheScript(plane: ControlPlane, proof: Proof): Promise<void> {
  const claim = (what: string): string => `OpenYurt 1.4 to 1.5: ${what}`;
  const out = join(plane.folder, 'to-1.5');
  const { code, said } = plan([
    `--dump=${dump(plane, KINDS)}`,
    '--from=1.4',
    '--to=1.5.1',
    '--kubernetes=1.30',
    `--out=${out}`,
  ]);
  proof.same(claim('a plan is written'), code, 0);
  proof.note(
    said
      .split('\n')
      .filter((line) => /^\d\d-/.test(line))
      .join(', '),
  );
  const upgrade = (...args: string[]) => runPlan(plane, join(out, 'upgrade.sh'), '1.5', ...args);
  const before = (await poolsIn(plane, 'v1beta1')).map(meaningOf);
  const first = await upgrade();
  proof.that(
    claim('upgrade.sh stops at the step that a person does'),
    first.status === 10 && /--done \d\d-program/.test(first.said),
    first.said,
  );
  const byHand = scriptsIn(out)
    .map((file) => file.replace(/.*\/|\.sh$/g, ''))
    .filter((name) => /-(program|preconditions)$/.test(name));
  for (const name of byHand) {
    await upgrade('--done', name);
  }
  proof.same(claim('webhooks'), await webhooksOf(plane), shippedWebhooks('1.5'));
  const unknown = await upgrade('--stauts');
  proof.same(claim('an unknown option runs nothing'), [unknown.status, unknown.said.includes('running')], [2, false]);
  proof.same(claim('then it ends'), (await upgrade()).status, 0);
  const versionsOf = async (): Promise<string[]> =>
    (await poolsIn(plane, 'v1beta1')).map(({ metadata }) => metadata.resourceVersion as string);
  const written = await versionsOf();
  const again = await upgrade();
  proof.same(claim('run again, it has nothing to do'), [again.status, again.said.match(/^running/gm)], [0, null]);
  proof.same(claim('and changes no pool'), await versionsOf(), written);
  proof.same(claim('every pool is what it was'), (await poolsIn(plane, 'v1beta1')).map(meaningOf), before);
}

const YURT_APP_DAEMON = {
  apiVersion: 'apps.openyurt.io/v1alpha1',
  kind: 'YurtAppDaemon',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    nodepoolSelector: { matchLabels: { site: 'site-00' } },
    workloadTemplate: {
      deploymentTemplate: {
        metadata: { labels: { app: 'agent' } },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: 'agent' } },
          template: {
            metadata: { labels: { app: 'agent' } },
            spec: { hostNetwork: true, containers: [{ name: 'agent', image: 'agent:1' }] },
          },
        },
      },
    },
  },
};

/** The step of a person for workloads that lose their controller. */
async function replaceRetired(plane: ControlPlane, script: string, out: string, proof: Proof): Promise<void> {
  const before = await plane.api.must('GET', '/apis/apps.openyurt.io/v1alpha1/namespaces/default/yurtappdaemons/agent');
  const asked = await runPlan(plane, script, '1.7', 'run');
  proof.that('the plan asks for YurtAppDaemons to be replaced', asked.status === 10, asked.said);
  plane.kubectl(['delete', 'yurtappdaemons.apps.openyurt.io', 'agent']);
  const applied = plane.kubectl(['apply', '--server-side', '-f', join(out, 'files', 'yurtappsets.yaml')]);
  proof.that('and its YurtAppSets are accepted', applied.status === 0, applied.stderr);
  const { spec } = await plane.api.must('GET', '/apis/apps.openyurt.io/v1beta1/namespaces/default/yurtappsets/agent');
  proof.same(
    'with the selector and the template of the YurtAppDaemon',
    [spec.nodepoolSelector, spec.workload.workloadTemplate],
    [before.spec.nodepoolSelector, before.spec.workloadTemplate],
  );
  proof.same('then the step is done', (await runPlan(plane, script, '1.7', 'check')).status, 0);
}

/** From 1.5 to 1.7: interrupted after every step, with a pool that loses its annotation in between. */
async function interrupted(plane: ControlPlane, proof: Proof): Promise<void> {
  const claim = (what: string): string => `OpenYurt 1.5 to 1.7: ${what}`;
  const out = join(plane.folder, 'to-1.7');
  await plane.apply([YURT_APP_DAEMON]);
  const folder = dump(plane, KINDS);
  const args = ['--from=1.5', '--to=1.7.0', '--kubernetes=1.30', `--out=${out}`];
  proof.same(claim('a plan is written'), plan([`--dump=${folder}`, ...args]).code, 0);
  const before = (await poolsIn(plane, 'v1beta1')).map(meaningOf);
  const lost = 'site-02';
  for (const script of scriptsIn(out)) {
    const name = script.replace(/.*\/\d\d-|\.sh$/g, '');
    if (name === 'retired-workloads') {
      await replaceRetired(plane, script, out, proof);
      continue;
    }
    const isByHand = ['program', 'preconditions'].includes(name);
    if (isByHand) {
      continue;
    }
    if (name === 'crds') {
      // a client that does not know the annotation
      plane.kubectl(['annotate', 'nodepools.v1beta1.apps.openyurt.io', lost, `${HOST_NETWORK}-`]);
    }
    if (name === 'host-network-pools') {
      const [pool] = (await poolsIn(plane, 'v1beta2')).filter(({ metadata }) => metadata.name === lost);
      proof.same(claim('a pool without the annotation is a regular one'), pool.spec.hostNetwork ?? false, false);
      const refused = await plane.api.send(
        'PATCH',
        `/apis/apps.openyurt.io/v1beta2/nodepools/${lost}`,
        { spec: { hostNetwork: true } },
        { contentType: 'application/merge-patch+json' },
      );
      proof.same(claim('and OpenYurt refuses to change it'), refused.status, 403);
    }
    // a run that is cut off: the folder does not remember that it was done, and it runs twice
    for (const attempt of ['first', 'second']) {
      const { status, said } = await runPlan(plane, script, '1.7', 'run');
      proof.that(claim(`${name} runs, ${attempt} time`), status === 0, said);
    }
    const verified = await runPlan(plane, script, '1.7', 'verify');
    proof.that(claim(`${name} has worked`), verified.status === 0, verified.said);
    if (name === 'crds') {
      const half = plan([
        `--dump=${dump(
          plane,
          KINDS.filter((kind) => !kind.startsWith('nodepools')),
        )}`,
        ...args.slice(0, 3),
        `--out=${out}-half`,
      ]);
      proof.that(
        claim('a dump of the half-done upgrade is refused'),
        half.code === 2 && half.said.includes('EDGE_HALF_UPGRADED'),
        half.said,
      );
    }
  }
  proof.same(claim('webhooks'), await webhooksOf(plane), shippedWebhooks('1.7'));
  const status = await runPlan(plane, join(out, 'upgrade.sh'), '1.7', '--status');
  const open = (status.said.match(/^to do +\S+/gm) ?? []).map((line) => line.replace(/^to do +\d\d-/, ''));
  // a step that the cluster does not show is done when upgrade.sh has seen it
  const unseen = ['crds', 'yurt-manager', 'program', 'preconditions'];
  proof.same(claim('every step that the cluster shows is done'), open, unseen);
  proof.same(
    claim('every pool is what it was, the lost one too'),
    (await poolsIn(plane, 'v1beta2')).map(meaningOf),
    before,
  );
  const crd = await plane.api.must(
    'GET',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.apps.openyurt.io',
  );
  proof.same(claim('only v1beta2 is stored'), crd.status.storedVersions, ['v1beta2']);
  const changed = await plane.apply(poolsOf('1.7', '1.30'));
  proof.same(claim('the program for 1.7 is accepted, and no pool changes its meaning'), changed.map(meaningOf), before);
}

export const upgrades: Group = {
  name: 'upgrades',
  claim:
    'the plan of `edge-nodepools upgrade`, run step by step from OpenYurt 1.4 over 1.5 to 1.7 over one etcd, keeps every pool and every label of a node, also when it is cut off, run twice, or a pool has lost its annotation',
  programs:
    'yurt-manager 1.4.0, 1.5.1 and 1.7.0 with the charts of these releases and Helm 3.20, on kube-apiserver 1.30',
  tools: [...toolsOf({ kubernetes: '1.30' }), ...(['1.4', '1.5', '1.7'] as const).flatMap(yurtManagerTools)],
  needs: ['all-minors'],
  run: async (proof) => {
    await onControlPlane({ kubernetes: '1.30' }, proof, async (plane) => {
      const manager = await YurtManager.start(plane, '1.4', { values: {} });
      try {
        const pools = poolsOf('1.4', '1.30');
        // as an older version of the library, and as OpenYurt's own documentation, wrote them
        await plane.apply(
          pools.map(({ metadata: { annotations: _, ...metadata }, ...pool }) => ({ ...pool, metadata })),
        );
        for (const { metadata } of pools.slice(0, 10)) {
          await plane.nodes.fake(`node-of-${metadata.name}`, { [MEMBERSHIP]: metadata.name as string });
        }
        const hasAll = async (): Promise<boolean> =>
          JSON.stringify(await labelsOfNodes(plane)).match(/"site":"site-/g)?.length === 10;
        await proof.eventually('yurt-manager 1.4 labels every node', hasAll);
        const labels = await labelsOfNodes(plane);
        await withTheScript(plane, proof);
        await interrupted(plane, proof);
        proof.same('the labels of all nodes are what they were', await labelsOfNodes(plane), labels);
      } finally {
        await manager.stop();
      }
    });
  },
};

import { join } from 'node:path';
import { main } from '../../../../src/cli/main.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { helm, HELM_3, helmShell } from '../../harness/helm.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { chartFolder } from '../../harness/openyurt.js';
import { tryScript } from '../../harness/script.js';
import { isBuilt, OPENYURT_1_6, versionOf, yurtManagerTool } from '../../harness/tool.js';
import {
  type AnyYurtManager,
  withYurtManager,
  type YurtManager,
  yurtManagerTools,
} from '../../harness/yurt-manager.js';
import { dump, KINDS, shippedWebhooks, webhooksOf } from './fleet.js';
import { Upgrade } from './planned-upgrade.js';

const MINOR = '1.30';

/** One of the webhooks that an upgrade to a release loses. */
const LOST: Readonly<Partial<Record<AnyYurtManager, string>>> = {
  '1.5': 'mutate.core.v1.pod.openyurt.io',
  '1.6': 'mutate.core.v1.endpoints.openyurt.io',
  '1.7': 'v.v1beta2.nodepool.kb.io',
};

/** Dry runs of Pods that the webhook excludes from host-network nodes; remembers those that it did not. */
class Probe {
  public asked = 0;
  public readonly missed: string[] = [];
  public readonly look = async (): Promise<void> => {
    for (let count = 0; count < 5; count++) {
      const { status, body } = await this.plane.api.send(
        'POST',
        '/api/v1/namespaces/default/pods',
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'probe', annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } },
          spec: { containers: [{ name: 'probe', image: 'registry.example/probe:1' }] },
        },
        { query: { dryRun: 'All' } },
      );
      this.asked += 1;
      if (body.spec?.affinity === undefined) {
        this.missed.push(`${status} ${body.message ?? 'without the affinity'}`);
      }
    }
  };

  public constructor(private readonly plane: ControlPlane) {}
}

/** The tags of the images of the Pods of yurt-manager. */
async function imagesOf({ api }: ControlPlane): Promise<string[]> {
  const { items } = await api.must('GET', '/api/v1/namespaces/kube-system/pods', undefined, {
    query: { labelSelector: 'app.kubernetes.io/name=yurt-manager' },
  });
  return items.map(({ spec }: any) => /:([^:]*)$/.exec(spec.containers[0].image as string)?.[1]);
}

/** Whether the API server refuses a pool that no release of OpenYurt allows. */
async function isChecked({ api }: ControlPlane, to: AnyYurtManager): Promise<boolean> {
  const version = to === '1.7' ? 'v1beta2' : 'v1beta1';
  const pool = {
    apiVersion: `apps.openyurt.io/${version}`,
    kind: 'NodePool',
    metadata: { name: 'cloud' },
    spec: { type: 'Cloud', hostNetwork: true },
  };
  const at = `/apis/apps.openyurt.io/${version}/nodepools`;
  return (await api.send('POST', at, pool, { query: { dryRun: 'All' } })).status !== 201;
}

/** An upgrade as the documentation of OpenYurt has it, without our plan: webhooks are lost. Both repairs bring them back. */
export async function byHelmAlone(
  plane: ControlPlane,
  manager: YurtManager,
  to: AnyYurtManager,
  proof: Proof,
): Promise<void> {
  const from = manager.release;
  const say = (what: string): string => `Helm alone, ${from} to ${to}: ${what}`;
  const lost = LOST[to] as string;
  // long enough for a repair that does not wait for its end
  manager.lingersMs = 15_000;
  const crds = plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', join(chartFolder(to), 'crds')]);
  proof.that(say('the CustomResourceDefinitions'), crds.status === 0, crds.stderr);
  await helm(plane, [
    ...['upgrade', 'yurt-manager', chartFolder(to), '--namespace=kube-system'],
    ...['--reset-then-reuse-values', `--set=image.tag=${versionOf(yurtManagerTool(to))}`],
  ]);
  await proof.eventually(say('starts the new yurt-manager'), () => Promise.resolve(manager.release === to));
  await proof.eventually(say(`loses ${lost}`), async () => {
    const names = await webhooksOf(plane);
    return names.length > 0 && !names.includes(lost);
  });
  if (to === '1.7') {
    await proof.eventually(say('so a pool is not checked'), async () => !(await isChecked(plane, to)));
  }
  const out = join(plane.folder, `repairs-${to}`);
  const said: string[] = [];
  const print = (text: string): void => void said.push(text);
  const args = [`--dump=${dump(plane, KINDS)}`, `--openyurt=${to}`, `--kubernetes=${MINOR}`, `--out=${out}`];
  main(['preconditions', ...args], { stdin: () => '', stdout: print, stderr: print });
  proof.that(say('`preconditions` finds it'), said.join('').includes(lost), said.join(''));
  const upgrade = new Upgrade(plane, to, to);
  proof.same(say('`upgrade` plans its repair'), upgrade.steps, ['backup', 'webhooks']);
  proof.that(say('which is not done'), (await upgrade.step('webhooks', 'check')).status !== 0);
  const probe = new Probe(plane);
  const repaired = await upgrade.step('webhooks', 'run', {}, probe.look);
  proof.that(say('the step repairs it'), repaired.status === 0, repaired.said);
  proof.same(say('after the yurt-manager of before has ended'), await imagesOf(plane), [
    versionOf(yurtManagerTool(to)),
  ]);
  if (lost !== LOST['1.5']) {
    proof.that(say('Pods are asked for meanwhile'), probe.asked > 10, probe.asked);
    proof.same(say('and none of them is missed'), probe.missed, []);
  }
  proof.same(say('the webhooks are those of the release'), await webhooksOf(plane), shippedWebhooks(to));
  proof.that(say('a pool is checked'), await isChecked(plane, to));
  plane.kubectl(['delete', 'mutatingwebhookconfiguration', 'yurt-manager-mutating-webhook-configuration']);
  const script = await tryScript(plane, join(out, 'webhooks.sh'), { env: helmShell(plane, HELM_3) });
  proof.that(say('webhooks.sh repairs a configuration that is gone'), script.status === 0, script.said);
  proof.same(say('with the webhooks of the release, too'), await webhooksOf(plane), shippedWebhooks(to));
}

/** With the plan: all that its scripts do. */
async function byPlan(plane: ControlPlane, manager: YurtManager, to: AnyYurtManager, proof: Proof): Promise<void> {
  const say = (what: string): string => `OpenYurt ${from} to ${to}: ${what}`;
  const from = manager.release;
  const upgrade = new Upgrade(plane, from, to);
  for (const id of upgrade.steps.filter((step) => !['program', 'preconditions'].includes(step))) {
    await upgrade.must(id, 'run');
    const { status, said } = await upgrade.step(id, 'verify');
    proof.that(say(`${id} has worked`), status === 0, said);
  }
  proof.same(say('yurt-manager of the release runs'), manager.release, to);
  proof.same(say('the webhooks are those of the release'), await webhooksOf(plane), shippedWebhooks(to));
  proof.that(say('a pool is checked'), await isChecked(plane, to));
}

const onNewPlane = (
  release: AnyYurtManager,
  proof: Proof,
  run: (plane: ControlPlane, manager: YurtManager) => Promise<void>,
): Promise<void> =>
  onControlPlane({ kubernetes: MINOR }, proof, (plane) =>
    withYurtManager(
      plane,
      release,
      async (manager) => {
        await plane.nodes.fake('node');
        await run(plane, manager);
      },
      { values: {} },
    ),
  );

export const upgradesByHelm: Group = {
  name: 'upgrades-by-helm',
  claim:
    'webhooks that an upgrade with Helm alone has lost are found in a dump and repaired, without a moment in which the others are not called; on a machine with a checkout of OpenYurt 1.6 also from, to and over 1.6, and with the plan',
  programs:
    'yurt-manager 1.5.1 and 1.7.0, and where it is 1.6.1, with the charts of these releases and Helm 3.20, on kube-apiserver 1.30',
  needs: ['all-minors'],
  tools: [
    ...toolsOf({ kubernetes: MINOR }),
    ...(['1.5', '1.7'] as const).flatMap(yurtManagerTools),
    ...(OPENYURT_1_6 === undefined ? [] : yurtManagerTools('1.6')),
  ],
  run: async (proof) => {
    await onNewPlane('1.5', proof, (plane, manager) => byHelmAlone(plane, manager, '1.7', proof));
    if (OPENYURT_1_6 === undefined || !isBuilt(yurtManagerTool('1.6'))) {
      proof.note('1.6 skipped, because EDGE_NODEPOOLS_OPENYURT_1_6 is no checkout of it with a yurt-manager');
      return;
    }
    await onNewPlane('1.5', proof, async (plane, manager) => {
      await byHelmAlone(plane, manager, '1.6', proof);
      await byHelmAlone(plane, manager, '1.7', proof);
    });
    await onNewPlane('1.5', proof, async (plane, manager) => {
      await byPlan(plane, manager, '1.6', proof);
      await byPlan(plane, manager, '1.7', proof);
    });
  },
};

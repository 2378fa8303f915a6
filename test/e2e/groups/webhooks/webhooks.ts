import { EdgeCluster } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { chartObjects, isWebhookConfiguration } from '../../harness/openyurt.js';
import {
  besideYurtManager,
  KUBERNETES_OF,
  toolsBeside,
  type YurtManager,
  type YurtManagerRelease,
} from '../../harness/yurt-manager.js';
import { AS_IT_RUNS, lookedAt, MANAGER, named, of17, ours, storedIn } from './configurations.js';
import { atWork, settingsStay, withoutTemplate } from './at-work.js';
import { oddOnes, ownServer, refusals, serverDown } from './own-server.js';
import { openYurtKeepsMatchConditions } from '../../../../src/cluster/openyurt-capabilities.js';
import { ofChosenMinors } from '../../harness/minors.js';

const RELEASES: readonly (readonly [YurtManagerRelease, string, string])[] = [
  ['1.4', '1.4.0', '1.23'],
  ['1.5', '1.5.1', '1.28'],
  ['1.7', '1.7.0', '1.34'],
];

/** Checks that the table equals the chart, webhook by webhook and in its order. */
function sameAsTheCharts(proof: Proof): void {
  for (const [release, version, kubernetes] of RELEASES) {
    for (const namespace of ['kube-system', 'openyurt']) {
      const shipped = chartObjects(release, namespace).filter(isWebhookConfiguration);
      const made = ours(release, kubernetes, { namespace });
      const about = (what: string): string => `the chart of OpenYurt ${version}, in ${namespace}: ${what}`;
      proof.same(
        about('the same objects'),
        made.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
        shipped.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      );
      made.forEach(({ kind, webhooks }, index) => {
        const expected = shipped[index]?.webhooks as any[];
        proof.that(about(`${kind} ships webhooks`), expected.length >= 6, String(expected.length));
        expected.forEach((webhook, position) => proof.same(about(webhook.name as string), webhooks[position], webhook));
        proof.same(about(`${kind} has no others`), webhooks.length, expected.length);
      });
    }
  }
}

/** Which release preserves matchConditions: the reason why they are refused for OpenYurt 1.4. */
async function matchConditions(plane: ControlPlane, manager: YurtManager, proof: Proof): Promise<void> {
  const { release } = manager;
  const cluster = EdgeCluster.of({ openYurt: release, kubernetes: '1.30' });
  await lookedAt(plane, `matchConditions, yurt-manager ${release}`, proof);
  const kept = named(await storedIn(plane), 'mutate.core.v1.node.openyurt.io').matchConditions !== undefined;
  proof.same(
    `yurt-manager ${release} ${openYurtKeepsMatchConditions(cluster) ? 'keeps' : 'drops'} matchConditions`,
    kept,
    openYurtKeepsMatchConditions(cluster),
  );
}

/** Our objects with a condition, which the construct refuses for some releases. */
function withCondition(release: string): any[] {
  const condition = [{ name: 'all', expression: 'true' }];
  return ours(release, '1.30', { ...AS_IT_RUNS, template: false }).map((configuration) => ({
    ...configuration,
    webhooks: configuration.webhooks.map((webhook: any) => ({ ...webhook, matchConditions: condition })),
  }));
}

/** The releases whose yurt-manager runs; the charts of all are compared. */
const RUNNING = ofChosenMinors<YurtManagerRelease>(['1.4', '1.5', '1.7'], (release) => KUBERNETES_OF[release]);

export const webhooks: Group = {
  name: 'webhooks',
  claim:
    'OpenYurtWebhooks equals the chart of each release, webhook by webhook; yurt-manager works with it, a second apply changes nothing, and settings take effect and persist; a PoolWebhook is called by URL and by Service',
  programs: 'the charts of OpenYurt 1.4.0, 1.5.1 and 1.7.0, their yurt-managers, kube-apiserver 1.30 and 1.36',
  tools: toolsBeside(RUNNING),
  run: async (proof) => {
    sameAsTheCharts(proof);
    await besideYurtManager(
      '1.7',
      proof,
      async (plane, manager) => {
        await atWork(plane, proof);
        await settingsStay(plane, manager, proof);
        await ownServer(plane, manager, proof);
        await serverDown(plane, proof);
        await refusals(plane, proof);
        await oddOnes(plane, proof);
      },
      { webhooks: of17(), fieldManager: MANAGER },
    );
    await besideYurtManager('1.7', proof, (plane) => withoutTemplate(plane, proof));
    for (const release of RUNNING.filter((each) => each !== '1.7')) {
      await besideYurtManager(release, proof, (plane, manager) => matchConditions(plane, manager, proof), {
        webhooks: withCondition(release),
      });
    }
  },
};

import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { YurtManager } from '../../harness/yurt-manager.js';
import { fleet } from './fleet.js';
import { remove } from './options.js';
import { LABEL, MEMBERSHIP } from './requests.js';

const KUBERNETES = '1.36';
const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';

/** The policy for the label, and its binding. */
function labelPolicies(failurePolicy?: 'Fail'): any[] {
  const guarantees = failurePolicy === undefined ? {} : { nodeLabel: { failurePolicy } };
  return fleet(KUBERNETES, { pools: 'live', guarantees }).policies.filter(({ metadata }) =>
    metadata.name.endsWith('-node-label'),
  );
}

/** Pools as OpenYurt 1.5 stores them: one with the annotation that 1.7 reads, one with only the field. */
async function storeWith15(plane: ControlPlane): Promise<void> {
  await plane.applyCrds(
    openYurtCrds('1.5', true).filter(({ metadata }) => metadata.name === 'nodepools.apps.openyurt.io'),
  );
  for (const [name, annotations] of [
    ['hz', { [LABEL]: 'true' }],
    ['lost', {}],
  ] as const) {
    await plane.api.must('POST', POOLS.replace('v1beta2', 'v1beta1'), {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'NodePool',
      metadata: { name, annotations },
      spec: { type: 'Edge', hostNetwork: true },
    });
  }
}

/** Removes the webhook with which yurt-manager labels nodes. */
async function withoutNodeWebhook(plane: ControlPlane): Promise<void> {
  const path =
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/yurt-manager-mutating-webhook-configuration';
  const { webhooks, ...configuration } = await plane.api.must('GET', path);
  const isForNodes = ({ rules }: any): boolean => rules.some(({ resources }: any) => resources.includes('nodes'));
  await plane.api.must('PUT', path, { ...configuration, webhooks: webhooks.filter((one: any) => !isForNodes(one)) });
}

/**
 * An upgrade from OpenYurt 1.5 to 1.7: pools are read through yurt-manager until each is written once. Checks the label of nodes until
 * then, and the fixes in docs/admission.md.
 */
export async function poolsStoredBefore(proof: Proof): Promise<void> {
  const claim = (what: string): string => `pools stored by OpenYurt 1.5, yurt-manager 1.7: ${what}`;
  await onControlPlane({ kubernetes: KUBERNETES }, proof, async (plane) => {
    let manager: YurtManager | undefined;
    const register = (pool = 'hz'): Promise<ApiAnswer> =>
      plane.api.send(
        'POST',
        '/api/v1/nodes',
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'new', labels: { [MEMBERSHIP]: pool } } },
        { query: { dryRun: 'All' } },
      );
    const isLabelled = ({ status, body }: ApiAnswer): boolean =>
      status === 201 && body.metadata.labels[LABEL] === 'true';
    const restartWithoutManager = async (): Promise<void> => {
      await manager?.stop('SIGKILL');
      await plane.restartApiServer();
    };
    try {
      await storeWith15(plane);
      manager = await YurtManager.start(plane, '1.7');
      const read = async (name: string): Promise<boolean> =>
        (await plane.api.must('GET', `${POOLS}/${name}`)).spec.hostNetwork === true;
      proof.same(claim('only with the field, hostNetwork is lost in the upgrade'), await read('lost'), false);
      proof.same(claim('the annotation preserves it'), await read('hz'), true);
      const byDefault = labelPolicies();
      await plane.apply(byDefault);
      // else its label could be taken for that of the policy, whose pools are not read yet
      await withoutNodeWebhook(plane);
      await proof.eventually(claim('with yurt-manager up a node gets the label from the policy'), async () =>
        isLabelled(await register()),
      );

      await manager.stop('SIGKILL');
      proof.that(
        claim('down: a running API server continues with the pools that it has read'),
        isLabelled(await register()),
      );
      await restartWithoutManager();
      const fail = labelPolicies('Fail');
      await plane.apply(fail);
      await proof.eventually(
        claim('down, after a restart of the API server: with Fail every write of a node is refused'),
        async () => {
          const answers = [await register(), await register('nowhere')];
          return answers.every(
            ({ status, body }) => status >= 400 && /not yet synced to use for admission/.test(body.message as string),
          );
        },
      );
      proof.note(String((await register()).body.message));
      await remove(
        plane,
        fail.filter(({ kind }) => kind.endsWith('Binding')),
      );
      await proof.eventually(
        claim('down: without that binding nodes are written again'),
        async () => (await register()).status === 201,
      );
      await plane.apply(byDefault);
      for (let second = 0; second < 5; second++) {
        const answer = await register();
        proof.that(
          claim('down: by default nodes are written, without the label'),
          answer.status === 201 && !isLabelled(answer),
          answer.body,
        );
        await new Promise((done) => setTimeout(done, 1000));
      }

      await manager.restart();
      const all = plane.kubectl(['get', 'nodepools.apps.openyurt.io', '-o', 'yaml']);
      const replaced = plane.kubectl(['replace', '-f', '-'], all.stdout);
      proof.that(claim('up again: every pool is written once'), replaced.status === 0, replaced.stderr);
      await restartWithoutManager();
      proof.same(claim('down, after another restart: pools are read'), await read('hz'), true);
      await proof.eventually(claim('and a node gets the label'), async () => isLabelled(await register()));
    } finally {
      await manager?.stop();
    }
  });
}

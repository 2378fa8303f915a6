import type { OpenYurtWebhooksProps } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import type { YurtManager } from '../../harness/yurt-manager.js';
import { apply, lookedAt, MANAGER, named, namesIn, of17, ours, storedIn } from './configurations.js';

const PODS = 'mutate.core.v1.pod.openyurt.io';
const TEMPLATE = 'yurt-manager-template';
const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';

/** Our objects have the same effect as those of the chart. */
export async function atWork(plane: ControlPlane, proof: Proof): Promise<void> {
  const { api, nodes } = plane;
  const claim = (what: string): string => `our webhooks, yurt-manager 1.7.0: ${what}`;
  await lookedAt(plane, claim('at first'), proof);
  const before = await storedIn(plane);
  proof.same(claim('no webhook is removed or added'), namesIn(before), namesIn(of17()));
  proof.that(
    claim('the Service does not change'),
    before
      .flatMap(({ webhooks }) => webhooks)
      .every(({ clientConfig }) => clientConfig.service?.namespace === 'kube-system'),
    before,
  );
  const cloud = {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'cloud' },
    spec: { type: 'Cloud', hostNetwork: true },
  };
  const refused = await api.send('POST', POOLS, cloud);
  proof.that(
    claim('a Cloud pool with hostNetwork is refused by v.v1beta2.nodepool.kb.io'),
    refused.status === 422 || /v\.v1beta2\.nodepool\.kb\.io/.test(refused.body.message as string),
    refused.body,
  );
  await api.must('POST', POOLS, { ...cloud, metadata: { name: 'shop' }, spec: { type: 'Edge', hostNetwork: true } });
  await proof.eventually(claim('a Node of a host-network pool gets its label'), async () => {
    const { status, body } = await api.send('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { generateName: 'shop-', labels: { 'apps.openyurt.io/nodepool': 'shop' } },
    });
    return status === 201 && body.metadata.labels['nodepool.openyurt.io/hostnetwork'] === 'true';
  });
  await api.must('DELETE', '/api/v1/nodes');
  await nodes.fake('other');

  const again = await apply(plane, of17());
  proof.same(
    claim('applied a second time, without force: no conflict, and nothing is written'),
    again.map(({ metadata }) => metadata.resourceVersion as string),
    (await storedIn(plane)).map(({ metadata }) => metadata.resourceVersion as string),
  );
  proof.same(
    claim('and nothing was written by yurt-manager since then'),
    again.map(({ metadata }) => metadata.resourceVersion as string),
    before.map(({ metadata }) => metadata.resourceVersion as string),
  );
  for (const { kind, metadata } of again) {
    const { fieldsV1 } = metadata.managedFields.find((entry: any) => entry.manager === MANAGER);
    proof.that(claim(`${kind}: caBundle is not ours`), !JSON.stringify(fieldsV1).includes('caBundle'), fieldsV1);
  }
}

const SETTINGS: Partial<OpenYurtWebhooksProps> = {
  timeoutSeconds: 5,
  webhooks: {
    pods: {
      failurePolicy: 'Fail',
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
      },
      matchConditions: [{ name: 'has-annotations', expression: 'has(object.metadata.annotations)' }],
    },
    nodes: { objectSelector: { matchExpressions: [{ key: 'cloud', operator: 'DoesNotExist' }] } },
  },
};

const wanted = (configurations: readonly any[], name: string): unknown => {
  const { timeoutSeconds, failurePolicy, namespaceSelector, objectSelector, matchConditions } =
    named(configurations, name) ?? {};
  return { timeoutSeconds, failurePolicy, namespaceSelector, objectSelector, matchConditions };
};

/** A later change takes effect, and persists. */
export async function settingsStay(plane: ControlPlane, manager: YurtManager, proof: Proof): Promise<void> {
  const claim = (what: string): string => `settings, yurt-manager 1.7.0: ${what}`;
  const changed = of17(SETTINGS);
  const refused = await apply(plane, changed).then(
    () => 'accepted',
    (error: unknown) => (error as Error).message,
  );
  proof.that(claim('Helm stays a manager of the fields that it wrote'), /conflicts with "helm"/.test(refused), refused);
  const asApplied = await apply(plane, changed, true);
  const stays = async (what: string): Promise<void> => {
    await lookedAt(plane, claim(what), proof);
    const seen = await storedIn(plane);
    for (const name of namesIn(changed)) {
      proof.same(claim(`${what}: ${name} has them`), wanted(seen, name), wanted(asApplied, name));
    }
    proof.same(
      claim(`${what}: Pods fail closed, outside of kube-system`),
      [named(seen, PODS).failurePolicy, named(seen, PODS).timeoutSeconds],
      ['Fail', 5],
    );
  };
  await stays('after a change');
  await manager.restart();
  await stays('after a new start');
  await apply(plane, of17(), true);
  await lookedAt(plane, claim('reverted'), proof);
  proof.same(
    claim('reverted: the Pod webhook is as shipped'),
    [named(await storedIn(plane), PODS).failurePolicy, named(await storedIn(plane), PODS).timeoutSeconds],
    ['Ignore', 10],
  );

  const all = ours('1.7', '1.34');
  await apply(plane, all, true);
  await proof.eventually(claim('yurt-manager removes webhooks that it does not serve'), async () => {
    const left = namesIn(await storedIn(plane));
    return !left.includes('myurtappset.kb.io') && left.includes(PODS);
  });
  await apply(plane, of17(), true);
}

/** Without our template: yurt-manager reverts a change, and objects of a chart are taken over. */
export async function withoutTemplate(plane: ControlPlane, proof: Proof): Promise<void> {
  const { api } = plane;
  const claim = (what: string): string => `without template, yurt-manager 1.7.0: ${what}`;
  const annotation = async (): Promise<string[]> =>
    (await storedIn(plane)).flatMap(({ metadata }) => metadata.annotations?.[TEMPLATE] ?? []);
  await proof.eventually(claim('yurt-manager writes it'), async () => (await annotation()).length === 2);
  const timeout = async (): Promise<number> => named(await storedIn(plane), PODS).timeoutSeconds as number;
  const conflictOf = (objects: readonly any[]): Promise<string> =>
    apply(plane, objects).then(
      () => 'accepted',
      (error: unknown) => (error as Error).message,
    );
  const atFirst = await conflictOf(of17());
  const about = atFirst.match(/^- .*$/gm) ?? [];
  proof.same(
    claim(
      'ours over those of Helm: conflicts about the label of Helm, the annotation, and rules, to which the API server adds a default',
    ),
    [...new Set(about.map((line) => line.replace(/^.*[./](managed-by|yurt-manager-template|rules)$/, '$1')))].sort(),
    ['managed-by', 'rules', TEMPLATE],
  );
  const change = of17({ template: false, timeoutSeconds: 5 });
  await apply(plane, change, true);
  await proof.eventually(claim('a later change is reverted'), async () => (await timeout()) === 10);
  const refused = await conflictOf(change);
  proof.that(claim('and a second apply is a conflict with yurt-manager'), /409.*conflict/is.test(refused), refused);

  for (const configuration of await storedIn(plane)) {
    await api.must(
      'PATCH',
      await api.pathOf(configuration),
      { metadata: { annotations: { [TEMPLATE]: null } } },
      {
        contentType: 'application/merge-patch+json',
      },
    );
  }
  await proof.eventually(
    claim('after its removal, the annotation is written again at once, with the old webhooks'),
    async () => (await annotation()).length === 2,
  );
  await apply(plane, change, true);
  await proof.eventually(claim('so a later change is reverted, too'), async () => (await timeout()) === 10);

  const takenOver = of17({ timeoutSeconds: 5 });
  const conflict = await conflictOf(takenOver);
  proof.that(claim('taking it over is a conflict once'), /409.*yurt-manager-template/is.test(conflict), conflict);
  await apply(plane, takenOver, true);
  await lookedAt(plane, claim('taken over by force'), proof);
  proof.same(claim('taken over by force: the change persists'), await timeout(), 5);
  await apply(plane, of17({ timeoutSeconds: 4 }), true);
  await lookedAt(plane, claim('and again'), proof);
  proof.same(claim('and again'), await timeout(), 4);
}

import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';
import type { KeptJoinsSettings } from '../../programs/kept-joins.js';

const CONFIG_MAPS = '/api/v1/namespaces/kube-system/configmaps';
const FINALIZER = 'example.com/kept';

/** A published join lives through a change and back, through the end of its stack and the next life, and through a destroy that is killed. */
export async function keptJoins(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'kept-joins', plane.kubeconfig);
  const published = async (): Promise<Record<string, string>> => {
    const query = { labelSelector: 'edge-nodepools/pool=kept' };
    const { items } = await plane.api.must('GET', CONFIG_MAPS, undefined, { query });
    return Object.fromEntries(items.map(({ metadata }: any) => [metadata.name, metadata.uid]));
  };
  const a: KeptJoinsSettings = { tokenFile: '/run/edge/a' };
  const b: KeptJoinsSettings = { tokenFile: '/run/edge/b' };
  const up = (what: string, settings: KeptJoinsSettings): string => {
    const { status, said } = project.up(settings);
    proof.that(`kept joins: ${what}`, status === 0, said);
    return String(project.outputs().published);
  };
  const destroy = (what: string, settings: KeptJoinsSettings): void => {
    const { status, said } = project.destroy(settings);
    proof.that(`kept joins: ${what}`, status === 0, said);
  };

  const first = up('up', a);
  const uids: Record<string, string> = await published();
  for (const round of [1, 2]) {
    const second = up(`another file of the token, ${round}`, b);
    uids[second] ??= (await published())[second] as string;
    proof.that('kept joins: is another ConfigMap', second !== first, second);
    proof.same(`kept joins: the same file again, ${round}`, up(`back, ${round}`, a), first);
    proof.same(`kept joins: both are what they were, ${round}`, await published(), uids);
    destroy(`destroy, ${round}`, a);
    proof.same(`kept joins: both have stayed, ${round}`, await published(), uids);
    proof.same(`kept joins: the next life, ${round}`, up(`up after destroy, ${round}`, a), first);
    proof.same(`kept joins: has the same objects, ${round}`, await published(), uids);
    const again = project.up(a, ['--refresh', '--expect-no-changes']);
    proof.that(`kept joins: and nothing to change, ${round}`, again.status === 0, again.said);
  }
  const { metadata } = await plane.api.must('GET', `${CONFIG_MAPS}/${first}`);
  proof.same(
    'kept joins: each life is the same owner',
    metadata.managedFields.map(({ manager }: any) => manager),
    ['edge-nodepools-retained'],
  );
  await killedDestroy(plane, proof, project, a, first);

  up('not retained, for a while', { ...a, retainPublished: false });
  up('retained again', a);
  destroy('destroy of what is retained again', a);
  proof.same('kept joins: it has stayed', (await published())[first], uids[first]);
  up('and is adopted', a);
  up('not retained from now on', { ...a, retainPublished: false });
  proof.same('kept joins: it is the same object', (await published())[first], uids[first]);
  destroy('destroy', { ...a, retainPublished: false });
  proof.that('kept joins: it is gone', !(first in (await published())), await published());
  for (const round of [1, 2]) {
    const deleted = { ...a, tokenFile: '/run/edge/c', retainPublished: false };
    up(`not retained, ${round}`, deleted);
    const count = Object.keys(await published()).length;
    up(`not retained, another file, ${round}`, { ...deleted, tokenFile: '/run/edge/d' });
    up(`not retained, back, ${round}`, deleted);
    proof.same(`kept joins: nothing is left of the other, ${round}`, Object.keys(await published()).length, count);
    destroy(`destroy of what is not retained, ${round}`, deleted);
  }

  const unknown = { ...a, late: true };
  const preview = project.preview(unknown);
  proof.that('kept joins: a preview that does not know the name', preview.status === 0, preview.said);
  up('and its up', unknown);
  destroy('and its destroy', unknown);
}

/** The process is killed while it deletes: the lock and the pending operation stay, and the next up goes on. */
async function killedDestroy(
  plane: ControlPlane,
  proof: Proof,
  project: PulumiProject,
  settings: KeptJoinsSettings,
  name: string,
): Promise<void> {
  const held = { ...settings, finalizer: FINALIZER };
  proof.same('killed destroy: up with an object that does not go away', project.up(held).status, 0);
  const at = '/api/v1/namespaces/default/configmaps/site';
  const killed = await project.killed('destroy', held, async () => {
    const { body } = await plane.api.send('GET', at);
    return body.metadata?.deletionTimestamp !== undefined;
  });
  proof.that('killed destroy: it was killed', killed.status !== 0, killed.said);
  await plane.api.must(
    'PATCH',
    at,
    { metadata: { finalizers: null } },
    { contentType: 'application/merge-patch+json' },
  );
  project.run(['cancel', '--yes', '-s', 'e2e']);
  for (const round of [1, 2]) {
    const up = project.up(settings, ['--refresh']);
    proof.that(`killed destroy: up, ${round}`, up.status === 0, up.said);
    proof.same(
      'killed destroy: the join is there',
      (await plane.api.send('GET', `${CONFIG_MAPS}/${name}`)).status,
      200,
    );
  }
}

import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject, type Step } from '../../harness/pulumi-project.js';
import type { FleetSettings } from '../../programs/fleet.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';

const isNodePool = ({ type }: Step): boolean => type.endsWith(':NodePool');

/** The operations on one resource, in order. */
function done({ steps }: EngineRun, name: string, kind = 'NodePool'): string[] {
  return steps.filter((step) => step.name === name && step.type.endsWith(`:${kind}`)).map(({ op }) => op);
}

/** The operations, without `same`. */
function changes({ steps }: EngineRun): string[] {
  return steps.filter(({ op }) => op !== 'same').map(({ op, type, name }) => `${op} ${type.split(':').at(-1)} ${name}`);
}

/** The whole life cycle of a fleet. */
export async function fleet(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'fleet', plane.kubeconfig);
  const up = (what: string, settings: FleetSettings, args: readonly string[] = []): EngineRun => {
    const run = project.up(settings, args);
    proof.that(`fleet: ${what}`, run.status === 0, run.said);
    return run;
  };
  const pool = async (name: string): Promise<any> => (await plane.api.send('GET', `${POOLS}/${name}`)).body;

  const preview = project.preview({});
  proof.that(
    'fleet: preview succeeds, although only the API server knows the name of a pool',
    preview.status === 0,
    preview.said,
  );
  proof.same('fleet: preview creates nothing', (await plane.api.must('GET', POOLS)).items, []);
  const first = up('the first up succeeds', {});
  proof.note(`fleet: ${first.steps.length} resources`);
  proof.same(
    'fleet: up creates what the preview has shown',
    first.steps.map(({ urn }) => urn).sort(),
    preview.steps.map(({ urn }) => urn).sort(),
  );
  await lateName(plane, proof, project);

  const second = up('a second up succeeds', {}, ['--expect-no-changes']);
  proof.same('fleet: and changes nothing', changes(second), []);
  const refresh = project.refresh({}, ['--expect-no-changes']);
  proof.that('fleet: a refresh finds nothing changed', refresh.status === 0, refresh.said);

  const { uid } = (await pool('east')).metadata;
  const updated = up('another label of the nodes and another image', {
    site: 'moved',
    image: 'registry.example/collector:2',
  });
  proof.same('fleet: updates the pool in place', done(updated, 'east'), ['update']);
  proof.same('fleet: and the DaemonSet', done(updated, 'collector', 'DaemonSet'), ['update']);
  const moved = await pool('east');
  proof.same(
    'fleet: it is the same pool with the new label',
    [moved.metadata.uid, moved.spec.labels],
    [uid, { site: 'moved' }],
  );

  const settings: FleetSettings = { site: 'moved', interConnectivity: true };
  const replaced = up('an immutable field changes', settings);
  proof.same('fleet: the pool is deleted first, then created', done(replaced, 'east'), REPLACED);
  const other = await pool('east');
  proof.that(
    'fleet: it is another pool of the same name',
    other.metadata.uid !== uid && other.spec.interConnectivity === true,
    other,
  );
  const renamed = up('another name', { ...settings, poolName: 'east-2' });
  proof.same('fleet: the pool is deleted first, too', done(renamed, 'east'), REPLACED);
  proof.same('fleet: the old name is gone', (await pool('east')).code, 404);
  proof.same(
    'fleet: the other pools do not change',
    renamed.steps.filter(isNodePool).filter(({ name, op }) => name !== 'east' && op !== 'same'),
    [],
  );
  const selected = (await plane.api.must('GET', '/apis/apps/v1/namespaces/edge-system/daemonsets/collector')).spec;
  proof.that('fleet: the workload has the new name', JSON.stringify(selected).includes('"east-2"'), selected);

  const hasNames = ({ urn }: { readonly urn: string }): boolean =>
    /:MutatingAdmissionPolicy::.*-edge-nodepools-node-label$/.test(urn);
  proof.same(
    'fleet: the policy with the names of the pools is updated, not replaced',
    renamed.steps.filter(hasNames).map(({ op }) => op),
    ['update'],
  );
  const { provider } = project.state().find(hasNames) ?? {};
  proof.that('fleet: by the provider of its component', provider?.includes('::own::') === true, provider);

  for (const north of ['host-network', 'regular'] as const) {
    const run = up(`a pool becomes ${north}, with an alias`, { ...settings, poolName: 'east-2', north });
    proof.same(`fleet: a pool that becomes ${north} is deleted first`, done(run, 'north'), REPLACED);
    proof.same(`fleet: it is ${north}`, (await pool('north')).spec.hostNetwork === true, north === 'host-network');
  }
  await populated(plane, proof, project, settings);

  const destroy = project.destroy({});
  proof.that('fleet: destroy succeeds', destroy.status === 0, destroy.said);
  proof.same('fleet: no state remains', project.state(), []);
  proof.same('fleet: no pool remains', (await plane.api.must('GET', POOLS)).items, []);
  for (const resource of [
    'validatingadmissionpolicies',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ]) {
    const { items } = await plane.api.must('GET', `/apis/admissionregistration.k8s.io/v1/${resource}`);
    proof.same(`fleet: no ${resource} remain`, items.length, 0);
  }
  proof.same(
    'fleet: no namespace remains',
    (await plane.api.send('GET', '/api/v1/namespaces/edge-system')).status,
    404,
  );
}

const REPLACED = ['delete-replaced', 'replace', 'create-replacement'];

/** The pool whose name is an Output of another resource. */
async function lateName(plane: ControlPlane, proof: Proof, project: PulumiProject): Promise<void> {
  const { uid } = (await plane.api.must('GET', '/api/v1/namespaces/edge-system/configmaps/site')).metadata;
  const name = `site-${uid}`;
  proof.same('late name: the pool has it', project.outputs().latePool, name);
  const { spec } = await plane.api.must('GET', `${POOLS}/${name}`);
  proof.same('late name: the pool exists, and is a host-network pool', spec.hostNetwork, true);
  const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
  const { variables } = (await plane.api.must('GET', `${policies}/edge-nodepools-node-label`)).spec;
  proof.that('late name: the policy of the label knows it', JSON.stringify(variables).includes(`'${name}'`), variables);
  const collector = await plane.api.must('GET', '/apis/apps/v1/namespaces/edge-system/daemonsets/collector');
  const { affinity } = collector.spec.template.spec;
  proof.that(
    'late name: a workload of two pools selects both',
    JSON.stringify(affinity).includes(`["east","${name}"]`),
    affinity,
  );
}

/** OpenYurt refuses to delete a pool that has nodes: the update fails, and nothing is lost. */
async function populated(
  plane: ControlPlane,
  proof: Proof,
  project: PulumiProject,
  settings: FleetSettings,
): Promise<void> {
  const now = { ...settings, poolName: 'east-2', image: 'registry.example/collector:3' };
  await plane.nodes.fake('edge-1', {
    'apps.openyurt.io/nodepool': 'east-2',
    'nodepool.openyurt.io/hostnetwork': 'true',
  });
  await proof.eventually('populated: OpenYurt counts the node', async () => {
    const { status } = (await plane.api.send('GET', `${POOLS}/east-2`)).body;
    return status?.nodes?.includes('edge-1') === true;
  });
  // the node has no kubelet, so a rollout that is awaited does not end
  const offline = project.up(now);
  proof.that(
    'populated: another image is not awaited, although the node is offline',
    offline.status === 0,
    offline.said,
  );
  proof.same('populated: the DaemonSet is updated', done(offline, 'collector', 'DaemonSet'), ['update']);
  const before = await plane.api.must('GET', `${POOLS}/east-2`);
  const refused = project.up({ ...now, interConnectivity: false });
  proof.that('populated: the replacement fails', refused.status !== 0, refused.said);
  proof.that(
    "populated: with OpenYurt's reason",
    refused.said.includes('cannot remove nonempty pool, please drain the pool before deleting'),
    refused.said,
  );
  const after = await plane.api.must('GET', `${POOLS}/east-2`);
  proof.same('populated: the pool is unchanged', [after.metadata.uid, after.spec], [before.metadata.uid, before.spec]);
  proof.that('populated: it is not being deleted', after.metadata.deletionTimestamp === undefined);
  const { labels } = (await plane.nodes.get('edge-1')).metadata;
  proof.same('populated: its node is still in it', labels['apps.openyurt.io/nodepool'], 'east-2');
  // the state already has the new arguments of the component, but not of the pool
  const again = project.up(now);
  proof.that('populated: the former program succeeds', again.status === 0, again.said);
  proof.same('populated: and changes only the arguments in the state', changes(again), [
    'update HostNetworkNodePool east',
  ]);
  await plane.nodes.delete('edge-1');
  await proof.eventually('populated: without the node OpenYurt allows the deletion', async () => {
    const { status } = (await plane.api.send('GET', `${POOLS}/east-2`)).body;
    return (status?.nodes ?? []).length === 0;
  });
}

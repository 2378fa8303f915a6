import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import type { ImportedSettings } from '../../programs/imported.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';
const TYPE = 'kubernetes:apps.openyurt.io/v1beta2:NodePool';
const LABELS = { site: 'present', team: 'shops' };
const TAINTS = [{ key: 'site', value: 'present', effect: 'NoSchedule' as const }];
// the last two as the webhook of OpenYurt has written them; it does so only when a pool is created
const AS_IT_IS: ImportedSettings = {
  pool: { labels: LABELS, taints: TAINTS, leaderReplicas: 1, poolScopeMetadata: [] },
};

/** A pool that somebody has made by hand is adopted as it is, or not at all: by a transform, and by `pulumi import`. */
export async function imported(plane: ControlPlane, proof: Proof): Promise<void> {
  await byTransform(plane, proof);
  await byCommand(plane, proof);
  await withoutFile(plane, proof);
}

/** Makes the pool with kubectl; returns how to look at it. */
function present(plane: ControlPlane): () => Promise<unknown> {
  const pool = {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'present' },
    spec: { type: 'Edge', hostNetwork: true, labels: LABELS, taints: TAINTS },
  };
  const { status, stderr } = plane.kubectl(['apply', '-f', '-'], JSON.stringify(pool));
  if (status !== 0) {
    throw new Error(stderr);
  }
  return async () => {
    const { metadata, spec } = await plane.api.must('GET', `${POOLS}/present`);
    return [metadata.uid, spec];
  };
}

async function refused(
  proof: Proof,
  what: string,
  run: EngineRun,
  look: () => Promise<unknown>,
  was: unknown,
  texts: readonly string[],
): Promise<void> {
  proof.that(`import: ${what} is refused`, run.status !== 0, run.said);
  for (const text of texts) {
    proof.that(`import: ${what}: the message has ${text}`, run.said.includes(text), run.said);
  }
  proof.same(`import: ${what}: the pool is what it was`, await look(), was);
}

const REMOVED = [
  'the object has spec.leaderReplicas: 1, and the program does not',
  'the object has spec.labels.site: "present"',
  'the object has spec.taints: [{',
  'Nothing was changed in the cluster',
];

async function byTransform(plane: ControlPlane, proof: Proof): Promise<void> {
  const look = present(plane);
  const was = await look();
  const project = new PulumiProject(plane.folder, 'imported', plane.kubeconfig, {}, 'by-transform');
  await refused(proof, 'a preview that would remove labels', project.preview({ imports: true }), look, was, REMOVED);
  await refused(proof, 'an up that would remove labels', project.up({ imports: true }), look, was, REMOVED);
  await refused(proof, 'the same up again', project.up({ imports: true }), look, was, REMOVED);
  const other = { imports: true, pool: { ...AS_IT_IS.pool, interConnectivity: true } };
  await refused(proof, 'an immutable field', project.up(other), look, was, ['spec.interConnectivity']);
  adopted(proof, project, { ...AS_IT_IS, imports: true });
  proof.same('import: the adopted pool is what it was', await look(), was);
  await changed(plane, proof, project);
}

async function byCommand(plane: ControlPlane, proof: Proof): Promise<void> {
  const look = present(plane);
  const was = await look();
  const project = new PulumiProject(plane.folder, 'imported', plane.kubeconfig, {}, 'by-command');
  const file = join(plane.folder, 'import.json');
  // names are those of the file; both resources have the same in the program
  const component = { type: 'edge-nodepools:index:HostNetworkNodePool', name: 'pool', component: true };
  const resources = [component, { type: TYPE, name: 'nodePool', id: 'present', parent: 'pool' }];
  writeFileSync(file, JSON.stringify({ resources: resources.map((one) => ({ ...one, logicalName: 'present' })) }));
  const args = ['import', '--file', file, '--yes', '--skip-preview', '--protect=false', '--generate-code=false'];
  const { status, said } = project.run([...args, '-s', 'e2e']);
  proof.that('import: pulumi import succeeds', status === 0, said);
  proof.same('import: and changes nothing', await look(), was);
  await refused(proof, 'an up after it that would remove labels', project.up({}), look, was, REMOVED);
  adopted(proof, project, AS_IT_IS);
  proof.same('import: the pool of the command is what it was', await look(), was);
  await changed(plane, proof, project);
}

/** Without a file the command makes a resource of its own, beside the component: nothing happens to the pool. */
async function withoutFile(plane: ControlPlane, proof: Proof): Promise<void> {
  const look = present(plane);
  const was = await look();
  const project = new PulumiProject(plane.folder, 'imported', plane.kubeconfig, {}, 'without-file');
  const args = ['import', TYPE, 'present', 'present', '--yes', '--skip-preview', '--generate-code=false'];
  const { status, said } = project.run([...args, '-s', 'e2e']);
  proof.that('import without a file: succeeds', status === 0, said);
  for (const settings of [{}, AS_IT_IS]) {
    const up = project.up(settings);
    proof.that(
      'import without a file: up says that the pool exists',
      up.status !== 0 && up.said.includes('already exists'),
      up.said,
    );
    proof.same('import without a file: the pool is what it was', await look(), was);
  }
  await plane.api.must('DELETE', `${POOLS}/present`);
}

function adopted(proof: Proof, project: PulumiProject, settings: ImportedSettings): void {
  const up = project.up(settings);
  proof.that('import: the pool as it is is adopted', up.status === 0, up.said);
  const again = project.up(AS_IT_IS, ['--refresh', '--expect-no-changes']);
  proof.that('import: and nothing is to be changed without the import', again.status === 0, again.said);
}

/** From now on it is a pool of the stack. */
async function changed(plane: ControlPlane, proof: Proof, project: PulumiProject): Promise<void> {
  const up = project.up({ pool: { ...AS_IT_IS.pool, labels: { site: 'moved' }, taints: [] } });
  proof.that('import: then it is changed as any other', up.status === 0, up.said);
  const { spec } = await plane.api.must('GET', `${POOLS}/present`);
  proof.same('import: and has what the program says', [spec.labels, spec.taints ?? []], [{ site: 'moved' }, []]);
  const destroy = project.destroy({});
  proof.that('import: and destroyed', destroy.status === 0, destroy.said);
  proof.same('import: it is gone', (await plane.api.send('GET', `${POOLS}/present`)).status, 404);
}

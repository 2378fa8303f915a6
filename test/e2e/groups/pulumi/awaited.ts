import type { ControlPlane } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';
import type { AwaitedSettings } from '../../programs/awaited.js';

const AGENT = '/apis/apps/v1/namespaces/default/daemonsets/awaited';
const NODE = 'awaited-1';
const UP = ['up', '--yes', '--skip-preview'];

/** `await: true` ends with the rollout, and fails without one; `await: false` does not wait. */
export async function awaited(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'awaited', plane.kubeconfig);
  const first: AwaitedSettings = { image: 'registry.example/agent:1', awaits: true };
  const second = { ...first, image: 'registry.example/agent:2' };
  // the node is there when the pool is: its admission needs it
  const slow = new FakeKubelets(plane.api, 4000);
  try {
    const joins = async (): Promise<void> => {
      const { status } = await plane.api.send('GET', '/apis/apps.openyurt.io/v1beta2/nodepools/awaited');
      const { status: node } = await plane.api.send('GET', `/api/v1/nodes/${NODE}`);
      if (status === 200 && node === 404) {
        await plane.nodes.fake(NODE, { 'apps.openyurt.io/nodepool': 'awaited' });
      }
    };
    const up = await project.upDuring(first, joins);
    proof.that('await: true succeeds', up.status === 0, up.said);
    const rolledOut = async (): Promise<unknown> => {
      const { metadata, status, spec } = await plane.api.must('GET', AGENT);
      const current = status.observedGeneration === metadata.generation && status.updatedNumberScheduled === 1;
      return [spec.template.spec.containers[0].image, current ? status.numberReady : 0];
    };
    proof.same('await: true: the Pod is Ready when up ends', await rolledOut(), [first.image, 1]);
    const changed = await project.engineDuring(UP, second);
    proof.that('await: true succeeds with another image', changed.status === 0, changed.said);
    proof.same('await: true: it has rolled out when up ends', await rolledOut(), [second.image, 1]);
  } finally {
    await slow.stop();
  }
  const third = { ...second, image: 'registry.example/agent:3' };
  const offline = await project.engineDuring(UP, third);
  proof.that('await: true fails while the node is offline', offline.status !== 0, offline.said);
  const unawaited = await project.engineDuring(UP, { ...third, image: 'registry.example/agent:4', awaits: false });
  proof.that('await: false succeeds nevertheless', unawaited.status === 0, unawaited.said);
  await plane.nodes.delete(NODE);
  const kubelets = new FakeKubelets(plane.api);
  try {
    const destroy = await project.engineDuring(['destroy', '--yes', '--skip-preview'], { ...third, awaits: false });
    proof.that('await: destroy', destroy.status === 0, destroy.said);
  } finally {
    await kubelets.stop();
  }
}

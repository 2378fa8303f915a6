import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import type { KeptPreconditionsSettings } from '../../programs/kept-preconditions.js';

const COREDNS = '/apis/apps/v1/namespaces/kube-system/daemonsets/coredns';

/** CoreDNS as a DaemonSet stays when its stack ends, and the next life of the stack adopts it. */
export async function keptPreconditions(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'kept-preconditions', plane.kubeconfig);
  const must = (what: string, { status, said }: EngineRun): void =>
    proof.that(`kept preconditions: ${what}`, status === 0, said);
  const up = async (what: string, settings: KeptPreconditionsSettings, args: readonly string[] = []): Promise<void> =>
    must(what, await project.engineDuring(['up', '--yes', '--skip-preview', ...args], settings));
  const look = async (): Promise<any> => {
    const { metadata, spec } = await plane.api.must('GET', COREDNS);
    return { uid: metadata.uid, image: spec.template.spec.containers[0].image, managers: metadata.managedFields };
  };
  await up('up', {});
  const { uid, image } = await look();
  const other = `${String(image).replace(/:.*/, '')}:v1.99.0`;
  for (const round of [1, 2]) {
    must(`destroy, ${round}`, await project.engineDuring(['destroy', '--yes', '--skip-preview'], {}));
    proof.same(`kept preconditions: the DaemonSet has stayed, ${round}`, (await look()).uid, uid);
    must(`preview of the next life, ${round}`, project.preview({}));
    await up(`the next life, ${round}`, {});
    proof.same(`kept preconditions: it is the same DaemonSet, ${round}`, (await look()).uid, uid);
    await up(`nothing to change, ${round}`, {}, ['--refresh', '--expect-no-changes']);
    await up(`another image, ${round}`, { image: other });
    proof.same(
      `kept preconditions: it is written in place, ${round}`,
      [(await look()).uid, (await look()).image],
      [uid, other],
    );
    await up(`the first image again, ${round}`, {});
    proof.same(`kept preconditions: it is what it was, ${round}`, (await look()).image, image);
  }
  const owners = (await look()).managers.filter(({ subresource }: any) => subresource === undefined);
  proof.same(
    'kept preconditions: each life is the same owner',
    owners.map(({ manager }: any) => manager),
    ['edge-nodepools-retained'],
  );
  must('the last destroy', await project.engineDuring(['destroy', '--yes', '--skip-preview'], {}));
}

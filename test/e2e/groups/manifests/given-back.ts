import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { documents } from '../../harness/kubectl.js';
import { withoutServerFields } from './server-side.js';
import { shop } from './shop.js';

const OURS = ['--server-side', '--field-manager=edge-nodepools'];

/** The way back of docs/import.md: what `kubectl apply` has made is taken over, and given back without a change. */
export async function givenBack(plane: ControlPlane, proof: Proof): Promise<void> {
  const objects = shop();
  const all = documents(objects);
  const must = (args: readonly string[], input: string): void => {
    const { status, stderr } = plane.kubectl([...args, '-f', '-'], input);
    proof.that(`given back: kubectl ${args.join(' ')}`, status === 0, stderr);
  };
  const states = (): Promise<any[]> =>
    Promise.all(
      objects.map(async (object) => withoutServerFields(await plane.api.must('GET', await plane.api.pathOf(object)))),
    );
  await plane.ensureNamespace('shop');
  must(['apply'], all);
  const before = await states();
  must(['apply', ...OURS, '--force-conflicts'], all);
  must(['apply', '--server-side', '--force-conflicts'], all);
  for (const { apiVersion, kind, metadata } of objects) {
    const { name, namespace } = metadata;
    const nothing = documents([{ apiVersion, kind, metadata: { name, namespace } }]);
    const diff = plane.kubectl(['diff', ...OURS, '-f', '-'], nothing);
    proof.same(`given back: ${kind} ${name} loses nothing`, [diff.status, diff.stdout], [0, '']);
    must(['apply', ...OURS], nothing);
  }
  proof.same('given back: every object is what it was', await states(), before);
  const fields = await Promise.all(
    objects.map(async (object) => {
      const { metadata } = await plane.api.must('GET', await plane.api.pathOf(object));
      return (metadata.managedFields as any[]).filter(({ manager }) => manager === 'edge-nodepools');
    }),
  );
  proof.same('given back: edge-nodepools owns nothing', fields.flat(), []);
  for (const object of objects) {
    await plane.api.send('DELETE', await plane.api.pathOf(object), { gracePeriodSeconds: 0 });
  }
}

import type { ControlPlane } from '../../harness/control-plane.js';
import { ARGO_CD, ARGO_CD_NAMESPACE, argoCdCrds } from '../../harness/argo-cd.js';
import { FLUX_NAMESPACE, FLUX_TOOLS, fluxCrds } from '../../harness/flux.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import { isBuilt } from '../../harness/tool.js';
import type { DeliveriesSettings } from '../../programs/deliveries.js';

const APPLICATION_SETS = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applicationsets`;
const KUSTOMIZATIONS = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${FLUX_NAMESPACE}/kustomizations`;

/** The objects of a kind, without what the API server writes into them. */
async function specsOf({ api }: ControlPlane, path: string): Promise<Record<string, unknown>> {
  const { items } = await api.must('GET', path);
  return Object.fromEntries(items.map(({ metadata, spec }: any) => [metadata.name, spec]));
}

/** FleetDelivery on the engine: what it applies for Argo CD and Flux, and what it writes into folders. */
export async function deliveries(plane: ControlPlane, proof: Proof): Promise<boolean> {
  if (![ARGO_CD, ...FLUX_TOOLS].every(isBuilt)) {
    proof.note('FleetDelivery: skipped, because Argo CD and Flux are not built (E2E_DELIVERY=1 npm run test:e2e)');
    return false;
  }
  await plane.applyCrds([...argoCdCrds(), ...fluxCrds()]);
  await plane.ensureNamespace(ARGO_CD_NAMESPACE);
  await plane.ensureNamespace(FLUX_NAMESPACE);
  const project = new PulumiProject(plane.folder, 'deliveries', plane.kubeconfig);
  const must = (what: string, { status, said }: EngineRun): void =>
    proof.that(`deliveries: ${what}`, status === 0, said);
  const written = (): Record<string, string> =>
    Object.fromEntries(['dist-argo-cd', 'dist-flux'].flatMap((folder) => project.filesIn(folder)));
  const both: DeliveriesSettings = { sites: ['beijing', 'hangzhou'], value: 'one' };
  must('preview', project.preview(both));
  proof.same('deliveries: a preview writes nothing', written(), {});
  must('up', project.up(both));
  const first = written();
  proof.that('deliveries: writes the sites', Object.keys(first).length > 10, Object.keys(first));
  const kustomizations = Object.keys(await specsOf(plane, KUSTOMIZATIONS));
  for (const site of both.sites) {
    proof.that(
      `deliveries: Flux has the Kustomizations of ${site}`,
      ['pools', 'workloads'].every((layer) => kustomizations.includes(`flux-${site}-${layer}`)),
      kustomizations,
    );
  }
  proof.that(
    'deliveries: Argo CD has an ApplicationSet',
    Object.keys(await specsOf(plane, APPLICATION_SETS)).length > 0,
  );
  must('a second up changes nothing', project.up(both, ['--expect-no-changes']));
  proof.same('deliveries: nor a file', written(), first);
  must('refresh finds nothing', project.refresh(both, ['--expect-no-changes']));

  must(
    'a change of an object is no change of the stack',
    project.up({ ...both, value: 'two' }, ['--expect-no-changes']),
  );
  const second = written();
  proof.same(
    'deliveries: and changes the files of this object',
    Object.keys(second).filter((path) => second[path] !== first[path]),
    ['argo-cd', 'flux'].map((engine) => `dist-${engine}/sites/beijing/30-workloads/beijing.k8s.yaml`),
  );
  const one: DeliveriesSettings = { sites: ['beijing'], value: 'two' };
  must('a site leaves', project.up(one));
  proof.same(
    'deliveries: with its files',
    Object.keys(written()).filter((path) => path.includes('hangzhou')),
    [],
  );
  proof.same(
    'deliveries: and its Kustomizations',
    Object.keys(await specsOf(plane, KUSTOMIZATIONS)).filter((name) => name.includes('hangzhou')),
    [],
  );
  must('comes back', project.up({ ...both, value: 'one' }));
  proof.same('deliveries: as it was', written(), first);
  must('destroy', project.destroy(both));
  proof.same(
    'deliveries: nothing of the engines is left',
    [...Object.keys(await specsOf(plane, KUSTOMIZATIONS)), ...Object.keys(await specsOf(plane, APPLICATION_SETS))],
    [],
  );
  return true;
}

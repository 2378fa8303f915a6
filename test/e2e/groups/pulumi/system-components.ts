import { ExclusionStrategy } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import type { SystemComponentsSettings } from '../../programs/system-components.js';
import { flannel } from '../../harness/flannel.js';
import { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { twoStacks } from './two-stacks.js';
import { isExcluded, requiredOf } from '../system-components/excluded-component.js';

const { ADMISSION_POLICY, SERVER_SIDE_APPLY } = ExclusionStrategy;

/** The provider makes a field manager for each patch. */
const isPatchManager = ({ manager, operation }: any): boolean =>
  manager.startsWith('pulumi-kubernetes-') && operation === 'Apply';

/** Patches of existing components, and their destruction. */
export async function systemComponents(plane: ControlPlane, proof: Proof): Promise<void> {
  const addOns = new KubeadmAddOns(plane.folder);
  addOns.install('kube-proxy', plane.kubeconfig);
  await plane.apply([flannel()], 'installer');
  const kubeProxy = addOns.rendered('kube-proxy');
  const look = async (object: any): Promise<any> => plane.api.must('GET', await plane.api.pathOf(object));
  const project = new PulumiProject(plane.folder, 'system-components', plane.kubeconfig);
  const must = (what: string, { status, said }: EngineRun): void => proof.that(`patches: ${what}`, status === 0, said);

  const before = { kubeProxy: await look(kubeProxy), flannel: await look(flannel()) };
  const settings: SystemComponentsSettings = { exclude: ['kube-proxy', 'flannel'], strategy: SERVER_SIDE_APPLY };
  must('preview', project.preview(settings));
  must('up', project.up(settings));
  const patched = { kubeProxy: await look(kubeProxy), flannel: await look(flannel()) };
  proof.that('patches: kube-proxy is excluded', isExcluded(patched.kubeProxy), requiredOf(patched.kubeProxy));
  proof.same('patches: nothing else of kube-proxy has changed', rest(patched.kubeProxy), rest(before.kubeProxy));
  const owned = fieldsOf(patched.kubeProxy);
  proof.same('patches: one field is owned, the required node affinity', Object.keys(leaves(owned)), [
    'f:template.f:spec.f:affinity.f:nodeAffinity.f:requiredDuringSchedulingIgnoredDuringExecution',
  ]);
  const [term] = requiredOf(patched.flannel).nodeSelectorTerms;
  const [own] = requiredOf(before.flannel).nodeSelectorTerms[0].matchExpressions;
  proof.same("patches: flannel's own requirement remains in the term", term.matchExpressions[0], own);
  proof.that('patches: flannel is excluded', isExcluded(patched.flannel), term);
  proof.same('patches: nothing else of flannel has changed', rest(patched.flannel), rest(before.flannel));
  must('a second up changes nothing', project.up(settings, ['--expect-no-changes']));
  must('a refresh finds nothing changed', project.refresh(settings, ['--expect-no-changes']));
  const same = await look(kubeProxy);
  proof.same(
    'patches: kube-proxy has one more generation',
    [same.metadata.generation, patched.kubeProxy.metadata.generation],
    [before.kubeProxy.metadata.generation + 1, before.kubeProxy.metadata.generation + 1],
  );

  addOns.install('kube-proxy', plane.kubeconfig);
  proof.that('patches: kubeadm run again drops the affinity', !isExcluded(await look(kubeProxy)));
  must('up --refresh', project.up(settings, ['--refresh']));
  proof.that('patches: up --refresh restores it', isExcluded(await look(kubeProxy)));

  must('destroy', project.destroy(settings));
  const after = { kubeProxy: await look(kubeProxy), flannel: await look(flannel()) };
  proof.same('patches: after destroy the affinity of kube-proxy is gone', requiredOf(after.kubeProxy), undefined);
  proof.same('patches: kube-proxy is as before', rest(after.kubeProxy), rest(before.kubeProxy));
  proof.same('patches: with its annotations', annotationsOf(after.kubeProxy), annotationsOf(before.kubeProxy));
  proof.same('patches: we own no field', fieldsOf(after.kubeProxy), undefined);
  proof.same(
    'patches: the forced patch of flannel is retained',
    requiredOf(after.flannel),
    requiredOf(patched.flannel),
  );
  proof.same('patches: destroy leaves no state', project.state(), []);

  await withPolicy(plane, proof, kubeProxy, project, must);
  await twoStacks(plane, proof, kubeProxy, must);
}

/** From Kubernetes 1.36 on there is also a policy, which adds a removed affinity again in the same write. */
export async function withPolicy(
  plane: ControlPlane,
  proof: Proof,
  kubeProxy: any,
  project: PulumiProject,
  must: (what: string, run: EngineRun) => void,
): Promise<void> {
  const look = async (): Promise<any> => plane.api.must('GET', await plane.api.pathOf(kubeProxy));
  const addOns = new KubeadmAddOns(plane.folder);
  const before = await look();
  const both: SystemComponentsSettings = { exclude: ['kube-proxy'], strategy: [ADMISSION_POLICY, SERVER_SIDE_APPLY] };
  must('up with the policy', project.up(both));
  proof.that('patches: with the policy kube-proxy is excluded', isExcluded(await look()));
  must('a second up with the policy changes nothing', project.up(both, ['--expect-no-changes']));
  addOns.install('kube-proxy', plane.kubeconfig);
  proof.that('patches: the policy keeps the affinity when kubeadm writes kube-proxy again', isExcluded(await look()));
  // what kubeadm has written is nobody's: the patch owns it again after a refresh
  must('up --refresh with the policy', project.up(both, ['--refresh']));
  must('destroy with the policy', project.destroy(both));
  const after = await look();
  proof.same('patches: one destroy with the policy is enough, the affinity is gone', requiredOf(after), undefined);
  proof.same('patches: with its annotations', annotationsOf(after), annotationsOf(before));
}

/** Everything except the required node affinity. */
function rest(object: any): any {
  const { nodeSelector, affinity, ...podSpec } = structuredClone(object.spec.template.spec);
  delete affinity?.nodeAffinity;
  const { template, ...spec } = object.spec;
  return { ...spec, metadata: template.metadata, podSpec, nodeSelector, affinity: affinity ?? {} };
}

/** Annotations, without that of the Deployment controller. */
function annotationsOf({ metadata }: any): any {
  const { 'deprecated.daemonset.template.generation': _, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

/** Fields of the spec that our field manager owns. */
function fieldsOf({ metadata }: any): any {
  return metadata.managedFields.find(isPatchManager)?.fieldsV1['f:spec'];
}

function leaves(fields: any, path = ''): Record<string, true> {
  const entries = Object.entries(fields as object).filter(([key]) => key !== '.');
  return entries.length === 0
    ? { [path.slice(1)]: true }
    : Object.assign({}, ...entries.map(([key, inner]) => leaves(inner, `${path}.${key}`)));
}

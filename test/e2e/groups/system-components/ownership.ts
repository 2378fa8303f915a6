import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeError, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { flannel } from '../../harness/flannel.js';
import { KUBEADM, type KubeadmAddOn, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { documents, inShell, kubectlApply, remove, stored } from '../../harness/kubectl.js';
import { excludeComponent, isExcluded, requiredOf } from './excluded-component.js';
import { survival } from './survival.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36' };
const MANAGER = 'edge-nodepools';

/** The only field that our partial objects own, as in managedFields: it is atomic, so there is nothing below it. */
const BLOCK = [
  'spec',
  'template',
  'spec',
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
];
const OWNED = BLOCK.reduceRight<object>((inner, field) => ({ [`f:${field}`]: inner }), {});

const ofManager = (object: any, manager: string): any[] =>
  object.metadata.managedFields.filter((entry: any) => entry.manager === manager);

function withImage(object: any, image: string): any {
  const { template, ...spec } = object.spec;
  const containers = template.spec.containers.map((container: any) => ({ ...container, image }));
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

/** The template without our node affinity, to check that nothing else has changed. */
function withoutBlock(object: any): any {
  const template = structuredClone(object.spec.template);
  delete template.spec.affinity?.nodeAffinity;
  template.spec.affinity ??= {};
  return { ...object.spec, template };
}

async function partialsOfKubeadms(plane: ControlPlane, proof: Proof, addOn: KubeadmAddOn): Promise<void> {
  const addOns = new KubeadmAddOns(plane.folder);
  addOns.install(addOn, plane.kubeconfig);
  const rendered = addOns.rendered(addOn);
  const installed = await stored(plane, rendered);
  const component = addOn === 'coredns' ? SystemComponent.COREDNS : SystemComponent.KUBE_PROXY;
  const { system, partials } = excludeComponent(component, ExclusionStrategy.SERVER_SIDE_APPLY);

  proof.same(`${addOn}: needs no --force-conflicts`, system.applyFlags, [
    '--server-side',
    `--field-manager=${MANAGER}`,
  ]);
  kubectlApply(plane, partials, system.applyFlags);
  const patched = await stored(plane, rendered);
  const owned = ofManager(patched, MANAGER).map(({ operation, fieldsV1 }) => [operation, fieldsV1]);
  proof.same(`${addOn}: our manager owns exactly the required node affinity`, owned, [['Apply', OWNED]]);
  proof.same(`${addOn}: nothing but the block has changed`, withoutBlock(patched), withoutBlock(installed));
  proof.same(`${addOn}: the block is ours`, requiredOf(patched), requiredOf(partials[0]));
  kubectlApply(plane, partials, system.applyFlags);
  const again = (await stored(plane, rendered)).metadata;
  proof.same(`${addOn}: a second apply changes nothing`, again.resourceVersion, patched.metadata.resourceVersion);

  const other = structuredClone(partials[0]);
  requiredOf(other).nodeSelectorTerms = [{ matchExpressions: [{ key: 'site', operator: 'Exists' }] }];
  await conflict(plane, proof, `${addOn}: another manager's value`, other, 'other', MANAGER);
  await conflict(plane, proof, `${addOn}: our value after that`, partials[0], MANAGER, 'other');

  addOns.install(addOn, plane.kubeconfig);
  const rewritten = await stored(plane, rendered);
  proof.same(`${addOn}: kubeadm run again removes the node affinity`, requiredOf(rewritten), undefined);
  proof.same(`${addOn}: and our entry in managedFields`, ofManager(rewritten, MANAGER), []);
  kubectlApply(plane, partials, system.applyFlags);
  proof.that(`${addOn}: applied once more it is excluded again`, isExcluded(await stored(plane, rendered)));
  const replaced = plane.kubectl(['replace', '-f', '-'], JSON.stringify(rendered));
  proof.that(`${addOn}: kubectl replace succeeds`, replaced.status === 0, replaced.stderr);
  proof.that(`${addOn}: and removes it, too`, !isExcluded(await stored(plane, rendered)));
  await remove(plane, rendered);
}

/** An apply of a different value is refused with the name of the owner, and takes over the field with force. */
async function conflict(
  plane: ControlPlane,
  proof: Proof,
  claim: string,
  partial: any,
  manager: string,
  owner: string,
): Promise<void> {
  const path = await plane.api.pathOf(partial);
  const apply = (force: boolean): Promise<any> =>
    plane.api.send('PATCH', path, partial, {
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: manager, force },
    });
  const { status, body } = await apply(false);
  proof.same(`${claim} is a conflict`, status, 409);
  const causes = body.details?.causes?.map(({ field }: any) => field);
  proof.same(`${claim}: of the block alone`, causes, [`.${BLOCK.join('.')}`]);
  proof.that(`${claim}: the owner is named`, body.message.includes(`"${owner}"`), body.message);
  const forced = await apply(true);
  proof.same(`${claim} is taken by force`, forced.status, 200);
  proof.same(`${claim} stands then`, requiredOf(forced.body), requiredOf(partial));
  const entries = ofManager(forced.body, owner);
  proof.that(`${claim}: the owner before has lost it`, !JSON.stringify(entries).includes(`f:${BLOCK.at(-1)}`), entries);
}

/** flannel ships its own terms, and is applied server-side by another manager. */
async function partialOfFlannel(plane: ControlPlane, proof: Proof): Promise<void> {
  const [installed] = await plane.apply([flannel()], 'installer');
  const { system, partials } = excludeComponent(SystemComponent.FLANNEL);
  proof.that('flannel: the flags contain --force-conflicts', system.applyFlags.includes('--force-conflicts'));
  await conflict(plane, proof, 'flannel: our value', partials[0], MANAGER, 'installer');
  const patched = await stored(plane, partials[0]);
  proof.same('flannel: nothing but the block has changed', withoutBlock(patched), withoutBlock(installed));
  const [own] = requiredOf(installed).nodeSelectorTerms[0].matchExpressions;
  const now = requiredOf(patched).nodeSelectorTerms[0].matchExpressions;
  proof.that('flannel: its own term is preserved', JSON.stringify(now).includes(JSON.stringify(own)), now);
  const flags = ['--server-side', '--field-manager=installer'];
  const newer = withImage(flannel(), 'flannel:2');
  const refused = plane.kubectl(['apply', ...flags, '-f', '-'], JSON.stringify(newer));
  proof.that(
    'flannel: its next release is refused without force',
    /conflict with "edge-nodepools"/.test(refused.stderr),
  );
  kubectlApply(plane, [newer], [...flags, '--force-conflicts']);
  proof.that('flannel: and takes the block back by force', !isExcluded(await stored(plane, newer)));

  // a warning of the README: if the manager of the whole component applies a partial object, all other fields are removed
  const asInstaller = plane.kubectl(['apply', ...flags, '--force-conflicts', '-f', '-'], documents(partials));
  proof.that('flannel: a part under the manager of the whole is refused', asInstaller.status !== 0, asInstaller.stdout);
  await remove(plane, newer);
}

/** Components of client-side `kubectl apply`. */
async function commands(plane: ControlPlane, proof: Proof): Promise<void> {
  for (const component of [SystemComponent.METRICS_SERVER, SystemComponent.FLANNEL]) {
    const [workload] = component.data.workloads;
    const { name, namespace, kind } = workload as NonNullable<typeof workload>;
    const shipped = { ...flannel(), kind, metadata: { name, namespace } };
    if (component === SystemComponent.METRICS_SERVER) {
      delete shipped.spec.template.spec.affinity;
    }
    const { system, partials } = excludeComponent(component);
    const command = system.report[0]?.command ?? '';
    kubectlApply(plane, [shipped]);
    const installed = await stored(plane, shipped);
    inShell(plane, command);
    const patched = await stored(plane, shipped);
    proof.same(`${name}: the command sets the block`, requiredOf(patched), requiredOf(partials[0]));
    proof.same(`${name}: and nothing else`, withoutBlock(patched), withoutBlock(installed));
    const owned = ofManager(patched, MANAGER).map(({ fieldsV1 }) => fieldsV1);
    proof.that(`${name}: its manager owns nothing outside of the node affinity`, onlyNodeAffinity(owned), owned);
    const said = inShell(plane, command);
    proof.that(`${name}: the command can be repeated`, said.includes('(no change)'), said);
    const { generation } = (await stored(plane, shipped)).metadata;
    proof.same(`${name}: and makes no new generation`, generation, patched.metadata.generation);
    await remove(plane, shipped);

    kubectlApply(plane, [shipped]);
    kubectlApply(plane, partials, ['--server-side', `--field-manager=${MANAGER}`, '--force-conflicts']);
    const all = ofManager(await stored(plane, shipped), MANAGER).map(({ fieldsV1 }) => fieldsV1);
    proof.that(`${name}: kubectl's server-side apply would take over all of its fields`, !onlyNodeAffinity(all), all);
    await remove(plane, shipped);
  }
}

function onlyNodeAffinity(fields: readonly any[]): boolean {
  const path = BLOCK.slice(0, -1).map((field) => `f:${field}`);
  return (
    fields.length === 1 &&
    path.every((_, depth) => {
      const at = path.slice(0, depth).reduce((inner, field) => inner?.[field], fields[0]);
      return at !== undefined && Object.keys(at as object).every((key) => key === path[depth] || key === '.');
    })
  );
}

/** The files for `--patches`. */
function patchFiles(plane: ControlPlane, proof: Proof): void {
  const pristine = new KubeadmAddOns(plane.folder);
  const { system } = excludeComponent(SystemComponent.COREDNS, ExclusionStrategy.KUBEADM_PATCH);
  const paths = system.kubeadmPatches.map(({ path }) => path);
  proof.same('there is a patch file for CoreDNS', paths, ['kubeadm-patches/corednsdeployment+strategic.json']);
  const before = pristine.rendered('coredns');
  const addOns = new KubeadmAddOns(plane.folder, system.kubeadmPatches);
  const after = addOns.rendered('coredns');
  proof.that('kubeadm renders CoreDNS with the exclusion', isExcluded(after), requiredOf(after));
  const anti = before.spec.template.spec.affinity.podAntiAffinity;
  proof.that('CoreDNS ships a podAntiAffinity', anti !== undefined);
  proof.same('and keeps it', after.spec.template.spec.affinity.podAntiAffinity, anti);
  proof.same('and all the rest', withoutBlock(after), withoutBlock(before));

  const refusal = refusalOf(() => excludeComponent(SystemComponent.KUBE_PROXY, ExclusionStrategy.KUBEADM_PATCH));
  proof.same('for kube-proxy on 1.36 the library refuses a patch file', refusal, ['EDGE_STRATEGY']);
  const later = new EdgeSystemComponents(new Chart(new App(), 'system'), 'later', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.37' }),
    exclude: [SystemComponent.KUBE_PROXY],
    strategy: ExclusionStrategy.KUBEADM_PATCH,
  });
  const ignoring = new KubeadmAddOns(plane.folder, later.kubeadmPatches);
  const said = ignoring.run('kube-proxy', ['--print-manifest']) + ignoring.run('coredns', ['--print-manifest']);
  proof.that(
    'kubeadm 1.36 ignores the file for kube-proxy that 1.37 supports',
    said.includes('Ignoring file "kubeproxydaemonset+strategic.json": unknown target'),
    said.slice(0, 500),
  );
  const rendered = [ignoring.rendered('kube-proxy'), pristine.rendered('kube-proxy')];
  proof.same('and renders kube-proxy unchanged', rendered[0], rendered[1]);
}

function refusalOf(make: () => unknown): string[] {
  try {
    make();
    return [];
  } catch (error) {
    return error instanceof EdgeError ? error.problems.map(({ code }) => code) : [String(error)];
  }
}

export const ownership: Group = {
  name: 'ownership',
  claim:
    'our partial objects own only the required node affinity, and conflict as documented; each strategy survives exactly the events in the table: kubeadm run again, kubectl apply, an operator, a node that joins again',
  programs: 'kube-apiserver, kubeadm and kubectl 1.36',
  tools: [...toolsOf(PROPS), KUBEADM],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      await plane.ensureNamespace('kube-flannel');
      await partialsOfKubeadms(plane, proof, 'coredns');
      await partialsOfKubeadms(plane, proof, 'kube-proxy');
      await partialOfFlannel(plane, proof);
      patchFiles(plane, proof);
      await commands(plane, proof);
      await survival(plane, proof);
    });
  },
};

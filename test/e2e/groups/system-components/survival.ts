import { Testing } from 'cdk8s';
import { ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { type RevertingEvent, SURVIVAL } from '../../../../src/system-components/exclusion-strategy.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { inShell, kubectlApply, remove, stored } from '../../harness/kubectl.js';
import { excludeComponent, isExcluded } from './excluded-component.js';
import { happen, NEXT_RELEASE, RELEASE, type Shipped, shippedWith } from './shipped-components.js';

/** Installs a component, excludes it by a strategy, triggers an event, and returns whether it is still excluded. */
async function outcome(
  plane: ControlPlane,
  strategy: ExclusionStrategy,
  event: RevertingEvent,
  { component, byKubeadm, manifest }: Shipped,
): Promise<{ before: boolean; after: boolean }> {
  const whole = (image: string): any[] =>
    Testing.synth(excludeComponent(SystemComponent.fromManifest(manifest(image)), strategy).chart);
  const bySystem = strategy === ExclusionStrategy.MANIFEST ? undefined : excludeComponent(component, strategy);
  const patches = bySystem?.system.kubeadmPatches ?? [];
  const addOns = new KubeadmAddOns(plane.folder, patches);

  if (strategy === ExclusionStrategy.MANIFEST) {
    kubectlApply(plane, whole(RELEASE));
  } else if (byKubeadm) {
    addOns.install('coredns', plane.kubeconfig);
  } else {
    kubectlApply(plane, [manifest(RELEASE)]);
  }
  const { system, partials } = bySystem ?? {};
  if (strategy === ExclusionStrategy.SERVER_SIDE_APPLY && system !== undefined) {
    if (byKubeadm) {
      kubectlApply(plane, partials as any[], system.applyFlags);
    } else {
      system.report.forEach(({ command }) => inShell(plane, command as string));
    }
  }
  const policies = strategy === ExclusionStrategy.ADMISSION_POLICY ? Testing.synth(bySystem!.chart) : [];
  if (policies.length > 0) {
    await byPolicy(plane, policies, system!.report[0]!.command!, manifest(RELEASE));
  }
  const before = isExcluded(await stored(plane, manifest(RELEASE)));
  await happen(plane, event, manifest, {
    reinstall: () => addOns.install('coredns', plane.kubeconfig),
    upgrade: () =>
      kubectlApply(plane, strategy === ExclusionStrategy.MANIFEST ? whole(NEXT_RELEASE) : [manifest(NEXT_RELEASE)]),
  });
  const after = isExcluded(await stored(plane, manifest(RELEASE)));
  await remove(plane, manifest(RELEASE));
  for (const policy of [...policies].reverse()) {
    await remove(plane, policy);
  }
  if (policies.length > 0) {
    await until(async () => !isExcluded(await dryRun(plane, manifest(RELEASE))), 'the policy to end');
  }
  return { before, after };
}

async function until(look: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; !(await look()); attempt++) {
    if (attempt === 100) {
      throw new Error(`${what} did not happen in time`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

const dryRun = async (plane: ControlPlane, object: any): Promise<any> => {
  const path = await plane.api.pathOf(object);
  return plane.api.must('POST', path.slice(0, path.lastIndexOf('/')), object, { query: { dryRun: 'All' } });
};

/** Applies the policy, waits until it is in effect, and runs the command of the report once. */
async function byPolicy(plane: ControlPlane, policies: readonly any[], command: string, object: any): Promise<void> {
  kubectlApply(plane, policies);
  const path = await plane.api.pathOf(object);
  const touched = { contentType: 'application/merge-patch+json', query: { dryRun: 'All' } };
  await until(async () => isExcluded(await plane.api.must('PATCH', path, {}, touched)), 'the policy');
  inShell(plane, command);
}

/** Every cell of {@link SURVIVAL}, each with every component to which it applies. */
export async function survival(plane: ControlPlane, proof: Proof): Promise<void> {
  await plane.ensureNamespace('kube-flannel');
  await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
  const shipped = shippedWith(new KubeadmAddOns(plane.folder));
  for (const [strategy, row] of Object.entries(SURVIVAL) as [
    ExclusionStrategy,
    (typeof SURVIVAL)[ExclusionStrategy],
  ][]) {
    for (const [event, promise] of Object.entries(row) as [RevertingEvent, string][]) {
      for (const each of shipped) {
        const isKubeadms = strategy === ExclusionStrategy.KUBEADM_PATCH || event === 'kubeadm upgrade';
        if (isKubeadms && !each.byKubeadm) {
          continue;
        }
        const { before, after } = await outcome(plane, strategy, event, each);
        const claim = `${each.component.name} by ${strategy}`;
        const kept = promise === 'kept' || (promise === 'own affinity' && !each.ownAffinity);
        proof.that(`${claim} is excluded`, before);
        proof.that(
          `${claim} after ${event} is ${kept ? 'still excluded' : 'back'}, as documented`,
          after === kept,
          `SURVIVAL says ${promise}; it is ${after ? 'still excluded' : 'back'}`,
        );
      }
    }
  }
}

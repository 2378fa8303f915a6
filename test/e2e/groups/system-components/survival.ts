import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  type KeepOffEvent,
  KeepOffStrategy,
  SystemComponent,
} from 'edge-nodepools';
import { SURVIVAL } from '../../../../src/system-components/keep-off-strategy.js';
import { daemonSet, deployment } from '../../../bad-inputs/case.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { kubernetesTool, pathOf } from '../../harness/tool.js';
import { flannel } from '../../harness/flannel.js';
import { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';

export const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

/** Keeps one component off, by one strategy. */
export function keepOff(
  component: SystemComponent,
  strategy?: KeepOffStrategy,
): { system: EdgeSystemComponents; chart: Chart; partials: any[] } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'system');
  const system = new EdgeSystemComponents(chart, 'components', { cluster, keepOff: [component], strategy });
  return { system, chart, partials: system.patchChart === undefined ? [] : Testing.synth(system.patchChart) };
}

function must({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): string {
  if (status !== 0) {
    throw new Error(stderr);
  }
  return stdout;
}

/** Objects as documents of one file, as cdk8s writes them: what stands in a List, kubectl holds against the whole schema. */
export function documents(objects: readonly any[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** Plain `kubectl apply`, as its users install things. */
export function kubectlApply(plane: ControlPlane, objects: readonly any[], flags: readonly string[] = []): string {
  return must(plane.kubectl(['apply', ...flags, '-f', '-'], documents(objects)));
}

/** Runs a command of the report in a shell, as a user does. */
export function inShell(plane: ControlPlane, command: string): string {
  const kubectl = dirname(pathOf(kubernetesTool('kubectl', '1.36')));
  const env = { ...process.env, KUBECONFIG: plane.kubeconfig, PATH: `${kubectl}:${process.env.PATH}` };
  return must(spawnSync('sh', ['-ec', command], { encoding: 'utf8', env }));
}

export const requiredOf = (object: any): any =>
  object.spec.template.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

/** Whether every alternative of the stored template keeps off host-network nodes. */
export function isKeptOff(object: any): boolean {
  const terms: any[] = requiredOf(object)?.nodeSelectorTerms ?? [];
  const excludes = ({ key, operator, values }: any): boolean =>
    key === 'nodepool.openyurt.io/hostnetwork' && operator === 'NotIn' && values.includes('true');
  return terms.length > 0 && terms.every(({ matchExpressions = [] }) => matchExpressions.some(excludes));
}

export async function stored(plane: ControlPlane, object: any): Promise<any> {
  return plane.api.must('GET', await plane.api.pathOf(object));
}

export async function remove(plane: ControlPlane, object: any): Promise<void> {
  await plane.api.send('DELETE', await plane.api.pathOf(object));
}

// kubeadm reads the release of CoreDNS from the tag, and refuses one that it does not know
export const RELEASE = 'registry.example/component:v1.12.0';
export const NEXT_RELEASE = 'registry.example/component:v1.12.1';

/** A component as its owner ships it, in one release and the next. */
export interface Shipped {
  readonly component: SystemComponent;
  readonly byKubeadm: boolean;
  readonly ownAffinity: boolean;
  readonly manifest: (image: string) => any;
}

function metricsServer(image: string): any {
  const manifest = deployment({ containers: [{ name: 'metrics-server', image }] });
  return { ...manifest, metadata: { name: 'metrics-server', namespace: 'kube-system' } };
}

function nodeLocalDns(image: string): any {
  const manifest = daemonSet({ containers: [{ name: 'node-cache', image }] });
  return { ...manifest, metadata: { name: 'node-local-dns', namespace: 'kube-system' } };
}

/** Installs a component, keeps it off by a strategy, lets something happen, and tells whether it is kept off still. */
async function outcome(
  plane: ControlPlane,
  strategy: KeepOffStrategy,
  event: KeepOffEvent,
  { component, byKubeadm, manifest }: Shipped,
): Promise<{ before: boolean; after: boolean }> {
  const whole = (image: string): any[] =>
    Testing.synth(keepOff(SystemComponent.fromManifest(manifest(image)), strategy).chart);
  const bySystem = strategy === KeepOffStrategy.MANIFEST ? undefined : keepOff(component, strategy);
  const patches = bySystem?.system.kubeadmPatches ?? [];
  const addOns = new KubeadmAddOns(plane.folder, patches);

  if (strategy === KeepOffStrategy.MANIFEST) {
    kubectlApply(plane, whole(RELEASE));
  } else if (byKubeadm) {
    addOns.install('coredns', plane.kubeconfig);
  } else {
    kubectlApply(plane, [manifest(RELEASE)]);
  }
  const { system, partials } = bySystem ?? {};
  if (strategy === KeepOffStrategy.SERVER_SIDE_APPLY && system !== undefined) {
    if (byKubeadm) {
      kubectlApply(plane, partials as any[], system.applyFlags);
    } else {
      system.report.forEach(({ command }) => inShell(plane, command as string));
    }
  }
  const policies = strategy === KeepOffStrategy.ADMISSION_POLICY ? Testing.synth(bySystem!.chart) : [];
  if (policies.length > 0) {
    await byPolicy(plane, policies, system!.report[0]!.command!, manifest(RELEASE));
  }
  const before = isKeptOff(await stored(plane, manifest(RELEASE)));
  const happen: Readonly<Record<KeepOffEvent, () => Promise<unknown>>> = {
    'node re-join': async () => {
      await plane.nodes.delete('edge-1');
      await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
    },
    'kubeadm upgrade': () => Promise.resolve(addOns.install('coredns', plane.kubeconfig)),
    'manifest or Helm upgrade': () =>
      Promise.resolve(
        kubectlApply(plane, strategy === KeepOffStrategy.MANIFEST ? whole(NEXT_RELEASE) : [manifest(NEXT_RELEASE)]),
      ),
    operator: async () => plane.api.must('PUT', await plane.api.pathOf(manifest(NEXT_RELEASE)), manifest(NEXT_RELEASE)),
  };
  await happen[event]();
  const after = isKeptOff(await stored(plane, manifest(RELEASE)));
  await remove(plane, manifest(RELEASE));
  for (const policy of [...policies].reverse()) {
    await remove(plane, policy);
  }
  if (policies.length > 0) {
    await until(async () => !isKeptOff(await dryRun(plane, manifest(RELEASE))), 'the policy to end');
  }
  return { before, after };
}

async function until(look: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; !(await look()); attempt++) {
    if (attempt === 100) {
      throw new Error(`waited for ${what} in vain`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

const dryRun = async (plane: ControlPlane, object: any): Promise<any> => {
  const path = await plane.api.pathOf(object);
  return plane.api.must('POST', path.slice(0, path.lastIndexOf('/')), object, { query: { dryRun: 'All' } });
};

/** Applies the policy, waits until it is in force, and runs the command of the report once. */
async function byPolicy(plane: ControlPlane, policies: readonly any[], command: string, object: any): Promise<void> {
  kubectlApply(plane, policies);
  const path = await plane.api.pathOf(object);
  const touched = { contentType: 'application/merge-patch+json', query: { dryRun: 'All' } };
  await until(async () => isKeptOff(await plane.api.must('PATCH', path, {}, touched)), 'the policy');
  inShell(plane, command);
}

/** Components of each kind: by kubeadm, by manifest as Deployment and as DaemonSet, and with a node affinity of its own. */
export function shippedWith(addOns: KubeadmAddOns): Shipped[] {
  const rendered = addOns.rendered('coredns');
  const coredns = (image: string): any => {
    const { template, ...spec } = rendered.spec;
    const [container] = template.spec.containers;
    const containers = [{ ...container, image }];
    return { ...rendered, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
  };
  return [
    { component: SystemComponent.COREDNS, byKubeadm: true, ownAffinity: false, manifest: coredns },
    { component: SystemComponent.METRICS_SERVER, byKubeadm: false, ownAffinity: false, manifest: metricsServer },
    { component: SystemComponent.NODE_LOCAL_DNS, byKubeadm: false, ownAffinity: false, manifest: nodeLocalDns },
    { component: SystemComponent.FLANNEL, byKubeadm: false, ownAffinity: true, manifest: flannel },
  ];
}

/** Every cell of {@link SURVIVAL}, each with every component to which it applies. */
export async function survival(plane: ControlPlane, proof: Proof): Promise<void> {
  await plane.ensureNamespace('kube-flannel');
  await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
  const shipped = shippedWith(new KubeadmAddOns(plane.folder));
  for (const [strategy, row] of Object.entries(SURVIVAL) as [KeepOffStrategy, (typeof SURVIVAL)[KeepOffStrategy]][]) {
    for (const [event, promise] of Object.entries(row) as [KeepOffEvent, string][]) {
      for (const each of shipped) {
        const isKubeadms = strategy === KeepOffStrategy.KUBEADM_PATCH || event === 'kubeadm upgrade';
        if (isKubeadms && !each.byKubeadm) {
          continue;
        }
        const { before, after } = await outcome(plane, strategy, event, each);
        const claim = `${each.component.name} by ${strategy}`;
        const kept = promise === 'kept' || (promise === 'own affinity' && !each.ownAffinity);
        proof.that(`${claim} is kept off`, before);
        proof.that(
          `${claim} after ${event} is ${kept ? 'kept off still' : 'back'}, as documented`,
          after === kept,
          `SURVIVAL says ${promise}; it is ${after ? 'kept off still' : 'back'}`,
        );
      }
    }
  }
}

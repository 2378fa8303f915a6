import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { App, Chart } from 'cdk8s';
import { artifactsOf, EdgeSystemComponents, EdgeWarnings, ExclusionStrategy } from 'edge-nodepools';
import { DELIVERY_SURVIVAL, type DeliveryMethod } from '../../../../src/system-components/delivery-method.js';
import type { RevertingEvent } from '../../../../src/system-components/exclusion-strategy.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3, helmShell } from '../../harness/helm.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { objectsIn as objectsOf } from '../../harness/openyurt.js';
import { pathOf, type Tool } from '../../harness/tool.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { kubectlApply, remove, stored } from '../../harness/kubectl.js';
import { cluster, isExcluded } from './excluded-component.js';
import { happen, NEXT_RELEASE, RELEASE, type Shipped, shippedWith } from './shipped-components.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36' };
const KUSTOMIZE: Tool = {
  name: 'kustomize',
  module: 'kustomize-5.8',
  package: 'sigs.k8s.io/kustomize/kustomize/v5',
};

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  }
  return stdout;
}

/** `edge-nodepools` as an executable. */
function executable(folder: string): string {
  const file = join(folder, 'edge-nodepools');
  const command = [
    process.execPath,
    require.resolve('tsx/cli'),
    '--require',
    resolve(__dirname, '..', '..', '..', '..', 'scripts', 'texts.cjs'),
    resolve(__dirname, '..', '..', 'harness', 'command.ts'),
  ];
  const quoted = command.map((word) => `'${word}'`).join(' ');
  writeFileSync(file, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  return file;
}

/** One way to install a component and its next release. */
interface Way {
  readonly install: (image: string) => void;
  readonly uninstall: () => Promise<void>;
}

/** A chart with the component, installed by a real Helm. */
function byHelm(plane: ControlPlane, { manifest }: Shipped, flags: readonly string[]): Way {
  const chart = mkdtempSync(join(plane.folder, 'chart-'));
  mkdirSync(join(chart, 'templates'));
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: component\nversion: 1.0.0\n');
  writeFileSync(
    join(chart, 'templates', 'workload.yaml'),
    JSON.stringify(manifest('IMAGE')).replaceAll('IMAGE', '{{ .Values.image }}'),
  );
  const { namespace } = manifest(RELEASE).metadata;
  const helm = (args: readonly string[]): string =>
    run(pathOf(HELM_3), [...args, `--namespace=${namespace}`], helmShell(plane, HELM_3));
  return {
    install: (image) => {
      helm(['upgrade', '--install', 'component', chart, `--set=image=${image}`, ...flags]);
    },
    uninstall: () => {
      helm(['uninstall', 'component']);
      return Promise.resolve();
    },
  };
}

/** A kustomization over the component, built by a real kustomize and applied by kubectl. */
function byKustomize(plane: ControlPlane, { component, manifest }: Shipped): Way & { build: () => string } {
  const folder = mkdtempSync(join(plane.folder, 'kustomize-'));
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  new EdgeSystemComponents(new Chart(app, 'system'), 'components', {
    cluster,
    exclude: [component],
    strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
    kustomizeFolder: 'keep-off',
  });
  mkdirSync(join(folder, 'keep-off'));
  artifactsOf(app).forEach(({ path, content }) => writeFileSync(join(folder, path), content));
  const kustomization = { resources: ['workload.json'], components: ['keep-off'] };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  const build = (): string => run(pathOf(KUSTOMIZE), ['build', folder]);
  return {
    build,
    install: (image) => {
      writeFileSync(join(folder, 'workload.json'), JSON.stringify(manifest(image)));
      const { status, stderr } = plane.kubectl(['apply', '-f', '-'], build());
      if (status !== 0) {
        throw new Error(stderr);
      }
    },
    uninstall: () => remove(plane, manifest(RELEASE)),
  };
}

async function survives(plane: ControlPlane, way: Way, event: RevertingEvent, { manifest }: Shipped): Promise<boolean> {
  await happen(plane, event, manifest, {
    reinstall: () => new KubeadmAddOns(plane.folder).install('coredns', plane.kubeconfig),
    upgrade: () => way.install(NEXT_RELEASE),
  });
  return isExcluded(await stored(plane, manifest(RELEASE)));
}

async function survival(plane: ControlPlane, proof: Proof, program: string): Promise<void> {
  const shipped = shippedWith(new KubeadmAddOns(plane.folder));
  const flags = [`--post-renderer=${program}`, '--post-renderer-args=post-render'];
  const ways: Readonly<Record<DeliveryMethod, (each: Shipped) => Way>> = {
    'Helm post-renderer': (each) => byHelm(plane, each, flags),
    'kustomize component': (each) => byKustomize(plane, each),
  };
  for (const [delivery, row] of Object.entries(DELIVERY_SURVIVAL) as [
    DeliveryMethod,
    Record<RevertingEvent, string>,
  ][]) {
    for (const [event, promise] of Object.entries(row) as [RevertingEvent, string][]) {
      for (const each of shipped.filter(({ byKubeadm }) => event !== 'kubeadm upgrade' || byKubeadm)) {
        const claim = `${each.component.name} by ${delivery}`;
        const way = ways[delivery](each);
        way.install(RELEASE);
        proof.that(`${claim} is excluded`, isExcluded(await stored(plane, each.manifest(RELEASE))));
        const kept = await survives(plane, way, event, each);
        proof.same(`${claim} after ${event}, as documented`, kept ? 'kept' : 'lost', promise);
        await way.uninstall();
      }
    }
  }
  // documented next to the table
  const [, component] = shipped as [Shipped, Shipped];
  const way = byHelm(plane, component, flags);
  way.install(RELEASE);
  const plain = byHelm(plane, component, []);
  plain.install(NEXT_RELEASE);
  const back = !isExcluded(await stored(plane, component.manifest(RELEASE)));
  proof.that('helm upgrade without its post-renderer removes the exclusion', back);
  await plain.uninstall();
}

/** kustomize runs the command as a function, with a ResourceList. */
function asFunction(plane: ControlPlane, proof: Proof, program: string): void {
  const [, , , flannel] = shippedWith(new KubeadmAddOns(plane.folder)) as [Shipped, Shipped, Shipped, Shipped];
  const component = byKustomize(plane, flannel);
  component.install(RELEASE);
  const patched = objectOf(component.build());
  const folder = mkdtempSync(join(plane.folder, 'function-'));
  const config = {
    apiVersion: 'edge-nodepools/v1',
    kind: 'PostRender',
    metadata: {
      name: 'post-render',
      annotations: { 'config.kubernetes.io/function': `exec: { path: ${program}, args: [post-render] }` },
    },
  };
  writeFileSync(join(folder, 'post-render.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'workload.json'), JSON.stringify(flannel.manifest(RELEASE)));
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' }, data: { port: '08', on: 'yes' } };
  writeFileSync(join(folder, 'other.json'), JSON.stringify(other));
  const kustomization = { resources: ['workload.json', 'other.json'], transformers: ['post-render.json'] };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  const built = run(pathOf(KUSTOMIZE), ['build', '--enable-alpha-plugins', '--enable-exec', folder]);
  const [transformed, config2] = ['DaemonSet', 'ConfigMap'].map((kind) => objectOf(built, kind));
  proof.that('as a function of kustomize it excludes the component', isExcluded(transformed));
  proof.same(
    'with the same affinity as the component',
    transformed.spec.template.spec.affinity,
    patched.spec.template.spec.affinity,
  );
  proof.same('and does not change other objects', config2, other);
}

/** In a pipe, without Helm and kustomize. */
async function inAPipe(plane: ControlPlane, proof: Proof, program: string): Promise<void> {
  const printed = new KubeadmAddOns(plane.folder).printed('kube-proxy');
  const { status, stdout, stderr } = spawnSync(program, ['post-render'], { input: printed, encoding: 'utf8' });
  proof.that('the command accepts the output of kubeadm', status === 0, stderr);
  const before = objectsOf(printed);
  const after = objectsOf(stdout);
  const daemonSet = after.find(({ kind }) => kind === 'DaemonSet');
  proof.that('kube-proxy is excluded', isExcluded(daemonSet));
  const others = (objects: any[]): any[] => objects.filter(({ kind }) => kind !== 'DaemonSet');
  proof.same('everything else is the same', others(after), others(before));
  kubectlApply(plane, after);
  proof.that('the API server stores it', isExcluded(await stored(plane, daemonSet)));
}

function objectOf(text: string, kind = 'DaemonSet'): any {
  return objectsOf(text).find((object) => object.kind === kind);
}

export const delivery: Group = {
  name: 'delivery',
  claim:
    'post-render as post-renderer of a real Helm and as function of a real kustomize, and the kustomize component, exclude components, and the exclusion survives the events in the table',
  programs: 'Helm 3.20, kustomize 5.8, kubeadm, kubectl and kube-apiserver 1.36',
  tools: [...toolsOf(PROPS), KUBEADM, HELM_3, KUSTOMIZE],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      await plane.ensureNamespace('kube-flannel');
      await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
      const program = executable(plane.folder);
      await survival(plane, proof, program);
      asFunction(plane, proof, program);
      await inAPipe(plane, proof, program);
    });
  },
};

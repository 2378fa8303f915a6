import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3 } from '../../harness/helm.js';
import { dumped } from '../../harness/imported-project.js';
import { buildPackage } from '../../harness/installed-package.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { documents, inShell, stored } from '../../harness/kubectl.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { objectsIn } from '../../harness/openyurt.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import { openYurtRelease, published } from '../../harness/published-manifests.js';
import { shop } from './shop.js';

const PROPS = { kubernetes: '1.36' } as const;
const ROOT = resolve(__dirname, '..', '..', '..', '..');

/** The program as one file, because ts-node is no dependency. */
function bundled(folder: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'index.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    external: ['@pulumi/*', 'edge-nodepools', 'edge-nodepools/*'],
  });
  return outputFiles[0]?.text ?? '';
}

/** Operations of the engine on Kubernetes objects, by their number. */
function operations({ steps }: EngineRun): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { op, type } of steps.filter((step) => step.type.startsWith('kubernetes:'))) {
    counts[op] = (counts[op] ?? 0) + (type === '' ? 0 : 1);
  }
  return counts;
}

async function takenOver(plane: ControlPlane, name: string, objects: readonly any[], proof: Proof): Promise<void> {
  const claim = (what: string): string => `${name}: ${what}`;
  const look = async (): Promise<any[]> =>
    Promise.all(
      objects.map(async (object) => {
        const { metadata, spec, data } = await stored(plane, object);
        // the annotation by which nothing is awaited raises that of a Deployment (pkg/registry/apps/deployment, PrepareForUpdate), and changes no Pod
        const generation = object.kind === 'Deployment' ? 0 : metadata.generation;
        return { uid: metadata.uid, generation, labels: metadata.labels, spec, data };
      }),
    );
  const before = await look();
  const dump = await Promise.all(objects.map(async (object): Promise<any> => stored(plane, object)));
  const folder = join(plane.folder, `import-${name}`);
  const given = ['--to', 'pulumi', '--openyurt', '1.7', '--kubernetes', '1.36', '--out', folder];
  const command = [join(ROOT, 'bin', 'edge-nodepools.js'), 'import', dumped(plane, name, dump), ...given];
  const { status, stderr } = spawnSync('node', command, { encoding: 'utf8' });
  proof.that(claim('is imported'), status === 0, stderr);
  const stacks = ['e2e', ...(existsSync(join(folder, 'fleet-secrets.ts')) ? ['e2e-secrets'] : [])];
  const projects = stacks.map((stack) => {
    const own = stack.replace('e2e', name);
    return { stack, project: new PulumiProject(plane.folder, name, plane.kubeconfig, {}, own, bundled(folder), stack) };
  });
  const config = (...args: string[]): void =>
    projects.forEach(({ stack, project }) => project.run(['config', ...args, '-s', stack]));
  const inEach = (run: (project: PulumiProject) => EngineRun): EngineRun => {
    const runs = projects.map(({ project }) => run(project));
    return {
      status: Math.max(...runs.map(({ status: each }) => each)),
      said: runs.map(({ said }) => said).join('\n'),
      steps: runs.flatMap(({ steps }) => steps),
    };
  };
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const commands = /^value="\$\((kubectl .*) && printf \.\)" && .* \| pulumi config set --secret -- (\S+)$/gm;
  const last = projects.at(-1);
  for (const [, value = '', key = ''] of readme.matchAll(commands)) {
    last?.project.run(['config', 'set', '--secret', key, inShell(plane, value), '-s', last.stack]);
  }
  config('set', 'takeOver', 'true');
  const settings = ['kubernetes:upsertExistingObjects', 'kubernetes:enablePatchForce'];
  settings.forEach((setting) => config('set', setting, 'true'));
  const all = objects.length;
  const preview = inEach((project) => project.preview({}));
  proof.that(claim('pulumi preview succeeds'), preview.status === 0, preview.said);
  proof.same(claim('pulumi preview adopts every object, and replaces none'), operations(preview), { create: all });
  const begin = Date.now();
  const up = inEach((project) => project.up({}));
  proof.that(claim('pulumi up succeeds'), up.status === 0, up.said);
  proof.that(claim('pulumi up waits for nothing'), Date.now() - begin < 180_000, `${Date.now() - begin} ms`);
  proof.same(claim('pulumi up adopts every object, and replaces none'), operations(up), { create: all });
  proof.same(claim('every object is what it was'), await look(), before);
  settings.forEach((setting) => config('rm', setting));
  const next = inEach((project) => project.preview({}, ['--diff']));
  const { same = 0, ...others } = operations(next);
  proof.same(claim('the next preview changes nothing'), { same, ...others }, { same: all });
  if (Object.keys(others).length > 0) {
    proof.note(next.said.slice(0, 4000));
  }
}

export const importedPulumi: Group = {
  name: 'imported-pulumi',
  claim:
    'the Pulumi program of a cluster that runs takes it over with upsertExistingObjects and enablePatchForce: every pool, workload, role, policy, configuration and secret stays what it is, with its uid and generation, none is replaced, none is awaited, and the next preview changes nothing',
  programs: 'pulumi 3.248, pulumi-resource-kubernetes 4.32, kube-apiserver and kubeadm 1.36, the chart of OpenYurt 1.7',
  tools: [...toolsOf(PROPS), KUBEADM, HELM_3],
  needs: ['pulumi'],
  run: async (proof) => {
    buildPackage();
    await onControlPlane(PROPS, proof, async (plane) => {
      const openYurt = openYurtRelease('1.7');
      const isCrd = ({ kind }: any): boolean => kind === 'CustomResourceDefinition';
      await plane.applyCrds(
        openYurt.filter(isCrd).map((crd) => ({ ...crd, spec: { ...crd.spec, conversion: { strategy: 'None' } } })),
      );
      const addOns = new KubeadmAddOns(plane.folder);
      const kubeadm = (['coredns', 'kube-proxy'] as const).flatMap((addOn) => objectsIn(addOns.printed(addOn)));
      const sources: [string, any[], string[]][] = [
        ['shop', shop(), ['apply']],
        ['kubeadm', kubeadm, ['apply', '--server-side']],
        ['flannel', published('flannel'), ['create']],
        ['openyurt', openYurt.filter((object) => !isCrd(object)), ['apply']],
      ];
      for (const [name, objects, way] of sources) {
        for (const { metadata } of objects) {
          await plane.ensureNamespace(metadata.namespace as string | undefined);
        }
        // nothing runs the workloads here, as on nodes that are offline
        const own = objects.filter(({ kind }) => kind !== 'Namespace');
        const { status, stderr } = plane.kubectl([...way, '-f', '-'], documents(own));
        proof.that(`${name}: is installed`, status === 0, stderr);
        await takenOver(plane, name, own, proof);
        if (name === 'shop') {
          // the add-on has another selector, which is immutable
          plane.kubectl(['delete', 'daemonset', 'kube-proxy', '--namespace', 'kube-system']);
        }
      }
    });
  },
};

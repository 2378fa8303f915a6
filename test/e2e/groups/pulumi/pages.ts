import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ControlPlane, type ControlPlaneProps, toolsOf, WITH_ROLLOUTS } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import { flannel } from '../../harness/flannel.js';
import type { Group, Proof } from '../../harness/group.js';
import { buildPackage } from '../../harness/installed-package.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { awaited } from './awaited.js';
import { deliveries } from './deliveries.js';
import { keptPreconditions } from './kept-preconditions.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { linkPackages, PulumiProject } from '../../harness/pulumi-project.js';
import { withYurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';

const ROOT = resolve(__dirname, '../../../..');
const PROPS: ControlPlaneProps = {
  ...WITH_ROLLOUTS,
  controllers: [...(WITH_ROLLOUTS.controllers ?? []), 'namespace-controller'],
};

const PAGES = ['README.md', 'docs/adopt.md', 'docs/pulumi.md', 'examples/pulumi-existing-cluster/README.md'];
/** The page whose program needs the CRDs of an engine. */
const DELIVERY = 'docs/delivery.md';
const EXAMPLES = ['pulumi-quickstart', 'pulumi-existing-cluster', 'pulumi-existing-labels', 'pulumi-join'];

/** What the programs read from the configuration of their stack, as the pages say it. */
const CONFIG = [
  ['caCertHash', `sha256:${'4a'.repeat(32)}`],
  ['site', 'hangzhou'],
  ['validUntil', '2099-12-01T00:00:00Z'],
  ['--secret', 'joinToken', 'abcdef.0123456789abcdef'],
];

/** The blocks of a page that are programs, by their lines: those that import the components. */
function programsOf(page: string): [string, string][] {
  const text = readFileSync(resolve(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)]
    .filter(([, code]) => code?.includes("from 'edge-nodepools/pulumi'"))
    .map(({ 1: code, index }) => [`${page}:${text.slice(0, index).split('\n').length + 1}`, code as string]);
}

/** A program, applied twice and destroyed. */
async function appliedTwice(proof: Proof, what: string, project: PulumiProject): Promise<void> {
  const must = (step: string, { status, said }: { status: number; said: string }): void =>
    proof.that(`${what}: ${step}`, status === 0, said);
  const failed = CONFIG.map((words) => project.run(['config', 'set', ...words, '-s', 'e2e'])).find(
    ({ status }) => status !== 0,
  );
  proof.that(`${what}: its configuration`, failed === undefined, failed?.said);
  const up = ['up', '--yes', '--skip-preview'];
  must('up', await project.engineDuring(up, {}));
  must('a second up changes nothing', await project.engineDuring([...up, '--expect-no-changes'], {}));
  must('destroy', await project.engineDuring(['destroy', '--yes', '--skip-preview'], {}));
}

/** A provider of machines, for the example that joins some: it only gives them an id. */
const OPENSTACK = {
  'PulumiPlugin.yaml': 'runtime: nodejs\n',
  'package.json': JSON.stringify({ name: 'openstack', version: '5.0.0', main: 'index.js' }),
  'index.js': `const pulumi = require('@pulumi/pulumi');
const create = async (_, inputs) => ({ id: 'machine', outs: inputs });
module.exports = () => pulumi.provider.main({ version: '5.0.0', schema: '{}', create }, process.argv.slice(2));
`,
};

function machines(folder: string): string {
  const plugin = join(folder, 'openstack');
  mkdirSync(plugin);
  linkPackages(plugin, ['@pulumi/pulumi']);
  Object.entries(OPENSTACK).forEach(([name, text]) => writeFileSync(join(plugin, name), text));
  return plugin;
}

/** What the programs expect in the cluster. */
async function prepare(plane: ControlPlane): Promise<void> {
  const addOns = new KubeadmAddOns(plane.folder);
  addOns.install('kube-proxy', plane.kubeconfig);
  addOns.install('coredns', plane.kubeconfig);
  await plane.apply([flannel()], 'installer');
  for (const namespace of ['monitoring', 'logging']) {
    await plane.ensureNamespace(namespace);
  }
  const pool = { apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool', metadata: { name: 'default-pool' } };
  await plane.apply([{ ...pool, spec: { type: 'Edge' } }], 'yurtadm');
  const exporter = { ...flannel(), metadata: { namespace: 'monitoring', name: 'node-exporter' } };
  await plane.apply([exporter], 'helm');
}

export const pulumiPages: Group = {
  name: 'pulumi-pages',
  claim:
    'every Pulumi program of the pages on the real engine: an update succeeds, a second one changes nothing, destroy succeeds; `await: true` ends with the rollout, and fails without one; what EdgePreconditions has left in the cluster is adopted by the next life of the stack; where the engines are built, FleetDelivery applies their objects and writes its folders, also when a site changes, leaves and comes back; and by hand every example in TypeScript',
  programs: 'pulumi 3.248, pulumi-resource-kubernetes 4.32, kube-apiserver and kubeadm 1.36, yurt-manager 1.7.0',
  tools: [...toolsOf(PROPS), ...yurtManagerTools('1.7'), KUBEADM],
  needs: ['pulumi'],
  run: async (proof: Proof) => {
    buildPackage();
    await onControlPlane(PROPS, proof, async (plane) => {
      await withYurtManager(plane, '1.7', async () => {
        await prepare(plane);
        await plane.nodes.fake('cloud');
        const kubelets = new FakeKubelets(plane.api);
        try {
          for (const [where, code] of PAGES.flatMap(programsOf)) {
            const name = where.replace(/\W+/g, '-').toLowerCase();
            await appliedTwice(proof, where, new PulumiProject(plane.folder, name, plane.kubeconfig, {}, name, code));
          }
          const plugins = { openstack: machines(plane.folder) };
          for (const example of process.env.EDGE_NODEPOOLS_PULUMI_EXAMPLES === '1' ? EXAMPLES : []) {
            const project = new PulumiProject(plane.folder, example, plane.kubeconfig, plugins);
            await appliedTwice(proof, `examples/${example}`, project);
          }
          await keptPreconditions(plane, proof);
          if (await deliveries(plane, proof)) {
            for (const [where, code] of programsOf(DELIVERY)) {
              await appliedTwice(
                proof,
                where,
                new PulumiProject(plane.folder, 'page', plane.kubeconfig, {}, 'page', code),
              );
            }
            const example = new PulumiProject(plane.folder, 'pulumi-delivery', plane.kubeconfig);
            await appliedTwice(proof, 'examples/pulumi-delivery', example);
          }
        } finally {
          await kubelets.stop();
        }
        await awaited(plane, proof);
      });
    });
  },
};

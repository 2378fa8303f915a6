import { spawnSync } from 'node:child_process';
import type { ControlPlane, ControlPlaneProps } from '../../harness/control-plane.js';
import { toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { type EngineRun, pluginFolder, PulumiProject } from '../../harness/pulumi-project.js';
import { withYurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';

const PROPS: ControlPlaneProps = {
  kubernetes: '1.36',
  controllers: ['garbage-collector-controller', 'daemonset-controller'],
};
const POOL = '/apis/apps.openyurt.io/v1beta2/nodepools/beijing';
const COLLECTOR = '/apis/apps/v1/namespaces/default/daemonsets/collector';
const TOKEN = 'bbbbbb.7f3acanary7f3aca';
const HASH = `sha256:${'0'.repeat(64)}`;

/** The programs, what runs them, and how a name is misspelt in each. */
const LANGUAGES = [
  { example: 'pulumi-yaml', programs: ['pulumi-language-yaml'] },
  { example: 'pulumi-go', programs: ['pulumi-language-go'] },
  { example: 'pulumi-python', programs: ['pulumi-language-python', 'pulumi-language-python-exec', 'python3'] },
] as const;

const onPath = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** An example in another language, as its README says: the SDK of the installed plugin, `up` twice, and `destroy`. */
async function language(plane: ControlPlane, proof: Proof, plugin: string, example: string): Promise<void> {
  const must = (what: string, run: EngineRun | { status: number; said: string }): void =>
    proof.that(`${example}: ${what}`, run.status === 0, run.said);
  const project = new PulumiProject(plane.folder, example, plane.kubeconfig, { 'edge-nodepools': plugin });
  must('pulumi install generates its SDK', project.run(['install']));
  must('its configuration', project.run(['config', 'set', 'caCertHash', HASH, '-s', 'e2e']));
  must('its secret', project.run(['config', 'set', '--secret', 'joinToken', TOKEN, '-s', 'e2e']));
  must('preview', project.preview({}));
  must('up', project.up({}));
  const { spec } = await plane.api.must('GET', POOL);
  proof.same(
    `${example}: the pool has its properties`,
    [spec.hostNetwork, spec.labels, spec.taints],
    [true, { site: 'beijing' }, [{ key: 'site', value: 'beijing', effect: 'NoSchedule' }]],
  );
  const { template } = (await plane.api.must('GET', COLLECTOR)).spec;
  proof.same(
    `${example}: the workload is on the host network, and tolerates the taints of the pool`,
    [template.spec.hostNetwork, template.spec.tolerations.some(({ key }: { key: string }) => key === 'site')],
    [true, true],
  );
  const { joinLabels, changes, userData } = project.outputs();
  proof.same(
    `${example}: outputs are returned`,
    [joinLabels['apps.openyurt.io/nodepool'], changes.length > 3, userData.includes(TOKEN)],
    ['beijing', true, true],
  );
  proof.same(
    `${example}: the token is nowhere in plain text`,
    project.leftBehind().flatMap(({ path, text }) => (text.includes(TOKEN) ? [path] : [])),
    [],
  );
  must('a second up changes nothing', project.up({}, ['--expect-no-changes']));
  must('destroy', project.destroy({}));
  proof.same(`${example}: no state remains`, project.state(), []);
  proof.same(`${example}: the pool is gone`, (await plane.api.send('GET', POOL)).status, 404);
}

export const pulumiLanguages: Group = {
  name: 'pulumi-languages',
  claim:
    'the examples in YAML, Go and Python, with SDKs that Pulumi generates from the plugin in the packed package: an update creates what the preview shows, a second one changes nothing, outputs are returned, no token is in plain text in the state or the output, destroy removes everything',
  programs:
    'pulumi 3.248 and its language hosts, pulumi-resource-kubernetes 4.32, kube-apiserver 1.36, yurt-manager 1.7.0',
  tools: [...toolsOf(PROPS), ...yurtManagerTools('1.7')],
  needs: ['pulumi', 'pulumi-languages'],
  run: async (proof: Proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      await withYurtManager(plane, '1.7', async () => {
        const plugin = pluginFolder(plane.folder);
        for (const { example, programs } of LANGUAGES) {
          const missing = programs.find((program) => !onPath(program));
          if (missing === undefined) {
            await language(plane, proof, plugin, example);
          } else {
            proof.note(`${example} skipped, because ${missing} is not on PATH`);
          }
        }
      });
    });
  },
};

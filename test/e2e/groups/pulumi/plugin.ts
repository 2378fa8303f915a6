import * as pulumi from '@pulumi/pulumi';
import * as components from '../../../doors/pulumi.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, pluginFolder, PulumiProject } from '../../harness/pulumi-project.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';

/** The components of the library; base classes are none. */
function componentNames(): string[] {
  const classes = Object.entries(components).filter(([, one]) => typeof one === 'function');
  const isA = (one: unknown, base: unknown): boolean =>
    (one as { prototype?: unknown }).prototype instanceof (base as typeof pulumi.ComponentResource);
  return classes
    .filter(([, one]) => isA(one, pulumi.ComponentResource) && !classes.some(([, other]) => isA(other, one)))
    .map(([name]) => name)
    .sort();
}

/** The plugin for other languages: the schema for their SDKs, and components that are created in the plugin. */
export async function plugin(plane: ControlPlane, proof: Proof): Promise<void> {
  const folder = pluginFolder(plane.folder);
  const project = new PulumiProject(plane.folder, 'other-language', plane.kubeconfig, { 'edge-nodepools': folder });
  const { status, stdout, said } = project.run(['package', 'get-schema', folder]);
  proof.that('plugin: the engine gets its schema', status === 0, said);
  const schema = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { name: string; resources: Record<string, unknown> };
  proof.same('plugin: the package is edge-nodepools', schema.name, 'edge-nodepools');
  proof.same(
    'plugin: it has every component',
    Object.keys(schema.resources).sort(),
    componentNames().map((name) => `edge-nodepools:index:${name}`),
  );

  const must = (what: string, run: EngineRun): EngineRun => {
    proof.that(`plugin: ${what}`, run.status === 0, run.said);
    return run;
  };
  must('preview', project.preview({}));
  must('up', project.up({}));
  const { spec } = await plane.api.must('GET', `${POOLS}/remote`);
  proof.same(
    'plugin: the pool exists, with its properties',
    [spec.hostNetwork, spec.labels, spec.taints],
    [true, { site: 'remote' }, [{ key: 'site', value: 'canary-7f3a', effect: 'NoSchedule' }]],
  );
  const labels = { 'apps.openyurt.io/nodepool': 'remote', 'nodepool.openyurt.io/hostnetwork': 'true' };
  proof.same('plugin: outputs are returned', project.outputs().joinLabels, labels);
  const { uid } = (await plane.api.must('GET', '/api/v1/namespaces/default/configmaps/remote-site')).metadata;
  proof.same(
    'plugin: a name that is unknown at preview',
    (await plane.api.send('GET', `${POOLS}/remote-${uid}`)).status,
    200,
  );
  const agent = await plane.api.must('GET', '/apis/apps/v1/namespaces/default/daemonsets/remote-agent');
  proof.same('plugin: a workload is on the host network', agent.spec.template.spec.hostNetwork, true);
  const { userData } = project.outputs();
  proof.that('plugin: user-data is returned with its token', userData.includes('aaaaaa.7f3acanary7f3aca'), userData);
  const secrets = ['canary-7f3a', '7f3acanary7f3aca'];
  const clear = project.leftBehind().filter(({ text }) => secrets.some((secret) => text.includes(secret)));
  proof.same(
    'plugin: a secret is nowhere in plain text',
    clear.map(({ path }) => path),
    [],
  );
  must('a second up changes nothing', project.up({}, ['--expect-no-changes']));
  const replaced = must('an immutable field changes', project.up({ interConnectivity: true }));
  proof.same(
    'plugin: and replaces the pool, deleted first',
    replaced.steps.filter(({ name, type }) => name === 'remote' && type.endsWith(':NodePool')).map(({ op }) => op),
    ['delete-replaced', 'replace', 'create-replacement'],
  );
  const refused = project.up({ interConnectivity: true, refused: true });
  proof.that('plugin: a bad token is refused', refused.status !== 0, refused.said);
  // the output has each error twice: while it goes on, and at the end
  const [, diagnostics = ''] = refused.said.split('Diagnostics:');
  proof.same(
    'plugin: once, at its component, and not shown',
    [diagnostics.match(/has a problem: NodeJoin refused: \d problem/g), diagnostics.includes('canary')],
    [['has a problem: NodeJoin refused: 2 problem'], false],
  );
  must('destroy', project.destroy({}));
  proof.same('plugin: no state remains', project.state(), []);
}

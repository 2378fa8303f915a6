import { join } from 'node:path';
import { App, Chart, Helm, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, PoolAdmission } from 'edge-nodepools';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3, HELM_4 } from '../../harness/helm.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { pathOf, type Tool } from '../../harness/tool.js';
import { type Said, UserProject } from '../../harness/user-project.js';
import { isExcluded } from '../system-components/excluded-component.js';
import { streams } from './command-streams.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36', scheduler: true, controllers: ['job-controller'] };
const EDGE = 'edge-1';
const REGULAR = 'regular-1';

/** The hooks of the chart: Jobs of the installation and of the removal, and the Pod of `helm test`. */
const CERTIFICATES = 'web-certificates';
const STARTUP_CHECK = 'web-startup-check';
const FAREWELL = 'web-farewell';
const TEST = 'web-answers';

/** The stored workloads of a namespace, each with whether it is excluded; Pods of Jobs are not among them. */
async function workloads(plane: ControlPlane, namespace: string): Promise<Record<string, boolean>> {
  const listed = async (path: string): Promise<any[]> =>
    (await plane.api.must('GET', path.replace('*', `namespaces/${namespace}`))).items;
  const templates = [...(await listed('/apis/apps/v1/*/deployments')), ...(await listed('/apis/batch/v1/*/jobs'))];
  const pods = (await listed('/api/v1/*/pods')).filter(({ metadata }) => metadata.ownerReferences === undefined);
  const all = [...templates, ...pods.map(({ metadata, spec }) => ({ metadata, spec: { template: { spec } } }))];
  return Object.fromEntries(all.map((each) => [each.metadata.name, isExcluded(each)]));
}

/** The node on which the Pod of a hook has run. */
async function nodeOf(plane: ControlPlane, namespace: string, hook: string): Promise<string | undefined> {
  const { items } = await plane.api.must('GET', `/api/v1/namespaces/${namespace}/pods`);
  return items.find(
    ({ metadata }: any) => metadata.name === hook || metadata.labels?.['batch.kubernetes.io/job-name'] === hook,
  )?.spec.nodeName;
}

const NAMES: Readonly<Record<string, string>> = { [HELM_3.module]: 'Helm 3', [HELM_4.module]: 'Helm 4' };

/** Installs, tests, rolls back and uninstalls a release, with the documented post-renderer. */
async function lifeOfRelease(plane: ControlPlane, proof: Proof, project: UserProject, tool: Tool): Promise<void> {
  const helm = NAMES[tool.module] as string;
  const hooks = tool === HELM_4;
  const where = hooks ? REGULAR : EDGE;
  const claim = `${helm}, hooks ${hooks ? '' : 'not '}excluded`;
  const namespace = tool.module.replace('.', '-');
  const seen = (): Promise<Record<string, boolean>> => workloads(plane, namespace);
  const release = (command: string): Promise<string> => project.must(tool, `helm ${command} --namespace ${namespace}`);

  const { status, stderr } = await project.documented(tool, namespace, helm);
  proof.that(`${helm}: the documented command installs the chart`, status === 0, stderr);
  proof.same(`${claim}: install`, await seen(), { web: true, [CERTIFICATES]: hooks, [STARTUP_CHECK]: hooks });
  proof.same(
    `${claim}: where the Job before the installation has run`,
    await nodeOf(plane, namespace, CERTIFICATES),
    where,
  );

  await release('test web');
  proof.same(`${claim}: helm test`, [(await seen())[TEST], await nodeOf(plane, namespace, TEST)], [hooks, where]);

  const again = await project.documented(tool, namespace, helm);
  proof.that(`${helm}: the documented command upgrades the release`, again.status === 0, again.stderr);
  proof.same(`${claim}: upgrade`, [(await seen()).web, (await seen())[CERTIFICATES]], [true, hooks]);

  await release('upgrade web ./chart --set release=2');
  proof.same(`${helm}: an upgrade without the post-renderer`, (await seen()).web, false);
  await release('rollback web 2');
  const { web, [STARTUP_CHECK]: check } = await seen();
  proof.same(`${claim}: rollback to a revision with it`, [web, check], [true, hooks]);
  await release('rollback web 3');
  proof.same(`${helm}: rollback to a revision without it`, (await seen()).web, false);

  await project.documented(tool, namespace, helm);
  await release('uninstall web');
  proof.same(`${claim}: uninstall`, (await seen())[FAREWELL], hooks);
}

async function moreOfHelm3(plane: ControlPlane, proof: Proof, project: UserProject): Promise<void> {
  const skipped = await project.documented(HELM_3, 'options', 'Helm 3', 1);
  proof.that('Helm 3: the documented options are accepted', skipped.status === 0, skipped.stderr);
  proof.same('Helm 3: they skip', (await workloads(plane, 'options')).web, false);

  const apart = await project.documented(HELM_3, 'apart', 'Hooks with Helm 3');
  proof.that('Helm 3: the hooks can be run apart', apart.status === 0, apart.stderr);
  proof.same('Helm 3: and are excluded then', await workloads(plane, 'apart'), { web: true, [CERTIFICATES]: true });
  proof.same('Helm 3: and run elsewhere', await nodeOf(plane, 'apart', CERTIFICATES), REGULAR);

  const compared = await project.documented(HELM_3, 'apart', 'Upgrades, rollbacks, differences');
  proof.same('Helm 3: the release differs in nothing from what helm template renders', compared, {
    status: 0,
    stdout: '',
    stderr: '',
  });
}

async function moreOfHelm4(plane: ControlPlane, proof: Proof, project: UserProject): Promise<void> {
  const installed = await project.documented(HELM_4, 'plugin', 'Helm 4', 1);
  proof.that('Helm 4: the plugin can be installed', installed.status === 0, installed.stderr);
  proof.same('Helm 4: and excludes', await workloads(plane, 'plugin'), {
    web: true,
    [CERTIFICATES]: true,
    [STARTUP_CHECK]: true,
  });
  const shared = await project.sh(
    HELM_3,
    'HELM_DATA_HOME="$HELM_4" helm template web ./chart'.replace('$HELM_4', join(plane.folder, HELM_4.module)),
  );
  proof.that(
    'Helm 3 beside that plugin goes on without plugins',
    shared.status === 0 && shared.stderr.includes('failed to load plugins'),
    shared.stderr,
  );
}

/** What needs no cluster. */
async function ofTheCommandLine(proof: Proof, project: UserProject): Promise<void> {
  const path = 'node_modules/.bin/edge-nodepools';
  const render = (tool: Tool, renderer: string, args: string, chart = './chart'): Promise<Said> =>
    project.sh(tool, `helm template web ${chart} --post-renderer ${renderer} ${args}`);
  const args = (...words: string[]): string => words.map((word) => `--post-renderer-args ${word}`).join(' ');
  const plugin = await project.sh(HELM_3, 'PATH="$PWD/node_modules/.bin:$PATH"; kubectl edge-nodepools check missing');
  proof.same('kubectl finds it as a plugin', [plugin.status, /missing/.test(plugin.stderr)], [2, true]);
  const exclusions = ({ stdout }: Said): number => stdout.split('exclude-host-network-pool').length - 1;

  const onPath = await project.sh(
    HELM_3,
    `npx -c 'helm template web ./chart --post-renderer edge-nodepools ${args('post-render')}'`,
  );
  proof.same('Helm 3 finds the command on PATH, as in npx -c', [onPath.status, exclusions(onPath)], [0, 1]);
  proof.that('Helm 4 refuses a path', (await render(HELM_4, path, args('post-render'))).stderr.includes('not found'));
  const both = await render(HELM_4, 'edge-nodepools', args('post-render', '--skip=Pod'));
  proof.same('Helm 4 accepts the arguments of Helm 3', [both.status, exclusions(both)], [0, 4]);

  const [warned3, warned4] = [
    await render(HELM_3, path, args('post-render', '--skip=None')),
    await render(HELM_4, 'edge-nodepools', args('--skip=None')),
  ];
  proof.same(
    'no Helm shows warnings',
    [warned3, warned4].map(({ status, stderr }) => [status, stderr]),
    [
      [0, ''],
      [0, ''],
    ],
  );
  const [failed3, failed4] = [
    await render(HELM_3, path, args('post-render', '--none')),
    await render(HELM_4, 'edge-nodepools', args('--none')),
  ];
  proof.that('Helm 3 shows why it failed', failed3.status !== 0 && failed3.stderr.includes("'--none'"), failed3.stderr);
  proof.that('Helm 4 does not', failed4.status !== 0 && !failed4.stderr.includes("'--none'"), failed4.stderr);
  const piped = await project.documented(HELM_4, 'default', 'Helm 4', 2);
  proof.that('the documented pipe shows them', piped.status === 0 && piped.stderr.includes('EDGE_IMMUTABLE'), piped);

  project.write('nothing/Chart.yaml', 'apiVersion: v2\nname: nothing\nversion: 1.0.0\n');
  project.write('nothing/templates/nothing.yaml', '{{ if .Values.something }}kind: ConfigMap{{ end }}\n');
  const empty3 = await render(HELM_3, path, args('post-render'), './nothing');
  const empty4 = await render(HELM_4, 'edge-nodepools', '', './nothing');
  proof.same(
    'a chart may render nothing',
    [empty3, empty4].map(({ status }) => status),
    [0, 0],
  );
}

/** The ways that make ordinary objects of the hooks. */
async function asObjects(plane: ControlPlane, proof: Proof, project: UserProject, tool: Tool): Promise<void> {
  const helm = NAMES[tool.module] as string;
  const all = { web: true, [CERTIFICATES]: true, [STARTUP_CHECK]: true, [FAREWELL]: true };
  const namespace = `${tool.module.replace('.', '-')}-pipe`;
  const { status, stderr } = await project.documented(tool, namespace, 'Any Helm, in a pipe');
  proof.that(`${helm}: the documented pipe applies the chart`, status === 0, stderr);
  proof.same(`${helm} in a pipe: everything is excluded`, await workloads(plane, namespace), all);

  const app = Testing.app();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'web');
  const inTree = `${tool.module.replace('.', '-')}-cdk8s`;
  new Helm(chart, 'web', {
    chart: project.chart,
    releaseName: 'web',
    namespace: inTree,
    helmFlags: ['--skip-tests'],
    helmExecutable: pathOf(tool),
  });
  chart.with(ExcludedWorkload.mixin({ cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' }) }));
  const objects: any[] = Testing.synth(chart);
  await plane.apply(objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: inTree } })));
  proof.same(`${helm} with cdk8s and the mixin: everything is excluded`, await workloads(plane, inTree), all);
}

/** With the policy nothing has to be rendered. */
async function byPolicy(plane: ControlPlane, proof: Proof, project: UserProject): Promise<void> {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'platform');
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
  new PoolAdmission(chart, 'admission', { cluster, guarantees: { strict: true } });
  await plane.apply(Testing.synth(chart));
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe' },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  };
  await proof.eventually('the policy is in force', async () => {
    const query = { dryRun: 'All' };
    const { status, body } = await plane.api.send('POST', '/api/v1/namespaces/default/pods', pod, { query });
    // refused until the namespace has its service account
    return status < 300 && isExcluded({ spec: { template: body } });
  });
  for (const tool of [HELM_3, HELM_4]) {
    const helm = NAMES[tool.module] as string;
    const namespace = `${tool.module.replace('.', '-')}-policy`;
    const at = `--namespace ${namespace}`;
    await project.must(tool, `helm install web ./chart ${at} --create-namespace && helm test web ${at}`);
    const nodes = await Promise.all([CERTIFICATES, STARTUP_CHECK, TEST].map((hook) => nodeOf(plane, namespace, hook)));
    proof.same(`${helm}: with the policy no hook runs on a host-network node`, nodes, [REGULAR, REGULAR, REGULAR]);
  }
}

export const helmHooks: Group = {
  name: 'hooks',
  claim:
    'the documented commands, with the packed package and a chart with hooks: what Helm 3 and Helm 4 give to a post-renderer in the life of a release, each way that excludes hooks too, and the streams of the command',
  programs: 'Helm 3.20 and 4.3, kubectl, kube-apiserver, kube-scheduler and kube-controller-manager 1.36',
  tools: [...toolsOf(PROPS), HELM_3, HELM_4],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      // without the exclusion the scheduler prefers the host-network node
      await plane.nodes.fake(EDGE, { 'nodepool.openyurt.io/hostnetwork': 'true' });
      await plane.nodes.fake(REGULAR, {}, [{ key: 'example.com/busy', effect: 'PreferNoSchedule' }]);
      const project = new UserProject(plane);
      const kubelets = new FakeKubelets(plane.api);
      try {
        await lifeOfRelease(plane, proof, project, HELM_3);
        await lifeOfRelease(plane, proof, project, HELM_4);
        await moreOfHelm3(plane, proof, project);
        await moreOfHelm4(plane, proof, project);
        await ofTheCommandLine(proof, project);
        await streams(proof, project);
        await asObjects(plane, proof, project, HELM_3);
        await asObjects(plane, proof, project, HELM_4);
        await byPolicy(plane, proof, project);
      } finally {
        await kubelets.stop();
      }
    });
  },
};

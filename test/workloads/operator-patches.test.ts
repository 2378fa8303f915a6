/** What an operator applies to Pods after their affinity, and Pods that never get it, is reported: in the mixin, and in post-render with --strict. */
import { ApiObject, App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { main } from '../../src/cli/main.js';
import { deployment, manifest, nodeAffinity, YAML } from './objects-without-pods.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const exclusion = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
      ],
    },
  },
};
const workflow = (spec: object, template: object = {}): any =>
  manifest('Workflow', 'argoproj.io/v1alpha1', {
    spec: { ...spec, templates: [{ name: 'main', container: { image: 'app' }, ...template }] },
  });
const united = (patch: object): any =>
  manifest('UnitedDeployment', 'apps.kruise.io/v1alpha1', {
    spec: { template: { deploymentTemplate: deployment }, topology: { subsets: [{ name: 'a', patch }] } },
  });
const gc = (podSpecPatch?: object): object => ({
  artifactGC: { strategy: 'OnWorkflowDeletion', ...(podSpecPatch && { podSpecPatch: JSON.stringify(podSpecPatch) }) },
});
const excludedYaml = YAML.replace('spec:\n', `spec:\n  affinity: ${JSON.stringify(exclusion)}\n`);

it.each<[string, any, string[]]>([
  [
    'argo-workflows examples/pod-spec-yaml-patch.yaml',
    workflow({
      podSpecPatch:
        'containers:\n  - name: main\n    resources:\n      limits:\n        memory: "{{workflow.parameters.mem}}"\n',
    }),
    [],
  ],
  [
    'a patch with another affinity',
    workflow({ podSpecPatch: JSON.stringify({ affinity: nodeAffinity('zone') }) }),
    ['spec.podSpecPatch'],
  ],
  ['a patch that keeps the exclusion', workflow({ podSpecPatch: JSON.stringify({ affinity: exclusion }) }), []],
  [
    'a patch of a template',
    workflow({}, { podSpecPatch: '{"nodeName":"edge-1"}' }),
    ['spec.templates[0].podSpecPatch'],
  ],
  [
    'a patch that is no YAML yet',
    workflow({ podSpecPatch: '{{inputs.parameters.a}}: {nodeName: {{x}}' }),
    ['spec.podSpecPatch'],
  ],
  [
    'a patch with a name that Go folds',
    workflow({ podSpecPatch: '{"node\u017felector":{"nodepool.openyurt.io/hostnetwork":"true"}}' }),
    ['spec.podSpecPatch'],
  ],
  [
    'the same in a patch that is no YAML yet',
    workflow({ podSpecPatch: '{{inputs.parameters.a}}: {NODE\u017fELECTOR: {{x}}' }),
    ['spec.podSpecPatch'],
  ],
  [
    'a subset with Spec that Go folds',
    united({ '\u017fpec': { nodename: 'edge-1' } }),
    ['spec.topology.subsets[0].patch'],
  ],
  [
    'a CronWorkflow',
    manifest('CronWorkflow', 'argoproj.io/v1alpha1', { spec: { workflowSpec: { podSpecPatch: 'affinity: null' } } }),
    ['spec.workflowSpec.podSpecPatch'],
  ],
  ['argo-workflows examples/artifact-gc-workflow.yaml', workflow(gc()), ['spec.artifactGC.podSpecPatch']],
  ['the same with a patch that excludes', workflow(gc({ affinity: exclusion })), []],
  ['no collection of artifacts', workflow({ artifactGC: { strategy: 'Never' } }), []],
  [
    'one artifact',
    workflow({}, { outputs: { artifacts: [{ name: 'a', artifactGC: { strategy: 'OnWorkflowCompletion' } }] } }),
    ['spec.artifactGC.podSpecPatch'],
  ],
  ['a manifest that is excluded already', workflow({}, { resource: { action: 'create', manifest: excludedYaml } }), []],
  [
    'two manifests, one of them excluded',
    workflow({}, { resource: { action: 'create', manifest: `${excludedYaml}---\n${YAML}` } }),
    ['spec.templates[0].resource.manifest'],
  ],
  [
    'a subset that replaces the affinity',
    united({ spec: { affinity: nodeAffinity('zone') } }),
    ['spec.topology.subsets[0].patch'],
  ],
  ['a subset with another image', united({ spec: { containers: [{ name: 'app', image: 'app:2' }] } }), []],
])('%s', (_, object, paths) => {
  const chart = new Chart(new App(), 'chart');
  new ApiObject(chart, 'object', object);
  chart.with(ExcludedWorkload.mixin({ cluster }));
  const told = EdgeWarnings.of(chart).filter(({ code }) => code === 'EDGE_NOT_EXCLUDED');
  expect(told.map(({ path }) => path)).toEqual(paths);

  const code = main(['post-render', '--strict'], {
    stdin: () => JSON.stringify(object),
    stdout: () => undefined,
    stderr: () => undefined,
  });
  expect(code).toBe(paths.length === 0 ? 0 : 1);
});

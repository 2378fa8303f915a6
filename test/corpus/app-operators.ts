/** Kubernetes, OpenYurt, Argo, OpenKruise, Volcano, Knative, KubeVirt and Tekton. */
import {
  container,
  nodeAffinity,
  type OperatorWorkload,
  pod,
  PODS,
  podSpec,
  preferred,
  row,
  selector,
  withTemplate,
} from './operator-workload.js';

const yurtTemplate = { deploymentTemplate: { metadata: {}, spec: { replicas: 2, selector, template: pod } } };
const workflow = {
  entrypoint: 'main',
  templates: [
    { name: 'main', steps: [[{ name: 'a', template: 'run' }]] },
    { name: 'run', container: { image: 'app', command: ['true'] } },
    { name: 'set', containerSet: { containers: [container] } },
    { name: 'ssd', affinity: { nodeAffinity }, script: { image: 'app', source: 'true' } },
    { name: 'near', affinity: { podAntiAffinity: {} }, container: { image: 'app' } },
    { name: 'graph', dag: { tasks: [{ name: 'a', inline: { affinity: { nodeAffinity }, container } }] } },
    {
      name: 'inner',
      steps: [
        [
          { name: 'a', inline: { container } },
          { name: 'b', inline: { affinity: {}, container } },
        ],
      ],
    },
  ],
};
const workflowPlaces = (spec: string): string[] =>
  ['', '.templates[3]', '.templates[4]', '.templates[5].dag.tasks[0].inline', '.templates[6].steps[0][1].inline'].map(
    (at) => `${spec}${at}.affinity.nodeAffinity`,
  );
const tasks = [
  { name: 'master', replicas: 1, template: pod },
  { name: 'worker', replicas: 3, template: { spec: { ...podSpec, affinity: { nodeAffinity } } } },
];
const taskPlaces = (spec: string): string[] =>
  [0, 1].map((index) => `${spec}.tasks[${index}].template.spec.affinity.nodeAffinity`);
const vmi = { domain: { devices: {}, memory: { guest: '1Gi' } }, nodeSelector: { zone: 'a' } };
const metrics = [
  { name: 'a', provider: { web: {} } },
  { name: 'b', provider: { job: { spec: { template: pod } } } },
];
const JOB_METRIC = 'spec.metrics[1].provider.job.spec.template.spec.affinity.nodeAffinity';

export const APP_OPERATORS: readonly OperatorWorkload[] = [
  row('v1', 'Pod', { spec: podSpec }, 'spec.affinity.nodeAffinity'),
  row('v1', 'PodTemplate', { template: pod }, 'template.spec.affinity.nodeAffinity'),
  row('v1', 'ReplicationController', { spec: { selector: { app: 'web' }, template: pod } }, PODS),
  withTemplate('apps/v1', 'Deployment', { replicas: 2 }),
  withTemplate('apps/v1', 'DaemonSet'),
  withTemplate('apps/v1', 'StatefulSet', { serviceName: 'web' }),
  withTemplate('apps/v1', 'ReplicaSet'),
  row('apps/v1', 'ControllerRevision', { data: { spec: { template: pod } }, revision: 1 }),
  row('batch/v1', 'Job', { spec: { template: pod } }, PODS),
  row(
    'batch/v1',
    'CronJob',
    { spec: { schedule: '* * * * *', jobTemplate: { spec: { template: pod } } } },
    'spec.jobTemplate.spec.template.spec.affinity.nodeAffinity',
  ),

  row(
    'apps.openyurt.io/v1alpha1',
    'YurtAppSet',
    { spec: { selector, topology: { pools: [{ name: 'hangzhou' }] }, workloadTemplate: yurtTemplate } },
    'spec.workloadTemplate.deploymentTemplate.spec.template.spec.affinity.nodeAffinity',
  ),
  row(
    'apps.openyurt.io/v1beta1',
    'YurtAppSet',
    { spec: { pools: ['hangzhou'], workload: { workloadTemplate: yurtTemplate } } },
    'spec.workload.workloadTemplate.deploymentTemplate.spec.template.spec.affinity.nodeAffinity',
  ),
  row(
    'apps.openyurt.io/v1alpha1',
    'YurtAppDaemon',
    { spec: { selector, nodepoolSelector: selector, workloadTemplate: yurtTemplate } },
    'spec.workloadTemplate.deploymentTemplate.spec.template.spec.affinity.nodeAffinity',
  ),
  row('apps.openyurt.io/v1alpha1', 'YurtStaticSet', { spec: { staticPodManifest: 'web', template: pod } }, PODS),
  row('apps.openyurt.io/v1alpha1', 'YurtAppOverrider', {
    subject: { apiVersion: 'apps.openyurt.io/v1beta1', kind: 'YurtAppSet', name: 'web' },
    entries: [{ pools: ['hangzhou'], patches: [] }],
  }),
  row(
    'iot.openyurt.io/v1alpha1',
    'PlatformAdmin',
    { spec: { poolName: 'hangzhou', additionalDeployments: [{ spec: { selector, template: pod } }] } },
    'spec.additionalDeployments[0].spec.template.spec.affinity.nodeAffinity',
  ),
  row('iot.openyurt.io/v1beta1', 'PlatformAdmin', { spec: { version: 'minnesota', nodepools: ['hangzhou'] } }),

  withTemplate('argoproj.io/v1alpha1', 'Rollout', {
    replicas: 2,
    strategy: { canary: { steps: [{ setWeight: 20 }] } },
  }),
  row(
    'argoproj.io/v1alpha1',
    'Experiment',
    { spec: { templates: [{ name: 'a', selector, template: pod }] } },
    'spec.templates[0].template.spec.affinity.nodeAffinity',
  ),
  ...['AnalysisRun', 'AnalysisTemplate', 'ClusterAnalysisTemplate'].map((kind) =>
    row('argoproj.io/v1alpha1', kind, { spec: { metrics } }, JOB_METRIC),
  ),
  ...['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate'].map((kind) =>
    row('argoproj.io/v1alpha1', kind, { spec: workflow }, ...workflowPlaces('spec')),
  ),
  row(
    'argoproj.io/v1alpha1',
    'Workflow',
    { spec: { ...workflow, templateDefaults: { affinity: { nodeAffinity } } } },
    'spec.templateDefaults.affinity.nodeAffinity',
    ...workflowPlaces('spec'),
  ),
  // inherits the affinity of its template, which an own one would replace
  row('argoproj.io/v1alpha1', 'Workflow', { spec: { workflowTemplateRef: { name: 'a' } } }),
  row(
    'argoproj.io/v1alpha1',
    'Workflow',
    { spec: { workflowTemplateRef: { name: 'a' }, affinity: { nodeAffinity } } },
    'spec.affinity.nodeAffinity',
  ),
  row(
    'argoproj.io/v1alpha1',
    'CronWorkflow',
    { spec: { schedules: ['* * * * *'], workflowSpec: workflow } },
    ...workflowPlaces('spec.workflowSpec'),
  ),

  withTemplate('apps.kruise.io/v1alpha1', 'CloneSet', { replicas: 2 }),
  withTemplate('apps.kruise.io/v1beta1', 'StatefulSet', { replicas: 2 }),
  withTemplate('apps.kruise.io/v1alpha1', 'DaemonSet'),
  row('apps.kruise.io/v1alpha1', 'BroadcastJob', { spec: { template: pod } }, PODS),
  row(
    'apps.kruise.io/v1alpha1',
    'AdvancedCronJob',
    { spec: { schedule: '* * * * *', template: { broadcastJobTemplate: { spec: { template: pod } } } } },
    'spec.template.broadcastJobTemplate.spec.template.spec.affinity.nodeAffinity',
  ),
  row(
    'apps.kruise.io/v1alpha1',
    'AdvancedCronJob',
    { spec: { schedule: '* * * * *', template: { jobTemplate: { spec: { template: pod } } } } },
    'spec.template.jobTemplate.spec.template.spec.affinity.nodeAffinity',
  ),
  ...['statefulSet', 'advancedStatefulSet', 'cloneSet', 'deployment'].map((one) =>
    row(
      'apps.kruise.io/v1alpha1',
      'UnitedDeployment',
      { spec: { selector, template: { [`${one}Template`]: { spec: { selector, template: pod } } } } },
      `spec.template.${one}Template.spec.template.spec.affinity.nodeAffinity`,
    ),
  ),
  row('apps.kruise.io/v1alpha1', 'SidecarSet', { spec: { selector, containers: [container] } }),
  row('apps.kruise.io/v1alpha1', 'ContainerRecreateRequest', { spec: { podName: 'a', containers: [{ name: 'app' }] } }),

  row('batch.volcano.sh/v1alpha1', 'Job', { spec: { minAvailable: 1, tasks } }, ...taskPlaces('spec')),
  row(
    'batch.volcano.sh/v1alpha1',
    'CronJob',
    { spec: { schedule: '* * * * *', jobTemplate: { spec: { tasks } } } },
    ...taskPlaces('spec.jobTemplate.spec'),
  ),
  row('flow.volcano.sh/v1alpha1', 'JobTemplate', { spec: { tasks } }, ...taskPlaces('spec')),

  row('serving.knative.dev/v1', 'Service', { spec: { template: pod } }, PODS),
  row('serving.knative.dev/v1', 'Configuration', { spec: { template: pod } }, PODS),

  row('kubevirt.io/v1', 'VirtualMachine', { spec: { runStrategy: 'Always', template: { spec: vmi } } }, PODS),
  row('kubevirt.io/v1', 'VirtualMachineInstance', { spec: vmi }, 'spec.affinity.nodeAffinity'),
  row('kubevirt.io/v1', 'VirtualMachineInstanceReplicaSet', { spec: { selector, template: { spec: vmi } } }, PODS),
  row(
    'pool.kubevirt.io/v1beta1',
    'VirtualMachinePool',
    { spec: { selector, virtualMachineTemplate: { spec: { template: { spec: vmi } } } } },
    'spec.virtualMachineTemplate.spec.template.spec.affinity.nodeAffinity',
  ),

  ...['v1', 'v1beta1'].map((version) =>
    row(
      `tekton.dev/${version}`,
      'TaskRun',
      { spec: { taskSpec: { steps: [container], sidecars: [container] } } },
      'spec.podTemplate.affinity.nodeAffinity',
    ),
  ),
  row(
    'tekton.dev/v1',
    'PipelineRun',
    {
      spec: {
        pipelineRef: { name: 'build' },
        taskRunSpecs: [
          { pipelineTaskName: 'a', podTemplate: { nodeSelector: { disk: 'ssd' } } },
          { pipelineTaskName: 'b', podTemplate: { affinity: { nodeAffinity } } },
        ],
      },
    },
    'spec.taskRunTemplate.podTemplate.affinity.nodeAffinity',
    'spec.taskRunSpecs[1].podTemplate.affinity.nodeAffinity',
  ),
  row(
    'tekton.dev/v1beta1',
    'PipelineRun',
    {
      spec: {
        pipelineRef: { name: 'build' },
        taskRunSpecs: [{ pipelineTaskName: 'b', taskPodTemplate: { affinity: { nodeAffinity: preferred } } }],
      },
    },
    'spec.podTemplate.affinity.nodeAffinity',
    'spec.taskRunSpecs[0].taskPodTemplate.affinity.nodeAffinity',
  ),
];

/** Monitoring, databases, messaging, storage, batch and machine learning. */
import {
  container,
  nodeAffinity,
  type OperatorWorkload,
  pod,
  PODS,
  podSpec,
  preferred,
  row,
} from './operator-workload.js';

const ray = {
  headGroupSpec: { rayStartParams: {}, template: pod },
  workerGroupSpecs: [
    { groupName: 'a', replicas: 2, rayStartParams: {}, template: pod },
    { groupName: 'b', replicas: 1, rayStartParams: {}, template: pod },
  ],
};
const rayPlaces = (spec: string): string[] =>
  ['headGroupSpec', 'workerGroupSpecs[0]', 'workerGroupSpecs[1]'].map(
    (group) => `${spec}.${group}.template.spec.affinity.nodeAffinity`,
  );
const leaders = { leaderTemplate: pod, workerTemplate: pod, size: 4 };
const leaderPlaces = (spec: string): string[] =>
  ['leaderTemplate', 'workerTemplate'].map((one) => `${spec}.leaderWorkerTemplate.${one}.spec.affinity.nodeAffinity`);
const spark = {
  type: 'Scala',
  sparkVersion: '3.5.0',
  driver: { cores: 1, affinity: { nodeAffinity } },
  executor: { instances: 2, template: { spec: { ...podSpec, affinity: { nodeAffinity } } } },
};
const sparkPlaces = (spec: string): string[] => [
  `${spec}.driver.affinity.nodeAffinity`,
  `${spec}.executor.template.spec.affinity.nodeAffinity`,
];
const kubeflow = (apiVersion: string, kind: string, field: string): OperatorWorkload =>
  row(
    apiVersion,
    kind,
    { spec: { [field]: { Master: { replicas: 1, template: pod }, Worker: { replicas: 2, template: pod } } } },
    ...['Master', 'Worker'].map((role) => `spec.${field}.${role}.template.spec.affinity.nodeAffinity`),
  );
const strimziPod = { metadata: { labels: { a: 'b' } } };

export const DATA_OPERATORS: readonly OperatorWorkload[] = [
  ...['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler'].map((kind) =>
    row(
      kind === 'PrometheusAgent' ? 'monitoring.coreos.com/v1alpha1' : 'monitoring.coreos.com/v1',
      kind,
      { spec: { replicas: 2, containers: [container], affinity: { podAntiAffinity: {} } } },
      'spec.affinity.nodeAffinity',
    ),
  ),

  row(
    'postgresql.cnpg.io/v1',
    'Cluster',
    { spec: { instances: 3, affinity: { nodeSelector: { zone: 'a' }, podAntiAffinityType: 'preferred' } } },
    'spec.affinity.nodeAffinity',
  ),
  row('postgresql.cnpg.io/v1', 'Pooler', { spec: { cluster: { name: 'db' }, template: pod } }, PODS),

  row(
    'kafka.strimzi.io/v1',
    'Kafka',
    {
      spec: {
        kafka: { template: { pod: strimziPod } },
        entityOperator: { topicOperator: {} },
        cruiseControl: {},
        kafkaExporter: { template: { pod: { affinity: { nodeAffinity } } } },
      },
    },
    ...['kafka', 'entityOperator', 'cruiseControl', 'kafkaExporter'].map(
      (part) => `spec.${part}.template.pod.affinity.nodeAffinity`,
    ),
  ),
  row(
    'kafka.strimzi.io/v1beta2',
    'Kafka',
    { spec: { kafka: {}, zookeeper: { replicas: 3 }, jmxTrans: {} } },
    ...['kafka', 'zookeeper', 'jmxTrans'].map((part) => `spec.${part}.template.pod.affinity.nodeAffinity`),
  ),
  // without template.pod the one of the Kafka applies, which an own one would replace
  row('kafka.strimzi.io/v1', 'KafkaNodePool', { spec: { replicas: 3, template: { podSet: {} } } }),
  row(
    'kafka.strimzi.io/v1',
    'KafkaNodePool',
    { spec: { replicas: 3, template: { pod: strimziPod } } },
    'spec.template.pod.affinity.nodeAffinity',
  ),
  ...['KafkaConnect', 'KafkaMirrorMaker2'].map((kind) =>
    row('kafka.strimzi.io/v1', kind, { spec: { replicas: 1 } }, 'spec.template.pod.affinity.nodeAffinity'),
  ),
  row(
    'kafka.strimzi.io/v1',
    'KafkaConnect',
    { spec: { build: { plugins: [] } } },
    'spec.template.pod.affinity.nodeAffinity',
    'spec.template.buildPod.affinity.nodeAffinity',
  ),
  ...['KafkaBridge', 'KafkaMirrorMaker'].map((kind) =>
    row('kafka.strimzi.io/v1beta2', kind, { spec: { replicas: 1 } }, 'spec.template.pod.affinity.nodeAffinity'),
  ),

  row(
    'ceph.rook.io/v1',
    'CephCluster',
    {
      spec: {
        placement: {
          mon: { nodeAffinity },
          mgr: { tolerations: [{ operator: 'Exists' }] },
          osd: { nodeAffinity: preferred },
          arbiter: { tolerations: [] },
        },
        storage: {
          storageClassDeviceSets: [
            { name: 'a', placement: { nodeAffinity }, preparePlacement: { tolerations: [] } },
            { name: 'b', placement: { tolerations: [] } },
          ],
        },
      },
    },
    'spec.placement.all.nodeAffinity',
    'spec.placement.arbiter.nodeAffinity',
    'spec.placement.mon.nodeAffinity',
    'spec.placement.osd.nodeAffinity',
    'spec.storage.storageClassDeviceSets[0].placement.nodeAffinity',
  ),
  row(
    'ceph.rook.io/v1',
    'CephCluster',
    { spec: { storage: { onlyApplyOSDPlacement: true, storageClassDeviceSets: [{ name: 'a' }] } } },
    'spec.placement.all.nodeAffinity',
    'spec.placement.osd.nodeAffinity',
    'spec.storage.storageClassDeviceSets[0].placement.nodeAffinity',
  ),
  row(
    'ceph.rook.io/v1',
    'CephFilesystem',
    { spec: { metadataServer: { activeCount: 1 } } },
    'spec.metadataServer.placement.nodeAffinity',
  ),
  row('ceph.rook.io/v1', 'CephObjectStore', { spec: { gateway: { port: 80 } } }, 'spec.gateway.placement.nodeAffinity'),
  row('ceph.rook.io/v1', 'CephNFS', { spec: { server: { active: 1 } } }, 'spec.server.placement.nodeAffinity'),
  ...['CephRBDMirror', 'CephFilesystemMirror', 'CephCOSIDriver', 'CephNVMeOFGateway'].map((kind) =>
    row('ceph.rook.io/v1', kind, { spec: {} }, 'spec.placement.nodeAffinity'),
  ),

  row(
    'leaderworkerset.x-k8s.io/v1',
    'LeaderWorkerSet',
    { spec: { replicas: 2, leaderWorkerTemplate: leaders } },
    ...leaderPlaces('spec'),
  ),
  row(
    'disaggregatedset.x-k8s.io/v1',
    'DisaggregatedSet',
    { spec: { roles: [{ name: 'a', spec: { replicas: 1, leaderWorkerTemplate: leaders } }] } },
    ...leaderPlaces('spec.roles[0].spec'),
  ),
  row(
    'jobset.x-k8s.io/v1alpha2',
    'JobSet',
    {
      spec: {
        replicatedJobs: [
          { name: 'a', replicas: 2, template: { spec: { parallelism: 3, template: pod } } },
          { name: 'b', template: { spec: { template: pod } } },
        ],
      },
    },
    ...[0, 1].map((index) => `spec.replicatedJobs[${index}].template.spec.template.spec.affinity.nodeAffinity`),
  ),
  row('ray.io/v1', 'RayCluster', { spec: ray }, ...rayPlaces('spec')),
  row(
    'ray.io/v1',
    'RayJob',
    { spec: { rayClusterSpec: ray, submitterPodTemplate: pod } },
    'spec.submitterPodTemplate.spec.affinity.nodeAffinity',
    ...rayPlaces('spec.rayClusterSpec'),
  ),
  row(
    'ray.io/v1',
    'RayCronJob',
    { spec: { schedule: '* * * * *', jobTemplate: { submissionMode: 'HTTPMode', rayClusterSpec: ray } } },
    ...rayPlaces('spec.jobTemplate.rayClusterSpec'),
  ),
  row('ray.io/v1', 'RayService', { spec: { rayClusterConfig: ray } }, ...rayPlaces('spec.rayClusterConfig')),

  row('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { spec: spark }, ...sparkPlaces('spec')),
  row(
    'sparkoperator.k8s.io/v1beta2',
    'ScheduledSparkApplication',
    { spec: { schedule: '@every 1h', template: spark } },
    ...sparkPlaces('spec.template'),
  ),
  row(
    'sparkoperator.k8s.io/v1alpha1',
    'SparkConnect',
    { spec: { sparkVersion: '4.0.0', server: {}, executor: { instances: 1 } } },
    ...['server', 'executor'].map((part) => `spec.${part}.template.spec.affinity.nodeAffinity`),
  ),
  row(
    'spark.apache.org/v1',
    'SparkApplication',
    { spec: { driverSpec: { podTemplateSpec: pod }, executorSpec: { podTemplateSpec: pod } } },
    ...['driverSpec', 'executorSpec'].map((part) => `spec.${part}.podTemplateSpec.spec.affinity.nodeAffinity`),
  ),
  row(
    'spark.apache.org/v1',
    'SparkCluster',
    {
      spec: { masterSpec: { statefulSetSpec: { template: pod } }, workerSpec: { statefulSetSpec: { template: pod } } },
    },
    ...['masterSpec', 'workerSpec'].map((part) => `spec.${part}.statefulSetSpec.template.spec.affinity.nodeAffinity`),
  ),

  kubeflow('kubeflow.org/v1', 'JAXJob', 'jaxReplicaSpecs'),
  kubeflow('kubeflow.org/v2beta1', 'MPIJob', 'mpiReplicaSpecs'),
  kubeflow('kubeflow.org/v1', 'PaddleJob', 'paddleReplicaSpecs'),
  kubeflow('kubeflow.org/v1', 'PyTorchJob', 'pytorchReplicaSpecs'),
  kubeflow('kubeflow.org/v1', 'TFJob', 'tfReplicaSpecs'),
  kubeflow('kubeflow.org/v1', 'XGBoostJob', 'xgbReplicaSpecs'),

  row('apps.openshift.io/v1', 'DeploymentConfig', { spec: { selector: { app: 'web' }, template: pod } }, PODS),
  row(
    'keda.sh/v1alpha1',
    'ScaledJob',
    { spec: { jobTargetRef: { template: pod }, triggers: [{ type: 'cron', metadata: {} }] } },
    'spec.jobTargetRef.template.spec.affinity.nodeAffinity',
  ),
];

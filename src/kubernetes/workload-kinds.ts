/**
 * A kind of objects whose controller makes Pods, and where the objects say how.
 *
 * A path has names of fields, `[*]` for every item of a list or every value of a map, and `?` after a field that is only followed if it is set: at
 * `spec.a?.nodeAffinity` nothing is added to an object without `spec.a`.
 */
export interface WorkloadKind {
  /** `Kind.group`, as in Kubernetes' GroupKind; only the kind in the core group. */
  readonly kind: string;
  /** The versions of the group with these paths.
   * @default - all */
  readonly versions?: readonly string[];
  /** Paths of the Pod templates, each with the paths of the numbers whose product is the number of its Pods. */
  readonly templates?: Readonly<Record<string, readonly string[] | 'every node'>>;
  /** Paths of node affinities outside of a Pod template. */
  readonly nodeAffinities?: readonly (string | NodeAffinityPath)[];
  /** Path of the label selector for the Pods.
   * @default - the controller makes one */
  readonly selector?: string;
  /** Why an object without any of these is complete, and needs no exclusion of its own.
   * @default - such an object is invalid or a part of one */
  readonly withoutPods?: string;
}

/** The path of a node affinity that applies only to some objects of its kind. */
export interface NodeAffinityPath {
  readonly path: string;
  /** Nothing is added to an object without this field. */
  readonly when?: string;
  /** Nothing is added to an object with this field, because it would replace an affinity that is inherited; an own one is still changed. */
  readonly unless?: string;
}

const AFFINITY = 'affinity.nodeAffinity';

/** YurtAppSet and YurtAppDaemon: an object has exactly one of them. */
function yurtApp(...bases: readonly string[]): Record<string, readonly string[]> {
  const specs = bases.flatMap((base) => [`${base}.deploymentTemplate.spec`, `${base}.statefulSetTemplate.spec`]);
  return Object.fromEntries(specs.map((spec) => [`${spec}.template`, [`${spec}.replicas`]]));
}

/** The affinity of a template replaces that of the Workflow (workflow/controller/workflowpod.go, addSchedulingConstraints). */
function workflow(spec: string): (string | NodeAffinityPath)[] {
  const template = `${spec}.templates[*]`;
  const own = [
    `${spec}.templateDefaults`,
    template,
    `${template}.dag.tasks[*].inline`,
    `${template}.steps[*][*].inline`,
  ];
  return [
    { path: `${spec}.${AFFINITY}`, unless: `${spec}.workflowTemplateRef` },
    ...own.map((at) => `${at}.affinity?.nodeAffinity`),
  ];
}

/** The affinity of the driver and of the executor replaces that of its template (internal/webhook/sparkpod_defaulter.go). */
function spark(spec: string): (string | NodeAffinityPath)[] {
  return [`${spec}.driver`, `${spec}.executor`].flatMap((pod) => [
    { path: `${pod}.${AFFINITY}`, unless: `${pod}.template.spec.affinity` },
    `${pod}.template.spec.affinity?.nodeAffinity`,
  ]);
}

function rayCluster(spec: string): Record<string, readonly string[]> {
  const workers = `${spec}.workerGroupSpecs[*]`;
  return { [`${spec}.headGroupSpec.template`]: [], [`${workers}.template`]: [`${workers}.replicas`] };
}

function leaderWorkers(spec: string): Record<string, readonly string[]> {
  const { replicas, template } = { replicas: `${spec}.replicas`, template: `${spec}.leaderWorkerTemplate` };
  return {
    [`${template}.leaderTemplate`]: [replicas],
    [`${template}.workerTemplate`]: [replicas, `${template}.size`],
  };
}

function volcanoTasks(spec: string): Record<string, readonly string[]> {
  return { [`${spec}.tasks[*].template`]: [`${spec}.tasks[*].replicas`] };
}

function kubeflowReplicas(field: string): Record<string, readonly string[]> {
  return { [`spec.${field}[*].template`]: [`spec.${field}[*].replicas`] };
}

const OF_WORKFLOW_TEMPLATE = 'its Pods are those of the WorkflowTemplate in workflowTemplateRef';
const REPLICAS = { 'spec.template': ['spec.replicas'] };
const PARALLELISM = { 'spec.template': ['spec.parallelism'] };
const selector = 'spec.selector';

/**
 * The known kinds. Each row names the file in which its paths were read: a CustomResourceDefinition where there is one, and the code that decides which of
 * several affinities counts.
 */
export const WORKLOADS: readonly WorkloadKind[] = [
  // Kubernetes staging/src/k8s.io/api: core/v1, apps/v1 and batch/v1 types.go
  { kind: 'Pod', templates: { '': [] } },
  { kind: 'PodTemplate', templates: { template: [] } },
  { kind: 'ReplicationController', templates: REPLICAS, selector },
  { kind: 'Deployment.apps', templates: REPLICAS, selector },
  { kind: 'DaemonSet.apps', templates: { 'spec.template': 'every node' }, selector },
  { kind: 'StatefulSet.apps', templates: REPLICAS, selector },
  { kind: 'ReplicaSet.apps', templates: REPLICAS, selector },
  { kind: 'ControllerRevision.apps', withoutPods: 'it is a stored revision of another workload' },
  { kind: 'Job.batch', templates: PARALLELISM },
  { kind: 'CronJob.batch', templates: { 'spec.jobTemplate.spec.template': ['spec.jobTemplate.spec.parallelism'] } },

  // openyurt 1.4 to 1.7 pkg/apis/apps/v1alpha1 and v1beta1: yurtappset_types.go, yurtappdaemon_types.go, yurtstaticset_types.go
  {
    kind: 'YurtAppSet.apps.openyurt.io',
    templates: yurtApp('spec.workloadTemplate', 'spec.workload.workloadTemplate'),
  },
  { kind: 'YurtAppDaemon.apps.openyurt.io', templates: yurtApp('spec.workloadTemplate'), selector },
  { kind: 'YurtStaticSet.apps.openyurt.io', templates: { 'spec.template': [] } },
  // openyurt 1.4 to 1.7 pkg/apis/apps/v1alpha1/yurtappoverrider_types.go
  { kind: 'YurtAppOverrider.apps.openyurt.io', withoutPods: 'it patches other workloads' },
  // openyurt 1.7.0 charts/yurt-manager/crds/iot.openyurt.io_platformadmins.yaml; only v1alpha1 has Deployments of the user
  {
    kind: 'PlatformAdmin.iot.openyurt.io',
    versions: ['v1alpha1'],
    templates: { 'spec.additionalDeployments[*].spec.template': ['spec.additionalDeployments[*].spec.replicas'] },
    withoutPods: 'its Pods run in the pools that it names',
  },
  {
    kind: 'PlatformAdmin.iot.openyurt.io',
    versions: ['v1alpha2', 'v1beta1'],
    withoutPods: 'its Pods run in the pools that it names',
  },

  // argo-rollouts 1.9.1 manifests/crds/rollout-crd.yaml
  {
    kind: 'Rollout.argoproj.io',
    templates: REPLICAS,
    selector,
    withoutPods: 'its Pods are those of the Deployment in spec.workloadRef',
  },
  // argo-rollouts 1.9.1 manifests/crds/experiment-crd.yaml
  { kind: 'Experiment.argoproj.io', templates: { 'spec.templates[*].template': ['spec.templates[*].replicas'] } },
  // argo-rollouts 1.9.1 manifests/crds: analysis-run-crd.yaml, analysis-template-crd.yaml, cluster-analysis-template-crd.yaml
  ...['AnalysisRun', 'AnalysisTemplate', 'ClusterAnalysisTemplate'].map((kind) => ({
    kind: `${kind}.argoproj.io`,
    templates: { 'spec.metrics[*].provider.job.spec.template': [] },
    withoutPods: 'none of its metrics is a Job',
  })),

  // argo-workflows 4.1.2 manifests/base/crds/full/argoproj.io_workflows.yaml
  { kind: 'Workflow.argoproj.io', nodeAffinities: workflow('spec'), withoutPods: OF_WORKFLOW_TEMPLATE },
  // argo-workflows 4.1.2 manifests/base/crds/full/argoproj.io_cronworkflows.yaml
  {
    kind: 'CronWorkflow.argoproj.io',
    nodeAffinities: workflow('spec.workflowSpec'),
    withoutPods: OF_WORKFLOW_TEMPLATE,
  },
  // argo-workflows 4.1.2 manifests/base/crds/full/argoproj.io_workflowtemplates.yaml
  { kind: 'WorkflowTemplate.argoproj.io', nodeAffinities: workflow('spec'), withoutPods: OF_WORKFLOW_TEMPLATE },
  // argo-workflows 4.1.2 manifests/base/crds/full/argoproj.io_clusterworkflowtemplates.yaml
  { kind: 'ClusterWorkflowTemplate.argoproj.io', nodeAffinities: workflow('spec'), withoutPods: OF_WORKFLOW_TEMPLATE },

  // kruise 1.9.0 apis/apps/v1alpha1/cloneset_types.go
  { kind: 'CloneSet.apps.kruise.io', templates: REPLICAS, selector },
  // kruise 1.9.0 apis/apps/v1beta1/statefulset_types.go
  { kind: 'StatefulSet.apps.kruise.io', templates: REPLICAS, selector },
  // kruise 1.9.0 apis/apps/v1beta1/daemonset_types.go
  { kind: 'DaemonSet.apps.kruise.io', templates: { 'spec.template': 'every node' }, selector },
  // kruise 1.9.0 apis/apps/v1beta1/broadcastjob_types.go
  { kind: 'BroadcastJob.apps.kruise.io', templates: { 'spec.template': 'every node' } },
  // kruise 1.9.0 apis/apps/v1beta1/advancedcronjob_types.go
  {
    kind: 'AdvancedCronJob.apps.kruise.io',
    templates: {
      'spec.template.jobTemplate.spec.template': ['spec.template.jobTemplate.spec.parallelism'],
      'spec.template.broadcastJobTemplate.spec.template': 'every node',
    },
    withoutPods: 'it only pulls images',
  },
  // kruise 1.9.0 apis/apps/v1alpha1/uniteddeployment_types.go; its subsets add to the terms (pkg/controller/uniteddeployment/adapter/adapter_util.go)
  {
    kind: 'UnitedDeployment.apps.kruise.io',
    templates: Object.fromEntries(
      ['statefulSet', 'advancedStatefulSet', 'cloneSet', 'deployment'].map((one) => [
        `spec.template.${one}Template.spec.template`,
        ['spec.replicas'],
      ]),
    ),
    selector,
  },
  // kruise 1.9.0 apis/apps/v1beta1/sidecarset_types.go
  { kind: 'SidecarSet.apps.kruise.io', withoutPods: 'it adds containers to the Pods of other workloads' },
  // kruise 1.9.0 apis/apps/v1alpha1/containerrecreaterequest_types.go
  { kind: 'ContainerRecreateRequest.apps.kruise.io', withoutPods: 'it restarts containers of a Pod' },

  // volcano 1.15.1 config/crd/volcano/bases/batch.volcano.sh_jobs.yaml
  { kind: 'Job.batch.volcano.sh', templates: volcanoTasks('spec') },
  // volcano 1.15.1 config/crd/volcano/bases/batch.volcano.sh_cronjobs.yaml
  { kind: 'CronJob.batch.volcano.sh', templates: volcanoTasks('spec.jobTemplate.spec') },
  // volcano 1.15.1 config/crd/jobflow/bases/flow.volcano.sh_jobtemplates.yaml
  { kind: 'JobTemplate.flow.volcano.sh', templates: volcanoTasks('spec') },

  // knative serving 1.23.0 config/core/300-resources/service.yaml
  { kind: 'Service.serving.knative.dev', templates: { 'spec.template': [] } },
  // knative serving 1.23.0 config/core/300-resources/configuration.yaml
  { kind: 'Configuration.serving.knative.dev', templates: { 'spec.template': [] } },

  // kubevirt 1.9.0 staging/src/kubevirt.io/api/core/v1/types.go; the launcher Pod gets the affinity (pkg/virt-controller/services/template.go)
  { kind: 'VirtualMachine.kubevirt.io', nodeAffinities: [`spec.template.spec.${AFFINITY}`] },
  { kind: 'VirtualMachineInstance.kubevirt.io', nodeAffinities: [`spec.${AFFINITY}`] },
  { kind: 'VirtualMachineInstanceReplicaSet.kubevirt.io', nodeAffinities: [`spec.template.spec.${AFFINITY}`] },
  // kubevirt 1.9.0 staging/src/kubevirt.io/api/pool/v1beta1/types.go
  {
    kind: 'VirtualMachinePool.pool.kubevirt.io',
    nodeAffinities: [`spec.virtualMachineTemplate.spec.template.spec.${AFFINITY}`],
  },

  // tekton pipeline 1.15.0 config/300-crds/300-taskrun.yaml
  { kind: 'TaskRun.tekton.dev', versions: ['v1', 'v1beta1'], nodeAffinities: [`spec.podTemplate.${AFFINITY}`] },
  // tekton pipeline 1.15.0 config/300-crds/300-pipelinerun.yaml; an affinity of one task replaces the common one (pkg/apis/pipeline/pod/template.go)
  {
    kind: 'PipelineRun.tekton.dev',
    versions: ['v1'],
    nodeAffinities: [
      `spec.taskRunTemplate.podTemplate.${AFFINITY}`,
      'spec.taskRunSpecs[*].podTemplate.affinity?.nodeAffinity',
    ],
  },
  {
    kind: 'PipelineRun.tekton.dev',
    versions: ['v1beta1'],
    nodeAffinities: [`spec.podTemplate.${AFFINITY}`, 'spec.taskRunSpecs[*].taskPodTemplate.affinity?.nodeAffinity'],
  },

  // prometheus-operator 0.93.0 example/prometheus-operator-crd: alertmanagers, prometheuses, prometheusagents, thanosrulers
  ...['Alertmanager', 'Prometheus', 'PrometheusAgent', 'ThanosRuler'].map((kind) => ({
    kind: `${kind}.monitoring.coreos.com`,
    nodeAffinities: [`spec.${AFFINITY}`],
  })),

  // cloudnative-pg 1.30.0 config/crd/bases/postgresql.cnpg.io_clusters.yaml; nodeSelector and tolerations are in spec.affinity too
  { kind: 'Cluster.postgresql.cnpg.io', nodeAffinities: [`spec.${AFFINITY}`] },
  // cloudnative-pg 1.30.0 config/crd/bases/postgresql.cnpg.io_poolers.yaml
  { kind: 'Pooler.postgresql.cnpg.io', templates: { 'spec.template': ['spec.instances'] } },

  // strimzi 1.2.0 and 0.45.0 packaging/install/cluster-operator/040-Crd-kafka.yaml
  {
    kind: 'Kafka.kafka.strimzi.io',
    nodeAffinities: ['kafka', 'zookeeper?', 'entityOperator?', 'cruiseControl?', 'kafkaExporter?', 'jmxTrans?'].map(
      (part) => `spec.${part}.template.pod.${AFFINITY}`,
    ),
  },
  // strimzi 1.2.0 045-Crd-kafkanodepool.yaml; template.pod replaces that of the Kafka (cluster-operator KafkaPool.java, processTemplate)
  {
    kind: 'KafkaNodePool.kafka.strimzi.io',
    nodeAffinities: [`spec.template.pod?.${AFFINITY}`],
    withoutPods: 'its Pods have the template of the Kafka (spec.kafka.template.pod)',
  },
  // strimzi 1.2.0 041-Crd-kafkaconnect.yaml, 048-Crd-kafkamirrormaker2.yaml
  ...['KafkaConnect', 'KafkaMirrorMaker2'].map((kind) => ({
    kind: `${kind}.kafka.strimzi.io`,
    nodeAffinities: [
      `spec.template.pod.${AFFINITY}`,
      { path: `spec.template.buildPod.${AFFINITY}`, when: 'spec.build' },
    ],
  })),
  // strimzi 1.2.0 046-Crd-kafkabridge.yaml, 0.45.0 045-Crd-kafkamirrormaker.yaml
  { kind: 'KafkaBridge.kafka.strimzi.io', nodeAffinities: [`spec.template.pod.${AFFINITY}`] },
  { kind: 'KafkaMirrorMaker.kafka.strimzi.io', nodeAffinities: [`spec.template.pod.${AFFINITY}`] },

  // rook 1.20.6 deploy/examples/crds.yaml; a node affinity of one daemon replaces that of all (pkg/apis/ceph.rook.io/v1/placement.go), the arbiter's
  // placement always does (pkg/operator/ceph/cluster/mon/mon.go), and onlyApplyOSDPlacement leaves out that of all (cluster/osd/spec.go)
  {
    kind: 'CephCluster.ceph.rook.io',
    nodeAffinities: [
      'spec.placement.all.nodeAffinity',
      'spec.placement.arbiter?.nodeAffinity',
      'spec.placement[*].nodeAffinity?',
      ...['placement', 'preparePlacement'].map((one) => `spec.storage.storageClassDeviceSets[*].${one}.nodeAffinity?`),
      ...[
        'spec.placement.osd',
        'spec.storage.storageClassDeviceSets[*].placement',
        'spec.storage.storageClassDeviceSets[*].preparePlacement?',
      ].map((one) => ({ path: `${one}.nodeAffinity`, when: 'spec.storage.onlyApplyOSDPlacement' })),
    ],
  },
  { kind: 'CephFilesystem.ceph.rook.io', nodeAffinities: ['spec.metadataServer.placement.nodeAffinity'] },
  { kind: 'CephObjectStore.ceph.rook.io', nodeAffinities: ['spec.gateway.placement.nodeAffinity'] },
  { kind: 'CephNFS.ceph.rook.io', nodeAffinities: ['spec.server.placement.nodeAffinity'] },
  ...['CephRBDMirror', 'CephFilesystemMirror', 'CephCOSIDriver', 'CephNVMeOFGateway'].map((kind) => ({
    kind: `${kind}.ceph.rook.io`,
    nodeAffinities: ['spec.placement.nodeAffinity'],
  })),

  // lws 0.10.0 config/crd/bases: leaderworkerset.x-k8s.io_leaderworkersets.yaml, disaggregatedset.x-k8s.io_disaggregatedsets.yaml
  { kind: 'LeaderWorkerSet.leaderworkerset.x-k8s.io', templates: leaderWorkers('spec') },
  { kind: 'DisaggregatedSet.disaggregatedset.x-k8s.io', templates: leaderWorkers('spec.roles[*].spec') },

  // jobset 0.12.0 config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml
  {
    kind: 'JobSet.jobset.x-k8s.io',
    templates: {
      'spec.replicatedJobs[*].template.spec.template': [
        'spec.replicatedJobs[*].replicas',
        'spec.replicatedJobs[*].template.spec.parallelism',
      ],
    },
  },

  // kuberay 1.7.0 ray-operator/config/crd/bases: ray.io_rayclusters.yaml, ray.io_rayjobs.yaml, ray.io_raycronjobs.yaml, ray.io_rayservices.yaml
  { kind: 'RayCluster.ray.io', templates: rayCluster('spec') },
  { kind: 'RayJob.ray.io', templates: { ...rayCluster('spec.rayClusterSpec'), 'spec.submitterPodTemplate': [] } },
  {
    kind: 'RayCronJob.ray.io',
    templates: { ...rayCluster('spec.jobTemplate.rayClusterSpec'), 'spec.jobTemplate.submitterPodTemplate': [] },
  },
  { kind: 'RayService.ray.io', templates: rayCluster('spec.rayClusterConfig') },

  // spark-operator 2.5.2 config/crd/bases: sparkapplications, scheduledsparkapplications, sparkconnects (internal/controller/sparkconnect/reconciler.go)
  { kind: 'SparkApplication.sparkoperator.k8s.io', nodeAffinities: spark('spec') },
  { kind: 'ScheduledSparkApplication.sparkoperator.k8s.io', nodeAffinities: spark('spec.template') },
  {
    kind: 'SparkConnect.sparkoperator.k8s.io',
    nodeAffinities: ['server', 'executor'].map((part) => `spec.${part}.template.spec.${AFFINITY}`),
  },
  // spark-kubernetes-operator (2026-08) build-tools/helm/spark-kubernetes-operator/crds
  {
    kind: 'SparkApplication.spark.apache.org',
    templates: { 'spec.driverSpec.podTemplateSpec': [], 'spec.executorSpec.podTemplateSpec': [] },
  },
  {
    kind: 'SparkCluster.spark.apache.org',
    templates: Object.fromEntries(
      ['masterSpec', 'workerSpec'].map((part) => [`spec.${part}.statefulSetSpec.template`, []]),
    ),
  },

  // kubeflow trainer 1.9.4 manifests/base/crds, mpi-operator 0.8.0 manifests/base/kubeflow.org_mpijobs.yaml
  { kind: 'JAXJob.kubeflow.org', templates: kubeflowReplicas('jaxReplicaSpecs') },
  { kind: 'MPIJob.kubeflow.org', templates: kubeflowReplicas('mpiReplicaSpecs') },
  { kind: 'PaddleJob.kubeflow.org', templates: kubeflowReplicas('paddleReplicaSpecs') },
  { kind: 'PyTorchJob.kubeflow.org', templates: kubeflowReplicas('pytorchReplicaSpecs') },
  { kind: 'TFJob.kubeflow.org', templates: kubeflowReplicas('tfReplicaSpecs') },
  { kind: 'XGBoostJob.kubeflow.org', templates: kubeflowReplicas('xgbReplicaSpecs') },

  // openshift api (2026-08) apps/v1/types.go
  { kind: 'DeploymentConfig.apps.openshift.io', templates: REPLICAS, selector },
  // keda 2.20.2 config/crd/bases/keda.sh_scaledjobs.yaml
  { kind: 'ScaledJob.keda.sh', templates: { 'spec.jobTargetRef.template': ['spec.jobTargetRef.parallelism'] } },
];

const of = (group: string, ...kinds: string[]): string[] => kinds.map((kind) => `${kind}.${group}`);

/**
 * Kinds whose operators make Pods of every object, also of one without any field of a Pod spec, `Kind.group`. Where their affinity is differs from version
 * to version; kinds whose place is known are in workload-kinds.ts. A kind that is missing here is judged by its fields alone.
 */
export const POD_MAKERS: ReadonlySet<string> = new Set([
  ...of('elasticsearch.k8s.elastic.co', 'Elasticsearch'),
  ...of('kibana.k8s.elastic.co', 'Kibana'),
  ...of('apm.k8s.elastic.co', 'ApmServer'),
  ...of('beat.k8s.elastic.co', 'Beat'),
  ...of('agent.k8s.elastic.co', 'Agent'),
  ...of('enterprisesearch.k8s.elastic.co', 'EnterpriseSearch'),
  ...of('maps.k8s.elastic.co', 'ElasticMapsServer'),
  ...of('logstash.k8s.elastic.co', 'Logstash'),
  ...of('opensearch.opster.io', 'OpenSearchCluster'),
  ...of('solr.apache.org', 'SolrCloud'),
  ...of('rabbitmq.com', 'RabbitmqCluster'),
  ...of('broker.amq.io', 'ActiveMQArtemis'),
  ...of('zookeeper.pravega.io', 'ZookeeperCluster'),
  ...of('acid.zalan.do', 'postgresql'),
  ...of('postgres-operator.crunchydata.com', 'PostgresCluster', 'PGAdmin'),
  ...of('pgv2.percona.com', 'PerconaPGCluster'),
  ...of('psmdb.percona.com', 'PerconaServerMongoDB'),
  ...of('pxc.percona.com', 'PerconaXtraDBCluster'),
  ...of('ps.percona.com', 'PerconaServerMySQL'),
  ...of('mysql.oracle.com', 'InnoDBCluster'),
  ...of('moco.cybozu.com', 'MySQLCluster'),
  ...of('k8s.mariadb.com', 'MariaDB', 'MaxScale'),
  ...of('mongodbcommunity.mongodb.com', 'MongoDBCommunity'),
  ...of('databases.spotahome.com', 'RedisFailover'),
  ...of('redis.redis.opstreelabs.in', 'Redis', 'RedisCluster', 'RedisReplication', 'RedisSentinel'),
  ...of('dragonflydb.io', 'Dragonfly'),
  ...of('cassandra.datastax.com', 'CassandraDatacenter'),
  ...of('k8ssandra.io', 'K8ssandraCluster'),
  ...of('scylla.scylladb.com', 'ScyllaCluster'),
  ...of('pingcap.com', 'TidbCluster'),
  ...of('crdb.cockroachlabs.com', 'CrdbCluster'),
  ...of('clickhouse.altinity.com', 'ClickHouseInstallation'),
  ...of('clickhouse-keeper.altinity.com', 'ClickHouseKeeperInstallation'),
  ...of('flink.apache.org', 'FlinkDeployment'),
  ...of('druid.apache.org', 'Druid'),
  ...of('minio.min.io', 'Tenant'),
  ...of('operator.victoriametrics.com', 'VMAgent', 'VMAlert', 'VMAlertmanager', 'VMAuth', 'VMCluster', 'VMSingle'),
  ...of('grafana.integreatly.org', 'Grafana'),
  ...of('loki.grafana.com', 'LokiStack'),
  ...of('tempo.grafana.com', 'TempoMonolithic', 'TempoStack'),
  ...of('jaegertracing.io', 'Jaeger'),
  ...of('opentelemetry.io', 'OpenTelemetryCollector', 'TargetAllocator'),
  ...of('kiali.io', 'Kiali'),
  ...of('k8s.keycloak.org', 'Keycloak'),
  ...of('vault.banzaicloud.com', 'Vault'),
  ...of('operator.tigera.io', 'APIServer', 'Installation', 'Goldmane', 'Whisker'),
  ...of('install.istio.io', 'IstioOperator'),
  ...of('sailoperator.io', 'Istio', 'IstioCNI', 'ZTunnel'),
  ...of('metallb.io', 'MetalLB'),
  ...of('nmstate.io', 'NMState'),
  ...of('nvidia.com', 'ClusterPolicy', 'NVIDIADriver'),
  ...of('nfd.kubernetes.io', 'NodeFeatureDiscovery'),
  ...of('nfd.openshift.io', 'NodeFeatureDiscovery'),
  ...of('kubevirt.io', 'KubeVirt'),
  ...of('cdi.kubevirt.io', 'CDI', 'DataVolume'),
  ...of('hco.kubevirt.io', 'HyperConverged'),
  ...of('core.libopenstorage.org', 'StorageCluster'),
  ...of('argoproj.io', 'ArgoCD'),
  ...of('operator.tekton.dev', 'TektonConfig', 'TektonPipeline', 'TektonTrigger', 'TektonDashboard'),
  ...of('operator.knative.dev', 'KnativeEventing', 'KnativeServing'),
  ...of('machinelearning.seldon.io', 'SeldonDeployment'),
  ...of('serving.kserve.io', 'InferenceService', 'InferenceGraph'),
  ...of('kubernetes.dask.org', 'DaskCluster', 'DaskJob', 'DaskWorkerGroup'),
  ...of('awx.ansible.com', 'AWX'),
  ...of('jenkins.io', 'Jenkins'),
  ...of('couchbase.com', 'CouchbaseCluster'),
  ...of('planetscale.com', 'VitessCluster'),
  // agents and drivers, which run on every node
  ...of('datadoghq.com', 'DatadogAgent'),
  ...of('deviceplugin.intel.com', 'GpuDevicePlugin'),
  ...of('dynatrace.com', 'DynaKube'),
  ...of('flows.netobserv.io', 'FlowCollector'),
  ...of('fluentbit.fluent.io', 'FluentBit'),
  ...of('instana.io', 'InstanaAgent'),
  ...of('logging.banzaicloud.io', 'FluentbitAgent'),
  ...of('mellanox.com', 'NicClusterPolicy'),
  ...of('networkaddonsoperator.network.kubevirt.io', 'NetworkAddonsConfig'),
  ...of('sriovnetwork.openshift.io', 'SriovOperatorConfig'),
  ...of('trident.netapp.io', 'TridentOrchestrator'),
]);

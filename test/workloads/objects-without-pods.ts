/** Objects without Pods that have something of them, each with its source. */
export const containers = [{ name: 'app', image: 'app:1' }];
export const nodeAffinity = (key: string): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }],
    },
  },
});
export const manifest = (kind: string, apiVersion: string, fields: object): any => ({
  apiVersion,
  kind,
  metadata: { name: 'web' },
  ...fields,
});

export const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers } } },
};
export const YAML = [
  'apiVersion: v1',
  'kind: Pod',
  'spec:',
  '  containers:',
  '    - image: app',
  '      name: app',
  '',
].join('\n');

const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
const tolerations = [{ key: 'gpu', operator: 'Exists' }];

export const objectsWithoutPods: [source: string, given: any][] = [
  [
    'kubernetes api/core/v1: the node affinity of a volume',
    manifest('PersistentVolume', 'v1', { spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } } }),
  ],
  [
    'kubernetes api/storage/v1',
    manifest('StorageClass', 'storage.k8s.io/v1', {
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    }),
  ],
  [
    'kubernetes api/core/v1',
    manifest('Service', 'v1', { spec: { selector: { app: 'web' }, ports: [{ name: 'http' }] } }),
  ],
  [
    'kubernetes api/node/v1',
    manifest('RuntimeClass', 'node.k8s.io/v1', {
      handler: 'kata',
      scheduling: { nodeSelector: { a: 'b' }, tolerations },
    }),
  ],
  [
    'kubernetes api/core/v1, two fields of Pod specs',
    manifest('ServiceAccount', 'v1', { automountServiceAccountToken: true, imagePullSecrets: [{ name: 'a' }] }),
  ],
  [
    'a ConfigMap with other text',
    manifest('ConfigMap', 'v1', {
      data: { 'app.yaml': 'containers: 2\n', 'nginx.conf': 'server {}', names: 'containers:\n  - web\n' },
    }),
  ],
  ['a Secret with a manifest', manifest('Secret', 'v1', { stringData: { 'pod.yaml': YAML } })],
  [
    'kubernetes api/autoscaling/v2',
    manifest('HorizontalPodAutoscaler', 'autoscaling/v2', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    }),
  ],
  [
    'keda config/samples/keda_v1alpha1_scaledobject.yaml',
    manifest('ScaledObject', 'keda.sh/v1alpha1', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    }),
  ],
  [
    'openyurt pkg/apis/apps/v1beta2/nodepool_types.go',
    manifest('NodePool', 'apps.openyurt.io/v1beta2', {
      spec: { type: 'Edge', taints: [{ key: 'a', effect: 'NoSchedule' }] },
    }),
  ],
  [
    'karpenter pkg/apis/v1/nodepool.go',
    manifest('NodePool', 'karpenter.sh/v1', {
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            taints: [{ key: 'a', effect: 'NoSchedule' }],
            terminationGracePeriod: '48h',
          },
        },
      },
    }),
  ],
  [
    'karpenter pkg/apis/v1/nodeclaim.go',
    manifest('NodeClaim', 'karpenter.sh/v1', {
      spec: {
        requirements: [{ key: 'zone', operator: 'In', values: ['a'] }],
        taints: [{ key: 'a', effect: 'NoSchedule' }],
      },
    }),
  ],
  [
    'fluxcd/pkg kustomize/testdata/kustomization.yaml',
    manifest('Kustomization', 'kustomize.toolkit.fluxcd.io/v1', {
      spec: { serviceAccountName: 'flux', patches: [{ patch: YAML }] },
    }),
  ],
  [
    'argoproj/argo-cd docs: the values of a new chart (helm create)',
    manifest('Application', 'argoproj.io/v1alpha1', {
      spec: {
        source: {
          helm: {
            valuesObject: {
              affinity: {},
              nodeSelector: {},
              tolerations: [],
              imagePullSecrets: [],
              securityContext: {},
              podSecurityContext: {},
            },
            values: 'affinity: {}\nnodeSelector: {}\ntolerations: []\n',
          },
        },
      },
    }),
  ],
  [
    'kubernetes-sigs/kueue cmd/kueueviz/examples/00-resource-flavor.yaml',
    manifest('ResourceFlavor', 'kueue.x-k8s.io/v1beta1', { spec: { nodeLabels: { a: 'b' }, tolerations } }),
  ],
  [
    'open-cluster-management api cluster/v1beta1/types_placement.go',
    manifest('Placement', 'cluster.open-cluster-management.io/v1beta1', { spec: { tolerations } }),
  ],
  [
    'kyverno/policies other/prepend-image-registry/prepend-image-registry.yaml',
    manifest('ClusterPolicy', 'kyverno.io/v1', {
      spec: { rules: [{ mutate: { patchStrategicMerge: { spec: { containers: [{ name: 'a', image: 'b' }] } } } }] },
    }),
  ],
  [
    'k8snetworkplumbingwg/sriov-network-operator config/samples',
    manifest('SriovNetworkNodePolicy', 'sriovnetwork.openshift.io/v1', {
      spec: { nodeSelector: { 'feature.node.kubernetes.io/network-sriov.capable': 'true' }, numVfs: 6 },
    }),
  ],
  [
    'nmstate/kubernetes-nmstate docs: 104, Selecting Nodes',
    manifest('NodeNetworkConfigurationPolicy', 'nmstate.io/v1', {
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'node01' }, desiredState: { interfaces: [] } },
    }),
  ],
  [
    'openshift/hypershift docs: performance-profiling.md',
    manifest('PerformanceProfile', 'performance.openshift.io/v2', {
      spec: { nodeSelector: { 'node-role.kubernetes.io/worker-cnf': '' } },
    }),
  ],
  [
    'projectcalico api/v3: a selector as text',
    manifest('BGPPeer', 'crd.projectcalico.org/v1', { spec: { nodeSelector: "rack == 'a'" } }),
  ],
  [
    'cilium api/v2: a label selector',
    manifest('CiliumBGPClusterConfig', 'cilium.io/v2', { spec: { nodeSelector: { matchLabels: { rack: 'a' } } } }),
  ],
  [
    'metallb config/samples',
    manifest('L2Advertisement', 'metallb.io/v1beta1', {
      spec: { nodeSelectors: [{ matchLabels: { 'kubernetes.io/hostname': 'a' } }] },
    }),
  ],
  [
    'crossplane: a schema',
    manifest('CompositeResourceDefinition', 'apiextensions.crossplane.io/v2', {
      spec: { versions: [{ schema: { openAPIV3Schema: { default: { containers } } } }] },
    }),
  ],
  [
    'prometheus-operator: text with the word',
    manifest('PrometheusRule', 'monitoring.coreos.com/v1', {
      spec: {
        groups: [
          {
            rules: [
              { expr: 'kube_pod_init_containers', annotations: { description: 'containers: 2\n- name the Pod' } },
            ],
          },
        ],
      },
    }),
  ],
  ['an empty Pod template', manifest('Worker', 'example.com/v1', { spec: { podTemplate: {}, template: {} } })],
  [
    'what a controller reports',
    manifest('Worker', 'example.com/v1', { status: { affinity: nodeAffinity('a'), containers } }),
  ],
];

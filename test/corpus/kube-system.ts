/** Objects of kube-system and files of a control-plane node, as kubeadm writes them. */
import { yurthubRights } from '../../src/pools/node-conversion.js';
import { EdgeCluster } from 'edge-nodepools';
import { kubeadmCoreDns } from '../../src/preconditions/coredns-daemon-set.js';
import { CLUSTER_COREFILES } from './corefiles.js';

export const on = (openYurt: string, kubernetes = '1.29', distribution?: 'other'): EdgeCluster =>
  EdgeCluster.of({ openYurt, kubernetes, ...(distribution === undefined ? {} : { distribution }) });

export const COREFILE = CLUSTER_COREFILES['kubeadm up to 1.31'] as string;

export const corednsConfigMap = (corefile = COREFILE): any => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'coredns', namespace: 'kube-system' },
  data: { Corefile: corefile },
});

export const kubeDns = (extra: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kube-dns', namespace: 'kube-system', annotations: { 'prometheus.io/port': '9153' } },
  spec: {
    clusterIP: '10.0.0.10',
    ports: [{ name: 'dns', port: 53, protocol: 'UDP' }],
    selector: { 'k8s-app': 'kube-dns' },
    ...extra,
  },
});

export const corednsDeployment = (cluster = on('1.5')): any => kubeadmCoreDns(cluster);

export const CONFIG_CONF = `# of the platform team
apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0 # all of them
bindAddressHardFail: false
clientConnection:
  acceptContentTypes: ""
  burst: 0
  contentType: ""
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf # of kubeadm
  qps: 0
clusterCIDR: 100.64.0.0/10
aFieldOfTomorrow: 'yes'
conntrack:
  maxPerCore: null
kind: KubeProxyConfiguration
mode: ""
`;

export const kubeProxyConfigMap = (conf = CONFIG_CONF): any => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-proxy', namespace: 'kube-system', labels: { app: 'kube-proxy' } },
  data: { 'config.conf': conf, 'kubeconfig.conf': 'apiVersion: v1\nkind: Config\n' },
});

export const kubeProxyDaemonSet = (command: string[] = []): any => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-proxy', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { 'k8s-app': 'kube-proxy' } },
    template: {
      metadata: { labels: { 'k8s-app': 'kube-proxy' } },
      spec: {
        containers: [
          {
            name: 'kube-proxy',
            image: 'registry.k8s.io/kube-proxy:v1.29.0',
            command: ['/usr/local/bin/kube-proxy', '--config=/var/lib/kube-proxy/config.conf', ...command],
            resources: { requests: { cpu: '50m' } },
          },
        ],
        hostNetwork: true,
        tolerations: [{ operator: 'Exists' }],
      },
    },
  },
});

export const staticPod = (flag = '--controllers=*,bootstrapsigner,tokencleaner'): string => `apiVersion: v1
kind: Pod
metadata:
  labels:
    component: kube-controller-manager
    tier: control-plane
  name: kube-controller-manager
  namespace: kube-system
spec:
  containers:
  - command:
    - kube-controller-manager
    - --bind-address=127.0.0.1 # only here
${flag === '' ? '' : `    - ${flag}\n`}    - --use-service-account-credentials=true
    image: registry.k8s.io/kube-controller-manager:v1.29.0
    name: kube-controller-manager
    resources:
      requests:
        cpu: 200m
  hostNetwork: true
`;

export const V1BETA3 = `# first the node
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
kubernetesVersion: v1.29.0
controllerManager:
  extraArgs:
    bind-address: 0.0.0.0 # for the metrics
networking:
  podSubnet: 10.244.0.0/16
`;

export const V1BETA4 = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.34.0
controllerManager:
  extraArgs:
  - name: bind-address
    value: 0.0.0.0 # for the metrics
networking:
  podSubnet: 10.244.0.0/16
`;

/** What the documented dump reads besides workloads and kube-system: a NodePool, its Node, Namespaces, among them none of flannel, and what nodes may do. */
export function restOfDump(): any[] {
  const ofCluster = (kind: string, name: string, labels = {}): object => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, labels },
  });
  return [
    {
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name: 'beijing' },
      spec: { type: 'Edge', hostNetwork: true },
    },
    ofCluster('Namespace', 'kube-system'),
    ofCluster('Node', 'edge-1', { 'apps.openyurt.io/nodepool': 'beijing' }),
    ...yurthubRights(),
  ];
}

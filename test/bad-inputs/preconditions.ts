import type { Chart } from 'cdk8s';
import {
  CoreDnsDaemonSet,
  CoreDnsServiceTopology,
  EdgePreconditions,
  KubeControllerManagerControllers,
  KubeProxyConfiguration,
} from 'edge-nodepools';
import {
  CONFIG_CONF,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  on,
  staticPod,
  V1BETA3,
  V1BETA4,
} from '../corpus/kube-system.js';
import { type BadInput, untyped } from './case.js';

const cluster = on('1.5', '1.29');
const controllers = (props: object) => (chart: Chart) =>
  new KubeControllerManagerControllers(chart, 'controllers', untyped({ cluster, ...props }));
const service = (props: object) => (chart: Chart) =>
  new CoreDnsServiceTopology(chart, 'service', untyped({ cluster, ...props }));
const daemonSet = (props: object) => (chart: Chart) =>
  new CoreDnsDaemonSet(chart, 'coredns', untyped({ cluster, ...props }));
const kubeProxy = (props: object) => (chart: Chart) =>
  new KubeProxyConfiguration(
    chart,
    'kube-proxy',
    untyped({ cluster, era: 'tunnel', configMap: kubeProxyConfigMap(), ...props }),
  );
const all = (props: object) => (chart: Chart) => new EdgePreconditions(chart, 'all', untyped({ cluster, ...props }));
const conf = (text: string): object => ({ configMap: kubeProxyConfigMap(text) });
const without = (object: any, field: string): object => ({ ...object, [field]: undefined });

/** what, code, path, hint, make */
type Row = readonly [string, BadInput['code'], string, string, BadInput['make']];

const rows: Row[] = [
  ['preconditions without cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', all({ cluster: undefined })],
  ['preconditions of another era', 'EDGE_VALUE', 'era', 'tunnel', all({ era: 'raven' })],
  [
    'preconditions in a folder above',
    'EDGE_ARTIFACT',
    'artifactFolder',
    'preconditions',
    all({ artifactFolder: '../x' }),
  ],
  ['a precondition that does not exist', 'EDGE_UNKNOWN_PROPERTY', 'coreDns', 'coreDnsService', all({ coreDns: {} })],
  ['settings that are a word', 'EDGE_TYPE', 'kubeProxy', 'apply: true', all({ kubeProxy: 'yes' })],
  [
    'an unknown setting',
    'EDGE_UNKNOWN_PROPERTY',
    'kubeProxy.configmap',
    'configMap',
    all({ kubeProxy: { configmap: {} } }),
  ],
  ['apply in quotes', 'EDGE_TYPE', 'coreDnsService.apply', 'true or false', all({ coreDnsService: { apply: 'true' } })],
  [
    'the tunnel era without its objects',
    'EDGE_MISSING',
    'corefile.configMap',
    'get configmap coredns',
    all({ era: 'tunnel' }),
  ],
  [
    'a single precondition without cluster',
    'EDGE_MISSING',
    'cluster',
    'EdgeCluster.of',
    controllers({ cluster: undefined }),
  ],
  ['a single precondition of another era', 'EDGE_VALUE', 'era', 'release', service({ era: '2022' })],

  [
    'a controller that nobody knows',
    'EDGE_CONTROLLERS',
    'controllers',
    'nodelifecycle',
    controllers({ controllers: '*,nodelifecycles' }),
  ],
  [
    'a controller with a blank',
    'EDGE_CONTROLLERS',
    'controllers',
    'tokencleaner',
    controllers({ controllers: '*, tokencleaner' }),
  ],
  [
    'a long controller name before 1.28',
    'EDGE_CONTROLLERS',
    'controllers',
    'write bootstrapsigner',
    controllers({ cluster: on('1.4', '1.23'), controllers: '*,bootstrap-signer-controller' }),
  ],
  ['controllers as a list', 'EDGE_TYPE', 'controllers', 'tokencleaner', controllers({ controllers: ['*'] })],
  [
    'an unknown controller in the manifest',
    'EDGE_CONTROLLERS',
    'controllers',
    'remove it',
    controllers({ staticPod: staticPod('--controllers=*,weather') }),
  ],
  [
    'the manifest of a Deployment',
    'EDGE_WRONG_OBJECT',
    'staticPod',
    '/etc/kubernetes/manifests',
    controllers({ staticPod: 'kind: Deployment\n' }),
  ],
  [
    'the manifest of another Pod',
    'EDGE_WRONG_OBJECT',
    'staticPod',
    '/etc/kubernetes/manifests',
    controllers({ staticPod: staticPod().replaceAll('kube-controller-manager', 'kube-scheduler') }),
  ],
  ['a manifest that is no YAML', 'EDGE_YAML', 'staticPod', 'mend', controllers({ staticPod: 'kind: [' })],
  ['a manifest as an object', 'EDGE_TYPE', 'staticPod', 'text', controllers({ staticPod: {} })],
  ['a list for a manifest', 'EDGE_YAML', 'staticPod', 'apiVersion', controllers({ staticPod: '- a\n' })],
  [
    'a configuration of another kind',
    'EDGE_WRONG_OBJECT',
    'clusterConfiguration',
    'ClusterConfiguration',
    controllers({ clusterConfiguration: 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n' }),
  ],
  [
    'a configuration of another group',
    'EDGE_WRONG_OBJECT',
    'clusterConfiguration.apiVersion',
    'kubeadm.k8s.io',
    controllers({ clusterConfiguration: 'apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfiguration\n' }),
  ],
  [
    'arguments as a list in v1beta3',
    'EDGE_TYPE',
    'clusterConfiguration.controllerManager.extraArgs',
    'controllers',
    controllers({ clusterConfiguration: V1BETA4.replace('v1beta4', 'v1beta3') }),
  ],
  [
    'arguments as a map in v1beta4',
    'EDGE_TYPE',
    'clusterConfiguration.controllerManager.extraArgs',
    "name: 'controllers'",
    controllers({ clusterConfiguration: V1BETA3.replaceAll('v1beta3', 'v1beta4') }),
  ],
  [
    'the argument twice',
    'EDGE_DUPLICATE',
    'clusterConfiguration.controllerManager.extraArgs',
    'once',
    controllers({
      clusterConfiguration: V1BETA4.replace(
        / {2}- name: bind[^]*metrics\n/,
        '  - {name: controllers, value: a}\n  - {name: controllers, value: b}\n',
      ),
    }),
  ],
  [
    'a configuration that is no text',
    'EDGE_TYPE',
    'clusterConfiguration',
    'text',
    controllers({ clusterConfiguration: 4 }),
  ],
  [
    'a configuration that is no YAML',
    'EDGE_YAML',
    'clusterConfiguration',
    'mend',
    controllers({ clusterConfiguration: 'a: b: c' }),
  ],
  [
    'a word for yurt-manager',
    'EDGE_TYPE',
    'yurtManagerRunsNodeLifecycle',
    'true or false',
    controllers({ yurtManagerRunsNodeLifecycle: 'yes' }),
  ],

  ['an unknown topology', 'EDGE_VALUE', 'topology', 'annotation', service({ topology: 'zone' })],
  ['requests within the region', 'EDGE_VALUE', 'within', 'pool', service({ within: 'region' })],
  [
    'the annotation without OpenYurt',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'topology',
    'trafficDistribution',
    service({ cluster: on('none', '1.36'), topology: 'annotation' }),
  ],
  [
    'trafficDistribution before 1.31',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'topology',
    'annotation',
    service({ topology: 'trafficDistribution' }),
  ],
  [
    'trafficDistribution on the node before 1.34',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'within',
    'pool',
    service({ cluster: on('1.7', '1.33'), within: 'node' }),
  ],
  [
    'another Service',
    'EDGE_WRONG_OBJECT',
    'service',
    'get service kube-dns',
    service({ service: { ...kubeDns(), metadata: { name: 'kubernetes', namespace: 'default' } } }),
  ],
  ['a Service that is no YAML', 'EDGE_YAML', 'service', 'mend', service({ service: 'a: [' })],

  [
    'a DaemonSet for the Deployment',
    'EDGE_WRONG_OBJECT',
    'deployment',
    'get deployment coredns',
    daemonSet({ deployment: kubeProxyDaemonSet() }),
  ],
  [
    'a Deployment without CoreDNS',
    'EDGE_WRONG_OBJECT',
    'deployment.spec.template.spec.containers',
    'CoreDNS',
    daemonSet({ deployment: without(corednsDeployment(), 'spec') }),
  ],
  ['an image with a blank', 'EDGE_VALUE', 'image', 'registry.k8s.io', daemonSet({ image: 'coredns 1.9' })],
  ['proxy names of nobody', 'EDGE_VALUE', 'proxyNames', 'yurt-tunnel', daemonSet({ proxyNames: true })],

  [
    'kube-proxy without its ConfigMap',
    'EDGE_MISSING',
    'configMap',
    'get configmap kube-proxy',
    kubeProxy({ configMap: undefined }),
  ],
  [
    'another ConfigMap for kube-proxy',
    'EDGE_WRONG_OBJECT',
    'configMap',
    'get configmap kube-proxy',
    kubeProxy({
      configMap: { ...kubeProxyConfigMap(), metadata: { name: 'kubeadm-config', namespace: 'kube-system' } },
    }),
  ],
  [
    'kube-proxy without config.conf',
    'EDGE_MISSING',
    'configMap.data["config.conf"]',
    'kubeconfig.conf',
    kubeProxy({ configMap: { ...kubeProxyConfigMap(), data: { 'kubeconfig.conf': '' } } }),
  ],
  [
    'a config.conf of another kind',
    'EDGE_WRONG_OBJECT',
    'configMap.data["config.conf"].kind',
    'KubeProxyConfiguration',
    kubeProxy(conf(CONFIG_CONF.replace('KubeProxyConfiguration', 'KubeletConfiguration'))),
  ],
  [
    'a config.conf without kind',
    'EDGE_MISSING',
    'configMap.data["config.conf"].kind',
    'KubeProxyConfiguration',
    kubeProxy(conf(CONFIG_CONF.replace('kind: Kube', 'kin: Kube'))),
  ],
  [
    'a config.conf without apiVersion',
    'EDGE_MISSING',
    'configMap.data["config.conf"].apiVersion',
    'v1alpha1',
    kubeProxy(conf(CONFIG_CONF.replace('apiVersion', 'version'))),
  ],
  ['a config.conf that is no YAML', 'EDGE_YAML', 'configMap.data["config.conf"]', 'mend', kubeProxy(conf('a: b: c\n'))],
  ['an empty config.conf', 'EDGE_YAML', 'configMap.data["config.conf"]', 'apiVersion', kubeProxy(conf(''))],
  [
    'a clientConnection that is a word',
    'EDGE_TYPE',
    'configMap.data["config.conf"].clientConnection',
    'kubeconfig',
    kubeProxy(conf(CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection: none\n'))),
  ],
  [
    'another DaemonSet for kube-proxy',
    'EDGE_WRONG_OBJECT',
    'daemonSet',
    'get daemonset kube-proxy',
    kubeProxy({ daemonSet: corednsDeployment() }),
  ],
  [
    'a kube-proxy without command',
    'EDGE_WRONG_OBJECT',
    'daemonSet',
    'kube-proxy',
    kubeProxy({ daemonSet: without(kubeProxyDaemonSet(), 'spec') }),
  ],
  ['another mode of kube-proxy', 'EDGE_VALUE', 'mode', 'comment', kubeProxy({ mode: 'delete' })],
  ['a verbosity below zero', 'EDGE_VALUE', 'verbosity', '0 or more', kubeProxy({ verbosity: -1 })],
];

export const preconditions: BadInput[] = rows.map(([what, code, path, hint, make]) => ({
  what,
  code,
  path,
  hint,
  make,
}));

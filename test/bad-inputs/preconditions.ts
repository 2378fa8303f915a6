import type { Chart } from 'cdk8s';
import { EdgePreconditions, type EdgePreconditionsProps } from 'edge-nodepools';
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
/** A single precondition; what all of them share is outside of its settings. */
const single =
  (name: NonNullable<EdgePreconditionsProps['only']>[number], defaults: object) =>
  (props: object) =>
  (chart: Chart) => {
    const { cluster: given, guide, ...settings } = { cluster, guide: undefined, ...defaults, ...props };
    return new EdgePreconditions(chart, name, untyped({ cluster: given, guide, only: [name], [name]: settings }));
  };
const controllers = single('kubeControllerManager', {});
const service = single('coreDnsService', {});
const daemonSet = single('coreDnsDaemonSet', {});
const kubeProxy = single('kubeProxy', { guide: 'tunnel', configMap: kubeProxyConfigMap() });
const all = (props: object) => (chart: Chart) => new EdgePreconditions(chart, 'all', untyped({ cluster, ...props }));
const conf = (text: string): object => ({ configMap: kubeProxyConfigMap(text) });
const without = (object: any, field: string): object => ({ ...object, [field]: undefined });

/** what, code, path, hint, make */
type Row = readonly [string, BadInput['code'], string, string, BadInput['make']];

const rows: Row[] = [
  ['preconditions without cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', all({ cluster: undefined })],
  ['preconditions of another guide', 'EDGE_VALUE', 'guide', 'tunnel', all({ guide: 'raven' })],
  [
    'preconditions in a folder above',
    'EDGE_ARTIFACT',
    'artifactFolder',
    'preconditions',
    all({ artifactFolder: '../x' }),
  ],
  ['only of nothing', 'EDGE_MISSING', 'only', 'corefile', all({ only: [] })],
  ['only as a word', 'EDGE_TYPE', 'only', "['corefile']", all({ only: 'corefile' })],
  ['only of something else', 'EDGE_VALUE', 'only[0]', 'coreDnsService', all({ only: ['coreDns'] })],
  ['only of the same twice', 'EDGE_DUPLICATE', 'only[1]', 'once', all({ only: ['kubeProxy', 'kubeProxy'] })],
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
    'the tunnel guide without its objects',
    'EDGE_MISSING',
    'corefile.configMap',
    'get configmap coredns',
    all({ guide: 'tunnel' }),
  ],
  [
    'a single precondition without cluster',
    'EDGE_MISSING',
    'cluster',
    'EdgeCluster.of',
    controllers({ cluster: undefined }),
  ],
  ['a single precondition of another guide', 'EDGE_VALUE', 'guide', 'release', service({ guide: '2022' })],

  [
    'an unknown controller',
    'EDGE_CONTROLLERS',
    'kubeControllerManager.controllers',
    'nodelifecycle',
    controllers({ controllers: '*,nodelifecycles' }),
  ],
  [
    'a controller with a blank',
    'EDGE_CONTROLLERS',
    'kubeControllerManager.controllers',
    'tokencleaner',
    controllers({ controllers: '*, tokencleaner' }),
  ],
  [
    'a long controller name before 1.28',
    'EDGE_CONTROLLERS',
    'kubeControllerManager.controllers',
    'write bootstrapsigner',
    controllers({ cluster: on('1.4', '1.23'), controllers: '*,bootstrap-signer-controller' }),
  ],
  [
    'controllers as a list',
    'EDGE_TYPE',
    'kubeControllerManager.controllers',
    'tokencleaner',
    controllers({ controllers: ['*'] }),
  ],
  [
    'an unknown controller in the manifest',
    'EDGE_CONTROLLERS',
    'kubeControllerManager.controllers',
    'remove it',
    controllers({ staticPod: staticPod('--controllers=*,weather') }),
  ],
  [
    'the manifest of a Deployment',
    'EDGE_WRONG_OBJECT',
    'kubeControllerManager.staticPod',
    '/etc/kubernetes/manifests',
    controllers({ staticPod: 'kind: Deployment\n' }),
  ],
  [
    'the manifest of another Pod',
    'EDGE_WRONG_OBJECT',
    'kubeControllerManager.staticPod',
    '/etc/kubernetes/manifests',
    controllers({ staticPod: staticPod().replaceAll('kube-controller-manager', 'kube-scheduler') }),
  ],
  [
    'a manifest that is no YAML',
    'EDGE_YAML',
    'kubeControllerManager.staticPod',
    'fix the',
    controllers({ staticPod: 'kind: [' }),
  ],
  ['a manifest as an object', 'EDGE_TYPE', 'kubeControllerManager.staticPod', 'text', controllers({ staticPod: {} })],
  [
    'a list for a manifest',
    'EDGE_YAML',
    'kubeControllerManager.staticPod',
    'apiVersion',
    controllers({ staticPod: '- a\n' }),
  ],
  [
    'a configuration of another kind',
    'EDGE_WRONG_OBJECT',
    'kubeControllerManager.clusterConfiguration',
    'ClusterConfiguration',
    controllers({ clusterConfiguration: 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n' }),
  ],
  [
    'a configuration of another group',
    'EDGE_WRONG_OBJECT',
    'kubeControllerManager.clusterConfiguration.apiVersion',
    'kubeadm.k8s.io',
    controllers({ clusterConfiguration: 'apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfiguration\n' }),
  ],
  [
    'arguments as a list in v1beta3',
    'EDGE_TYPE',
    'kubeControllerManager.clusterConfiguration.controllerManager.extraArgs',
    'controllers',
    controllers({ clusterConfiguration: V1BETA4.replace('v1beta4', 'v1beta3') }),
  ],
  [
    'arguments as a map in v1beta4',
    'EDGE_TYPE',
    'kubeControllerManager.clusterConfiguration.controllerManager.extraArgs',
    "name: 'controllers'",
    controllers({ clusterConfiguration: V1BETA3.replaceAll('v1beta3', 'v1beta4') }),
  ],
  [
    'the argument twice',
    'EDGE_DUPLICATE',
    'kubeControllerManager.clusterConfiguration.controllerManager.extraArgs',
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
    'kubeControllerManager.clusterConfiguration',
    'text',
    controllers({ clusterConfiguration: 4 }),
  ],
  [
    'a configuration that is no YAML',
    'EDGE_YAML',
    'kubeControllerManager.clusterConfiguration',
    'fix the',
    controllers({ clusterConfiguration: 'a: b: c' }),
  ],
  [
    'a word for yurt-manager',
    'EDGE_TYPE',
    'kubeControllerManager.yurtManagerRunsNodeLifecycle',
    'true or false',
    controllers({ yurtManagerRunsNodeLifecycle: 'yes' }),
  ],

  ['an unknown topology', 'EDGE_VALUE', 'coreDnsService.topology', 'annotation', service({ topology: 'zone' })],
  ['requests within the region', 'EDGE_VALUE', 'coreDnsService.within', 'pool', service({ within: 'region' })],
  [
    'the annotation without OpenYurt',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'coreDnsService.topology',
    'trafficDistribution',
    service({ cluster: on('none', '1.36'), topology: 'annotation' }),
  ],
  [
    'trafficDistribution before 1.31',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'coreDnsService.topology',
    'annotation',
    service({ topology: 'trafficDistribution' }),
  ],
  [
    'trafficDistribution on the node before 1.34',
    'EDGE_FIELD_NOT_IN_RELEASE',
    'coreDnsService.within',
    'pool',
    service({ cluster: on('1.7', '1.33'), within: 'node' }),
  ],
  [
    'another Service',
    'EDGE_WRONG_OBJECT',
    'coreDnsService.service',
    'get service kube-dns',
    service({ service: { ...kubeDns(), metadata: { name: 'kubernetes', namespace: 'default' } } }),
  ],
  ['a Service that is no YAML', 'EDGE_YAML', 'coreDnsService.service', 'fix the', service({ service: 'a: [' })],

  [
    'a DaemonSet for the Deployment',
    'EDGE_WRONG_OBJECT',
    'coreDnsDaemonSet.deployment',
    'get deployment coredns',
    daemonSet({ deployment: kubeProxyDaemonSet() }),
  ],
  [
    'a Deployment without CoreDNS',
    'EDGE_WRONG_OBJECT',
    'coreDnsDaemonSet.deployment.spec.template.spec.containers',
    'CoreDNS',
    daemonSet({ deployment: without(corednsDeployment(), 'spec') }),
  ],
  [
    'an image with a blank',
    'EDGE_VALUE',
    'coreDnsDaemonSet.image',
    'registry.k8s.io',
    daemonSet({ image: 'coredns 1.9' }),
  ],
  [
    'proxy names of an unknown tunnel',
    'EDGE_VALUE',
    'coreDnsDaemonSet.proxyNames',
    'yurt-tunnel',
    daemonSet({ proxyNames: true }),
  ],

  [
    'kube-proxy without its ConfigMap',
    'EDGE_MISSING',
    'kubeProxy.configMap',
    'get configmap kube-proxy',
    kubeProxy({ configMap: undefined }),
  ],
  [
    'another ConfigMap for kube-proxy',
    'EDGE_WRONG_OBJECT',
    'kubeProxy.configMap',
    'get configmap kube-proxy',
    kubeProxy({
      configMap: { ...kubeProxyConfigMap(), metadata: { name: 'kubeadm-config', namespace: 'kube-system' } },
    }),
  ],
  [
    'kube-proxy without config.conf',
    'EDGE_MISSING',
    'kubeProxy.configMap.data["config.conf"]',
    'kubeconfig.conf',
    kubeProxy({ configMap: { ...kubeProxyConfigMap(), data: { 'kubeconfig.conf': '' } } }),
  ],
  [
    'a config.conf of another kind',
    'EDGE_WRONG_OBJECT',
    'kubeProxy.configMap.data["config.conf"].kind',
    'KubeProxyConfiguration',
    kubeProxy(conf(CONFIG_CONF.replace('KubeProxyConfiguration', 'KubeletConfiguration'))),
  ],
  [
    'a config.conf without kind',
    'EDGE_MISSING',
    'kubeProxy.configMap.data["config.conf"].kind',
    'KubeProxyConfiguration',
    kubeProxy(conf(CONFIG_CONF.replace('kind: Kube', 'kin: Kube'))),
  ],
  [
    'a config.conf without apiVersion',
    'EDGE_MISSING',
    'kubeProxy.configMap.data["config.conf"].apiVersion',
    'v1alpha1',
    kubeProxy(conf(CONFIG_CONF.replace('apiVersion', 'version'))),
  ],
  [
    'a config.conf that is no YAML',
    'EDGE_YAML',
    'kubeProxy.configMap.data["config.conf"]',
    'fix the',
    kubeProxy(conf('a: b: c\n')),
  ],
  ['an empty config.conf', 'EDGE_YAML', 'kubeProxy.configMap.data["config.conf"]', 'apiVersion', kubeProxy(conf(''))],
  [
    'a clientConnection that is a word',
    'EDGE_TYPE',
    'kubeProxy.configMap.data["config.conf"].clientConnection',
    'kubeconfig',
    kubeProxy(conf(CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection: none\n'))),
  ],
  [
    'another DaemonSet for kube-proxy',
    'EDGE_WRONG_OBJECT',
    'kubeProxy.daemonSet',
    'get daemonset kube-proxy',
    kubeProxy({ daemonSet: corednsDeployment() }),
  ],
  [
    'a kube-proxy without command',
    'EDGE_WRONG_OBJECT',
    'kubeProxy.daemonSet',
    'kube-proxy',
    kubeProxy({ daemonSet: without(kubeProxyDaemonSet(), 'spec') }),
  ],
  ['another mode of kube-proxy', 'EDGE_VALUE', 'kubeProxy.mode', 'comment', kubeProxy({ mode: 'delete' })],
  ['a verbosity below zero', 'EDGE_VALUE', 'kubeProxy.verbosity', '0 or more', kubeProxy({ verbosity: -1 })],
];

export const preconditions: BadInput[] = rows.map(([what, code, path, hint, make]) => ({
  what,
  code,
  path,
  hint,
  make,
}));

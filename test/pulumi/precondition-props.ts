import fc from 'fast-check';
import {
  corednsConfigMap,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  staticPod,
} from '../corpus/kube-system.js';
import { cluster, taints, word } from './props.js';

const optional = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<any> =>
  fc.record(fields, { requiredKeys: [] });

const common = { guide: fc.constantFrom('release', 'tunnel'), artifactFolder: word };
const proxyNames = fc.constantFrom('raven', 'yurt-tunnel');
const apply = fc.boolean();

const SETTINGS = {
  kubeControllerManager: optional({
    apply,
    yurtManagerRunsNodeLifecycle: fc.boolean(),
    controllers: fc.constantFrom('*', '*,bootstrapsigner,tokencleaner', 'foo,bar,*'),
    staticPod: fc.constant(staticPod()),
  }),
  corefile: optional({
    apply,
    configMap: fc.constant(corednsConfigMap()),
    proxyNames,
    forwarders: fc.uniqueArray(
      fc.record(
        {
          zone: word.map((name) => `${name}.example`),
          to: fc.uniqueArray(fc.ipV4(), { minLength: 1, maxLength: 2 }),
          port: fc.integer({ min: 1, max: 65535 }),
        },
        { requiredKeys: ['zone', 'to'] },
      ),
      { maxLength: 2, selector: ({ zone }) => zone },
    ),
  }),
  coreDnsService: optional({
    apply,
    service: fc.constant(kubeDns()),
    topology: fc.constantFrom('annotation', 'trafficDistribution'),
    within: fc.constantFrom('pool', 'node'),
  }),
  coreDnsDaemonSet: optional({
    apply,
    deployment: fc.constant(corednsDeployment()),
    image: fc.constantFrom('coredns:1', 'registry.example/coredns:2'),
    proxyNames,
    tolerations: taints.map((list) => list.map(({ key, effect }) => ({ key, operator: 'Exists', effect }))),
  }),
  kubeProxy: optional({
    apply,
    configMap: fc.constant(kubeProxyConfigMap()),
    daemonSet: fc.constant(kubeProxyDaemonSet()),
    mode: fc.constantFrom('comment', 'remove'),
    verbosity: fc.integer({ min: 0, max: 9 }),
  }),
};

const single = (settings: fc.Arbitrary<any>): fc.Arbitrary<any> =>
  fc
    .record({ cluster, settings, rest: fc.record(common, { requiredKeys: ['artifactFolder'] }) })
    .map(({ cluster: on, settings: own, rest }) => ({ cluster: on, ...own, ...rest }));

export const edgePreconditions = single(optional(SETTINGS));
export const kubeControllerManager = single(SETTINGS.kubeControllerManager);
export const corefile = single(SETTINGS.corefile);
export const coreDnsService = single(SETTINGS.coreDnsService);
export const coreDnsDaemonSet = single(SETTINGS.coreDnsDaemonSet);
export const kubeProxy = single(SETTINGS.kubeProxy);

import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload, YurtAppSet, YurtStaticSet } from 'edge-nodepools';
import { type BadInput, cluster, untyped } from './case.js';

const spec = (podSpec: object = {}, selector: object = { matchLabels: { app: 'web' } }): object => ({
  selector,
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }] }], ...podSpec },
  },
});

const pools = (chart: Chart, on = cluster): HostNetworkNodePool[] => [
  new HostNetworkNodePool(chart, 'hz', { cluster: on, poolName: 'hz', metadata: { labels: { tier: 'far' } } }),
  new HostNetworkNodePool(chart, 'bj', { cluster: on, poolName: 'bj' }),
];

const set =
  (props: object, on = cluster) =>
  (chart: Chart) =>
    new YurtAppSet(chart, 'web', untyped({ pools: pools(chart, on), deploymentTemplate: { spec: spec() }, ...props }));

const tweaked = (tweak: object): ((chart: Chart) => unknown) => set({ workloadTweaks: [tweak] });

const agent =
  (props: object, podSpec: object = {}, on = cluster) =>
  (chart: Chart) =>
    new YurtStaticSet(
      chart,
      'agent',
      untyped({
        pools: pools(chart, on),
        metadata: { name: 'agent', namespace: 'edge' },
        template: { spec: { containers: [{ name: 'agent', image: 'agent:1' }], ...podSpec } },
        ...props,
      }),
    );

const AT = 'workloadTweaks[0]';
const none = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
const old = EdgeCluster.of({ openYurt: '1.4', kubernetes: '1.28' });

export const yurtSets: BadInput[] = [
  {
    what: 'YurtAppSet, no template',
    code: 'EDGE_MISSING',
    path: 'deploymentTemplate',
    hint: 'either',
    make: set({ deploymentTemplate: undefined }),
  },
  {
    what: 'YurtAppSet, two templates',
    code: 'EDGE_CONTRADICTION',
    path: 'deploymentTemplate',
    hint: 'either',
    make: set({ statefulSetTemplate: { spec: spec() } }),
  },
  {
    what: 'YurtAppSet without OpenYurt',
    code: 'EDGE_NO_OPENYURT',
    path: 'pools',
    hint: 'HostNetworkWorkload',
    make: set({}, none),
  },
  {
    what: 'YurtAppSet with OpenYurt 1.4',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'pools',
    hint: 'OpenYurt 1.5',
    make: set({}, old),
  },
  {
    what: 'YurtAppSet with a Pod network',
    code: 'EDGE_CONTRADICTION',
    path: 'deploymentTemplate.spec.template.spec.hostNetwork',
    hint: 'remove hostNetwork',
    make: set({ deploymentTemplate: { spec: spec({ hostNetwork: false }) } }),
  },
  {
    what: 'YurtAppSet without matchLabels',
    code: 'EDGE_MISSING',
    path: 'deploymentTemplate.spec.selector.matchLabels',
    hint: 'matchLabels',
    make: set({ deploymentTemplate: { spec: spec({}, { matchExpressions: [{ key: 'app', operator: 'Exists' }] }) } }),
  },
  {
    what: 'a tweak of a pool that is unknown',
    code: 'EDGE_CONTRADICTION',
    path: `${AT}.pools[0]`,
    hint: 'pools of this workload',
    make: tweaked({ pools: ['sh'], tweaks: { replicas: 2 } }),
  },
  {
    what: 'a tweak of no pool',
    code: 'EDGE_MISSING',
    path: `${AT}.pools`,
    hint: 'write pools',
    make: tweaked({ tweaks: { replicas: 2 } }),
  },
  {
    what: 'a tweak of labels that no pool has',
    code: 'EDGE_CONTRADICTION',
    path: `${AT}.nodepoolSelector`,
    hint: 'write pools',
    make: tweaked({ nodepoolSelector: { matchLabels: { tier: 'near' } }, tweaks: { replicas: 2 } }),
  },
  {
    what: 'a tweak of a container that is not there',
    code: 'EDGE_VALUE',
    path: `${AT}.tweaks.containerImages[0].name`,
    hint: 'container',
    make: tweaked({ pools: ['hz'], tweaks: { containerImages: [{ name: 'wep', targetImage: 'web:2' }] } }),
  },
  {
    what: 'a patch that undoes hostNetwork',
    code: 'EDGE_CONTRADICTION',
    path: `${AT}.tweaks.patches[0]`,
    hint: 'patch replicas',
    make: tweaked({
      pools: ['hz'],
      tweaks: { patches: [{ operation: 'replace', path: '/spec/template/spec/hostNetwork', value: false }] },
    }),
  },
  {
    what: 'a patch with a path of another form',
    code: 'EDGE_VALUE',
    path: `${AT}.tweaks.patches[0].path`,
    hint: '/spec/template',
    make: tweaked({ pools: ['hz'], tweaks: { patches: [{ operation: 'replace', path: 'spec.replicas', value: 1 }] } }),
  },
  {
    what: 'a patch by merge',
    code: 'EDGE_VALUE',
    path: `${AT}.tweaks.patches[0].operation`,
    hint: 'add',
    make: tweaked({ pools: ['hz'], tweaks: { patches: [{ operation: 'merge', path: '/spec/replicas', value: 1 }] } }),
  },
  {
    what: 'tweaks without the level tweaks',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: `${AT}.replicas`,
    hint: 'tweaks',
    make: tweaked({ pools: ['hz'], replicas: 2, tweaks: {} }),
  },
  {
    what: 'replicas as text',
    code: 'EDGE_VALUE',
    path: `${AT}.tweaks.replicas`,
    hint: '2',
    make: tweaked({ pools: ['hz'], tweaks: { replicas: '2' } }),
  },
  {
    what: 'a selector that selects one of two pools',
    code: 'EDGE_CONTRADICTION',
    path: 'nodepoolSelector',
    hint: 'exactly these pools',
    make: set({ nodepoolSelector: { matchLabels: { tier: 'far' } } }),
  },
  {
    what: 'YurtStaticSet, no pools',
    code: 'EDGE_MISSING',
    path: 'pools',
    hint: 'pools: [',
    make: agent({ pools: undefined }),
  },
  {
    what: 'YurtStaticSet, no Pod',
    code: 'EDGE_MISSING',
    path: 'template',
    hint: 'containers',
    make: agent({ template: {} }),
  },
  {
    what: 'YurtStaticSet, no name',
    code: 'EDGE_MISSING',
    path: 'metadata.name',
    hint: 'name',
    make: agent({ metadata: {} }),
  },
  {
    what: 'YurtStaticSet without OpenYurt',
    code: 'EDGE_NO_OPENYURT',
    path: 'pools',
    hint: 'staticPods',
    make: agent({}, {}, none),
  },
  {
    what: 'YurtStaticSet with a service account',
    code: 'EDGE_STATIC_POD',
    path: 'template.spec.serviceAccountName',
    hint: 'leave it out',
    make: agent({}, { serviceAccountName: 'agent' }),
  },
  {
    what: 'YurtStaticSet with a Pod network',
    code: 'EDGE_CONTRADICTION',
    path: 'template.spec.hostNetwork',
    hint: 'remove hostNetwork',
    make: agent({}, { hostNetwork: false }),
  },
  {
    what: 'YurtStaticSet that rolls',
    code: 'EDGE_VALUE',
    path: 'upgradeStrategy.type',
    hint: 'OTA',
    make: agent({ upgradeStrategy: { type: 'RollingUpdate' } }),
  },
  {
    what: 'YurtStaticSet, OTA of some at a time',
    code: 'EDGE_CONTRADICTION',
    path: 'upgradeStrategy.maxUnavailable',
    hint: 'remove it',
    make: agent({ upgradeStrategy: { type: 'OTA', maxUnavailable: 1 } }),
  },
  {
    what: 'YurtStaticSet, none at a time',
    code: 'EDGE_ROLLOUT',
    path: 'upgradeStrategy.maxUnavailable',
    hint: "'10%'",
    make: agent({ upgradeStrategy: { type: 'AdvancedRollingUpdate', maxUnavailable: 0 } }),
  },
  {
    what: 'YurtStaticSet, the manifest with .yaml',
    code: 'EDGE_VALUE',
    path: 'staticPodManifest',
    hint: 'without .yaml',
    make: agent({ staticPodManifest: 'agent.yaml' }),
  },
  {
    what: 'a YurtStaticSet as a workload',
    code: 'EDGE_VALUE',
    path: 'workload.kind',
    hint: 'new YurtStaticSet(',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'agent', {
        pools: pools(chart),
        workload: {
          apiVersion: 'apps.openyurt.io/v1alpha1',
          kind: 'YurtStaticSet',
          metadata: { name: 'agent' },
          spec: { template: { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } } },
        },
      }),
  },
];

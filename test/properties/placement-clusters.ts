import fc from 'fast-check';
import { HOST_NETWORK, podSpec as affinitySpec } from './arbitraries.js';

// few keys and values, so that terms match, ports clash and resources are short often
const NAMES = ['node-a', 'node-b', 'node-c'];
const ZONES = ['a', 'b'];
const APPS = ['x', 'y'];
const NAMESPACES = ['default', 'other'];

const taint = fc.record({
  key: fc.constantFrom('site', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/network-unavailable'),
  value: fc.constantFrom('hz', ''),
  effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
});

const tolerations = fc.array(
  fc.oneof(
    fc.constant({ operator: 'Exists' }),
    fc.record({ operator: fc.constant('Exists'), effect: fc.constantFrom('NoSchedule', 'NoExecute') }),
    fc.record({ key: fc.constantFrom('site', 'node.kubernetes.io/unschedulable'), operator: fc.constant('Exists') }),
    fc.record({ key: fc.constant('site'), value: fc.constantFrom('hz', 'bj') }),
  ),
  { maxLength: 2 },
);

function node(name: string): fc.Arbitrary<any> {
  return fc
    .record({
      labels: fc.record(
        { 'topology.kubernetes.io/zone': fc.constantFrom(...ZONES), site: fc.constantFrom('hz', 'bj'), [HOST_NETWORK]: fc.constant('true') },
        { requiredKeys: [] },
      ),
      taints: fc.uniqueArray(taint, { maxLength: 1, selector: ({ key, effect }) => `${key}:${effect}` }),
      unschedulable: fc.constantFrom(false, false, false, true),
      cpu: fc.constantFrom('1', '500m', '2'),
      memory: fc.constantFrom('1Gi', '500M'),
      pods: fc.constantFrom('110', '3', '1'),
      gpu: fc.constantFrom({}, {}, { 'example.com/gpu': '1' }),
    })
    .map(({ labels, taints, unschedulable, cpu, memory, pods, gpu }) => ({
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
      spec: { taints, unschedulable },
      status: { allocatable: { cpu, memory, pods, 'ephemeral-storage': '10Gi', ...gpu } },
    }));
}

const resources = fc.record(
  {
    requests: fc.record(
      { cpu: fc.constantFrom('100m', '0.7', '1500m'), memory: fc.constantFrom('64Mi', '900M'), 'example.com/gpu': fc.constantFrom('1', '2') },
      { requiredKeys: [] },
    ),
    limits: fc.record({ cpu: fc.constantFrom('2', '300m') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const port = fc.record(
  {
    containerPort: fc.constantFrom(80, 81),
    hostPort: fc.constantFrom(0, 80),
    protocol: fc.constantFrom('TCP', 'UDP'),
    hostIP: fc.constantFrom('127.0.0.1', '0.0.0.0', '192.0.2.1'),
  },
  { requiredKeys: ['containerPort'] },
);

function container(name: string): fc.Arbitrary<any> {
  return fc.record({ resources, ports: fc.array(port, { maxLength: 1 }) }).map((fields) => ({ name, image: 'a', ...fields }));
}

const labels = fc.record({ app: fc.constantFrom(...APPS), tier: fc.constantFrom('1', '2') }, { requiredKeys: [] });

const selector = fc.oneof(
  fc.record({ matchLabels: fc.record({ app: fc.constantFrom(...APPS) }) }),
  fc.constant({}),
  fc.constant({ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }),
);

const affinityTerm = fc.record(
  {
    topologyKey: fc.constantFrom('kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'site'),
    labelSelector: selector,
    namespaces: fc.constantFrom(['other'], ['default', 'other']),
    namespaceSelector: fc.constantFrom({}, { matchLabels: { team: 'edge' } }),
  },
  { requiredKeys: ['topologyKey', 'labelSelector'] },
);

const required = fc.array(affinityTerm, { minLength: 1, maxLength: 2 }).map((terms) => ({
  requiredDuringSchedulingIgnoredDuringExecution: terms,
}));

const spread = fc.record(
  {
    maxSkew: fc.constantFrom(1, 2),
    topologyKey: fc.constantFrom('topology.kubernetes.io/zone', 'kubernetes.io/hostname'),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: selector,
    minDomains: fc.constantFrom(1, 3),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
  },
  { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'] },
).map(({ whenUnsatisfiable, minDomains, ...rest }) => ({
  ...rest,
  whenUnsatisfiable,
  // minDomains is only for DoNotSchedule
  ...(minDomains === undefined || whenUnsatisfiable !== 'DoNotSchedule' ? {} : { minDomains }),
}));

/** A field in one of some cases, so that most Pods are refused for one reason only. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, chance: number): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: chance });
}

const VOLUMES = ['bound', 'elsewhere', 'immediate', 'delayed', 'absent'];

/** A Pod; some name their node. */
function pod(name: string, isBound: boolean): fc.Arbitrary<any> {
  return fc
    .record({
      namespace: fc.constantFrom('default', 'default', 'other'),
      labels,
      spec: rarely(affinitySpec, 2),
      tolerations,
      hostNetwork: fc.boolean(),
      main: container('main'),
      init: rarely(container('init'), 1),
      isSidecar: fc.boolean(),
      podAffinity: rarely(required, 1),
      podAntiAffinity: rarely(required, 1),
      spread: rarely(fc.array(spread, { minLength: 1, maxLength: 1 }), 1),
      overhead: rarely(fc.constant({ cpu: '100m' }), 1),
      claim: rarely(fc.constantFrom(...VOLUMES), 1),
      nodeName: isBound ? fc.constantFrom(...NAMES) : fc.constant(undefined),
      gate: fc.constantFrom(false, false, false, false, false, false, false, true),
    })
    .map((of) => {
      const nodeAffinity = of.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const affinity = {
        ...(nodeAffinity === undefined ? {} : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodeAffinity } }),
        ...(of.podAffinity === undefined ? {} : { podAffinity: of.podAffinity }),
        ...(of.podAntiAffinity === undefined ? {} : { podAntiAffinity: of.podAntiAffinity }),
      };
      const init = of.init === undefined ? [] : [{ ...of.init, ...(of.isSidecar ? { restartPolicy: 'Always' } : {}) }];
      return JSON.parse(
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: of.namespace, labels: of.labels },
          spec: {
            nodeName: of.nodeName,
            hostNetwork: of.hostNetwork,
            nodeSelector: of.spec?.nodeSelector,
            affinity,
            tolerations: of.tolerations,
            initContainers: init,
            containers: [of.main],
            topologySpreadConstraints: of.spread,
            overhead: of.overhead,
            schedulingGates: of.gate && !isBound ? [{ name: 'example.com/gate' }] : undefined,
            volumes: of.claim === undefined ? undefined : [{ name: 'data', persistentVolumeClaim: { claimName: of.claim } }],
          },
        }),
      );
    });
}

const claim = (name: string, namespace: string, spec: object, isBound: boolean): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, ...(isBound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}) },
  spec: { accessModes: ['ReadWriteOnce'], ...spec },
});

/** The claims, volumes and classes of every cluster. */
export const STORAGE = {
  claims: NAMESPACES.flatMap((namespace) => [
    claim('bound', namespace, { volumeName: 'pv-a', storageClassName: '' }, true),
    claim('elsewhere', namespace, { volumeName: 'pv-none', storageClassName: '' }, true),
    claim('immediate', namespace, { storageClassName: 'now' }, false),
    claim('delayed', namespace, { storageClassName: 'later' }, false),
  ]),
  volumes: [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-a', labels: {} },
      spec: {
        storageClassName: 'static',
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] }] }],
          },
        },
      },
    },
  ],
  storageClasses: ['now', 'later'].map((name) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'example.com/disk',
    volumeBindingMode: name === 'now' ? 'Immediate' : 'WaitForFirstConsumer',
    ...(name === 'now' ? {} : { allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['b'] }] }] }),
  })),
};

/** A cluster with Pods on its nodes, and Pods that are asked about. */
export const placementCluster: fc.Arbitrary<{ readonly nodes: any[]; readonly pods: any[]; readonly namespaces: any[]; readonly asked: { readonly pod: any; readonly daemon: boolean }[] }> = fc.record({
  nodes: fc.tuple(...NAMES.map(node)),
  pods: fc.tuple(...['p', 'q', 'r'].map((name) => pod(name, true))),
  namespaces: fc.constantFrom({}, { team: 'edge' }).map((other) =>
    NAMESPACES.map((name) => ({ metadata: { name, labels: name === 'other' ? other : {} } })),
  ),
  asked: fc.array(fc.record({ pod: fc.oneof({ weight: 9, arbitrary: pod('asked', false) }, { weight: 1, arbitrary: pod('asked', true) }), daemon: fc.constantFrom(false, false, true) }), { minLength: 12, maxLength: 12 }),
});

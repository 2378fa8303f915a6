import fc from 'fast-check';
import { OPENYURT_HOST_NETWORK } from '../../src/kubernetes/labels.js';
import type { PlacementPod } from '../../src/fleet/placement-pod.js';
import type { Verdict } from '../../src/fleet/verdict.js';
import { HOST_NETWORK } from './arbitraries.js';
import { NAMESPACES, ZONE } from './placement-storage.js';

// few keys and values, so that terms match, ports clash and resources are short often
const NAMES = ['node-a', 'node-b', 'node-c', 'node-d'];
const HOST = 'kubernetes.io/hostname';
const SYSTEM = ['not-ready', 'unreachable', 'unschedulable', 'network-unavailable', 'memory-pressure'].map(
  (name) => `node.kubernetes.io/${name}`,
);

/** One of some values, of which the first is the most frequent. */
function mostly<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const taint = fc.record({
  key: fc.constantFrom('site', 'site', ...SYSTEM),
  value: fc.constantFrom('hz', ''),
  effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
});

function node(name: string): fc.Arbitrary<any> {
  return fc
    .record({
      labels: fc.record(
        {
          [ZONE]: fc.constantFrom('a', 'b'),
          site: fc.constantFrom('hz', 'bj'),
          rank: fc.constantFrom('3', '12', 'x'),
          [HOST_NETWORK]: fc.constant('true'),
        },
        { requiredKeys: [] },
      ),
      taints: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        {
          weight: 1,
          arbitrary: fc.uniqueArray(taint, {
            minLength: 1,
            maxLength: 2,
            selector: ({ key, effect }) => `${key}:${effect}`,
          }),
        },
      ),
      unschedulable: mostly(false, false, true),
      cpu: mostly('4', '1', '500m'),
      memory: mostly('4Gi', '1Gi', '500M'),
      pods: mostly('110', '110', '110', '3', '1'),
      disk: mostly('10Gi', '1Gi'),
      features: mostly({}, { features: { supplementalGroupsPolicy: true } }),
      declaredFeatures: mostly([], ['UserNamespacesHostNetworkSupport']),
      more: mostly({}, { 'example.com/gpu': '1' }, { 'example.com/gpu': '2', 'hugepages-2Mi': '8Mi' }),
    })
    .map(({ labels, taints, unschedulable, cpu, memory, pods, disk, more, features, declaredFeatures }) => ({
      metadata: { name, labels: { [HOST]: name, 'kubernetes.io/os': 'linux', ...labels } },
      spec: { taints, unschedulable },
      status: { allocatable: { cpu, memory, pods, 'ephemeral-storage': disk, ...more }, declaredFeatures, ...features },
    }));
}

const requests = fc.record(
  {
    cpu: fc.constantFrom('100m', '0.7', '1500m', '0.0001', 1),
    memory: fc.constantFrom('64Mi', '900M', '1.5Gi', '2G'),
    'ephemeral-storage': fc.constantFrom('1Gi', '2Gi'),
    'example.com/gpu': fc.constantFrom('1', '2'),
  },
  { requiredKeys: [] },
);

const resources = fc.record(
  {
    requests,
    limits: fc.record({ cpu: fc.constantFrom('2', '300m'), memory: fc.constantFrom('1Gi') }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

const port = fc.record(
  {
    containerPort: fc.constantFrom(80, 81),
    hostPort: fc.constantFrom(0, 80, 80),
    protocol: fc.constantFrom('TCP', 'UDP'),
    hostIP: fc.constantFrom('127.0.0.1', '0.0.0.0', '192.0.2.1', '', '::'),
  },
  { requiredKeys: ['containerPort'] },
);

const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom(ZONE, 'site', HOST_NETWORK),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.subarray(['a', 'hz', 'true'], { minLength: 1 }),
  }),
  fc.record({ key: fc.constantFrom(ZONE, 'site', HOST_NETWORK), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({ key: fc.constant('rank'), operator: fc.constantFrom('Gt', 'Lt'), values: fc.constantFrom(['5'], ['x']) }),
);

const fields = fc.record({
  key: fc.constant('metadata.name'),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.constantFrom(...NAMES).map((name) => [name]),
});

const term = fc.record(
  { matchExpressions: fc.array(requirement, { maxLength: 2 }), matchFields: fc.array(fields, { maxLength: 1 }) },
  { requiredKeys: [] },
);

const selector = fc.oneof(
  fc.constantFrom<object>({ matchLabels: { app: 'x' } }, { matchLabels: { app: 'y' } }, {}),
  fc.record({
    matchExpressions: fc.constantFrom(
      [{ key: 'tier', operator: 'Exists' }],
      [{ key: 'tier', operator: 'NotIn', values: ['1'] }],
    ),
  }),
);

const affinityTerm = fc.record(
  {
    topologyKey: fc.constantFrom(HOST, ZONE, 'site'),
    labelSelector: selector,
    namespaces: fc.constantFrom(['other'], ['default', 'other']),
    namespaceSelector: fc.constantFrom(
      {},
      { matchLabels: { team: 'edge' } },
      { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
    ),
    matchLabelKeys: fc.constant(['version']),
    mismatchLabelKeys: fc.constant(['color']),
  },
  { requiredKeys: ['topologyKey', 'labelSelector'] },
);

const required = fc.array(affinityTerm, { minLength: 1, maxLength: 2 }).map((terms) => ({
  requiredDuringSchedulingIgnoredDuringExecution: terms,
}));

const spread = fc
  .record(
    {
      maxSkew: fc.constantFrom(1, 2),
      topologyKey: fc.constantFrom(ZONE, HOST),
      whenUnsatisfiable: mostly('DoNotSchedule', 'ScheduleAnyway'),
      labelSelector: selector,
      minDomains: fc.constantFrom(1, 3),
      nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
      nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
      matchLabelKeys: fc.constant(['version']),
    },
    { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector'] },
  )
  .map(({ whenUnsatisfiable, minDomains, ...rest }) => ({
    ...rest,
    whenUnsatisfiable,
    // minDomains is only for DoNotSchedule
    ...(minDomains === undefined || whenUnsatisfiable !== 'DoNotSchedule' ? {} : { minDomains }),
  }));

const toleration = fc.oneof(
  fc.constant({ operator: 'Exists' }),
  fc.record({ operator: fc.constant('Exists'), effect: fc.constantFrom('NoSchedule', 'NoExecute') }),
  fc.record({
    key: fc.constantFrom('site', ...SYSTEM),
    operator: fc.constant('Exists'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute', ''),
  }),
  fc.record({ key: fc.constant('site'), value: fc.constantFrom('hz', 'bj') }),
);

const init = fc.record({
  name: fc.constantFrom('init', 'init-2'),
  image: fc.constant('a'),
  resources,
  ports: fc.array(port, { maxLength: 1 }),
  restartPolicy: fc.constantFrom(undefined, 'Always'),
});

/** What claims there are; the Pod is called `asked`. */
const VOLUMES: readonly object[] = [
  ...[
    'bound',
    'labelled',
    'elsewhere',
    'immediate',
    'delayed',
    'anywhere',
    'local',
    'single',
    'prebound',
    'classless',
    'absent',
  ].map((claimName) => ({ name: 'data', persistentVolumeClaim: { claimName } })),
  { name: 'spare', persistentVolumeClaim: { claimName: 'spare' } },
  ...['later', 'foreign'].map((name) => ({ name, ephemeral: { volumeClaimTemplate: { spec: {} } } })),
];

/** What a Pod has besides one container: fields of the object. */
const twists: readonly fc.Arbitrary<object>[] = [
  fc.array(term, { minLength: 1, maxLength: 2 }).map((nodeSelectorTerms) => ({
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  })),
  fc
    .constantFrom({ site: 'hz' }, { [HOST_NETWORK]: 'true' }, { [ZONE]: 'a' })
    .map((nodeSelector) => ({ spec: { nodeSelector } })),
  fc.array(toleration, { minLength: 1, maxLength: 2 }).map((tolerations) => ({ spec: { tolerations } })),
  fc.constant({ spec: { hostNetwork: true } }),
  ...Array.from({ length: 3 }, () =>
    fc.array(port, { minLength: 1, maxLength: 2 }).map((ports) => ({ main: { ports } })),
  ),
  resources.map((each) => ({ main: { resources: each } })),
  fc
    .uniqueArray(init, { minLength: 1, maxLength: 2, selector: ({ name }) => name })
    .map((initContainers) => ({ spec: { initContainers } })),
  fc
    .record({
      requests: fc.record({ cpu: fc.constantFrom('200m', '3'), memory: fc.constant('1Gi') }, { requiredKeys: [] }),
    })
    .map((each) => ({ spec: { resources: each } })),
  fc.constantFrom({ cpu: '100m' }, { memory: '1Gi' }).map((overhead) => ({ spec: { overhead } })),
  required.map((podAffinity) => ({ spec: { affinity: { podAffinity } } })),
  required.map((podAntiAffinity) => ({ spec: { affinity: { podAntiAffinity } } })),
  ...Array.from({ length: 2 }, () =>
    fc
      .uniqueArray(spread, { minLength: 1, maxLength: 2, selector: ({ topologyKey }) => topologyKey })
      .map((topologySpreadConstraints) => ({ spec: { topologySpreadConstraints } })),
  ),
];

/** What the Pod Security Standards read, of a Pod and of a container. */
const context = fc.record(
  {
    runAsNonRoot: fc.boolean(),
    runAsUser: fc.constantFrom(0, 1000),
    seccompProfile: fc.constantFrom('RuntimeDefault', 'Unconfined', 'Localhost').map((type) => ({ type })),
    appArmorProfile: fc.constantFrom('RuntimeDefault', 'Unconfined').map((type) => ({ type })),
    seLinuxOptions: fc.constantFrom(
      { type: 'container_t' },
      { type: 'container_engine_t' },
      { user: 'u' },
      { type: '' },
    ),
  },
  { requiredKeys: [] },
);
const hardened = {
  runAsNonRoot: true,
  runAsUser: 1000,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const twistsOfSecured: readonly fc.Arbitrary<object>[] = [
  context.map((securityContext) => ({ spec: { securityContext } })),
  fc.constantFrom('net.ipv4.tcp_rmem', 'kernel.msgmax', 'net.ipv4.tcp_fin_timeout').map((name) => ({
    spec: { securityContext: { sysctls: [{ name, value: '1' }] } },
  })),
  fc.boolean().map((hostProcess) => ({ spec: { securityContext: { windowsOptions: { hostProcess } } } })),
  fc.constantFrom('hostPID', 'hostIPC', 'hostNetwork').map((field) => ({ spec: { [field]: true } })),
  fc.constant({ spec: { hostUsers: false } }),
  fc
    .constantFrom({ hostPath: { path: '/' } }, { emptyDir: {} }, { nfs: { server: 'a', path: '/' } }, { secret: {} })
    .map((volume) => ({ spec: { volumes: [{ name: 'v', ...volume }] } })),
  fc
    .constantFrom('runtime/default', 'localhost/a', 'unconfined')
    .map((value) => ({ metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/main': value } } })),
  fc.constantFrom('', '127.0.0.1').map((at) => ({ main: { livenessProbe: { httpGet: { host: at, port: 80 } } } })),
  fc
    .constantFrom('', '127.0.0.1')
    .map((at) => ({ main: { lifecycle: { preStop: { tcpSocket: { host: at, port: 80 } } } } })),
  ...Array.from({ length: 6 }, () =>
    fc.record({ base: fc.constantFrom({}, hardened), more: context }).map(({ base, more }) => ({
      main: { securityContext: { ...base, ...more } },
    })),
  ),
  ...Array.from({ length: 6 }, () => fc.constant({ main: { securityContext: hardened } })),
  fc
    .record(
      {
        privileged: fc.boolean(),
        procMount: fc.constantFrom('Default', 'Unmasked'),
        capabilities: fc.record(
          { add: fc.constantFrom(['NET_ADMIN'], ['CHOWN'], ['NET_BIND_SERVICE']), drop: fc.constant(['ALL']) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    .map((securityContext) => ({ main: { securityContext } })),
  init.map((each) => ({ spec: { initContainers: [each] } })),
];

/** A namespace that enforces a level, by the rules of some minor. */
const SECURED = 'secured';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const enforced = fc.record(
  {
    [ENFORCE]: fc.constantFrom('baseline', 'restricted', 'privileged'),
    [`${ENFORCE}-version`]: fc.constantFrom('latest', 'v1.24', 'v1.26', 'v1.28', 'v1.31', 'v1.34', 'v1.35', 'v1.99'),
  },
  { requiredKeys: [ENFORCE] },
);

/** What only a Pod has that is asked about. */
const twistsOfAsked: readonly fc.Arbitrary<object>[] = [
  fc.constantFrom(...VOLUMES).map((volume) => ({ spec: { volumes: [volume] } })),
  fc.constantFrom(...VOLUMES).map((volume) => ({ spec: { volumes: [volume] } })),
  fc.constantFrom(...NAMES).map((nodeName) => ({ spec: { nodeName } })),
  fc.constantFrom<object>(
    { spec: { hostNetwork: true, hostUsers: false } },
    { main: { restartPolicy: 'Never', restartPolicyRules: [{ action: 'RestartAllContainers' }] } },
  ),
  fc
    .constantFrom(
      { securityContext: { supplementalGroupsPolicy: 'Strict' } },
      { resources: { limits: { cpu: '3' } } },
      { schedulingGates: [{ name: 'example.com/gate' }] },
      { os: { name: 'windows' } },
      { schedulingGates: [] },
    )
    .map((spec) => ({ spec })),
];

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function merged(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const both = Object.entries(b).map(([key, value]) => [
    key,
    isMap(value) && isMap(a[key]) ? merged(a[key], value) : value,
  ]);
  return { ...a, ...Object.fromEntries(both) };
}

function pod(
  name: string,
  of: readonly fc.Arbitrary<object>[],
  more: Record<string, fc.Arbitrary<unknown>>,
  namespaces = mostly('default', 'other'),
): fc.Arbitrary<any> {
  return fc
    .record({
      metadata: fc.record({
        name: fc.constant(name),
        namespace: namespaces,
        labels: fc.record(
          {
            app: fc.constantFrom('x', 'y'),
            tier: fc.constantFrom('1', '2'),
            version: fc.constantFrom('1', '2'),
            color: fc.constant('red'),
          },
          { requiredKeys: ['app'] },
        ),
      }),
      changes: fc.array(fc.oneof(...of), { maxLength: 3 }),
      ...more,
    })
    .map(({ metadata, changes, ...rest }) => {
      const { spec, main, ...object } = [
        rest as Record<string, unknown>,
        ...(changes as Record<string, unknown>[]),
      ].reduce(merged, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata,
      });
      const containers = [{ name: 'main', image: 'a', ...(main as object | undefined) }];
      return JSON.parse(JSON.stringify({ ...object, spec: { ...(spec as object | undefined), containers } }));
    });
}

/** A Pod whose container is being resized. */
const resize = fc
  .record({
    requests: fc.constantFrom({ cpu: '100m' }, { cpu: '3', memory: '1Gi' }),
    isInfeasible: fc.boolean(),
  })
  .map(({ requests: has, isInfeasible }) => ({
    status: {
      ...(isInfeasible ? { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] } : {}),
      containerStatuses: [{ name: 'main', resources: { requests: has } }],
    },
  }));

/** A Pod that is on a node. */
function boundPod(name: string): fc.Arbitrary<any> {
  return pod(name, [...twists, resize], {
    spec: fc.record({
      nodeName: fc.constantFrom(...NAMES),
      volumes: mostly<object[]>([], [{ name: 'data', persistentVolumeClaim: { claimName: 'single' } }]),
    }),
  });
}

/** A cluster with Pods on its nodes, and Pods that are asked about. */
export const placementCluster: fc.Arbitrary<{
  readonly nodes: any[];
  readonly pods: any[];
  readonly namespaces: any[];
  readonly asked: { readonly pod: any; readonly daemon: boolean }[];
}> = fc.record({
  nodes: fc.tuple(...NAMES.map(node)),
  pods: fc.tuple(...['p', 'q', 'r', 's'].map(boundPod)),
  namespaces: fc
    .constantFrom({}, { team: 'edge' })
    .chain((other) =>
      enforced.map((labels) => [
        ...NAMESPACES.map((name) => ({ metadata: { name, labels: name === 'other' ? other : {} } })),
        { metadata: { name: SECURED, labels } },
      ]),
    ),
  asked: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: asking(pod('asked', [...twists, ...twistsOfAsked], {}), false, false, true) },
      { weight: 1, arbitrary: asking(pod('asked', twistsOfSecured, {}, fc.constant(SECURED)), false) },
    ),
    { minLength: 12, maxLength: 12 },
  ),
});

function asking(
  of: fc.Arbitrary<any>,
  ...daemon: readonly boolean[]
): fc.Arbitrary<{ readonly pod: any; readonly daemon: boolean }> {
  return fc.record({ pod: of, daemon: fc.constantFrom(...daemon) });
}

/** The label has another value on these nodes: whether they have a Pod network is not asked. */
export const NO_HOST_NETWORK = { ...OPENYURT_HOST_NETWORK, value: 'of no node' };

/** Whether the scheduler accepts a Pod, or kubelet one that names its node. What never starts for another reason is on its node. */
export function isAccepted(pod: PlacementPod, { outcome }: Verdict): boolean {
  return outcome === 'runs' || (outcome === 'never starts' && pod.spec.nodeName === undefined);
}

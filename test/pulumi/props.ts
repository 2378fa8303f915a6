import fc from 'fast-check';
import { EdgeCluster, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { offlineSettings } from './offline-settings.js';
import { workload } from '../properties/arbitraries.js';
import { joinOptions, tokenKind, tokenOf, tokenText, WAYS } from '../properties/join-arbitraries.js';

const PAIRS: [string, string][] = [
  ['1.4', '1.23'],
  ['1.5', '1.28'],
  ['1.6', '1.30'],
  ['1.7', '1.34'],
  ['1.7', '1.36'],
  ['none', '1.37'],
];

let count = 0;

const NEW: [string, string][] = [
  ['1.7', '1.34'],
  ['1.5', '1.36'],
  ['1.7', '1.36'],
  ['none', '1.37'],
];

const OWN_LABEL = { key: 'eks.amazonaws.com/compute-type', value: 'hybrid' };

/** A separate cluster for each sample, so that one program can have many. */
const clusterOf = (pairs: readonly [string, string][]): fc.Arbitrary<EdgeCluster> =>
  fc.constantFrom(...pairs).map(([openYurt, kubernetes]) =>
    EdgeCluster.of({
      openYurt,
      kubernetes,
      name: `cluster-${++count}`,
      yurthub: true,
      apiServer: '10.0.0.1:6443',
      ...(openYurt === 'none' && count % 2 === 0 ? { hostNetworkLabel: OWN_LABEL } : {}),
    }),
  );

export const cluster = clusterOf(PAIRS);
const newCluster = clusterOf(NEW);
const withOpenYurt = clusterOf(PAIRS.filter(([openYurt]) => openYurt !== 'none'));

export const word = fc.stringMatching(/^[a-z]([a-z0-9-]{0,12}[a-z0-9])?$/);
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('yes', '0644', "it's", '{{ x }}', '%', '$(id)', 'é'),
);
// the last two are names of every JavaScript object
const labels = fc.dictionary(fc.constantFrom('site', 'example.com/rank', 'zone', 'toString'), word, {
  maxKeys: 2,
});
const annotations = fc.dictionary(fc.constantFrom('note', 'example.com/owner'), text, { maxKeys: 2 });
const taint = fc.record(
  {
    key: fc.constantFrom('site', 'gpu'),
    value: word,
    effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const),
  },
  { requiredKeys: ['key', 'effect'] },
);
export const taints = fc.uniqueArray(taint, { maxLength: 2, selector: ({ key, effect }) => `${key}:${effect}` });

const NEW_IN_17 = {
  interConnectivity: fc.boolean(),
  enableLeaderElection: fc.boolean(),
  leaderElectionStrategy: fc.constantFrom('random' as const, 'mark' as const),
  leaderNodeLabelSelector: fc.constant({ leader: 'true' }),
  leaderReplicas: fc.integer({ min: 1, max: 5 }),
  poolScopeMetadata: fc.constant([{ group: '', version: 'v1', resource: 'services' }]),
  extraSpec: fc.record({ newField: text, other: fc.record({ deep: fc.integer() }) }),
};

const pool = {
  poolName: word,
  labels,
  annotations,
  taints,
  metadata: fc.record({ labels, annotations }, { requiredKeys: [] }),
  expectedNodes: fc.integer({ min: 0, max: 9 }),
  autonomy: fc.constantFrom('forever', 'default', '2h'),
};

/** All properties of a pool in each release; both bindings refuse some of them. */
export const regularNodePool = fc
  .record({
    cluster,
    given: fc.record({ ...pool, ...NEW_IN_17, type: fc.constantFrom('Edge', 'Cloud') }, { requiredKeys: ['poolName'] }),
  })
  .map(flat);

export const hostNetworkNodePool = fc
  .record({
    cluster,
    given: fc.record({ ...pool, ...NEW_IN_17, registrationTaint: fc.boolean() }, { requiredKeys: ['poolName'] }),
  })
  .map(flat);

function flat({ cluster: on, given }: { cluster: EdgeCluster; given: object }): any {
  const isNew = on.hasNodePoolField('interConnectivity');
  const fields = Object.entries(given).filter(([key]) => isNew || !(key in NEW_IN_17));
  return { cluster: on, ...Object.fromEntries(fields) };
}

export const excludedWorkload: fc.Arbitrary<any> = fc
  .record({ cluster, shaped: workload })
  .map(({ cluster: on, shaped }) => ({ cluster: on, workload: shaped.workload }));

export const container = fc.record(
  {
    name: word,
    image: fc.oneof({ weight: 5, arbitrary: word }, text),
    args: fc.array(text, { maxLength: 2 }),
    env: fc.array(fc.record({ name: fc.constantFrom('A', 'B'), value: text }), { maxLength: 2 }),
    ports: fc
      .uniqueArray(fc.integer({ min: 1000, max: 65535 }), { maxLength: 2 })
      .map((ports) => ports.map((containerPort) => ({ containerPort }))),
    resources: fc.constant({ requests: { cpu: '100m' }, limits: { memory: '1Gi' } }),
  },
  { requiredKeys: ['name', 'image'] },
);

export const hostNetworkWorkload: fc.Arbitrary<any> = fc
  .record({
    cluster,
    pools: fc.uniqueArray(
      fc.record({
        poolName: word,
        taints,
        registrationTaint: fc.boolean(),
        expectedNodes: fc.integer({ min: 0, max: 9 }),
      }),
      {
        minLength: 1,
        maxLength: 3,
        selector: ({ poolName }) => poolName,
      },
    ),
    kind: fc.constantFrom('Deployment', 'DaemonSet', 'StatefulSet'),
    container,
    podLabels: labels,
    annotations,
    replicas: fc.integer({ min: 0, max: 5 }),
    settings: fc.record(
      {
        dnsPolicy: fc.constantFrom('Default', 'ClusterFirstWithHostNet'),
        apiServer: fc.constantFrom(true, false, '10.1.0.1:6443'),
        portConflicts: fc.constant('warn'),
        autonomy: fc.constantFrom('forever', 'default', '90s'),
        rollout: fc.constantFrom('rolling', 'ota', 'advanced-rolling', 'on-delete'),
        nodesAway: fc.constantFrom(1, '20%'),
        wave: fc.integer({ min: 0, max: 3 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ cluster: on, pools, kind, container: one, podLabels, annotations: notes, replicas, settings }) => ({
    cluster: on,
    pools,
    ...offlineSettings(on, kind, settings),
    workload: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: one.name, namespace: 'edge', annotations: notes },
      spec: {
        ...(kind === 'DaemonSet' ? {} : { replicas }),
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { ...podLabels, app: 'x' } }, spec: { containers: [one] } },
      },
    },
  }));

const COMPONENTS = [
  SystemComponent.KUBE_PROXY,
  SystemComponent.COREDNS,
  SystemComponent.FLANNEL,
  SystemComponent.CALICO,
];

export const edgeSystemComponents: fc.Arbitrary<any> = fc.record(
  {
    cluster,
    exclude: fc.uniqueArray(fc.constantFrom(...COMPONENTS), { minLength: 1, selector: ({ name }) => name }),
    strategy: fc.constantFrom(ExclusionStrategy.SERVER_SIDE_APPLY, ExclusionStrategy.ADMISSION_POLICY, [
      ExclusionStrategy.SERVER_SIDE_APPLY,
      ExclusionStrategy.KUBEADM_PATCH,
    ]),
    components: fc.record({ flannel: fc.record({ namespace: word }) }),
    artifactFolder: word,
    policyName: word,
  },
  { requiredKeys: ['cluster', 'exclude'] },
);

const settings = fc.record({ failurePolicy: fc.constantFrom('Fail', 'Ignore') });

export const poolAdmission: fc.Arbitrary<any> = fc
  .record(
    {
      cluster: newCluster,
      guarantees: fc.record(
        {
          immutablePools: fc.boolean(),
          nodeLabel: fc.oneof(fc.boolean(), settings),
          annotatedPods: fc.boolean(),
          strict: fc.boolean(),
          namespaceGate: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      pools: fc.constantFrom('live', 'listed'),
      otherPools: fc.uniqueArray(word, { maxLength: 3 }),
      breakGlassGroups: fc.uniqueArray(
        fc.string({ minLength: 1, maxLength: 8 }).map((name) => `x${name.trim().replace(/\s+/g, '')}`),
        { maxLength: 2 },
      ),
      excludedNamespaces: fc.uniqueArray(word, { maxLength: 2 }),
    },
    { requiredKeys: ['cluster'] },
  )
  .map(({ otherPools, ...given }) => ({
    ...given,
    // not allowed with live pools
    ...(given.pools === 'live' ? {} : { otherPools }),
    ...(given.cluster.hasOpenYurt()
      ? {}
      : { pools: undefined, guarantees: { ...given.guarantees, immutablePools: undefined } }),
    ...(given.cluster.hasMutatingAdmissionPolicy() ? {} : { mutatingAdmissionPolicy: 'v1beta1' }),
  }));

const hook = {
  timeoutSeconds: fc.integer({ min: 1, max: 30 }),
  namespaceSelector: fc.record({ matchLabels: labels }),
  failurePolicy: fc.constantFrom('Fail', 'Ignore'),
};

export const openYurtWebhooks: fc.Arbitrary<any> = fc.record(
  {
    cluster: withOpenYurt,
    namespace: word,
    timeoutSeconds: hook.timeoutSeconds,
    webhooks: fc.record(
      {
        pods: fc.record(hook, { requiredKeys: [] }),
        nodes: fc.record({ timeoutSeconds: hook.timeoutSeconds }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    template: fc.boolean(),
    metadata: fc.record({ labels, annotations }, { requiredKeys: [] }),
  },
  { requiredKeys: ['cluster'] },
);

export const poolWebhook: fc.Arbitrary<any> = fc.record(
  {
    cluster,
    type: fc.constantFrom('mutating', 'validating'),
    metadata: fc.record({ name: word, labels }, { requiredKeys: ['name'] }),
    injectCaFrom: fc.constant('cert-manager/guard'),
    webhooks: fc.uniqueArray(
      fc
        .record(
          {
            name: word,
            rules: fc.constantFrom(
              ['pods'],
              ['nodes'],
              [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['daemonsets'] }],
            ),
            service: fc.record(
              { name: word, namespace: word, port: fc.integer({ min: 1, max: 65535 }) },
              { requiredKeys: ['name', 'namespace'] },
            ),
            ...hook,
          },
          { requiredKeys: ['name', 'rules', 'service'] },
        )
        .map((one) => ({ ...one, name: `${one.name}.guard.example` })),
      { minLength: 1, maxLength: 2, selector: ({ name }) => name },
    ),
  },
  { requiredKeys: ['cluster', 'type', 'metadata', 'webhooks'] },
);

/** A join by every method of every release, with hostile text wherever any text is allowed. */
export const nodeJoin: fc.Arbitrary<any> = fc
  .record({
    way: fc.constantFrom(...WAYS),
    options: joinOptions,
    kind: tokenKind,
    token: tokenText,
    publish: fc.boolean(),
    gzip: fc.boolean(),
    ignition: fc.boolean(),
    machines: fc.constantFrom(undefined, [
      { name: 'shop-1', mac: '52:54:00:00:00:01', address: '192.0.2.1/24', labels: { rack: 'r1' }, ntp: ['192.0.2.9'] },
      { name: 'shop-2' },
    ]),
  })
  .map(
    ({
      way: { openYurt, kubernetes, via },
      options: { registrationTaint, ...options },
      kind,
      token,
      publish,
      gzip,
      ignition,
      machines,
    }: any) => ({
      cluster: EdgeCluster.of({
        openYurt,
        kubernetes,
        name: `cluster-${++count}`,
        apiServer: '192.0.2.10:6443',
        caCertHashes: [`sha256:${'ab'.repeat(32)}`],
      }),
      pools: [{ poolName: 'beijing', registrationTaint }],
      ...options,
      ...(machines === undefined ? {} : { machines, nodeName: undefined }),
      ...(ignition && machines === undefined && via !== 'yurtadm' && options.service?.manager === undefined
        ? { format: 'ignition' }
        : gzip && options.format !== 'script'
          ? { gzip }
          : {}),
      via,
      publish,
      token: tokenOf(kind, token),
    }),
  );

export const kubeadmConfigTemplate: fc.Arbitrary<any> = nodeJoin.map(
  ({ via, publish, token, format, gzip, proxy, attempts, machines, service, staticPods, ...given }: any) => ({
    ...given,
    version: publish ? 'v1beta1' : 'v1beta2',
  }),
);

export const bootstrapToken: fc.Arbitrary<any> = fc.record(
  {
    cluster,
    token: tokenText.map((value) => tokenOf('inline', value)),
    expiration: fc.constantFrom('2100-01-01T00:00:00Z', 'never'),
    usages: fc.constantFrom(['signing'], ['authentication', 'signing']),
    groups: fc.constant(['system:bootstrappers:edge']),
    description: text,
  },
  { requiredKeys: ['cluster', 'token', 'expiration'] },
);

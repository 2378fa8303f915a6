import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, placeFleet } from 'edge-nodepools';
import { runs, samples } from '../depth.js';

describe('placeFleet', () => {
  it('gives each node what every node has, unless it is written', () => {
    const needing = (key: string, value: string): object => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: { template: { spec: { hostNetwork: true, nodeSelector: { [key]: value }, containers: [] } } },
    });
    const chart = new Chart(new App(), 'fleet');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    const pool = new HostNetworkNodePool(chart, 'edge', { cluster, poolName: 'edge' });
    const nodes = [{ name: 'w', labels: {} }, pool];
    const everyNode = [
      ['kubernetes.io/os', 'linux'],
      ['kubernetes.io/arch', 'amd64'],
      ['beta.kubernetes.io/os', 'linux'],
      ['beta.kubernetes.io/arch', 'amd64'],
    ] as const;
    for (const [key, value] of everyNode) {
      const placed = placeFleet([...manifestsOf(chart), needing(key, value)], nodes);
      expect(placed.map(({ runs }) => runs)).toEqual([['DaemonSet agent'], ['DaemonSet agent']]);
    }
    expect(placeFleet([needing('kubernetes.io/hostname', 'w')], nodes).map(({ runs }) => runs.length)).toEqual([1, 0]);
    const windows = { name: 'x', labels: { 'kubernetes.io/os': 'windows' } };
    expect(placeFleet([needing('kubernetes.io/os', 'linux')], [windows])[0]?.runs).toEqual([]);
  });

  it('uses given nodes if there are no NodePools', () => {
    const web = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { hostNetwork: true, nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' } } } },
    };
    const placed = placeFleet(
      [web],
      [
        { name: 'a', labels: { 'apps.openyurt.io/nodepool': 'hz', 'nodepool.openyurt.io/hostnetwork': 'true' } },
        { name: 'b', labels: {} },
      ],
    );
    expect(placed).toEqual([
      { pool: 'hz', hostNetwork: true, runs: ['Deployment web'], excluded: [], others: [] },
      {
        pool: 'b',
        hostNetwork: false,
        runs: [],
        excluded: [{ workload: 'Deployment web', reason: 'only hz' }],
        others: [],
      },
    ]);
  });
});

describe('what becomes of a workload', () => {
  const HOST = { 'nodepool.openyurt.io/hostnetwork': 'true' };
  const MEMBER = 'apps.openyurt.io/nodepool';
  const made = (name: string, spec: object, kind = 'Deployment', fields: object = {}): any => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'default' },
    spec: { ...fields, template: { spec: { containers: [{ name: 'a', image: 'a' }], hostNetwork: true, ...spec } } },
  });
  const listening = { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] };
  const requesting = (cpu: string): object => ({ containers: [{ name: 'a', resources: { requests: { cpu } } }] });
  const pool = (name: string, about: object = {}): any => ({
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name, labels: { region: name } },
    spec: { hostNetwork: true },
    status: { nodes: [`${name}-1`] },
    ...about,
  });
  const set = (spec: object): any => ({
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    metadata: { name: 'set', namespace: 'default' },
    spec: {
      ...spec,
      workload: { workloadTemplate: { deploymentTemplate: { spec: made('set', {}).spec } }, ...(spec as any).workload },
    },
  });
  const topology = (name: string, operator: string, more: object = {}): any => ({
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'YurtAppSet',
    metadata: { name: 'set', namespace: 'default' },
    spec: {
      workloadTemplate: { deploymentTemplate: { spec: made('set', {}).spec } },
      topology: {
        pools: [
          { name: 'p', nodeSelectorTerm: { matchExpressions: [{ key: MEMBER, operator, values: [name] }] }, ...more },
        ],
      },
    },
  });
  const admin = (poolName: string): any => ({
    apiVersion: 'iot.openyurt.io/v1alpha2',
    kind: 'PlatformAdmin',
    metadata: { name: 'edgex', namespace: 'default' },
    spec: { poolName },
  });
  /** `outcome: reason` of the last object on the first pool or node. */
  const told = (objects: readonly any[], nodes: readonly any[] = []): string => {
    const [placed] = placeFleet(objects, nodes);
    const { kind, metadata } = objects.at(-1);
    const name = `${kind} ${metadata.namespace ?? 'default'}/${metadata.name}`;
    const other = placed?.others.find(({ workload }) => workload === name);
    const excluded = placed?.excluded.find(({ workload }) => workload === name);
    return other !== undefined
      ? `${other.outcome}: ${other.reason}`
      : excluded !== undefined
        ? `excluded: ${excluded.reason}`
        : placed?.runs.includes(name) === true
          ? 'runs'
          : 'nothing';
  };

  const onPool = (...objects: readonly any[]): string => told([pool('a'), ...objects]);
  const agent = made('agent', listening, 'DaemonSet');

  it.each<[string, string, RegExp]>([
    ['hostNetwork', onPool(made('web', {})), /^runs$/],
    ['a Pod network', onPool(made('web', { hostNetwork: false })), /^never starts: it needs a Pod network/],
    [
      'a part of an object',
      onPool(made('web', { hostNetwork: undefined, containers: undefined })),
      /^unknown: whether/,
    ],
    ['another operating system', onPool(made('web', { os: { name: 'windows' } })), /^never starts: it is for windows/],
    ['an architecture', onPool(made('web', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } })), /^unknown: .*arch/],
    ['a scheduling gate', onPool(made('web', { schedulingGates: [{ name: 'a/b' }] })), /^waits: .*a\/b/],
    ['another scheduler', onPool(made('web', { schedulerName: 'volcano' })), /^unknown: its scheduler is volcano/],
    ['a taken port', onPool(agent, made('web', listening)), /^port taken: 80\/TCP by DaemonSet default\/agent/],
    ['a taken port, whatever comes first', onPool(made('web', listening), agent), /^runs$/],
    [
      'more Pods than nodes',
      onPool(made('web', listening, 'Deployment', { replicas: 2 })),
      /^port taken: .* 1 of 1 node, for 2/,
    ],
    [
      'a claim',
      onPool(made('web', { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'b' } }] })),
      /^unknown: .*default\/b/,
    ],
    [
      'Pods that must be near',
      onPool(
        made('web', {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } },
              ],
            },
          },
        }),
      ),
      /^unknown: needs a Pod with app=db/,
    ],
    ['another pool', onPool(made('web', { nodeSelector: { [MEMBER]: 'b' } })), /^excluded: only b$/],
    ['a set of its pools', onPool(set({ pools: ['a'] })), /^runs$/],
    ['a set of other pools', onPool(set({ pools: ['b', 'c'] })), /^excluded: only b, c$/],
    ['a set that selects it', onPool(set({ nodepoolSelector: { matchLabels: { region: 'a' } } })), /^runs$/],
    [
      'a set that selects others',
      onPool(set({ nodepoolSelector: { matchLabels: { region: 'b' } } })),
      /^excluded: spec.nodepoolSelector/,
    ],
    ['a set that names no pool', onPool(set({})), /^excluded: spec.pools is empty$/],
    ['a set of v1alpha1', onPool(topology('a', 'In')), /^runs$/],
    [
      'a set of v1alpha1 with tolerations',
      onPool(topology('a', 'In', { tolerations: [{ operator: 'Exists' }] })),
      /^unknown: spec.topology.pools has a field tolerations/,
    ],
    [
      'a set of v1alpha1 with a patch',
      onPool(topology('a', 'In', { patch: { spec: {} } })),
      /^unknown: .* field patch/,
    ],
    ['a set of v1alpha1 for others', onPool(topology('b', 'In')), /^excluded: only b$/],
    ['a set of v1alpha1 by another operator', onPool(topology('b', 'NotIn')), /^unknown: spec.topology.pools/],
    ['a PlatformAdmin', onPool(admin('a')), /^unknown: the Pods of a PlatformAdmin/],
    ['a PlatformAdmin of another pool', onPool(admin('b')), /^excluded: only b$/],
    [
      'a set that patches its template',
      onPool(set({ pools: ['a'], workload: { workloadTweaks: [{ pools: ['a'], tweaks: { patches: [{}] } }] } })),
      /^unknown: .*workloadTweaks/,
    ],
    [
      'an unknown kind',
      onPool({
        apiVersion: 'a.example/v1',
        kind: 'Robot',
        metadata: { name: 'r', namespace: 'default' },
        spec: { template: { spec: { containers: [{ name: 'a' }] } } },
      }),
      /^unknown: Robot a.example\/v1/,
    ],
    [
      'no room',
      told(
        [made('agent', requesting('1500m'), 'DaemonSet'), made('web', requesting('700m'))],
        [{ name: 'n', labels: HOST, allocatable: { cpu: '2', pods: '110' } }],
      ),
      /^no room: cpu: requests 700m, 500m is free: 200m too little/,
    ],
    [
      'a node that is not ready',
      told(
        [made('web', {})],
        [{ name: 'n', labels: {}, taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }],
      ),
      /^runs$/,
    ],
    [
      'a node that is not ready, for the scheduler',
      told(
        [made('web', {})],
        [{ name: 'n', labels: {}, taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] }],
      ),
      /^excluded: taint node.kubernetes.io\/not-ready/,
    ],
  ])('%s', (_, outcome, expected) => {
    expect(outcome).toMatch(expected);
  });

  /** A pool `a` with Nodes, by what they can allocate. */
  const sized = (...cpus: readonly string[]): any[] => [
    pool('a', { status: { nodes: cpus.map((_, index) => `a-${index}`) } }),
    ...cpus.map((cpu, index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `a-${index}`, labels: { [MEMBER]: 'a', ...HOST } },
      status: { allocatable: { cpu, memory: '4Gi', pods: '4' } },
    })),
  ];
  const replicas = (name: string, count: number, cpu: string, more: object = {}): any =>
    made(name, { ...requesting(cpu), ...more }, 'Deployment', { replicas: count });

  it.each<[string, string, RegExp]>([
    ['as many as there is room for', told([...sized('2', '2'), replicas('web', 4, '1')]), /^runs$/],
    [
      'one more than there is room for',
      told([...sized('2', '2'), replicas('web', 5, '1')]),
      /^no room: cpu: room for 4 of 5 Pods on 2 nodes$/,
    ],
    [
      'room in pieces, each too small',
      told([...sized('1500m', '1500m'), replicas('web', 3, '1')]),
      /^no room: cpu: room for 2 of 3 Pods on 2 nodes$/,
    ],
    [
      'what others take',
      told([...sized('2', '2'), replicas('db', 3, '1'), replicas('web', 4, '500m')]),
      /^no room: cpu: 4 Pods request 2, 1 is free on 2 nodes: 1 too little$/,
    ],
    [
      'a DaemonSet before all others',
      told([...sized('2', '2'), replicas('web', 4, '1'), made('agent', requesting('100m'), 'DaemonSet')]),
      /^runs$/,
    ],
    [
      'what is left beside DaemonSets',
      told([...sized('2', '2'), made('agent', requesting('100m'), 'DaemonSet'), replicas('web', 4, '1')]),
      /^no room: cpu: room for 2 of 4 Pods on 2 nodes$/,
    ],
    [
      'too many Pods',
      told([...sized('2', '2'), replicas('web', 9, '1m')]),
      /^no room: pods: room for 8 of 9 Pods on 2 nodes$/,
    ],
    ['nodes that differ', told([...sized('500m', '3'), replicas('web', 3, '1')]), /^runs$/],
    [
      'a DaemonSet on nodes that differ',
      told([...sized('500m', '3'), made('agent', requesting('1'), 'DaemonSet')]),
      /^no room: cpu: requests 1, 500m is free: 500m too little$/,
    ],
    [
      'nodes of which one is not there',
      told([pool('a', { status: { nodes: ['a-0', 'a-1'] } }), ...sized('500m').slice(1), replicas('web', 3, '1')]),
      /^runs$/,
    ],
    [
      'Pods that are there',
      told([
        ...sized('2'),
        replicas('web', 2, '1'),
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p', namespace: 'default' },
          spec: { nodeName: 'a-0', hostNetwork: true, ...requesting('1500m') },
        },
        replicas('last', 1, '1'),
      ]),
      /^no room: cpu: 1 Pod requests 1, 500m is free on 1 node: 500m too little$/,
    ],
    ['another pool where it can be', told([...sized('500m'), pool('b'), replicas('web', 3, '500m')]), /^runs$/],
  ])('counts %s', (_, outcome, expected) => {
    expect(outcome).toMatch(expected);
  });

  it('says that there is no room only if all Pods together have no place', () => {
    const amounts = fc.integer({ min: 1, max: 4 });
    const fleets = fc.record({
      nodes: fc.array(amounts, { minLength: 1, maxLength: 3 }),
      daemon: fc.integer({ min: 0, max: 1 }),
      workloads: fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), cpu: fc.integer({ min: 1, max: 2 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    });
    /** Whether Pods can be put on nodes with so much left. */
    const fit = (left: readonly number[], [first, ...rest]: readonly number[]): boolean =>
      first === undefined || left.some((free, at) => free >= first && fit(left.with(at, free - first), rest));
    let full = 0;
    fc.assert(
      fc.property(fleets, ({ nodes, daemon, workloads }) => {
        const agents = daemon === 0 ? [] : [made('agent', requesting(String(daemon)), 'DaemonSet')];
        const objects = workloads.map(({ count, cpu }, index) => replicas(`w${index}`, count, String(cpu)));
        const [placed] = placeFleet([...sized(...nodes.map(String)), ...agents, ...objects]);
        const all = workloads.flatMap(({ count, cpu }) => Array.from({ length: count }, () => cpu));
        const isFull = placed?.others.some(({ outcome }) => outcome === 'no room') === true;
        full += isFull ? 1 : 0;
        const fits =
          fit(
            nodes.map((cpu) => cpu - daemon),
            all,
          ) && all.length + agents.length <= 4 * nodes.length;
        expect(isFull && fits).toBe(false);
        // with one node the sums say everything
        expect(nodes.length > 1 || isFull || fits).toBe(true);
      }),
      runs(2000),
    );
    expect(full).toBeGreaterThan(samples(2000) / 10);
  });
});

import { App, Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, placeFleet } from 'edge-nodepools';

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
      /^port taken: .* 1 of 1 nodes, for 2/,
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
      /^no room: cpu: requests 700m, free are 500m, 200m are missing/,
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
});

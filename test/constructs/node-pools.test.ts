import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  type RegularNodePoolProps,
  HostNetworkNodePool,
  type HostNetworkNodePoolProps,
  NodePoolConstruct,
} from 'edge-nodepools';

const releases = { '1.4': '1.23', '1.5': '1.28', '1.6': '1.30', '1.7': '1.34' };
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const plain = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

function poolOf(props: Partial<HostNetworkNodePoolProps> = {}): { pool: HostNetworkNodePool; objects: any[] } {
  const chart = Testing.chart();
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz', ...props });
  return { pool, objects: Testing.synth(chart) };
}

describe('HostNetworkNodePool', () => {
  it.each(['toString', 'hasOwnProperty', 'valueOf'])('may have a label and an annotation %s', (name) => {
    const { objects } = poolOf({ labels: { [name]: 'x' }, annotations: { [name]: 'x' } });
    expect([objects[0].spec.labels, objects[0].spec.annotations]).toEqual([{ [name]: 'x' }, { [name]: 'x' }]);
  });

  it('is as declared, whatever the program does with its properties later', () => {
    const taint = { key: 'site', value: 'a', effect: 'NoSchedule' as const };
    const taints = [taint];
    const { pool } = poolOf({ taints });
    taint.value = 'b';
    taints.push({ ...taint, key: 'other' });
    expect(pool.taints).toEqual([{ key: 'site', value: 'a', effect: 'NoSchedule' }]);
    expect(pool.tolerations).toMatchObject([{ key: 'site', value: 'a' }]);
  });

  it('refuses a label __proto__, and no other error is thrown', () => {
    const labels = JSON.parse('{"__proto__": "x"}');
    expect(() => poolOf({ labels })).toThrow('is not a qualified name');
  });

  it.each(Object.entries(releases))(
    'OpenYurt %s: the object that its API server stores as meant',
    (openYurt, kubernetes) => {
      const { objects } = poolOf({ cluster: EdgeCluster.of({ openYurt, kubernetes }) });
      expect(objects).toEqual([
        {
          apiVersion: openYurt === '1.7' ? 'apps.openyurt.io/v1beta2' : 'apps.openyurt.io/v1beta1',
          kind: 'NodePool',
          metadata: {
            name: 'hz',
            labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
            // the upgrade to 1.7 reads only the annotation, not spec.hostNetwork of v1beta1
            ...(openYurt === '1.7' ? {} : { annotations: { 'nodepool.openyurt.io/hostnetwork': 'true' } }),
          },
          // the webhook defaults the strategy at CREATE only, and refuses a later apply without it
          spec: {
            type: 'Edge',
            hostNetwork: true,
            ...(openYurt === '1.7' ? { leaderElectionStrategy: 'random' } : {}),
          },
        },
      ]);
    },
  );

  it.each(Object.entries(releases))('OpenYurt %s: no regular pool has that annotation', (openYurt, kubernetes) => {
    const chart = Testing.chart();
    const given = { cluster: EdgeCluster.of({ openYurt, kubernetes }), poolName: 'hz' };
    new RegularNodePool(chart, 'pool', given);
    expect(Testing.synth(chart)[0].metadata.annotations).toBeUndefined();
  });

  it('accepts the annotation of an adopted pool, and keeps others', () => {
    const annotations = { 'nodepool.openyurt.io/hostnetwork': 'true', owner: 'us' };
    const before = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
    for (const each of [cluster, before]) {
      expect(poolOf({ cluster: each, metadata: { annotations } }).objects[0].metadata.annotations).toEqual(annotations);
    }
    const { objects } = poolOf({ cluster: before, metadata: { annotations: { owner: 'us' } } });
    expect(objects[0].metadata.annotations).toEqual(annotations);
  });

  it('writes every property into the object', () => {
    // with Required<>, the compiler reports a new property that is missing here
    const all: Required<Omit<HostNetworkNodePoolProps, 'expectedNodes' | 'reservation'>> = {
      cluster,
      poolName: 'hz',
      type: 'Edge',
      labels: { site: 'hz' },
      annotations: { owner: 'team edge' },
      taints: [{ key: 'site', value: 'hz', effect: 'NoExecute', timeAdded: '2026-01-31T12:00:00Z' }],
      registrationTaint: true,
      interConnectivity: false,
      enableLeaderElection: true,
      leaderElectionStrategy: 'mark',
      leaderNodeLabelSelector: { leader: 'true' },
      leaderReplicas: 2,
      poolScopeMetadata: [{ group: '', version: 'v1', resource: 'services' }],
      extraSpec: { newField: { deep: [1] } },
      metadata: { labels: { team: 'edge' }, annotations: { note: 'x' }, finalizers: ['a/b'] },
      autonomy: '2h',
    };
    expect(poolOf(all).objects[0]).toEqual({
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: {
        name: 'hz',
        labels: {
          'app.kubernetes.io/managed-by': 'edge-nodepools',
          'edge-nodepools/manifest-format': '1',
          team: 'edge',
        },
        annotations: { note: 'x' },
        finalizers: ['a/b'],
      },
      spec: {
        type: 'Edge',
        hostNetwork: true,
        labels: { site: 'hz' },
        annotations: { owner: 'team edge', 'node.openyurt.io/autonomy-duration': '7200s' },
        taints: [
          { key: 'site', value: 'hz', effect: 'NoExecute', timeAdded: '2026-01-31T12:00:00Z' },
          { key: 'nodepool.openyurt.io/hostnetwork', value: 'true', effect: 'NoSchedule' },
        ],
        interConnectivity: false,
        enableLeaderElection: true,
        leaderElectionStrategy: 'mark',
        leaderNodeLabelSelector: { leader: 'true' },
        leaderReplicas: 2,
        // completed as the webhook does at CREATE
        poolScopeMetadata: [
          { group: '', version: 'v1', resource: 'services' },
          { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
        ],
        newField: { deep: [1] },
      },
    });
  });

  it('has the attributes that nodes and workloads need', () => {
    const { pool } = poolOf({
      labels: { site: 'hz' },
      taints: [
        { key: 'site', value: 'hz', effect: 'NoSchedule' },
        { key: 'raw', effect: 'NoExecute' },
      ],
      expectedNodes: 3,
    });
    expect(pool).toBeInstanceOf(NodePoolConstruct);
    expect(pool).toMatchObject({
      cluster,
      poolName: 'hz',
      hostNetwork: true,
      joinLabels: { 'apps.openyurt.io/nodepool': 'hz', 'nodepool.openyurt.io/hostnetwork': 'true' },
      registrationTaints: [],
      nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' },
      tolerations: [
        { key: 'site', operator: 'Equal', value: 'hz', effect: 'NoSchedule' },
        { key: 'raw', operator: 'Exists', effect: 'NoExecute' },
      ],
      expectedNodes: 3,
    });
  });

  it('without OpenYurt creates no object; the node joins with labels and taints', () => {
    const taints = [{ key: 'site', value: 'hz', effect: 'NoSchedule' as const }];
    const { pool, objects } = poolOf({ cluster: plain, labels: { site: 'hz' }, taints, registrationTaint: true });
    expect(objects).toEqual([]);
    expect(pool.joinLabels).toEqual({
      site: 'hz',
      'apps.openyurt.io/nodepool': 'hz',
      'nodepool.openyurt.io/hostnetwork': 'true',
    });
    expect(pool.registrationTaints).toEqual([
      ...taints,
      { key: 'nodepool.openyurt.io/hostnetwork', value: 'true', effect: 'NoSchedule' },
    ]);
    expect(pool.tolerations).toHaveLength(2);
  });

  it('writes the registration taint once, even if it is in taints', () => {
    const taint = { key: 'nodepool.openyurt.io/hostnetwork', value: 'true', effect: 'NoSchedule' as const };
    const { pool, objects } = poolOf({ registrationTaint: true, taints: [taint] });
    expect(objects[0].spec.taints).toEqual([taint]);
    expect(pool.tolerations).toHaveLength(1);
  });

  it('adds the registration taint to joins and nodes; off by default', () => {
    const { pool, objects } = poolOf({ registrationTaint: true });
    const taint = { key: 'nodepool.openyurt.io/hostnetwork', value: 'true', effect: 'NoSchedule' };
    expect(pool.registrationTaints).toEqual([taint]);
    expect(objects[0].spec.taints).toEqual([taint]);
    expect(poolOf().objects[0].spec.taints).toBeUndefined();
  });

  it('uses the membership label of the cluster’s OpenYurt build', () => {
    const other = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', nodePoolLabel: 'example.com/pool' });
    expect(poolOf({ cluster: other }).pool.nodeSelector).toEqual({ 'example.com/pool': 'hz' });
  });

  it('contains an ApiObject, so that patches and metadata work', () => {
    const chart = Testing.chart();
    const pool = new HostNetworkNodePool(chart, 'pool', {
      cluster,
      poolName: 'hz',
      extraSpec: { unknown: { kept: true } },
    });
    ApiObject.of(pool).addJsonPatch(JsonPatch.add('/spec/anotherUnknown', 7));
    ApiObject.of(pool).metadata.addAnnotation('a', 'b');
    expect(Testing.synth(chart)[0]).toMatchObject({
      metadata: { annotations: { a: 'b' } },
      spec: { unknown: { kept: true }, anotherUnknown: 7, hostNetwork: true },
    });
  });

  it('is cluster-scoped in a chart with a namespace', () => {
    const chart = new Chart(new App(), 'chart', { namespace: 'edge', labels: { team: 'edge' } });
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    expect(Testing.synth(chart)[0].metadata).toEqual({
      name: 'hz',
      labels: { team: 'edge', 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
    });
  });
});

describe('HostNetworkNodePool.fromPoolName', () => {
  it('has the labels with which its nodes join without OpenYurt', () => {
    const labels = { site: 'hz' };
    const bring = (openYurt: string): unknown => {
      const on = EdgeCluster.of({ openYurt, kubernetes: '1.34' });
      return HostNetworkNodePool.fromPoolName(Testing.chart(), 'pool', { cluster: on, poolName: 'hz', labels })
        .joinLabels;
    };
    expect(bring('none')).toMatchObject(labels);
    expect(bring('1.7')).not.toHaveProperty('site');
  });

  it('has the attributes of a pool and creates no object', () => {
    const chart = Testing.chart();
    const pool = HostNetworkNodePool.fromPoolName(chart, 'pool', {
      cluster,
      poolName: 'hz',
      registrationTaint: true,
      expectedNodes: 4,
    });
    expect(pool).toMatchObject({
      poolName: 'hz',
      hostNetwork: true,
      expectedNodes: 4,
      nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' },
    });
    expect(pool.tolerations).toEqual([
      { key: 'nodepool.openyurt.io/hostnetwork', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
    ]);
    expect(Testing.synth(chart)).toEqual([]);
  });

  it('can be declared several times, also for a pool that is created here', () => {
    const chart = Testing.chart();
    HostNetworkNodePool.fromPoolName(chart, 'a', { cluster, poolName: 'hz' });
    new HostNetworkNodePool(chart, 'b', { cluster, poolName: 'hz' });
    HostNetworkNodePool.fromPoolName(chart, 'c', { cluster, poolName: 'hz' });
    expect(Testing.synth(chart)).toHaveLength(1);
  });
});

describe('RegularNodePool', () => {
  it.each(['Edge', 'Cloud'] as const)('is a regular pool of type %s', (type) => {
    const chart = Testing.chart();
    const props: RegularNodePoolProps = { cluster, poolName: 'shanghai', type, interConnectivity: true };
    const pool = new RegularNodePool(chart, 'pool', props);
    expect(Testing.synth(chart)[0]).toMatchObject({ kind: 'NodePool', spec: { type, interConnectivity: true } });
    expect(Testing.synth(chart)[0].spec).not.toHaveProperty('hostNetwork');
    expect(pool.hostNetwork).toBe(false);
    expect(pool.joinLabels).toEqual({ 'apps.openyurt.io/nodepool': 'shanghai' });
  });
});

describe('the same pool name', () => {
  const describe17 = (props: object = {}): EdgeCluster =>
    EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', ...props });

  it('is refused in two descriptions of one cluster, and allowed in two clusters with names', () => {
    const chart = Testing.chart();
    new HostNetworkNodePool(chart, 'a', { cluster: describe17(), poolName: 'hz' });
    expect(() => new HostNetworkNodePool(chart, 'b', { cluster: describe17(), poolName: 'hz' })).toThrow(
      /EDGE_DUPLICATE/,
    );
    new HostNetworkNodePool(chart, 'c', { cluster: describe17({ name: 'north' }), poolName: 'hz' });
    new HostNetworkNodePool(chart, 'd', { cluster: describe17({ name: 'south' }), poolName: 'hz' });
    expect(Testing.synth(chart)).toHaveLength(3);
  });

  it.each([true, false])('with other taints in fromPoolName is a conflict, in any order', (importedFirst) => {
    const chart = Testing.chart();
    const steps = [
      () => HostNetworkNodePool.fromPoolName(chart, 'imported', { cluster, poolName: 'hz' }),
      () => new HostNetworkNodePool(chart, 'made', { cluster, poolName: 'hz', registrationTaint: true }),
    ];
    const [first, second] = importedFirst ? steps : [...steps].reverse();
    first?.();
    expect(() => second?.()).toThrow(/EDGE_CONTRADICTION .*declared twice/s);
  });

  it('is allowed in two clusters of one app', () => {
    const app = new App();
    for (const [openYurt, kubernetes] of Object.entries(releases)) {
      const chart = new Chart(app, `on-${openYurt.replace('.', '-')}`);
      new HostNetworkNodePool(chart, 'pool', { cluster: EdgeCluster.of({ openYurt, kubernetes }), poolName: 'hz' });
    }
    expect(app.synthYaml().match(/name: hz/g)).toHaveLength(4);
  });
});

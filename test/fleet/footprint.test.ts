import { footprint } from 'edge-nodepools';
import fc from 'fast-check';
import { runs } from '../depth.js';
import { Quantity } from '../../src/kubernetes/quantity.js';
import { kubeProxyDaemonSet } from '../corpus/kube-system.js';

const POOL = {
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: 'beijing' },
  spec: { type: 'Edge', hostNetwork: true },
};
const NODE = {
  name: 'edge-1',
  labels: { 'nodepool.openyurt.io/hostnetwork': 'true', 'apps.openyurt.io/nodepool': 'shanghai' },
};
const REQUIRED = {
  nodeSelectorTerms: [
    { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
  ],
};
const AFFINITY = { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: REQUIRED } } };

const daemonSet = (name: string, podSpec: object): any => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: 'kube-system' },
  spec: { template: { spec: podSpec } },
});
const container = (cpu?: string, memory?: string, extra: object = {}): any => ({
  name: 'a',
  resources: { requests: { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) } },
  ...extra,
});
const requestsOf = (podSpec: object): object | undefined =>
  footprint([POOL, daemonSet('d', { ...podSpec, ...AFFINITY })])[0]?.savedOnEachNode;

describe('the footprint of host-network pools', () => {
  it('merges partial objects into the whole ones, and sums the requests of DaemonSets', () => {
    const flannel = daemonSet('kube-flannel-ds', { containers: [container('100m', '50Mi')] });
    const partial = (name: string): any => daemonSet(name, AFFINITY);
    const [beijing] = footprint([
      POOL,
      kubeProxyDaemonSet(),
      flannel,
      daemonSet('stays', { containers: [container('1', '1Gi')] }),
      partial('kube-proxy'),
      partial('kube-flannel-ds'),
    ]);
    expect(beijing).toMatchObject({
      pool: 'beijing',
      savedOnEachNode: { cpu: '150m', memory: '50Mi' },
      runs: ['DaemonSet kube-system/stays'],
      remains: ['kubelet', 'the container runtime', 'yurthub, a static Pod'],
    });
    expect(beijing?.saved.map(({ workload, requests }) => [workload, requests])).toEqual([
      ['DaemonSet kube-system/kube-proxy', { cpu: '50m', memory: '0' }],
      ['DaemonSet kube-system/kube-flannel-ds', { cpu: '100m', memory: '50Mi' }],
    ]);
    for (const { measured } of beijing?.saved ?? []) {
      expect(measured?.source).toContain('docs/proposals/');
    }
  });

  it('counts neither workloads that would not run there anyway nor Deployments, and supports nodes without NodePool', () => {
    const elsewhere = daemonSet('elsewhere', {
      nodeSelector: { zone: 'b' },
      containers: [container('1')],
      ...AFFINITY,
    });
    const web = { ...daemonSet('web', { containers: [container('1')], ...AFFINITY }), kind: 'Deployment' };
    expect(footprint([elsewhere, web], [NODE, { name: 'ordinary', labels: {} }])).toEqual([
      {
        pool: 'shanghai',
        saved: [{ workload: 'Deployment kube-system/web', onEachNode: false, requests: { cpu: '1', memory: '0' } }],
        savedOnEachNode: { cpu: '0', memory: '0' },
        runs: [],
        mayRun: [],
        remains: ['kubelet', 'the container runtime'],
      },
    ]);
  });

  it.each([
    ['containers together', { containers: [container('100m', '1Gi'), container('0.4', '512Mi')] }, '500m', '1536Mi'],
    ['a limit without request', { containers: [{ resources: { limits: { cpu: 1, memory: '64M' } } }] }, '1', '64M'],
    ['an init container that is larger', { initContainers: [container('2')], containers: [container('1')] }, '2', '0'],
    [
      'a sidecar beside the rest',
      {
        initContainers: [container('1', '1Mi', { restartPolicy: 'Always' }), container('3')],
        containers: [container('2')],
      },
      '4',
      '1Mi',
    ],
    ['overhead', { overhead: { cpu: '250m' }, containers: [container('1')] }, '1250m', '0'],
    [
      'what the Pod itself requests',
      { resources: { requests: { cpu: '3' } }, containers: [container('1', '1Mi')] },
      '3',
      '1Mi',
    ],
    [
      'a limit of the Pod where no container requests',
      { resources: { limits: { cpu: '3', memory: '5Mi' } }, containers: [container('1')] },
      '1',
      '5Mi',
    ],
    ['nothing at all', { containers: [{ name: 'a' }, 'odd'] }, '0', '0'],
    ['what is unknown, because a partial object has no containers', {}, 'unknown', 'unknown'],
  ])('counts %s', (_, podSpec, cpu, memory) => expect(requestsOf(podSpec)).toEqual({ cpu, memory }));

  it.each([
    ['containers', { containers: [container('much')] }, 'containers[0].resources.cpu'],
    ['initContainers', { initContainers: [container('1', 'a lot')] }, 'initContainers[0].resources.memory'],
    ['the Pod', { resources: { limits: { cpu: '1x' } } }, 'resources.cpu'],
    ['overhead', { overhead: { memory: [] } }, 'overhead.memory'],
  ])('refuses an invalid quantity of %s', (_, podSpec, place) => {
    expect(() => requestsOf(podSpec)).toThrow(/EDGE_QUANTITY/);
    expect(() => requestsOf(podSpec)).toThrow(place);
  });

  it('processes the items of Lists, as kubectl prints them', () => {
    const items = [POOL, daemonSet('d', { containers: [container('1')], ...AFFINITY })];
    const { kind: _, ...bare } = items[1];
    const lists = [
      { apiVersion: 'v1', kind: 'List', items: items.slice(0, 1) },
      { kind: 'DaemonSetList', items: [bare] },
    ];
    expect(footprint(lists)).toEqual(footprint(items));
  });

  describe('with the Pods of the cluster', () => {
    const owned = (kind: string, name: string, hash?: string): object => ({
      ownerReferences: [{ kind, name, controller: true }],
      ...(hash === undefined ? {} : { labels: { 'pod-template-hash': hash } }),
    });
    const pod = (name: string, nodeName?: string, metadata: object = {}, more: object = {}): any => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'kube-system', ...metadata },
      spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: [container('1')] },
      ...more,
    });
    const node = (name: string, pool?: string): any => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: pool === undefined ? {} : { 'apps.openyurt.io/nodepool': pool } },
    });
    const proxy = daemonSet('kube-proxy', { containers: [container('50m')], ...AFFINITY });
    const dns = { ...daemonSet('coredns', { containers: [container('70m')], ...AFFINITY }), kind: 'Deployment' };

    it('counts a bound Pod only on its node', () => {
      const pool = { ...POOL, status: { nodes: ['edge-2'] } };
      const pods = ['edge-1', 'edge-2', 'cloud-1', undefined].map((at) => pod(`debug-${at ?? 'anywhere'}`, at));
      const [beijing] = footprint([pool, node('edge-1', 'beijing'), node('cloud-1'), ...pods]);
      expect(beijing?.mayRun).toEqual(
        ['debug-edge-1', 'debug-edge-2', 'debug-anywhere'].map((name) => `Pod kube-system/${name}`),
      );
      expect(beijing?.runs).toEqual([]);
    });

    it('lists nothing as still there that it lists as gone', () => {
      const [beijing] = footprint([
        POOL,
        node('edge-1', 'beijing'),
        proxy,
        dns,
        pod('kube-proxy-x', 'edge-1', owned('DaemonSet', 'kube-proxy')),
        pod('coredns-5d7-x', 'edge-1', owned('ReplicaSet', 'coredns-5d7', '5d7')),
        pod('done', 'edge-1', {}, { status: { phase: 'Succeeded' } }),
        pod('yurt-hub-edge-1', 'edge-1', owned('Node', 'edge-1')),
        { ...dns, metadata: { ...dns.metadata, name: 'off' }, spec: { ...dns.spec, replicas: 0 } },
      ]);
      expect(beijing?.saved.map(({ workload }) => workload)).toEqual([
        'DaemonSet kube-system/kube-proxy',
        'Deployment kube-system/coredns',
      ]);
      expect([beijing?.runs, beijing?.mayRun]).toEqual([[], []]);
    });

    it('counts a Pod whose controller is not among the objects', () => {
      const lost = pod('kube-proxy-x', 'edge-1', owned('DaemonSet', 'kube-proxy'));
      expect(footprint([POOL, node('edge-1', 'beijing'), lost])[0]?.mayRun).toEqual(['Pod kube-system/kube-proxy-x']);
    });
  });

  it('tells what runs on each node from what may run on one', () => {
    const stays = daemonSet('stays', { containers: [container()] });
    const web = { ...daemonSet('web', { containers: [container()] }), kind: 'Deployment' };
    expect(footprint([POOL, stays, web])[0]).toMatchObject({
      runs: ['DaemonSet kube-system/stays'],
      mayRun: ['Deployment kube-system/web'],
    });
  });

  it('does not add what is unknown to what is known', () => {
    const known = daemonSet('known', { containers: [container('1')], ...AFFINITY });
    const [beijing] = footprint([POOL, known, daemonSet('partial', AFFINITY)]);
    expect(beijing?.savedOnEachNode).toEqual({ cpu: 'unknown', memory: 'unknown' });
    expect(beijing?.saved.map(({ requests }) => requests.cpu)).toEqual(['1', 'unknown']);
  });

  it('computes exact sums', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 9 }), (millis) => {
        const sum = millis.reduce((a, b) => a + b, 0);
        const expected = Quantity.parse(`${sum}m`)?.toString();
        expect(requestsOf({ containers: millis.map((each) => container(`${each}m`)) })).toMatchObject({
          cpu: expected,
        });
      }),
      runs(100),
    );
  });
});

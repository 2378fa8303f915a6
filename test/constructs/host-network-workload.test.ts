import type { Chart } from 'cdk8s';
import { ApiObject, Lazy, Testing } from 'cdk8s';
import {
  EdgeCluster,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type HostNetworkWorkloadProps,
  placeFleet,
  RegularNodePool,
} from 'edge-nodepools';
import { daemonSet, deployment, required } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '192.0.2.10:6443', yurthub: true });

function pool(chart: Chart, poolName: string, props: object = {}): HostNetworkNodePool {
  return new HostNetworkNodePool(chart, poolName, { cluster, poolName, ...props });
}

function run(
  workload: any,
  props: Partial<HostNetworkWorkloadProps> = {},
  poolProps: object = {},
): { made: HostNetworkWorkload; spec: any; object: any; warnings: string[] } {
  const chart = Testing.chart();
  const made = new HostNetworkWorkload(chart, 'x', { pool: pool(chart, 'hz', poolProps), workload, ...props });
  const object = made.manifest as any;
  return { made, object, spec: object.spec.template?.spec, warnings: made.warnings.map(({ code }) => code) };
}

describe('HostNetworkWorkload', () => {
  it('changes a DaemonSet for the pool, and reports the changes and their reasons', () => {
    const { made, spec } = run(daemonSet(), {}, { taints: [{ key: 'site', value: 'hz', effect: 'NoSchedule' }] });
    expect(spec).toEqual({
      automountServiceAccountToken: false,
      hostNetwork: true,
      dnsPolicy: 'Default',
      nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' },
      tolerations: [{ key: 'site', operator: 'Equal', value: 'hz', effect: 'NoSchedule' }],
      containers: [{ name: 'web', image: 'web', ports: [{ containerPort: 8080, hostPort: 8080 }] }],
    });
    expect(made.changes.map(({ path }) => path)).toEqual([
      'spec.template.spec.hostNetwork',
      'spec.template.spec.dnsPolicy',
      'spec.template.spec.nodeSelector["apps.openyurt.io/nodepool"]',
      'spec.template.spec.tolerations',
      'spec.template.spec.containers[0].ports[0].hostPort',
    ]);
    expect(made.changes.every(({ why }) => why.length > 10)).toBe(true);
    expect(made.ports).toEqual(['8080/TCP']);
    expect(made.warnings).toEqual([]);
  });

  it('runs on several pools by an affinity in every term, with the tolerations of all', () => {
    const chart = Testing.chart();
    const pools = [
      pool(chart, 'a', { taints: [{ key: 't', effect: 'NoSchedule' }] }),
      pool(chart, 'b', { registrationTaint: true }),
    ];
    const terms = [{ matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }, {}];
    const { manifest } = new HostNetworkWorkload(chart, 'x', { pools, workload: daemonSet(required(terms)) }) as any;
    const { spec } = manifest.spec.template;
    expect(spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms).toEqual([
      {
        matchExpressions: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] },
          { key: 'apps.openyurt.io/nodepool', operator: 'In', values: ['a', 'b'] },
        ],
      },
      {},
    ]);
    expect(spec.nodeSelector).toBeUndefined();
    expect(spec.tolerations).toHaveLength(2);
  });

  it('runs on its pools and nowhere else', () => {
    const chart = Testing.chart();
    const [a, b] = [pool(chart, 'a'), pool(chart, 'b', { taints: [{ key: 't', effect: 'NoExecute' }] })];
    pool(chart, 'c');
    new HostNetworkWorkload(chart, 'x', { pools: [a, b], workload: daemonSet() });
    const placement = placeFleet(Testing.synth(chart));
    expect(placement.map(({ pool: name, runs }) => [name, runs.length])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 0],
    ]);
  });

  it('preserves sufficient tolerations, and those of the user', () => {
    expect(
      run(daemonSet({ tolerations: [{ operator: 'Exists' }] }), {}, { registrationTaint: true }).spec.tolerations,
    ).toEqual([{ operator: 'Exists' }]);
  });

  it('preserves a nodeSelector that restricts the pool', () => {
    expect(run(daemonSet({ nodeSelector: { disk: 'ssd' } })).spec.nodeSelector).toEqual({
      disk: 'ssd',
      'apps.openyurt.io/nodepool': 'hz',
    });
  });

  it.each([
    [undefined, undefined, 'Default'],
    ['', undefined, 'Default'],
    ['ClusterFirst', undefined, 'Default'],
    ['ClusterFirstWithHostNet', undefined, 'Default'],
    ['Default', undefined, 'Default'],
    [undefined, 'ClusterFirstWithHostNet', 'ClusterFirstWithHostNet'],
  ])('dnsPolicy %s in the template, %s chosen: %s', (written, chosen, expected) => {
    const { spec, warnings } = run(daemonSet(written === undefined ? {} : { dnsPolicy: written }), {
      dnsPolicy: chosen as any,
    });
    expect(spec.dnsPolicy).toBe(expected);
    // what the template has is not replaced silently
    const isReplaced = chosen === undefined && /^ClusterFirst/.test(String(written));
    expect(warnings).toEqual(expected === 'ClusterFirstWithHostNet' || isReplaced ? ['EDGE_DNS'] : []);
  });

  it('preserves dnsPolicy None with its name servers', () => {
    const dns = { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.53'] } };
    expect(run(daemonSet(dns)).spec).toMatchObject(dns);
  });

  it.each<[string, object, object]>([
    ['nothing said', {}, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }],
    ['Recreate', { strategy: { type: 'Recreate' } }, { type: 'Recreate' }],
    [
      'a rollout that can finish',
      { replicas: 4, strategy: { rollingUpdate: { maxUnavailable: '50%' } } },
      { rollingUpdate: { maxUnavailable: '50%' } },
    ],
    [
      'a surge into free nodes',
      { replicas: 2, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ],
  ])('a Deployment with host ports and %s', (_, spec, strategy) => {
    expect(run(deployment({}, spec), {}, { expectedNodes: 5 }).object.spec.strategy).toEqual(strategy);
  });

  it('does not change the rollout of a Deployment without ports, and warns that it declares none', () => {
    const { object, warnings } = run(deployment({ containers: [{ name: 'a', image: 'a' }] }));
    expect(object.spec.strategy).toBeUndefined();
    expect(warnings).toEqual(['EDGE_NO_PORTS']);
  });

  it('sets the address of the API server for in-cluster clients', () => {
    const containers = [
      { name: 'a', image: 'a', ports: [{ containerPort: 80 }], env: [{ name: 'X', value: '1' }] },
      {
        name: 'b',
        image: 'a',
        ports: [{ containerPort: 81 }],
        env: [{ name: 'KUBERNETES_SERVICE_HOST', value: 'mine' }],
      },
    ];
    const { spec } = run(daemonSet({ containers, initContainers: [{ name: 'i', image: 'a' }] }), { apiServer: true });
    const env = [
      { name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.10' },
      { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
    ];
    expect(spec.containers[0].env).toEqual([{ name: 'X', value: '1' }, ...env]);
    expect(spec.containers[1].env).toEqual([{ name: 'KUBERNETES_SERVICE_HOST', value: 'mine' }]);
    expect(spec.initContainers[0].env).toEqual(env);
    expect(run(daemonSet(), { apiServer: '[fd00::1]:443' }).spec.containers[0].env[0].value).toBe('fd00::1');
  });

  it.each<[string, object, object, string[]]>([
    [
      'a mounted token without yurthub',
      { automountServiceAccountToken: undefined },
      { openYurt: 'none' },
      ['EDGE_API_SERVER'],
    ],
    [
      'a mounted token, and yurthub is unknown',
      { automountServiceAccountToken: true },
      { openYurt: '1.7' },
      ['EDGE_API_SERVER'],
    ],
    ['a mounted token behind yurthub', { automountServiceAccountToken: true }, { openYurt: '1.7', yurthub: true }, []],
    ['no token', { automountServiceAccountToken: false }, { openYurt: 'none' }, []],
  ])('%s', (_, podSpec, clusterProps, expected) => {
    const chart = Testing.chart();
    const other = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', ...clusterProps });
    const hz = new HostNetworkNodePool(chart, 'hz', { cluster: other, poolName: 'hz' });
    const made = new HostNetworkWorkload(chart, 'x', { pool: hz, workload: daemonSet(podSpec) });
    expect(made.warnings.map(({ code }) => code)).toEqual(expected);
  });

  it.each(['http://api.shop.svc:80', 'api.shop.svc.cluster.local', 'https://kubernetes.default'])(
    'warns of the cluster Service in %s',
    (value) => {
      const { warnings } = run(
        daemonSet({ containers: [{ name: 'a', image: 'a', args: ['--to', value], ports: [{ containerPort: 80 }] }] }),
      );
      expect(warnings).toEqual(['EDGE_CLUSTER_SERVICE']);
    },
  );

  it.each([
    [10250, ['EDGE_PORT']],
    [10261, ['EDGE_PORT']],
    [40000, ['EDGE_PORT']],
    [30000, []],
    [9100, []],
  ])('port %i', (containerPort, expected) => {
    expect(run(daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort }] }] })).warnings).toEqual(
      expected,
    );
  });

  it('warns about more replicas than nodes', () => {
    expect(run(deployment({}, { replicas: 3 }), {}, { expectedNodes: 2 }).warnings).toEqual(['EDGE_REPLICAS']);
    expect(run(deployment({}, { replicas: 3 })).warnings).toEqual([]);
  });

  it('warns that a YurtAppDaemon loses its pool selection', () => {
    const workload = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtAppDaemon',
      metadata: { name: 'a' },
      spec: {
        workloadTemplate: { deploymentTemplate: { spec: { template: { spec: daemonSet().spec.template.spec } } } },
      },
    };
    expect(run(workload).warnings).toContain('EDGE_AFFINITY_DROPPED');
  });

  const yurtAppSet = (spec: object, deploymentSpec: object = {}): any => ({
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    metadata: { name: 'set' },
    spec: {
      ...spec,
      workload: { workloadTemplate: { deploymentTemplate: { spec: deployment({}, deploymentSpec).spec } } },
    },
  });

  it('sets a rollout that can complete for the Deployment of a YurtAppSet, and counts its replicas per pool', () => {
    const { object, warnings } = run(yurtAppSet({ pools: ['hz'] }, { replicas: 3 }), {}, { expectedNodes: 1 });
    const { spec } = object.spec.workload.workloadTemplate.deploymentTemplate;
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
    expect(spec.template.spec).toMatchObject({
      hostNetwork: true,
      nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' },
    });
    expect(warnings).toEqual(['EDGE_REPLICAS']);
  });

  it.each<[string, object, string]>([
    ['v1beta1', { pools: ['hz', 'shanghai'] }, 'workload.spec.pools[1]'],
    ['v1alpha1', { topology: { pools: [{ name: 'shanghai' }] } }, 'workload.spec.topology.pools[0].name'],
  ])('refuses a YurtAppSet (%s) that names other pools, which its controller would follow', (_, spec, path) => {
    expect(() => run(yurtAppSet(spec))).toThrow(`EDGE_CONTRADICTION  ${path}`);
  });

  it.each<[string, any, string]>([
    ['nodeSelector', { nodeSelector: Lazy.any({ produce: () => ({ disk: 'ssd' }) }) }, 'nodeSelector'],
    ['tolerations', { tolerations: Lazy.any({ produce: () => [] }) }, 'tolerations'],
    ['tolerations as text', { tolerations: 'all' }, 'tolerations'],
    ['env', { containers: [{ name: 'a', image: 'a', env: Lazy.any({ produce: () => [] }) }] }, 'containers[0].env'],
  ])('refuses %s of another type', (_, podSpec, path) => {
    expect(() => run(daemonSet(podSpec), { apiServer: true })).toThrow(
      `EDGE_TYPE  workload.spec.template.spec.${path}`,
    );
  });

  it('preserves cdk8s tokens where no value is read', () => {
    const chart = Testing.chart();
    const image = Lazy.any({ produce: () => 'late' });
    new HostNetworkWorkload(chart, 'x', {
      pool: pool(chart, 'hz'),
      workload: daemonSet({ containers: [{ name: 'a', image, ports: [{ containerPort: 80 }] }] }),
    });
    expect(Testing.synth(chart)[1].spec.template.spec.containers[0].image).toBe('late');
  });

  it.each<[string, object]>([
    ['literally 0, and resolved to 0', { rollingUpdate: { maxSurge: 0 } }],
    ['a share that rounds to 0', { rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } }],
  ])('accepts a rollout that Kubernetes resolves to maxUnavailable 1: %s', (_, strategy) => {
    expect(run(deployment({}, { replicas: 3, strategy })).object.spec.strategy).toEqual(strategy);
  });

  it('treats null as absent', () => {
    const strategy = { rollingUpdate: { maxSurge: null, maxUnavailable: null } };
    expect(run(deployment({}, { strategy })).object.spec.strategy.rollingUpdate).toEqual({
      maxSurge: 0,
      maxUnavailable: 1,
    });
  });

  it('treats hostPort 0 as absent, like the API server', () => {
    expect(
      run(daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80, hostPort: 0 }] }] })).spec
        .containers[0].ports,
    ).toEqual([{ containerPort: 80, hostPort: 80 }]);
  });

  it('warns about empty terms, and that an existing Pod is immutable', () => {
    expect(run(daemonSet(required([{}]))).warnings).toEqual(['EDGE_MATCHES_NOTHING']);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: daemonSet().spec.template.spec };
    expect(run(pod).warnings).toEqual(['EDGE_IMMUTABLE']);
  });

  it('works on a bare Pod', () => {
    const workload = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80, protocol: 'UDP' }] }],
      },
    };
    const { object, made } = run(workload);
    expect(object.spec).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'Default',
      nodeSelector: { 'apps.openyurt.io/nodepool': 'hz' },
    });
    expect(made.ports).toEqual(['80/UDP']);
  });

  it('accepts pools of one cluster with several descriptions, and refuses those of two', () => {
    const chart = Testing.chart();
    const on = (kubernetes: string, name?: string): EdgeCluster =>
      EdgeCluster.of({ openYurt: '1.7', kubernetes, yurthub: true, ...(name === undefined ? {} : { name }) });
    const made = (poolName: string, of: EdgeCluster): HostNetworkNodePool =>
      new HostNetworkNodePool(chart, `${poolName}-${of.name}-${of.kubernetes}`, { cluster: of, poolName });
    const pools = [made('hz', on('1.34')), made('bj', on('1.34'))];
    new HostNetworkWorkload(chart, 'x', { pools, workload: daemonSet() });
    const mixed = [made('hz', on('1.33')), made('hz', on('1.34', 'east'))];
    expect(() => new HostNetworkWorkload(chart, 'y', { pools: mixed, workload: daemonSet() })).toThrow(
      'hz is in another cluster (east) than hz (OpenYurt 1.7 on Kubernetes 1.33)',
    );
  });

  it('preserves unknown fields, and contains an ApiObject', () => {
    const chart = Testing.chart();
    const made = new HostNetworkWorkload(chart, 'x', {
      pool: pool(chart, 'hz'),
      workload: daemonSet({ unknown: { deep: [1] } }),
    });
    expect(ApiObject.of(made).kind).toBe('DaemonSet');
    expect(Testing.synth(chart)[1].spec.template.spec.unknown).toEqual({ deep: [1] });
  });
});

describe('the address of a port', () => {
  const ports = [{ name: 'metrics', containerPort: 9110 }, { containerPort: 8080 }];
  const listening = (more: object = {}): object => ({
    containers: [{ name: 'agent', image: 'agent', ports }],
    ...more,
  });
  const chart = Testing.chart();
  const [hz, one, far] = [pool(chart, 'hz'), pool(chart, 'one', { expectedNodes: 1 }), pool(chart, 'far')];
  const office = new RegularNodePool(chart, 'office', { cluster, poolName: 'office' });
  const made = (workload: any, ...pools: HostNetworkNodePool[]): HostNetworkWorkload =>
    new HostNetworkWorkload(Testing.chart(), 'agent', { pools, workload, portConflicts: 'warn' });
  const webOn = (replicas: number, ...pools: HostNetworkNodePool[]): HostNetworkWorkload =>
    made({ ...deployment(listening()), spec: { ...deployment(listening()).spec, replicas } }, ...pools);

  it.each<[what: string, answer: () => string, expected: string]>([
    ['its name', () => made(daemonSet(listening()), hz).address('metrics', hz), '127.0.0.1:9110'],
    ['its number', () => made(daemonSet(listening()), hz).address(8080, [hz]), '127.0.0.1:8080'],
    ['one of its pools', () => made(daemonSet(listening()), hz, far).address('metrics', far), '127.0.0.1:9110'],
    ['a pool of one node', () => webOn(1, one).address('metrics', one), '127.0.0.1:9110'],
    [
      'a label of all nodes',
      () => made(daemonSet(listening({ nodeSelector: hz.nodeLabels })), hz).address('metrics', hz),
      '127.0.0.1:9110',
    ],
  ])('is a text: by %s', (_, answer, expected) => {
    expect(answer()).toBe(expected);
  });

  it.each<[what: string, answer: () => string, said: string]>([
    [
      'another pool',
      () => made(daemonSet(listening()), hz).address('metrics', far),
      'EDGE_CONTRADICTION  from: on far',
    ],
    [
      'a regular pool',
      () => made(daemonSet(listening()), hz).address(8080, office),
      'EDGE_CONTRADICTION  from: on off',
    ],
    ['no pool', () => made(daemonSet(listening()), hz).address(8080, []), 'EDGE_MISSING  from'],
    ['no such port', () => made(daemonSet(listening()), hz).address('web', hz), "write 'metrics' (9110) or 8080"],
    ['fewer Pods than nodes', () => webOn(1, one, hz).address('metrics', one), 'EDGE_REPLICAS  from'],
    [
      'some nodes of the pool',
      () => made(daemonSet(listening({ nodeSelector: { disk: 'ssd' } })), hz).address('metrics', hz),
      'EDGE_CONTRADICTION  from: its nodeSelector',
    ],
    [
      'some nodes of the pool, by affinity',
      () =>
        made(
          daemonSet({ ...listening(), ...required([{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }]) }),
          hz,
        ).address('metrics', hz),
      'EDGE_CONTRADICTION  from: its nodeSelector',
    ],
  ])('is refused where the two do not meet: %s', (_, answer, said) => {
    expect(answer).toThrow(said);
  });
});

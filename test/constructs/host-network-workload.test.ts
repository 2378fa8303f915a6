import { ApiObject, App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type HostNetworkWorkloadProps,
  placeFleet,
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
  it('makes a DaemonSet a good citizen of the pool, and says what it changed and why', () => {
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

  it('lands on its pools and nowhere else', () => {
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

  it('keeps tolerations that already do, and those of the user', () => {
    expect(
      run(daemonSet({ tolerations: [{ operator: 'Exists' }] }), {}, { registrationTaint: true }).spec.tolerations,
    ).toEqual([{ operator: 'Exists' }]);
  });

  it('keeps a nodeSelector that narrows the pool', () => {
    expect(run(daemonSet({ nodeSelector: { disk: 'ssd' } })).spec.nodeSelector).toEqual({
      disk: 'ssd',
      'apps.openyurt.io/nodepool': 'hz',
    });
  });

  it.each([
    [undefined, undefined, 'Default'],
    ['ClusterFirst', undefined, 'Default'],
    ['ClusterFirstWithHostNet', undefined, 'Default'],
    ['Default', undefined, 'Default'],
    [undefined, 'ClusterFirstWithHostNet', 'ClusterFirstWithHostNet'],
  ])('dnsPolicy %s in the template, %s chosen: %s', (written, chosen, expected) => {
    const { spec, warnings } = run(daemonSet(written === undefined ? {} : { dnsPolicy: written }), {
      dnsPolicy: chosen as any,
    });
    expect(spec.dnsPolicy).toBe(expected);
    expect(warnings).toEqual(expected === 'ClusterFirstWithHostNet' ? ['EDGE_DNS'] : []);
  });

  it('keeps dnsPolicy None with its name servers', () => {
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

  it('leaves the rollout of a Deployment without ports alone, and warns that it declares none', () => {
    const { object, warnings } = run(deployment({ containers: [{ name: 'a' }] }));
    expect(object.spec.strategy).toBeUndefined();
    expect(warnings).toEqual(['EDGE_NO_PORTS']);
  });

  it('tells in-cluster clients where the API server is', () => {
    const containers = [
      { name: 'a', ports: [{ containerPort: 80 }], env: [{ name: 'X', value: '1' }] },
      { name: 'b', ports: [{ containerPort: 81 }], env: [{ name: 'KUBERNETES_SERVICE_HOST', value: 'mine' }] },
    ];
    const { spec } = run(daemonSet({ containers, initContainers: [{ name: 'i' }] }), { apiServer: true });
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
      'a mounted token, nobody knows of yurthub',
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
        daemonSet({ containers: [{ name: 'a', args: ['--to', value], ports: [{ containerPort: 80 }] }] }),
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
    expect(run(daemonSet({ containers: [{ name: 'a', ports: [{ containerPort }] }] })).warnings).toEqual(expected);
  });

  it('warns of more replicas than nodes', () => {
    expect(run(deployment({}, { replicas: 3 }), {}, { expectedNodes: 2 }).warnings).toEqual(['EDGE_REPLICAS']);
    expect(run(deployment({}, { replicas: 3 })).warnings).toEqual([]);
  });

  it('warns that a YurtAppDaemon loses what binds it to the pool', () => {
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

  it('works on a bare Pod', () => {
    const workload = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'UDP' }] }],
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

  it('keeps unknown fields, and is a plain ApiObject below', () => {
    const chart = Testing.chart();
    const made = new HostNetworkWorkload(chart, 'x', {
      pool: pool(chart, 'hz'),
      workload: daemonSet({ unknown: { deep: [1] } }),
    });
    expect(ApiObject.of(made).kind).toBe('DaemonSet');
    expect(Testing.synth(chart)[1].spec.template.spec.unknown).toEqual({ deep: [1] });
  });
});

describe('two workloads on one port', () => {
  const two = (first: any, second: any, poolProps: object = {}, pools: [string, string] = ['hz', 'hz']) => {
    const chart = new Chart(new App(), 'chart');
    const made = new Map<string, HostNetworkNodePool>();
    const get = (name: string): HostNetworkNodePool =>
      made.get(name) ?? made.set(name, pool(chart, name, poolProps)).get(name)!;
    new HostNetworkWorkload(chart, 'a', { pool: get(pools[0]), workload: first });
    return new HostNetworkWorkload(chart, 'b', { pool: get(pools[1]), workload: second });
  };
  const named = (object: any, name: string): any => ({ ...object, metadata: { name } });

  it.each<[string, () => unknown, boolean]>([
    ['two DaemonSets', () => two(daemonSet(), named(daemonSet(), 'other')), false],
    [
      'a DaemonSet and a Deployment',
      () => two(daemonSet(), named(deployment(), 'other'), { expectedNodes: 99 }),
      false,
    ],
    [
      'two Deployments in a pool that is too small',
      () => two(deployment({}, { replicas: 2 }), named(deployment(), 'other'), { expectedNodes: 2 }),
      false,
    ],
    [
      'two Deployments with a node each',
      () => two(deployment(), named(deployment(), 'other'), { expectedNodes: 2 }),
      true,
    ],
    ['another pool', () => two(daemonSet(), named(daemonSet(), 'other'), {}, ['hz', 'bj']), true],
    [
      'other nodes of the same pool',
      () =>
        two(daemonSet({ nodeSelector: { disk: 'ssd' } }), named(daemonSet({ nodeSelector: { disk: 'hdd' } }), 'other')),
      true,
    ],
    [
      'another protocol',
      () =>
        two(
          daemonSet(),
          named(daemonSet({ containers: [{ name: 'a', ports: [{ containerPort: 8080, protocol: 'UDP' }] }] }), 'other'),
        ),
      true,
    ],
    [
      'another address',
      () =>
        two(
          daemonSet({ containers: [{ name: 'a', ports: [{ containerPort: 80, hostIP: '127.0.0.1' }] }] }),
          named(
            daemonSet({ containers: [{ name: 'a', ports: [{ containerPort: 80, hostIP: '127.0.0.2' }] }] }),
            'other',
          ),
        ),
      true,
    ],
  ])('%s', (_, make, accepted) => {
    if (accepted) {
      expect(make).not.toThrow();
    } else {
      expect(make).toThrow(/EDGE_PORT_CONFLICT .*8080\/TCP on the pool hz is also taken by/);
    }
  });

  it('that fit only node by node are a warning', () => {
    const made = two(deployment(), named(deployment(), 'other'), { expectedNodes: 2 });
    expect(EdgeWarnings.of(made).map(({ code, construct }) => `${code} ${construct}`)).toEqual([
      'EDGE_PORT_CONFLICT chart/b',
    ]);
  });
});

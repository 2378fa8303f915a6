import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, EdgeSystemComponents, NodeReservation, SystemComponent } from 'edge-nodepools';
import { ControlPlaneQos, type ControlPlaneQosProps, type QosPreset, withQos } from 'edge-nodepools/control-plane';
import { qosClassOf } from '../../src/control-plane/with-qos.js';
import { QOS_PRESETS } from '../../src/control-plane/qos-profile.js';
import { runs } from '../depth.js';
import { evictionOrder } from './eviction-order.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
const PRESETS = Object.keys(QOS_PRESETS) as QosPreset[];

const deployment = (containers: object[], podSpec: object = {}): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers, ...podSpec } } },
});

const podSpecOf = ({ spec }: any): any => spec.template.spec;

/** The class by the sums of the API server (`k8s.io/component-helpers`, ComputePodQOS), for containers whose limits are at least their requests. */
function classBySums({ containers, initContainers = [] }: any): string {
  const sums = { requests: [0, 0], limits: [0, 0] };
  let hasAllLimits = true;
  for (const { resources = {} } of [...containers, ...initContainers]) {
    const { requests = {}, limits = {} } = resources;
    ['cpu', 'memory'].forEach((name, index) => {
      const limit = Number(limits[name] ?? 0);
      sums.limits[index]! += limit;
      sums.requests[index]! += Number(requests[name] ?? limit);
      hasAllLimits &&= limit > 0;
    });
  }
  const isNothing = [...sums.requests, ...sums.limits].every((sum) => sum === 0);
  const isEqual = hasAllLimits && sums.requests.every((sum, index) => sum === sums.limits[index]);
  return isNothing ? 'BestEffort' : isEqual ? 'Guaranteed' : 'Burstable';
}

describe('the class of a Pod', () => {
  const amounts = fc.record(
    { cpu: fc.constantFrom('1', '2'), memory: fc.constantFrom('1', '2') },
    { requiredKeys: [] },
  );
  const container = fc
    .record({ requests: amounts, limits: amounts }, { requiredKeys: [] })
    .filter(({ requests = {}, limits = {} }) =>
      (['cpu', 'memory'] as const).every((name) => Number(requests[name] ?? 0) <= Number(limits[name] ?? 9)),
    )
    .map((resources) => ({ name: 'a', resources }));
  const podSpec = fc.record({
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(container, { maxLength: 2 }),
  });

  it('is what the sums of the API server say', () => {
    fc.assert(
      fc.property(podSpec, (spec) => expect(qosClassOf(spec)).toBe(classBySums(spec))),
      runs(200),
    );
  });

  it('is that of the resources of the Pod, if it has any', () => {
    const limits = { cpu: '1', memory: '1Gi' };
    expect(qosClassOf({ containers: [{ name: 'a' }], resources: { limits } })).toBe('Guaranteed');
    expect(qosClassOf({ containers: [{ name: 'a', resources: { limits } }], resources: { requests: limits } })).toBe(
      'Burstable',
    );
  });
});

describe('withQos', () => {
  it.each(PRESETS)('gives the Pods of a %s the class of its preset', (preset) => {
    const made = withQos(deployment([{ name: preset }]), { preset });
    expect(qosClassOf(podSpecOf(made))?.toLowerCase()).toBe(QOS_PRESETS[preset].qosClass);
  });

  it('changes nothing but CPU, memory and priority, and not what it is given', () => {
    const others = {
      limits: { 'nvidia.com/gpu': '1', cpu: '9' },
      requests: { 'ephemeral-storage': '1Gi' },
      claims: [],
    };
    const given = Object.freeze(deployment([{ name: 'etcd', image: 'etcd', resources: others }, { name: 'b' }]));
    const before = JSON.stringify(given);
    const made = podSpecOf(withQos(given, { preset: 'etcd', priorityClassName: 'system-node-critical' }));
    expect(made).toEqual({
      containers: [
        {
          name: 'etcd',
          image: 'etcd',
          resources: {
            claims: [],
            requests: { 'ephemeral-storage': '1Gi', cpu: '500m', memory: '1Gi' },
            limits: { 'nvidia.com/gpu': '1' },
          },
        },
        { name: 'b' },
      ],
      priorityClassName: 'system-node-critical',
    });
    expect(JSON.stringify(given)).toBe(before);
  });

  it('is the same a second time', () => {
    const once = withQos(deployment([{ name: 'fluent-bit' }]), { preset: 'fluent-bit' });
    expect(withQos(once, { preset: 'fluent-bit' })).toEqual(once);
  });

  it.each([
    [{ requests: { memory: '4Gi' } }, { cpu: '500m', memory: '4Gi' }],
    [{ limits: { memory: '4Gi' } }, { cpu: '500m', memory: '4Gi' }],
    [
      { requests: { cpu: '1' }, limits: { cpu: '1000m' } },
      { cpu: '1000m', memory: '2Gi' },
    ],
  ])('takes other amounts for a preset: %j', (prometheus, amounts) => {
    const made = withQos(deployment([{ name: 'prometheus' }]), { preset: 'prometheus', containers: { prometheus } });
    expect(podSpecOf(made).containers[0].resources).toEqual({ requests: amounts, limits: amounts });
  });

  it('knows where the Prometheus Operator has the resources of its containers', () => {
    const operated = (spec: object): any => ({ apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', spec });
    const reloader = { requests: { cpu: '10m', memory: '50Mi' } };
    const made = withQos(
      operated({ containers: [{ name: 'proxy', resources: { limits: { cpu: '1', memory: '1Gi' } } }] }),
      {
        preset: 'prometheus',
        containers: { 'config-reloader': reloader, 'init-config-reloader': reloader },
      },
    );
    expect(made.spec.resources.limits).toEqual({ cpu: '500m', memory: '2Gi' });
    expect(made.spec.containers.map(({ name }: any) => name)).toEqual(['proxy', 'config-reloader']);
    expect(made.spec.initContainers[0]).toMatchObject({
      name: 'init-config-reloader',
      resources: { limits: reloader.requests },
    });
    expect(withQos(operated({}), { preset: 'prometheus' }).spec).not.toHaveProperty('containers');
    // a change of the operator's own container leaves its resources to the operator
    expect(
      withQos(operated({ containers: [{ name: 'config-reloader', args: [] }] }), { preset: 'prometheus' }),
    ).toBeDefined();
    expect(() => withQos(operated({ containers: [{ name: 'proxy' }] }), { preset: 'prometheus' })).toThrow(
      'workload.spec.containers[0]',
    );
  });
});

describe('ControlPlaneQos', () => {
  const made = (
    props: Omit<ControlPlaneQosProps, 'cluster'>,
    of = cluster,
  ): { qos: ControlPlaneQos; objects: any[] } => {
    const chart = new Chart(new App(), 'chart', { namespace: 'web' });
    const qos = new ControlPlaneQos(chart, 'qos', { cluster: of, ...props });
    return { qos, objects: Testing.synth(chart) };
  };

  it('writes one strategic patch for each static Pod, with nothing but its resources', () => {
    const { qos } = made({
      apiServer: { preset: 'kube-apiserver' },
      controllerManager: { preset: 'kube-controller-manager' },
      scheduler: { preset: 'kube-scheduler' },
      etcd: { preset: 'etcd' },
    });
    for (const { path, content } of qos.kubeadmPatches) {
      const [, name] = /^control-plane-patches\/(.*)0\+strategic\.json$/.exec(path) as unknown as [string, QosPreset];
      const { spec, ...rest } = JSON.parse(content);
      expect(rest).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'kube-system' } });
      expect(spec).toEqual({ containers: [{ name, resources: expect.anything() }] });
      expect(spec.containers[0].resources.requests).toEqual(QOS_PRESETS[name].requests);
    }
    expect(qos.kubeadmPatches).toHaveLength(4);
    expect(qos.files.map(({ content }) => content)).toEqual(qos.kubeadmPatches.map(({ content }) => content));
    expect(qos.files.map(({ path }) => path.replace(/[^/]*$/, ''))).toEqual(Array(4).fill('/etc/kubernetes/patches/'));
    expect(qos.initConfiguration).toMatchObject({ patches: { directory: '/etc/kubernetes/patches' } });
    expect(qos.patchChart).toBeUndefined();
  });

  it('patches a component by kubeadm where kubeadm can, and by server-side apply', () => {
    const components = [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' as const } }];
    const of = (kubernetes: string): ControlPlaneQos =>
      made({ components }, EdgeCluster.of({ openYurt: 'none', kubernetes })).qos;
    expect(of('1.36').report[0]).toMatchObject({ strategies: ['SERVER_SIDE_APPLY'], lostAfter: ['kubeadm upgrade'] });
    expect(of('1.37').report[0]).toMatchObject({ strategies: ['KUBEADM_PATCH', 'SERVER_SIDE_APPLY'], lostAfter: [] });
    const [patch] = of('1.37').kubeadmPatches;
    expect(patch?.path).toBe('control-plane-patches/kubeproxydaemonset0+strategic.json');
    const [object] = of('1.37').patchChart?.toJson() ?? [];
    expect(JSON.parse(patch?.content ?? '')).toEqual(object);
    expect(String(of('1.36').report)).toContain('PATCHED BY');
  });

  it('has another field manager than the exclusion, which would take the resources back', () => {
    const { qos } = made({
      components: [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } }],
    });
    const chart = new Chart(new App(), 'chart');
    const system = new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
    const managers = [qos, system].map(({ applyFlags }) =>
      applyFlags.find((flag) => flag.startsWith('--field-manager')),
    );
    expect(new Set(managers).size).toBe(2);
  });

  it('says of the preset of another component only that', () => {
    expect(() => made({ apiServer: { preset: 'etcd' } })).toThrow(/: 1 problem\n.*there is no container etcd/);
  });

  it('makes PriorityClasses outside of any namespace', () => {
    const { objects } = made({ priorityClasses: [{ name: 'logs', value: 900_000_000, preempts: false }] });
    expect(objects).toMatchObject([{ kind: 'PriorityClass', value: 900_000_000, preemptionPolicy: 'Never' }]);
    expect(objects[0].metadata).not.toHaveProperty('namespace');
  });

  it('fits into what a reservation leaves', () => {
    const allocatable = NodeReservation.preset('edge-small').allocatable({ cpu: 2, memory: '4Gi' });
    expect(made({ scheduler: { preset: 'kube-scheduler' }, allocatable }).qos).toBeDefined();
    const components = [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' as const } }];
    // 250m + 200m of kubeadm, 250m of the scheduler, and 100m
    const sum = (cpu: string): unknown =>
      made({ scheduler: { preset: 'kube-scheduler' }, components, allocatable: { cpu } });
    expect(() => sum('799m')).toThrow(
      'kube-apiserver 250m + kube-controller-manager 200m + kube-scheduler 250m + kube-proxy 100m = 800m',
    );
    expect(sum('800m')).toBeDefined();
  });
});

describe('the order of evictions in the documentation', () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'openstack.md'), 'utf8');

  it('is that of the table which the kubelet itself ranks in the end-to-end tests', () => {
    const rows = page
      .split('\n')
      .map((line) => /^\| \d+ +\| (.*?) *\|/.exec(line)?.[1])
      .filter((row) => row !== undefined);
    expect(rows).toEqual(evictionOrder.map(({ says }) => says));
  });
});

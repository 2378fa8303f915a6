/** YurtAppSet and YurtStaticSet become what HostNetworkWorkload and the static Pods of a join become. */
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  YurtAppSet,
  type YurtAppSetProps,
  YurtStaticSet,
} from 'edge-nodepools';
import { checkManifests } from 'edge-nodepools/checks';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});

const PORT = { containerPort: 8080 };
const spec = {
  replicas: 2,
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [PORT] }] },
  },
};
const POD = { spec: { containers: [{ name: 'agent', image: 'agent:1', ports: [PORT] }] } };
const metadata = { name: 'agent', namespace: 'edge' };

function site(): { readonly chart: Chart; readonly pools: HostNetworkNodePool[] } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'site');
  const pools = ['hz', 'bj'].map(
    (poolName) =>
      new HostNetworkNodePool(chart, poolName, {
        cluster,
        poolName,
        expectedNodes: 2,
        taints: [{ key: 'site', value: poolName, effect: 'NoSchedule' }],
        metadata: { labels: { tier: 'far', site: poolName } },
      }),
  );
  return { chart, pools };
}

/** `CODE path` of each problem of a declaration. */
function problemsOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    return (error as any).problems?.map(({ code, path }: any) => `${code} ${path}`) ?? [String(error)];
  }
  return [];
}

describe('a YurtAppSet', () => {
  const props: Partial<YurtAppSetProps> = {
    metadata: { name: 'web', namespace: 'edge' },
    deploymentTemplate: { metadata: { labels: { team: 'a' } }, spec },
    workloadTweaks: [
      { pools: ['hz'], tweaks: { replicas: 1, containerImages: [{ name: 'web', targetImage: 'web:2' }] } },
      {
        nodepoolSelector: { matchLabels: { site: 'bj' } },
        tweaks: {
          patches: [{ operation: 'add', path: '/spec/template/metadata/labels/tier', value: '{{nodepool-name}}' }],
        },
      },
    ],
  };

  it('is what HostNetworkWorkload makes of the same object', () => {
    const [mine, other] = [site(), site()];
    const { manifest, changes } = new YurtAppSet(mine.chart, 'web', { pools: mine.pools, wave: 1, ...props });
    const workload = {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'YurtAppSet',
      metadata: props.metadata,
      spec: {
        pools: ['hz', 'bj'],
        workload: {
          workloadTemplate: { deploymentTemplate: props.deploymentTemplate },
          workloadTweaks: props.workloadTweaks,
        },
      },
    } as any;
    const made = new HostNetworkWorkload(other.chart, 'web', { pools: other.pools, wave: 1, workload });
    expect(manifest).toEqual(made.manifest);
    expect(changes).toEqual(made.changes);
    const { spec: written } = manifest as any;
    expect(written.workload.workloadTemplate.deploymentTemplate.spec.template.spec.hostNetwork).toBe(true);
    expect(written.workload.workloadTweaks).toEqual(props.workloadTweaks);
  });

  it('selects its pools by labels instead of names', () => {
    const { chart, pools } = site();
    const nodepoolSelector = { matchLabels: { tier: 'far' } };
    const { manifest } = new YurtAppSet(chart, 'web', { pools, ...props, nodepoolSelector });
    expect((manifest.spec as any).nodepoolSelector).toEqual(nodepoolSelector);
    expect((manifest.spec as any).pools).toBeUndefined();
  });

  it('is refused where a pool is selected on which it does not run, also as a HostNetworkWorkload', () => {
    const { chart, pools } = site();
    const [pool] = pools;
    const nodepoolSelector = { matchLabels: { tier: 'far' } };
    expect(
      problemsOf(() => new YurtAppSet(chart, 'web', { pool, ...props, workloadTweaks: [], nodepoolSelector })),
    ).toEqual(['EDGE_CONTRADICTION nodepoolSelector']);
    const workload = {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'YurtAppSet',
      metadata: { name: 'web' },
      spec: { nodepoolSelector, workload: { workloadTemplate: { deploymentTemplate: { spec } } } },
    };
    expect(problemsOf(() => new HostNetworkWorkload(chart, 'other', { pool, workload }))).toEqual([
      'EDGE_CONTRADICTION workload.spec.nodepoolSelector',
    ]);
  });

  it('warns of more Pods in a tweak than its pool has nodes', () => {
    const { chart, pools } = site();
    const workloadTweaks = [{ pools: ['bj'], tweaks: { replicas: 3 } }];
    const { warnings } = new YurtAppSet(chart, 'web', { pools, ...props, workloadTweaks });
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toContain(
      'EDGE_REPLICAS workloadTweaks[0].tweaks.replicas',
    );
  });

  it('has a rollout that goes on in the pool with the most Pods', () => {
    const { chart, pools } = site();
    const workloadTweaks = [{ pools: ['bj'], tweaks: { replicas: 2 } }];
    const deploymentTemplate = { spec: { ...spec, replicas: 1 } };
    const declared = { ...props, deploymentTemplate, workloadTweaks, rollout: 'rolling', nodesAway: 1 } as const;
    const { manifest } = new YurtAppSet(chart, 'web', { pools, ...declared });
    const { strategy } = (manifest.spec as any).workload.workloadTemplate.deploymentTemplate.spec;
    expect(strategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 2 });
  });

  it.each([
    ['1.5', ['EDGE_FIELD_NOT_IN_RELEASE statefulSetTemplate'], []],
    ['1.7', [], ['EDGE_FIELD_NOT_IN_RELEASE statefulSetTemplate']],
  ])('of StatefulSets with OpenYurt %s', (openYurt, refused, warned) => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'site');
    const own = EdgeCluster.of({ openYurt, kubernetes: '1.28' });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster: own, poolName: 'hz' });
    const declare = (): YurtAppSet => new YurtAppSet(chart, 'db', { pool, metadata, statefulSetTemplate: { spec } });
    expect(problemsOf(declare)).toEqual(refused);
    const found = EdgeWarnings.of(app).map(({ code, path }) => `${code} ${path}`);
    expect(found.filter((each) => each.startsWith('EDGE_FIELD'))).toEqual(warned);
    // its controller watches Deployments only (#2777)
    expect(EdgeWarnings.of(app).some(({ message }) => message.includes('does not see its StatefulSets change'))).toBe(
      warned.length > 0,
    );
  });

  it('claims the ports of its Pods, in the pools where it runs', () => {
    const { chart, pools } = site();
    new YurtAppSet(chart, 'web', { pools, ...props });
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'other' },
      spec: { ...spec, replicas: undefined },
    };
    expect(problemsOf(() => new HostNetworkWorkload(chart, 'other', { pools, workload }))).toEqual([
      'EDGE_PORT_CONFLICT workload',
      'EDGE_PORT_CONFLICT workload',
    ]);
  });

  it('is not undone by a JSON patch', () => {
    const { chart, pools } = site();
    const set = new YurtAppSet(chart, 'web', { pools, ...props });
    ApiObject.of(set).addJsonPatch(
      JsonPatch.replace('/spec/workload/workloadTemplate/deploymentTemplate/spec/template/spec/hostNetwork', false),
    );
    expect(() => Testing.synth(chart)).toThrow(/undoes|hostNetwork/);
  });
});

describe('a YurtStaticSet', () => {
  it('has the Pod of the join of the same name, which it replaces', () => {
    const { chart, pools } = site();
    const join = new NodeJoin(chart, 'join', {
      pool: pools[0] as HostNetworkNodePool,
      token: JoinToken.fromFile('/var/lib/edge/join-token'),
      via: 'kubeadm',
      staticPods: [{ apiVersion: 'v1', kind: 'Pod', metadata, ...POD }],
    });
    const set = new YurtStaticSet(chart, 'agent', { pools, metadata, template: POD, upgradeStrategy: { type: 'OTA' } });
    const { staticPodManifest, template, upgradeStrategy } = set.manifest.spec as any;
    expect(join.files.map(({ path }) => path)).toContain(`/etc/kubernetes/manifests/${staticPodManifest}.yaml`);
    expect(upgradeStrategy).toEqual({ type: 'OTA' });
    const [container] = template.spec.containers;
    expect(template.spec.hostNetwork).toBe(true);
    expect(container).toMatchObject({ imagePullPolicy: 'IfNotPresent', ports: [{ ...PORT, hostPort: 8080 }] });
    expect([template.spec.affinity, template.spec.nodeSelector]).toEqual([undefined, undefined]);
    expect(join.files.find(({ path }) => path.endsWith(`${staticPodManifest}.yaml`))?.content).toContain(
      'hostPort: 8080',
    );
  });

  it('claims its ports on each node of its pools', () => {
    const { chart, pools } = site();
    new YurtStaticSet(chart, 'agent', { pools, metadata, template: POD });
    expect(
      problemsOf(
        () => new YurtAppSet(chart, 'web', { pool: pools[1], metadata: { name: 'web' }, deploymentTemplate: { spec } }),
      ),
    ).toEqual(['EDGE_PORT_CONFLICT deploymentTemplate']);
  });

  it('is skipped by the exclusion, and passes the check of manifests', () => {
    const { chart, pools } = site();
    new YurtStaticSet(chart, 'agent', { pools, metadata, template: POD });
    chart.with(ExcludedWorkload.mixin({ cluster }));
    const manifests = Testing.synth(chart);
    const set = manifests.find(({ kind }: any) => kind === 'YurtStaticSet');
    expect(set.spec.template.spec.affinity).toBeUndefined();
    const named = JSON.stringify(checkManifests(manifests)).includes('YurtStaticSet');
    expect(named).toBe(false);
  });

  it('keeps the network of the node, whatever patches it', () => {
    const { chart, pools } = site();
    const set = new YurtStaticSet(chart, 'agent', { pools, metadata, template: POD });
    ApiObject.of(set).addJsonPatch(JsonPatch.remove('/spec/template/spec/hostNetwork'));
    expect(() => Testing.synth(chart)).toThrow('hostNetwork');
  });
});

/** What newcomers declare and get nothing of: each is a warning that says what to write, and its right neighbour is none. */
import { ApiObject, type Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  type EdgeWarning,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  NodeReservation,
  PoolAdmission,
  SystemComponent,
  YurtAppSet,
  YurtStaticSet,
} from 'edge-nodepools';
import type { WorkloadTweak } from 'edge-nodepools/types';
import { deployment, untyped } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });

type Declare = (chart: Chart) => unknown;

function warned(declare: Declare): EdgeWarning[] {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  declare(chart);
  return [...EdgeWarnings.of(chart.node.root)];
}

const system =
  (props: object): Declare =>
  (chart) =>
    new EdgeSystemComponents(chart, 's', untyped({ cluster, ...props }));
const { CALICO_OPERATOR, KUBE_PROXY, CILIUM } = SystemComponent;
const policies = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

const edge = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});
const TOKEN = JoinToken.fromFile('/var/lib/edge/join-token');
const poolOf = (chart: Chart, poolName = 'hz'): HostNetworkNodePool =>
  new HostNetworkNodePool(chart, poolName, { cluster: edge, poolName });
const POD = {
  spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1', ports: [{ containerPort: 80 }] }] },
};
const metadata = { name: 'agent', namespace: 'edge' };
const AGENT = { apiVersion: 'v1', kind: 'Pod', metadata, ...POD };

/** A YurtStaticSet of a pool whose join is as given. */
const staticSet =
  (join?: object, set: object = {}): Declare =>
  (chart) => {
    const pool = poolOf(chart);
    new YurtStaticSet(chart, 'set', { pools: [pool], metadata, template: POD, ...set });
    if (join !== undefined) {
      new NodeJoin(chart, 'join', { pool, token: TOKEN, ...join });
    }
  };

const EXCLUDE = 'apps.openyurt.io/exclude-host-network-pool';
const POOL_LABEL = 'apps.openyurt.io/nodepool';
const poolWith =
  (props: object): Declare =>
  (chart) =>
    new HostNetworkNodePool(chart, 'hz', { cluster: edge, poolName: 'hangzhou', ...props });
/** A Deployment of no construct of this library, beside a pool. */
const beside =
  (podSpec: object, own: object = {}): Declare =>
  (chart) => {
    poolWith({})(chart);
    const workload = deployment(podSpec);
    new ApiObject(chart, 'web', { ...workload, metadata: { ...workload.metadata, ...own } });
  };

const poolJoin =
  (join: object, reservation?: NodeReservation): Declare =>
  (chart) => {
    const pool = new HostNetworkNodePool(chart, 'hz', { cluster: edge, poolName: 'hz' });
    new NodeJoin(chart, 'join', { pool, token: TOKEN, ...(reservation && { reservation }), ...join });
  };
const appSet =
  (workloadTweaks: WorkloadTweak[]): Declare =>
  (chart) => {
    const { spec } = deployment();
    const set = { metadata: { name: 'web' }, deploymentTemplate: { spec }, workloadTweaks };
    new YurtAppSet(chart, 'set', { pool: poolOf(chart), ...set });
  };
type Told = [what: string, declare: Declare, found: string, hint: string];

describe('a declaration without effect', () => {
  it.each<Told>([
    [
      'a component whose operator reverts patches',
      system({ exclude: [KUBE_PROXY, CALICO_OPERATOR] }),
      'EDGE_STRATEGY exclude[1]',
      'of the Installation "default" instead',
    ],
    [
      'a component without workloads',
      system({ exclude: [KUBE_PROXY], components: { 'kube-proxy': { absent: ['kube-proxy'] } } }),
      'EDGE_UNUSED exclude[0]',
      'leave it out of exclude',
    ],
    [
      'a YurtStaticSet of a Pod that no join starts',
      staticSet({}),
      'EDGE_STATIC_POD pools',
      'into staticPods of the NodeJoin',
    ],
    [
      'a YurtStaticSet of another file than that of the join',
      staticSet({ staticPods: [AGENT] }, { staticPodManifest: 'agent', portConflicts: 'warn' }),
      'EDGE_STATIC_POD pools',
      'into staticPods of the NodeJoin',
    ],
    [
      'the annotation for Pods on nodes',
      poolWith({ annotations: { [EXCLUDE]: 'true' } }),
      `EDGE_UNUSED annotations["${EXCLUDE}"]`,
      'as ExcludedWorkload',
    ],
    [
      'the annotation for Pods on a pool',
      poolWith({ metadata: { annotations: { [EXCLUDE]: 'true' } } }),
      `EDGE_UNUSED metadata.annotations["${EXCLUDE}"]`,
      'as ExcludedWorkload',
    ],
    [
      'the annotation for Pods on a Deployment',
      beside({}, { annotations: { [EXCLUDE]: 'true' } }),
      `EDGE_UNUSED metadata.annotations["${EXCLUDE}"]`,
      'spec.template.metadata.annotations',
    ],
    [
      'a misspelt pool of a Deployment',
      beside({ nodeSelector: { [POOL_LABEL]: 'hangzhouu' } }),
      `EDGE_MATCHES_NOTHING spec.template.spec.nodeSelector["${POOL_LABEL}"]`,
      'did you mean hangzhou?',
    ],
    [
      'the capacity for a preset with fixed amounts',
      poolJoin({}, NodeReservation.preset('edge-small', { capacity: { cpu: 2, memory: '4Gi' } })),
      'EDGE_UNUSED reservation.capacity',
      'gke, eks or aks',
    ],
    [
      'maxPods for a preset that does not read it',
      poolJoin({}, NodeReservation.preset('gke', { capacity: { cpu: 2, memory: '4Gi' }, maxPods: 30 })),
      'EDGE_UNUSED reservation.maxPods',
      'kubeletConfiguration: { maxPods }',
    ],
    ...['kubeadm token create', 'sudo kubeadm token generate', ['kubeadm', 'token', 'create']].map((command): Told => [
      `the command ${String(command)} on the machine`,
      poolJoin({ token: JoinToken.fromCommand(command) }),
      'EDGE_TOKEN token',
      'run it where you have one',
    ]),
    [
      'the user of kubeadm as a group',
      (chart) =>
        new PoolAdmission(chart, 'a', { cluster: policies, breakGlassGroups: ['kubernetes-admin'], otherPools: ['a'] }),
      'EDGE_VALUE breakGlassGroups[0]',
      'name a group',
    ],
    [
      'a tweak of nothing',
      appSet([{ pools: ['hz'], tweaks: {} }]),
      'EDGE_UNUSED workloadTweaks[0].tweaks',
      'write replicas',
    ],
    [
      'a tweak of no images',
      appSet([{ pools: ['hz'], tweaks: { containerImages: [] } }]),
      'EDGE_UNUSED workloadTweaks[0].tweaks',
      'write replicas',
    ],
    [
      'of two tweaks of a pool, the first',
      appSet([
        { pools: ['hz'], tweaks: { replicas: 2 } },
        { pools: ['hz'], tweaks: { replicas: 3 } },
      ]),
      'EDGE_UNUSED workloadTweaks[0].tweaks.replicas',
      'leave one of them out',
    ],
    [
      'a namespace that is misspelt',
      (chart) =>
        new PoolAdmission(chart, 'a', { cluster: policies, excludedNamespaces: ['kube-sytem'], otherPools: ['a'] }),
      'EDGE_MATCHES_NOTHING excludedNamespaces[0]',
      'did you mean kube-system?',
    ],
    ...['preJoinCommands', 'postJoinCommands'].flatMap((field) =>
      [
        'cd /opt/edge',
        'export HTTP_PROXY=http://proxy:3128',
        'A=b',
        'source /etc/profile',
        'kubeadm join 10.0.0.1:6443',
        'sudo kubectl label node a b=c',
        ['kubectl', 'get', 'nodes'],
        ...(field === 'preJoinCommands' ? ['reboot', 'systemctl reboot', 'shutdown -r now'] : []),
      ].map((command): Told => [
        `${String(command)} in ${field}`,
        poolJoin({ [field]: [command] }),
        `EDGE_UNUSED ${field}[0]`,
        '',
      ]),
    ),
    [
      'a field that is a flag, too',
      poolJoin({ kubeletExtraArgs: { 'max-pods': '30' }, kubeletConfiguration: { maxPods: 40 } }),
      'EDGE_UNUSED kubeletConfiguration.maxPods',
      'leave the flag out',
    ],
    [
      'a token that a boot removes',
      poolJoin({ token: JoinToken.fromFile('/tmp/join-token') }),
      'EDGE_TOKEN token',
      '/var/lib/edge/join-token',
    ],
    [
      'what may be used as what must be free',
      poolJoin({}, NodeReservation.of({ evictionHard: { 'nodefs.available': '90%' } })),
      'EDGE_RESERVATION reservation.evictionHard["nodefs.available"]',
      "write '10%'",
    ],
    [
      'yurthub without OpenYurt',
      system({
        exclude: [KUBE_PROXY],
        cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34', yurthub: true }),
      }),
      'EDGE_NO_OPENYURT EdgeCluster.yurthub',
      'leave yurthub out',
    ],
  ])('is reported: %s', (_, declare, found, hint) => {
    expect(warned(declare).map((one) => `${one.code} ${one.path} ${one.hint}`)).toEqual([
      expect.stringContaining(`${found} `),
    ]);
    expect(warned(declare)[0]?.hint).toContain(hint);
  });

  it.each<[what: string, declare: Declare]>([
    ['a component that a policy excludes', system({ cluster: policies, exclude: [CALICO_OPERATOR] })],
    [
      'a component of which a part is absent',
      system({ exclude: [CILIUM], components: { cilium: { absent: ['cilium-envoy'] } } }),
    ],
    ['a YurtStaticSet whose Pod the join starts', staticSet({ staticPods: [AGENT] })],
    [
      'a YurtStaticSet whose Pod is a file of the join',
      staticSet({ files: [{ path: '/etc/kubernetes/manifests/edge-agent.yaml', content: 'kind: Pod' }] }),
    ],
    ['a YurtStaticSet of a pool whose machines join elsewhere', staticSet()],
    ['annotations of a pool', poolWith({ annotations: { 'example.com/a': 'true' } })],
    ['a Deployment of another pool', beside({ nodeSelector: { [POOL_LABEL]: 'shanghai' } })],
    ['a preset that is computed', poolJoin({}, NodeReservation.preset('eks', { capacity: { cpu: 2 }, maxPods: 30 }))],
    ['a preset without more', poolJoin({}, NodeReservation.preset('edge-small', { diskSize: '64Gi' }))],
    ...[
      'kubeadm token create --kubeconfig /etc/edge/admin.conf',
      'ssh admin@10.0.0.1 kubeadm token create',
      'KUBECONFIG=/a kubeadm token create',
      'cat /run/kubeadm token ',
    ].map((command): [string, Declare] => [command, poolJoin({ token: JoinToken.fromCommand(command) })]),
    [
      'a group with an address',
      (chart) =>
        new PoolAdmission(chart, 'a', {
          cluster: policies,
          breakGlassGroups: ['admins@example.com'],
          otherPools: ['a'],
        }),
    ],
    ['a tweak', appSet([{ pools: ['hz'], tweaks: { replicas: 2 } }])],
    [
      'namespaces of every cluster, and others',
      (chart) =>
        new PoolAdmission(chart, 'a', {
          cluster: policies,
          excludedNamespaces: ['kube-system', 'kube-flannel', 'kubevirt'],
          otherPools: ['a'],
        }),
    ],
    [
      'commands that do what they say',
      poolJoin({
        preJoinCommands: ['cd /opt/edge && ./install.sh', 'A=b ./run', 'swapoff -a', '. /etc/env; echo $A > /etc/a'],
        postJoinCommands: ['reboot', 'kubectl --kubeconfig /etc/kubernetes/kubelet.conf get nodes', 'kubeadm reset -f'],
      }),
    ],
    [
      'a flag and another field',
      poolJoin({
        kubeletExtraArgs: { 'max-pods': '30', v: '2' },
        kubeletConfiguration: { maxPods: 30, podsPerCore: 5 },
      }),
    ],
    [
      'thresholds',
      poolJoin({}, NodeReservation.of({ evictionHard: { 'nodefs.available': '15%', 'memory.available': '100Mi' } })),
    ],
    [
      'tweaks of two pools',
      appSet([
        { pools: ['hz'], tweaks: { replicas: 2 } },
        { pools: ['hz'], tweaks: { containerImages: [{ name: 'web', targetImage: 'web:2' }] } },
      ]),
    ],
  ])('is not told of %s', (_, declare) => {
    expect(warned(declare)).toEqual([]);
  });
});

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
  SystemComponent,
  YurtStaticSet,
} from 'edge-nodepools';
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

describe('a declaration without effect', () => {
  it.each<[what: string, declare: Declare, found: string, hint: string]>([
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
  ])('is told: %s', (_, declare, found, hint) => {
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
  ])('is not told of %s', (_, declare) => {
    expect(warned(declare)).toEqual([]);
  });
});

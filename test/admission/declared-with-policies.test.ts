import { ApiObject, App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  type PoolAdmissionProps,
} from 'edge-nodepools';

const LABEL = 'nodepool.openyurt.io/hostnetwork-pods';
const cluster = (kubernetes = '1.36'): EdgeCluster => EdgeCluster.of({ openYurt: '1.7', kubernetes, yurthub: true });

const agent = (namespace?: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', ...(namespace === undefined ? {} : { namespace }) },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', image: 'r.example/agent:1.0', ports: [{ containerPort: 9110 }] }] },
    },
  },
});

interface Case {
  readonly namespace?: string;
  readonly ofChart?: string;
  /** The labels of the Namespace in the program; without it, there is none. */
  readonly labels?: object;
  readonly admission?: Partial<PoolAdmissionProps>;
  readonly kubernetes?: string;
}

/** What a PoolAdmission says of the guarantee, whatever is declared first. */
function told({ namespace, ofChart, labels, admission, kubernetes }: Case, isFirst: boolean): string[] {
  const app = new App();
  const chart = new Chart(app, 'chart', ofChart === undefined ? {} : { namespace: ofChart });
  const of = cluster(kubernetes);
  const admit = (): unknown =>
    new PoolAdmission(chart, 'admission', { cluster: of, guarantees: { namespaceGate: true }, ...admission });
  if (isFirst) {
    admit();
  }
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster: of, poolName: 'beijing' });
  new HostNetworkWorkload(chart, 'agent', { pool, workload: agent(namespace) as never });
  if (labels !== undefined) {
    new ApiObject(chart, 'ns', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } as never });
  }
  if (!isFirst) {
    admit();
  }
  return EdgeWarnings.of(app)
    .filter(({ code, path }) => code === 'EDGE_CONTRADICTION' && path === 'guarantees.namespaceGate')
    .map(({ message, hint }) => `${message} -> ${hint}`);
}

describe('namespaceGate beside the workloads of its pools', () => {
  it.each<[string, Case, RegExp]>([
    ['no Namespace', { namespace: 'shop' }, /keeps DaemonSet shop\/agent off its pool: nothing in this program gives/],
    ['a Namespace without the label', { namespace: 'shop', labels: {} }, /its Namespace here does not give/],
    ['another value', { namespace: 'shop', labels: { [LABEL]: 'yes' } }, /another value than "true": "yes"/],
    ['no namespace', {}, /the namespace default .*kubectl label namespace default nodepool\.openyurt\.io\/[^ ]*=true/],
    ['the namespace of the chart', { ofChart: 'shop' }, /the namespace shop/],
    [
      'another label',
      { namespace: 'shop', labels: { [LABEL]: 'true' }, admission: { namespaceGateLabel: 'a/b' } },
      /a\/b/,
    ],
    ['bindings that are refused', { namespace: 'kube-system', kubernetes: '1.33' }, /the namespace kube-system/],
  ])('warns of %s', (_, given, text) => {
    for (const isFirst of [true, false]) {
      expect(told(given, isFirst)).toEqual([expect.stringMatching(text)]);
    }
  });

  it.each<[string, Case]>([
    ['the label', { namespace: 'shop', labels: { [LABEL]: 'true' } }],
    ['an excluded namespace', { namespace: 'shop', admission: { excludedNamespaces: ['shop'] } }],
    ['the agents of the cluster', { namespace: 'kube-system' }],
    ['no such guarantee', { namespace: 'shop', admission: { guarantees: {} } }],
    [
      'bindings that are only audited',
      { namespace: 'shop', kubernetes: '1.33', admission: { validationActions: ['Audit'] } },
    ],
  ])('says nothing of %s', (_, given) => {
    for (const isFirst of [true, false]) {
      expect(told(given, isFirst)).toEqual([]);
    }
  });
});

describe('hostNetworkToleration beside the pools', () => {
  const unused = (taint: boolean | undefined, admission: Partial<PoolAdmissionProps> = {}, isMade = true): string[] => {
    const app = new App();
    const chart = new Chart(app, 'chart');
    const props = { cluster: cluster(), poolName: 'beijing' };
    if (isMade) {
      new HostNetworkNodePool(chart, 'pool', {
        ...props,
        ...(taint === undefined ? {} : { registrationTaint: taint }),
      });
    } else {
      HostNetworkNodePool.fromPoolName(chart, 'pool', props);
    }
    new PoolAdmission(chart, 'a', { cluster: cluster(), guarantees: { hostNetworkToleration: true }, ...admission });
    return EdgeWarnings.of(app)
      .filter(({ code }) => code === 'EDGE_UNUSED')
      .map(({ path }) => path);
  };

  it('needs a pool with the taint, where all pools are known', () => {
    expect([unused(undefined), unused(false)]).toEqual(
      Array.from({ length: 2 }, () => ['guarantees.hostNetworkToleration']),
    );
    expect([unused(true), unused(undefined, { otherPools: ['depot'] }), unused(undefined, {}, false)]).toEqual([
      [],
      [],
      [],
    ]);
  });
});

describe('break-glass groups', () => {
  it('have no wildcards', () => {
    const chart = new Chart(new App(), 'chart');
    new PoolAdmission(chart, 'a', { cluster: cluster(), breakGlassGroups: ['platform:*', 'platform:admins'] });
    const warnings = EdgeWarnings.of(chart).map(({ path, message }) => `${path}: ${message}`);
    expect(warnings.filter((text) => text.startsWith('breakGlass'))).toEqual([
      expect.stringMatching(/^breakGlassGroups\[0\]: groups have no wildcards/),
    ]);
  });
});

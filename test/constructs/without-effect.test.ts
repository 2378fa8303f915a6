/** What newcomers declare and get nothing of: each is a warning that says what to write, and its right neighbour is none. */
import { Chart, Testing } from 'cdk8s';
import { EdgeCluster, type EdgeWarning, EdgeSystemComponents, EdgeWarnings, SystemComponent } from 'edge-nodepools';
import { untyped } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });

type Declare = (chart: Chart) => unknown;

function warned(declare: Declare): EdgeWarning[] {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  declare(chart);
  return [...EdgeWarnings.of(chart)];
}

const system =
  (props: object): Declare =>
  (chart) =>
    new EdgeSystemComponents(chart, 's', untyped({ cluster, ...props }));
const { CALICO_OPERATOR, KUBE_PROXY, CILIUM } = SystemComponent;
const policies = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

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
  ])('is not told of %s', (_, declare) => {
    expect(warned(declare)).toEqual([]);
  });
});

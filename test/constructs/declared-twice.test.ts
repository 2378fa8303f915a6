/** What two declarations of one program both make or change. */
import { App, Chart } from 'cdk8s';
import { EdgeCluster, type EdgeError, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';

const { KUBE_PROXY, COREDNS } = SystemComponent;
const strategy = ExclusionStrategy.SERVER_SIDE_APPLY;

it('refuses a component that another EdgeSystemComponents excludes, with the same error on every minor', () => {
  const refusals = ['1.28', '1.34', '1.36', '1.37'].map((kubernetes) => {
    const chart = new Chart(new App(), 'fleet');
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes });
    new EdgeSystemComponents(chart, 'a', { cluster, exclude: [KUBE_PROXY] });
    try {
      new EdgeSystemComponents(chart, 'b', { cluster, exclude: [COREDNS, KUBE_PROXY], strategy });
    } catch (error) {
      // what is refused excludes nothing
      new EdgeSystemComponents(chart, 'c', { cluster, exclude: [COREDNS], strategy });
      return (error as EdgeError).problems;
    }
    throw new Error(`accepted on ${kubernetes}`);
  });
  expect(new Set(refusals.map((problems) => JSON.stringify(problems))).size).toBe(1);
  expect(refusals[0]).toEqual([
    expect.objectContaining({
      code: 'EDGE_DUPLICATE',
      path: 'exclude[1]',
      message: 'fleet/a already excludes DaemonSet kube-system/kube-proxy',
    }),
  ]);
});

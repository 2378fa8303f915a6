import { App, Testing } from 'cdk8s';
import { artifactsOf, Corefile, EdgeWarnings } from 'edge-nodepools';
import { parse } from 'yaml';
import { PreparedCluster, present } from './chart.js';

describe('a cluster with OpenYurt 1.5 is prepared', () => {
  const app = new App();
  const { preconditions } = new PreparedCluster(app, 'system');
  const [first = [], second = []] = preconditions.stepCharts.map((chart) => Testing.synth(chart));
  const file = (path: string): string => artifactsOf(app).find((each) => each.path === path)?.content ?? '';
  const named = (list: any[], kind: string): any => list.find((object) => object.kind === kind);

  it('turns the node lifecycle controller off, and changes no other byte of the static Pod', () => {
    const edited = file('preconditions/apply/static-pods/kube-controller-manager.yaml');
    expect(edited).toBe(
      present('kube-controller-manager').replace('--controllers=*', '--controllers=-nodelifecycle,*'),
    );
    expect(file('preconditions/revert/static-pods/kube-controller-manager.yaml')).toBe(
      present('kube-controller-manager'),
    );
  });

  it('adds a server block for the site, and preserves the rest of the Corefile with its comments', () => {
    const before = parse(present('coredns-configmap')).data.Corefile as string;
    const after = named(first, 'ConfigMap').data.Corefile as string;
    expect(after.startsWith(before.trimEnd())).toBe(true);
    expect(Corefile.parse(after).serverBlocks.map(({ addresses }) => addresses)).toEqual([
      ['.:53'],
      ['site-hz.example:53'],
    ]);
  });

  it('first starts CoreDNS on regular nodes, with the Pod template of the Deployment, and then scales the Deployment to 0', () => {
    const daemonSet = named(first, 'DaemonSet');
    const before = parse(present('coredns-deployment'));
    expect(daemonSet.spec.template.spec.containers).toEqual(before.spec.template.spec.containers);
    expect(JSON.stringify(daemonSet.spec.template.spec.affinity)).toContain('nodepool.openyurt.io/hostnetwork');
    expect(named(second, 'Deployment').spec).toEqual({ replicas: 0 });
  });

  it('has a rollback', () => {
    expect(file('preconditions/revert/02-coredns-daemon-set.yaml')).toContain('replicas: 3');
    expect(file('preconditions/revert.sh')).toContain('kubectl --namespace kube-system delete daemonset coredns');
  });

  it('reports what a kubeadm upgrade reverts, and has no warnings', () => {
    const lost = preconditions.report.filter(({ lostAfter }) => lostAfter.length > 0).map(({ component }) => component);
    expect(lost).toEqual(['coredns-service']);
    expect(preconditions.report.map(({ applied }) => applied)).toEqual([true, true, true, true, false]);
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});

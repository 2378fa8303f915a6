import { App, Chart } from 'cdk8s';
import { artifactsOf, EdgeCluster, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { parse } from 'yaml';

function artifactsWith(kustomizeFolder?: string): { readonly path: string; readonly content: string }[] {
  const app = new App();
  new EdgeSystemComponents(new Chart(app, 'system'), 'components', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
    exclude: [SystemComponent.FLANNEL],
    strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
    kustomizeFolder,
  });
  return artifactsOf(app);
}

describe('the kustomize component of EdgeSystemComponents', () => {
  it('has a target for each patch, because kustomize refuses a patch without a matching object', () => {
    const files = new Map(artifactsWith('keep/off').map(({ path, content }) => [path, parse(content)]));
    expect([...files.keys()]).toEqual([
      'keep/off/daemonset-kube-flannel-kube-flannel-ds.yaml',
      'keep/off/kustomization.yaml',
    ]);
    expect(files.get('keep/off/kustomization.yaml')).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      patches: [
        {
          path: 'daemonset-kube-flannel-kube-flannel-ds.yaml',
          target: { kind: 'DaemonSet', name: 'kube-flannel-ds', namespace: 'kube-flannel' },
        },
      ],
    });
  });

  it('is written only on request', () => expect(artifactsWith()).toEqual([]));
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { App, Chart, YamlOutputType } from 'cdk8s';
import {
  EdgeApp,
  EdgeCluster,
  EdgeSystemComponents,
  HostNetworkNodePool,
  SystemComponent,
  artifactsOf,
  ExclusionStrategy,
} from 'edge-nodepools';
import { parse } from 'yaml';

describe.each([
  ['App', App],
  ['EdgeApp', EdgeApp],
])('the synth of an %s', (_, Made) => {
  it.each([
    [YamlOutputType.FILE_PER_CHART, ['fleet.k8s.yaml'], ['fleet-system-patches.k8s.yaml', 'own.k8s.yaml']],
    [YamlOutputType.FILE_PER_APP, ['app.k8s.yaml'], ['app.k8s.yaml']],
    [
      YamlOutputType.FILE_PER_RESOURCE,
      ['NodePool.edge.k8s.yaml'],
      ['DaemonSet.kube-flannel-ds.k8s.yaml', 'DaemonSet.kube-proxy.k8s.yaml'],
    ],
    [
      YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE,
      ['fleet/NodePool.edge.k8s.yaml'],
      ['fleet-system-patches/DaemonSet.kube-proxy.k8s.yaml', 'own/DaemonSet.kube-flannel-ds.k8s.yaml'],
    ],
  ])(
    'writes the partial objects apart, as kubectl apply -f dist/ does not look into folders: %p',
    (type, whole, patches) => {
      const outdir = mkdtempSync(join(tmpdir(), 'edge-nodepools-apart-'));
      const filesIn = (folder: string): Record<string, string> =>
        Object.fromEntries(
          readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile() && entry.name !== '.edge-app-files')
            .map(({ name, parentPath }) => join(parentPath, name))
            .sort()
            .map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
        );
      try {
        const app = new Made({ outdir, yamlOutputType: type, recordConstructMetadata: true });
        const chart = new Chart(app, 'fleet');
        const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
        new HostNetworkNodePool(chart, 'edge', { cluster, poolName: 'edge' });
        const exclude = (component: SystemComponent, id: string, patchChart?: Chart): unknown =>
          new EdgeSystemComponents(chart, id, { cluster, exclude: [component], patchChart });
        exclude(SystemComponent.KUBE_PROXY, 'system');
        exclude(SystemComponent.FLANNEL, 'cni', new Chart(app, 'own'));
        // what an earlier version has written
        const stale = join(outdir, 'fleet-system-patches.k8s.yaml');
        writeFileSync(stale, 'stale');
        app.synth();
        const files = filesIn(outdir);
        const expected = [...whole, ...patches.map((file) => join('patches', file)), 'construct-metadata.json'];
        const isStale = type !== YamlOutputType.FILE_PER_CHART;
        expect(Object.keys(files)).toEqual([...expected, ...(isStale ? ['fleet-system-patches.k8s.yaml'] : [])].sort());
        const { resources } = JSON.parse(files['construct-metadata.json'] ?? '');
        expect(Object.keys(resources).sort()).toEqual(['edge', 'kube-flannel-ds', 'kube-proxy']);
        // a second time, and without writing
        const { charts } = app;
        app.synth();
        expect([filesIn(outdir), app.outdir, app.charts]).toEqual([files, outdir, charts]);
        expect(app.synthYaml()).toContain('kube-proxy');
      } finally {
        rmSync(outdir, { recursive: true });
      }
    },
  );
});

describe('a kustomize component', () => {
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
});

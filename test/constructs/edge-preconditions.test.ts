import { App, Chart, Testing } from 'cdk8s';
import {
  artifactsOf,
  EdgeError,
  EdgePreconditions,
  EdgeWarnings,
  type EdgePreconditionsProps,
  ExcludedWorkload,
  type Precondition,
} from 'edge-nodepools';
import {
  corednsConfigMap,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  on,
  staticPod,
} from '../corpus/kube-system.js';

function silent(): { app: App; chart: Chart } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return { app, chart: new Chart(app, 'system', { namespace: 'somewhere', labels: { a: 'b' } }) };
}

const tunnel = (chart: Chart): EdgePreconditions =>
  new EdgePreconditions(chart, 'all', {
    cluster: on('1.5'),
    guide: 'tunnel',
    kubeControllerManager: { staticPod: staticPod() },
    corefile: { configMap: corednsConfigMap() },
    coreDnsService: { service: kubeDns() },
    coreDnsDaemonSet: { deployment: corednsDeployment() },
    kubeProxy: { configMap: kubeProxyConfigMap(), daemonSet: kubeProxyDaemonSet() },
  });

describe('EdgePreconditions', () => {
  it('applies all five preconditions of the tunnel guide, in charts next to the chart of the user', () => {
    const { app, chart } = silent();
    const made = tunnel(chart);
    expect(made.report.map(({ component, applied }) => [component, applied])).toEqual([
      ['kube-controller-manager', true],
      ['corefile', true],
      ['coredns-daemon-set', true],
      ['coredns-service', true],
      ['kube-proxy', true],
    ]);
    const steps = made.stepCharts.map((step) => Testing.synth(step).map(({ kind, metadata }) => [kind, metadata.name]));
    expect(steps).toEqual([
      [
        ['ConfigMap', 'coredns'],
        ['DaemonSet', 'coredns'],
        ['ConfigMap', 'kube-proxy'],
      ],
      [
        ['Deployment', 'coredns'],
        // only after the DaemonSet answers
        ['Service', 'kube-dns'],
        ['DaemonSet', 'kube-proxy'],
      ],
    ]);
    const objects = made.stepCharts.flatMap((step) => Testing.synth(step));
    expect(objects.map(({ metadata }) => [metadata.namespace, metadata.labels?.a])).toEqual(
      objects.map(() => ['kube-system', undefined]),
    );
    expect(Testing.synth(chart)).toEqual([]);
    expect(artifactsOf(app)).toEqual([...made.artifacts].sort((a, b) => (a.path < b.path ? -1 : 1)));
    expect(made.applyFlags).toContain('--force-conflicts');
  });

  it('has exactly the files that its scripts use', () => {
    const { artifacts } = tunnel(silent().chart);
    const paths = artifacts.map(({ path }) => path);
    for (const script of ['apply.sh', 'revert.sh']) {
      const text = artifacts.find(({ path }) => path === `preconditions/${script}`)?.content ?? '';
      const named = [...text.matchAll(/^apply (\S+)$/gm)].map(([, name]) => `preconditions/${name}`);
      expect(named.length).toBeGreaterThan(4);
      expect(named.filter((name) => !paths.includes(name))).toEqual([]);
      expect(text).not.toContain('undefined');
    }
  });

  it('is deterministic, and is skipped by the mixin', () => {
    const twice = [0, 1].map(() => {
      const { app, chart } = silent();
      tunnel(chart);
      app.node.root.with(ExcludedWorkload.mixin({ cluster: on('1.5') }));
      return app.synthYaml();
    });
    expect(twice[0]).toBe(twice[1]);
  });

  it('applies nothing on OpenYurt 1.7 unless requested', () => {
    const { app, chart } = silent();
    const made = new EdgePreconditions(chart, 'all', { cluster: on('1.7', '1.34') });
    expect([made.stepCharts, made.artifacts, artifactsOf(app), EdgeWarnings.of(app)]).toEqual([[], [], [], []]);
    expect(made.report.map(({ need }) => need)).toEqual(['harmful', 'none', 'optional', 'optional', 'none']);
  });

  it('warns once about a harmful precondition, and applies it anyway', () => {
    const { app, chart } = silent();
    const made = new EdgePreconditions(chart, 'all', {
      cluster: on('1.7', '1.34'),
      kubeControllerManager: { apply: true },
    });
    expect(EdgeWarnings.of(app).map(({ code }) => code)).toEqual(['EDGE_HARMFUL']);
    expect(made.artifacts.map(({ path }) => path)).toContain('preconditions/apply.sh');
  });
});

describe('a single precondition', () => {
  const cluster = on('1.5');
  const make = (props: Partial<EdgePreconditionsProps>) => {
    const { app, chart } = silent();
    return { app, made: new EdgePreconditions(chart, 'one', { cluster, ...props }) };
  };

  it.each<[string, Partial<EdgePreconditionsProps>]>([
    ['kube-controller-manager', { only: ['kubeControllerManager'] }],
    ['corefile', { only: ['corefile'], corefile: { proxyNames: 'raven', configMap: corednsConfigMap() } }],
    ['coredns-service', { only: ['coreDnsService'] }],
    ['coredns-daemon-set', { only: ['coreDnsDaemonSet'] }],
    ['kube-proxy', { only: ['kubeProxy'], guide: 'tunnel', kubeProxy: { configMap: kubeProxyConfigMap() } }],
  ])('%s is applied unless it is harmful, with its rollback', (component, props) => {
    const { report, artifacts } = make(props).made;
    expect(report.map((each) => each.component)).toEqual([component]);
    const [{ applied, steps, rollback }] = report as [Precondition];
    expect(applied).toBe(true);
    const writes = steps.filter(({ what }) => !what.startsWith('check that'));
    expect(rollback.length).toBe(writes.length);
    const folders = new Set(artifacts.map(({ path }) => path.split('/').slice(0, 2).join('/')));
    expect([...folders]).toEqual(['preconditions/one']);
    expect(artifacts.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['preconditions/one/apply.sh', 'preconditions/one/revert.sh']),
    );
  });

  it('is not applied if it is harmful or turned off', () => {
    const applied = (props: Partial<EdgePreconditionsProps>) => make(props).made.report.map((each) => each.applied);
    expect(applied({ cluster: on('1.7', '1.34'), only: ['kubeControllerManager', 'kubeProxy'] })).toEqual([
      false,
      false,
    ]);
    expect(applied({ only: ['coreDnsService'], coreDnsService: { apply: false } })).toEqual([false]);
  });

  it('of several is in the common folder, in the order of the steps', () => {
    const { report, artifacts } = make({ only: ['coreDnsService', 'coreDnsDaemonSet'] }).made;
    expect(report.map(({ component, applied }) => [component, applied])).toEqual([
      ['coredns-daemon-set', true],
      ['coredns-service', true],
    ]);
    expect(artifacts.map(({ path }) => path)).toContain('preconditions/apply.sh');
  });

  it('warns about settings of others, which have no effect', () => {
    const { app } = make({ only: ['coreDnsService'], kubeProxy: { verbosity: 6 } });
    expect(EdgeWarnings.of(app).map(({ code, path }) => `${code} ${path}`)).toEqual(['EDGE_UNUSED kubeProxy']);
  });

  it('reports all problems at once', () => {
    const wrong = () =>
      make({
        only: ['coreDnsService'],
        coreDnsService: { topology: 'both' as 'annotation', within: 'town' as 'pool' },
        artifactFolder: '../up',
      });
    expect(wrong).toThrow(EdgeError);
    expect(wrong).toThrow(/3 problems/);
  });
});

describe('objects of client-side kubectl apply', () => {
  const LAST_APPLIED = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const applied = (object: any): any => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...LAST_APPLIED } },
  });

  it('are patched: a server-side apply by kubectl would remove their other fields', () => {
    const { chart } = silent();
    const made = new EdgePreconditions(chart, 'all', {
      cluster: on('1.5'),
      guide: 'tunnel',
      kubeControllerManager: { apply: false },
      corefile: { configMap: applied(corednsConfigMap()) },
      coreDnsService: { service: applied(kubeDns()) },
      coreDnsDaemonSet: { deployment: applied(corednsDeployment()) },
      kubeProxy: {
        configMap: applied(kubeProxyConfigMap()),
        daemonSet: applied(kubeProxyDaemonSet()),
        verbosity: 6,
      },
    });
    const steps = made.report.flatMap((each) => [...each.steps, ...each.rollback]);
    const kinds = steps.flatMap(({ manifests }) => manifests.map(({ kind }) => kind));
    expect(kinds).toEqual(['DaemonSet']);
    const patches = steps.flatMap(({ commands }) => commands.filter((command) => command.includes(' patch ')));
    expect(patches).toHaveLength(10);
    const taken = patches.filter((patch) => patch.includes('":null'));
    // the annotation of the Service, and that of the template of kube-proxy
    expect(taken.map((patch) => / patch (\S+ \S+) /.exec(patch)?.[1])).toEqual([
      'service kube-dns',
      'daemonset kube-proxy',
    ]);
  });
});

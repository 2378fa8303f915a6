/** What a program says and a delivery would pass over: refused, or told. */
import { ApiObject, App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeError, EdgeSystemComponents, EdgeWarnings, SystemComponent } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux } from 'edge-nodepools/delivery';
import { GIT } from './shops.js';

interface Told {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The problems and warnings of a delivery, as `code path`. */
function told(props: object, fill: (chart: Chart) => unknown = () => undefined): Told {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'lab');
  new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' } });
  fill(chart);
  try {
    const all: any = { source: GIT, engine: argoCd(), sites: [{ name: 'lab', charts: [chart] }], ...props };
    all.sites = all.sites.map((site: object) => ({ charts: [chart], ...site }));
    String(new FleetDelivery(app, 'delivery', all).report);
  } catch (error) {
    if (!(error instanceof EdgeError)) {
      throw error;
    }
    return { problems: error.problems.map(({ code, path }) => `${code} ${path}`), warnings: [] };
  }
  const warnings = EdgeWarnings.of(app).map(({ code, path }) => `${code} ${path}`);
  return { problems: [], warnings: warnings.filter((each) => !/EDGE_NOT_GUARANTEED|EDGE_COMPONENT/.test(each)) };
}

const problems = (...given: Parameters<typeof told>): readonly string[] => told(...given).problems;
const warnings = (...given: Parameters<typeof told>): readonly string[] => told(...given).warnings;

const NONE: Told = { problems: [], warnings: [] };
const at = (...waves: number[]): object[] =>
  waves.map((wave) => ({ name: `s${wave}`, wave, cluster: { name: `s${wave}` } }));
const kubeProxy = (chart: Chart): unknown =>
  new EdgeSystemComponents(chart, 'system', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
    exclude: [SystemComponent.KUBE_PROXY],
  });
const NAME = 'DaemonSet kube-system/kube-proxy';

describe('a gate that a person opens', () => {
  it('is before sites that change one by one', () => {
    const steps = [
      { wave: 0, atOnce: 1 },
      { wave: 1, atOnce: '25%' },
    ];
    expect(problems({ sites: at(0, 1), rollout: { gate: 'manual', steps } })).toEqual([
      'EDGE_CONTRADICTION rollout.steps[1].atOnce',
    ]);
    expect(told({ sites: at(0, 1), rollout: { gate: 'manual', steps: [steps[0], { wave: 1 }] } })).toEqual(NONE);
    expect(told({ sites: at(0, 1), rollout: { steps } })).toEqual(NONE);
  });

  it('is before a second step', () => {
    expect(warnings({ sites: at(0), rollout: { gate: 'manual' } })).toEqual(['EDGE_UNUSED rollout.gate']);
    expect(told({ sites: at(0, 1), rollout: { gate: 'manual' } })).toEqual(NONE);
  });
});

describe('a component', () => {
  const of = (name: string): object => ({ [name]: { installedBy: 'kubeadm' } });

  it('is one of a partial object', () => {
    expect(problems({ partials: 'engine', components: of('DaemonSet kube-system/proxy') }, kubeProxy)).toEqual([
      'EDGE_MATCHES_NOTHING components["DaemonSet kube-system/proxy"]',
    ]);
    expect(problems({ partials: 'engine', components: of(NAME) })).toEqual([
      `EDGE_MATCHES_NOTHING components["${NAME}"]`,
    ]);
    expect(told({ partials: 'engine', components: of(NAME) }, kubeProxy)).toEqual(NONE);
  });

  it('is one that an engine applies', () => {
    expect(warnings({ components: of(NAME) })).toEqual(['EDGE_UNUSED components']);
    expect(warnings({ partials: 'apart', components: of(NAME) }, kubeProxy)).toEqual(['EDGE_UNUSED components']);
  });
});

it.each([
  ['https://10.0.0.1:6443', 'https://10.0.0.1:6443/'],
  ['https://api.example', 'https://API.example'],
  ['https://api.example', 'https://api.example:443'],
  ['https://api.example/k8s/a', 'https://api.example/k8s/a/'],
])('%s and %s are one cluster', (one, other) => {
  const sites = [one, other].map((server, index) => ({ name: `s${index}`, cluster: { server } }));
  expect(problems({ sites })).toEqual(['EDGE_DUPLICATE sites[1].cluster']);
});

it.each([
  ['https://10.0.0.1:6443', 'https://10.0.0.1:6444'],
  ['https://api.example/k8s/a', 'https://api.example/k8s/A'],
])('%s and %s are two', (one, other) => {
  const sites = [one, other].map((server, index) => ({ name: `s${index}`, cluster: { server } }));
  expect(told({ sites })).toEqual(NONE);
});

it('the cluster of the engine has one spelling, too', () => {
  const sites = [{ name: 'a' }, { name: 'b', cluster: { server: 'https://kubernetes.default.svc:443/' } }];
  expect(problems({ sites })).toEqual(['EDGE_DUPLICATE sites[1].cluster']);
});

it.each<[number | string, readonly string[]]>([
  [1, ['EDGE_VALUE engine.interval']],
  ['30s', ['EDGE_VALUE engine.interval']],
  ['1m', []],
  [3600, []],
])('a site that is compared every %p', (interval, expected) => {
  expect(warnings({ engine: flux({ interval }) })).toEqual(expected);
});

it.each<[object, string[]]>([
  [{ engine: { engine: 'argo-cd', namespace: 'X Y' } }, ['EDGE_NAME engine.namespace']],
  [
    { engine: { engine: 'flux', interval: '1d', runsOn: 'moon' } },
    ['EDGE_VALUE engine.runsOn', 'EDGE_VALUE engine.interval'],
  ],
  [{ engine: { engine: 'flux', project: 'a' } }, ['EDGE_UNKNOWN_PROPERTY engine.project']],
  [{ source: { source: 'git', url: 'https://a:b@git.example' } }, ['EDGE_PASSWORD source.url']],
  [{ source: { source: 'git', url: 'https://git.example', tag: 'a', branch: 'b' } }, ['EDGE_CONTRADICTION source.tag']],
  [{ source: { source: 'oci', url: 'oci://Registry/A' } }, ['EDGE_VALUE source.url']],
  [
    { engine: { engine: 'argo-cd', namespace: 'gitops' }, source: { source: 'git', url: 'https://git.example/a.git' } },
    [],
  ],
])('plain objects are checked as well: %j', (props, expected) => {
  expect(problems(props)).toEqual(expected);
});

it.each(['argocd.argoproj.io/application-set-name', 'kustomize.toolkit.fluxcd.io/name'])(
  '%s is of an engine',
  (label) => {
    expect(problems({ sites: [{ name: 'lab', labels: { [label]: 'a' } }] })).toEqual([
      `EDGE_RESERVED_KEY sites[0].labels["${label}"]`,
    ]);
  },
);

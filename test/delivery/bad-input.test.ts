import { App, Chart, ApiObject } from 'cdk8s';
import { EdgeError } from 'edge-nodepools';
import { argoCd, FleetDelivery, flux, fromGit, fromOci } from 'edge-nodepools/delivery';
import { GIT, delivery, type EngineName, NAMES, problemsOf, synth } from './shops.js';
import { ProblemList } from '../../src/base/errors.js';
import { heldPartial } from '../../src/delivery/partial-objects.js';

/** The problems of properties, as `code path`; each has a hint. */
function refused(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof EdgeError) {
      expect(error.problems.filter(({ hint }) => hint === '')).toEqual([]);
      return error.problems.map(({ code, path }) => `${code} ${path}`);
    }
    throw error;
  }
  return [];
}

const site = (name: string, more: object = {}): any => ({
  name,
  cluster: { name },
  charts: [new Chart(new App(), name)],
  ...more,
});
const of = (props: object): string[] =>
  refused(() => {
    const app = new App();
    const all = { source: GIT, engine: argoCd(), sites: [site('lab'), site('beijing')], ...props };
    new FleetDelivery(app, 'delivery', all);
  });
const secret = (name: string): any => site(name, { cluster: { kubeConfigSecret: name } });

it('the properties of these tests are fine without what each changes', () => {
  expect(of({})).toEqual([]);
  expect(of({ engine: flux(), sites: [secret('lab'), secret('beijing')] })).toEqual([]);
});

const CASES: [string, object, string[]][] = [
  [
    'two sites of one name',
    { sites: [site('lab'), site('lab', { cluster: { name: 'b' } })] },
    ['EDGE_DUPLICATE sites[1].name'],
  ],
  [
    'two sites of one cluster',
    { sites: [site('lab'), site('b', { cluster: { name: 'lab' } })] },
    ['EDGE_DUPLICATE sites[1].cluster'],
  ],
  [
    'two sites of the cluster of the engine',
    {
      sites: [
        site('lab', { cluster: undefined }),
        site('b', { cluster: { server: 'https://kubernetes.default.svc' } }),
      ],
    },
    ['EDGE_DUPLICATE sites[1].cluster'],
  ],
  [
    'two sites of one kubeconfig',
    { engine: flux(), sites: [secret('lab'), { ...secret('b'), cluster: { kubeConfigSecret: 'lab', key: 'value' } }] },
    ['EDGE_DUPLICATE sites[1].cluster'],
  ],
  [
    'a wave without sites',
    { rollout: { steps: [{ wave: 0 }, { wave: 7 }] } },
    ['EDGE_MATCHES_NOTHING rollout.steps[1].wave'],
  ],
  [
    'sites in no step',
    { rollout: { steps: [{ wave: 1 }] }, sites: [site('lab'), site('b', { wave: 1 })] },
    ['EDGE_MISSING rollout.steps'],
  ],
  ['a wave in two steps', { rollout: { steps: [{ wave: 0 }, { wave: 0 }] } }, ['EDGE_DUPLICATE rollout.steps[1].wave']],
  ['a share of no sites', { rollout: { steps: [{ wave: 0, atOnce: '0%' }] } }, ['EDGE_VALUE rollout.steps[0].atOnce']],
  [
    'a share with Flux',
    { engine: flux(), sites: [secret('lab')], rollout: { steps: [{ wave: 0, atOnce: 1 }] } },
    ['EDGE_CONTRADICTION rollout.steps[0].atOnce'],
  ],
  [
    'a person who starts a step of Flux',
    { engine: flux(), sites: [secret('lab')], rollout: { gate: 'manual' } },
    ['EDGE_CONTRADICTION rollout.gate'],
  ],
  [
    'a rollout of Flux from a registry',
    { engine: flux(), sites: [secret('lab')], rollout: {}, source: fromOci({ url: 'oci://r.example/f' }) },
    ['EDGE_CONTRADICTION rollout'],
  ],
  [
    'a rollout of engines that do not know each other',
    { engine: argoCd({ runsOn: 'sites' }), sites: [site('lab', { cluster: undefined })], rollout: {} },
    ['EDGE_CONTRADICTION rollout'],
  ],
  [
    'a cluster of a site that delivers itself',
    { engine: argoCd({ runsOn: 'sites' }) },
    ['EDGE_UNUSED sites[0].cluster', 'EDGE_UNUSED sites[1].cluster'],
  ],
  ['a kubeconfig for Argo CD', { sites: [secret('lab')] }, ['EDGE_CONTRADICTION sites[0].cluster']],
  ['a name of a cluster for Flux', { engine: flux(), sites: [site('lab')] }, ['EDGE_CONTRADICTION sites[0].cluster']],
  [
    'a name and an address',
    { sites: [site('lab', { cluster: { name: 'a', server: 'https://a' } })] },
    ['EDGE_CONTRADICTION sites[0].cluster'],
  ],
  ['a name with capitals', { sites: [site('Lab', { cluster: { name: 'a' } })] }, ['EDGE_NAME sites[0].name']],
  [
    'a name that is that of the patches of another',
    { sites: [site('lab'), site('lab-patches')] },
    ['EDGE_DUPLICATE sites[1].name'],
  ],
  [
    'a template in a name',
    { sites: [site('lab', { cluster: { name: '{{ .x }}' } })] },
    ['EDGE_NAME sites[0].cluster.name'],
  ],
  [
    'a label of the delivery',
    { sites: [site('lab', { labels: { 'edge-nodepools/wave': '1' } })] },
    ['EDGE_RESERVED_KEY sites[0].labels["edge-nodepools/wave"]'],
  ],
  ['a wave before the first', { sites: [site('lab', { wave: -1 })] }, ['EDGE_VALUE sites[0].wave']],
  ['no charts', { sites: [site('lab', { charts: [] })] }, ['EDGE_TYPE sites[0].charts']],
  ['something else than a chart', { sites: [site('lab', { charts: [{}] })] }, ['EDGE_TYPE sites[0].charts[0]']],
  ['no sites', { sites: [] }, ['EDGE_MISSING sites']],
  ['no engine', { engine: undefined }, ['EDGE_MISSING engine']],
  ['no source', { source: undefined }, ['EDGE_MISSING source']],
  ['a source that is not one', { source: { url: 'https://git.example' } }, ['EDGE_TYPE source']],
  [
    'a component without a namespace',
    { components: { 'DaemonSet flannel': {} } },
    ['EDGE_NAME components["DaemonSet flannel"]'],
  ],
  [
    'a tool that is not known',
    { components: { 'DaemonSet a/b': { installedBy: 'ansible' } } },
    ['EDGE_VALUE components["DaemonSet a/b"].installedBy'],
  ],
  ['a misspelt property', { deletions: 'keep' }, ['EDGE_UNKNOWN_PROPERTY deletions']],
];

it.each(CASES)('%s', (_, props, expected) => {
  expect(of(props)).toEqual(expected);
});

it('the longest name of a site fits into a label with all that the engine adds', () => {
  const longest = `l${'a'.repeat(63 - 'fleet-'.length - '-patches'.length - 1)}`;
  expect(of({ sites: [site(longest)] })).toEqual([]);
  expect(of({ sites: [site(`${longest}a`)] })).toEqual(['EDGE_NAME sites[0].name']);
});

it.each<[string, () => unknown, string[]]>([
  ['a password in an address', () => fromGit({ url: 'https://me:secret@git.example/a.git' }), ['EDGE_PASSWORD url']],
  ['an address that Flux does not read', () => fromGit({ url: 'git@git.example:a.git' }), ['EDGE_VALUE url']],
  ['no address', () => fromGit({} as any), ['EDGE_MISSING url']],
  ['a branch and a tag', () => fromGit({ url: 'https://a', branch: 'a', tag: 'b' }), ['EDGE_CONTRADICTION tag']],
  ['a path out of the repository', () => fromGit({ url: 'https://a', path: '../dist' }), ['EDGE_VALUE path']],
  ['a registry without oci://', () => fromOci({ url: 'https://registry.example/a' }), ['EDGE_VALUE url']],
  ['a tag with a colon', () => fromOci({ url: 'oci://registry.example/a', tag: 'a:b' }), ['EDGE_VALUE tag']],
  ['an interval in days', () => flux({ interval: '1d' }), ['EDGE_VALUE interval']],
  ['an engine elsewhere', () => argoCd({ runsOn: 'moon' as any }), ['EDGE_VALUE runsOn']],
])('%s', (_, run, expected) => {
  expect(refused(run)).toEqual(expected);
});

describe('objects of a site', () => {
  describe('objects that are refused', () => {
    const of = (
      engine: EngineName,
      object: ConstructorParameters<typeof ApiObject>[2],
      props = {},
    ): { code: string; path: string }[] =>
      problemsOf(() =>
        synth((app) => {
          const chart = new Chart(app, 'lab');
          new ApiObject(chart, 'object', object);
          delivery(app, engine, ['lab'], { chart: () => chart, props });
        }),
      );
    const secret = (more: object): any => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', namespace: 'b' },
      ...more,
    });
    const encrypted = secret({ data: { key: 'ENC[AES256_GCM,data:x,type:str]' }, sops: { version: '3.9.0' } });

    it.each<[string, any, string[]]>([
      ['a Secret with values', secret({ stringData: { password: 'x' } }), ['EDGE_SECRET']],
      ['a Secret of SOPS without its keys', encrypted, ['EDGE_SECRET']],
      ['a Secret that only says sops', secret({ data: { key: 'eA==' }, sops: {} }), ['EDGE_SECRET']],
      ['a Secret without values', secret({}), []],
      [
        'a sealed Secret',
        {
          apiVersion: 'bitnami.com/v1alpha1',
          kind: 'SealedSecret',
          metadata: { name: 'a', namespace: 'b' },
          spec: { encryptedData: { a: 'b' } },
        },
        [],
      ],
      [
        'a token in a ConfigMap',
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', namespace: 'b' },
          data: { join: 'token: abcdef.0123456789abcdef' },
        },
        ['EDGE_SECRET'],
      ],
      [
        'a published join, whose machine reads the token',
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', namespace: 'b' },
          data: { join: 'token: "token0.placeholder00000"' },
        },
        [],
      ],
    ])('%s', (_, object, codes) => {
      NAMES.forEach((engine) => expect(of(engine, object).map(({ code }) => code)).toEqual(codes));
    });

    it('but not a Secret of SOPS that Flux decrypts', () => {
      expect(of('flux', encrypted, { engine: flux({ sopsSecretName: 'sops-age' }) })).toEqual([]);
    });

    it('a workload that Argo CD would create before the policies', () => {
      const at = (wave: string): any => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'b', annotations: { 'argocd.argoproj.io/sync-wave': wave } },
      });
      expect(of('argo-cd', at('-10')).map(({ code }) => code)).toEqual(['EDGE_CONTRADICTION']);
      expect(of('argo-cd', at('-8'))).toEqual([]);
      expect(of('flux', at('-10'))).toEqual([]);
    });
  });
});

describe('partial objects', () => {
  const EXCLUDED = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
  const LINUX = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

  /** A partial object of a component that ships an affinity, or none. */
  const partial = (shipsOwn: boolean): any => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'a', namespace: 'b' },
    spec: {
      template: {
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [...(shipsOwn ? [LINUX] : []), EXCLUDED] }],
              },
            },
          },
        },
      },
    },
  });

  /** Seen with the real controllers: by engine, installer and whether the component ships an affinity. */
  const HOLDS: Record<string, Record<string, [withOwn: boolean, without: boolean]>> = {
    'argo-cd': { kubeadm: [true, true], helm: [true, true], kubectl: [false, false], serverSide: [false, true] },
    flux: { kubeadm: [true, true], helm: [true, true], kubectl: [true, true], serverSide: [false, true] },
  };

  describe.each(NAMES)('the partial object of a component with %s', (engine) => {
    it.each(Object.entries(HOLDS[engine] ?? {}))(
      'that %s has installed holds as it was seen',
      (installedBy, expected) => {
        const held = [true, false].map((shipsOwn) => {
          const problems = new ProblemList();
          const components: any = { 'DaemonSet b/a': { installedBy, selector: { app: 'a' } } };
          const object = heldPartial(partial(shipsOwn), engine, components, problems);
          expect(problems.problems.map(({ code }) => code)).toEqual(object === undefined ? ['EDGE_STRATEGY'] : []);
          return object !== undefined;
        });
        expect(held).toEqual(expected);
      },
    );

    it('is refused if it is not known what has installed it', () => {
      const problems = new ProblemList();
      expect(heldPartial(partial(false), engine, {}, problems)).toBeUndefined();
      expect(problems.problems.map(({ code }) => code)).toEqual(['EDGE_MISSING']);
    });
  });

  it('an engine needs to know whether Helm 3 or Helm 4 has installed what ships an affinity', () => {
    const envoy = { ...partial(true), metadata: { name: 'cilium-envoy', namespace: 'kube-system' } };
    const of = (object: any, components: any = {}): string[] => {
      const problems = new ProblemList();
      heldPartial(object, 'argo-cd', components, problems);
      return problems.problems.map(({ code }) => code);
    };
    expect(of(envoy)).toEqual(['EDGE_MISSING']);
    expect(of(envoy, { 'DaemonSet kube-system/cilium-envoy': { installedBy: 'helm' } })).toEqual([]);
    expect(of(envoy, { 'DaemonSet kube-system/cilium-envoy': { installedBy: 'serverSide' } })).toEqual([
      'EDGE_STRATEGY',
    ]);
    const agent = { ...partial(false), metadata: { name: 'cilium', namespace: 'kube-system' } };
    expect(of(agent)).toEqual([]);
  });

  it('Flux needs the selector of a component, which only those of kubeadm have in all releases', () => {
    const problems = new ProblemList();
    expect(heldPartial(partial(false), 'flux', { 'DaemonSet b/a': { installedBy: 'helm' } }, problems)).toBeUndefined();
    expect(problems.problems.map(({ code }) => code)).toEqual(['EDGE_MISSING']);
  });
});

/** What Karmada makes of the files of a delivery is what each site gets: a model of its policies, by pkg/util/overridemanager of Karmada 1.19. */
import { ApiObject, type App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, EdgeSystemComponents, HostNetworkNodePool, PoolAdmission, SystemComponent } from 'edge-nodepools';
import { FleetDelivery, karmada } from 'edge-nodepools/delivery';
import { isFullDepth } from '../depth.js';
import { type Manifest, objectsOf, problemsOf, synth } from './shops.js';

/** JSON patch (RFC 6902) of one operation. */
function patched(object: any, { path, operator, value }: Manifest): void {
  const keys = (path as string)
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() as string;
  const target = keys.reduce((at, key) => at[key], object);
  if (operator !== 'add' && !(last in target)) {
    throw new Error(`${path} is not there`);
  }
  if (operator === 'remove') {
    expect(value).toBeUndefined();
    delete target[last];
  } else {
    expect(value).not.toBeUndefined();
    target[last] = structuredClone(value);
  }
}

function changedMap(object: any, field: 'labels' | 'annotations', { operator, value }: Manifest): void {
  const map = (object.metadata[field] ??= {});
  for (const [key, text] of Object.entries(value as object)) {
    if (operator === 'remove') {
      delete map[key];
    } else if (operator === 'add' || key in map) {
      map[key] = text;
    }
  }
}

const selects = ({ resourceSelectors }: Manifest, { apiVersion, kind, metadata }: Manifest): boolean =>
  resourceSelectors.some(
    (one: Manifest) =>
      one.apiVersion === apiVersion &&
      one.kind === kind &&
      one.name === metadata.name &&
      (one.namespace === undefined || one.namespace === metadata.namespace),
  );

/** What a cluster gets. */
function received(files: ReadonlyMap<string, string>, cluster: string): Manifest[] {
  const all = objectsOf(files, 'karmada/');
  const of = (kind: string): Manifest[] => all.filter((object) => object.kind === kind);
  const templates = [...files.keys()]
    .filter((path) => /^karmada\/.*\/templates\.k8s\.yaml$/.test(path))
    .flatMap((path) => objectsOf(files, path));
  return templates.flatMap((template) => {
    const policies = of('ClusterPropagationPolicy').filter(({ spec }) => selects(spec, template));
    // Karmada binds a template to one policy
    expect(policies).toHaveLength(1);
    const { placement } = policies[0]?.spec as Manifest;
    if (!placement.clusterAffinity.clusterNames.includes(cluster)) {
      return [];
    }
    const object = structuredClone(template);
    of('ClusterOverridePolicy')
      .filter(({ spec }) => selects(spec, template))
      .flatMap(({ spec }) => spec.overrideRules as Manifest[])
      .filter(({ targetCluster }) => targetCluster.clusterNames.includes(cluster))
      .forEach(({ overriders }) => {
        (overriders.labelsOverrider ?? []).forEach((each: Manifest) => changedMap(object, 'labels', each));
        (overriders.annotationsOverrider ?? []).forEach((each: Manifest) => changedMap(object, 'annotations', each));
        (overriders.plaintext ?? []).forEach((each: Manifest) => patched(object, each));
      });
    return [object];
  });
}

const key = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace}/${metadata.name}`;
/** Without maps that are empty, which are the same as none. */
const sorted = (objects: Manifest[]): Manifest[] =>
  objects
    .map((object) => {
      const { labels, annotations, ...metadata } = object.metadata;
      const full = (map: object | undefined, name: string): object =>
        Object.keys(map ?? {}).length === 0 ? {} : { [name]: map };
      return { ...object, metadata: { ...metadata, ...full(labels, 'labels'), ...full(annotations, 'annotations') } };
    })
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));

function fleet(app: App, objects: Record<string, any[]>, props: object = {}): FleetDelivery {
  return new FleetDelivery(app, 'delivery', {
    engine: karmada(),
    sites: Object.entries(objects).map(([name, list]) => {
      const chart = new Chart(app, name);
      list.forEach((object, index) => new ApiObject(chart, `o${index}`, object));
      return { name, charts: [chart] };
    }),
    ...props,
  });
}

function isDelivered(objects: Record<string, any[]>): void {
  const files = synth((app) => fleet(app, objects));
  Object.keys(objects).forEach((name) =>
    expect(sorted(received(files, name))).toEqual(sorted(objectsOf(files, `sites/${name}/`))),
  );
}

const configMap = (name: string, more: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'tills' },
  ...more,
});

it('each site gets its objects: shared ones, its own, and those that differ', () => {
  isDelivered({
    lab: [configMap('a', { data: { x: '1', '/~': 'y' } }), configMap('b')],
    beijing: [configMap('a', { data: { x: '2' } }), configMap('c')],
    hangzhou: [
      configMap('a', { data: { x: '2', z: '3' }, metadata: { name: 'a', namespace: 'tills', labels: { 'a/b': 'c' } } }),
      configMap('b'),
    ],
  });
});

it('each site gets any objects', () => {
  const texts = fc.dictionary(fc.constantFrom('a', 'b', 'x/y', 'm~n'), fc.constantFrom('1', '2'));
  const lists = fc.array(fc.oneof(fc.constantFrom(1, 2, 'a'), texts), { maxLength: 3 });
  const object = fc.record({
    apiVersion: fc.constant('example.com/v1'),
    kind: fc.constant('Thing'),
    metadata: fc.record(
      {
        name: fc.constantFrom('one', 'two'),
        namespace: fc.constant('things'),
        labels: fc.dictionary(fc.constantFrom('a', 'b.c/d'), fc.constantFrom('1', '2')),
        annotations: fc.dictionary(fc.constantFrom('a', 'b.c/d'), fc.constantFrom('1', '2')),
      },
      { requiredKeys: ['name', 'namespace'] },
    ),
    spec: fc.record({ lists, texts, deep: fc.record({ lists, texts }, { requiredKeys: [] }) }, { requiredKeys: [] }),
  });
  const list = fc.uniqueArray(object, { minLength: 1, maxLength: 2, selector: ({ metadata }) => metadata.name });
  const sites = fc.record({ lab: list, beijing: list, hangzhou: list });
  fc.assert(
    fc.property(sites, (given) => isDelivered(JSON.parse(JSON.stringify(given)))),
    { numRuns: isFullDepth ? 300 : 10, seed: 35 },
  );
});

const shop = (
  app: App,
  name: string,
  { patches = false, openYurt = '1.7' as const, kubernetes = '1.34' as const } = {},
) => {
  const chart = new Chart(app, name);
  const cluster = EdgeCluster.of({ openYurt, kubernetes, name });
  new HostNetworkNodePool(chart, 'tills', { cluster, poolName: 'tills', labels: { shop: name } });
  new PoolAdmission(chart, 'admission', { cluster });
  if (patches) {
    new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
  }
  return chart;
};

const shops = (app: App, names: readonly string[], props: object = {}, options: object = {}): FleetDelivery =>
  new FleetDelivery(app, 'delivery', {
    engine: karmada(),
    sites: names.map((name) => ({ name, charts: [shop(app, name, options)] })),
    ...props,
  });

describe('the files', () => {
  const files = synth((app) => shops(app, ['lab', 'beijing', 'hangzhou']));

  it('of a layer are in a folder of their own; what changes a template is applied before it', () => {
    expect([...files.keys()].filter((path) => path.startsWith('karmada/'))).toEqual([
      'karmada/00-interpreters/fleet.k8s.yaml',
      'karmada/10-pools/overrides.k8s.yaml',
      'karmada/10-pools/propagation.k8s.yaml',
      'karmada/10-pools/templates.k8s.yaml',
      'karmada/20-policies/propagation.k8s.yaml',
      'karmada/20-policies/templates.k8s.yaml',
    ]);
  });

  it('keep the objects of a site that leaves, and send nothing elsewhere when a site is offline', () => {
    const of = (deletion: 'keep' | 'prune'): Manifest[] =>
      objectsOf(
        synth((app) => shops(app, ['lab'], { deletion })),
        'karmada/',
      ).filter(({ kind }) => kind === 'ClusterPropagationPolicy');
    expect(of('keep').every(({ spec }) => spec.preserveResourcesOnDeletion === true)).toBe(true);
    expect(of('prune').every(({ spec }) => spec.preserveResourcesOnDeletion === false)).toBe(true);
    of('keep').forEach(({ spec }) => {
      const { clusterTolerations, replicaScheduling } = spec.placement;
      expect(clusterTolerations.every(({ tolerationSeconds }: Manifest) => tolerationSeconds === undefined)).toBe(true);
      expect(clusterTolerations.map((one: Manifest) => one.key)).toEqual([
        'cluster.karmada.io/not-ready',
        'cluster.karmada.io/unreachable',
      ]);
      // otherwise Karmada divides the replicas of a Deployment among the sites
      expect(replicaScheduling).toEqual({ replicaSchedulingType: 'Duplicated' });
    });
  });

  it('have an interpreter for each version of NodePool that is delivered', () => {
    const of = (openYurt: string): string[] =>
      objectsOf(
        synth((app) => shops(app, ['lab'], {}, { openYurt })),
        'karmada/00-interpreters',
      ).map(({ spec }) => spec.target.apiVersion as string);
    expect(of('1.7')).toEqual(['apps.openyurt.io/v1beta2']);
    expect(of('1.6')).toEqual(['apps.openyurt.io/v1beta1']);
    expect(
      [...synth((app) => fleet(app, { lab: [configMap('a')] })).keys()].filter((path) => path.includes('interpreters')),
    ).toEqual([]);
  });

  it('have the same policies for a template, whatever other sites there are', () => {
    const names = (sites: readonly string[]): string[] =>
      objectsOf(
        synth((app) => shops(app, sites)),
        'karmada/',
      )
        .filter(({ kind }) => kind === 'ClusterPropagationPolicy')
        .map(({ metadata }) => metadata.name as string);
    expect(names(['lab'])).toEqual(names(['lab', 'beijing', 'hangzhou']));
    names(['lab']).forEach((name) => expect(name.length).toBeLessThanOrEqual(63));
  });

  it('are in the report, with the size of the largest object', () => {
    synth((app) => {
      const { report } = shops(app, ['lab', 'beijing']);
      expect(report.sites.map(({ engineBytes }) => engineBytes > 300)).toEqual([true, true]);
      expect(String(report)).toContain('Karmada');
    });
  });
});

describe('what does not travel is refused', () => {
  const codes = (objects: Record<string, any[]>, props: object = {}): string[] =>
    problemsOf(() => synth((app) => fleet(app, objects, props))).map(({ code, path }) => `${code} ${path}`);
  const inNamespace = (namespace: string): any => configMap('a', { metadata: { name: 'a', namespace } });

  it('a partial object, with every setting', () => {
    const of = (partials?: string): string[] =>
      problemsOf(() => synth((app) => shops(app, ['lab'], { partials }, { patches: true }))).map(({ code }) => code);
    expect([of(), of('refuse'), of('engine')]).toEqual([['EDGE_STRATEGY'], ['EDGE_STRATEGY'], ['EDGE_STRATEGY']]);
    expect(of('apart')).toEqual([]);
  });

  it('a webhook configuration, whose webhooks the API server of Karmada would call itself', () => {
    const object = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'a' },
      webhooks: [],
    };
    expect(codes({ lab: [object] })).toEqual(['EDGE_STRATEGY sites[0]["ValidatingWebhookConfiguration a"]']);
  });

  it('a hook of Helm for its uninstallation, which would run at once', () => {
    const hook = configMap('a', {
      metadata: { name: 'a', namespace: 'b', annotations: { 'helm.sh/hook': 'pre-delete' } },
    });
    expect(codes({ lab: [hook] })).toEqual(['EDGE_CONTRADICTION sites[0]']);
  });

  it('an object in a namespace that Karmada passes over', () => {
    expect(codes({ lab: [inNamespace('kube-system')] })).toEqual(['EDGE_STRATEGY sites[0]["ConfigMap kube-system/a"]']);
    const engine = karmada({ propagatesKubeNamespaces: true });
    expect(codes({ lab: [inNamespace('kube-system')] }, { engine })).toEqual([]);
    expect(codes({ lab: [inNamespace('karmada-es-lab')] }, { engine })).toEqual([
      'EDGE_STRATEGY sites[0]["ConfigMap karmada-es-lab/a"]',
    ]);
  });

  it('an object that is of two versions: the control plane of Karmada has one', () => {
    const of = (version: string): any => ({ apiVersion: `a.example/${version}`, kind: 'A', metadata: { name: 'a' } });
    expect(codes({ lab: [of('v1')], beijing: [of('v1')], hangzhou: [of('v2')] })).toEqual([
      'EDGE_CONTRADICTION sites[2]["A a"]',
    ]);
  });

  it('a rollout, a source, labels of sites and clusters that Karmada has not', () => {
    const of = (props: object, site: object = {}): string[] =>
      problemsOf(() =>
        synth((app) => {
          const chart = new Chart(app, 'lab');
          new FleetDelivery(app, 'delivery', {
            engine: karmada(),
            sites: [{ name: 'lab', charts: [chart], ...site }],
            ...props,
          });
        }),
      ).map(({ code, path }) => `${code} ${path}`);
    expect(of({ rollout: {} })).toEqual(['EDGE_CONTRADICTION rollout']);
    expect(of({ source: { source: 'git', url: 'https://a' } })).toEqual(['EDGE_UNUSED source']);
    expect(of({}, { labels: { a: 'b' } })).toEqual(['EDGE_UNUSED sites[0].labels']);
    expect(of({}, { cluster: { kubeConfigSecret: 'a' } })).toEqual(['EDGE_CONTRADICTION sites[0].cluster']);
    expect(of({}, { cluster: { server: 'https://a' } })).toEqual(['EDGE_CONTRADICTION sites[0].cluster']);
    expect(of({}, { name: 'l'.repeat(49) })).toEqual(['EDGE_NAME sites[0].name']);
    expect(of({}, { cluster: { name: 'l'.repeat(49) } })).toEqual(['EDGE_NAME sites[0].cluster.name']);
    expect(of({ components: {} })).toEqual(['EDGE_MATCHES_NOTHING sites[0]']);
  });
});

it('two sites of one cluster of Karmada are refused, by its name or by that of the site', () => {
  const of = (...sites: object[]): string[] =>
    problemsOf(() =>
      synth(
        (app) =>
          new FleetDelivery(app, 'delivery', {
            engine: karmada(),
            sites: sites.map((site: any) => ({ charts: [new Chart(app, `c-${site.name}`)], ...site })),
          }),
      ),
    ).map(({ code, path }) => `${code} ${path}`);
  expect(of({ name: 'a', cluster: { name: 'b' } }, { name: 'b' })).toEqual(['EDGE_DUPLICATE sites[1].cluster']);
});

it('a Namespace goes to its sites only, and not to all clusters of Karmada', () => {
  const files = synth((app) => fleet(app, { lab: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }] }));
  const [template] = objectsOf(files, 'karmada/30-workloads/templates');
  expect(template?.metadata.labels).toEqual({ 'namespace.karmada.io/skip-auto-propagation': 'true' });
});

it('a fleet that would make an object that is too large is refused', () => {
  const data = { text: 'x'.repeat(300_000) };
  const objects = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `s${index}`,
      [configMap('a', { data: { ...data, site: String(index), more: `${index}`.repeat(300_000) } })],
    ]),
  );
  expect(problemsOf(() => synth((app) => fleet(app, objects))).map(({ code, path }) => `${code} ${path}`)).toEqual([
    'EDGE_SIZE ["ConfigMap tills/a"]',
  ]);
});

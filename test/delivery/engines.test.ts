import { ApiObject, type App, Chart } from 'cdk8s';
import { EdgeCluster, OpenYurtWebhooks } from 'edge-nodepools';
import { argoCd, type FleetDeliveryProps, flux, fromOci } from 'edge-nodepools/delivery';
import { deliveryWarnings } from '../../src/delivery/fleet-delivery.js';
import { chartOf, delivery, GIT, type Manifest, NAMES, objectsOf, synth } from './shops.js';

const runsInSites = ({ engine }: Partial<FleetDeliveryProps>): boolean =>
  engine?.engine === 'flux' && engine.runsOn === 'sites';

describe('an engine', () => {
  const waves = {
    props: { rollout: { steps: [{ wave: 0 }, { wave: 5 }] } },
    site: (_: string, index: number) => ({ wave: index === 0 ? 0 : 5 }),
  };

  it('Flux: a layer waits for the one before, and a wave for the gate of the one before', () => {
    const files = synth((app) => delivery(app, 'flux', ['lab', 'beijing', 'hangzhou'], waves));
    const all = objectsOf(files, 'flux/').filter(({ kind }) => kind === 'Kustomization');
    const before = new Map(
      all.map(({ metadata, spec }) => [metadata.name, (spec.dependsOn ?? []).map(({ name }: Manifest) => name)]),
    );
    expect(before.get('fleet-lab-pools')).toEqual([]);
    expect(before.get('fleet-lab-policies')).toEqual(['fleet-lab-pools']);
    expect(before.get('fleet-lab-workloads')).toEqual(['fleet-lab-policies']);
    expect(before.get('fleet-wave-0')).toEqual(['fleet-lab-workloads']);
    expect(before.get('fleet-beijing-pools')).toEqual(['fleet-wave-0']);
    expect(before.has('fleet-wave-5')).toBe(false);
    const waits = all.filter(({ spec }) => spec.wait).map(({ metadata }) => metadata.labels['edge-nodepools/layer']);
    expect(new Set(waits)).toEqual(new Set(['pools', 'policies']));
    // the gate applies what no other Kustomization reads
    expect(files.has('flux-gates/wave-0/gate.k8s.yaml')).toBe(true);
  });

  it('Flux: the intervals of sites differ by at most a fifth, and stay the same', () => {
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const plain = (app: App, name: string): Chart => {
      const chart = new Chart(app, name);
      new ApiObject(chart, 'a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'tills' } });
      return chart;
    };
    const seconds = (text: string): number => {
      const parts = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
      return Number(parts?.[1] ?? 0) * 60 + Number(parts?.[2] ?? 0);
    };
    const of = (props: Partial<FleetDeliveryProps>, kind: string): number[] => {
      const files = synth((app) =>
        delivery(app, 'flux', names, {
          props,
          chart: (name) => plain(app, name),
          site: (name) => (runsInSites(props) ? { cluster: undefined } : { cluster: { kubeConfigSecret: name } }),
        }),
      );
      const found = objectsOf(files, runsInSites(props) ? 'flux/s' : 'flux/sites');
      return found.filter((each) => each.kind === kind).map(({ spec }) => seconds(spec.interval as string));
    };
    const engine = flux({ interval: '1000s', sourceInterval: '1000s' });
    const source = fromOci({ url: 'oci://registry.example/shops' });
    for (const found of [
      of({ engine }, 'Kustomization'),
      of({ engine, source }, 'OCIRepository'),
      // each asks the one repository for itself
      of({ engine: flux({ sourceInterval: '1000s', runsOn: 'sites' }) }, 'GitRepository'),
    ]) {
      expect(found).toHaveLength(50);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(900);
      expect(Math.max(...found)).toBeLessThanOrEqual(1100);
      expect(new Set(found).size).toBeGreaterThan(35);
    }
  });

  it('Argo CD: pools, policies, bindings and workloads have rising sync waves', () => {
    const files = synth((app) => delivery(app, 'argo-cd', ['lab']));
    const wave = (kind: RegExp): number[] => [
      ...new Set(
        objectsOf(files, 'sites/lab')
          .filter((object) => kind.test(object.kind as string))
          .map(({ metadata }) => Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0)),
      ),
    ];
    const order = [/^NodePool$/, /Policy$/, /Binding$/, /^Deployment$/].map(wave);
    expect(order.every(({ length }) => length === 1)).toBe(true);
    expect(order.flat()).toEqual([...order.flat()].sort((a, b) => a - b));
    expect(new Set(order.flat()).size).toBe(4);
  });

  it('Argo CD: every application of a site is in one step, those of patches in none, and their files are in their folder', () => {
    const files = synth((app) =>
      delivery(app, 'argo-cd', ['lab', 'beijing'], {
        ...waves,
        props: { ...waves.props, partials: 'engine' },
        chart: (name) => chartOf(app, name, { patches: name === 'lab' }),
      }),
    );
    const sets = objectsOf(files, 'argo-cd/').filter(({ kind }) => kind === 'ApplicationSet');
    expect(sets.map(({ metadata }) => metadata.name)).toEqual(['fleet', 'fleet-patches']);
    expect(sets[1]?.spec).toMatchObject({ template: { spec: { syncPolicy: { automated: { selfHeal: true } } } } });
    expect(sets[1]?.spec.strategy).toBeUndefined();
    const steps: Manifest[] = sets[0]?.spec.strategy.rollingSync.steps;
    const applications = sets.flatMap(({ spec }) => {
      const pattern = String(spec.generators[0].git.files[0].path).replace('dist/', '');
      const begin = pattern.slice(0, -'*.json'.length);
      const parameters = [...files]
        .filter(([path]) => path.startsWith(begin))
        .map(([, text]) => JSON.parse(text) as Manifest);
      // the template names no parameter that a site does not have: it is an error there
      const used = [...JSON.stringify(spec.template).matchAll(/\{\{ \.(\w+) \}\}/g)].map(([, name]) => name as string);
      expect(new Set(used).size).toBe(9);
      parameters.forEach((one) => used.forEach((name) => expect(one).toHaveProperty(name)));
      return parameters;
    });
    expect(applications.map(({ application }) => application)).toEqual([
      'fleet-beijing',
      'fleet-lab',
      'fleet-lab-patches',
    ]);
    applications.forEach((one) => {
      const matching = steps.filter(({ matchExpressions }) =>
        matchExpressions.every(({ values }: Manifest) => values.includes(one.wave)),
      );
      expect(matching).toHaveLength(1);
      const [, names = '', single = ''] = /^(?:\{(.*)\}|([^/{]*))\/\*\.k8s\.yaml$/.exec(one.include as string) ?? [];
      (names || single)
        .split(',')
        .forEach((layer) =>
          expect([...files.keys()].some((path) => `dist/${path}`.startsWith(`${one.folder}/${layer}/`))).toBe(true),
        );
    });
  });

  it('Argo CD: a rollout prunes only if its applications say so, and syncs nothing without its setting otherwise', () => {
    const automated = (deletion: 'keep' | 'prune'): unknown => {
      const props = { ...waves.props, deletion };
      const files = synth((app) => delivery(app, 'argo-cd', ['lab', 'beijing'], { ...waves, props }));
      const [set] = objectsOf(files, 'argo-cd/').filter(({ kind }) => kind === 'ApplicationSet');
      return set?.spec.template.spec.syncPolicy.automated;
    };
    expect(automated('keep')).toBeUndefined();
    expect(automated('prune')).toEqual({ prune: true, selfHeal: true });
  });

  it.each(NAMES)('%s: keeps or prunes, and never a patch', (engine) => {
    const of = (deletion: 'keep' | 'prune'): Manifest[] =>
      objectsOf(
        synth((app) =>
          delivery(app, engine, ['lab'], {
            props: { deletion, partials: 'engine' },
            chart: (name) => chartOf(app, name, { patches: true }),
          }),
        ),
        engine === 'flux' ? 'flux/sites' : 'argo-cd/',
      );
    if (engine === 'flux') {
      expect(of('keep').map(({ spec }) => [spec.prune, spec.deletionPolicy])).toEqual(Array(4).fill([false, 'Orphan']));
      expect(of('prune').map(({ spec }) => [spec.prune, spec.deletionPolicy])).toEqual([
        ...Array(3).fill([true, 'Delete']),
        [false, 'Orphan'],
      ]);
    } else {
      const set = (list: Manifest[]): Manifest => list.find(({ kind }) => kind === 'ApplicationSet')?.spec;
      expect(set(of('keep'))).toMatchObject({
        syncPolicy: { preserveResourcesOnDeletion: true },
        template: { spec: { syncPolicy: { automated: { prune: false } } } },
      });
      expect(set(of('keep')).template.metadata.finalizers).toBeUndefined();
      expect(set(of('prune'))).toMatchObject({
        syncPolicy: { preserveResourcesOnDeletion: false },
        template: { spec: { syncPolicy: { automated: { prune: true } } } },
      });
      expect(set(of('prune')).template.metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io']);
    }
  });

  it.each([
    ['Git', GIT],
    ['a registry', fromOci({ url: 'oci://registry.example/shops' })],
  ])('Argo CD: a site that leaves %s with prune keeps its project, which permits its cluster', (_, source) => {
    const projectOf = (deletion: 'keep' | 'prune', names: readonly string[], runsOn: 'hub' | 'sites' = 'hub'): any =>
      objectsOf(
        synth((app) =>
          delivery(app, 'argo-cd', names, {
            props: { source, deletion, engine: argoCd({ runsOn }) },
            site: (name) => ({ cluster: runsOn === 'hub' ? { name } : undefined }),
          }),
        ),
        'argo-cd/',
      ).find(({ kind }) => kind === 'AppProject');
    const left = projectOf('prune', ['lab']);
    expect(left).toEqual(projectOf('prune', ['lab', 'beijing']));
    expect(left.spec.destinations).toEqual([{ namespace: '*', server: '*' }]);
    expect(left.metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io']);
    const kept = projectOf('keep', ['lab']);
    expect(kept.spec.destinations).toEqual([{ namespace: '*', name: 'lab' }]);
    expect(kept.metadata.finalizers).toBeUndefined();
    // an engine in the site reaches no other cluster
    expect(projectOf('prune', ['lab'], 'sites').spec.destinations).toEqual([
      { namespace: '*', server: 'https://kubernetes.default.svc' },
    ]);
  });

  it.each(NAMES)('%s in each site has all its objects in a folder of the site', (name) => {
    const engine = name === 'flux' ? flux({ runsOn: 'sites' }) : argoCd({ runsOn: 'sites' });
    const files = synth((app) =>
      delivery(app, name, ['lab', 'beijing'], { props: { engine }, site: () => ({ cluster: undefined }) }),
    );
    const own = [...files.keys()].filter((path) => path.startsWith(name === 'flux' ? 'flux' : 'argo-cd'));
    const top = name === 'flux' ? 'flux' : 'argo-cd';
    expect(own).toEqual([`${top}/beijing/fleet.k8s.yaml`, `${top}/lab/fleet.k8s.yaml`]);
    const texts = own.map((path) => files.get(path) as string);
    expect(texts[0]).not.toContain('/lab');
    expect(texts[1]).not.toContain('/beijing');
    expect(texts.join()).not.toMatch(/kubeConfig|ApplicationSet/);
  });

  it.each(NAMES)('%s reads an artifact for each site from a registry', (name) => {
    const files = synth((app) =>
      delivery(app, name, ['lab', 'beijing'], {
        props: { source: fromOci({ url: 'oci://registry.example/shops', tag: 'stable' }) },
      }),
    );
    const text = [...files]
      .filter(([path]) => /^(flux|argo-cd)/.test(path))
      .map(([, each]) => each)
      .join('\n');
    expect(text).toContain('oci://registry.example/shops/lab');
    expect(text).toContain('oci://registry.example/shops/beijing');
    expect(text).not.toContain('dist/');
    expect(text).not.toContain('GitRepository');
  });

  it.each(NAMES)(
    '%s leaves caBundle to yurt-manager: no file has the field, and what is applied is applied server-side',
    (name) => {
      const files = synth((app) =>
        delivery(app, name, ['lab'], {
          chart: () => {
            const chart = new Chart(app, 'openyurt');
            const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
            new OpenYurtWebhooks(chart, 'webhooks', { cluster });
            return chart;
          },
        }),
      );
      const configurations = objectsOf(files, 'sites/lab/20-policies');
      expect(configurations.map(({ kind }) => kind).sort()).toEqual([
        'MutatingWebhookConfiguration',
        'ValidatingWebhookConfiguration',
      ]);
      expect(configurations.flatMap(({ webhooks }) => webhooks as unknown[]).length).toBeGreaterThan(10);
      expect([...files.values()].join()).not.toContain('caBundle');
      // Flux does it always
      objectsOf(files, 'argo-cd/')
        .filter(({ kind }) => kind === 'ApplicationSet')
        .forEach(({ spec }) => {
          expect(spec.template.spec.syncPolicy.syncOptions).toContain('ServerSideApply=true');
          expect(spec.template.spec.ignoreDifferences).toBeUndefined();
        });
    },
  );

  it('Flux: what is applied in a site is applied by its account; nothing refers to another namespace', () => {
    const engine = flux({ serviceAccountName: 'tenant', namespace: 'tenants' });
    const all = objectsOf(
      synth((app) => delivery(app, 'flux', ['lab', 'beijing'], { ...waves, props: { ...waves.props, engine } })),
      'flux/',
    );
    const of = (isOfSite: boolean): unknown[] =>
      all
        .filter(
          ({ kind, metadata }) => kind === 'Kustomization' && 'edge-nodepools/site' in metadata.labels === isOfSite,
        )
        .map(({ spec }) => [spec.serviceAccountName, spec.kubeConfig === undefined]);
    expect(of(true)).toEqual(Array(6).fill(['tenant', false]));
    expect(of(false)).toEqual(Array(2).fill([undefined, true]));
    expect(new Set(all.map(({ metadata }) => metadata.namespace as string))).toEqual(new Set(['tenants']));
    expect(JSON.stringify(all.map(({ spec }) => spec as unknown))).not.toContain('namespace');
  });

  it('Argo CD: a pool that leaves with nodes keeps nothing else of a sync waiting', () => {
    const optionsOf = (deletion: 'keep' | 'prune'): unknown[] =>
      objectsOf(
        synth((app) => delivery(app, 'argo-cd', ['lab'], { props: { deletion } })),
        'sites/lab',
      ).map(({ kind, metadata }) => [kind, metadata.annotations?.['argocd.argoproj.io/sync-options']]);
    expect(optionsOf('prune').filter(([, options]: any) => options !== undefined)).toEqual([
      ['NodePool', 'PruneLast=true'],
    ]);
    expect(optionsOf('keep').filter(([, options]: any) => options !== undefined)).toEqual([]);
  });

  it.each<[string, FleetDeliveryProps['engine'], FleetDeliveryProps['source'], number, boolean]>([
    ['many sites of Flux in one repository', flux(), GIT, 301, true],
    ['many sites of Flux in one repository, each with a Flux of its own', flux({ runsOn: 'sites' }), GIT, 301, false],
    ['some sites of Flux', flux(), GIT, 300, false],
    ['many sites of Flux from a registry', flux(), fromOci({ url: 'oci://registry.example/fleet' }), 301, false],
    ['many sites of Argo CD', argoCd(), GIT, 301, false],
  ])('is told of what Kustomizations unpack: %s', (_, engine, source, count, isTold) => {
    const sites = Array.from({ length: count }, (__, index) => ({ name: `shop-${index}`, cluster: {} }));
    const told = deliveryWarnings({ engine, source } as any, sites as any).map(({ code, path }) => [code, path]);
    expect(told).toEqual(isTold ? [['EDGE_SIZE', 'source']] : []);
  });
});

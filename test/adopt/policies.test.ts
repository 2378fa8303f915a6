/** Policies and components that are kept off: the declarations that make them, with their settings. */
import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  ExclusionStrategy,
  HostNetworkNodePool,
  manifestsOf,
  PoolAdmission,
  type PoolAdmissionProps,
  SystemComponent,
} from 'edge-nodepools';
import fc from 'fast-check';
import { runs } from '../depth.js';
import { WRITTEN_DEPLOYMENT } from './imported-dump.js';
import { distOf, imported, objectsOf, sorted, sourcesOf } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' } as const;
const cluster = EdgeCluster.of(RELEASES);

function made(declare: (chart: Chart) => void): any[] {
  const app = new App();
  declare(new Chart(app, 'fleet'));
  return sorted(manifestsOf(app));
}

const sourceOf = (program: ReturnType<typeof imported>): string =>
  program.files.flatMap(({ path, content }) => (path.endsWith('.ts') ? [content] : [])).join('\n');

type Settings = Omit<PoolAdmissionProps, 'cluster'>;

function admissionOf(settings: Settings): any[] {
  return made((chart) => {
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
    new PoolAdmission(chart, 'admission', { cluster, ...settings });
  });
}

const sometimes = fc.constantFrom(true, false);
const settings = fc.record(
  {
    namePrefix: fc.constantFrom('acme', 'a-pods'),
    breakGlassGroups: fc.uniqueArray(fc.constantFrom('sre', "it's", 'a\\b'), { minLength: 1 }),
    excludedNamespaces: fc.uniqueArray(fc.constantFrom('lab', 'kube-system', 'a'), { minLength: 1 }),
    templates: fc.constantFrom<PoolAdmissionProps['templates'][]>(['daemonsets', 'deployments'], ['statefulsets'], []),
    otherPools: fc.constantFrom<string[][]>(['paris'], ['oslo', 'rome']),
    checkPods: sometimes,
    pools: fc.constantFrom('live' as const, 'listed' as const),
    namespaceGateLabel: fc.constant('acme.example/gate'),
    validationActions: fc.constantFrom<PoolAdmissionProps['validationActions'][]>(
      ['Warn'],
      ['Deny'],
      ['Warn', 'Audit'],
    ),
    metadata: fc.constant({ labels: { team: 'x' }, annotations: { a: 'b' } }),
    guarantees: fc.record(
      {
        strict: sometimes,
        immutablePools: fc.constantFrom(false, { failurePolicy: 'Ignore' as const }),
        frozenNodeLabels: fc.constantFrom(false, { validationActions: ['Warn' as const] }),
        hostNetworkToleration: sometimes,
        refusePresetNodeName: sometimes,
        namespaceGate: sometimes,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

describe('a PoolAdmission', () => {
  it('is found with the settings that its policies show, and no others', () => {
    const all = admissionOf({
      namePrefix: 'acme',
      breakGlassGroups: ['sre', 'oncall'],
      excludedNamespaces: ['lab'],
      otherPools: ['quay-west'],
      validationActions: ['Warn'],
      guarantees: { strict: true, immutablePools: { failurePolicy: 'Ignore', validationActions: ['Deny'] } },
    });
    const program = imported(all, 'cdk8s', RELEASES);
    expect(program.counts).toMatchObject({ objects: all.length, recognized: all.length, ofEdge: all.length });
    const source = program.files.find(({ path }) => path === 'admission.ts')?.content ?? '';
    expect(source.slice(source.indexOf('new PoolAdmission'))).toMatchInlineSnapshot(`
      "new PoolAdmission(this, 'all', {
            cluster,
            namePrefix: 'acme',
            breakGlassGroups: ['sre', 'oncall'],
            excludedNamespaces: ['lab'],
            validationActions: ['Warn'],
            otherPools: ['quay-west'],
            guarantees: { immutablePools: { failurePolicy: 'Ignore', validationActions: ['Deny'] }, strict: true },
          });
        }
      }
      "
    `);
    expect(objectsOf(program)).toEqual(all);
  });

  it('makes the same policies for random settings, and none is lost', () => {
    let declared = 0;
    let total = 0;
    fc.assert(
      fc.property(settings, (given) => {
        let all: any[];
        try {
          all = admissionOf(given);
        } catch {
          // settings that contradict each other
          return;
        }
        const program = imported(all, 'cdk8s', RELEASES);
        total += all.length;
        declared += program.counts.recognized;
        expect(objectsOf(program)).toEqual(all);
      }),
      runs(40),
    );
    expect(declared / total).toBeGreaterThanOrEqual(0.95);
  });
});

it('finds two installations by their prefixes', () => {
  const all = made((chart) => {
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
    new PoolAdmission(chart, 'one', { cluster });
    new PoolAdmission(chart, 'two', { cluster, namePrefix: 'two', excludedNamespaces: ['lab'] });
  });
  const program = imported(all, 'cdk8s', RELEASES);
  expect(program.counts.byClass).toMatchObject({ PoolAdmission: 2 });
  expect(objectsOf(program)).toEqual(all);
});

it('finds how each system component is kept off', () => {
  const all = made((chart) => {
    new EdgeSystemComponents(chart, 'system', {
      cluster,
      exclude: [
        SystemComponent.KUBE_PROXY,
        SystemComponent.FLANNEL,
        SystemComponent.CILIUM,
        SystemComponent.of({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }),
      ],
      components: {
        flannel: { namespace: 'cni' },
        cilium: { absent: ['cilium-envoy'], strategy: ExclusionStrategy.ADMISSION_POLICY },
      },
      policyName: 'kept-off',
    });
  });
  const isPart = ({ kind }: any): boolean => kind === 'DaemonSet';
  const files = [
    { path: 'dist/fleet.k8s.yaml', text: JSON.stringify({ kind: 'List', items: all.filter((each) => !isPart(each)) }) },
    { path: 'dist/patches/a.k8s.yaml', text: JSON.stringify({ kind: 'List', items: all.filter(isPart) }) },
  ];
  const program = imported(files, 'cdk8s', RELEASES);
  const source = sourceOf(program);
  expect(source).toContain("SystemComponent.of({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' })");
  expect(source).toContain("flannel: { namespace: 'cni' }");
  expect(source).toContain("cilium: { absent: ['cilium-envoy'], strategy: ExclusionStrategy.ADMISSION_POLICY }");
  expect(source).toContain("policyName: 'kept-off'");
  expect(objectsOf(program)).toEqual(all);
  expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
});

it('finds the labels by which a fleet without OpenYurt marks its nodes', () => {
  const marked = EdgeCluster.of({
    openYurt: 'none',
    kubernetes: '1.36',
    hostNetworkLabel: { key: 'node-role.kubernetes.io/edge', value: '' },
    nodePoolLabel: 'rail.example/depot',
  });
  const all = made((chart) => {
    new ExcludedWorkload(chart, 'web', { cluster: marked, workload: WRITTEN_DEPLOYMENT });
    new PoolAdmission(chart, 'admission', { cluster: marked, guarantees: { nodeLabel: false } });
  });
  const program = imported(all, 'cdk8s', { openYurt: 'none', kubernetes: '1.36' });
  const source = sourceOf(program);
  expect(source).toContain("hostNetworkLabel: { key: 'node-role.kubernetes.io/edge', value: '' }");
  expect(source).toContain("nodePoolLabel: 'rail.example/depot'");
  expect(program.counts).toMatchObject({ objects: all.length, recognized: all.length });
  expect(objectsOf(program)).toEqual(all);
});

/** As an API server stores it and kubectl prints it: with defaults, and with the owner of the fields that were applied. */
function storedPolicy(object: any, index: number): any {
  const { spec, metadata } = object;
  const isBinding = object.kind.endsWith('Binding');
  const selectors = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  const constraints = isBinding ? 'matchResources' : 'matchConstraints';
  const rules = spec[constraints]?.resourceRules?.map((rule: object) => ({ scope: '*', ...rule }));
  const owner = (value: any): object =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? {}
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, owner(item)]));
  return {
    ...object,
    metadata: {
      ...metadata,
      uid: `u-${index}`,
      resourceVersion: '1',
      managedFields: [
        {
          manager: 'edge-nodepools',
          operation: 'Apply',
          fieldsV1: owner({ metadata: { labels: metadata.labels }, spec }),
        },
      ],
    },
    spec: {
      ...(isBinding ? {} : { failurePolicy: 'Fail' }),
      ...spec,
      ...(spec[constraints] === undefined
        ? {}
        : {
            [constraints]: {
              ...selectors,
              ...spec[constraints],
              ...(rules === undefined ? {} : { resourceRules: rules }),
            },
          }),
    },
  };
}

describe('a PoolAdmission that was applied and dumped', () => {
  const all = admissionOf({ breakGlassGroups: ['sre'], guarantees: { strict: true } });
  const isPool = ({ kind }: any): boolean => kind === 'NodePool';
  const dump = all.map((object, index) => (isPool(object) ? object : storedPolicy(object, index)));

  it('is the declaration that has made it', () => {
    const program = imported(dump, 'cdk8s', RELEASES);
    expect(program.counts).toMatchObject({ objects: all.length, recognized: all.length });
    expect(sourceOf(program)).toContain("breakGlassGroups: ['sre']");
    // an object that fields were left out of as defaults is what the class makes
    expect(objectsOf(program)).toEqual(all);
    expect(sorted(JSON.parse(program.files.find(({ path }) => path === 'imported.json')?.content ?? ''))).toEqual(all);
    expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
  });

  it('is plain where somebody has changed it, and the report names what', () => {
    const changed = dump.map((object) =>
      object.kind === 'ValidatingAdmissionPolicy' && object.metadata.name.endsWith('-immutable-pools')
        ? { ...object, spec: { ...object.spec, matchConditions: [] } }
        : object,
    );
    const program = imported(changed, 'cdk8s', RELEASES);
    expect(program.counts.byClass).not.toHaveProperty('PoolAdmission');
    const report = program.report.replace(/\s+/g, ' ');
    expect(sourceOf(program)).toMatch(
      /A plain object: PoolAdmission would write another\s+(\/\/ )?spec\.matchConditions\.\n/,
    );
    expect(sourceOf(program).replace(/\s+(?:\/\/ )?/g, ' ')).toContain(
      'PoolAdmission would also write another ValidatingAdmissionPolicy edge-nodepools-immutable-pools.',
    );
    expect(report).not.toContain('it does not show');
    expect(objectsOf(program)).toHaveLength(all.length);
  });
});

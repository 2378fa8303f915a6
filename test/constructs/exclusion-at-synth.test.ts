/** The exclusion is about the tree at synth: what reports say is what is written, whatever was changed in between, or the synth fails with the reason. */
import { ApiObject, App, Chart, JsonPatch, Lazy, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import fc from 'fast-check';
import {
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  type ExcludedWorkloadMixin,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';
import { daemonSet, deployment, required as affinityOf } from '../bad-inputs/case.js';
import { samples } from '../depth.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const AFFINITY = '/spec/template/spec/affinity';
const TERMS = `${AFFINITY}/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms`;
const POOL = 'apps.openyurt.io/nodepool';
const required = (terms: object[]): unknown => (affinityOf(terms) as any).affinity;
const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

const named = (name: string, metadata: object = {}, podSpec: object = {}): any => ({
  ...deployment(podSpec),
  metadata: { name, ...metadata },
});

/** Written independently of the library: whether every term that can match has the requirement. */
function isExcluded(object: any): boolean {
  const terms: any[] =
    object.spec?.template?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  const holds = (term: any): boolean =>
    (term.matchExpressions ?? []).some((one: any) => JSON.stringify(one) === JSON.stringify(EXCLUSION));
  return terms.length > 0 && terms.every(holds) && object.spec.template.metadata.annotations?.[ANNOTATION] === 'true';
}

const namesOf = (objects: any[]): string[] => objects.filter(isExcluded).map(({ metadata }) => metadata.name);
const touchedBy = ({ report }: ExcludedWorkloadMixin): string[] =>
  report.touched.map(({ workload }) => workload.replace(/^.*[ /]/, ''));
function quiet(): Chart {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return new Chart(app, 'fleet');
}

describe('objects that are added after the mixin', () => {
  it('are excluded and reported, in an empty chart, in nested constructs and charts, and by validations', () => {
    const chart = quiet();
    const mixin = ExcludedWorkload.mixin({ cluster });
    chart.with(mixin);
    new ApiObject(chart, 'a', named('a'));
    new ApiObject(new Construct(chart, 'inner'), 'b', named('b'));
    const nested = new Chart(chart, 'nested');
    new ApiObject(nested, 'c', named('c'));
    let isAdded = false;
    chart.node.addValidation({
      validate: () => {
        if (!isAdded) {
          isAdded = true;
          new ApiObject(chart, 'd', named('d'));
        }
        return [];
      },
    });
    expect(touchedBy(mixin)).toEqual(['a', 'b', 'c']);
    expect(namesOf([...Testing.synth(chart), ...Testing.synth(nested), ...Testing.synth(chart)])).toEqual(
      expect.arrayContaining(['a', 'b', 'c', 'd']),
    );
    expect(touchedBy(mixin)).toEqual(['a', 'b', 'c', 'd']);
    expect(EdgeWarnings.of(chart)).toEqual([]);
  });

  it('are refused as others are, before anything is written', () => {
    const chart = quiet();
    chart.with(ExcludedWorkload.mixin({ cluster }));
    new ApiObject(chart, 'a', named('a', {}, { nodeName: 'n' }));
    expect(() => Testing.synth(chart)).toThrow(
      /ExcludedWorkload.mixin on fleet\/a .*\n.*EDGE_CONTRADICTION .*nodeName/,
    );
  });

  it('outside of the tree of the mixin are not changed', () => {
    const chart = quiet();
    const other = new Chart(chart.node.root, 'other');
    chart.with(ExcludedWorkload.mixin({ cluster }));
    new ApiObject(other, 'a', named('a'));
    expect(namesOf(Testing.synth(other))).toEqual([]);
  });

  it('are rendered once more than without the mixin, however many charts there are', () => {
    const renderings = (withMixin: boolean, charts: number): number => {
      let count = 0;
      const app = new App({ outdir: '/nonexistent' });
      const trees = Array.from({ length: charts }, (_, index) => new Chart(app, `chart-${index}`));
      const mixin = ExcludedWorkload.mixin({ cluster });
      if (withMixin) {
        trees.forEach((tree) => tree.with(mixin));
      }
      trees.forEach((tree) => {
        const spec = Lazy.any({ produce: () => (count++, deployment().spec) });
        new ApiObject(tree, 'a', { apiVersion: 'apps/v1', kind: 'Deployment', spec });
      });
      EdgeWarnings.setMode(app, 'silent');
      app.synthYaml();
      return count;
    };
    expect(renderings(true, 8)).toBe(2 * renderings(false, 8));
  });
});

describe('later changes', () => {
  it.each<[string, object, (object: ApiObject) => void]>([
    ['labels', { labels: { tier: 'web' } }, (o) => o.addJsonPatch(JsonPatch.remove('/metadata/labels/tier'))],
    ['the namespace', { namespaces: ['shop'] }, (o) => o.addJsonPatch(JsonPatch.replace('/metadata/namespace', 'x'))],
    ['the name', { names: ['a'] }, (o) => o.addJsonPatch(JsonPatch.replace('/metadata/name', 'b'))],
    ['the kind', { kinds: ['Deployment'] }, (o) => o.addJsonPatch(JsonPatch.replace('/kind', 'DaemonSet'))],
    ['the affinity', {}, (o) => o.addJsonPatch(JsonPatch.add(AFFINITY, required([{ matchExpressions: [os] }])))],
    [
      'what match reads',
      { match: ({ data }: any) => data === undefined },
      (o) => o.addJsonPatch(JsonPatch.add('/data', 1)),
    ],
  ])('of %s free no workload', (_, filter, change) => {
    const chart = quiet();
    const object = new ApiObject(chart, 'a', named('a', { namespace: 'shop', labels: { tier: 'web' } }));
    const mixin = ExcludedWorkload.mixin({ cluster, ...filter });
    chart.with(mixin);
    change(object);
    const written = Testing.synth(chart);
    expect(written.map(isExcluded)).toEqual([true]);
    expect(mixin.report.touched).toHaveLength(1);
    expect(Testing.synth(chart)).toEqual(written);
  });

  it.each<[string, JsonPatch, RegExp]>([
    ['another kind', JsonPatch.replace('/kind', 'Rollout'), /unknown kind/],
    ['no workload', JsonPatch.replace('/spec', {}), /has no Pod template/],
    [
      'an opt-out',
      JsonPatch.add('/spec/template/metadata/annotations', { [ANNOTATION]: 'false' }),
      /so that it cannot be: opts out/,
    ],
    ['a node name', JsonPatch.add('/spec/template/spec/nodeName', 'n'), /bypasses the scheduler/],
    [
      'the opposite',
      JsonPatch.add(AFFINITY, required([{ matchExpressions: [{ ...EXCLUSION, operator: 'In' }] }])),
      /nodeSelectorTerms\[0\] requires/,
    ],
  ])('that make it %s fail the synth', (_, patch, message) => {
    const chart = quiet();
    const object = new ApiObject(chart, 'a', named('a'));
    chart.with(ExcludedWorkload.mixin({ cluster }));
    object.addJsonPatch(patch);
    expect(() => Testing.synth(chart)).toThrow(message);
    expect(() => Testing.synth(chart)).toThrow(/EDGE_CONTRADICTION/);
  });

  it('that select a workload exclude it', () => {
    const chart = quiet();
    const object = new ApiObject(chart, 'a', named('a'));
    const mixin = ExcludedWorkload.mixin({ cluster, labels: { tier: 'web' } });
    chart.with(mixin);
    expect(mixin.report.skipped).toHaveLength(1);
    object.metadata.addLabel('tier', 'web');
    expect(namesOf(Testing.synth(chart))).toEqual(['a']);
    expect(mixin.report).toEqual({ touched: [expect.objectContaining({ workload: 'Deployment a' })], skipped: [] });
  });

  it('that conflict are skipped on request, with a warning', () => {
    const chart = quiet();
    const object = new ApiObject(chart, 'a', named('a'));
    const mixin = ExcludedWorkload.mixin({ cluster, onContradiction: 'skip' });
    chart.with(mixin);
    object.addJsonPatch(JsonPatch.add('/spec/template/spec/nodeName', 'n'));
    expect(namesOf(Testing.synth(chart))).toEqual([]);
    expect(mixin.report).toEqual({ touched: [], skipped: [expect.objectContaining({ workload: 'Deployment a' })] });
    expect(EdgeWarnings.of(chart).map(({ code, construct }) => `${code} ${construct}`)).toEqual([
      'EDGE_CONTRADICTION fleet/a',
    ]);
  });

  it('in any order: what the report says is what is written', () => {
    const filters = [{}, { namespaces: ['shop'] }, { labels: { tier: 'web' } }, { kinds: ['Deployment'] }];
    const step = fc.oneof(
      fc.constant(
        (chart: Chart) =>
          void new ApiObject(
            chart,
            `o${chart.node.children.length}`,
            named(`n${chart.node.children.length}`, { namespace: 'shop' }),
          ),
      ),
      fc.constant(
        (chart: Chart) =>
          void new ApiObject(chart, `o${chart.node.children.length}`, {
            ...daemonSet(),
            metadata: { name: `n${chart.node.children.length}`, labels: { tier: 'web' } },
          }),
      ),
      fc
        .tuple(
          fc.nat(9),
          fc.constantFrom(
            JsonPatch.add('/metadata/labels', { tier: 'web' }),
            JsonPatch.add('/metadata/labels', { tier: 'db' }),
            JsonPatch.add('/metadata/namespace', 'shop'),
            JsonPatch.add('/metadata/namespace', 'other'),
            JsonPatch.replace('/kind', 'DaemonSet'),
            JsonPatch.add(AFFINITY, required([{ matchExpressions: [os] }])),
            JsonPatch.add('/spec/template/metadata/annotations', { [ANNOTATION]: 'false' }),
            JsonPatch.add('/spec/template/spec/nodeName', 'n'),
          ),
        )
        .map(
          ([index, patch]) =>
            (chart: Chart) =>
              (chart.node.children[index] as ApiObject | undefined)?.addJsonPatch(patch),
        ),
    );
    let written = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat(12), fc.constantFrom(...filters), (steps, at, filter) => {
        const chart = quiet();
        const mixin = ExcludedWorkload.mixin({ cluster, ...filter });
        let promised: string[] = [];
        try {
          [...steps.slice(0, at), (one: Chart) => void one.with(mixin), ...steps.slice(at)].forEach((each) =>
            each(chart),
          );
          promised = touchedBy(mixin);
          steps.forEach((each) => each(chart));
          const objects = Testing.synth(chart);
          expect(touchedBy(mixin).sort()).toEqual(namesOf(objects).sort());
          expect(namesOf(objects)).toEqual(expect.arrayContaining(promised));
          written++;
        } catch (error) {
          expect(String(error)).toMatch(/EDGE_CONTRADICTION/);
        }
      }),
      { numRuns: samples(400), seed: 7 },
    );
    expect(written).toBeGreaterThan(samples(400) / 10);
  });
});

describe('an object that is excluded by its declaration', () => {
  const patches: [string, JsonPatch][] = [
    ['removes the affinity', JsonPatch.remove(AFFINITY)],
    ['replaces the affinity', JsonPatch.replace(AFFINITY, required([{ matchExpressions: [os] }]))],
    ['removes the requirement', JsonPatch.remove(`${TERMS}/0/matchExpressions/0`)],
    ['changes the requirement', JsonPatch.replace(`${TERMS}/0/matchExpressions/0/values/0`, 'false')],
    ['adds a term without it', JsonPatch.add(`${TERMS}/-`, { matchExpressions: [os] })],
    ['bypasses the scheduler', JsonPatch.add('/spec/template/spec/nodeName', 'n')],
    ['replaces the annotations', JsonPatch.add('/spec/template/metadata/annotations', { later: 'x' })],
    [
      'turns the annotation around',
      JsonPatch.replace(`/spec/template/metadata/annotations/${ANNOTATION.replace('/', '~1')}`, 'false'),
    ],
    ['makes it another kind', JsonPatch.replace('/kind', 'Rollout')],
  ];
  const makers: [string, (chart: Chart) => ApiObject][] = [
    [
      'ExcludedWorkload',
      (chart) => ApiObject.of(new ExcludedWorkload(chart, 'it', { cluster, workload: deployment() })),
    ],
    [
      'EdgeSystemComponents',
      (chart) => {
        const exclude = [
          SystemComponent.fromManifest({ ...deployment(), metadata: { name: 'web', namespace: 'kube-system' } }),
        ];
        const made = new EdgeSystemComponents(chart, 'it', { cluster, exclude });
        return made.node.findAll().find((one) => ApiObject.isApiObject(one)) as ApiObject;
      },
    ],
  ];

  it.each(makers.flatMap(([noun, make]) => patches.map(([what, patch]) => [noun, what, make, patch] as const)))(
    '%s fails at synth if a patch %s',
    (_, __, make, patch) => {
      const chart = quiet();
      const object = make(chart);
      expect(isExcluded(Testing.synth(chart)[0])).toBe(true);
      object.addJsonPatch(patch);
      expect(() => Testing.synth(chart)).toThrow(/EDGE_(CONTRADICTION|NO_POD_TEMPLATE)/);
    },
  );

  it.each(makers)('%s accepts patches that narrow it', (_, make) => {
    const chart = quiet();
    const object = make(chart);
    object.addJsonPatch(
      JsonPatch.add(`${TERMS}/0/matchExpressions/-`, os),
      JsonPatch.add('/spec/template/metadata/annotations/owner', 'edge'),
      JsonPatch.add('/spec/replicas', 3),
    );
    expect(Testing.synth(chart).map(isExcluded)).toEqual([true]);
  });
});

describe('a HostNetworkWorkload', () => {
  const SPEC = '/spec/template/spec';
  const synth = (pools: readonly string[], ...patches: JsonPatch[]): unknown[] => {
    const chart = quiet();
    const taints = [{ key: 'site', effect: 'NoSchedule' as const }];
    const made = pools.map((poolName) => new HostNetworkNodePool(chart, poolName, { cluster, poolName, taints }));
    const props = { workload: { ...deployment(), metadata: { name: 'web' } }, apiServer: '192.0.2.1:6443' };
    ApiObject.of(new HostNetworkWorkload(chart, 'it', { pools: made, ...props })).addJsonPatch(...patches);
    return Testing.synth(chart);
  };

  it.each<[string, string, JsonPatch, string[]?]>([
    ['removes hostNetwork', 'hostNetwork', JsonPatch.remove(`${SPEC}/hostNetwork`)],
    ['disables hostNetwork', 'hostNetwork', JsonPatch.replace(`${SPEC}/hostNetwork`, false)],
    ['asks the cluster DNS', 'dnsPolicy', JsonPatch.replace(`${SPEC}/dnsPolicy`, 'ClusterFirstWithHostNet')],
    ['removes the nodeSelector', 'nodeSelector', JsonPatch.remove(`${SPEC}/nodeSelector`)],
    ['selects another pool', 'nodeSelector', JsonPatch.replace(`${SPEC}/nodeSelector`, { [POOL]: 'office' })],
    ['removes the affinity', 'nodeSelectorTerms', JsonPatch.remove(`${SPEC}/affinity`), ['hz', 'sh']],
    ['adds a term', 'nodeSelectorTerms', JsonPatch.add(`${TERMS}/-`, { matchExpressions: [os] }), ['hz', 'sh']],
    ['removes the toleration', 'tolerations', JsonPatch.remove(`${SPEC}/tolerations`)],
    ['replaces the toleration', 'tolerations', JsonPatch.replace(`${SPEC}/tolerations/0/key`, 'other')],
    ['bypasses the scheduler', 'nodeName', JsonPatch.add(`${SPEC}/nodeName`, 'office-1')],
    ['removes the address of the API server', 'env', JsonPatch.remove(`${SPEC}/containers/0/env`)],
    ['lets a surge Pod wait for its port', 'strategy', JsonPatch.remove('/spec/strategy')],
  ])('fails at synth if a patch %s', (_, field, patch, pools = ['hz']) => {
    expect(synth(pools)).toHaveLength(pools.length + 1);
    expect(() => synth(pools, patch)).toThrow(
      new RegExp(`HostNetworkWorkload [^]*EDGE_CONTRADICTION {2}workload[^]*${field}[^]*-> `),
    );
  });

  it('accepts patches of something else', () => {
    const patches = [
      JsonPatch.add(`${SPEC}/tolerations/-`, { operator: 'Exists' }),
      JsonPatch.add(`${SPEC}/nodeSelector/disk`, 'ssd'),
      JsonPatch.replace(`${SPEC}/containers/0/image`, 'web:2'),
      // the API server sets the hostPort
      JsonPatch.add(`${SPEC}/containers/0/ports/-`, { containerPort: 9090 }),
      JsonPatch.add('/spec/replicas', 3),
    ];
    // kubelet network/dns/dns.go, getPodDNSType
    const sameDns = [JsonPatch.remove(`${SPEC}/dnsPolicy`), JsonPatch.add(`${SPEC}/dnsPolicy`, 'ClusterFirst')];
    [patches, ...sameDns.map((each) => [each])].forEach((some) => expect(synth(['hz'], ...some)).toHaveLength(2));
  });
});

import { ApiObject, App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  EdgeWarnings,
  HostNetworkNodePool,
  PoolAdmission,
  type PoolAdmissionProps,
  SystemComponent,
} from 'edge-nodepools';
import type { GuaranteeSettings, FailurePolicy } from 'edge-nodepools/types';
import { ProblemList } from '../../src/base/errors.js';
import { checkPoolCount } from '../../src/admission/pool-list.js';

const on = (kubernetes: string, openYurt = '1.7'): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });

/** A chart with a namespace and labels. */
function chartOf(): Chart {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return new Chart(app, 'fleet', { namespace: 'edge', labels: { team: 'edge' } });
}

function make(props: Partial<PoolAdmissionProps> = {}) {
  const chart = chartOf();
  const cluster = props.cluster ?? on('1.36');
  const admission = new PoolAdmission(chart, 'admission', { cluster, ...props });
  return { chart, cluster, admission, objects: (): any[] => Testing.synth(chart) };
}

const ADMISSION = (objects: any[]): any[] => objects.filter(({ kind }) => /AdmissionPolicy/.test(kind));
/** The names in the policy of the node label; undefined without that policy. */
const listOf = (objects: any[]): string[] | undefined =>
  objects
    .find(({ kind, metadata }) => kind === 'MutatingAdmissionPolicy' && metadata.name.endsWith('-node-label'))
    ?.spec.variables.flatMap(({ name, expression }: any) =>
      name === 'member' ? [...expression.split(' in ')[1].matchAll(/'([^']+)'/g)].map(([, pool]) => pool) : [],
    );

describe('PoolAdmission', () => {
  it('creates a policy and its binding for each default guarantee, in the order of an apply', () => {
    const { objects, admission, cluster } = make();
    const policies = [
      ['Validating', 'immutable-pools'],
      ['Validating', 'frozen-node-labels'],
      ['Mutating', 'node-label'],
      ['Validating', 'node-label-check'],
      ['Mutating', 'pods'],
      ['Validating', 'pods-check'],
      ['Mutating', 'templates'],
      ['Mutating', 'pods-applied-again'],
    ];
    // deleted in this order, a check has lost its parameter before the mutation is gone
    const isChecked = (name = ''): boolean => ['node-label', 'pods'].includes(name);
    expect(objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      policies.flatMap(([kind, name]) =>
        (isChecked(name) ? ['Binding', ''] : ['', 'Binding']).map(
          (suffix) => `${kind}AdmissionPolicy${suffix} edge-nodepools-${name}`,
        ),
      ),
    );
    expect(admission.cluster).toBe(cluster);
    expect(admission.report).toHaveLength(6);
  });

  it('sets the labels of its chart on every object, and its namespace on no cluster-scoped one', () => {
    const { objects } = make({ metadata: { annotations: { a: 'b' } } });
    for (const { metadata } of objects()) {
      expect(metadata.namespace).toBeUndefined();
      expect(metadata.annotations).toEqual({ a: 'b' });
      expect(metadata.labels).toMatchObject({ team: 'edge', 'app.kubernetes.io/managed-by': 'edge-nodepools' });
    }
  });

  it('has bindings that depend on their policies, and checks that depend on what they check', () => {
    const { chart } = make();
    const made = chart.node.findAll().filter((each) => ApiObject.isApiObject(each));
    const bindings = made.filter(({ kind }) => kind.endsWith('PolicyBinding'));
    expect(bindings).toHaveLength(8);
    const namesBefore = (each: ApiObject): string[] =>
      each.node.dependencies
        .filter((one) => ApiObject.isApiObject(one))
        .map(({ kind, name = '' }) => `${kind.replace(/Binding$/, '')} ${name}`);
    for (const binding of bindings) {
      const policy = made.find(({ kind, name }) => `${kind}Binding` === binding.kind && name === binding.name);
      const own = `${policy?.kind} ${policy?.name}`;
      expect([...namesBefore(binding), ...namesBefore(policy as ApiObject)]).toContain(own);
    }
    const checks = made.filter(
      ({ kind, name = '' }) => kind === 'ValidatingAdmissionPolicy' && name.endsWith('-check'),
    );
    expect(checks.flatMap(namesBefore)).toEqual([
      'MutatingAdmissionPolicy edge-nodepools-node-label',
      'MutatingAdmissionPolicy edge-nodepools-pods',
    ]);
  });

  it('is deterministic', () => {
    const [first, second] = [make({ pools: 'listed' }), make({ pools: 'listed' })].map(({ objects }) =>
      JSON.stringify(objects()),
    );
    expect(second).toBe(first);
  });

  it('leaves no object in the tree if it is refused', () => {
    const chart = chartOf();
    const props = { cluster: on('1.36'), namePrefix: 'No' };
    expect(() => new PoolAdmission(chart, 'admission', props)).toThrow(/EDGE_NAME {2}namePrefix/);
    expect(Testing.synth(chart)).toEqual([]);
  });

  it('applies settings of one guarantee without changing the others', () => {
    const failurePolicy: FailurePolicy = 'Ignore';
    const frozenNodeLabels: GuaranteeSettings = { failurePolicy, validationActions: ['Warn'] };
    const policies = ADMISSION(make({ guarantees: { frozenNodeLabels } }).objects());
    const of = (kind: string, name: string): any =>
      policies.find((object) => object.kind === kind && object.metadata.name === `edge-nodepools-${name}`).spec;
    expect(of('ValidatingAdmissionPolicy', 'frozen-node-labels').failurePolicy).toBe('Ignore');
    expect(of('ValidatingAdmissionPolicyBinding', 'frozen-node-labels').validationActions).toEqual(['Warn']);
    expect(of('ValidatingAdmissionPolicy', 'immutable-pools').failurePolicy).toBe('Fail');
    expect(of('ValidatingAdmissionPolicyBinding', 'immutable-pools').validationActions).toEqual(['Deny', 'Audit']);
  });

  it('creates two policies for Pods if their guarantees have different failure policies', () => {
    const { objects } = make({ guarantees: { presetNodeName: { failurePolicy: 'Ignore' } } });
    const pods = objects().filter(
      ({ kind, metadata }) => kind === 'MutatingAdmissionPolicy' && /-pods(-ignore)?$/.test(metadata.name as string),
    );
    expect(
      pods.map(({ metadata, spec }) => [
        metadata.name,
        spec.failurePolicy,
        spec.matchConditions[0].expression.includes('exclude-host-network-pool'),
        spec.matchConditions[0].expression.startsWith("((object.spec.?nodeName.orValue('') != ''"),
      ]),
    ).toEqual([
      ['edge-nodepools-pods', 'Fail', true, false],
      ['edge-nodepools-pods-ignore', 'Ignore', false, true],
    ]);
  });
});

describe('the list of pools', () => {
  it('includes pools that are declared later, also in other charts, and no regular pool', () => {
    const { chart, cluster, objects } = make({ pools: 'listed', otherPools: ['by-hand'] });
    new HostNetworkNodePool(chart, 'later', { cluster, poolName: 'later' });
    new RegularNodePool(chart, 'regular', { cluster, poolName: 'regular' });
    const other = new Chart(chart.node.root, 'other');
    new HostNetworkNodePool(other, 'elsewhere', { cluster, poolName: 'elsewhere' });
    HostNetworkNodePool.fromPoolName(other, 'named', { cluster, poolName: 'named' });
    expect(listOf(objects())).toEqual(['by-hand', 'elsewhere', 'later', 'named']);
  });

  it('does not mix the pools of two clusters in one tree', () => {
    const { chart, objects } = make({ cluster: on('1.36', 'none') });
    const other = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', name: 'other' });
    HostNetworkNodePool.fromPoolName(chart, 'a', { cluster: on('1.36', 'none'), poolName: 'a' });
    HostNetworkNodePool.fromPoolName(chart, 'b', { cluster: other, poolName: 'b' });
    expect(listOf(objects())).toEqual(['a']);
  });

  it('is after the condition of break-glass groups', () => {
    const { objects } = make({ otherPools: ['a'], breakGlassGroups: ['ops'] });
    const conditionsOf = (policy: string): string[] =>
      objects()
        .find(({ kind, metadata }) => kind.endsWith('Policy') && metadata.name === policy)
        .spec.matchConditions.map(({ name }: any) => name);
    expect(conditionsOf('edge-nodepools-node-label')).toEqual(['no-break-glass']);
    expect(conditionsOf('edge-nodepools-node-label-check')).toEqual([
      'no-break-glass',
      'becomes-a-member',
      'not-labelled',
      'member',
    ]);
  });

  it('uses the properties at the time of construction', () => {
    const otherPools = ['a'];
    const { objects } = make({ pools: 'listed', otherPools });
    otherPools.push('Not a name');
    expect(listOf(objects())).toEqual(['a']);
  });

  it('is reported as empty while it is empty', () => {
    const { chart, cluster, admission } = make({ pools: 'listed' });
    const note = (): string | undefined => admission.report.find(({ guarantee }) => guarantee === 'nodeLabel')?.note;
    expect(note()).toBe('the list of pools is empty, so no node gets the label');
    new HostNetworkNodePool(chart, 'a', { cluster, poolName: 'a' });
    expect(note()).toBe('');
    // not in other rows
    const { report } = make({ pools: 'listed' }).admission;
    expect(report.filter(({ note: text }) => text.includes('empty')).map(({ guarantee }) => guarantee)).toEqual([
      'nodeLabel',
    ]);
  });

  it('refuses a pool that is declared as a regular one, earlier or later', () => {
    const { chart, cluster, objects } = make({ pools: 'listed', otherPools: ['hz', 'offices'] });
    new HostNetworkNodePool(chart, 'hz', { cluster, poolName: 'hz' });
    expect(objects).not.toThrow();
    new RegularNodePool(chart, 'offices', { cluster, poolName: 'offices' });
    expect(objects).toThrow(/EDGE_CONTRADICTION {2}otherPools\[1\]: offices is declared in this app as a regular pool/);
  });

  it('is only in a policy that needs it', () => {
    expect(listOf(make().objects())).toEqual([]);
    expect(listOf(make({ guarantees: { nodeLabel: false } }).objects())).toBeUndefined();
    expect(listOf(make({ cluster: on('1.34', 'none') }).objects())).toBeUndefined();
  });

  it('refuses more pools than fit into one object, and warns above what kubectl applies without --server-side', () => {
    // 46 characters and four around each
    const pools = Array.from({ length: 14_001 }, (_, index) => String(index).padEnd(46, 'x'));
    const of = (way: 'listed' | 'live', count: number): unknown[] => {
      const problems = new ProblemList();
      const warnings = checkPoolCount(way, pools.slice(0, count), 1, problems);
      return [...problems.problems, ...warnings].map(({ code, path }) => `${code} ${path}`);
    };
    expect([5000, 5001, 14_000, 14_001].map((count) => of('listed', count))).toEqual([
      [],
      ['EDGE_POLICY_COST pools'],
      ['EDGE_POLICY_COST pools'],
      ['EDGE_VALUE pools'],
    ]);
    expect(of('live', 14_001)).toEqual([]);
    const { objects } = make({ otherPools: pools });
    expect(objects).toThrow(/EDGE_VALUE {2}pools: the names of 14001 pools do not fit into one policy/);
  });
});

it('shows a wrong value as written', () => {
  const messageOf = (props: object): string => {
    try {
      make(props);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  expect(messageOf({ guarantees: { strict: 'true' } })).toContain('guarantees.strict: this is "true"');
  expect(messageOf({ namePrefix: '' })).toContain('namePrefix: "" cannot begin');
});

describe('two constructs of one tree', () => {
  it('are refused with the same prefix; the error names the first one', () => {
    const { chart, cluster } = make();
    expect(() => new PoolAdmission(chart, 'second', { cluster })).toThrow(
      /EDGE_DUPLICATE {2}namePrefix: fleet\/admission already creates/,
    );
    // in another chart of the same tree it is the same cluster
    const other = new Chart(chart.node.root, 'other');
    expect(() => new PoolAdmission(other, 'admission', { cluster })).toThrow(/EDGE_DUPLICATE/);
  });

  it('are allowed with different prefixes, or in different clusters', () => {
    const { chart, cluster, objects } = make();
    const count = objects().length;
    new PoolAdmission(chart, 'second', { cluster, namePrefix: 'second' });
    const elsewhere = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name: 'elsewhere' });
    new PoolAdmission(chart, 'third', { cluster: elsewhere });
    expect(objects()).toHaveLength(3 * count);
  });

  it('are refused also if the other is EdgeSystemComponents with the name of a policy', () => {
    const { chart, cluster } = make();
    const props = { cluster, exclude: [SystemComponent.KUBE_PROXY], policyName: 'edge-nodepools-templates' };
    expect(() => new EdgeSystemComponents(chart, 'system', props)).toThrow(/EDGE_DUPLICATE {2}policyName/);
  });
});

import type { EdgeError } from 'edge-nodepools';
import {
  type AdmissionReport,
  EdgeCluster,
  type EdgeWarning,
  type KubernetesObject,
  type PoolAdmissionProps,
  type PoolGuarantee,
} from 'edge-nodepools';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { convertsStoredNodePools } from '../../src/cluster/openyurt-capabilities.js';
import { planScope } from '../plan-scope.js';

const ALL: readonly PoolGuarantee[] = [
  'immutablePools',
  'frozenNodeLabels',
  'nodeLabel',
  'annotatedPods',
  'annotatedTemplates',
  'presetNodeName',
  'strict',
  'hostNetworkToleration',
  'refusePresetNodeName',
  'namespaceGate',
];
const BY_DEFAULT = ALL.slice(0, 6);

interface Planned {
  readonly objects: readonly KubernetesObject[];
  readonly report: readonly AdmissionReport[];
  readonly warnings: readonly EdgeWarning[];
  readonly problems: readonly string[];
}

function plan(props: PoolAdmissionProps): Planned {
  try {
    const { objects, attributes, warnings } = planPoolAdmission(props, planScope());
    return { objects: objects.map(({ object }) => object), report: attributes.report(), warnings, problems: [] };
  } catch (error) {
    const { problems } = error as EdgeError;
    return { objects: [], report: [], warnings: [], problems: problems.map(({ code, path }) => `${code} ${path}`) };
  }
}

const GROUP = 'admissionregistration.k8s.io';

/** The letters of the table: mechanism, API version, and what happens while yurt-manager is down. */
const CELLS: Readonly<Record<string, readonly string[]>> = {
  V: ['ValidatingAdmissionPolicy', `${GROUP}/v1`, 'held'],
  M: ['MutatingAdmissionPolicy', `${GROUP}/v1`, 'held'],
  b: ['MutatingAdmissionPolicy', `${GROUP}/v1beta1`, 'held'],
  // the webhook's failurePolicy: Fail for NodePools, Ignore for Nodes and Pods
  R: ["OpenYurt's webhook", '', 'writes refused'],
  i: ["OpenYurt's webhook", '', 'not held'],
  '-': ['nothing', '', 'not held'],
};

const OLDEST = ['1.22', '1.23', '1.24', '1.25', '1.26', '1.27', '1.28', '1.29'];
const MIDDLE = ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35'];
const NEWEST = ['1.36', '1.37'];
const WITH_FLAGS = ['1.34', '1.35'];
const WITH_POD_WEBHOOK = ['1.5', '1.6', '1.7'];

/** The tiers. One letter per guarantee, in the order of ALL; `.` if it does not apply to the cluster. */
const TIERS: readonly [minors: string[], openYurt: string[], optIn: 'v1beta1' | undefined, cells: string][] = [
  [OLDEST, WITH_POD_WEBHOOK, undefined, 'R i i i - - - - - -'],
  [OLDEST, ['1.4'], undefined, /*     */ 'R i i - - - - - - -'],
  [OLDEST, ['none'], undefined, /*    */ '. - - - - - - - - -'],
  [MIDDLE, WITH_POD_WEBHOOK, undefined, 'V V i i - - - - V V'],
  [MIDDLE, ['1.4'], undefined, /*     */ 'V V i - - - - - V V'],
  [MIDDLE, ['none'], undefined, /*    */ '. V - - - - - - V V'],
  [WITH_FLAGS, ['1.4', ...WITH_POD_WEBHOOK], 'v1beta1', 'V V b b b b b b V V'],
  [WITH_FLAGS, ['none'], 'v1beta1', /**/ '. V b b b b b b V V'],
  [NEWEST, ['1.4', ...WITH_POD_WEBHOOK], undefined, 'V V M M M M M M V V'],
  [NEWEST, ['none'], undefined, /*    */ '. V M M M M M M V V'],
];

const CASES = TIERS.flatMap(([minors, openYurts, mutatingAdmissionPolicy, cells]) =>
  minors.flatMap((kubernetes) =>
    openYurts.map((openYurt) => {
      const props = { cluster: EdgeCluster.of({ openYurt, kubernetes }), mutatingAdmissionPolicy };
      const name = `${props.cluster.toString()}${mutatingAdmissionPolicy === undefined ? '' : ' with v1beta1'}`;
      const letters = new Map(cells.split(' ').map((letter, index) => [ALL[index] as PoolGuarantee, letter]));
      return [name, props, letters] as const;
    }),
  ),
);

function rowsOf(report: readonly AdmissionReport[]): unknown[] {
  return report.map((row) => [row.guarantee, row.mechanism, row.apiVersion, row.withYurtManagerDown]);
}

describe('the tiers', () => {
  it('cover every minor with every release, and both minors that need flags', () => {
    expect(CASES).toHaveLength(16 * 5 + 2 * 5);
    expect(new Set(CASES.map(([name]) => name)).size).toBe(CASES.length);
  });

  it.each(CASES)('%s: by default', (_, props, letters) => {
    const { report, problems, warnings } = plan(props);
    const expected = BY_DEFAULT.filter((guarantee) => letters.get(guarantee) !== '.');
    expect(problems).toEqual([]);
    expect(rowsOf(report)).toEqual(
      expected.map((guarantee) => [guarantee, ...(CELLS[letters.get(guarantee) as string] as string[])]),
    );
    // there is a warning about every default guarantee that nothing enforces, and no other
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(
      expected
        .filter((guarantee) => letters.get(guarantee) === '-')
        .map((guarantee) => `EDGE_NOT_GUARANTEED guarantees.${guarantee}`),
    );
  });

  it.each(CASES)('%s: each guarantee that is requested by name exists, or is refused', (_, props, letters) => {
    for (const guarantee of ALL) {
      const letter = letters.get(guarantee) as string;
      const { report, problems, objects } = plan({ ...props, guarantees: { [guarantee]: true } });
      const refused = letter === '-' || letter === '.';
      expect(problems).toEqual(refused ? [`EDGE_NOT_GUARANTEED guarantees.${guarantee}`] : []);
      if (!refused) {
        const row = report.find((candidate) => candidate.guarantee === guarantee) as AdmissionReport;
        expect(rowsOf([row])).toEqual([[guarantee, ...(CELLS[letter] as string[])]]);
        // exactly the policies in the report exist
        expect(row.policies === '').toBe(!'VMb'.includes(letter));
        const named = objects.filter(({ metadata }) => row.policies.split(', ').includes(String(metadata?.name)));
        // what checks the final object is a validating policy, whatever version the mutating ones have
        const ofKind = named.filter(({ kind }) => kind === row.mechanism);
        expect(ofKind.length > 0).toBe(row.policies !== '');
        expect(ofKind.every(({ apiVersion }) => apiVersion === row.apiVersion)).toBe(true);
      }
    }
  });

  it.each(CASES)('%s: a guarantee that is turned off has no policy', (_, props) => {
    const off = Object.fromEntries(ALL.map((guarantee) => [guarantee, false]));
    expect(plan({ ...props, guarantees: off })).toEqual({ objects: [], report: [], warnings: [], problems: [] });
  });

  it('report flags that the API server needs, and costs that grow', () => {
    const noteOf = (kubernetes: string, guarantee: PoolGuarantee, optIn?: 'v1beta1'): string | undefined =>
      plan({
        cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes }),
        mutatingAdmissionPolicy: optIn,
        guarantees: { [guarantee]: true },
      }).report.find((row) => row.guarantee === guarantee)?.note;
    const flags =
      'the API server needs --feature-gates=MutatingAdmissionPolicy=true --runtime-config=admissionregistration.k8s.io/v1beta1=true';
    const grows = (what: string): string => `the cost of ${what} grows with the number of host-network nodes`;
    expect(noteOf('1.34', 'annotatedPods', 'v1beta1')).toBe(flags);
    expect(noteOf('1.35', 'presetNodeName', 'v1beta1')).toBe(flags);
    expect(noteOf('1.36', 'annotatedPods')).toBe('');
    expect(noteOf('1.34', 'frozenNodeLabels', 'v1beta1')).toBe('');
    expect(noteOf('1.30', 'refusePresetNodeName')).toBe(grows('the creation of a Pod'));
    expect(noteOf('1.30', 'namespaceGate')).toBe(grows('the creation of a Pod and of a binding'));
    expect(noteOf('1.36', 'namespaceGate')).toBe(grows('a binding'));
    expect(noteOf('1.34', 'namespaceGate', 'v1beta1')).toBe(grows('a binding'));
    expect(noteOf('1.36', 'strict')).toBe('');
  });
});

describe('the report', () => {
  const labelNote = (openYurt: string, pools?: 'live'): string | undefined =>
    plan({ cluster: EdgeCluster.of({ openYurt, kubernetes: '1.36' }), pools }).report.find(
      ({ guarantee }) => guarantee === 'nodeLabel',
    )?.note;

  it('says that old pools must be written once, only if the release stores another version than earlier ones', () => {
    const converts = (openYurt: string): boolean =>
      convertsStoredNodePools(EdgeCluster.of({ openYurt, kubernetes: '1.36' }));
    expect(['1.4', '1.5', '1.6', '1.7', 'none'].map(converts)).toEqual([false, false, false, true, false]);
    for (const openYurt of ['1.4', '1.5', '1.6', '1.7']) {
      const isSaid = labelNote(openYurt, 'live')?.includes('must be written once') === true;
      expect(isSaid).toBe(converts(openYurt));
      // a list needs no conversion
      expect(labelNote(openYurt)).not.toContain('must be written once');
    }
  });

  it.each<[NonNullable<PoolAdmissionProps['validationActions']>, string]>([
    [['Warn'], 'reported only'],
    [['Audit'], 'reported only'],
    [['Warn', 'Audit'], 'reported only'],
    [['Deny'], 'held'],
    [['Deny', 'Audit'], 'held'],
  ])('reports a policy with %j as: %s', (actions, expected) => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    const rowsWith = (props: Partial<PoolAdmissionProps>): string[] =>
      plan({ cluster, ...props }).report.map(({ withYurtManagerDown }) => withYurtManagerDown);
    // a mutating policy refuses nothing, and is held
    const rest = Array(4).fill('held');
    expect(rowsWith({ validationActions: actions })).toEqual([expected, expected, ...rest]);
    const frozenNodeLabels = { validationActions: actions };
    expect(rowsWith({ guarantees: { frozenNodeLabels } })).toEqual(['held', expected, ...rest]);
  });

  it('is flat text, one line each, so that console.table prints it', () => {
    for (const [, props] of CASES) {
      for (const row of plan(props).report) {
        expect(Object.keys(row)).toEqual([
          'guarantee',
          'mechanism',
          'apiVersion',
          'withYurtManagerDown',
          'policies',
          'note',
        ]);
        for (const value of Object.values(row)) {
          expect(value).toEqual(expect.stringMatching(/^.*$/));
        }
      }
    }
  });

  it('names every policy of a guarantee', () => {
    const { report } = plan({
      cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' }),
      guarantees: { strict: true, hostNetworkToleration: true, presetNodeName: { failurePolicy: 'Ignore' } },
    });
    expect(Object.fromEntries(report.map(({ guarantee, policies }) => [guarantee, policies]))).toEqual({
      immutablePools: 'edge-nodepools-immutable-pools',
      frozenNodeLabels: 'edge-nodepools-frozen-node-labels',
      nodeLabel: 'edge-nodepools-node-label, edge-nodepools-node-label-check',
      annotatedPods: 'edge-nodepools-pods-strict, edge-nodepools-pods-strict-check, edge-nodepools-pods-applied-again',
      annotatedTemplates: 'edge-nodepools-templates',
      presetNodeName: 'edge-nodepools-pods-ignore, edge-nodepools-pods-ignore-check, edge-nodepools-pods-applied-again',
      strict:
        'edge-nodepools-pods-strict, edge-nodepools-pods-strict-check, edge-nodepools-templates, edge-nodepools-pods-applied-again',
      hostNetworkToleration:
        'edge-nodepools-pod-toleration, edge-nodepools-template-toleration, edge-nodepools-pods-applied-again',
    });
  });
});

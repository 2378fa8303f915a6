import fc from 'fast-check';
import { EdgeError, footprint, placeFleet } from 'edge-nodepools';
import { compareClaims, type PortClaim } from '../../src/workloads/host-ports.js';
import { nodeAffinityMatches } from '../../src/fleet/node-affinity-match.js';
import { whyNotOn } from '../../src/fleet/pod-placement.js';
import { required } from '../bad-inputs/case.js';
import { node, podSpec } from '../properties/arbitraries.js';
import { admits } from '../reference/node-affinity.js';
import { runs, samples } from '../depth.js';
import { App, Chart } from 'cdk8s';
import { judge } from '../../src/fleet/kubelet.js';
import { clusterOf, type ClusterNode } from '../../src/fleet/placement-cluster.js';
import { placementPod } from '../../src/fleet/placement-pod.js';
import { refusalsOf } from '../../src/fleet/scheduler.js';
import { JUDGED_PLACEMENTS } from '../corpus/judged-placements.js';
import { clusterOfRow, JUDGED_MINOR } from '../corpus/judged-pods.js';
import { isAccepted, NO_HOST_NETWORK } from '../properties/placement-clusters.js';

describe('node affinity', () => {
  it('has the same result as an independent evaluator', () => {
    let matched = 0;
    fc.assert(
      fc.property(podSpec, node, (spec, candidate) => {
        const verdict = nodeAffinityMatches(spec, candidate);
        matched += verdict ? 1 : 0;
        expect(verdict).toBe(admits(spec, candidate));
      }),
      runs(3000),
    );
    expect(matched).toBeGreaterThan(samples(3000) / 10);
  });

  // labels.Requirement.Matches and nodeaffinity.go, case by case
  it.each<[string, object, Record<string, string>, boolean]>([
    ['In, value present', { key: 'a', operator: 'In', values: ['x', 'y'] }, { a: 'y' }, true],
    ['In, label absent', { key: 'a', operator: 'In', values: ['x'] }, {}, false],
    ['NotIn, label absent', { key: 'a', operator: 'NotIn', values: ['x'] }, {}, true],
    ['NotIn, value present', { key: 'a', operator: 'NotIn', values: ['x'] }, { a: 'x' }, false],
    ['Exists, empty value', { key: 'a', operator: 'Exists' }, { a: '' }, true],
    ['DoesNotExist', { key: 'a', operator: 'DoesNotExist' }, { a: 'x' }, false],
    ['Gt, larger', { key: 'a', operator: 'Gt', values: ['9'] }, { a: '10' }, true],
    ['Gt, equal', { key: 'a', operator: 'Gt', values: ['10'] }, { a: '10' }, false],
    ['Lt, signed', { key: 'a', operator: 'Lt', values: ['+1'] }, { a: '0' }, true],
    ['Gt, no number', { key: 'a', operator: 'Gt', values: ['1'] }, { a: 'x' }, false],
    [
      'Gt, beyond what a double holds',
      { key: 'a', operator: 'Gt', values: ['9007199254740992'] },
      { a: '9007199254740993' },
      true,
    ],
    ['an unknown operator', { key: 'a', operator: 'Near', values: ['x'] }, { a: 'x' }, false],
  ])('%s', (_, expression, labels, expected) => {
    expect(nodeAffinityMatches(required([{ matchExpressions: [expression] }]) as any, { name: 'n', labels })).toBe(
      expected,
    );
  });
});

describe('a Pod', () => {
  it('is not excluded by a PreferNoSchedule taint', () => {
    const taints = [{ key: 'site', value: 'hz', effect: 'PreferNoSchedule' as const }];
    expect(whyNotOn({}, { name: 'n', labels: {}, taints })).toBeUndefined();
  });

  const tainted = { name: 'n', labels: {}, taints: [{ key: 'site', value: 'hz', effect: 'NoSchedule' as const }] };

  it.each<[string, object, boolean, string | undefined]>([
    ['without toleration', {}, false, 'taint site=hz:NoSchedule'],
    [
      'with the toleration',
      { tolerations: [{ key: 'site', operator: 'Equal', value: 'hz', effect: 'NoSchedule' }] },
      false,
      undefined,
    ],
    ['with another value', { tolerations: [{ key: 'site', value: 'bj' }] }, false, 'taint site=hz:NoSchedule'],
    [
      'with another effect',
      { tolerations: [{ key: 'site', operator: 'Exists', effect: 'NoExecute' }] },
      false,
      'taint site=hz:NoSchedule',
    ],
    ['that tolerates everything', { tolerations: [{ operator: 'Exists' }] }, false, undefined],
    [
      'with a wrong nodeSelector',
      { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] },
      false,
      'nodeSelector a=b',
    ],
  ])('%s', (_, spec, isDaemon, reason) => {
    expect(whyNotOn(spec as any, tainted, isDaemon)).toBe(reason);
  });

  it('of a DaemonSet gets the tolerations of its controller, and one more with hostNetwork', () => {
    const cordoned = {
      name: 'n',
      labels: {},
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' as const }],
    };
    expect(whyNotOn({}, cordoned, true)).toBeUndefined();
    expect(whyNotOn({}, cordoned, false)).toContain('unschedulable');
    const offline = {
      name: 'n',
      labels: {},
      taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' as const }],
    };
    expect(whyNotOn({ hostNetwork: true }, offline, true)).toBeUndefined();
    expect(whyNotOn({}, offline, true)).toContain('network-unavailable');
  });

  it('has the reason excluded if the exclusion excludes it', () => {
    const excluded = required([
      { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
    ]);
    expect(whyNotOn(excluded as any, { name: 'n', labels: { 'nodepool.openyurt.io/hostnetwork': 'true' } })).toBe(
      'excluded from host-network nodes',
    );
    const elsewhere = required([{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }]);
    expect(whyNotOn(elsewhere as any, { name: 'n', labels: { 'nodepool.openyurt.io/hostnetwork': 'true' } })).toBe(
      'requires a Exists',
    );
  });

  it('names what the node does not meet in each alternative', () => {
    const expression = (key: string, operator: string, ...values: readonly string[]): object => ({
      matchExpressions: [
        { key: 'a', operator: 'Exists' },
        { key, operator, values },
      ],
    });
    const node = { name: 'n', labels: { a: '1' } };
    const arches = ['amd64', 'arm64', 'arm', 'ppc64le', 's390x', 'riscv64', 'mips64le'];
    const reasonOf = (terms: unknown): string | undefined => whyNotOn(required(terms) as any, node);
    expect(reasonOf([expression('kubernetes.io/os', 'In', 'linux'), expression('a', 'NotIn', '1')])).toBe(
      'requires kubernetes.io/os In linux or requires a NotIn 1',
    );
    expect(reasonOf([expression('kubernetes.io/arch', 'In', ...arches)])).toBe(
      'requires kubernetes.io/arch In amd64, arm64, arm, ppc64le, s390x, 2 more',
    );
    expect(reasonOf([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['m'] }] }])).toBe(
      'requires metadata.name In m',
    );
    expect(reasonOf(['b', 'c', 'd', 'e'].map((key) => expression(key, 'Gt', '4')))).toBe(
      'requires b Gt 4 or requires c Gt 4 or requires d Gt 4 or 1 more',
    );
    expect(reasonOf([{}])).toBe('an empty term, which matches no node');
    expect(reasonOf([])).toBe('required node affinity without a term, which matches no node');
  });
});

describe('port claims', () => {
  it('have the same result in any order', () => {
    const claim: fc.Arbitrary<PortClaim> = fc.record({
      workload: fc.constant('w'),
      ports: fc.array(
        fc.record({
          port: fc.constantFrom(80, 81),
          protocol: fc.constantFrom('TCP', 'UDP'),
          hostIP: fc.constantFrom('0.0.0.0', '127.0.0.1', '192.0.2.1'),
        }),
        { maxLength: 2 },
      ),
      demand: fc.oneof(fc.constant('every node' as const), fc.integer({ min: 1, max: 3 })),
      nodeSelector: fc.dictionary(fc.constant('disk'), fc.constantFrom('ssd', 'hdd')),
    });
    fc.assert(
      fc.property(claim, claim, fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), (a, b, nodes) =>
        expect(compareClaims(a, b, nodes).kind).toBe(compareClaims(b, a, nodes).kind),
      ),
      runs(100),
    );
  });
});

describe('manifests of real clusters', () => {
  const chart = new Chart(new App(), 'chart');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { nodeName: 'edge-1', containers: [] } };

  /** Arguments, and the path and hint of the first problem. */
  const WRONG: readonly (readonly [string, readonly unknown[], string, string])[] = [
    ['a chart', [chart], 'manifests', '(manifestsOf(chart))'],
    ['an app', [chart.node.root], 'manifests', '(manifestsOf(app))'],
    ['nothing', [], 'manifests', '(manifestsOf(app))'],
    ['one object', [pod], 'manifests', '([manifest])'],
    ['text', ['kind: Pod'], 'manifests', 'list of plain objects'],
    ['charts in a list', [[pod, chart]], 'manifests[1]', 'manifestsOf(app)'],
    ['texts in a list', [['kind: Pod']], 'manifests[0]', 'parse the YAML'],
    ['lists in a list', [[[pod]]], 'manifests[0]', 'manifests.flat()'],
    ['numbers in a list', [[1]], 'manifests[0]', '{ apiVersion, kind'],
    ['one node', [[pod], { name: 'edge-1', labels: {} }], 'nodes', ', [{ name:'],
    ['names of nodes', [[pod], ['edge-1']], 'nodes[0]', "{ name: 'edge-1'"],
    ['a node without labels', [[pod], [{ name: 'edge-1' }]], 'nodes[0]', 'labels:'],
    ['a label that is none', [[pod], [], 7], 'labels', 'apps.openyurt.io/nodepool'],
  ];

  describe.each([
    ['placeFleet', placeFleet],
    ['footprint', footprint],
  ] as const)('%s', (name, run) => {
    it.each(WRONG)('refuses %s, and says what to write', (_, args, path, hint) => {
      let error: unknown;
      try {
        (run as (...all: readonly unknown[]) => unknown)(...args);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(EdgeError);
      expect(error).toMatchObject({ subject: name, path, hint: expect.stringContaining(hint) });
      expect((error as EdgeError).message).not.toMatch(/undefined|\[object/);
    });

    it('passes over empty YAML documents', () => {
      expect(run([null, undefined] as unknown as object[])).toEqual([]);
    });
  });

  it('a bound Pod runs on its node, also with a NoSchedule taint there, and on no other', () => {
    const taints = (effect: 'NoSchedule' | 'NoExecute'): any => ({ taints: [{ key: 'edge', effect }] });
    const nodes = [
      { name: 'edge-1', labels: {}, ...taints('NoSchedule') },
      { name: 'edge-2', labels: {} },
    ];
    expect(placeFleet([pod], nodes).map(({ pool, runs, excluded }) => [pool, runs.length, excluded])).toEqual([
      ['edge-1', 1, []],
      ['edge-2', 0, [{ workload: 'Pod a', reason: 'spec.nodeName edge-1' }]],
    ]);
    const evicted = placeFleet([pod], [{ name: 'edge-1', labels: {}, ...taints('NoExecute') }]);
    expect(evicted[0]?.excluded[0]?.reason).toBe('taint edge:NoExecute');
  });
});

describe('a judged placement', () => {
  // the group `judged` asks kube-scheduler, the DaemonSet controller and kubelet about the same rows
  it.each(JUDGED_PLACEMENTS.map((row) => [row.what, row] as const))('%s', (_, row) => {
    const { nodes, pods, namespaces, claims, volumes } = clusterOfRow(row);
    const cluster = clusterOf([...nodes, ...pods, ...namespaces, ...claims, ...volumes], true, JUDGED_MINOR);
    const pod = { ...placementPod(row.pod), isDaemon: row.daemon === true };
    const node = cluster.nodes[0] as ClusterNode;
    const verdict = judge(pod, node, cluster, NO_HOST_NETWORK);
    expect(verdict.outcome).not.toBe('unknown');
    expect(isAccepted(pod, verdict)).toBe(row.by === undefined);
    const isPlugin = row.by !== undefined && !['DaemonSet', 'kubelet'].includes(row.by);
    if (isPlugin) {
      expect(refusalsOf(pod, node, cluster).map(({ by }) => by)).toContain(row.by);
    }
  });
});

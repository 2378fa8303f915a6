/** A fleet that is known by another label than OpenYurt's: everything follows it. */
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  footprint,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  placeFleet,
  PoolAdmission,
  type PoolGuarantee,
  SystemComponent,
} from 'edge-nodepools';
import type { HostNetworkLabel } from 'edge-nodepools/types';
import { main } from '../../src/cli/main.js';
import { reportNodes } from '../../src/fleet/node-report.js';
import type { PlainMap } from '../../src/base/plain-data.js';
import { daemonSet, deployment, required } from '../bad-inputs/case.js';

const OPENYURT: HostNetworkLabel = { key: 'nodepool.openyurt.io/hostnetwork', value: 'true' };
const KUBEEDGE: HostNetworkLabel = { key: 'node-role.kubernetes.io/edge', value: '' };
const EKS: HostNetworkLabel = { key: 'eks.amazonaws.com/compute-type', value: 'hybrid' };
const VIRTUAL_KUBELET: HostNetworkLabel = { key: 'type', value: 'virtual-kubelet' };

const clusterWith = (hostNetworkLabel?: HostNetworkLabel): EdgeCluster =>
  EdgeCluster.of({
    openYurt: 'none',
    kubernetes: '1.36',
    apiServer: '192.0.2.10:6443',
    caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    hostNetworkLabel,
  });

const GUARANTEES: readonly PoolGuarantee[] = [
  'nodeLabel',
  'annotatedPods',
  'annotatedTemplates',
  'presetNodeName',
  'strict',
  'hostNetworkToleration',
  'namespaceGate',
];

/** Everything that names the label, in one chart. */
function madeFleet(cluster: EdgeCluster) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet', { namespace: 'default' });
  const edge = new HostNetworkNodePool(chart, 'edge', {
    cluster,
    poolName: 'edge',
    registrationTaint: true,
    labels: { 'site.example/area': 'north' },
  });
  const offices = new RegularNodePool(chart, 'offices', { cluster, poolName: 'offices' });
  const join = new NodeJoin(chart, 'join', { pool: edge, token: JoinToken.fromFile('/var/lib/edge/join-token') });
  new KubeadmConfigTemplate(chart, 'template', { pool: edge, name: 'edge' });
  const own = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  new ExcludedWorkload(chart, 'web', { cluster, workload: deployment(required([{ matchExpressions: [own] }])) });
  new HostNetworkWorkload(chart, 'agent', { pool: edge, workload: { ...daemonSet(), metadata: { name: 'agent' } } });
  const admission = new PoolAdmission(chart, 'admission', {
    cluster,
    guarantees: { frozenNodeLabels: false, ...Object.fromEntries(GUARANTEES.map((name) => [name, true])) },
  });
  const presets = new PoolAdmission(chart, 'presets', {
    cluster,
    namePrefix: 'presets',
    guarantees: { frozenNodeLabels: false, refusePresetNodeName: true },
  });
  const system = new EdgeSystemComponents(chart, 'system', {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL],
  });
  const manifests = [...Testing.synth(chart), ...Testing.synth(system.patchChart as Chart)];
  const others = [join.userData, join.script, join.contentHash, edge.joinLabels, edge.taints, edge.tolerations];
  const told = [system.report, system.kubeadmPatches, admission.report, presets.report];
  return { app, edge, offices, manifests, text: JSON.stringify([manifests, others, told], undefined, 1) };
}

const fleets = new Map<HostNetworkLabel, ReturnType<typeof madeFleet>>();

/** The same fleet for the same label, because it is expensive. */
function fleet(label: HostNetworkLabel): ReturnType<typeof madeFleet> {
  const made = fleets.get(label) ?? madeFleet(clusterWith(label === OPENYURT ? undefined : label));
  fleets.set(label, made);
  return made;
}

/** Names that are hashes of content with the label. */
const withoutHashes = (text: string): string => text.replace(/[0-9a-f]{8,64}/g, '#');

describe('a label of the fleet', () => {
  it('is everywhere where OpenYurt’s label is without it, and nothing else differs', () => {
    // of the same length, because the length decides where a script is divided
    const label = { key: 'nodes.fleet.example.org/edgemode', value: 'xq7z' };
    const [without, own] = [fleet(OPENYURT).text, fleet(label).text];
    expect(own).not.toContain(OPENYURT.key.concat('"'));
    expect(own.split(label.key).length).toBe(without.split(/nodepool\.openyurt\.io\/hostnetwork(?!-pods)/).length);
    // the word true is also elsewhere, so lines that name the label are compared without it
    const neutral = (text: string, { key, value }: HostNetworkLabel): string =>
      withoutHashes(text)
        .replaceAll('nodepool.openyurt.io/hostnetwork-pods', 'GATE')
        .replaceAll(key, 'KEY')
        .replaceAll(key.replace('/', '~1'), 'KEY')
        .replaceAll(value, 'VALUE')
        .replaceAll('true', 'VALUE');
    expect(neutral(own, label)).toBe(neutral(without, OPENYURT));
  });

  it('is OpenYurt’s, if that is given', () => {
    expect(clusterWith().hostNetworkLabel).toEqual(OPENYURT);
    expect(clusterWith(OPENYURT).identity()).toBe(clusterWith().identity());
  });

  it.each([KUBEEDGE, EKS])('$key: keeps excluded workloads off, and others on', (label) => {
    const { edge, offices, manifests } = fleet(label);
    const [onEdge, onOffices] = placeFleet(manifests, [edge, offices]);
    expect(onEdge).toMatchObject({ pool: 'edge', hostNetwork: true, runs: ['DaemonSet default/agent'] });
    expect(onOffices).toMatchObject({ pool: 'offices', hostNetwork: false });
    expect(onOffices?.runs).toContain('Deployment default/web');
    const nodes = [{ name: 'node', labels: { 'kubernetes.io/os': 'linux', [label.key]: label.value } }];
    const [single] = placeFleet(manifests, nodes, clusterWith(label));
    expect(single?.excluded).toContainEqual({
      workload: 'Deployment default/web',
      reason: 'excluded from host-network nodes',
    });
    // by the label that the node does not have
    expect(placeFleet(manifests, nodes)[0]?.hostNetwork).toBe(false);
    expect(footprint(manifests, [edge, offices]).map(({ pool }) => pool)).toEqual(['edge']);
    expect(footprint(manifests, nodes, clusterWith(label))[0]?.saved.map(({ workload }) => workload)).toContain(
      'DaemonSet kube-system/kube-proxy',
    );
    expect(manifests.filter(({ kind }) => kind === 'NodePool')).toEqual([]);
  });

  it.each([
    ['registers with it', EKS, true],
    ['does not, because the API server refuses it', KUBEEDGE, false],
  ] as const)('a kubelet %s: %o', (_, label, isOwn) => {
    const { app, edge, text } = fleet(label);
    expect(label.key in edge.joinLabels).toBe(isOwn);
    expect(text).not.toContain(isOwn ? 'no-kubelet' : `${label.key}=,`);
    expect(text.includes('no-kubelet')).toBe(!isOwn);
    const warnings = EdgeWarnings.of(app).filter(({ code }) => code === 'EDGE_RESERVED_KEY');
    // of the join and of the template
    expect(warnings.map(({ path }) => path)).toEqual(isOwn ? [] : Array(2).fill('pool.cluster.hostNetworkLabel'));
    // a taint has no value where the label has none
    expect(edge.taints).toEqual([
      { key: label.key, ...(label.value === '' ? {} : { value: label.value }), effect: 'NoSchedule' },
    ]);
  });

  it.each([
    ['In', EKS, ['hybrid'], 'EDGE_CONTRADICTION'],
    ['In', EKS, ['auto'], undefined],
    ['Exists', EKS, undefined, undefined],
    ['Exists', OPENYURT, undefined, undefined],
    ['In', KUBEEDGE, [''], 'EDGE_CONTRADICTION'],
  ] as const)('an excluded workload with a term %s %o %j', (operator, label, values, code) => {
    const term = { matchExpressions: [{ key: label.key, operator, ...(values === undefined ? {} : { values }) }] };
    const exclude = (): unknown =>
      new ExcludedWorkload(new Chart(new App(), 'chart'), 'web', {
        cluster: clusterWith(label),
        workload: deployment(required([term])),
      });
    if (code === undefined) {
      expect(exclude).not.toThrow();
    } else {
      expect(exclude).toThrow(code);
    }
  });

  it('with another value is a label like others on regular nodes', () => {
    const chart = new Chart(new App(), 'chart');
    const cluster = clusterWith(VIRTUAL_KUBELET);
    const gpu = new RegularNodePool(chart, 'gpu', { cluster, poolName: 'gpu', labels: { type: 'gpu' } });
    new NodeJoin(chart, 'join', {
      pool: gpu,
      token: JoinToken.fromFile('/var/lib/edge/join-token'),
      labels: { type: 'gpu' },
    });
    expect(gpu.joinLabels).toMatchObject({ type: 'gpu' });
    const wrong = { cluster, poolName: 'wrong', labels: { type: 'virtual-kubelet' } };
    expect(() => new RegularNodePool(chart, 'wrong', wrong)).toThrow('EDGE_RESERVED_KEY');
  });
});

describe('frozenNodeLabels with a label of the fleet', () => {
  const rulesWith = (label: HostNetworkLabel): any => {
    const chart = new Chart(new App(), 'chart');
    new PoolAdmission(chart, 'admission', { cluster: clusterWith(label), guarantees: { nodeLabel: false } });
    const policies = Testing.synth(chart).filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    return policies.find(({ metadata }) => metadata.name.endsWith('frozen-node-labels')).spec;
  };

  it.each([EKS, KUBEEDGE])('%o: leaves other values alone, and tells an absent label from an empty one', (label) => {
    const { variables, validations, matchConditions } = rulesWith(label);
    const absent = label.value === '' ? '?' : '';
    const of = (object: string): string => `${object}.metadata.?labels[?'${label.key}'].orValue('${absent}')`;
    expect(variables[0].expression).toBe(of('object'));
    expect(validations[0].expression).toBe(
      `variables.oldLabel != '${label.value}' || variables.label == '${label.value}'`,
    );
    expect(matchConditions[0].expression).toContain(
      `(${of('object')} == '${label.value}') != (${of('oldObject')} == '${label.value}')`,
    );
  });
});

describe('the commands with a label of the fleet', () => {
  const run = (stdin: unknown, ...args: string[]): { code: number; out: string; err: string } => {
    let [out, err] = ['', ''];
    const line = {
      stdin: () =>
        typeof stdin === 'string' ? stdin : JSON.stringify({ kind: 'List', apiVersion: 'v1', items: stdin }),
      stdout: (text: string) => void (out += text),
      stderr: (text: string) => void (err += text),
    };
    return { code: main(args, line), out, err };
  };
  const text = ({ key, value }: HostNetworkLabel): string => `${key}=${value}`;
  const node = (name: string, labels: object): object => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/os': 'linux', 'apps.openyurt.io/nodepool': 'edge', ...labels } },
  });

  it.each([KUBEEDGE, EKS])('%o: post-render writes it, show and nodes read it', (label) => {
    const rendered = run(JSON.stringify(deployment()), 'post-render', '--host-network-label', text(label));
    expect(rendered).toMatchObject({ code: 0, out: expect.stringContaining(label.key) });
    expect(rendered.out).not.toContain(OPENYURT.key);

    const dump = [node('a', { [label.key]: label.value }), node('b', { [label.key]: label.value })];
    expect(run(dump, 'show', '-', '--host-network-label', text(label)).out).toContain('host network, 2 nodes');
    expect(run(dump, 'show', '-').out).toContain('regular, 2 nodes');
    const report = reportNodes([node('a', {}), ...dump.slice(1)] as PlainMap[], {
      hostNetworkPools: ['edge'],
      hostNetworkLabel: label,
    });
    expect(report.nodes.map(({ findings }) => findings.map(({ commands }) => commands))).toEqual([
      [[expect.stringContaining(text(label))]],
      [],
    ]);
  });

  it.each([
    [['--host-network-label', 'hybrid'], 'write eks.amazonaws.com/compute-type=hybrid'],
    [['--host-network-label', 'a b=c'], 'is not a label key'],
    [['--host-network-label', 'type=virtual-kubelet', '--openyurt', '1.7'], '--openyurt none'],
  ])('refuse %j', (args, hint) => {
    expect(run(JSON.stringify(deployment()), 'post-render', ...args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(hint),
    });
  });
});

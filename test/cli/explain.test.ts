/** `edge-nodepools explain`: one workload, every pool, every reason. */
import { HOST, MEMBER, node, pool, run, workload, EXCLUDED } from './fleet-objects.js';

const FLEET = [
  pool('hz', true),
  pool('beijing', true),
  pool('office', false),
  { ...workload('web', { tolerations: [] }, 'Deployment'), metadata: { name: 'web', namespace: 'shop' } },
  workload('agent', { hostNetwork: true, nodeSelector: { [MEMBER]: 'hz', site: 'north' } }),
  workload('proxy', { affinity: EXCLUDED }),
];
const explain = (name: string, ...args: string[]): ReturnType<typeof run> => run(FLEET, 'explain', name, '-', ...args);

describe('edge-nodepools explain', () => {
  it('says the outcome on each pool, who decides, why, and where it is written', () => {
    const { code, out } = explain('Deployment shop/web');
    expect(code).toBe(0);
    expect(out).toBe(`Deployment shop/web  stdin:1

hz, beijing (host network): never starts
  kubelet: it needs a Pod network, which the node does not have
      stdin:1  spec.template.spec

office (regular): runs
  NodeAffinity: requires nothing of a node: no nodeSelector, no required node affinity
      stdin:1  spec.template.spec
`);
  });

  it.each<[what: string, spec: object, kind: string, said: string[]]>([
    ['a label', { nodeSelector: { [MEMBER]: 'hz' } }, 'Deployment', [`the node has the label ${MEMBER}=hz`]],
    [
      'the term that matches',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: MEMBER, operator: 'In', values: ['other'] }] },
                { matchExpressions: [{ key: MEMBER, operator: 'Exists' }] },
              ],
            },
          },
        },
      },
      'Deployment',
      ['the node matches term 2 of 2'],
    ],
    [
      'no toleration of a taint that keeps nothing away, and that of the controller',
      {},
      'DaemonSet',
      [
        'requires nothing of a node: no nodeSelector, no required node affinity',
        'tolerates the taint node.kubernetes.io/disk-pressure:NoSchedule, as its controller or the API server adds it',
      ],
    ],
  ])('says of a workload that runs why it may: %s', (_, spec, kind, said) => {
    const pressed = [
      { key: 'soft', effect: 'PreferNoSchedule' },
      { key: 'site', value: 'hz', effect: 'NoSchedule' },
      ...(kind === 'DaemonSet' ? [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] : []),
    ];
    const tainted = { ...pool('hz', true), spec: { type: 'Edge', hostNetwork: true, taints: pressed } };
    const tolerations = [{ key: 'other' }, { key: 'site', operator: 'Exists' }];
    const objects = [tainted, workload('web', { hostNetwork: true, tolerations, ...spec }, kind)];
    const { out } = run(objects, 'explain', 'web', '-', '--format', 'json');
    const [{ outcome, reasons }] = JSON.parse(out).explanations;
    expect([outcome, reasons.map(({ reason }: any) => reason).sort()]).toEqual([
      'runs',
      [...said, 'tolerates the taint site=hz:NoSchedule'].sort(),
    ]);
    expect(reasons.find(({ path }: any) => path.includes('tolerations')).path).toBe(
      'spec.template.spec.tolerations[1]',
    );
  });

  it.each(['web', 'shop/web', 'deployment/web', 'Deployment web', 'DEPLOYMENT shop/web'])('finds %s', (name) => {
    expect(explain(name).out).toContain('Deployment shop/web');
  });

  it('says every reason, also those that show does not tell', () => {
    const tainted = {
      ...pool('hz', true),
      spec: { type: 'Edge', hostNetwork: true, taints: [{ key: 'a', effect: 'NoSchedule' }] },
    };
    const { out } = run([tainted, workload('web', { affinity: EXCLUDED }, 'Deployment')], 'explain', 'web', '-');
    expect(out).toContain('  NodeAffinity: excluded from host-network nodes\n');
    expect(out).toContain('  TaintToleration: taint a:NoSchedule\n');
    expect(out).toContain('  kubelet: never starts: it needs a Pod network');
  });

  it('judges a Node of a dump, with the Pods that it has', () => {
    const edge = {
      ...node('edge-1', { [MEMBER]: 'hz', [HOST]: 'true' }),
      status: { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } },
    };
    const podOn = (name: string, spec: object): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName: 'edge-1', hostNetwork: true, ...spec },
    });
    const big = podOn('big', { containers: [{ name: 'a', resources: { requests: { cpu: '950m' } } }] });
    const dump = [edge, big, workload('web', { hostNetwork: true }, 'Deployment')];
    expect(run(dump, 'explain', 'web', '-', '--node', 'edge-1').out).toMatch(
      /edge-1 \(host network\): no room\n {2}NodeResourcesFit: cpu/,
    );
    // a Pod that is there is no obstacle to itself
    expect(run(dump, 'explain', 'Pod big', '-', '--node', 'edge-1').out).toContain('edge-1 (host network): runs');
  });

  it('prints JSON, and only the pools that are asked for', () => {
    const { out } = explain('agent', '--format', 'json', '--pool', 'beijing');
    const { workload: name, explanations } = JSON.parse(out);
    expect(name).toBe('DaemonSet default/agent');
    expect(explanations).toEqual([
      expect.objectContaining({
        pools: ['beijing'],
        outcome: 'excluded',
        reasons: [expect.objectContaining({ by: 'NodeAffinity', reason: 'only hz' })],
      }),
    ]);
  });

  it.each<[string, string[], RegExp]>([
    ['a workload that is not there', ['none'], /there is no workload none in stdin; write it as show prints it/],
    ['a name that several have', ['daemonset'], /there is no workload daemonset/],
    [
      'a pool that is not there',
      ['web', '--pool', 'x'],
      /--pool x: there is no such pool; there are hz, beijing, office/,
    ],
    [
      'a Node that is not there',
      ['web', '--node', 'x'],
      /--node x: there is no such Node; there are no Nodes in stdin/,
    ],
  ])('says what to write for %s', (_, [name = '', ...args], message) => {
    expect(explain(name, ...args)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(message) });
  });

  it('asks which one, if a name is that of several', () => {
    const both = [...FLEET, workload('web', { hostNetwork: true })];
    expect(run(both, 'explain', 'web', '-')).toMatchObject({
      code: 2,
      err: expect.stringContaining("web is 2 workloads; write 'Deployment shop/web', 'DaemonSet default/web'"),
    });
  });
});

/** The proof that no Pod without hostNetwork gets to a host-network pool. */
import fc from 'fast-check';
import { EdgeCluster, EdgeError, placeFleet, type PoolAdmissionProps } from 'edge-nodepools';
import { type PodNetworkProof, provesNoPodNetwork } from 'edge-nodepools/checks';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { runs } from '../depth.js';
import { planScope } from '../plan-scope.js';
import { podSpec } from '../properties/arbitraries.js';

const LABELS = { 'apps.openyurt.io/nodepool': 'hz', 'nodepool.openyurt.io/hostnetwork': 'true' };
const poolOf = (more: object = {}): object => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: 'hz' },
  spec: { type: 'Edge', hostNetwork: true, ...more },
});
const pool = poolOf();
const TAINTED = poolOf({ taints: [{ key: 'site', value: 'hz', effect: 'NoSchedule' }] });
const OFF = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
        ],
      },
    },
  },
};
const workload = (spec: object, kind = 'Deployment', annotations: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations },
      spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
    },
  },
});
const ANNOTATED = { 'apps.openyurt.io/exclude-host-network-pool': 'true' };

/** The policies of PoolAdmission. */
function policies(props: Partial<PoolAdmissionProps> = {}, kubernetes: '1.34' | '1.36' = '1.36'): any[] {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes });
  return planPoolAdmission({ cluster, ...props }, planScope()).objects.map(({ object }) =>
    JSON.parse(JSON.stringify(object)),
  );
}
const strict = (props: Partial<PoolAdmissionProps> = {}, kubernetes?: '1.34' | '1.36'): any[] =>
  policies({ ...props, guarantees: { strict: true, ...props.guarantees } }, kubernetes);
const WEBHOOK = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'other' },
  webhooks: [
    {
      name: 'pods.other.example',
      clientConfig: { service: { name: 'a', namespace: 'b', path: '/x' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
  ],
};
const OPENYURT = {
  ...WEBHOOK,
  webhooks: [{ ...WEBHOOK.webhooks[0], clientConfig: { service: { path: '/mutate-core-openyurt-io-v1-pod' } } }],
};
const node = (labels: object): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', labels },
  spec: {},
});

function only(manifests: readonly object[], pods?: 'every' | 'written'): PodNetworkProof {
  const proofs = provesNoPodNetwork(manifests, pods === undefined ? {} : { pods });
  expect(proofs).toHaveLength(1);
  return proofs[0] as PodNetworkProof;
}

describe('provesNoPodNetwork', () => {
  it.each<[string, object[], PodNetworkProof['outcome'], RegExp]>([
    ['nothing', [pool], 'refuted', /^nothing keeps a Pod off$/],
    ['a taint, which a Pod can tolerate', [TAINTED], 'refuted', /a Pod that tolerates the taints of the pool off$/],
    ['the default policies', [pool, ...policies()], 'refuted', /^nothing keeps a Pod off$/],
    ['OpenYurt’s webhook', [pool, OPENYURT], 'refuted', /^nothing keeps a Pod off$/],
    ['a webhook of others', [pool, WEBHOOK], 'unknown', /webhook pods\.other\.example sees it/],
    ['strict', [pool, ...strict()], 'proven', /^policy edge-nodepools-pods-strict excludes every Pod/],
    ['strict with a taint', [TAINTED, ...strict()], 'proven', /excludes every Pod/],
    ['strict and a webhook of others', [pool, WEBHOOK, ...strict()], 'proven', /excludes every Pod/],
    ['strict without its check', [pool, ...strict({ checkPods: false })], 'proven', /excludes every Pod/],
    [
      'strict beside refusePresetNodeName',
      [pool, ...strict({ guarantees: { refusePresetNodeName: true } })],
      'proven',
      /./,
    ],
    ['strict alone', [pool, ...strict({ guarantees: { annotatedPods: false, presetNodeName: false } })], 'proven', /./],
    ['strict and toleration', [pool, ...strict({ guarantees: { hostNetworkToleration: true } })], 'proven', /./],
    [
      'strict with Ignore',
      [pool, ...strict({ guarantees: { strict: { failurePolicy: 'Ignore' } } })],
      'unknown',
      /pods-strict-ignore/,
    ],
    [
      'strict but in a namespace',
      [pool, ...strict({ excludedNamespaces: ['lab'] })],
      'refuted',
      /off in namespace lab$/,
    ],
    ['strict without binding', [pool, ...strict().filter(({ kind }) => !/Binding$/.test(kind))], 'refuted', /./],
    [
      'the gate of namespaces',
      [pool, ...policies({ guarantees: { namespaceGate: true } })],
      'refuted',
      /in namespace labelled/,
    ],
    ['a plain workload', [pool, workload({})], 'refuted', /^Deployment shop\/web: it needs a Pod network/],
    ['a plain workload with strict', [pool, workload({}), ...strict()], 'proven', /excludes every Pod/],
    ['a plain DaemonSet with strict', [pool, workload({}, 'DaemonSet'), ...strict()], 'proven', /excludes every Pod/],
    [
      'a DaemonSet of which only Pods are excluded',
      [pool, workload({}, 'DaemonSet'), ...strict().filter(({ metadata }) => !metadata.name.includes('templates'))],
      'refuted',
      /^DaemonSet/,
    ],
    [
      'strict of another label',
      [
        pool,
        ...strict({
          cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', hostNetworkLabel: { key: 'a', value: 'b' } }),
        }),
      ],
      'unknown',
      /./,
    ],
  ])('%s', (_, manifests, outcome, reason) => {
    const proof = only(manifests);
    expect([proof.outcome, proof.reason]).toEqual([outcome, expect.stringMatching(reason)]);
    expect(proof.counterexample === undefined).toBe(outcome !== 'refuted');
  });

  it.each<[string, object[], PodNetworkProof['outcome']]>([
    ['nothing', [pool], 'proven'],
    ['a plain workload', [pool, workload({})], 'refuted'],
    ['an excluded one', [pool, workload(OFF)], 'proven'],
    ['a host-network one', [pool, workload({ hostNetwork: true })], 'proven'],
    ['one that does not tolerate the taint', [TAINTED, workload({})], 'proven'],
    ['an annotated one', [pool, workload({}, 'Deployment', ANNOTATED)], 'unknown'],
    ['an annotated one with policies', [pool, workload({}, 'Deployment', ANNOTATED), ...policies()], 'proven'],
    ['an annotated one with OpenYurt’s webhook', [pool, workload({}, 'Deployment', ANNOTATED), OPENYURT], 'unknown'],
    ['one that waits', [pool, workload({ schedulingGates: [{ name: 'a' }] })], 'unknown'],
    [
      'an excluded one, and a Node that lacks the label',
      [pool, workload(OFF), node({ ...LABELS, 'nodepool.openyurt.io/hostnetwork': 'no' })],
      'refuted',
    ],
    [
      'a Pod that is there already',
      [
        pool,
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: '1' }, spec: { containers: [], nodeName: 'a' } },
        node(LABELS),
        ...strict(),
      ],
      'refuted',
    ],
  ])('of the Pods of the manifests: %s', (_, manifests, outcome) => {
    expect(only(manifests, 'written').outcome).toBe(outcome);
  });

  it('says what must hold besides the manifests', () => {
    expect(only([pool, ...strict({ breakGlassGroups: ['admins'] })]).assumes).toEqual([
      'nobody in the break-glass groups of policy edge-nodepools-pods-strict creates the Pod',
    ]);
    expect(only([pool, ...strict({ mutatingAdmissionPolicy: 'v1beta1' }, '1.34')]).assumes).toEqual([
      'the API server serves admissionregistration.k8s.io/v1beta1',
    ]);
    expect(only([pool, ...strict()]).assumes).toEqual([]);
  });

  it('is a table, of host-network pools only', () => {
    const regular = {
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name: 'sh' },
      spec: { type: 'Cloud' },
    };
    const proofs = provesNoPodNetwork([pool, regular]);
    expect(String(proofs)).toBe('POOL  PODS WITHOUT HOSTNETWORK\nhz    refuted: nothing keeps a Pod off');
    expect(provesNoPodNetwork([], { pools: [{ name: 'edge', labels: LABELS }] })).toHaveLength(1);
  });

  it.each<[string, () => unknown, string]>([
    ['other Pods', () => provesNoPodNetwork([], { pods: 'some' as any }), 'EDGE_VALUE'],
    ['numbers of nodes', () => provesNoPodNetwork([], { nodes: {}, node: 1 } as any), 'EDGE_UNKNOWN_PROPERTY'],
    ['text', () => provesNoPodNetwork('a' as any), 'EDGE_TYPE'],
    ['no settings', () => provesNoPodNetwork([], 5 as any), 'EDGE_TYPE'],
  ])('refuses %s', (_, run, code) => {
    expect(run).toThrow(EdgeError);
    expect(run).toThrow(code);
  });
});

/** A Pod of any affinity, tolerations and network. */
const anyPod = fc.tuple(podSpec, fc.boolean(), fc.boolean()).map(([spec, hostNetwork, tolerates]): any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'any' },
  spec: { ...spec, hostNetwork, tolerations: tolerates ? [{ operator: 'Exists' }] : [] },
}));

/** The outcome of the evaluator. */
function placed(pod: object, of: object): string {
  const [{ runs: running, excluded, others } = { runs: [], excluded: [], others: [] }] = placeFleet([of, pod]);
  return running.length > 0 ? 'runs' : excluded.length > 0 ? 'excluded' : (others[0]?.outcome ?? 'none');
}

describe('the proof and the evaluator', () => {
  it('agree on every Pod', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anyPod, fc.constantFrom(pool, TAINTED), (pod, of) => {
        const outcome = placed(pod, of);
        const proof = only([of, pod], 'written');
        seen.set(proof.outcome, (seen.get(proof.outcome) ?? 0) + 1);
        const expected =
          pod.spec.hostNetwork || outcome === 'excluded'
            ? 'proven'
            : outcome === 'never starts'
              ? 'refuted'
              : 'unknown';
        expect(proof.outcome).toBe(expected);
        if (proof.counterexample !== undefined) {
          expect(placed(proof.counterexample, of)).toBe('never starts');
        }
      }),
      runs(2000),
    );
    expect(['proven', 'refuted'].every((outcome) => (seen.get(outcome) ?? 0) > 5)).toBe(true);
  });

  it('strict policies refute what the evaluator says of every Pod, and the plainest Pod never starts without them', () => {
    const guarded = [...strict()];
    fc.assert(
      fc.property(anyPod, fc.constantFrom(pool, TAINTED), (pod, of) => {
        expect(only([of, pod, ...guarded]).outcome).toBe('proven');
        const { outcome, counterexample = {} } = only([of, pod]);
        expect([outcome, placed(counterexample, of)]).toEqual(['refuted', 'never starts']);
      }),
      runs(300),
    );
  });
});

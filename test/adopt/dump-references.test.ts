import { required } from '../bad-inputs/case.js';
import { dumpOf, node, pool } from './dump.js';
import { planned, refusal, same } from './planned.js';
import { ProblemList } from '../../src/base/errors.js';
import { objectsFromYaml } from '../../src/base/yaml-text.js';

const policy = (kind: string, name: string, spec: object): any => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  spec,
});

describe('a dump', () => {
  it.each<[any, string]>([
    [node('edge-1', 'gone', '1.30.1'), 'NodePool gone, which is named by Node edge-1'],
    [
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'default' },
        spec: { template: { spec: { nodeSelector: { 'apps.openyurt.io/nodepool': 'gone' } } } },
      },
      'NodePool gone, which is named by DaemonSet default/agent',
    ],
    [
      {
        apiVersion: 'apps.openyurt.io/v1beta1',
        kind: 'YurtAppSet',
        metadata: { name: 'agents', namespace: 'default' },
        spec: { pools: ['beijing', 'gone'] },
      },
      'NodePool gone, which is named by YurtAppSet default/agents',
    ],
    [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'default' },
        spec: { nodeName: 'gone' },
      },
      'Node gone, which is named by Pod default/web',
    ],
    [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'b' },
        roleRef: { kind: 'ClusterRole', name: 'yurt-manager-webhook' },
      },
      'ClusterRole yurt-manager-webhook, which is named by ClusterRoleBinding b',
    ],
    [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          template: {
            spec: {
              affinity: {
                nodeAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: {
                    nodeSelectorTerms: [
                      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
                      { matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'In', values: ['gone'] }] },
                    ],
                  },
                },
              },
            },
          },
        },
      },
      'NodePool gone, which is named by Deployment default/web',
    ],
    [
      {
        apiVersion: 'apps.openyurt.io/v1alpha1',
        kind: 'YurtAppSet',
        metadata: { name: 'agents', namespace: 'default' },
        spec: { topology: { pools: [{ name: 'office' }, { name: 'gone' }] } },
      },
      'NodePool gone, which is named by YurtAppSet default/agents',
    ],
    [
      { ...pool('shanghai'), status: { nodes: ['control-plane', 'gone'] } },
      'Node gone, which is named by NodePool shanghai',
    ],
    [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: 'web-1',
          namespace: 'default',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
        },
      },
      'Deployment web, which is named by ReplicaSet default/web-1',
    ],
    [
      [
        policy('ValidatingAdmissionPolicy', 'there', {}),
        policy('ValidatingAdmissionPolicyBinding', 'binding', { policyName: 'gone' }),
      ],
      'ValidatingAdmissionPolicy gone, which is named by ValidatingAdmissionPolicyBinding binding',
    ],
    [
      [
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kubernetes', namespace: 'default' } },
        policy('MutatingWebhookConfiguration', 'yurt-manager-mutating-webhook-configuration', {}),
      ],
      'Service yurt-manager-webhook-service, which is named by MutatingWebhookConfiguration',
    ],
    [
      [
        {
          apiVersion: 'apps.openyurt.io/v1alpha1',
          kind: 'YurtAppDaemon',
          metadata: { name: 'other', namespace: 'default' },
          spec: {},
        },
        {
          apiVersion: 'apps.openyurt.io/v1alpha1',
          kind: 'YurtAppOverrider',
          metadata: { name: 'of-agents', namespace: 'default' },
          subject: { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'YurtAppDaemon', name: 'agents' },
        },
      ],
      'YurtAppDaemon agents, which is named by YurtAppOverrider default/of-agents',
    ],
  ])('that lacks what it names itself is refused: %#', (object, named) => {
    expect(refusal(['1.5', '1.7'], same('1.30'), dumpOf('1.5', '1.30', [object].flat()))).toContain(
      `EDGE_MISSING  dump: it does not contain the ${named}`,
    );
  });

  it('without the pools of its nodes is refused for an upgrade of Kubernetes, too', () => {
    const objects = dumpOf('1.5', '1.30', [node('edge-1', 'beijing', '1.30.1')]);
    const without = objects.filter(({ kind }) => kind !== 'NodePool');
    expect(refusal(same('1.5'), ['1.30', '1.31'], without)).toMatch(
      /EDGE_MISSING {2}dump: .* nodepools\.apps\.openyurt\.io/,
    );
    expect(refusal(same('none'), ['1.30', '1.31'], dumpOf('none', '1.30', [node('edge-1', 'beijing', '1.30.1')]))).toBe(
      'planned',
    );
  });

  it('without NodePools and members of any is planned, and that none was read is reported', () => {
    const without = dumpOf('1.5', '1.30').filter(({ kind }) => kind !== 'NodePool');
    expect(planned(['1.5', '1.7'], same('1.30'), without).unread).toContain('nodepools.apps.openyurt.io');
    expect(planned(['1.5', '1.7'], same('1.30'), dumpOf('1.5', '1.30')).unread).not.toContain(
      'nodepools.apps.openyurt.io',
    );
  });

  it('is not refused for kinds that were not read, objects that are being deleted, and names that are there', () => {
    const owner = (name: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name });
    const pod = (name: string, more: object) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', ...more },
      spec: { nodeName: 'control-plane' },
    });
    const bound = (name: string, values: string[], more = {}): any => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'default' },
      spec: {
        ...more,
        template: {
          spec: required([{ matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator: 'In', values }] }]),
        },
      },
    });
    const objects = [
      pod('of-a-replica-set', { ownerReferences: [owner('web-1')] }),
      // without Pods, or with another pool to be on
      bound('idle', ['gone'], { replicas: 0 }),
      bound('either', ['shanghai', 'gone']),
      { ...pod('over', {}), spec: { nodeName: 'gone' }, status: { phase: 'Succeeded' } },
      pod('of-a-config', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'elsewhere' }] }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here', namespace: 'default' } },
      { ...pod('ends', { deletionTimestamp: '2026-01-01T00:00:00Z' }), spec: { nodeName: 'gone' } },
      { ...pool('shanghai'), status: { nodes: ['control-plane'] } },
      { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' } },
      policy('ValidatingWebhookConfiguration', 'yurt-manager-validating-webhook-configuration', {}),
    ];
    expect(refusal(['1.5', '1.7'], same('1.30'), dumpOf('1.5', '1.30', objects))).toBe('planned');
  });

  it('that lacks many pools names each once, with some of the nodes', () => {
    const nodes = Array.from({ length: 30 }, (_, index) => node(`edge-${index}`, index < 15 ? 'one' : 'two', '1.30.1'));
    const said = refusal(['1.5', '1.7'], same('1.30'), dumpOf('1.5', '1.30', nodes));
    expect(said.match(/EDGE_MISSING.*/g)).toEqual([
      expect.stringMatching(/NodePool one, which is named by Node edge-0, .* and 5 more$/),
      expect.stringMatching(/NodePool two, which is named by Node edge-15, .* and 5 more$/),
    ]);
  });

  it.each([
    ['newer than the API server', node('edge-1', undefined, '1.31.2'), [], /edge-1 \(1\.31\)\n.*--kubernetes 1\.31/],
    [
      'of the control plane, without anything else that shows the API server',
      node('cp', undefined, '1.28.2', { 'node-role.kubernetes.io/control-plane': '' }),
      ['ConfigMap'],
      /cp \(1\.28\)\n.*--kubernetes 1\.28/,
    ],
    [
      'of a managed cluster, too old for the API server that is named',
      node('edge-1', undefined, '1.26.2'),
      ['ConfigMap', 'Node control-plane'],
      /edge-1 \(1\.26\)\n.*--kubernetes 1\.26/,
    ],
    ['older, which is allowed', node('edge-1', undefined, '1.28.2'), [], /^planned$/],
  ])('kubelets %s', (_, object, without: string[], message) => {
    const objects = dumpOf('1.5', '1.30', [object]).filter(
      ({ kind, metadata }) => !without.includes(kind) && !without.includes(`${kind} ${metadata.name}`),
    );
    expect(refusal(['1.5', '1.7'], same('1.30'), objects)).toMatch(message);
  });
});

/** A file of kubectl that was cut off: a full disk, or a connection that ended. */
describe('a dump that was cut off', () => {
  const LIST = `apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web
    namespace: default
  spec:
    nodeName: edge-1
kind: List
metadata:
  resourceVersion: ""
`;

  const codesOf = (text: string): string[] => {
    const problems = new ProblemList();
    objectsFromYaml(text, problems, 'rounded');
    return problems.problems.map(({ code }) => code);
  };

  it('is refused wherever it ends before the kind of the list, between two lines or in one', () => {
    const end = LIST.indexOf('kind: List') + 'kind: Lis'.length;
    const accepted = [...LIST]
      .map((_, length) => length)
      .filter((length) => codesOf(LIST.slice(0, length)).length === 0);
    // before the value of apiVersion there is nothing of a list
    expect(accepted.filter((length) => length > 'apiVersion:'.length && length < end)).toEqual([]);
    expect(codesOf(LIST)).toEqual([]);
    expect(codesOf(`---\n${LIST}---\n${LIST.slice(0, 60)}`)).toEqual(['EDGE_YAML']);
  });

  it('is no chart of Helm, and no other file without a kind', () => {
    expect(codesOf('apiVersion: v2\nname: web\nversion: 1.0.0\n')).toEqual([]);
    expect(codesOf('items: [a]\n')).toEqual([]);
    expect(codesOf('replicas: 1\n')).toEqual([]);
  });
});

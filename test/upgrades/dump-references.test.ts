import { dumpOf, node } from './dump.js';
import { refusal, same } from './planned.js';

describe('a dump', () => {
  it.each([
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
  ])('that lacks what it names itself is refused: %#', (object, named) => {
    expect(refusal(['1.5', '1.7'], same('1.30'), dumpOf('1.5', '1.30', [object]))).toContain(
      `EDGE_MISSING  dump: it does not contain the ${named}`,
    );
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
    ['older, which is allowed', node('edge-1', undefined, '1.28.2'), [], /^planned$/],
  ])('kubelets %s', (_, object, without: string[], message) => {
    const objects = dumpOf('1.5', '1.30', [object]).filter(({ kind }) => !without.includes(kind as string));
    expect(refusal(['1.5', '1.7'], same('1.30'), objects)).toMatch(message);
  });
});

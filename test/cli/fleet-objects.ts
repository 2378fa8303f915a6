import { main } from '../../src/cli/main.js';

export const MEMBER = 'apps.openyurt.io/nodepool';
export const HOST = 'nodepool.openyurt.io/hostnetwork';

export const pool = (name: string, hostNetwork: boolean, nodes: string[] = []): any => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name },
  spec: { type: 'Edge', hostNetwork },
  status: { nodes },
});

export const node = (name: string, labels: object, taints: object[] = []): any => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
});

export const EXCLUDED = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: HOST, operator: 'NotIn', values: ['true'] }] }],
    },
  },
};

export const workload = (name: string, spec: object = {}, kind = 'DaemonSet'): any => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'default' },
  spec: {
    template: {
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m', memory: '50Mi' } } }], ...spec },
    },
  },
});

/** Three pools, each of four Nodes. */
export const POOLS = ['a', 'b', 'c'].map((name) => pool(name, false));
export const FOUR = { a: 4, b: 4, c: 4 };

/** Pods that run on one of them only. */
export const ON_A = { nodeSelector: { [MEMBER]: 'a' } };

/** A workload with so many Pods. */
export function sized(kind: string, name: string, replicas: number, podSpec: object = {}, spec: object = {}): any {
  const object = workload(name, podSpec, kind);
  return { ...object, spec: { ...object.spec, replicas, ...spec } };
}

/** Runs the command with objects as its input. */
export function run(objects: readonly object[], ...args: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(args, {
    stdin: () => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

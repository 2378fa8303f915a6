import { main } from '../../src/app/command/main.js';

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

/**
 * One object of every kind whose Pods are known, in the shape that its CustomResourceDefinition has, with the node affinities that decide where its
 * Pods run. Written from the definitions that src/kubernetes/workload-kinds.ts names, independently of its paths.
 */

export const container = { name: 'app', image: 'registry.example/app:1' };
export const podSpec = { containers: [container] };
export const pod = { metadata: { labels: { app: 'web' } }, spec: podSpec };
export const selector = { matchLabels: { app: 'web' } };
const disk = { key: 'disk', operator: 'In', values: ['ssd'] };
/** Two alternatives of the user: the exclusion goes into both. */
export const nodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [disk] }, { matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }],
  },
};
export const preferred = {
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [disk] } }],
};

export interface OperatorWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly fields: object;
  /** Every node affinity that excludes its Pods, as a path. */
  readonly excluded: readonly string[];
}

export const PODS = 'spec.template.spec.affinity.nodeAffinity';

export function row(apiVersion: string, kind: string, fields: object, ...excluded: string[]): OperatorWorkload {
  return { apiVersion, kind, fields, excluded };
}

export const withTemplate = (apiVersion: string, kind: string, more: object = {}): OperatorWorkload =>
  row(apiVersion, kind, { spec: { selector, ...more, template: pod } }, PODS);

export function objectOf({ apiVersion, kind, fields }: OperatorWorkload): Record<string, unknown> {
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop' }, ...fields };
}

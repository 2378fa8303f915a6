import type { Chart } from 'cdk8s';
import { EdgeCluster, type EdgeCode, HostNetworkNodePool } from 'edge-nodepools';

/** One invalid input, and the expected error. */
export interface BadInput {
  readonly what: string;
  readonly code: EdgeCode;
  /** Property path of the problem. */
  readonly path: string;
  /** Text that the hint must contain. */
  readonly hint: string | RegExp;
  readonly make: (chart: Chart) => unknown;
}

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
export const cluster16 = EdgeCluster.of({ openYurt: '1.6', kubernetes: '1.30' });
export const plain = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

/** Input from JavaScript or from a file, without type checks. */
export function untyped<T>(value: unknown): T {
  return value as T;
}

export function deployment(podSpec: object = {}, spec: object = {}, template: object = {}): any {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      ...spec,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        ...template,
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'web', image: 'web', ports: [{ containerPort: 8080 }] }],
          ...podSpec,
        },
      },
    },
  };
}

export function daemonSet(podSpec: object = {}, spec: object = {}): any {
  return { ...deployment(podSpec, spec), kind: 'DaemonSet' };
}

/** A Pod spec with these required node selector terms. */
export function required(terms: unknown): object {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  };
}

export function pool(chart: Chart, poolName = 'hz', extra: object = {}): HostNetworkNodePool {
  return new HostNetworkNodePool(chart, `pool-${poolName}`, { cluster, poolName, ...extra });
}

export const TERMS = 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

import type { ControlPlane } from '../test/e2e/harness/control-plane.js';

export const LABEL = 'nodepool.openyurt.io/hostnetwork';
export const MEMBERSHIP = 'apps.openyurt.io/nodepool';
export const MEETS = 'bench/meets';
export const ANNOTATED = { 'apps.openyurt.io/exclude-host-network-pool': 'true' };

/** Which admission a request has. */
export type Variant = 'nothing' | 'policies' | 'false' | 'webhooks' | 'listed' | 'live';

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Sends the requests in turn, and returns the median of each. */
export async function timed<Name extends string>(
  rounds: number,
  requests: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(requests) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -10; round < rounds; round++) {
    for (const name of names) {
      const begin = process.hrtime.bigint();
      await requests[name]();
      const spent = Number(process.hrtime.bigint() - begin) / 1e6;
      if (round >= 0) {
        times.get(name)?.push(spent);
      }
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>;
}

/** Whether a request is stored, or answered only: without etcd the cost of admission is a larger part of it. */
export type Form = 'stored' | 'dry run';

const queryOf = (form: Form): { query?: { dryRun: 'All' } } => (form === 'stored' ? {} : { query: { dryRun: 'All' } });

export function createPod(
  plane: ControlPlane,
  variant: Variant,
  annotations: object,
  form: Form = 'dry run',
): () => Promise<any> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'new-', annotations },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  };
  return () => plane.api.must('POST', `/api/v1/namespaces/${variant}/pods`, body, queryOf(form));
}

export function deletePods(plane: ControlPlane, variant: Variant): Promise<any> {
  return plane.api.must('DELETE', `/api/v1/namespaces/${variant}/pods`, undefined, {
    query: { gracePeriodSeconds: '0' },
  });
}

export function createNode(plane: ControlPlane, variant: Variant, pool: string | undefined): () => Promise<any> {
  const labels = { [MEETS]: variant, ...(pool === undefined ? {} : { [MEMBERSHIP]: pool }) };
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'new', labels } };
  return () => plane.api.must('POST', '/api/v1/nodes', body, { query: { dryRun: 'All' } });
}

export function updateNode(plane: ControlPlane, variant: Variant): () => Promise<any> {
  const patch = { metadata: { annotations: { note: 'x' } } };
  const options = { contentType: 'application/merge-patch+json', query: { dryRun: 'All' } };
  return () => plane.api.must('PATCH', `/api/v1/nodes/of-${variant}`, patch, options);
}

/** What a kubelet sends every ten seconds to five minutes, in the same form. Each has another time, because a write that changes nothing is not stored. */
export function heartbeat(plane: ControlPlane, variant: Variant, form: Form): () => Promise<any> {
  const options = { contentType: 'application/strategic-merge-patch+json', ...queryOf(form) };
  let seconds = 0;
  return () => {
    seconds += 1;
    const lastHeartbeatTime = new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString().replace('.000', '');
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime }];
    return plane.api.must('PATCH', `/api/v1/nodes/of-${variant}/status`, { status: { conditions } }, options);
  };
}

export const ms = (value: number): string => value.toFixed(2);
export const verdicts: { readonly claim: string; readonly seen: string; readonly met: boolean }[] = [];

export function target(claim: string, seen: string, met: boolean): void {
  verdicts.push({ claim, seen, met });
}

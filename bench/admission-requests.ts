import type { ControlPlane } from '../test/e2e/harness/control-plane.js';

export const LABEL = 'nodepool.openyurt.io/hostnetwork';
export const MEMBERSHIP = 'apps.openyurt.io/nodepool';
export const MEETS = 'bench/meets';
export const ANNOTATED = { 'apps.openyurt.io/exclude-host-network-pool': 'true' };

/** Which admission a request has. */
export type Variant = 'nothing' | 'policies' | 'unchecked' | 'labelled' | 'false' | 'webhooks' | 'listed' | 'live';

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

/** Requests of one block: so many of one kind in a row, because the CPU time of the API server belongs to all that it does meanwhile. */
const BLOCK = 10;

/** What one request takes: the median until the answer, and the CPU time of the API server, both in milliseconds. */
export interface Cost {
  readonly time: number;
  readonly cpu: number;
}

/** Sends blocks of requests in turn. The ratio of CPU times does not depend on what else the machine does. */
export async function measured<Name extends string>(
  plane: ControlPlane,
  rounds: number,
  requests: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(requests) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  const cpu = new Map<Name, number>();
  for (let round = -1; round < rounds / BLOCK; round++) {
    for (const name of names) {
      const before = plane.apiServerCpuTime();
      for (let index = 0; index < BLOCK; index++) {
        const begin = process.hrtime.bigint();
        await requests[name]();
        if (round >= 0) {
          times.get(name)?.push(Number(process.hrtime.bigint() - begin) / 1e6);
        }
      }
      if (round >= 0) {
        cpu.set(name, (cpu.get(name) ?? 0) + plane.apiServerCpuTime() - before);
      }
    }
  }
  const costs = names.map((name): [Name, Cost] => {
    const all = times.get(name) ?? [];
    return [name, { time: median(all), cpu: (cpu.get(name) ?? NaN) / all.length }];
  });
  return Object.fromEntries(costs) as Record<Name, Cost>;
}

/** Whether a request is stored, or answered only: without etcd the cost of admission is a larger part of it. */
export type Form = 'stored' | 'dry run';

const queryOf = (form: Form): { query?: { dryRun: 'All' } } => (form === 'stored' ? {} : { query: { dryRun: 'All' } });

const BARE = { containers: [{ name: 'a', image: 'a' }] };

/** A Pod as most are: three containers with probes, resources, env and volumes, as a controller creates it. */
export const REALISTIC = {
  containers: ['web', 'metrics', 'proxy'].map((name, index) => ({
    name,
    image: `registry.example/${name}:1.2.3`,
    args: ['--config=/etc/app/config.yaml', '--log-level=info'],
    ports: [{ name: `${name}-http`, containerPort: 8080 + index }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'app', key: 'password' } } },
      ...Array.from({ length: 7 }, (_, number) => ({ name: `SETTING_${number}`, value: `value-${number}` })),
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 + index }, periodSeconds: 10 },
    livenessProbe: { httpGet: { path: '/live', port: 8080 + index }, initialDelaySeconds: 15 },
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app' },
      { name: 'data', mountPath: '/var/lib/app' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  })),
  volumes: [
    { name: 'config', configMap: { name: 'app' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'app' } },
    { name: 'tmp', emptyDir: {} },
  ],
  securityContext: { runAsNonRoot: true, fsGroup: 1000 },
};

export function createPod(
  plane: ControlPlane,
  variant: Variant,
  annotations: object,
  form: Form = 'dry run',
  spec: object = BARE,
): () => Promise<any> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'new-', labels: { app: 'web', 'pod-template-hash': '5d4f8c7b9' }, annotations },
    spec,
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

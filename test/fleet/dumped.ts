/** Objects of a dump, and what becomes of the workload `w`. */
import { placeFleet } from 'edge-nodepools';

export const [MEMBER, HOST] = ['apps.openyurt.io/nodepool', 'nodepool.openyurt.io/hostnetwork'];

export const pool = (name: string, hostNetwork: boolean): any => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name },
  spec: { type: 'Edge', hostNetwork },
});

export const node = (
  name: string,
  of: string | undefined,
  more: { labels?: object; spec?: object; status?: object } = {},
): any => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      ...(of === undefined ? {} : { [MEMBER]: of }),
      ...(of === 'hn' ? { [HOST]: 'true' } : {}),
      ...more.labels,
    },
  },
  spec: more.spec ?? {},
  status: more.status ?? {},
});

export const workload = (kind: string, podSpec: object, spec: object = {}, template: object = {}): any => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name: 'w', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'w' } },
    ...spec,
    template: {
      metadata: { labels: { app: 'w' }, ...template },
      spec: { containers: [{ name: 'w', image: 'registry.example/w' }], hostNetwork: true, ...podSpec },
    },
  },
});

/** What becomes of the workload `w` in a pool. */
export function on(name: string, ...objects: readonly any[]): string {
  const placed = placeFleet(objects).find((each) => each.pool === name);
  const isOurs = ({ workload: each }: { readonly workload: string }): boolean => each.endsWith(' default/w');
  const other = placed?.others.find(isOurs);
  const excluded = placed?.excluded.find(isOurs);
  return other !== undefined
    ? `${other.outcome}: ${other.reason}`
    : excluded !== undefined
      ? `excluded: ${excluded.reason}`
      : placed?.runs.some((each) => each.endsWith(' default/w')) === true
        ? 'runs'
        : 'nothing';
}

export const ssd = { nodeSelector: { disktype: 'ssd' } };
export const hn = pool('hn', true);
export const two = (a: Parameters<typeof node>[2], b: Parameters<typeof node>[2] = a): any[] => [
  hn,
  node('n1', 'hn', a),
  node('n2', 'hn', b),
];
export const cpu = (amount: string): object => ({
  containers: [{ name: 'w', image: 'registry.example/w', resources: { requests: { cpu: amount } } }],
});
export const port = { containers: [{ name: 'w', image: 'registry.example/w', ports: [{ containerPort: 80 }] }] };
export const withTaint = { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } };
export const ofSize = (amount: string) => ({ status: { allocatable: { cpu: amount, memory: '4Gi', pods: '20' } } });
export const hostname = { nodeSelector: { 'kubernetes.io/hostname': 'n1' } };
export const affinity = (terms: object): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [terms] } } },
});
export const fields = (operator: string): object =>
  affinity({ matchFields: [{ key: 'metadata.name', operator, values: ['n1'] }] });

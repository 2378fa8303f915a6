/**
 * Pods of one node without memory, in the order in which the kubelet evicts them (pkg/kubelet/eviction/helpers.go, rankMemoryPressure: usage above the
 * request, then priority, then how far above or below). The end-to-end tests let the kubelet's own function rank them. `priority` 2000000000 and more are
 * never evicted (`IsCriticalPod`).
 */
export const evictionOrder: readonly {
  /** The row in docs/openstack.md. */
  readonly says: string;
  readonly priority: number;
  /** Mi. */
  readonly request: number;
  readonly limit?: number;
  readonly used: number;
}[] = [
  { says: 'BestEffort, no priority, uses 300Mi', priority: 0, request: 0, used: 300 },
  { says: 'Burstable, requests 100Mi, uses 150Mi', priority: 0, request: 100, used: 150 },
  { says: 'BestEffort, priority 900000000, uses 10Mi', priority: 900_000_000, request: 0, used: 10 },
  { says: 'Burstable, requests 400Mi, uses 200Mi', priority: 0, request: 400, used: 200 },
  { says: 'Guaranteed, 1Gi, uses 512Mi', priority: 0, request: 1024, limit: 1024, used: 512 },
  {
    says: 'Guaranteed, priority 900000000, 1Gi, uses 1000Mi',
    priority: 900_000_000,
    request: 1024,
    limit: 1024,
    used: 1000,
  },
];

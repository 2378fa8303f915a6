import type { INodePool } from 'edge-nodepools';

/** The kubelet arguments with which a node registers as a member of a pool. */
export function kubeletArguments(pool: INodePool): string[] {
  const labels = Object.entries(pool.joinLabels).map(([key, value]) => `${key}=${value}`);
  const taints = pool.registrationTaints.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`);
  return [
    `--node-labels=${labels.join(',')}`,
    ...(taints.length > 0 ? [`--register-with-taints=${taints.join(',')}`] : []),
  ];
}

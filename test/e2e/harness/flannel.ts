import { daemonSet, required } from '../../bad-inputs/case.js';

/** A DaemonSet like flannel's: it ships its own required node affinity, and tolerates every NoSchedule taint. */
export function flannel(image = 'flannel:1'): any {
  return {
    ...daemonSet({
      ...required([{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] }]),
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
      containers: [{ name: 'kube-flannel', image }],
    }),
    metadata: { name: 'kube-flannel-ds', namespace: 'kube-flannel' },
  };
}

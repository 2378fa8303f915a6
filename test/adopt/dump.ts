/** Objects of a dump, as kubectl prints them. */
export const RELEASES = ['1.4', '1.5', '1.6', '1.7'] as const;

const served = (release: string): string[] => ['v1alpha1', 'v1beta1', ...(release === '1.7' ? ['v1beta2'] : [])];

export function pool(name: string, { version = 'v1beta1', annotations = {}, ...spec }: any = {}): any {
  return {
    apiVersion: `apps.openyurt.io/${version}`,
    kind: 'NodePool',
    metadata: { name, annotations },
    spec: { type: 'Edge', ...spec },
  };
}

export function node(name: string, poolName: string | undefined, kubelet: string, labels: object = {}): any {
  const membership = poolName === undefined ? {} : { 'apps.openyurt.io/nodepool': poolName };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...membership, ...labels } },
    status: { nodeInfo: { kubeletVersion: `v${kubelet}` } },
  };
}

export const configMap = (namespace: string, name: string, data: object): any => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

/** A cluster of kubeadm with a yurt-manager, or without one (`none`). */
export function dumpOf(openYurt: string, kubernetes: string, others: readonly any[] = []): any[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'uid-of-the-cluster' } },
    configMap('kube-system', 'kubeadm-config', {
      ClusterConfiguration: `clusterName: edge\nkind: ClusterConfiguration\nkubernetesVersion: v${kubernetes}.4\n`,
    }),
    node('control-plane', undefined, `${kubernetes}.4`),
    ...(openYurt === 'none'
      ? []
      : [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'yurt-manager', namespace: 'kube-system' },
            spec: {
              template: { spec: { containers: [{ image: `10.0.0.1:5000/openyurt/yurt-manager:v${openYurt}.1` }] } },
            },
          },
          {
            apiVersion: 'apiextensions.k8s.io/v1',
            kind: 'CustomResourceDefinition',
            metadata: { name: 'nodepools.apps.openyurt.io' },
            spec: { versions: served(openYurt).map((name) => ({ name, served: true })) },
          },
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'yurt-hub' } },
          pool('beijing', { hostNetwork: true }),
          pool('office'),
        ]),
    ...others,
  ];
}

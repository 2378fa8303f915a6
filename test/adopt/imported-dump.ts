/** What `kubectl get --output=yaml` prints of a small cluster, with defaults, status and owners of fields. */

const server = (uid: string): object => ({
  uid,
  resourceVersion: '812',
  generation: 3,
  creationTimestamp: '2026-05-04T08:00:00Z',
});

const podDefaults = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  securityContext: {},
};
const containerDefaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  resources: {},
};

/** A Deployment as the API server stores it. */
export function storedDeployment(metadata: object = {}, spec: object = {}): any {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: {
        'deployment.kubernetes.io/revision': '3',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
      ...server('u-1'),
      ...metadata,
    },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { creationTimestamp: null, labels: { app: 'web' } },
        spec: {
          ...podDefaults,
          containers: [
            {
              name: 'web',
              image: 'registry.example/web:1.0',
              ports: [{ containerPort: 8080, protocol: 'TCP' }],
              ...containerDefaults,
            },
          ],
          ...spec,
        },
      },
    },
    status: { replicas: 3 },
  };
}

/** The same, as somebody has written it. */
export const WRITTEN_DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'registry.example/web:1.0', ports: [{ containerPort: 8080 }] }],
      },
    },
  },
};

/** A NodePool that kubectl has created, with what the webhook of OpenYurt 1.7 adds. */
export function storedPool(name: string, spec: object = {}): any {
  return {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name, labels: { 'nodepool.openyurt.io/type': 'edge' }, ...server(`p-${name}`) },
    spec: { type: 'Edge', hostNetwork: true, leaderElectionStrategy: 'random', leaderReplicas: 1, ...spec },
    status: { readyNodeNum: 2 },
  };
}

/** A DaemonSet on a host-network pool, written by hand: no label says who has made it. */
export function collector(pool = 'beijing'): any {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'collector', namespace: 'shop', ...server('d-1') },
    spec: {
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: 'collector' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: {
        metadata: { labels: { app: 'collector' } },
        spec: {
          ...podDefaults,
          hostNetwork: true,
          dnsPolicy: 'Default',
          nodeSelector: { 'apps.openyurt.io/nodepool': pool },
          containers: [
            {
              name: 'collector',
              image: 'registry.example/collector:1.0',
              ports: [{ containerPort: 9110, hostPort: 9110, protocol: 'TCP' }],
              ...containerDefaults,
            },
          ],
        },
      },
    },
    status: { desiredNumberScheduled: 2 },
  };
}

export function storedSecret(name = 'db', data: object = { password: 'c2VjcmV0LW9mLXRoZS1kYg==' }): any {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name, namespace: 'shop', ...server(`s-${name}`) },
    data,
  };
}

/** What shows the minor of the cluster, and that Nodes are no part of a program. */
export const NODE: any = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'edge-1', ...server('n-1') },
  status: { nodeInfo: { kubeletVersion: 'v1.34.2' } },
};

/** Objects that controllers have made. */
export const MADE: readonly any[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u-1', controller: true }],
      ...server('r-1'),
    },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace: 'shop', ...server('c-1') } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'shop', ...server('a-1') } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', ...server('ns-1') } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: { name: 'sh.helm.release.v1.a.v1', namespace: 'shop', ...server('h-1') },
  },
];

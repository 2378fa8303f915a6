/** A small fleet that somebody has written by hand: six pools that differ in values, a regular one, and workloads of each kind. */
export function shop(): any[] {
  const pool = (name: string, spec: object): any => ({
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name },
    spec: { type: 'Edge', hostNetwork: true, ...spec },
  });
  const workload = (kind: string, name: string, spec: object, more: object = {}): any => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', labels: { app: name } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
      ...more,
    },
  });
  const container = (name: string, more: object = {}): any => ({
    name,
    image: `registry.example/${name}:1.4.2`,
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
    ...more,
  });
  const sites = ['berlin', 'hamburg', 'koeln', 'leipzig', 'muenchen', 'stuttgart'];
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
        ],
      },
    },
  };
  return [
    ...sites.map((site, index) =>
      pool(`shop-${site}`, {
        labels: { site },
        taints: [{ key: 'shop.example/till', value: 'true', effect: 'NoSchedule' }],
        ...(index === 0 ? { annotations: { 'shop.example/pilot': 'true' } } : {}),
      }),
    ),
    pool('offices', { hostNetwork: false }),
    workload('DaemonSet', 'till', {
      hostNetwork: true,
      dnsPolicy: 'Default',
      nodeSelector: { 'apps.openyurt.io/nodepool': 'shop-berlin' },
      tolerations: [{ key: 'shop.example/till', value: 'true', effect: 'NoSchedule' }],
      containers: [
        container('till', {
          ports: [{ containerPort: 8080, hostPort: 8080 }],
          env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
          livenessProbe: { httpGet: { path: '/healthz', port: 8080 } },
        }),
      ],
    }),
    workload('Deployment', 'catalog', { affinity, containers: [container('catalog')] }, { replicas: 2 }),
    // kubeadm's, kept off by hand: the next upgrade writes it as kubeadm ships it
    {
      ...workload('DaemonSet', 'kube-proxy', { affinity, containers: [container('kube-proxy')] }),
      metadata: { name: 'kube-proxy', namespace: 'kube-system', labels: { 'k8s-app': 'kube-proxy' } },
    },
    workload('Deployment', 'checkout', { containers: [container('checkout')] }, { replicas: 3 }),
    workload(
      'StatefulSet',
      'orders',
      { affinity, containers: [container('orders', { volumeMounts: [{ name: 'data', mountPath: '/data' }] })] },
      {
        serviceName: 'orders',
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
          },
        ],
      },
    ),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'debug', namespace: 'shop' },
      spec: { containers: [container('debug')] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'catalog', namespace: 'shop', labels: { app: 'catalog' } },
      spec: { selector: { app: 'catalog' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'catalog', namespace: 'shop', labels: { app: 'catalog' } },
      data: { 'catalog.yaml': 'currency: EUR\nlocales:\n  - de\n  - en\n' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'orders-db', namespace: 'shop' },
      stringData: { password: 'not-in-the-program', 'ca.crt': 'not-in-it', 'ca-crt': 'not-in-it-either' },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'no-latest' },
      spec: {
        failurePolicy: 'Ignore',
        // the API server adds defaults to this map, which has one owner as a whole
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
          ],
        },
        validations: [{ expression: 'true' }],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'no-latest' },
      spec: {
        policyName: 'no-latest',
        validationActions: ['Warn'],
        matchResources: { namespaceSelector: { matchLabels: { 'shop.example/strict': 'true' } } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'notes', namespace: 'shop' },
      // what writers of YAML print so that Kubernetes reads something else
      data: {
        separator: 'a\u2028b',
        only: '\u2029',
        next: 'a\u0085b\n',
        makefile: '\tcat $<\n\tls\n',
        late: '\n\n\tls\n',
        octal: '0o17',
        order: '\ufeffa',
      },
    },
  ];
}

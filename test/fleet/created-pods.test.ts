/** What policies, namespaces, volumes and classes among the manifests change. */
import { App, Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, PoolAdmission } from 'edge-nodepools';
import { explainOnNode, explainOnPools } from '../../src/fleet/placement-reasons.js';
import { cpu, hn, HOST, node, ofSize, on, pool, port, ssd, two, withTaint, workload } from './dumped.js';

describe('what the API server does to Pods', () => {
  const strict = (): any[] => {
    const chart = new Chart(new App(), 'fleet');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    new HostNetworkNodePool(chart, 'hn', { cluster, poolName: 'hn' });
    new PoolAdmission(chart, 'admission', { cluster, guarantees: { strict: true } });
    return manifestsOf(chart) as any[];
  };
  const plain = { hostNetwork: false };
  const namespace = (level: string): any => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', labels: { 'pod-security.kubernetes.io/enforce': level } },
  });
  const annotated = { annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } };

  it.each<[what: string, told: string, expected: RegExp]>([
    [
      'a policy excludes',
      on('hn', ...strict(), workload('Deployment', plain)),
      /^excluded: policy edge-nodepools-pods-strict$/,
    ],
    ['a policy leaves host-network Pods alone', on('hn', ...strict(), workload('Deployment', {})), /^runs$/],
    ['a policy excludes DaemonSets', on('hn', ...strict(), workload('DaemonSet', plain)), /^excluded: /],
    [
      'no policy sees a Pod that is there',
      on('hn', ...strict(), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'w', namespace: 'default', uid: 'a' },
        spec: { containers: [] },
      }),
      /^never starts: /,
    ],
    [
      'baseline',
      on('hn', hn, namespace('baseline'), workload('Deployment', {})),
      /^never starts: namespace default enforces the level baseline.*hostNetwork/,
    ],
    ['restricted', on('hn', hn, namespace('restricted'), workload('Deployment', {})), /^never starts: /],
    ['privileged', on('hn', hn, namespace('privileged'), workload('Deployment', {})), /^runs$/],
    [
      'an annotation that no webhook reads',
      on('hn', hn, workload('Deployment', plain, {}, annotated)),
      /^unknown: only a webhook of OpenYurt/,
    ],
  ])('%s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });

  const runtimeClass = (more: object): any => ({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata' },
    handler: 'kata',
    ...more,
  });
  const kata = { runtimeClassName: 'kata', ...cpu('1') };
  it.each<[what: string, told: string, expected: RegExp]>([
    [
      'its nodeSelector',
      on('hn', hn, runtimeClass({ scheduling: { nodeSelector: { kata: 'yes' } } }), workload('Deployment', kata)),
      /^excluded: nodeSelector kata=yes of its RuntimeClass kata$/,
    ],
    [
      'its overhead',
      on(
        'hn',
        hn,
        node('n1', 'hn', ofSize('2')),
        runtimeClass({ overhead: { podFixed: { cpu: '1500m' } } }),
        workload('Deployment', kata),
      ),
      /^no room: cpu: requests 2500m/,
    ],
    [
      'its tolerations',
      on(
        'hn',
        ...two(withTaint),
        runtimeClass({ scheduling: { tolerations: [{ operator: 'Exists' }] } }),
        workload('Deployment', kata),
      ),
      /^runs$/,
    ],
    ['nothing if it is not there', on('hn', hn, workload('Deployment', kata)), /^unknown: RuntimeClass kata, without/],
    [
      'no toleration that the controller of a DaemonSet sees',
      on(
        'hn',
        ...two(withTaint),
        runtimeClass({ scheduling: { tolerations: [{ operator: 'Exists' }] } }),
        workload('DaemonSet', kata),
      ),
      /^excluded: taint dedicated:NoSchedule$/,
    ],
    [
      'no nodeSelector that the controller of a DaemonSet sees',
      on('hn', hn, runtimeClass({ scheduling: { nodeSelector: { kata: 'yes' } } }), workload('DaemonSet', kata)),
      /^waits: forever: its controller makes a Pod for the node, and nodeSelector kata=yes of its RuntimeClass kata keeps/,
    ],
    [
      'nothing to a Pod that is there',
      on('hn', hn, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'w', namespace: 'default', uid: 'a' },
        spec: { ...kata, hostNetwork: true },
      }),
      /^runs$/,
    ],
  ])('adds what a RuntimeClass has: %s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });
});

describe('the Pod Security Standards', () => {
  const hardened = {
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const said = (level: string, version: string, spec: object, context: object = hardened): string => {
    const labels = { 'pod-security.kubernetes.io/enforce': level };
    const pinned = { 'pod-security.kubernetes.io/enforce-version': version };
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default', labels: { ...labels, ...pinned } },
    };
    const containers = [{ name: 'w', image: 'registry.example/w', securityContext: context }];
    return on('a', pool('a', false), namespace, workload('Deployment', { hostNetwork: false, containers, ...spec }));
  };
  // what the group `judged` asks pod-security-admission about, at random
  it.each<[what: string, told: string, expected: RegExp]>([
    ['restricted, with all that it asks for', said('restricted', 'latest', {}), /^runs$/],
    [
      'restricted, without',
      said('restricted', 'latest', {}, {}),
      /with which no Pod with allowPrivilegeEscalation that/,
    ],
    ['baseline, without', said('baseline', 'latest', {}, {}), /^runs$/],
    [
      'a capability',
      said('baseline', 'latest', {}, { capabilities: { add: ['NET_ADMIN'] } }),
      /the capability NET_ADMIN/,
    ],
    [
      'a profile',
      said('baseline', 'latest', {}, { seccompProfile: { type: 'Unconfined' } }),
      /seccompProfile Unconfined/,
    ],
    ['a volume', said('restricted', 'latest', { volumes: [{ name: 'v', nfs: {} }] }), /a volume of the kind nfs/],
    [
      'a sysctl before its minor',
      said('baseline', 'v1.28', { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_fin_timeout', value: '1' }] } }),
      /the sysctl net.ipv4.tcp_fin_timeout/,
    ],
    [
      'and from it on',
      said('baseline', 'v1.29', { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_fin_timeout', value: '1' }] } }),
      /^runs$/,
    ],
    [
      'root in a user namespace',
      said('restricted', 'v1.35', { hostUsers: false }, { ...hardened, runAsUser: 0 }),
      /^runs$/,
    ],
    [
      'before that counted',
      said('restricted', 'v1.34', { hostUsers: false }, { ...hardened, runAsUser: 0 }),
      /runAsUser 0/,
    ],
    [
      'Windows',
      said('restricted', 'v1.25', { os: { name: 'windows' } }, { runAsNonRoot: true }),
      /^never starts: it is for/,
    ],
  ])('%s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });
});

describe('a PriorityClass', () => {
  const named = (name: string): any => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value: 1,
  });
  const high = workload('Deployment', { priorityClassName: 'high' });
  const there = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'v', namespace: 'default', uid: 'a' },
    spec: { priorityClassName: 'high', containers: [] },
  };
  it.each<[what: string, told: string, expected: RegExp]>([
    ['that is there', on('hn', hn, named('high'), high), /^runs$/],
    ['that nobody has written', on('hn', hn, high), /^unknown: PriorityClass high, without which no Pod is created/],
    [
      'that no cluster lacks',
      on('hn', hn, workload('Deployment', { priorityClassName: 'system-node-critical' })),
      /^runs$/,
    ],
    [
      'of a dump without it',
      on('hn', hn, named('system-node-critical'), high),
      /^never starts: no Pod of it is created/,
    ],
    ['of a Pod that is there', on('hn', hn, there, high), /^runs$/],
    [
      'of a Pod that never starts anyhow',
      on('hn', hn, workload('Deployment', { priorityClassName: 'high', hostNetwork: false })),
      /^never starts: it needs a Pod network/,
    ],
  ])('%s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });
});

it('names the field that the user wrote', () => {
  const scheduling = { nodeSelector: { kata: 'yes' } };
  const kata = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'kata' }, scheduling };
  const fieldOf = (podSpec: object): unknown => {
    const target = workload('Deployment', { runtimeClassName: 'kata', ...podSpec });
    return explainOnPools([hn, kata, target], target)[0]?.reasons[0]?.field.slice(3);
  };
  expect(fieldOf({})).toEqual(['runtimeClassName']);
  expect(fieldOf(ssd)).toEqual(['nodeSelector', 'disktype']);
});

describe('volumes, devices and numbers', () => {
  const onPort = (containerPort: number, hostPort?: number): object => ({
    name: 'w',
    ports: [{ containerPort, ...(hostPort === undefined ? {} : { hostPort }) }],
  });
  const etcdOn = (nodeName: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'etcd', namespace: 'kube-system', uid: 'e' },
    spec: { nodeName, hostNetwork: true, containers: [{ name: 'etcd' }] },
    status: { phase: 'Running' },
  });
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName: 'pv' },
  };
  const volume = (name: string): any => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] },
          ],
        },
      },
    },
  });
  const claiming = { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] };
  const yas = (replicas: number, tweaks: object[] = [], pools = ['hn']): any => ({
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    metadata: { name: 'w', namespace: 'default' },
    spec: {
      pools,
      workload: {
        workloadTemplate: {
          deploymentTemplate: {
            metadata: { labels: { app: 'w' } },
            ...{ spec: workload('Deployment', port, { replicas }).spec },
          },
        },
        workloadTweaks: tweaks,
      },
    },
  });

  it.each<[what: string, told: string, expected: RegExp]>([
    [
      'a volume of a node of the pool',
      on('hn', ...two({}), claim, volume('n2'), workload('StatefulSet', claiming)),
      /^runs$/,
    ],
    [
      'a volume of another node',
      on('hn', ...two({}), claim, volume('n9'), workload('StatefulSet', claiming)),
      /^excluded: node affinity of PersistentVolume pv$/,
    ],
    [
      'claims that a StatefulSet makes',
      on('hn', ...two({}), workload('StatefulSet', {}, { volumeClaimTemplates: [{ metadata: { name: 'data' } }] })),
      /^unknown: the default StorageClass, of its claim data-w-0, is not in the manifests$/,
    ],
    [
      'a device',
      on(
        'hn',
        hn,
        workload('Deployment', { containers: [{ name: 'w', resources: { limits: { 'a.example/gpu': 1 } } }] }),
      ),
      /^unknown: whether its nodes have a.example\/gpu/,
    ],
    ['a resource claim', on('hn', hn, workload('Deployment', { resourceClaims: [{ name: 'gpu' }] })), /^unknown: /],
    [
      'the port of kubelet',
      on('hn', hn, workload('Deployment', { containers: [{ name: 'w', ports: [{ containerPort: 10250 }] }] })),
      /^never starts: 10250\/TCP is a port of kubelet$/,
    ],
    ...[10248, 10261, 10267, 10268].map((number): [string, string, RegExp] => [
      `a port of the node, ${number}`,
      on('hn', hn, workload('Deployment', { containers: [{ name: 'w', ports: [{ containerPort: number }] }] })),
      new RegExp(`^never starts: 127.0.0.1:${number}/TCP is a port of (kubelet|yurthub)$`),
    ]),
    [
      'a port of yurthub on a Node that has none',
      on('hn', ...two({}), workload('Deployment', { containers: [{ name: 'w', ports: [{ containerPort: 10267 }] }] })),
      /^runs$/,
    ],
    [
      'a port of etcd',
      on('hn', hn, node('n1', 'hn'), etcdOn('n1'), workload('Deployment', { containers: [onPort(2379)] })),
      /^never starts: 2379\/TCP is a port of Pod kube-system\/etcd$/,
    ],
    [
      'a hostPort of kubelet without hostNetwork',
      on('a', pool('a', false), workload('Deployment', { hostNetwork: false, containers: [onPort(10250, 10250)] })),
      /^runs$/,
    ],
    ['no replicas', on('hn', hn, workload('Deployment', {}, { replicas: 0 })), /^waits: for replicas: it has 0$/],
    ['replicas in each pool', on('hn', hn, node('n1', 'hn'), yas(2)), /^port taken: .* for 2 Pods$/],
    [
      'replicas in each of two pools',
      on('hn', hn, node('n1', 'hn'), pool('b', false), node('n2', 'b'), node('n3', 'b'), yas(2, [], ['hn', 'b'])),
      /^port taken: .* free on 1 of 1 node, for 2 Pods$/,
    ],
    [
      'replicas of a tweak',
      on('hn', hn, node('n1', 'hn'), yas(1, [{ pools: ['hn'], tweaks: { replicas: 3 } }])),
      /^port taken: .* for 3 Pods$/,
    ],
    [
      'replicas of a tweak for another pool',
      on('hn', hn, node('n1', 'hn'), yas(1, [{ pools: ['b'], tweaks: { replicas: 3 } }])),
      /^runs$/,
    ],
    [
      'a pool of v1alpha1',
      on(
        'a',
        {
          ...pool('a', false),
          apiVersion: 'apps.openyurt.io/v1alpha1',
          metadata: { name: 'a', annotations: { [HOST]: 'true' } },
        },
        workload('Deployment', { hostNetwork: false }),
      ),
      /^never starts: /,
    ],
  ])('%s', (_, told, expected) => {
    expect(told).toMatch(expected);
  });

  it('Pods of a workload are no obstacle to it', () => {
    const target = workload('Deployment', port);
    const own = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'w-1', namespace: 'default', labels: { app: 'w' } },
      spec: { ...target.spec.template.spec, nodeName: 'n1' },
    };
    const objects = [hn, node('n1', 'hn'), target, own];
    expect(explainOnNode(objects, target, 'n1')?.outcome).toBe('runs');
    const other = { ...own, metadata: { ...own.metadata, labels: { app: 'x' } } };
    expect(explainOnNode([hn, node('n1', 'hn'), target, other], target, 'n1')?.outcome).toBe('port taken');
  });
});

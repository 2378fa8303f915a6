/** Properties of the components of the control plane, by the name of their class. */
import fc from 'fast-check';
import { EdgeCluster, SystemComponent } from 'edge-nodepools';
import { CA, CLIENT, CLIENT_KEY } from '../bad-inputs/certificates.js';
import { cluster } from './props.js';

const prefix = fc.constantFrom('10.0.0.0/24', '192.0.2.7', 'fd00::/8', '2001:db8::7');

export const ServingCertificateApprover: fc.Arbitrary<any> = fc.record(
  {
    cluster,
    machines: fc.constantFrom(
      [{ name: 'shop-0001', address: '192.0.2.10/24' }],
      [{ name: 'shop-0001.edge.example', address: '2001:db8::1/64', labels: { a: 'b' } }, { name: 'shop-0002' }],
    ),
    nodeNames: fc.uniqueArray(fc.constantFrom('a', 'b.example', 'c-1')),
    namePattern: fc.constantFrom('shop-[0-9]{4}', '(?:a|b)\\d+\\.example$', 'x$$'),
    addresses: fc.uniqueArray(prefix, { minLength: 1 }),
    resolvesNames: fc.boolean(),
    deniesOthers: fc.boolean(),
    maxDays: fc.integer({ min: 1, max: 367 }),
    replicas: fc.integer({ min: 1, max: 5 }),
    image: fc.constantFrom('registry.example/approver:v1', `approver@sha256:${'0a'.repeat(32)}`),
    namespace: fc.constantFrom('edge', 'kube-system'),
    priorityClassName: fc.constantFrom('edge-high'),
  },
  { requiredKeys: ['cluster', 'machines', 'addresses'] },
);

export const EtcdCluster: fc.Arbitrary<any> = fc
  .record(
    {
      cluster,
      name: fc.constant('edge'),
      members: fc.tuple(fc.constantFrom(3, 5), fc.boolean()).map(([count, isIpv4]) =>
        [...Array(count).keys()].map((index) => ({
          name: `etcd-${index}`,
          address: isIpv4 ? `192.0.2.1${index}` : `2001:db8::1${index}`,
          device: `/dev/disk/by-id/virtio-${index}`,
        })),
      ),
      certificates: fc.oneof(
        fc.constant({ source: 'files' }),
        fc.constant({ source: 'kubeadm' }),
        fc.constant({ source: 'cert-manager', days: 30 }),
        fc.constant({ source: 'cert-manager', issuer: { name: 'ca', kind: 'ClusterIssuer' } }),
      ),
      version: fc.constantFrom('3.6', '3.7'),
      download: fc.constant({ url: 'https://mirror.example/etcd.tar.gz', sha256: '0a'.repeat(32) }),
      latency: fc.constantFrom('fast', 'shared', 'slow'),
      quota: fc.constantFrom('2Gi', '8Gi', '16Gi'),
      volumeSize: fc.constantFrom('20Gi', '4Gi'),
      filesystem: fc.constantFrom('ext4', 'xfs'),
      publicMetrics: fc.boolean(),
      loadBalancer: fc.constantFrom('etcd.example', '192.0.2.9'),
      clusterApi: fc.constantFrom(
        { clusterName: 'edge' },
        {
          clusterName: 'edge',
          caCertificate: CA,
          clientCertificate: CLIENT,
          clientKey: CLIENT_KEY,
        },
      ),
      snapshots: fc.record(
        {
          everyHours: fc.constantFrom(1, 24),
          keep: fc.integer({ min: 1, max: 99 }),
          folder: fc.constant('/srv/snapshots'),
          upload: fc.constant(['cp', '{file}', "/mnt/it's"]),
        },
        { requiredKeys: [] },
      ),
      defragmentationHour: fc.integer({ min: 0, max: 23 }),
      alerts: fc.constantFrom({ job: 'edge-etcd' }, { job: 'etcd', labels: { release: 'prometheus' } }),
      clients: fc.constantFrom(['10.0.0.0/24'], ['10.0.1.0/24', '10.0.0.5/32']),
      namespace: fc.constant('machines'),
    },
    { requiredKeys: ['cluster', 'name', 'members', 'certificates'] },
  )
  // of the family of the members
  .map(({ clients, ...props }: any) =>
    clients === undefined
      ? props
      : { ...props, clients: props.members[0].address.includes(':') ? ['2001:db8::/64'] : clients },
  );

const amounts = { requests: { cpu: '1', memory: '2Gi' } };
const profile = (preset: string): fc.Arbitrary<any> =>
  fc.record(
    {
      preset: fc.constant(preset),
      containers: fc.constant({ [preset]: amounts }),
      qosClass: fc.constantFrom('guaranteed', 'burstable'),
    },
    { requiredKeys: ['preset'] },
  );

export const ControlPlaneQos: fc.Arbitrary<any> = fc.record(
  {
    cluster,
    apiServer: profile('kube-apiserver'),
    controllerManager: profile('kube-controller-manager'),
    scheduler: profile('kube-scheduler'),
    etcd: profile('etcd'),
    components: fc.subarray([
      {
        component: SystemComponent.KUBE_PROXY,
        profile: { preset: 'kube-proxy', priorityClassName: 'system-node-critical' },
      },
      { component: SystemComponent.COREDNS, profile: { qosClass: 'burstable', containers: { coredns: amounts } } },
    ]),
    priorityClasses: fc.constantFrom(
      [],
      [
        { name: 'logs', value: 5, preempts: false, description: 'logs' },
        { name: 'all', value: 0, globalDefault: true },
      ],
    ),
    allocatable: fc.constant({ cpu: '16', memory: '32Gi' }),
    patchFolder: fc.constant('/etc/patches'),
    artifactFolder: fc.constant('qos'),
  },
  { requiredKeys: ['cluster', 'scheduler'] },
);

/** Access to the nodes of pools, which are described. */
export const NodeAccess: fc.Arbitrary<any> = fc
  .record({
    // two NodeAccess of a pool are refused, and all samples are in one program
    name: fc.stringMatching(/^[a-z]{12}$/),
    names: fc.uniqueArray(fc.constantFrom('beijing', 'hangzhou', 'east-1'), { minLength: 1 }),
    kubernetes: fc.constantFrom('1.30', '1.34', '1.36'),
    distribution: fc.constantFrom('kubeadm', 'other'),
    via: fc.constantFrom('konnectivity', 'konnectivity', 'raven', 'direct'),
    konnectivity: fc.record(
      {
        server: fc.constantFrom('192.0.2.1', 'control.example:8443', 'fd00::1', '[fd00::1]:8132'),
        servers: fc.integer({ min: 1, max: 9 }),
        keepaliveSeconds: fc.integer({ min: 30, max: 300 }),
        agentImage: fc.constant('registry.example/agent:1'),
        serverImage: fc.constant('registry.example/server:1'),
        agentExtraArgs: fc.constant({ v: '4' }),
        serverExtraArgs: fc.constant({ 'xfr-channel-size': '150' }),
        clusterConfiguration: fc.constantFrom(
          'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\napiServer:\n  extraArgs: {v: "2"}\n',
          'apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n',
        ),
      },
      { requiredKeys: ['server'] },
    ),
  })
  .map(({ name, names, kubernetes, distribution, via, konnectivity }) => ({
    cluster: EdgeCluster.of({ name, openYurt: '1.7', kubernetes, distribution }),
    pools: names.map((poolName) => ({ poolName })),
    via,
    ...(via === 'konnectivity' ? { konnectivity } : {}),
    ...(via === 'raven' ? { gatewayNodes: Object.fromEntries(names.map((name) => [name, [`${name}-1`]])) } : {}),
  }));

import fc from 'fast-check';
import { EdgeCluster } from 'edge-nodepools';
import { cluster, word } from './props.js';

const size = fc.constantFrom('1Gi', '10Gi', '1.5Ti', '50Gi', '100Mi');

export const cinderStorageClass: fc.Arbitrary<any> = fc.record(
  {
    name: word,
    volumeType: word,
    encrypted: fc.boolean(),
    fsType: fc.constantFrom('ext4', 'xfs'),
    zones: fc.uniqueArray(fc.constantFrom('az1', 'az2', 'nova'), { minLength: 1 }),
    reclaimPolicy: fc.constantFrom('Retain', 'Delete'),
    volumeBindingMode: fc.constant('WaitForFirstConsumer'),
    allowVolumeExpansion: fc.boolean(),
    isDefault: fc.boolean(),
    mountOptions: fc.constantFrom(['noatime'], []),
  },
  { requiredKeys: ['name', 'volumeType'] },
);

export const volumeSnapshotClass: fc.Arbitrary<any> = fc.oneof(
  fc.record(
    {
      name: word,
      deletionPolicy: fc.constantFrom('Retain', 'Delete'),
      type: fc.constant('backup'),
      forceCreate: fc.boolean(),
      availability: word,
      backupSecondsPerGib: fc.integer({ min: 1, max: 99 }),
      isDefault: fc.boolean(),
    },
    { requiredKeys: ['name', 'type'] },
  ),
  fc.record({
    name: word,
    driver: fc.constantFrom('manila-nfs', 'manila-cephfs'),
    secret: fc.record({ name: word, namespace: word }),
  }),
);

const secret = fc.record({ name: word, namespace: word });

export const manilaStorageClass: fc.Arbitrary<any> = fc.oneof(
  fc.record(
    {
      name: word,
      protocol: fc.constant('NFS'),
      shareType: word,
      secret,
      clients: fc.uniqueArray(fc.constantFrom('10.0.0.0/24', '2001:db8::/64', '192.0.2.7'), { minLength: 1 }),
      shareNetworkId: word,
      autoTopology: fc.boolean(),
      shareMetadata: fc.dictionary(word, word, { maxKeys: 2 }),
      hostNetworkPools: fc.constant('exclude'),
      cluster,
    },
    { requiredKeys: ['name', 'protocol', 'shareType', 'secret', 'clients'] },
  ),
  fc.record(
    {
      name: word,
      protocol: fc.constant('CEPHFS'),
      shareType: word,
      secret,
      availability: fc.constant('az1'),
      cephfsMounter: fc.constantFrom('kernel', 'fuse'),
      hostNetworkPools: fc.constant('include'),
      driverRelease: fc.constantFrom('1.37.0', 'v1.36.0'),
      reclaimPolicy: fc.constantFrom('Retain', 'Delete'),
    },
    { requiredKeys: ['name', 'protocol', 'shareType', 'secret'] },
  ),
);

const applicationCredential = fc.record({ id: word, secret: word });
const password = fc.record({ userName: word, domainName: word, projectName: word, password: word });

export const manilaCredentials: fc.Arbitrary<any> = fc
  .tuple(
    fc.record(
      {
        name: word,
        namespace: word,
        authUrl: fc.constant('https://keystone.example/v3'),
        region: word,
        caCertificates: fc.constant('-----BEGIN CERTIFICATE-----'),
      },
      { requiredKeys: ['name', 'authUrl', 'region'] },
    ),
    // one of them is needed, and both are refused
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ applicationCredential }) },
      { weight: 4, arbitrary: fc.record({ password }) },
      fc.record({ applicationCredential, password }, { requiredKeys: [] }),
    ),
  )
  .map(([given, way]) => ({ ...given, ...way, inManifest: true }));

export const nfsVolume: fc.Arbitrary<any> = fc
  .record(
    {
      name: word,
      namespace: word,
      size,
      mode: fc.constantFrom('csi', 'in-tree'),
      mountOptions: fc.constantFrom(['nfsvers=4.2'], []),
      accessMode: fc.constantFrom('ReadWriteMany', 'ReadOnlyMany'),
      where: fc.constantFrom<object>(
        { exportLocation: '192.0.2.10:/shares/a' },
        { exportLocation: '[2001:db8::1]:/a' },
        { exportLocation: 'nfs.example:/a' },
      ),
    },
    { requiredKeys: ['name', 'size', 'where'] },
  )
  .map(({ where, ...given }) => ({ ...given, ...where }));

export const openStackMachines: fc.Arbitrary<any> = fc
  .record(
    {
      cluster,
      poolName: word,
      clusterName: word,
      bootstrapTemplate: word,
      flavor: word,
      image: word,
      replicas: fc.nat(3),
      failureDomains: fc.uniqueArray(fc.constantFrom('az1', 'AZ_2', 'nova'), { minLength: 1 }),
      rootVolume: fc.record({ sizeGib: fc.integer({ min: 1, max: 99 }), type: word }, { requiredKeys: ['sizeGib'] }),
      ports: fc.array(fc.record({ network: word, portSecurity: fc.boolean() }, { requiredKeys: ['network'] })),
      securityGroups: fc.constant(['edge']),
      sshKeyName: word,
      configDrive: fc.boolean(),
      namespace: word,
      providerVersion: fc.constantFrom('v1beta1', 'v1beta2'),
      clusterApiVersion: fc.constantFrom('v1beta1', 'v1beta2'),
    },
    { requiredKeys: ['cluster', 'poolName', 'clusterName', 'bootstrapTemplate', 'flavor', 'image'] },
  )
  .map(({ poolName, ...given }) => ({
    ...given,
    version: `v${given.cluster.kubernetes}.2`,
    pools: [{ poolName }],
  }));

const id = fc.constantFrom('0c5e2b1e-0000-4000-8000-000000000001', '0c5e2b1e-0000-4000-8000-000000000002');
const image = word.map((name) => `registry.example/${name}:10.0.0`);
const keystone = fc.oneof(
  fc.record({ authUrl: fc.constant('https://keystone.example/v3'), region: word, applicationCredential }),
  fc.record({ authUrl: fc.constant('https://keystone.example/v3'), password }),
);

export const kuryrKubernetes: fc.Arbitrary<any> = fc
  .tuple(
    fc.record(
      {
        cluster: fc
          .constantFrom('1.34', '1.36')
          .map((kubernetes) => EdgeCluster.of({ openYurt: '1.7', kubernetes, apiServer: '10.0.0.1:6443' })),
        acknowledgeRetired: fc.constant(true),
        images: fc.record({ controller: image, cni: image }),
        caCertificates: fc.constant('-----BEGIN CERTIFICATE-----'),
        project: fc.constant('0c5e2b1e000040008000000000000002'),
        podSubnet: id,
        podSecurityGroups: fc.uniqueArray(id, { minLength: 1 }),
        ovsBridge: fc.constantFrom('br-int', 'br-ex'),
        pool: fc.record(
          { min: fc.integer({ min: 1, max: 5 }), max: fc.integer({ min: 10, max: 20 }) },
          { requiredKeys: [] },
        ),
        portmap: fc.boolean(),
        definition: fc.constantFrom('create', 'external'),
        namespace: word,
      },
      { requiredKeys: ['cluster', 'acknowledgeRetired', 'images', 'project', 'podSubnet', 'podSecurityGroups'] },
    ),
    fc.oneof(fc.record({ keystone }), fc.record({ secretName: word })),
    fc.oneof(
      fc.record({}),
      fc.record({ vifDriver: fc.constant('nested-vlan'), workerSubnets: id.map((one) => [one]), linkInterface: word }),
    ),
  )
  .map(([given, login, driver]) => ({
    ...given,
    ...login,
    ...driver,
    ...('keystone' in login ? { inManifest: true } : {}),
  }));

const common = {
  name: word,
  namespace: word,
  size,
  storage: fc.oneof(
    fc.record({ storageClassName: word, medium: fc.constant('block'), encrypted: fc.constant(true) }),
    fc.record({ storageClassName: word, medium: fc.constantFrom('nfs', 'block') }),
  ),
  retain: fc.boolean(),
  snapshots: fc.record({ name: word, className: word }),
};
const needed = ['name', 'size', 'storage'] as const;
const replicas = fc.integer({ min: 1, max: 3 });

export const persistentData: fc.Arbitrary<any> = fc.oneof(
  fc.record(
    {
      consumer: fc.constant('prometheus'),
      ...common,
      replicas,
      retention: fc.constantFrom('15d', '36h'),
      retentionSize: fc.constantFrom('512MB', '40GiB'),
      samplesPerSecond: fc.integer({ min: 1, max: 9999 }),
    },
    { requiredKeys: [...needed, 'consumer'] },
  ),
  fc.record(
    { consumer: fc.constant('alertmanager'), ...common, replicas, retention: fc.constantFrom('120h', '5d') },
    { requiredKeys: [...needed, 'consumer'] },
  ),
  fc.record(
    { consumer: fc.constant('elasticsearch'), ...common, replicas, nodeSet: word },
    { requiredKeys: [...needed, 'consumer'] },
  ),
  fc.record(
    { consumer: fc.constant('loki'), ...common, retention: fc.constantFrom('31d', '30h') },
    { requiredKeys: [...needed, 'consumer'] },
  ),
  fc.record(
    {
      consumer: fc.constantFrom('statefulSet', 'deployment'),
      ...common,
      replicas,
      mountPath: fc.constant('/var/lib/data'),
      volumeName: word,
      restoreFrom: word,
    },
    { requiredKeys: [...needed, 'consumer', 'mountPath'] },
  ),
);

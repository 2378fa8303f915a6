import fc from 'fast-check';
import { word } from './props.js';

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

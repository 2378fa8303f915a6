import type { Chart } from 'cdk8s';
import { type EdgeCode } from 'edge-nodepools';
import { CinderStorageClass, PersistentData, VolumeSnapshotClass } from 'edge-nodepools/control-plane';
import { type BadInput, untyped } from './case.js';

export type Bad = [what: string, code: EdgeCode, path: string, hint: string | RegExp, props: unknown];

/** Rows of the inputs of one construct. */
export const rows =
  (make: (chart: Chart, props: any) => unknown) =>
  ([what, code, path, hint, props]: Bad): BadInput => ({
    what,
    code,
    path,
    hint,
    make: (chart) => make(chart, untyped(props)),
  });

const cinder: Bad[] = [
  ['a class of Cinder as text', 'EDGE_MISSING', '', "{ name: 'ssd'", 'ssd'],
  ['a class without a name', 'EDGE_MISSING', 'name', 'name:', {}],
  ['a class with a name in capitals', 'EDGE_NAME', 'name', '"ssd"', { name: 'SSD' }],
  ['an empty volume type', 'EDGE_VALUE', 'volumeType', "'ssd'", { name: 'a', volumeType: '' }],
  ['a volume type with a blank', 'EDGE_VALUE', 'volumeType', "'ssd'", { name: 'a', volumeType: 'ssd ' }],
  ['type for volumeType', 'EDGE_UNKNOWN_PROPERTY', 'type', 'did you mean volumeType?', { name: 'a', type: 'ssd' }],
  ['a file system of Windows', 'EDGE_VALUE', 'fsType', 'ext4', { name: 'a', fsType: 'ntfs' }],
  ['a zone with a blank', 'EDGE_LABEL', 'zones[0]', 'openstack availability zone list', { name: 'a', zones: ['az 1'] }],
  ['the same zone twice', 'EDGE_DUPLICATE', 'zones[1]', 'once', { name: 'a', zones: ['az1', 'az1'] }],
  ['no zone', 'EDGE_MATCHES_NOTHING', 'zones', 'leave zones out', { name: 'a', zones: [] }],
  ['zones as text', 'EDGE_TYPE', 'zones', "['az1']", { name: 'a', zones: 'az1' }],
  [
    'zones and availability',
    'EDGE_CONTRADICTION',
    'availability',
    'only availability',
    { name: 'a', zones: ['az1'], availability: 'nova' },
  ],
  [
    'Immediate in two zones',
    'EDGE_CONTRADICTION',
    'volumeBindingMode',
    'WaitForFirstConsumer',
    { name: 'a', zones: ['az1', 'az2'], volumeBindingMode: 'Immediate' },
  ],
  [
    'encryption without a volume type',
    'EDGE_MISSING',
    'volumeType',
    'encryption-provider',
    { name: 'a', encrypted: true },
  ],
  ['a reclaim policy that is gone', 'EDGE_VALUE', 'reclaimPolicy', "'Retain'", { name: 'a', reclaimPolicy: 'Recycle' }],
  [
    'two mount options in one',
    'EDGE_VALUE',
    'mountOptions[0]',
    "'noatime'",
    { name: 'a', mountOptions: ['noatime nodiratime'] },
  ],
  ['access modes of a class', 'EDGE_UNKNOWN_PROPERTY', 'accessModes', 'a claim', { name: 'a', accessModes: [] }],
];

const snapshots: Bad[] = [
  ['a class of snapshots without properties', 'EDGE_MISSING', '', "'snapshots'", undefined],
  ['a class of snapshots without a name', 'EDGE_MISSING', 'name', 'name:', {}],
  ['a driver by its full name', 'EDGE_VALUE', 'driver', "'cinder'", { name: 'a', driver: 'cinder.csi.openstack.org' }],
  ['Manila without credentials', 'EDGE_MISSING', 'secret', 'namespace', { name: 'a', driver: 'manila-nfs' }],
  [
    'credentials for Cinder',
    'EDGE_CONTRADICTION',
    'secret',
    'manila-nfs',
    { name: 'a', secret: { name: 'b', namespace: 'c' } },
  ],
  [
    'a backup time of a snapshot',
    'EDGE_CONTRADICTION',
    'backupSecondsPerGib',
    "'backup'",
    { name: 'a', backupSecondsPerGib: 9 },
  ],
  [
    'a backup of Manila',
    'EDGE_CONTRADICTION',
    'type',
    'remove it',
    { name: 'a', driver: 'manila-nfs', secret: { name: 'b', namespace: 'c' }, type: 'backup' },
  ],
];

const block = { storageClassName: 'ssd', medium: 'block' };
const shared = { storageClassName: 'share', medium: 'nfs' };
const prometheus = { consumer: 'prometheus', name: 'k8s', storage: block, size: '50Gi' };
const web = { consumer: 'deployment', name: 'web', storage: block, size: '5Gi', mountPath: '/data' };

const data: Bad[] = [
  ['data without properties', 'EDGE_MISSING', '', "consumer: 'prometheus'", undefined],
  ['data of nothing', 'EDGE_MISSING', 'consumer', 'prometheus', { name: 'a', storage: block, size: '1Gi' }],
  ['data of another database', 'EDGE_VALUE', 'consumer', 'statefulSet', { ...prometheus, consumer: 'mysql' }],
  ['data without storage', 'EDGE_MISSING', 'storage', 'CinderStorageClass', { ...prometheus, storage: undefined }],
  ['a storage as text', 'EDGE_TYPE', 'storage', "medium: 'block'", { ...prometheus, storage: 'ssd' }],
  [
    'a storage without a medium',
    'EDGE_MISSING',
    'storage.medium',
    "'block'",
    { ...prometheus, storage: { storageClassName: 'a' } },
  ],
  [
    'a storage without a class',
    'EDGE_MISSING',
    'storage',
    'storageClassName',
    { ...prometheus, storage: { medium: 'block' } },
  ],
  ['data without a size', 'EDGE_MISSING', 'size', "'50Gi'", { ...prometheus, size: undefined }],
  ['a size as a number', 'EDGE_QUANTITY', 'size', 'with a unit', { ...prometheus, size: 50 }],
  ['a size in GB', 'EDGE_QUANTITY', 'size', "'50Gi'", { ...prometheus, size: '50GB' }],
  [
    'more data than the claim of a share has',
    'EDGE_CONTRADICTION',
    'size',
    "write size: '10Gi'",
    { ...web, size: '20Gi', storage: { medium: 'nfs', claimName: 'share-a', size: '10Gi' } },
  ],
  ['a size of zero', 'EDGE_VALUE', 'size', "'50Gi'", { ...prometheus, size: '0' }],
  ['a size below zero', 'EDGE_VALUE', 'size', "'50Gi'", { ...prometheus, size: '-5Gi' }],
  ['Prometheus on NFS', 'EDGE_CONTRADICTION', 'storage', 'CinderStorageClass', { ...prometheus, storage: shared }],
  [
    'Elasticsearch on NFS',
    'EDGE_CONTRADICTION',
    'storage',
    'CinderStorageClass',
    { ...prometheus, consumer: 'elasticsearch', storage: shared },
  ],
  [
    'Loki on CephFS',
    'EDGE_CONTRADICTION',
    'storage',
    'CinderStorageClass',
    { ...prometheus, consumer: 'loki', storage: { ...shared, medium: 'cephfs' } },
  ],
  [
    'many nodes on one volume of Cinder',
    'EDGE_CONTRADICTION',
    'accessMode',
    'ManilaStorageClass',
    { ...web, accessMode: 'ReadWriteMany' },
  ],
  ['two replicas on one volume of Cinder', 'EDGE_CONTRADICTION', 'replicas', 'forStatefulSet', { ...web, replicas: 2 }],
  [
    'two replicas on a share of one node',
    'EDGE_CONTRADICTION',
    'replicas',
    'ManilaStorageClass',
    { ...web, storage: shared, accessMode: 'ReadWriteOnce', replicas: 2 },
  ],
  [
    'accessModes for accessMode',
    'EDGE_UNKNOWN_PROPERTY',
    'accessModes',
    'accessMode?',
    { ...web, accessModes: ['ReadWriteOnce'] },
  ],
  [
    'a claim for each replica, by name',
    'EDGE_CONTRADICTION',
    'storage',
    'use a class',
    { ...prometheus, storage: { claimName: 'a', medium: 'block' } },
  ],
  [
    'data that must be encrypted, and is not',
    'EDGE_CONTRADICTION',
    'storage',
    'encrypted: true',
    { ...prometheus, encrypted: true },
  ],
  ['more data than fits', 'EDGE_CONTRADICTION', 'retentionSize', '85 %', { ...prometheus, retentionSize: '50GB' }],
  ['an amount of data in Gi', 'EDGE_QUANTITY', 'retentionSize', "'40GB'", { ...prometheus, retentionSize: '40Gi' }],
  [
    'a time of a year of many samples',
    'EDGE_CONTRADICTION',
    'retention',
    "size: '6911Gi'",
    { ...prometheus, retention: '1y', samplesPerSecond: 100_000 },
  ],
  ['samples without a time', 'EDGE_MISSING', 'retention', "'15d'", { ...prometheus, samplesPerSecond: 100 }],
  ['a time in words', 'EDGE_VALUE', 'retention', "'15d'", { ...prometheus, retention: '15 days' }],
  [
    'Alertmanager in days',
    'EDGE_VALUE',
    'retention',
    "'120h'",
    { ...prometheus, consumer: 'alertmanager', retention: '5d' },
  ],
  ['Loki for half a day', 'EDGE_VALUE', 'retention', "'31d'", { ...prometheus, consumer: 'loki', retention: '12h' }],
  [
    'two replicas of Loki',
    'EDGE_UNKNOWN_PROPERTY',
    'replicas',
    'object store',
    { ...prometheus, consumer: 'loki', replicas: 2 },
  ],
  [
    'a retention of Elasticsearch',
    'EDGE_UNKNOWN_PROPERTY',
    'retention',
    'remove it',
    { ...prometheus, consumer: 'elasticsearch', retention: '1d' },
  ],
  [
    'a node set with an underscore',
    'EDGE_NAME',
    'nodeSet',
    "'default'",
    { ...prometheus, consumer: 'elasticsearch', nodeSet: 'hot_1' },
  ],
  [
    'a node set in capitals',
    'EDGE_NAME',
    'nodeSet',
    "'default'",
    { ...prometheus, consumer: 'elasticsearch', nodeSet: 'Hot' },
  ],
  ['a Prometheus whose Pods have no name', 'EDGE_NAME', 'name', 'at most 41', { ...prometheus, name: 'p'.repeat(42) }],
  [
    'an Alertmanager whose Pods have no name',
    'EDGE_NAME',
    'name',
    'at most 39',
    { ...prometheus, consumer: 'alertmanager', name: 'a'.repeat(40) },
  ],
  [
    'an Elasticsearch whose Pods have no name',
    'EDGE_NAME',
    'name',
    'at most 36',
    { ...prometheus, consumer: 'elasticsearch', name: 'e'.repeat(37) },
  ],
  [
    'a node set whose Pods have no name',
    'EDGE_NAME',
    'nodeSet',
    'at most 12',
    { ...prometheus, consumer: 'elasticsearch', name: 'e'.repeat(36), nodeSet: 'n'.repeat(13) },
  ],
  ['a StatefulSet with a dot', 'EDGE_NAME', 'name', "'queue'", { ...web, consumer: 'statefulSet', name: 'a.b' }],
  ['a volume with a dot', 'EDGE_NAME', 'volumeName', "'data'", { ...web, volumeName: 'my.data' }],
  ['a volume with a long name', 'EDGE_NAME', 'volumeName', "'data'", { ...web, volumeName: 'v'.repeat(64) }],
  [
    'the claim of another namespace',
    'EDGE_CONTRADICTION',
    'namespace',
    "write namespace: 'shares'",
    { ...web, namespace: 'web', storage: { claimName: 'a', claimNamespace: 'shares', medium: 'nfs' } },
  ],
  [
    'a Loki from a snapshot',
    'EDGE_UNKNOWN_PROPERTY',
    'restoreFrom',
    "claim 'storage-k8s-0' yourself",
    { ...prometheus, consumer: 'loki', restoreFrom: 'before' },
  ],
  [
    'the name of a class that is none',
    'EDGE_NAME',
    'storage.storageClassName',
    '"ssd"',
    { ...prometheus, storage: { ...block, storageClassName: 'SSD' } },
  ],
  [
    'no class at all',
    'EDGE_NAME',
    'storage.storageClassName',
    'NfsVolume',
    { ...web, storage: { storageClassName: '', medium: 'nfs' } },
  ],
  [
    'the name of a claim that is none',
    'EDGE_NAME',
    'storage.claimName',
    '"my-claim"',
    { ...web, storage: { claimName: 'my claim', medium: 'nfs' } },
  ],
  [
    'the class of snapshots by another name',
    'EDGE_UNKNOWN_PROPERTY',
    'snapshots.class',
    'className?',
    { ...web, snapshots: { name: 'a', className: 'b', class: 'b' } },
  ],
  ['a mount path that leaves its folder', 'EDGE_VALUE', 'mountPath', 'absolute', { ...web, mountPath: '/data/../etc' }],
  ['a mount path with a line break', 'EDGE_VALUE', 'mountPath', 'absolute', { ...web, mountPath: '/data\n/etc' }],
  ['a volume that nothing mounts', 'EDGE_MISSING', 'mountPath', '/var/lib/data', { ...web, mountPath: undefined }],
  ['a mount path that is relative', 'EDGE_VALUE', 'mountPath', 'absolute', { ...web, mountPath: 'data' }],
  [
    'three replicas from one snapshot',
    'EDGE_CONTRADICTION',
    'restoreFrom',
    'one replica',
    { ...web, consumer: 'statefulSet', replicas: 3, restoreFrom: 'a' },
  ],
  [
    'an existing claim from a snapshot',
    'EDGE_CONTRADICTION',
    'restoreFrom',
    'use a class',
    { ...web, storage: { claimName: 'a', medium: 'nfs' }, restoreFrom: 'b' },
  ],
  ['snapshots as text', 'EDGE_TYPE', 'snapshots', 'className', { ...web, snapshots: 'daily' }],
  ['snapshots without a class', 'EDGE_MISSING', 'snapshots.className', 'name:', { ...web, snapshots: { name: 'a' } }],
];

/** Storage that does not fit its consumer, and classes that their drivers would refuse. */
export const storage: BadInput[] = [
  ...cinder.map(rows((chart, props) => new CinderStorageClass(chart, 'x', props))),
  ...snapshots.map(rows((chart, props) => new VolumeSnapshotClass(chart, 'x', props))),
  ...data.map(rows((chart, props) => new PersistentData(chart, 'x', props))),
];

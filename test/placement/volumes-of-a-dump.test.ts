/** What the volumes of a dump say of workloads: `show` and `explain --node` alike. */
import { explainOnNode, explainOnPools } from '../../src/placement/explain.js';
import { hn, node, workload } from './dumped.js';

const ZONE = 'topology.kubernetes.io/zone';
const storageClass = (name: string, more: object = {}, annotations: object = {}): any => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: 'csi.example',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});
const inZone = (zone: string): object => ({
  allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: [zone] }] }],
});
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };
const statefulSet = (storageClassName?: string, more: object = {}): any =>
  workload(
    'StatefulSet',
    {},
    { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { storageClassName } }], ...more },
  );
const claim = (name: string, spec: object, isBound = false): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', annotations: isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {} },
  spec: { accessModes: ['ReadWriteOnce'], ...spec },
});
const volume = (name: string, storageClassName: string, more: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { storageClassName, accessModes: ['ReadWriteOnce'], ...more },
});
const claiming = workload('Deployment', { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] });
const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' });

/** A Pod that is there: only a dump has one. */
const there: any = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'there', namespace: 'default', uid: 'there' },
  spec: { nodeName: 'n1', hostNetwork: true, containers: [{ name: 'c', image: 'c' }] },
  status: { phase: 'Running' },
};

it.each<[what: string, objects: readonly any[], expected: RegExp]>([
  ['a class for each claim', [storageClass('fast'), statefulSet('fast')], /^runs$/],
  ['a class for this zone', [storageClass('fast', inZone('a')), statefulSet('fast')], /^runs$/],
  [
    'a class for another zone',
    [storageClass('fast', inZone('b')), statefulSet('fast')],
    /^excluded: allowedTopologies/,
  ],
  ['a class that is not there', [storageClass('fast'), statefulSet('slow')], /^waits: for StorageClass slow/],
  [
    'the default class',
    [storageClass('fast', inZone('a')), storageClass('far', inZone('b'), isDefault), statefulSet()],
    /^excluded: allowedTopologies of the StorageClass far$/,
  ],
  ['no default class', [storageClass('fast'), statefulSet()], /^waits: for a volume for its claim data-w-0/],
  [
    'a class that binds at once',
    [storageClass('fast', { volumeBindingMode: 'Immediate' }), statefulSet('fast')],
    /^unknown: where the volume for its claim data-w-0 is made/,
  ],
  [
    'a claim that is there already',
    [
      storageClass('fast'),
      claim('data-w-0', { volumeName: 'pv', storageClassName: 'fast' }, true),
      volume('pv', 'fast', {
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['b'] }] }] },
        },
      }),
      statefulSet('fast'),
    ],
    /^excluded: node affinity of PersistentVolume pv$/,
  ],
  [
    'ordinals that begin later',
    [
      storageClass('fast'),
      claim('data-w-5', { storageClassName: 'gone' }),
      statefulSet('fast', { ordinals: { start: 5 } }),
    ],
    /^waits: for StorageClass gone of PersistentVolumeClaim default\/data-w-5/,
  ],
  [
    'a claim that is missing',
    [storageClass('fast'), claiming],
    /^waits: for PersistentVolumeClaim default\/data, which/,
  ],
  [
    'a claim that is pending',
    [storageClass('fast', { volumeBindingMode: 'Immediate' }), claim('data', { storageClassName: 'fast' }), claiming],
    /^waits: for PersistentVolumeClaim default\/data to be bound$/,
  ],
  [
    'a class without provisioner and without volumes',
    [local, claim('data', { storageClassName: 'local' }), claiming],
    /^waits: for a PersistentVolume of the class local/,
  ],
  [
    'and with the volume of another claim',
    [local, claim('data', { storageClassName: 'local' }), volume('pv', 'local', { claimRef: { name: 'x' } }), claiming],
    /^waits: for a PersistentVolume of the class local/,
  ],
  [
    'and with one for other access',
    [local, claim('data', { storageClassName: 'local' }), volume('pv', 'local', { accessModes: [] }), claiming],
    /^waits: for a PersistentVolume of the class local/,
  ],
  [
    'and with one that is free',
    [local, claim('data', { storageClassName: 'local' }), volume('pv', 'local'), claiming],
    /^unknown: the scheduler chooses the volume/,
  ],
])('%s', (_, objects, expected) => {
  const dump = [hn, node('n1', 'hn', { labels: { [ZONE]: 'a' } }), there, ...objects];
  const target = objects.at(-1);
  const text = ({ outcome, reasons }: { outcome: string; reasons: readonly { reason: string }[] }): string =>
    outcome === 'runs' ? outcome : `${outcome}: ${reasons[0]?.reason}`;
  const answers = [
    ...explainOnPools(dump, target),
    ...[explainOnNode(dump, target, 'n1')].flatMap((each) => each ?? []),
  ];
  expect(answers.map(text)).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
});

it.each<[what: string, objects: readonly any[], expected: RegExp]>([
  ['a class', [statefulSet('fast')], /^StorageClass fast of its claim data-w-0 is not in the manifests$/],
  ['the default class', [statefulSet()], /^the default StorageClass, of its claim data-w-0, is not in the manifests$/],
  [
    'the volumes of a class',
    [local, claim('data', { storageClassName: 'local' }), claiming],
    /^the PersistentVolumes of the class local are not in the manifests$/,
  ],
])('manifests do not say %s', (_, objects, expected) => {
  const [{ outcome, reasons } = { outcome: '', reasons: [] }] = explainOnPools([hn, ...objects], objects.at(-1));
  expect([outcome, reasons[0]?.reason]).toEqual(['unknown', expect.stringMatching(expected)]);
});

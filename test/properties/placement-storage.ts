export const NAMESPACES = ['default', 'other'];
export const ZONE = 'topology.kubernetes.io/zone';

const claim = (name: string, namespace: string, spec: object, isBound = false): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, ...(isBound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}) },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

const volume = (name: string, spec: object, labels: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' }, ...spec },
});

/** A name of a node beside it is not asked. */
const inZone = (zone: string, matchFields?: object[]): object => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }], matchFields }],
    },
  },
});

/** The claims, volumes and classes of every cluster. */
export const STORAGE = {
  claims: NAMESPACES.flatMap((namespace) => [
    claim('bound', namespace, { volumeName: 'pv-a', storageClassName: '' }, true),
    claim('labelled', namespace, { volumeName: 'pv-labelled', storageClassName: '' }, true),
    claim('elsewhere', namespace, { volumeName: 'pv-none', storageClassName: '' }, true),
    claim(
      'single',
      namespace,
      { volumeName: 'pv-single', storageClassName: '', accessModes: ['ReadWriteOncePod'] },
      true,
    ),
    claim('prebound', namespace, { volumeName: 'pv-a', storageClassName: '' }),
    claim('classless', namespace, {}),
    claim('immediate', namespace, { storageClassName: 'now' }),
    claim('delayed', namespace, { storageClassName: 'later' }),
    claim('anywhere', namespace, { storageClassName: 'anywhere' }),
    claim('local', namespace, { storageClassName: 'local' }),
    claim('spare', namespace, { storageClassName: 'spare' }),
    // not made for the Pod whose ephemeral volume has this name
    claim('asked-foreign', namespace, { volumeName: 'pv-single', storageClassName: '' }, true),
  ]),
  volumes: [
    volume('pv-a', {
      storageClassName: 'static',
      ...inZone('a', [{ key: 'metadata.name', operator: 'In', values: ['node-z'] }]),
    }),
    volume('pv-labelled', { storageClassName: 'static' }, { [ZONE]: 'b' }),
    volume('pv-single', { storageClassName: 'static' }),
    volume('pv-spare', { storageClassName: 'spare', ...inZone('b') }),
  ],
  storageClasses: [
    { name: 'now', volumeBindingMode: 'Immediate' },
    { name: 'later', allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['b'] }] }] },
    { name: 'anywhere' },
    { name: 'local', provisioner: 'kubernetes.io/no-provisioner' },
    { name: 'spare', provisioner: 'kubernetes.io/no-provisioner' },
  ].map(({ name, ...fieldsOfClass }) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'example.com/disk',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...fieldsOfClass,
  })),
};

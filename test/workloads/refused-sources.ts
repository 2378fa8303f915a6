/** Volumes, mounts and variables that the API server refuses, because what they come from is missing or wrong, and neighbours that it accepts. */
import { deployment } from '../bad-inputs/case.js';
import { data, mounts, SPEC, withContainer } from './refused-shapes.js';

type Row = [what: string, workload: object, path: string, code: string];
type Fault = [what: string, fields: object, path: string, code?: string];

const volumes: Fault[] = [
  ['a secret without its name', { secret: {} }, 'secret.secretName'],
  ['a ConfigMap without its name', { configMap: { items: [] } }, 'configMap.name'],
  ['a claim without its name', { persistentVolumeClaim: { readOnly: true } }, 'persistentVolumeClaim.claimName'],
  ['a hostPath without path', { hostPath: { type: 'Directory' } }, 'hostPath.path'],
  ['NFS without server', { nfs: { path: '/a' } }, 'nfs.server'],
  ['NFS without path', { nfs: { server: 'a.example' } }, 'nfs.path'],
  ['NFS of a relative path', { nfs: { server: 'a.example', path: 'a' } }, 'nfs.path', 'EDGE_VALUE'],
  ['CSI without driver', { csi: { volumeAttributes: {} } }, 'csi.driver'],
  ['a key without path', { configMap: { name: 'a', items: [{ key: 'a' }] } }, 'configMap.items[0].path'],
  ['a path without key', { secret: { secretName: 'a', items: [{ path: 'a' }] } }, 'secret.items[0].key'],
  ['a projected Secret without name', { projected: { sources: [{ secret: {} }] } }, 'projected.sources[0].secret.name'],
  [
    'a projected ConfigMap without name',
    { projected: { sources: [{ configMap: {} }] } },
    'projected.sources[0].configMap.name',
  ],
  [
    'a projected token without path',
    { projected: { sources: [{ serviceAccountToken: {} }] } },
    'projected.sources[0].serviceAccountToken.path',
  ],
  [
    'a token of a minute',
    { projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 60 } }] } },
    'projected.sources[0].serviceAccountToken.expirationSeconds',
    'EDGE_VALUE',
  ],
  [
    'one source with two',
    { projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'a' } }] } },
    'projected.sources[0]',
    'EDGE_CONTRADICTION',
  ],
  [
    'a file of the Pod without path',
    { downwardAPI: { items: [{ fieldRef: { fieldPath: 'metadata.labels' } }] } },
    'downwardAPI.items[0].path',
  ],
  ['a file of nothing', { downwardAPI: { items: [{ path: 'a' }] } }, 'downwardAPI.items[0]'],
  [
    'a file of the address',
    { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'status.podIP' } }] } },
    'downwardAPI.items[0].fieldRef.fieldPath',
    'EDGE_VALUE',
  ],
  [
    'a file of an amount, of no container',
    { downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] } },
    'downwardAPI.items[0].resourceFieldRef.containerName',
  ],
  ['a size below 0', { emptyDir: { sizeLimit: '-1Gi' } }, 'emptyDir.sizeLimit', 'EDGE_QUANTITY'],
  ['a claim without template', { ephemeral: {} }, 'ephemeral.volumeClaimTemplate'],
];

const variables: Fault[] = [
  ['a ConfigMap without name', { envFrom: [{ configMapRef: {} }] }, 'envFrom[0].configMapRef.name'],
  ['a Secret without name', { envFrom: [{ secretRef: { optional: true } }] }, 'envFrom[0].secretRef.name'],
  [
    'a name that is none',
    { envFrom: [{ secretRef: { name: 'My_Secret' } }] },
    'envFrom[0].secretRef.name',
    'EDGE_NAME',
  ],
  ['no source', { envFrom: [{ prefix: 'A_' }] }, 'envFrom[0]'],
  [
    'two sources',
    { envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'a' } }] },
    'envFrom[0]',
    'EDGE_CONTRADICTION',
  ],
  ['a value from nothing', { env: [{ name: 'A', valueFrom: {} }] }, 'env[0].valueFrom'],
  [
    'a key of no ConfigMap',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { key: 'a' } } }] },
    'env[0].valueFrom.configMapKeyRef.name',
  ],
  [
    'no key of a Secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a' } } }] },
    'env[0].valueFrom.secretKeyRef.key',
  ],
  [
    'a key with a blank',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'my key' } } }] },
    'env[0].valueFrom.secretKeyRef.key',
    'EDGE_NAME',
  ],
  [
    'a field without path',
    { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1' } } }] },
    'env[0].valueFrom.fieldRef.fieldPath',
  ],
  [
    'an amount of nothing',
    { env: [{ name: 'A', valueFrom: { resourceFieldRef: { containerName: 'web' } } }] },
    'env[0].valueFrom.resourceFieldRef.resource',
  ],
  [
    'an amount that there is not',
    { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'cpu' } } }] },
    'env[0].valueFrom.resourceFieldRef.resource',
    'EDGE_VALUE',
  ],
];

const mountFaults: Fault[] = [
  ['a propagation that there is not', { mountPropagation: 'Shared' }, 'mountPropagation', 'EDGE_VALUE'],
  ['Bidirectional without privileged', { mountPropagation: 'Bidirectional' }, 'mountPropagation', 'EDGE_CONTRADICTION'],
];

export const refusedSources: Row[] = [
  ...volumes.map(([what, source, path, code = 'EDGE_MISSING']): Row => [
    `a volume: ${what}`,
    deployment({ volumes: [{ name: 'data', ...source }] }),
    `${SPEC}.volumes[0].${path}`,
    code,
  ]),
  [
    'a volume of a name with "_"',
    deployment({ volumes: [{ ...data, name: 'my_data' }] }),
    `${SPEC}.volumes[0].name`,
    'EDGE_NAME',
  ],
  ...variables.map(([what, fields, path, code = 'EDGE_MISSING']): Row => [
    `a variable: ${what}`,
    deployment(withContainer(fields)),
    `${SPEC}.containers[0].${path}`,
    code,
  ]),
  ...mountFaults.map(([what, fields, path, code = 'EDGE_MISSING']): Row => [
    `a mount: ${what}`,
    deployment({ volumes: [data], ...mounts({ name: 'data', mountPath: '/d', ...fields }) }),
    `${SPEC}.containers[0].volumeMounts[0].${path}`,
    code,
  ]),
  [
    'a device of no claim',
    deployment({ volumes: [data], ...withContainer({ volumeDevices: [{ name: 'data', devicePath: '/dev/a' }] }) }),
    `${SPEC}.containers[0].volumeDevices[0].name`,
    'EDGE_VALUE',
  ],
  [
    'a device of no volume',
    deployment(withContainer({ volumeDevices: [{ name: 'data', devicePath: '/dev/a' }] })),
    `${SPEC}.containers[0].volumeDevices[0].name`,
    'EDGE_MISSING',
  ],
  [
    'a device without path',
    deployment({
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }],
      ...withContainer({ volumeDevices: [{ name: 'data' }] }),
    }),
    `${SPEC}.containers[0].volumeDevices[0].devicePath`,
    'EDGE_MISSING',
  ],
];

export const acceptedSources: [what: string, workload: object][] = [
  [
    'volumes of every source',
    deployment({
      volumes: [
        { name: 'a' },
        { name: 'b', secret: null },
        { name: 'c', secret: { secretName: 'Any_Name', items: null, optional: true } },
        { name: 'd', configMap: { name: 'Any_Name', items: [{ key: 'a', path: 'a' }] } },
        { name: 'e', persistentVolumeClaim: { claimName: 'a' } },
        { name: 'f', nfs: { server: 'a', path: '/' } },
        { name: 'g', csi: { driver: 'a.example' } },
        { name: 'h', projected: {} },
        { name: 'i', projected: { sources: [{}, { secret: { name: 'a' } }, { serviceAccountToken: { path: 'a' } }] } },
        {
          name: 'j',
          downwardAPI: {
            items: [
              { path: 'a', fieldRef: { fieldPath: 'metadata.annotations' } },
              { path: 'b', resourceFieldRef: { containerName: 'web', resource: 'limits.cpu', divisor: '1m' } },
            ],
          },
        },
        {
          name: 'k',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
        { name: 'l', emptyDir: { sizeLimit: 0 } },
        { name: 'm', downwardAPI: {} },
      ],
      ...withContainer({
        envFrom: [{ configMapRef: { name: 'a' }, prefix: '' }, { secretRef: { name: 'a.b' } }],
        env: [
          { name: 'A', valueFrom: null },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'a', key: 'A.b_c-d' } } },
          { name: 'C', valueFrom: { resourceFieldRef: { resource: 'requests.hugepages-2Mi' } } },
          { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: 0 } } },
        ],
        volumeMounts: [
          { name: 'a', mountPath: '/a', mountPropagation: 'HostToContainer' },
          { name: 'b', mountPath: '/b', mountPropagation: 'Bidirectional' },
        ],
        volumeDevices: [
          { name: 'e', devicePath: '/dev/a' },
          { name: 'k', devicePath: '/dev/b' },
        ],
        securityContext: { privileged: true },
      }),
    }),
  ],
];

/** Values that the API server refuses, by the type of the object that has them. */
import { deployment } from '../bad-inputs/case.js';
import { acceptedContainers, containersRefusedLater, refusedContainers } from './refused-containers.js';
import { acceptedControllers, controllersRefusedLater, refusedControllers } from './refused-controllers.js';
import { acceptedSources, refusedSources } from './refused-sources.js';
import {
  complete,
  container,
  cronJob,
  data,
  incomplete,
  job,
  mounts,
  ofKind,
  SPEC,
  withContainer,
} from './refused-shapes.js';

type Row = [what: string, workload: object, path: string, code: string];
type Fault = [what: string, fields: object, path: string, code?: string];
const probeOf = (fields: object): object => ({ readinessProbe: { tcpSocket: { port: 80 }, ...fields } });

const containerFaults: Fault[] = [
  [
    'a long name of a port',
    { ports: [{ containerPort: 8080, name: 'Metrics-Endpoint' }] },
    'ports[0].name',
    'EDGE_PORT',
  ],
  [
    'two ports of a name',
    {
      ports: [
        { containerPort: 8080, name: 'a' },
        { containerPort: 8081, name: 'a' },
      ],
    },
    'ports[1].name',
    'EDGE_DUPLICATE',
  ],
  ['two ways of a probe', probeOf({ httpGet: { port: 80 } }), 'readinessProbe'],
  [
    'a scheme in small letters',
    { readinessProbe: { httpGet: { port: 80, scheme: 'https' } } },
    'readinessProbe.httpGet.scheme',
    'EDGE_VALUE',
  ],
  ['a period below 0', probeOf({ periodSeconds: -1 }), 'readinessProbe.periodSeconds', 'EDGE_VALUE'],
  [
    'three successes of a livenessProbe',
    { livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 3 } },
    'livenessProbe.successThreshold',
    'EDGE_VALUE',
  ],
  [
    'an extended resource without limit',
    { resources: { requests: { 'nvidia.com/gpu': 1 } } },
    'resources.requests["nvidia.com/gpu"]',
  ],
  [
    'a resource that there is not',
    { resources: { requests: { ephemeralStorage: '1Gi' } } },
    'resources.requests.ephemeralStorage',
    'EDGE_NAME',
  ],
  ['a variable with "="', { env: [{ name: 'my var=', value: 'x' }] }, 'env[0].name', 'EDGE_NAME'],
  [
    'a variable of a path that there is not',
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.nodeName' } } }] },
    'env[0].valueFrom.fieldRef.fieldPath',
    'EDGE_VALUE',
  ],
  [
    'privileged without escalation',
    { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    'securityContext.allowPrivilegeEscalation',
  ],
  [
    'seccomp Localhost without a profile',
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    'securityContext.seccompProfile.localhostProfile',
  ],
  [
    'a hook of two ways',
    { lifecycle: { preStop: { exec: { command: ['a'] }, sleep: { seconds: 1 } } } },
    'lifecycle.preStop',
  ],
];

const twoMounts = [
  { name: 'data', mountPath: '/d' },
  { name: 'data', mountPath: '/d' },
];
const podFaults: Fault[] = [
  ['hostPID and shareProcessNamespace', { hostPID: true, shareProcessNamespace: true }, 'shareProcessNamespace'],
  [
    'an address that is none',
    { hostAliases: [{ ip: '10.0.0.300', hostnames: ['x'] }] },
    'hostAliases[0].ip',
    'EDGE_VALUE',
  ],
  [
    'two mounts at a path',
    { volumes: [data], ...mounts(...twoMounts) },
    'containers[0].volumeMounts[1].mountPath',
    'EDGE_DUPLICATE',
  ],
  [
    'a subPath from the root',
    { volumes: [data], ...mounts({ name: 'data', mountPath: '/a', subPath: '/etc' }) },
    'containers[0].volumeMounts[0].subPath',
    'EDGE_VALUE',
  ],
  [
    'a sysctl of the network, with hostNetwork',
    { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.ipv4.ip_forward', value: '1' }] } },
    'securityContext.sysctls[0].name',
  ],
  [
    'an init container with a probe',
    { initContainers: [{ ...container, name: 'init', ports: [], readinessProbe: { tcpSocket: { port: 80 } } }] },
    'initContainers[0].readinessProbe',
  ],
];

const volumeFaults: [what: string, source: object, path: string, code: string][] = [
  ['a volume with two sources', { emptyDir: {}, hostPath: { path: '/x' } }, '', 'EDGE_CONTRADICTION'],
  ['a size that is no quantity', { emptyDir: { sizeLimit: '1GB' } }, '.emptyDir.sizeLimit', 'EDGE_QUANTITY'],
  ['a hostPath of no type', { hostPath: { path: '/x', type: 'Dir' } }, '.hostPath.type', 'EDGE_VALUE'],
  ['a hostPath with ".."', { hostPath: { path: '/var/../etc' } }, '.hostPath.path', 'EDGE_VALUE'],
  ['a mode in decimal', { secret: { secretName: 'x', defaultMode: 644 } }, '.secret.defaultMode', 'EDGE_VALUE'],
  [
    'a path of a key with ".."',
    { configMap: { name: 'x', items: [{ key: 'a', path: '../a' }] } },
    '.configMap.items[0].path',
    'EDGE_VALUE',
  ],
];

const workloadFaults: [what: string, workload: object, path: string, code: string][] = [
  [
    'Recreate with rollingUpdate',
    ofKind('Deployment', { strategy: { type: 'Recreate', rollingUpdate: { maxUnavailable: 1 } } }),
    'spec.strategy.rollingUpdate',
    'EDGE_CONTRADICTION',
  ],
  [
    'no surge and none unavailable',
    ofKind('Deployment', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    'spec.strategy.rollingUpdate',
    'EDGE_ROLLOUT',
  ],
  [
    'none of a DaemonSet unavailable',
    ofKind('DaemonSet', { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    'spec.updateStrategy.rollingUpdate.maxUnavailable',
    'EDGE_ROLLOUT',
  ],
  [
    'a deadline before the Pods are ready',
    ofKind('Deployment', { minReadySeconds: 700 }),
    'spec.progressDeadlineSeconds',
    'EDGE_CONTRADICTION',
  ],
  [
    'OnDelete with a partition',
    ofKind('StatefulSet', { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    'spec.updateStrategy.rollingUpdate',
    'EDGE_CONTRADICTION',
  ],
  ['a time zone that there is not', cronJob('@daily', { timeZone: 'Asia/Peking' }), 'spec.timeZone', 'EDGE_VALUE'],
  ['a history below 0', cronJob('@daily', { failedJobsHistoryLimit: -1 }), 'spec.failedJobsHistoryLimit', 'EDGE_VALUE'],
  [
    'an indexed Job without completions',
    {
      ...job({ restartPolicy: 'Never' }),
      spec: { ...(job({ restartPolicy: 'Never' }) as any).spec, completionMode: 'Indexed', parallelism: 2 },
    },
    'spec.completions',
    'EDGE_CONTRADICTION',
  ],
  [
    'a Job with a selector',
    {
      ...job({ restartPolicy: 'Never' }),
      spec: { ...(job({ restartPolicy: 'Never' }) as any).spec, selector: { matchLabels: { a: 'b' } } },
    },
    'spec.selector',
    'EDGE_CONTRADICTION',
  ],
  [
    'rules for failed Pods that are started again',
    {
      ...job({ restartPolicy: 'OnFailure' }),
      spec: { ...(job({ restartPolicy: 'OnFailure' }) as any).spec, podFailurePolicy: { rules: [] } },
    },
    'spec.podFailurePolicy',
    'EDGE_CONTRADICTION',
  ],
  [
    'a Job that may fail less than never',
    {
      ...job({ restartPolicy: 'Never' }),
      spec: { ...(job({ restartPolicy: 'Never' }) as any).spec, backoffLimit: -1 },
    },
    'spec.backoffLimit',
    'EDGE_VALUE',
  ],
];

export const refusedValues: Row[] = [
  ...containerFaults.map(([what, fields, path, code = 'EDGE_CONTRADICTION']): Row => [
    what,
    deployment(withContainer(fields)),
    `${SPEC}.containers[0].${path}`,
    code,
  ]),
  ...podFaults.map(([what, fields, path, code = 'EDGE_CONTRADICTION']): Row => [
    what,
    deployment(fields),
    `${SPEC}.${path}`,
    code,
  ]),
  ...volumeFaults.map(([what, source, path, code]): Row => [
    what,
    deployment({ volumes: [{ name: 'data', ...source }] }),
    `${SPEC}.volumes[0]${path}`,
    code,
  ]),
  ...workloadFaults,
  ...refusedContainers,
  ...refusedControllers,
  ...refusedSources,
];

export { acceptedOfCheck, refusedOfCheck } from './refused-containers.js';

/** What the API server refuses from a minor on. */
export const refusedLater: [since: string, ...row: Row][] = [...containersRefusedLater, ...controllersRefusedLater];

/** Their neighbours that the API server accepts. */
export const acceptedValues = [...complete, ...acceptedContainers, ...acceptedControllers, ...acceptedSources];

const claimed = (spec: object): object =>
  ofKind('StatefulSet', { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] });
const CLAIM = 'spec.volumeClaimTemplates[0].spec';

/** What an API server of every minor, or of the earlier ones, accepts in a template, and what its Pods or claims are refused for. */
export const impossible: Row[] = [
  [
    'an image with a blank behind it',
    deployment(withContainer({ image: 'web ' })),
    `${SPEC}.containers[0].image`,
    'EDGE_VALUE',
  ],
  [
    'a claim without accessModes',
    claimed({ resources: { requests: { storage: '1Gi' } } }),
    `${CLAIM}.accessModes`,
    'EDGE_MISSING',
  ],
  [
    'a claim with a mode that there is not',
    claimed({ accessModes: ['ReadWrite'], resources: { requests: { storage: '1Gi' } } }),
    `${CLAIM}.accessModes[0]`,
    'EDGE_VALUE',
  ],
  [
    'a claim without size',
    claimed({ accessModes: ['ReadWriteOnce'] }),
    `${CLAIM}.resources.requests.storage`,
    'EDGE_MISSING',
  ],
  [
    'a claim of no quantity',
    claimed({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1GB' } } }),
    `${CLAIM}.resources.requests.storage`,
    'EDGE_QUANTITY',
  ],
];

/** What the library refuses for its shape. */
export const refusedShapes: Row[] = [
  ...incomplete,
  ...refusedValues,
  ...impossible,
  ...refusedLater.map(([, ...row]): Row => row),
];

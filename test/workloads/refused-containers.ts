/** Hooks, probes, amounts, users and operating systems that the API server refuses, and neighbours that it accepts. */
import { deployment } from '../bad-inputs/case.js';
import { container, job, SPEC, withContainer } from './refused-shapes.js';

type Row = [what: string, workload: object, path: string, code: string];
type Fault = [what: string, fields: object, path: string, code?: string];

const containers: Fault[] = [
  ['a hook of nothing', { lifecycle: { preStop: {} } }, 'lifecycle.preStop', 'EDGE_MISSING'],
  [
    'a hook without command',
    { lifecycle: { postStart: { exec: {} } } },
    'lifecycle.postStart.exec.command',
    'EDGE_MISSING',
  ],
  ['a probe of no command', { livenessProbe: { exec: { command: [] } } }, 'livenessProbe.exec.command', 'EDGE_MISSING'],
  ['a probe without port', { livenessProbe: { grpc: { service: 'a' } } }, 'livenessProbe.grpc.port', 'EDGE_MISSING'],
  [
    'a hook that sleeps too long',
    { lifecycle: { preStop: { sleep: { seconds: 60 } } } },
    'lifecycle.preStop.sleep.seconds',
    'EDGE_VALUE',
  ],
  [
    'a readinessProbe with a period of grace',
    { readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 } },
    'readinessProbe.terminationGracePeriodSeconds',
  ],
  [
    'a livenessProbe without grace',
    { livenessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 0 } },
    'livenessProbe.terminationGracePeriodSeconds',
    'EDGE_VALUE',
  ],
  [
    'a header that is none',
    { livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'My Header', value: 'a' }] } } },
    'livenessProbe.httpGet.httpHeaders[0].name',
    'EDGE_VALUE',
  ],
  ['a request below 0', { resources: { requests: { cpu: '-1' } } }, 'resources.requests.cpu', 'EDGE_QUANTITY'],
  ['a limit below 0', { resources: { limits: { memory: -1 } } }, 'resources.limits.memory', 'EDGE_QUANTITY'],
  [
    'half a GPU',
    { resources: { limits: { 'nvidia.com/gpu': '500m' } } },
    'resources.limits["nvidia.com/gpu"]',
    'EDGE_QUANTITY',
  ],
  ['huge pages alone', { resources: { limits: { 'hugepages-2Mi': '2Mi' } } }, 'resources.limits["hugepages-2Mi"]'],
  ['a user below 0', { securityContext: { runAsUser: -1 } }, 'securityContext.runAsUser', 'EDGE_VALUE'],
  ['a group of 32 bits', { securityContext: { runAsGroup: 2147483648 } }, 'securityContext.runAsGroup', 'EDGE_VALUE'],
  [
    'a seccomp profile without Localhost',
    { securityContext: { seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } } },
    'securityContext.seccompProfile.localhostProfile',
  ],
  [
    'a seccomp profile without type',
    { securityContext: { seccompProfile: {} } },
    'securityContext.seccompProfile.type',
    'EDGE_MISSING',
  ],
  [
    'AppArmor Localhost without a profile',
    { securityContext: { appArmorProfile: { type: 'Localhost' } } },
    'securityContext.appArmorProfile.localhostProfile',
  ],
  [
    'AppArmor of no type',
    { securityContext: { appArmorProfile: { type: 'runtime/default' } } },
    'securityContext.appArmorProfile.type',
    'EDGE_VALUE',
  ],
  ['a policy of messages', { terminationMessagePolicy: 'file' }, 'terminationMessagePolicy', 'EDGE_VALUE'],
];

const windows = { os: { name: 'windows' } };

const pods: Fault[] = [
  [
    'debug containers in a template',
    { ephemeralContainers: [{ name: 'debug', image: 'a' }] },
    'ephemeralContainers',
    'EDGE_VALUE',
  ],
  ['a deadline in a Deployment', { activeDeadlineSeconds: 5 }, 'activeDeadlineSeconds', 'EDGE_VALUE'],
  ['a group of volumes below 0', { securityContext: { fsGroup: -1 } }, 'securityContext.fsGroup', 'EDGE_VALUE'],
  [
    'a further group below 0',
    { securityContext: { supplementalGroups: [1, -1] } },
    'securityContext.supplementalGroups[1]',
    'EDGE_VALUE',
  ],
  [
    'a policy of groups',
    { securityContext: { fsGroupChangePolicy: 'always' } },
    'securityContext.fsGroupChangePolicy',
    'EDGE_VALUE',
  ],
  [
    'two values of a sysctl',
    {
      securityContext: {
        sysctls: [
          { name: 'kernel.shm_rmid_forced', value: '0' },
          { name: 'kernel.shm_rmid_forced', value: '1' },
        ],
      },
    },
    'securityContext.sysctls[1].name',
    'EDGE_DUPLICATE',
  ],
  [
    'a sysctl that is none',
    { securityContext: { sysctls: [{ name: 'a b', value: '0' }] } },
    'securityContext.sysctls[0].name',
    'EDGE_NAME',
  ],
  [
    'two equal gates',
    { schedulingGates: [{ name: 'a/b' }, { name: 'a/b' }] },
    'schedulingGates[1].name',
    'EDGE_DUPLICATE',
  ],
  ['a gate that is none', { schedulingGates: [{ name: 'a b' }] }, 'schedulingGates[0].name', 'EDGE_NAME'],
  ['a gate without name', { schedulingGates: [{}] }, 'schedulingGates[0].name', 'EDGE_MISSING'],
  [
    'a condition that is none',
    { readinessGates: [{ conditionType: 'a b' }] },
    'readinessGates[0].conditionType',
    'EDGE_NAME',
  ],
  ['a condition without name', { readinessGates: [{}] }, 'readinessGates[0].conditionType', 'EDGE_MISSING'],
  [
    'a host that is none',
    { hostAliases: [{ ip: '192.0.2.1', hostnames: ['a', 'My_Host'] }] },
    'hostAliases[0].hostnames[1]',
    'EDGE_NAME',
  ],
  ['an alias without address', { hostAliases: [{ hostnames: ['a'] }] }, 'hostAliases[0].ip', 'EDGE_MISSING'],
  ['no such system', { os: { name: 'Windows' } }, 'os.name', 'EDGE_VALUE'],
  ['no system', { os: {} }, 'os.name', 'EDGE_MISSING'],
  ['a user on Windows', { ...windows, securityContext: { runAsUser: 5 } }, 'securityContext.runAsUser'],
  ['groups on Windows', { ...windows, securityContext: { fsGroup: 5 } }, 'securityContext.fsGroup'],
  ['processes of the host on Windows', { ...windows, hostPID: true }, 'hostPID'],
  ['shared processes on Windows', { ...windows, shareProcessNamespace: false }, 'shareProcessNamespace'],
  [
    'privileged on Windows',
    { ...windows, ...withContainer({ securityContext: { privileged: false } }) },
    'containers[0].securityContext.privileged',
  ],
  [
    'capabilities on Windows',
    {
      ...windows,
      initContainers: [{ name: 'init', image: 'a', securityContext: { capabilities: { drop: ['ALL'] } } }],
    },
    'initContainers[0].securityContext.capabilities',
  ],
  [
    'options of Windows on Linux',
    { os: { name: 'linux' }, securityContext: { windowsOptions: { runAsUserName: 'a' } } },
    'securityContext.windowsOptions',
  ],
];

export const refusedContainers: Row[] = [
  ...containers.map(([what, fields, path, code = 'EDGE_CONTRADICTION']): Row => [
    what,
    deployment(withContainer(fields)),
    `${SPEC}.containers[0].${path}`,
    code,
  ]),
  ...pods.map(([what, fields, path, code = 'EDGE_CONTRADICTION']): Row => [
    what,
    deployment(fields),
    `${SPEC}.${path}`,
    code,
  ]),
  ...['DaemonSet', 'StatefulSet', 'ReplicaSet'].map((kind): Row => [
    `a deadline in a ${kind}`,
    { ...deployment({ activeDeadlineSeconds: 5 }), kind },
    `${SPEC}.activeDeadlineSeconds`,
    'EDGE_VALUE',
  ]),
  [
    'a deadline of a Job in no time',
    job({ restartPolicy: 'Never', activeDeadlineSeconds: 0 }),
    `${SPEC}.activeDeadlineSeconds`,
    'EDGE_VALUE',
  ],
  [
    'debug containers in a Job',
    job({ restartPolicy: 'Never', ephemeralContainers: [{ name: 'debug', image: 'a' }] }),
    `${SPEC}.ephemeralContainers`,
    'EDGE_VALUE',
  ],
];

/** What the constructs refuse for another reason, or complete. */
export const refusedOfCheck: Row[] = [
  ['a node that is none', deployment({ nodeName: 'my_node' }), `${SPEC}.nodeName`, 'EDGE_NAME'],
  [
    'a process of the host without hostNetwork',
    deployment({ ...windows, securityContext: { windowsOptions: { hostProcess: true } } }),
    `${SPEC}.hostNetwork`,
    'EDGE_CONTRADICTION',
  ],
];

export const acceptedOfCheck: [what: string, workload: object][] = [
  ['a node', deployment({ nodeName: 'edge-1.example' })],
  ['users of its own', deployment({ hostUsers: false, hostNetwork: false })],
];

/** What only later minors refuse, and what earlier ones drop or accept: the Pods do not run as it says. */
export const containersRefusedLater: [since: string, ...row: Row][] = [
  ...['hostNetwork', 'hostPID', 'hostIPC'].map((field): (typeof containersRefusedLater)[number] => [
    // the feature gate UserNamespacesSupport
    '1.33',
    `users of its own with ${field}`,
    deployment({ hostUsers: false, [field]: true }),
    `${SPEC}.hostUsers`,
    'EDGE_CONTRADICTION',
  ]),
  [
    // the feature gate ProcMountType
    '1.33',
    'a procMount that there is not',
    deployment(withContainer({ securityContext: { procMount: 'None' } })),
    `${SPEC}.containers[0].securityContext.procMount`,
    'EDGE_VALUE',
  ],
];

export const acceptedContainers: [what: string, workload: object][] = [
  [
    'hooks, probes and users',
    deployment({
      terminationGracePeriodSeconds: 90,
      activeDeadlineSeconds: null,
      ephemeralContainers: [],
      os: { name: 'linux' },
      schedulingGates: [{ name: 'a' }, { name: 'a/b' }],
      readinessGates: [{ conditionType: 'www.example/feature-1' }],
      securityContext: {
        fsGroup: 0,
        supplementalGroups: [2147483647],
        fsGroupChangePolicy: 'OnRootMismatch',
        runAsUser: null,
      },
      containers: [
        {
          ...container,
          lifecycle: { preStop: { sleep: { seconds: 60 } }, postStart: null },
          livenessProbe: { grpc: { port: 8080 }, terminationGracePeriodSeconds: 1 },
          readinessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'X-My-Header', value: '' }] } },
          resources: {
            requests: { cpu: 0, 'hugepages-2Mi': '2Mi' },
            limits: { 'hugepages-2Mi': '2Mi', 'a.b/c': '2k' },
          },
          securityContext: { runAsUser: 0, seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } },
          terminationMessagePolicy: 'FallbackToLogsOnError',
        },
      ],
    }),
  ],
  ['an empty lifecycle', deployment(withContainer({ lifecycle: {}, securityContext: {} }))],
  [
    'a process of the host on Windows',
    deployment({
      os: { name: 'windows' },
      hostNetwork: true,
      containers: [{ name: 'a', image: 'a' }],
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } },
    }),
  ],
  ['users of the host', deployment({ hostUsers: true, hostPID: true, hostIPC: true })],
  ['a deadline of a Job', job({ restartPolicy: 'Never', activeDeadlineSeconds: 5 })],
];

/** Workloads that the API server refuses, beside their scheduling, and their neighbours that it accepts. */
import { deployment } from '../bad-inputs/case.js';

/** Path of the Pod spec in most kinds. */
export const SPEC = 'spec.template.spec';
export const container = { name: 'web', image: 'web', ports: [{ containerPort: 8080 }] };
export const withContainer = (fields: object): object => ({ containers: [{ ...container, ...fields }] });
export const data = { name: 'data', emptyDir: {} };
export const mounts = (...volumeMounts: object[]): object => withContainer({ volumeMounts });

/** Values that the API server cannot decode. */
export const undecodable: [what: string, podSpec: object, path: string, hint: string][] = [
  [
    'a number for a variable',
    withContainer({ env: [{ name: 'PORT', value: 8080 }] }),
    'containers[0].env[0].value',
    "write '8080', in quotes",
  ],
  [
    'true for a variable',
    withContainer({ env: [{ name: 'DEBUG', value: true }] }),
    'containers[0].env[0].value',
    "write 'true', in quotes",
  ],
  [
    'a number among words',
    withContainer({ args: ['--port', 8080] }),
    'containers[0].args[1]',
    "write '8080', in quotes",
  ],
  [
    'text for true',
    withContainer({ securityContext: { privileged: 'true' } }),
    'containers[0].securityContext.privileged',
    'write true, without quotes',
  ],
  [
    'text for a number',
    { terminationGracePeriodSeconds: '30' },
    'terminationGracePeriodSeconds',
    'write 30, without quotes',
  ],
  [
    'text for a map',
    { volumes: [{ name: 'data', hostPath: '/data' }] },
    'volumes[0].hostPath',
    "write hostPath: { path: '/data' }",
  ],
  ['true for a map', { volumes: [{ name: 'data', emptyDir: true }] }, 'volumes[0].emptyDir', 'write emptyDir: {}'],
  [
    'a list for a map',
    withContainer({ securityContext: { capabilities: ['NET_ADMIN'] } }),
    'containers[0].securityContext.capabilities',
    'write capabilities: { add: ["NET_ADMIN"] }',
  ],
  [
    'a duration for a number',
    { terminationGracePeriodSeconds: '30s' },
    'terminationGracePeriodSeconds',
    'write 30, without quotes and without a unit',
  ],
  ['a map for a list', { hostAliases: { ip: '192.0.2.1' } }, 'hostAliases', 'write a list, or leave it out'],
];

export const job = (podSpec: object): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'job' },
  spec: { template: { spec: { containers: [container], ...podSpec } } },
});

export const cronJob = (schedule: string, spec: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'cron-job' },
  spec: {
    schedule,
    jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    ...spec,
  },
});
const resources = (request: unknown, limit: unknown): object =>
  deployment(withContainer({ resources: { requests: { cpu: request }, limits: { cpu: limit } } }));
const probe = (port: unknown): object => deployment(withContainer({ livenessProbe: { httpGet: { path: '/', port } } }));
export const ofKind = (kind: string, spec: object): any => ({ ...deployment({}, spec), kind });

/** What core and batch validation require. */
export const incomplete: [what: string, workload: object, path: string, code: string][] = [
  [
    'a protocol in small letters',
    deployment(withContainer({ ports: [{ containerPort: 8080, protocol: 'tcp' }] })),
    `${SPEC}.containers[0].ports[0].protocol`,
    'EDGE_PORT',
  ],
  [
    'labels to select as a list',
    { ...deployment(), spec: { ...deployment().spec, selector: { matchLabels: ['app=web'] } } },
    'spec.selector.matchLabels',
    'EDGE_TYPE',
  ],
  [
    'a mount of no volume',
    deployment(mounts({ name: 'data', mountPath: '/data' })),
    `${SPEC}.containers[0].volumeMounts[0].name`,
    'EDGE_MISSING',
  ],
  [
    'a mount without path',
    deployment({ volumes: [data], ...mounts({ name: 'data' }) }),
    `${SPEC}.containers[0].volumeMounts[0].mountPath`,
    'EDGE_MISSING',
  ],
  ['a volume without name', deployment({ volumes: [{ emptyDir: {} }] }), `${SPEC}.volumes[0].name`, 'EDGE_MISSING'],
  ['two volumes of a name', deployment({ volumes: [data, data] }), `${SPEC}.volumes[1].name`, 'EDGE_DUPLICATE'],
  [
    'a variable without name',
    deployment(withContainer({ env: [{ value: 'x' }] })),
    `${SPEC}.containers[0].env[0].name`,
    'EDGE_MISSING',
  ],
  [
    'a variable with two values',
    deployment(
      withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }] }),
    ),
    `${SPEC}.containers[0].env[0]`,
    'EDGE_CONTRADICTION',
  ],
  [
    'a probe that does nothing',
    deployment(withContainer({ livenessProbe: { periodSeconds: 5 } })),
    `${SPEC}.containers[0].livenessProbe`,
    'EDGE_MISSING',
  ],
  ...[
    ['* * * *', 'four fields'],
    ['* * * * * *', 'six fields'],
    ['60 * * * *', 'a minute that there is not'],
    ['* * 0 * *', 'a day that there is not'],
    ['* * * * 7', 'a day of the week that there is not'],
    ['5-1 * * * *', 'a range backwards'],
    ['*/0 * * * *', 'a step of nothing'],
    ['* * * foo *', 'a month that there is not'],
    ['TZ=Asia/Shanghai 0 3 * * *', 'a time zone in it'],
    ['@often', 'a descriptor that there is not'],
    ['@every 5', 'a duration without unit'],
  ].map(([schedule, what]): (typeof incomplete)[number] => [
    `a schedule with ${what}`,
    cronJob(schedule as string),
    'spec.schedule',
    'EDGE_VALUE',
  ]),
  [
    'a request above its limit',
    resources('2', '500m'),
    `${SPEC}.containers[0].resources.requests.cpu`,
    'EDGE_CONTRADICTION',
  ],
  ['a number above its limit', resources(2, 1), `${SPEC}.containers[0].resources.requests.cpu`, 'EDGE_CONTRADICTION'],
  ...['8080', 'HTTP', 'web_1', 'a--b', 'a-very-long-name'].map((port): (typeof incomplete)[number] => [
    `a probe of the port ${port}`,
    probe(port),
    `${SPEC}.containers[0].livenessProbe.httpGet.port`,
    'EDGE_PORT',
  ]),
  [
    'a hook of a port as text',
    deployment(withContainer({ lifecycle: { preStop: { httpGet: { port: '80' } } } })),
    `${SPEC}.containers[0].lifecycle.preStop.httpGet.port`,
    'EDGE_PORT',
  ],
  ...['serviceAccountName', 'priorityClassName', 'runtimeClassName', 'hostname', 'subdomain'].flatMap((field) =>
    ['web ', 'Web'].map((name): (typeof incomplete)[number] => [
      `${field} ${JSON.stringify(name)}`,
      deployment({ [field]: name }),
      `${SPEC}.${field}`,
      'EDGE_NAME',
    ]),
  ),
  [
    'a strategy that there is not',
    ofKind('Deployment', { strategy: { type: 'Rolling' } }),
    'spec.strategy.type',
    'EDGE_VALUE',
  ],
  [
    'one of a DaemonSet',
    ofKind('DaemonSet', { updateStrategy: { type: 'Recreate' } }),
    'spec.updateStrategy.type',
    'EDGE_VALUE',
  ],
  [
    'one of a StatefulSet',
    ofKind('StatefulSet', { updateStrategy: { type: 'ondelete' } }),
    'spec.updateStrategy.type',
    'EDGE_VALUE',
  ],
  [
    'a policy of Pods',
    ofKind('StatefulSet', { podManagementPolicy: 'parallel' }),
    'spec.podManagementPolicy',
    'EDGE_VALUE',
  ],
  ['a policy of CronJobs', cronJob('@daily', { concurrencyPolicy: 'Deny' }), 'spec.concurrencyPolicy', 'EDGE_VALUE'],
  ['a Job without restartPolicy', job({}), `${SPEC}.restartPolicy`, 'EDGE_MISSING'],
  ['a Job that restarts always', job({ restartPolicy: 'Always' }), `${SPEC}.restartPolicy`, 'EDGE_VALUE'],
];

export const complete: [what: string, workload: object][] = [
  ['a mount of a volume', deployment({ volumes: [data], ...mounts({ name: 'data', mountPath: '/data' }) })],
  [
    'a mount of a claim',
    {
      ...deployment(mounts({ name: 'data', mountPath: '/data' }), {
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      }),
      kind: 'StatefulSet',
    },
  ],
  ...['*/15 0-6,22 1 jan-mar MON-fri', '? ? ? ? ?', '@midnight', '@every 1h30m', '  5  4 * *\t* ', '0/5 * * * *'].map(
    (schedule): (typeof complete)[number] => [`the schedule ${schedule}`, cronJob(schedule)],
  ),
  ['a request that is its limit', resources('1', '1000m')],
  ['a probe of the port 8080', probe(8080)],
  [
    'values of every form',
    deployment({
      hostAliases: [{ ip: '2001:db8::1', hostnames: ['x'] }],
      volumes: [
        { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
        { name: 'host', hostPath: { path: '/var/lib/..data', type: 'DirectoryOrCreate' } },
        {
          name: 'secret',
          secret: { secretName: 'x', defaultMode: 420, items: [{ key: 'a', path: 'b/a', mode: 256 }] },
        },
      ],
      initContainers: [
        { name: 'sidecar', image: 'a', restartPolicy: 'Always', readinessProbe: { tcpSocket: { port: 80 } } },
      ],
      containers: [
        {
          ...container,
          ports: [
            { containerPort: 8080, name: 'http' },
            { containerPort: 8081, name: 'web-2' },
          ],
          env: [
            { name: 'my.var-1', value: '' },
            { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a/b']" } } },
            { name: 'B', valueFrom: { fieldRef: { fieldPath: 'status.hostIPs' } } },
          ],
          resources: {
            requests: { 'nvidia.com/gpu': '1' },
            limits: { 'nvidia.com/gpu': 1, 'ephemeral-storage': '1Gi' },
          },
          volumeMounts: [
            { name: 'data', mountPath: '/d', subPath: 'a/b' },
            { name: 'data', mountPath: '/e' },
          ],
          livenessProbe: { exec: { command: ['a'] }, successThreshold: 1, periodSeconds: 0 },
          securityContext: { privileged: true, seccompProfile: { type: 'RuntimeDefault' } },
        },
      ],
    }),
  ],
  [
    'a rollout',
    ofKind('Deployment', { minReadySeconds: 30, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }),
  ],
  [
    'a DaemonSet with surge',
    ofKind('DaemonSet', { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
  ],
  ['a time zone', cronJob('@daily', { timeZone: 'Asia/Shanghai' })],
  ['names', deployment({ serviceAccountName: 'a.b', hostname: 'a', subdomain: 'b', priorityClassName: 'a-b' })],
  ['empty names', deployment({ serviceAccountName: '', hostname: '' })],
  ['another strategy', ofKind('DaemonSet', { updateStrategy: { type: 'OnDelete' } })],
  ['a Job with restartPolicy', job({ restartPolicy: 'Never' })],
  ['an amount that is a number', deployment(withContainer({ resources: { limits: { cpu: 1 } } }))],
  ['null everywhere', deployment(withContainer({ env: null, args: [null], livenessProbe: null, stdin: null }))],
];

/** A workload of a kind, with the fields that every object has. */
export function topLevel(kind: string): object {
  const apiVersion = { Rollout: 'argoproj.io/v1alpha1', Prometheus: 'monitoring.coreos.com/v1' }[kind] ?? 'apps/v1';
  return { ...deployment(), apiVersion, kind };
}

/** What the API server takes and kubelet cannot start or probe: the field, and the code of what is wrong. */
export const neverRuns: [what: string, workload: object, path: string, code: string][] = [
  ...['http', 'web-1', 'a'].map((port): (typeof neverRuns)[number] => [
    `a probe of the port ${port}`,
    probe(port),
    `${SPEC}.containers[0].livenessProbe.httpGet.port`,
    'EDGE_PORT',
  ]),
  [
    'an image with a blank in it',
    deployment(withContainer({ image: 'we b' })),
    `${SPEC}.containers[0].image`,
    'EDGE_VALUE',
  ],
];

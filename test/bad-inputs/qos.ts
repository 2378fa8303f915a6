import { withQos } from 'edge-nodepools/control-plane';
import { type BadInput, deployment } from './case.js';
import { type Bad, rows } from './storage.js';

const web = (amounts: object, qosClass = 'guaranteed'): object => ({ qosClass, containers: { web: amounts } });
const small = { cpu: '100m', memory: '128Mi' };

const profiles: Bad[] = [
  ['a profile as text', 'EDGE_MISSING', 'profile', 'preset', 'guaranteed'],
  ['a profile without anything', 'EDGE_MISSING', 'profile.qosClass', "'guaranteed'", {}],
  ['a profile without containers', 'EDGE_MISSING', 'profile.containers', 'preset', { qosClass: 'guaranteed' }],
  ['a preset that is not one', 'EDGE_VALUE', 'profile.preset', "'fluent-bit'", { preset: 'fluentbit' }],
  ['a class that nobody asks for', 'EDGE_VALUE', 'profile.qosClass', "'burstable'", web(small, 'BestEffort')],
  ['containers as a list', 'EDGE_TYPE', 'profile.containers', '{ app:', { qosClass: 'burstable', containers: [small] }],
  ['amounts of a container as text', 'EDGE_TYPE', 'profile.containers.web', 'requests', web('1Gi' as never)],
  [
    'cpu beside requests',
    'EDGE_UNKNOWN_PROPERTY',
    'profile.containers.web.cpu',
    'requests: { cpu }',
    web({ cpu: '1', ...{ requests: small } }),
  ],
  [
    'requests beside containers',
    'EDGE_UNKNOWN_PROPERTY',
    'profile.requests',
    'containers',
    { preset: 'etcd', requests: small },
  ],
  [
    'memory in MB',
    'EDGE_QUANTITY',
    'profile.containers.web.requests.memory',
    'without b',
    web({ requests: { cpu: '1', memory: '64MB' } }),
  ],
  [
    'negative cpu',
    'EDGE_QUANTITY',
    'profile.containers.web.requests.cpu',
    '500m',
    web({ requests: { ...small, cpu: '-1' } }),
  ],
  [
    'no cpu at all',
    'EDGE_VALUE',
    'profile.containers.web.requests.cpu',
    'leave cpu out',
    web({ requests: { ...small, cpu: '0' } }),
  ],
  [
    'thousandths of a byte',
    'EDGE_VALUE',
    'profile.containers.web.requests.memory',
    '"512Mi"',
    web({ requests: { cpu: '1', memory: '512m' } }),
  ],
  [
    'a resource of a GPU',
    'EDGE_UNKNOWN_PROPERTY',
    'profile.containers.web.requests.gpu',
    'cpu',
    web({ requests: { ...small, gpu: '1' } }),
  ],
  [
    'guaranteed without memory',
    'EDGE_MISSING',
    'profile.containers.web.requests.memory',
    'memory',
    web({ requests: { cpu: '1' } }),
  ],
  [
    'guaranteed with a higher limit',
    'EDGE_CONTRADICTION',
    'profile.containers.web.limits.cpu',
    'burstable',
    web({ requests: small, limits: { cpu: '1' } }),
  ],
  [
    'a limit below the request',
    'EDGE_CONTRADICTION',
    'profile.containers.web.limits.memory',
    "'128Mi' } or more",
    web({ requests: small, limits: { memory: '64Mi' } }, 'burstable'),
  ],
  ['a container without amounts', 'EDGE_MISSING', 'profile.containers.web', 'requests', web({}, 'burstable')],
  [
    'a limit below that of a preset',
    'EDGE_CONTRADICTION',
    'profile.containers.etcd.limits.memory',
    "'1Gi' }",
    { preset: 'etcd', containers: { etcd: { limits: { memory: '512Mi' } } } },
  ],
  [
    'a priority as a number',
    'EDGE_UNKNOWN_PROPERTY',
    'profile.priority',
    'priorityClassName',
    { preset: 'etcd', priority: 5 },
  ],
  [
    'a class of the system that is not there',
    'EDGE_MATCHES_NOTHING',
    'profile.priorityClassName',
    'system-node-critical',
    { ...web({ requests: small }), priorityClassName: 'system-critical' },
  ],
  [
    'a class with a blank',
    'EDGE_NAME',
    'profile.priorityClassName',
    'lower-case',
    { ...web({ requests: small }), priorityClassName: 'my class' },
  ],
  [
    'a container that is not there',
    'EDGE_MATCHES_NOTHING',
    'profile.containers["fluent-bit"]',
    'the names are web',
    { preset: 'fluent-bit' },
  ],
  [
    'burstable with equal limits',
    'EDGE_CONTRADICTION',
    'workload.spec.template.spec',
    "'guaranteed'",
    web({ requests: small, limits: small }, 'burstable'),
  ],
];

const workloads: [what: string, code: Bad[1], path: string, hint: string, workload: unknown][] = [
  ['a workload as text', 'EDGE_NOT_AN_OBJECT', 'workload', 'plain object', 'kind: Deployment'],
  ['no workload', 'EDGE_NOT_AN_OBJECT', 'workload', 'plain object', undefined],
  [
    'resources of a Service',
    'EDGE_NO_POD_TEMPLATE',
    'workload',
    'Pod template',
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } },
  ],
  [
    'a sidecar without resources',
    'EDGE_CONTRADICTION',
    'workload.spec.template.spec.containers[1]',
    "'proxy'",
    deployment({ containers: [{ name: 'web' }, { name: 'proxy' }] }),
  ],
  [
    'an init container with other limits',
    'EDGE_CONTRADICTION',
    'workload.spec.template.spec.initContainers[0]',
    "'setup'",
    deployment({
      initContainers: [{ name: 'setup', resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } } }],
    }),
  ],
];

/** Workloads that the API server would refuse, or whose Pods would not have the class. */
export const qos: BadInput[] = [
  ...profiles.map(rows((_, profile) => withQos(deployment(), profile))),
  ...workloads.map(([what, code, path, hint, workload]) =>
    rows((_, given) => withQos(given, web({ requests: small }) as never))([what, code, path, hint, workload]),
  ),
];

import { SystemComponent } from 'edge-nodepools';
import { ControlPlaneQos } from 'edge-nodepools/control-plane';
import { type BadInput, cluster, deployment } from './case.js';
import { type Bad, rows } from './storage.js';

const small = { cpu: '100m', memory: '128Mi' };
const scheduler = { preset: 'kube-scheduler' };
const one = { name: 'logs', value: 1 };
const proxy = { component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } };
const app = { qosClass: 'guaranteed', containers: { a: { requests: small } } };

const planes: Bad[] = [
  ['QoS of nothing', 'EDGE_MISSING', '', 'scheduler', {}],
  ['QoS without a cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster', { cluster: undefined, scheduler }],
  [
    'QoS of the scheduler by its full name',
    'EDGE_UNKNOWN_PROPERTY',
    'kubeScheduler',
    'scheduler?',
    { kubeScheduler: scheduler },
  ],
  [
    'QoS of kube-proxy as a static Pod',
    'EDGE_UNKNOWN_PROPERTY',
    'kubeProxy',
    'one of components',
    { kubeProxy: scheduler },
  ],
  [
    'a static Pod with a preset of another',
    'EDGE_MATCHES_NOTHING',
    'etcd.containers["kube-scheduler"]',
    'the names are etcd',
    { etcd: scheduler },
  ],
  [
    'a static Pod with a class of its own',
    'EDGE_CONTRADICTION',
    'scheduler.priorityClassName',
    'leave it out',
    { scheduler: { ...scheduler, priorityClassName: 'logs' } },
  ],
  ['a profile of a static Pod as text', 'EDGE_MISSING', 'scheduler', 'preset', { scheduler: 'guaranteed' }],
  [
    'requests that do not fit',
    'EDGE_RESERVATION',
    'allocatable.cpu',
    'larger machines',
    { scheduler, allocatable: { cpu: '500m' } },
  ],
  [
    'memory that does not fit',
    'EDGE_RESERVATION',
    'allocatable.memory',
    'request less memory',
    { scheduler, allocatable: { memory: '128Mi' } },
  ],
  ['allocatable in words', 'EDGE_QUANTITY', 'allocatable.memory', 'Gi', { scheduler, allocatable: { memory: 'much' } }],
  [
    'a component by its name',
    'EDGE_TYPE',
    'components[0].component',
    'SystemComponent.KUBE_PROXY',
    { components: [{ ...proxy, component: 'kube-proxy' }] },
  ],
  [
    'a component without a profile',
    'EDGE_MISSING',
    'components[0].profile',
    'kube-proxy',
    { components: [{ component: SystemComponent.KUBE_PROXY }] },
  ],
  ['a component twice', 'EDGE_DUPLICATE', 'components[1]', 'once', { components: [proxy, proxy] }],
  [
    'a container that kube-proxy does not have',
    'EDGE_MATCHES_NOTHING',
    'components[0].profile.containers.a',
    'kube-proxy',
    { components: [{ ...proxy, profile: app }] },
  ],
  [
    'a component of an operator',
    'EDGE_STRATEGY',
    'components[0].component',
    'operator',
    { components: [{ component: SystemComponent.CALICO_OPERATOR, profile: app }] },
  ],
  [
    'a component with two workloads',
    'EDGE_STRATEGY',
    'components[0].component',
    'calico-node',
    { components: [{ component: SystemComponent.CALICO, profile: app }] },
  ],
  [
    'a component by its manifest',
    'EDGE_STRATEGY',
    'components[0].component',
    'withQos',
    {
      components: [
        {
          component: SystemComponent.fromManifest({ ...deployment(), metadata: { name: 'a', namespace: 'b' } }),
          profile: app,
        },
      ],
    },
  ],
  [
    'a class of Kubernetes',
    'EDGE_NAME',
    'priorityClasses[0].name',
    "'platform-logs'",
    { priorityClasses: [{ ...one, name: 'system-logs' }] },
  ],
  [
    'a class without a value',
    'EDGE_MISSING',
    'priorityClasses[0].value',
    '900000000',
    { priorityClasses: [{ name: 'logs' }] },
  ],
  [
    'a class above those of users',
    'EDGE_VALUE',
    'priorityClasses[0].value',
    '1000000000',
    { priorityClasses: [{ ...one, value: 1_000_000_001 }] },
  ],
  [
    'a class with a fraction',
    'EDGE_VALUE',
    'priorityClasses[0].value',
    'whole number',
    { priorityClasses: [{ ...one, value: 0.5 }] },
  ],
  [
    'a class of more than 32 bits',
    'EDGE_VALUE',
    'priorityClasses[0].value',
    'whole number',
    { priorityClasses: [{ ...one, value: -(2 ** 31) - 1 }] },
  ],
  [
    'two default classes',
    'EDGE_DUPLICATE',
    'priorityClasses[1].globalDefault',
    'one class only',
    {
      priorityClasses: [
        { ...one, globalDefault: true },
        { ...one, name: 'b', globalDefault: true },
      ],
    },
  ],
  ['a class twice', 'EDGE_DUPLICATE', 'priorityClasses[1].name', 'once', { priorityClasses: [one, one] }],
  [
    'a class with a policy',
    'EDGE_UNKNOWN_PROPERTY',
    'priorityClasses[0].preemptionPolicy',
    'preempts: false',
    { priorityClasses: [{ ...one, preemptionPolicy: 'Never' }] },
  ],
  ['classes as a map', 'EDGE_TYPE', 'priorityClasses', 'observability', { priorityClasses: one }],
  [
    'a folder of patches that is relative',
    'EDGE_VALUE',
    'patchFolder',
    '/etc/kubernetes/patches',
    { scheduler, patchFolder: 'patches' },
  ],
  [
    'a folder outside of the output',
    'EDGE_ARTIFACT',
    'artifactFolder',
    'control-plane-patches',
    { scheduler, artifactFolder: '../x' },
  ],
];

/** Control planes that would not get their resources. */
export const controlPlaneQos: BadInput[] = [
  ...planes.map(rows((chart, props) => new ControlPlaneQos(chart, 'x', { cluster, ...props }))),
  {
    what: 'a default class in two declarations',
    code: 'EDGE_DUPLICATE',
    path: 'priorityClasses[0].globalDefault',
    hint: 'once for a cluster',
    make: (chart) => {
      const priorityClasses = (name: string): any => ({
        cluster,
        priorityClasses: [{ name, value: 1, globalDefault: true }],
      });
      new ControlPlaneQos(chart, 'a', priorityClasses('a'));
      new ControlPlaneQos(chart, 'b', priorityClasses('b'));
    },
  },
];

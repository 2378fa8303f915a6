import fc from 'fast-check';
import type { ReferenceNode } from '../reference/node-affinity.js';

export const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';

// few keys and values, so that nodes and affinities match often
const KEYS = ['kubernetes.io/os', 'site', 'rank', 'apps.openyurt.io/nodepool'];
const VALUES = ['linux', 'hz', 'true', '3', '7', '12'];

const key = fc.constantFrom(...KEYS, HOST_NETWORK);
const values = fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 });

/** One valid requirement on a label. */
export const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({
    key: fc.constantFrom('rank'),
    operator: fc.constantFrom('Gt', 'Lt'),
    values: fc.constantFrom(['3'], ['12'], ['0']),
  }),
);

const field = fc.record({
  key: fc.constant('metadata.name'),
  operator: fc.constantFrom('In', 'NotIn'),
  values: fc.constantFrom(['node-a'], ['node-b']),
});

/** One valid term, including empty ones. */
export const term = fc.record(
  { matchExpressions: fc.array(requirement, { maxLength: 3 }), matchFields: fc.array(field, { maxLength: 1 }) },
  { requiredKeys: [] },
);

/** Every form of affinity of a Pod spec, including siblings that must be preserved. */
export const podSpec = fc.record(
  {
    affinity: fc.record(
      {
        nodeAffinity: fc.record(
          {
            requiredDuringSchedulingIgnoredDuringExecution: fc.record({
              nodeSelectorTerms: fc.array(term, { minLength: 1, maxLength: 3 }),
            }),
            preferredDuringSchedulingIgnoredDuringExecution: fc.array(
              fc.record({ weight: fc.integer({ min: 1, max: 100 }), preference: term }),
              { maxLength: 1 },
            ),
          },
          { requiredKeys: [] },
        ),
        podAntiAffinity: fc.constant({
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: { topologyKey: 'zone' } }],
        }),
      },
      { requiredKeys: [] },
    ),
    nodeSelector: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 1 }),
    tolerations: fc.constant([{ operator: 'Exists' }]),
    unknownField: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value ?? 'null'))),
    containers: fc.constant([{ name: 'a', image: 'a' }]),
  },
  { requiredKeys: ['containers'] },
);

/** Nodes inside and outside of host-network pools. The host-network label only ever has the value "true". */
export const node: fc.Arbitrary<ReferenceNode> = fc.record({
  name: fc.constantFrom('node-a', 'node-b', 'node-c'),
  labels: fc
    .record({
      plain: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)),
      hostNetwork: fc.boolean(),
    })
    .map(({ plain, hostNetwork }) => ({ ...plain, ...(hostNetwork ? { [HOST_NETWORK]: 'true' } : {}) })),
});

/** Where each kind has its Pod template; `[]` is the object itself. */
const SHAPES: [apiVersion: string, kind: string, path: string[]][] = [
  ['v1', 'Pod', []],
  ['v1', 'PodTemplate', ['template']],
  ['v1', 'ReplicationController', ['spec', 'template']],
  ['apps/v1', 'Deployment', ['spec', 'template']],
  ['apps/v1', 'DaemonSet', ['spec', 'template']],
  ['apps/v1', 'StatefulSet', ['spec', 'template']],
  ['apps/v1', 'ReplicaSet', ['spec', 'template']],
  ['batch/v1', 'Job', ['spec', 'template']],
  ['batch/v1', 'CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
  ['apps.openyurt.io/v1alpha1', 'YurtAppSet', ['spec', 'workloadTemplate', 'deploymentTemplate', 'spec', 'template']],
  ['apps.openyurt.io/v1alpha1', 'YurtAppSet', ['spec', 'workloadTemplate', 'statefulSetTemplate', 'spec', 'template']],
  [
    'apps.openyurt.io/v1beta1',
    'YurtAppSet',
    ['spec', 'workload', 'workloadTemplate', 'deploymentTemplate', 'spec', 'template'],
  ],
  [
    'apps.openyurt.io/v1beta1',
    'YurtAppSet',
    ['spec', 'workload', 'workloadTemplate', 'statefulSetTemplate', 'spec', 'template'],
  ],
  [
    'apps.openyurt.io/v1alpha1',
    'YurtAppDaemon',
    ['spec', 'workloadTemplate', 'deploymentTemplate', 'spec', 'template'],
  ],
  ['apps.openyurt.io/v1alpha1', 'YurtStaticSet', ['spec', 'template']],
];

export interface Shaped {
  workload: any;
  path: string[];
  spec: any;
}

function nest(path: string[], value: unknown): any {
  return path.reduceRight<unknown>((inner, step) => ({ [step]: inner, sibling: `beside ${step}` }), value);
}

/** The selector without which the API server refuses the kinds of apps/v1. */
function withSelector(object: any, apiVersion: string, kind: string): any {
  return apiVersion === 'apps/v1'
    ? { ...object, spec: { ...object.spec, selector: { matchLabels: { app: 'x' } } } }
    : kind === 'ReplicationController'
      ? { ...object, spec: { ...object.spec, selector: { app: 'x' } } }
      : object;
}

/** A workload of any known kind around a Pod spec. */
export const workload: fc.Arbitrary<Shaped> = fc
  .record({
    shape: fc.constantFrom(...SHAPES),
    spec: podSpec,
    annotations: fc.option(fc.constant({ owner: 'me' }), { nil: undefined }),
  })
  .map(({ shape: [apiVersion, kind, path], spec: given, annotations }) => {
    // without it the API server refuses the kinds of batch
    const spec = apiVersion === 'batch/v1' ? { restartPolicy: 'Never', ...given } : given;
    const metadata = { labels: { app: 'x' }, ...(annotations === undefined ? {} : { annotations }) };
    const object =
      path.length === 0
        ? { metadata: { ...metadata, name: 'x' }, spec }
        : { metadata: { name: 'x' }, ...withSelector(nest(path, { metadata, spec }), apiVersion, kind) };
    return { workload: { apiVersion, kind, ...object }, path, spec };
  });

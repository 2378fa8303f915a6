import type { Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, OpenYurtWebhooks, PoolWebhook } from 'edge-nodepools';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: '*' };
const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] };
const settings = {
  failurePolicy: 'Fail',
  timeoutSeconds: 5,
  namespaceSelector: selector,
  objectSelector: selector,
  matchConditions: [{ name: 'a', expression: 'true' }],
};
const metadata = { labels: { a: 'b' }, annotations: { a: 'b' } };

/** Properties with every field, and the construct for them. */
export const everyField: readonly (readonly [string, object, (chart: Chart, props: any) => unknown])[] = [
  [
    'PoolWebhook',
    {
      cluster,
      type: 'mutating',
      injectCaFrom: 'a/b',
      metadata,
      webhooks: [
        {
          ...settings,
          name: 'a.b.c',
          rules: ['pods', rule],
          service: { name: 'a', namespace: 'b', path: '/c', port: 1 },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          matchPolicy: 'Exact',
          reinvocationPolicy: 'Never',
        },
        { name: 'd.b.c', rules: ['nodes'], url: 'https://a.b/c' },
      ],
    },
    (chart, props) => new PoolWebhook(chart, 'pool', props),
  ],
  [
    'OpenYurtWebhooks',
    {
      ...settings,
      cluster,
      namespace: 'a',
      template: true,
      exclude: ['pods'],
      controllers: ['nodepool'],
      disableIndependentWebhooks: ['pod'],
      metadata,
      webhooks: { nodes: { failurePolicy: 'Fail' }, pods: settings },
    },
    (chart, props) => new OpenYurtWebhooks(chart, 'openyurt', props),
  ],
];

/** Every path in a value. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  return typeof value !== 'object' || value === null || value instanceof EdgeCluster
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))];
}

function replaced(value: any, [step, ...rest]: readonly string[], by: unknown): unknown {
  if (step === undefined) {
    return by;
  }
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  copy[step] = replaced(value[step], rest, by);
  return copy;
}

const words = [
  '',
  '*',
  '*/*',
  'pods/*',
  'v1',
  'a.b.c',
  'a b',
  'Fail',
  'https://a.b/c?d',
  'https://a.b:1/',
  '/a/',
  '/A',
];
const plain = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(undefined, null, 0, 30, 65535, -1, 1.5, true, [], {}, [null], [[]], { a: null }, { a: 1 }),
  fc.constantFrom(...words).map((word) => [word]),
  fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)),
  fc.string(),
);

/** The same properties with an unusual value at one path. Some of them are valid. */
export function oddProps(good: object, odd: fc.Arbitrary<unknown> = plain): fc.Arbitrary<unknown> {
  // only the API server compiles CEL expressions
  const places = placesIn(good).filter((path) => path[path.length - 1] !== 'expression');
  return fc.tuple(fc.constantFrom(...places), odd).map(([place, value]) => replaced(good, place, value));
}

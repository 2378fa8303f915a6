/** What one face writes the other writes too, whatever it is given, known now or later. */
import * as pulumi from '@pulumi/pulumi';
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as constructs from 'edge-nodepools';
import * as components from 'edge-nodepools/pulumi';
import { isMap } from '../../src/manifests/kubernetes-object.js';
import * as props from './props.js';
import { objectsIn, record } from './recorded.js';

const RUNS = 200;
jest.setTimeout(180_000);

interface Twin {
  readonly arbitrary: fc.Arbitrary<any>;
  readonly construct: (chart: cdk8s.Chart, given: any) => unknown;
  readonly component: (name: string, given: any) => unknown;
}

/** Both classes of a noun, given the same. */
function twin(noun: string, arbitrary: fc.Arbitrary<any>): [string, Twin] {
  const Construct = (constructs as any)[noun];
  const Component = (components as any)[noun];
  return [
    noun,
    {
      arbitrary,
      construct: (chart, given) => new Construct(chart, 'it', given),
      component: (name, given) => new Component(name, given),
    },
  ];
}

const poolsIn = ({ cluster, pools, ...rest }: any, pool: (given: any) => unknown): any => ({
  ...rest,
  pools: pools.map((given: any) => pool({ cluster, ...given })),
});

const poolIn = ({ cluster, pools: [one], ...rest }: any, pool: (given: any) => unknown): any => ({
  ...rest,
  pool: pool({ cluster, ...one }),
});

const TWINS = new Map<string, Twin>([
  twin('HostNetworkNodePool', props.hostNetworkNodePool),
  twin('EdgeNodePool', props.edgeNodePool),
  twin('ExcludedWorkload', props.excludedWorkload),
  twin('EdgeSystemComponents', props.edgeSystemComponents),
  twin('PoolAdmission', props.poolAdmission),
  twin('OpenYurtWebhooks', props.openYurtWebhooks),
  twin('PoolWebhook', props.poolWebhook),
  ...['NodeJoin', 'KubeadmConfigTemplate'].map((noun): [string, Twin] => [
    noun,
    {
      arbitrary: noun === 'NodeJoin' ? props.nodeJoin : props.kubeadmConfigTemplate,
      construct: (chart, given) =>
        new (constructs as any)[noun](
          chart,
          'it',
          poolIn(given, (one) => constructs.HostNetworkNodePool.fromPoolName(chart, 'pool', one)),
        ),
      component: (name, given) =>
        new (components as any)[noun](
          name,
          poolIn(given, (one) => components.HostNetworkNodePool.fromPoolName(one)),
        ),
    },
  ]),
  [
    'BootstrapToken',
    {
      arbitrary: props.bootstrapToken,
      construct: (chart, { cluster: _, ...given }) => new constructs.BootstrapToken(chart, 'it', given),
      component: (name, { cluster: _, ...given }) => new components.BootstrapToken(name, given),
    },
  ],
  [
    'HostNetworkWorkload',
    {
      arbitrary: props.hostNetworkWorkload,
      construct: (chart, given) =>
        new constructs.HostNetworkWorkload(
          chart,
          'it',
          poolsIn(given, (one) => constructs.HostNetworkNodePool.fromPoolName(chart, `pool-${one.poolName}`, one)),
        ),
      component: (name, given) =>
        new components.HostNetworkWorkload(
          name,
          poolsIn(given, (one) => components.HostNetworkNodePool.fromPoolName(one)),
        ),
    },
  ],
]);

/** Objects without what only one of the faces has: status, and the instructions to Pulumi's provider. */
function normal(object: any): any {
  // the classes of @pulumi/kubernetes know the fields of a kind, and drop a sibling of spec
  const { status, sibling, ...rest } = JSON.parse(JSON.stringify(withoutNull(object)));
  const { annotations = {}, ...metadata } = rest.metadata ?? {};
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('pulumi.com/')));
  return { ...rest, metadata: { ...metadata, ...(Object.keys(own).length > 0 ? { annotations: own } : {}) } };
}

/** What is null is absent to the API server, and cdk8s leaves it out. */
function withoutNull(value: any): any {
  if (Array.isArray(value)) {
    return value.map(withoutNull);
  }
  return isMap(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, item]) => item !== null)
          .map(([key, item]) => [key, withoutNull(item)]),
      )
    : value;
}

const byName = (objects: any[]): any[] => objects.map(normal).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
const nameOf = ({ kind, metadata }: any): string => `${kind} ${metadata.namespace} ${metadata.name}`;

/** What the construct writes, or the problems that it finds. */
function synthesized({ construct }: Twin, given: any): { objects?: any[]; problems?: string[] } {
  const app = new cdk8s.App();
  constructs.EdgeWarnings.setMode(app, 'silent');
  try {
    construct(new cdk8s.Chart(app, 'chart'), given);
    return { objects: byName(app.charts.flatMap((chart) => chart.toJson())) };
  } catch (error) {
    if (!(error instanceof constructs.EdgeError)) {
      throw error;
    }
    return { problems: error.problems.map(({ code, path }) => `${code} ${path}`) };
  }
}

/** The problems that a component finds. */
function problemsOf(error: unknown): string[] {
  const { errors } = error as pulumi.InputPropertiesError;
  if (!Array.isArray(errors)) {
    throw error;
  }
  return errors.map(({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`);
}

// keys whose values are words of a fixed list, which the types keep plain
const PLAIN = [
  'apiVersion',
  'kind',
  'type',
  'effect',
  'operator',
  'strategy',
  'leaderElectionStrategy',
  'dnsPolicy',
  'portConflicts',
  'failurePolicy',
  'mutatingAdmissionPolicy',
  'apiServer',
  'rules',
  // what an affinity says is read, to see whether it contradicts the exclusion
  'nodeSelectorTerms',
  // taints that two pools share are tolerated once
  'taints',
  // which form, which way, which file: words and paths that decide what is written
  'via',
  'format',
  'version',
  'runtime',
  'cniFolder',
  'usages',
  'expiration',
  'path',
  // the API server adds two resources to this list, unless they are there
  'poolScopeMetadata',
];

const asItIs = (value: any): any => value;

/** Some leaves as Outputs, some of them secret. */
function withLateLeaves(value: any, random: () => number, key = ''): any {
  if (PLAIN.includes(key) || (key === 'pools' && typeof value === 'string')) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withLateLeaves(item, random, key));
  }
  if (isMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withLateLeaves(item, random, name)]));
  }
  const isLeaf = typeof value === 'string' || typeof value === 'number';
  const chance = random();
  return isLeaf && chance < 0.4 ? (chance < 0.2 ? pulumi.secret(value) : pulumi.output(value)) : value;
}

/** As recorded, with the values of secrets. */
function open(value: any): any {
  if (Array.isArray(value)) {
    return value.map(open);
  }
  if (isMap(value)) {
    return '4dabf18193072939515e22adb298388d' in value
      ? open(value.value)
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, open(item)]));
  }
  return value;
}

function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe.each([...TWINS])('%s', (noun, given) => {
  const samples = fc.sample(given.arbitrary, { numRuns: RUNS, seed: 8 });
  let expectations: ReturnType<typeof synthesized>[];

  beforeAll(() => {
    expectations = samples.map((sample) => synthesized(given, sample));
  });

  it.each([
    ['known now', asItIs],
    ['partly known later', (value: any, index: number) => withLateLeaves(value, randomOf(index))],
  ])(`is the construct, object by object: %s`, async (_, prepared) => {
    const found = new Map<number, string[]>();
    const recording = await record(() => {
      samples.forEach((sample, index) => {
        if (expectations[index]?.problems !== undefined && prepared !== asItIs) {
          return;
        }
        try {
          given.component(`it${index}x`, prepared(sample, index));
        } catch (error) {
          found.set(index, problemsOf(error));
        }
      });
    });
    const made = new Map<number, any[]>();
    for (const { name, inputs } of objectsIn(recording)) {
      const index = Number(/^it(\d+)x/.exec(name)?.[1]);
      made.set(index, [...(made.get(index) ?? []), open(inputs)]);
    }
    let equal = 0;
    samples.forEach((_sample, index) => {
      const expected = expectations[index] as ReturnType<typeof synthesized>;
      if (expected.problems !== undefined) {
        expect(prepared === asItIs ? found.get(index) : expected.problems).toEqual(expected.problems);
        return;
      }
      expect({ index, problems: found.get(index) }).toEqual({ index, problems: undefined });
      expect(byName(made.get(index) ?? [])).toEqual(expected.objects);
      equal++;
    });
    expect({ noun, most: equal > RUNS / 3 }).toEqual({ noun, most: true });
  });
});

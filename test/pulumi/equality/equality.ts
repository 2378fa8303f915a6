/** What one face writes the other writes too, whatever it is given, known now or later. */
import * as pulumi from '@pulumi/pulumi';
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as constructs from 'edge-nodepools';
import * as components from 'edge-nodepools/pulumi';
import { isMap } from '../../../src/validation/plain-data.js';
import { objectsIn, record } from '../recorded.js';

const RUNS = 200;
/** Values that are known later cost many plans each. */
const LATE_RUNS = 100;
jest.setTimeout(180_000);

export interface Twin {
  readonly arbitrary: fc.Arbitrary<any>;
  readonly construct: (chart: cdk8s.Chart, given: any) => unknown;
  readonly component: (name: string, given: any) => unknown;
  /** Properties of both that must be equal, besides the objects. */
  readonly answers: readonly string[];
}

/**
 * Both classes of a noun, given the same.
 *
 * @param answers properties of both that must be equal, besides the objects
 * @param prepare puts the pools of the face where only their descriptions are
 */
export function twin(
  noun: string,
  arbitrary: fc.Arbitrary<any>,
  answers: readonly string[] = [],
  prepare: (given: any, pool: (described: any) => unknown) => any = (given) => given,
): [string, Twin] {
  const Construct = (constructs as any)[noun];
  const Component = (components as any)[noun];
  const poolOf =
    (chart: cdk8s.Chart) =>
    (described: any): unknown =>
      constructs.HostNetworkNodePool.fromPoolName(chart, `pool-${described.poolName}`, described);
  return [
    noun,
    {
      arbitrary,
      answers,
      construct: (chart, given) => new Construct(chart, 'it', prepare(given, poolOf(chart))),
      component: (name, given) =>
        new Component(
          name,
          prepare(given, (described) => components.HostNetworkNodePool.fromPoolName(described)),
        ),
    },
  ];
}

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
function synthesized(
  { construct, answers }: Twin,
  given: any,
): { objects?: any[]; answers?: any; problems?: string[] } {
  const app = new cdk8s.App();
  constructs.EdgeWarnings.setMode(app, 'silent');
  try {
    const made = construct(new cdk8s.Chart(app, 'chart'), given) as any;
    const objects = byName(app.charts.flatMap((chart) => chart.toJson()));
    return { objects, answers: Object.fromEntries(answers.map((name) => [name, made[name]])) };
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
  'era',
  'topology',
  'within',
  'mode',
  'proxyNames',
  'tolerations',
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

/** Objects as the cluster has them: which ones they are must be known, but not what their ConfigMaps say. */
const DOCUMENTS = ['configMap', 'service', 'deployment', 'daemonSet'];

const asItIs = (value: any): any => value;

/** Puts something else in the place of values that may be known later. */
export function replaceLeaves(value: any, replace: (leaf: any) => any, key = ''): any {
  if (PLAIN.includes(key) || (key === 'pools' && typeof value === 'string')) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => replaceLeaves(item, replace, key));
  }
  if (isMap(value)) {
    const isLate = (name: string): boolean => !DOCUMENTS.includes(key) || name === 'data';
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, isLate(name) ? replaceLeaves(item, replace, name) : item]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' ? replace(value) : value;
}

/** Some leaves as Outputs, some of them secret. */
function withLateLeaves(value: any, random: () => number): any {
  return replaceLeaves(value, (leaf) => {
    const chance = random();
    return chance < 0.4 ? (chance < 0.2 ? pulumi.secret(leaf) : pulumi.output(leaf)) : leaf;
  });
}

/** What Outputs become, as plain data. */
async function valueOf(value: unknown): Promise<unknown> {
  return plain(
    await (pulumi.output(value) as unknown as { promise(withUnknowns: boolean): Promise<unknown> }).promise(true),
  );
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

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

/** Tests that both faces write the same. */
export function provesEquality(twins: readonly [string, Twin][]): void {
  describe.each(twins)('%s', (noun, given) => {
    const samples = fc.sample(given.arbitrary, { numRuns: RUNS, seed: 8 });
    let expectations: ReturnType<typeof synthesized>[];

    beforeAll(() => {
      expectations = samples.map((sample) => synthesized(given, sample));
    });

    it.each<[string, (value: any, index: number) => any, number]>([
      ['known now', asItIs, RUNS],
      ['partly known later', (value: any, index: number) => withLateLeaves(value, randomOf(index)), LATE_RUNS],
    ])(`is the construct, object by object: %s`, async (_, prepared, runs) => {
      const found = new Map<number, string[]>();
      const answered = new Map<number, Promise<unknown>>();
      const recording = await record(async () => {
        samples.slice(0, runs).forEach((sample, index) => {
          if (expectations[index]?.problems !== undefined && prepared !== asItIs) {
            return;
          }
          try {
            const component = given.component(`it${index}x`, prepared(sample, index)) as any;
            answered.set(index, valueOf(Object.fromEntries(given.answers.map((name) => [name, component[name]]))));
          } catch (error) {
            found.set(index, problemsOf(error));
          }
        });
        await Promise.all(answered.values());
      });
      const made = new Map<number, any[]>();
      for (const { name, inputs } of objectsIn(recording)) {
        const index = Number(/^it(\d+)x/.exec(name)?.[1]);
        made.set(index, [...(made.get(index) ?? []), open(inputs)]);
      }
      let equal = 0;
      expect(recording.errors).toEqual([]);
      for (const index of Array(runs).keys()) {
        const expected = expectations[index] as ReturnType<typeof synthesized>;
        if (expected.problems !== undefined) {
          expect(prepared === asItIs ? found.get(index) : expected.problems).toEqual(expected.problems);
          continue;
        }
        expect({ index, problems: found.get(index) }).toEqual({ index, problems: undefined });
        expect(byName(made.get(index) ?? [])).toEqual(expected.objects);
        expect(await answered.get(index)).toEqual(plain(expected.answers));
        equal++;
      }
      expect({ noun, most: equal > runs / 3 }).toEqual({ noun, most: true });
    });
  });
}

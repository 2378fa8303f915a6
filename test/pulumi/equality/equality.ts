/** Both bindings create the same, from plain values and from Outputs. */
import * as pulumi from '@pulumi/pulumi';
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as constructs from '../../doors/cdk8s.js';
import * as components from '../../doors/pulumi.js';
import { isMap } from '../../../src/base/plain-data.js';
import { isFullDepth } from '../../depth.js';
import type { Noun } from '../../nouns/noun.js';
import { objectsIn, record, recordRefusal } from '../recorded.js';
import { randomOf, withOutputs } from './late.js';

const RUNS = isFullDepth ? 100 : 3;
const LATE_RUNS = isFullDepth ? 60 : 3;
jest.setTimeout(180_000);

export interface Twin {
  readonly arbitrary: fc.Arbitrary<any>;
  readonly construct: (chart: cdk8s.Chart, given: any) => unknown;
  readonly component: (name: string, given: any) => unknown;
  /** Properties of both that must be equal, in addition to the objects. */
  readonly attributes: readonly string[];
}

/** The construct and the component of a noun, with the same properties. */
export function twin(name: string, { samples, attributes, component, prepare = (sample) => sample }: Noun<any>): Twin {
  const Construct = (constructs as any)[name];
  const Component = (components as any)[name];
  const create = component ?? ((id: string, args: any): unknown => new Component(id, args));
  const poolOf =
    (chart: cdk8s.Chart) =>
    (described: any): unknown =>
      constructs.HostNetworkNodePool.fromPoolName(chart, `pool-${described.poolName}`, described);
  return {
    arbitrary: samples,
    attributes,
    construct: (chart, given) => new Construct(chart, 'it', prepare(given, poolOf(chart))),
    component: (id, given) =>
      create(
        id,
        prepare(given, (described) => components.HostNetworkNodePool.fromPoolName(described)),
      ),
  };
}

/** An attribute, and a report as text, too. */
function answersOf(name: string, value: unknown, textOf: (report: unknown) => unknown): [string, unknown][] {
  return [
    [name, value],
    ...(['report', 'notExcluded'].includes(name) ? [[`${name} as text`, textOf(value)] as [string, unknown]] : []),
  ];
}

/** Objects without fields of only one binding: status, and annotations for the Pulumi provider. */
function normal(object: any): any {
  // the classes of @pulumi/kubernetes drop unknown siblings of spec
  const { status, sibling, ...rest } = JSON.parse(JSON.stringify(withoutNull(object)));
  const { annotations = {}, ...metadata } = rest.metadata ?? {};
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('pulumi.com/')));
  return { ...rest, metadata: { ...metadata, ...(Object.keys(own).length > 0 ? { annotations: own } : {}) } };
}

/** Without null values, which are absent to the API server, and which cdk8s omits. */
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

/** The objects of the construct, or its problems. */
function synthesized(
  { construct, attributes }: Twin,
  given: any,
): { objects?: any[]; attributes?: any; problems?: string[] } {
  const app = new cdk8s.App();
  constructs.EdgeWarnings.setMode(app, 'silent');
  try {
    const made = construct(new cdk8s.Chart(app, 'chart'), given) as any;
    const objects = byName(app.charts.flatMap((chart) => chart.toJson()));
    return {
      objects,
      attributes: Object.fromEntries(attributes.flatMap((name) => answersOf(name, made[name], String))),
    };
  } catch (error) {
    if (!(error instanceof constructs.EdgeError)) {
      throw error;
    }
    return { problems: error.problems.map(({ code, path }) => `${code} ${path}`) };
  }
}

/** The problems of a component. */
function problemsOf(error: unknown): string[] {
  const { errors } = error as pulumi.InputPropertiesError;
  if (!Array.isArray(errors)) {
    throw error;
  }
  return errors.map(({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`);
}

const asItIs = (value: any): any => value;

/** Resolved Outputs, as plain data. */
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

/** Tests that both bindings create the same. */
export function provesEquality(twins: readonly [string, Twin][]): void {
  describe.each(twins)('%s', (noun, given) => {
    const all = fc.sample(given.arbitrary, { numRuns: RUNS, seed: 8 });
    let expectations: ReturnType<typeof synthesized>[];

    beforeAll(() => {
      expectations = all.map((sample) => synthesized(given, sample));
    });

    it.each<[string, (value: any, index: number) => any, number]>([
      ['plain values', asItIs, RUNS],
      ['partly Outputs', (value: any, index: number) => withOutputs(value, randomOf(index)), LATE_RUNS],
    ])('equals the construct, object by object: %s', async (_, prepared, runs) => {
      const isLate = prepared !== asItIs;
      const found = new Map<number, string[]>();
      const answered = new Map<number, Promise<unknown>>();
      const declare = (index: number): void => {
        try {
          const component = given.component(`it${index}x`, prepared(all[index], index)) as any;
          const attributes = Object.fromEntries(
            given.attributes.flatMap((name) =>
              answersOf(name, component[name], (report) => (report as pulumi.Output<unknown>).apply(String)),
            ),
          );
          answered.set(index, valueOf(attributes));
        } catch (error) {
          found.set(index, problemsOf(error));
        }
      };
      const recording = await record(async () => {
        [...Array(runs).keys()]
          .filter((index) => !isLate || expectations[index]?.problems === undefined)
          .forEach(declare);
        await Promise.all(answered.values());
      });
      const made = new Map<number, any[]>();
      for (const { name, inputs } of objectsIn(recording)) {
        const index = Number(/^it(\d+)x/.exec(name)?.[1]);
        made.set(index, [...(made.get(index) ?? []), open(inputs)]);
      }
      expect(recording.errors).toEqual([]);
      let equal = 0;
      for (const index of Array(runs).keys()) {
        const expected = expectations[index] as ReturnType<typeof synthesized>;
        if (expected.problems === undefined) {
          expect({ index, problems: found.get(index) }).toEqual({ index, problems: undefined });
          expect({ index, objects: byName(made.get(index) ?? []) }).toEqual({ index, objects: expected.objects });
          expect(await answered.get(index)).toEqual(plain(expected.attributes));
          equal++;
        } else if (isLate) {
          // refused at once, or when the values are known, with the same problems as plain values
          const refused = await refusedLater(() => given.component('it', prepared(all[index], index)));
          expect({ index, some: refused.length > 0 }).toEqual({ index, some: true });
          expect({ index, other: refused.filter((problem) => !expected.problems?.includes(problem)) }).toEqual({
            index,
            other: [],
          });
        } else {
          expect([...(found.get(index) ?? [])].sort()).toEqual([...expected.problems].sort());
        }
      }
      // of few samples, most may be refused
      expect({ noun, enough: equal > (isFullDepth ? runs / 3 : 0) }).toEqual({ noun, enough: true });
    });
  });
}

/** The problems of a component, at once or when its values are known. */
async function refusedLater(make: () => unknown): Promise<string[]> {
  let thrown: string[] = [];
  const shown = await recordRefusal(() => {
    try {
      make();
    } catch (error) {
      thrown = problemsOf(error);
    }
  });
  const lines = shown.matchAll(/^ {2}(EDGE_[A-Z_]+) {2}(?:(\S+): )?/gm);
  return [...thrown, ...[...lines].map(([, code, path = '']) => `${code} ${path}`)];
}

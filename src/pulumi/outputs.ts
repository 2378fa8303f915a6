import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeError, joinPath } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { printable } from './input-errors.js';
import { Computed, holdsUnknown, Unknown, unknownFactsOf, withKnown } from '../validation/unknown.js';

/** An Output among the arguments of a component. */
export interface Leaf {
  /** Path in the arguments, as in problems. */
  readonly path: string;
  readonly unknown: Unknown;
}

const MAKERS = Symbol('makers of Outputs');
const getters = new Map<string, PropertyDescriptor>();

/** One unknown value per Output, wherever it is used, so that rules can compare unknown values by identity. */
const unknowns = new WeakMap<object, Unknown>();

/** Attributes of components that other components take, such as pools, for plans, with unknown values. */
const attributes = new WeakMap<object, object>();

/** Clusters for plans, which hold unknown values, by the cluster that the program has; and the other way round. */
const plannedClusters = new WeakMap<object, EdgeCluster>();
const clustersOfPrograms = new WeakMap<EdgeCluster, EdgeCluster>();

/** The cluster for a program: reading a property that is an Output is an error, because its type says that it is plain. */
export function clusterOfProgram<Cluster extends EdgeCluster>(planned: Cluster): Cluster {
  const late = Object.entries(planned).filter(([name, value]) => name !== 'props' && holdsUnknown(value));
  if (late.length === 0) {
    return planned;
  }
  // not enumerable, because Pulumi reads all properties of what it is given
  const getters: PropertyDescriptorMap = Object.fromEntries(
    late.map(([name]) => [name, { get: () => refuseToRead(name) }]),
  );
  const cluster = clustersOfPrograms.get(planned) ?? (Object.create(planned, getters) as EdgeCluster);
  clustersOfPrograms.set(planned, cluster);
  plannedClusters.set(cluster, planned);
  return cluster as Cluster;
}

function refuseToRead(name: string): never {
  throw new EdgeError('EdgeCluster', [
    {
      code: 'EDGE_KNOWN_LATER',
      path: name,
      message: 'this was given as an Output, so it cannot be read from the cluster as a plain value',
      hint: `use the Output that was given to EdgeCluster.of as ${name}`,
    },
  ]);
}

/** Whether a value is an Output or a Promise. */
export function isOutput(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** The value of an Output, without the resources that it depends on. */
export function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
  return (output as unknown as { promise(): Promise<T> }).promise();
}

/**
 * Gives an object attributes whose Outputs are made when they are first read: a program with many components reads few of them, and three Outputs cost
 * about as much as a resource.
 */
export function defineOutputs(object: object, makers: Readonly<Record<string, (name: string) => unknown>>): void {
  Object.defineProperty(object, MAKERS, { value: makers });
  Object.keys(makers).forEach((name) => Object.defineProperty(object, name, getterOf(name)));
}

/** One getter per name: with getters of its own each object would have a hidden class of its own, which takes 3 KB. */
function getterOf(name: string): PropertyDescriptor {
  const getter = getters.get(name) ?? {
    enumerable: true,
    configurable: true,
    get(this: object & { readonly [MAKERS]: Readonly<Record<string, (name: string) => unknown>> }): unknown {
      const value = this[MAKERS][name]?.(name);
      Object.defineProperty(this, name, { enumerable: true, configurable: true, value });
      return value;
    },
  };
  getters.set(name, getter);
  return getter;
}

/** Records the attributes of a component for plans. */
export function noteAttributes(component: object, answers: object): void {
  attributes.set(component, answers);
}

/** An Output as an unknown value. */
export function unknownOf(output: object): Unknown {
  const unknown = unknowns.get(output) ?? new Unknown(output);
  unknowns.set(output, unknown);
  return unknown;
}

/**
 * Arguments for a plan: Outputs as unknown values, pools and others as their attributes.
 *
 * @param leaves the unknown values are added to this list
 */
export function argumentsOf(value: unknown, leaves: Leaf[] = [], path = ''): unknown {
  const known =
    typeof value === 'object' && value !== null ? (attributes.get(value) ?? plannedClusters.get(value)) : undefined;
  if (known !== undefined) {
    return argumentsOf(known instanceof EdgeCluster ? known : { ...known }, leaves, path);
  }
  if (isOutput(value)) {
    const unknown = unknownOf(value);
    leaves.push({ path, unknown });
    return unknown;
  }
  if (value instanceof Unknown) {
    leavesIn(value).forEach((unknown) => leaves.push({ path, unknown }));
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => argumentsOf(item, leaves, joinPath(path, index)));
  }
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, argumentsOf(item, leaves, joinPath(path, key))]),
    );
  }
  const facts = unknownFactsOf(value);
  if (facts !== undefined) {
    argumentsOf(facts, leaves, path);
    return value;
  }
  return value;
}

/** The Outputs, as unknown values, on which a value depends. */
export function leavesIn(value: unknown, found = new Set<Unknown>()): Set<Unknown> {
  if (value instanceof Computed) {
    leavesIn(value.input, found);
  } else if (value instanceof Unknown) {
    found.add(value);
  } else if (Array.isArray(value)) {
    value.forEach((item) => leavesIn(item, found));
  } else if (isMap(value)) {
    Object.values(value).forEach((item) => leavesIn(item, found));
  } else {
    Object.values(unknownFactsOf(value) ?? {}).forEach((item) => leavesIn(item, found));
  }
  return found;
}

/** A value with its unknown values replaced by known ones, and its computed values computed. */
export function evaluate(value: unknown, known: ReadonlyMap<Unknown, unknown>): unknown {
  const computed = new Map<Unknown, unknown>();
  const valueOf = (unknown: Unknown): unknown => {
    if (!(unknown instanceof Computed)) {
      return known.get(unknown);
    }
    if (!computed.has(unknown)) {
      computed.set(unknown, (unknown.rule as (input: unknown) => unknown)(fill(unknown.input)));
    }
    return computed.get(unknown);
  };
  const fill = (part: unknown): unknown => withKnown(part, valueOf);
  return fill(value);
}

/** The parts of an Output that Pulumi itself works with. */
interface OutputParts {
  promise(): Promise<unknown>;
  allResources(): Promise<Set<pulumi.Resource>>;
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
}

/** An Output that is settled. */
interface Settled {
  readonly value: unknown;
  readonly isKnown: boolean;
  readonly isSecret: boolean;
  readonly resources: ReadonlySet<pulumi.Resource>;
}

const settled = new WeakMap<Unknown, Promise<Settled>>();

/**
 * An Output when it is settled. One that is rejected is never settled, and its error is reported once. If it were passed on to all that is computed from
 * it, Node.js 20 would look for handlers on every path through their promises, of which there are four per Output: that takes forever at a depth of ten.
 */
function settledOf(unknown: Unknown): Promise<Settled> {
  const present = settled.get(unknown);
  if (present !== undefined) {
    return present;
  }
  const output = pulumi.output(unknown.source) as unknown as OutputParts;
  const parts = Promise.all([output.promise(), output.isKnown, output.isSecret, output.allResources()]);
  const result = new Promise<Settled>((resolve) => {
    parts.then(([value, isKnown, isSecret, resources]) => resolve({ value, isKnown, isSecret, resources }), report);
  });
  settled.set(unknown, result);
  return result;
}

/** Fails the update with an error: Pulumi shows what nobody handles, each error once. */
export function report(error: unknown): void {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the program threw
  void Promise.reject(printable(error));
}

/** The values of Outputs when all of them are settled, and which are secret; undefined if one is unknown. */
export async function whenKnown(
  leaves: readonly Unknown[],
): Promise<{ values: ReadonlyMap<Unknown, unknown>; secrets: ReadonlySet<Unknown> } | undefined> {
  const all = await Promise.all(leaves.map(settledOf));
  return all.every(({ isKnown }) => isKnown)
    ? {
        values: new Map(leaves.map((leaf, index) => [leaf, all[index]?.value])),
        secrets: new Set(leaves.filter((_, index) => all[index]?.isSecret)),
      }
    : undefined;
}

/**
 * An Output that is computed from others: unknown, secret and dependent on resources as they are. It is made of its parts, because each `apply` costs
 * thirty promises.
 */
export function computedOutput(
  leaves: readonly Unknown[],
  compute: (values: ReadonlyMap<Unknown, unknown>) => unknown,
): pulumi.Output<unknown> {
  const Output = pulumi.Output as unknown as new (...parts: unknown[]) => pulumi.Output<unknown>;
  const all = Promise.all(leaves.map(settledOf));
  return new Output(
    [],
    whenKnown(leaves).then((known) => known && compute(known.values)),
    all.then((parts) => parts.every(({ isKnown }) => isKnown)),
    all.then((parts) => parts.some(({ isSecret }) => isSecret)),
    all.then((parts) => new Set(parts.flatMap(({ resources }) => [...resources]))),
  );
}

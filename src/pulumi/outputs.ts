import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeError, joinPath } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { printable } from './input-errors.js';
import { Computed, holdsUnknown, Unknown, unknownFactsOf, withKnown } from '../base/unknown.js';
import { reportToPreview } from './preview-errors.js';

/** An Output among the arguments of a component. */
export interface Leaf {
  /** Path in the arguments, as in problems. */
  readonly path: string;
  readonly unknown: Unknown;
}

const MAKERS = Symbol('makers of Outputs');

/** One unknown value per Output, wherever it is used, so that rules can compare unknown values by identity. */
const unknowns = new WeakMap<object, Unknown>();

/** Attributes of components that other components take, such as pools, for plans, with unknown values. */
const attributesOf = new WeakMap<object, object>();

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
      hint: `use the Output that was given to the cluster as ${name}`,
    },
  ]);
}

/** Whether a value is an Output or a Promise. */
export function isOutput(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/**
 * The value of an Output, without the resources that it depends on; undefined if it is unknown. Pulumi does not declare this method, and has no other way to
 * get there (https://github.com/pulumi/pulumi/issues/5924).
 */
export function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
  return (output as unknown as { promise(): Promise<T> }).promise();
}

/**
 * Gives an object attributes whose Outputs are made when they are first read: a program with many components reads few of them, and three Outputs cost
 * about as much as a resource.
 */
export function defineOutputs(object: object, makers: Readonly<Record<string, (name: string) => unknown>>): void {
  Object.defineProperty(object, MAKERS, { value: makers });
  // of a class once: each object with getters of its own takes 2 KB
  const prototype = Object.getPrototypeOf(object) as object;
  const owner = prototype === Object.prototype ? object : prototype;
  for (const name of Object.keys(makers)) {
    if (!Object.hasOwn(owner, name)) {
      Object.defineProperty(owner, name, getterOf(name));
    }
  }
}

/** A getter that replaces itself by its value. */
function getterOf(name: string): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: { readonly [MAKERS]?: Readonly<Record<string, (name: string) => unknown>> }): unknown {
      const make = this[MAKERS]?.[name];
      if (make === undefined) {
        return undefined;
      }
      const value = make(name);
      Object.defineProperty(this, name, { enumerable: true, configurable: true, value });
      return value;
    },
  };
}

/** Records the attributes of a component for plans. */
export function noteAttributes(component: object, attributes: object): void {
  attributesOf.set(component, attributes);
}

/** An Output as an unknown value. */
export function unknownOf(output: object): Unknown {
  const unknown = unknowns.get(output) ?? new Unknown(output);
  unknowns.set(output, unknown);
  return unknown;
}

/**
 * Arguments for a plan: Outputs as unknown values, pools and others as their attributes. Maps and lists are copied, because
 * a program may change its own later.
 *
 * @param leaves the unknown values are added to this list
 */
export function argumentsOf(value: unknown, leaves: Leaf[] = []): unknown {
  return argumentsAt(value, leaves, []);
}

function argumentsAt(value: unknown, leaves: Leaf[], steps: (string | number)[]): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const known = attributesOf.get(value) ?? plannedClusters.get(value);
  if (known !== undefined) {
    return argumentsAt(known instanceof EdgeCluster ? known : { ...known }, leaves, steps);
  }
  if (isOutput(value)) {
    const unknown = unknownOf(value);
    leaves.push({ path: pathOf(steps), unknown });
    return unknown;
  }
  if (value instanceof Unknown) {
    const path = pathOf(steps);
    leavesIn(value).forEach((unknown) => leaves.push({ path, unknown }));
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => argumentsInside(item, index, leaves, steps));
  }
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, argumentsInside(item, key, leaves, steps)]),
    );
  }
  const facts = unknownFactsOf(value);
  if (facts !== undefined) {
    argumentsAt(facts, leaves, steps);
  }
  return value;
}

function argumentsInside(item: unknown, step: string | number, leaves: Leaf[], steps: (string | number)[]): unknown {
  if (typeof item !== 'object' || item === null) {
    return item;
  }
  steps.push(step);
  const found = argumentsAt(item, leaves, steps);
  steps.pop();
  return found;
}

const pathOf = (steps: readonly (string | number)[]): string =>
  steps.reduce<string>((path, step) => joinPath(path, step), '');

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

/** Outputs that are settled. */
export interface Settled {
  readonly isKnown: boolean;
  readonly values: ReadonlyMap<Unknown, unknown>;
  readonly secrets: ReadonlySet<Unknown>;
  readonly resources: ReadonlySet<pulumi.Resource>;
}

const settled = new WeakMap<Unknown, Promise<Settled>>();

/** Outputs when all of them are settled. */
export function allSettled(leaves: readonly Unknown[]): Promise<Settled> {
  const [only] = leaves;
  return leaves.length === 1 && only !== undefined
    ? settledOf(only)
    : Promise.all(leaves.map(settledOf)).then((all) => ({
        isKnown: all.every(({ isKnown }) => isKnown),
        values: new Map(all.flatMap(({ values }) => [...values])),
        secrets: new Set(all.flatMap(({ secrets }) => [...secrets])),
        resources: new Set(all.flatMap(({ resources }) => [...resources])),
      }));
}

/**
 * An Output when it is settled. One that is rejected is never settled, and its error is reported once. If it were passed on to all that is computed from
 * it, Node.js 20 would look for handlers on every path through their promises, of which there are four per Output: that takes forever at a depth of ten.
 */
function settledOf(unknown: Unknown): Promise<Settled> {
  const present = settled.get(unknown);
  if (present !== undefined) {
    return present;
  }
  const { source } = unknown;
  const result = new Promise<Settled>((resolve) => {
    // as it is, because `pulumi.output` makes two more of it
    const isOwn = source instanceof (pulumi.Output as unknown as new () => object);
    settle(unknown, isOwn ? source : pulumi.output(source), resolve);
  });
  settled.set(unknown, result);
  return result;
}

function settle(unknown: Unknown, output: object, resolve: (settled: Settled) => void): void {
  const parts = output as OutputParts;
  Promise.all([parts.promise(), parts.isKnown, parts.isSecret, parts.allResources()])
    .then(([value, isKnown, isSecret, resources]) => {
      if (output === unknown.source && nestsOutput(value)) {
        settle(unknown, pulumi.output(output), resolve);
      } else {
        resolve({
          isKnown: isKnown && !(resources.size > 0 && pulumi.runtime.isDryRun() && lacksField(value)),
          values: new Map([[unknown, value]]),
          secrets: new Set(isSecret ? [unknown] : []),
          resources,
        });
      }
    })
    .catch(report);
}

/**
 * Whether a value of a resource is one that only the API server knows. A preview takes the fields of a new resource for known, and gives those that the
 * server adds, such as `metadata.uid`, as undefined, also inside of a text (https://github.com/pulumi/pulumi/issues/7521).
 */
function lacksField(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.includes('undefined'));
}

/** Whether a value contains an Output or a Promise at any depth that `pulumi.output` looks into. */
function nestsOutput(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || pulumi.Resource.isInstance(value)) {
    return false;
  }
  return isOutput(value) || Object.values(value).some(nestsOutput);
}

/** Fails the update with an error: Pulumi shows what nobody handles, each error once. A preview of a test gets it instead. */
export function report(error: unknown): void {
  const isTold = reportToPreview(printable(error));
  if (!isTold) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the program threw
    void Promise.reject(error);
  }
}

/**
 * An Output that is computed from others: unknown, secret and dependent on resources as they are. It is made of its parts, with a constructor that Pulumi
 * does not declare: each `apply` costs thirty promises, and passes a rejection on to each of them. The public way does not have the parts
 * (https://github.com/pulumi/pulumi/issues/5924).
 */
export function computedOutput(
  leaves: readonly Unknown[],
  compute: (values: ReadonlyMap<Unknown, unknown>) => unknown,
): pulumi.Output<unknown> {
  const Output = pulumi.Output as unknown as new (...parts: unknown[]) => pulumi.Output<unknown>;
  const all = allSettled(leaves);
  return new Output(
    [],
    all.then(({ isKnown, values }) => (isKnown ? compute(values) : undefined)),
    all.then(({ isKnown }) => isKnown),
    all.then(({ secrets }) => secrets.size > 0),
    all.then(({ resources }) => resources),
  );
}

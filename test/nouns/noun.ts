import type * as pulumi from '@pulumi/pulumi';
import type fc from 'fast-check';
import type schema from '../../pulumi-plugin/schema.json';
import type { Data } from '../../src/pulumi/provider.js';
import { isMap } from '../../src/base/plain-data.js';
import type * as library from '../doors/pulumi.js';

type Library = typeof library;

/** The components of the library: its classes of resources that a program can create. */
export type Component = {
  [Name in keyof Library]: Library[Name] extends new (
    name: string,
    args: infer _,
    ...rest: never[]
  ) => pulumi.ComponentResource
    ? Name
    : never;
}[keyof Library];

type InSchema<Name extends Component> = (typeof schema.resources)[`edge-nodepools:index:${Name}`];
type ArgumentsOf<Name> = Name extends Component
  ? Library[Name] extends new (name: string, args: infer Args, ...rest: never[]) => unknown
    ? keyof Args
    : never
  : never;
type OutputsOf<Name extends Component> = Exclude<keyof InstanceType<Library[Name]>, keyof pulumi.ComponentResource>;

export const RESOURCE = 'a resource of another package';
/** Other languages write the value that it gives. */
export const METHOD = 'a method';
export const GIVEN = 'an argument of the program';
export const ALWAYS_EDGE = 'always Edge';

/** What the schema of the plugin lacks, and why: anything else that is missing does not compile. */
type LeftOut<Name extends Component> = Record<
  | Exclude<ArgumentsOf<Name>, keyof InSchema<Name>['inputProperties']>
  | Exclude<OutputsOf<Name>, keyof InSchema<Name>['properties']>,
  typeof RESOURCE | typeof METHOD | typeof GIVEN | typeof ALWAYS_EDGE
>;

/** What examples share: instances in a program in TypeScript, plain data in another language. */
export interface Given {
  readonly cluster: any;
  /** A cluster with older releases. */
  readonly old: any;
  /** The host-network pool shops. */
  readonly pool: any;
}

/** One declaration. */
export interface Example {
  /** Arguments of the component; made anew for each program. */
  readonly args: (given: Given) => any;
  /** The same in another language, through the plugin.
   * @default - the arguments, with plain data in place of instances */
  readonly data?: (given: Given) => Data;
}

/** What the tests need of a noun with a construct and a component. */
export interface Noun<Name extends Component = Component> {
  /** Samples of its properties; pools are described. */
  readonly samples: fc.Arbitrary<any>;
  /** Makes properties of a sample: described pools become pools of the binding.
   * @default - the sample */
  readonly prepare?: (sample: any, pool: (described: any) => unknown) => any;
  /** Creates the component of properties, where it differs from its constructor.
   * @default - by its constructor */
  readonly component?: (name: string, args: any, options?: pulumi.ComponentResourceOptions) => unknown;
  /** Attributes of both bindings that are equal, in addition to the objects. */
  readonly attributes: readonly string[];
  /** What the schema of the plugin requires. */
  readonly required: readonly string[];
  readonly leftOut: LeftOut<Name>;
  /** By the name of the resource. The first is in the program with every component. */
  readonly examples: Readonly<Record<string, Example>>;
}

/** One pool that is described by `pools`, as `pool`. */
export function onePool({ cluster, pools, ...rest }: any, pool: (described: any) => unknown): any {
  const [one] = Array.isArray(pools) ? pools : [pools];
  return { ...rest, pool: pool(isMap(one) ? { cluster, ...one } : one) };
}

/** Several pools. */
export function somePools({ cluster, pools, ...rest }: any, pool: (described: any) => unknown): any {
  const poolOf = (one: unknown): unknown => pool(isMap(one) ? { cluster, ...one } : one);
  return { ...rest, pools: Array.isArray(pools) ? pools.map(poolOf) : pools };
}

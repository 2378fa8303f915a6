import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { EdgeComponent } from './component.js';
import * as controlPlane from './control-plane.js';
import * as core from './index.js';
import { withInputErrors } from './input-errors.js';
import { orRefused } from './log.js';
import { isOutput, promiseOf } from './outputs.js';
import { setProgramLanguage } from '../base/program-language.js';
import { EdgeCluster, type EdgeClusterArgs } from './edge-cluster.js';
import { type INodePool, importedPool } from './node-pool.js';
import { JoinToken, type TokenSecret } from '../join/join-token.js';
import { NodeReservation } from '../pools/node-reservation.js';
import type { ReservationPreset } from '../pools/reservation-presets.js';
import { SystemComponent, type SystemComponentProps } from '../system-components/system-component.js';
import { isMap } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import type { EdgeCode } from '../base/error-codes.js';
import { EdgeError, type EdgeProblem } from '../base/errors.js';
import { MUST_BE_PLAIN } from '../base/property-table.js';

type Component = new (name: string, args: object, options?: pulumi.ComponentResourceOptions) => EdgeComponent;

interface ComponentSchema {
  readonly inputProperties: Readonly<Record<string, Shape>>;
  readonly properties: Readonly<Record<string, Shape>>;
}

/** The part of the schema that is needed here. */
export interface Schema {
  readonly version: string;
  readonly types: Types;
  readonly resources: Readonly<Record<string, ComponentSchema>>;
}

/** How the names of properties are read in a program. */
const NOTE =
  'Properties have their names as in YAML: in Python, hostNetwork is host_network; in Go and C#, HostNetwork.';

/**
 * A component, created for a program in another language.
 *
 * @param schema the schema
 * @param type its type, `edge-nodepools:index:HostNetworkNodePool`
 * @throws InputPropertiesError with all problems at once
 */
export function construct(
  { resources }: Pick<Schema, 'resources'>,
  name: string,
  type: string,
  args: Data,
  options?: pulumi.ComponentResourceOptions,
): pulumi.ComponentResource {
  const kind = type.slice(type.lastIndexOf(':') + 1);
  const component = ({ ...core, ...controlPlane } as Readonly<Record<string, unknown>>)[kind];
  if (typeof component !== 'function' || !(component.prototype instanceof EdgeComponent)) {
    throw new Error(`edge-nodepools has no component ${kind}`);
  }
  return withNote(() => {
    const given = withInputErrors(() =>
      libraryArguments(kind, `${kind} ${name}`, args, resources[type]?.inputProperties ?? {}),
    );
    return new (component as Component)(name, given, options);
  });
}

/**
 * Creates a component, and waits until its outputs are known, or it is refused.
 *
 * @throws InputPropertiesError with all problems at once, also those of Outputs: what nobody handles would be the answer for every component that is
 * created at that time
 */
export async function answer(
  schema: Schema,
  name: string,
  type: string,
  args: Data,
  options?: pulumi.ComponentResourceOptions,
): Promise<{ readonly urn: pulumi.Output<string>; readonly state: Data }> {
  const { resources, types } = schema;
  const { inputProperties = {}, properties = {} } = resources[type] ?? {};
  const component = construct(schema, name, type, await withKnownOutputs(args, inputProperties, types), options);
  const state = Object.fromEntries(
    Object.keys(properties).map((output) => [output, (component as unknown as Data)[output]]),
  );
  try {
    await orRefused(component, promiseOf(pulumi.output([component.urn, state])));
  } catch (error) {
    throw noted(error);
  }
  return { urn: component.urn, state };
}

/**
 * Serves the components to the engine, for programs in other languages.
 *
 * @param folder where schema.json is
 */
export function serve(folder: string): Promise<void> {
  const text = readFileSync(join(folder, 'schema.json'), 'utf8');
  const schema = JSON.parse(text) as Schema;
  setProgramLanguage('any');
  const provider: pulumi.provider.Provider = {
    version: schema.version,
    schema: text,
    construct: async (name, type, args, options) => answer(schema, name, type, args, options),
  };
  return pulumi.provider.main(provider, process.argv.slice(2));
}

/** Runs a function; what it throws says how names are read in the language of the program. */
function withNote<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw noted(error);
  }
}

function noted(error: unknown): unknown {
  // without its errors: the message has them, and the engine would print each a second time, with the value of the property, also that of a token
  return pulumi.InputPropertiesError.isInstance(error)
    ? new pulumi.InputPropertiesError({ message: `${error.message}\n${NOTE}`, errors: [] })
    : error;
}

// Arguments from other languages are data: interfaces in place of the classes of this library (scripts/docs/plugin-differences.mjs says which).
/** Makes an argument of the library of one of a program; it gets the path, and the cluster of the component. */
type Convert = (value: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster) => unknown;

const TYPE = '#/types/edge-nodepools:index:';
const POOL = `${TYPE}PoolReference`;

/** Arguments that are not those of the library, by component and name. */
const BY_NAME: Readonly<Record<string, Convert>> = {
  'ControlPlaneQos.components': (components, path, conversion) =>
    conversion.list(path, components, (one, at) =>
      conversion.made(at, one, (given) => componentQos(given, at, conversion)),
    ),
};

/** Arguments that are not those of the library, by their type in the schema. */
const BY_TYPE: Readonly<Record<string, Convert>> = {
  [POOL]: (pool, path, conversion, cluster) => pooled(pool, path, conversion, cluster),
  [`${TYPE}Reservation`]: (reservation, path, conversion) => conversion.made(path, reservation, reservationOf),
};

/** How an argument is made of one of its type, if it is not the same. */
function conversionOf({ $ref = '', items }: Shape): Convert | undefined {
  const each = BY_TYPE[items?.$ref ?? ''];
  return each === undefined
    ? BY_TYPE[$ref]
    : (list, path, conversion, cluster) => conversion.list(path, list, (one, at) => each(one, at, conversion, cluster));
}

/** Whether a pool is an argument of a component: then its cluster is that of the pool. */
function isOfPools(shapes: Readonly<Record<string, Shape>>): boolean {
  return Object.values(shapes).some(({ $ref, items }) => $ref === POOL || items?.$ref === POOL);
}

/**
 * The arguments of a component of this library.
 *
 * @param kind name of the component
 * @param subject the component in messages
 * @param shapes its arguments in the schema
 * @throws {@link EdgeError} with the problems of clusters, pools, reservations, tokens and system components
 */
function libraryArguments(kind: string, subject: string, given: Data, shapes: Readonly<Record<string, Shape>>): Data {
  const conversion = new Conversion();
  const { cluster: described, ...args } = present(given);
  const cluster = conversion.made('cluster', described, clusterOf);
  const made = Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const convert = BY_NAME[`${kind}.${name}`] ?? conversionOf(shapes[name] ?? {});
      return [name, convert === undefined ? value : convert(value, name, conversion, cluster)];
    }),
  );
  if (!isOfPools(shapes)) {
    made.cluster = cluster;
  } else if (described === undefined) {
    conversion.made('cluster', '', () =>
      refuse('EDGE_MISSING', 'the cluster of the pool is absent', 'write cluster, with openYurt and kubernetes'),
    );
  }
  const all = present(BY_KIND[kind]?.(made, conversion, cluster) ?? made);
  conversion.throwIfAny(subject);
  return all;
}

/** What several arguments of a component become together. */
const BY_KIND: Readonly<Record<string, (args: Data, conversion: Conversion, cluster?: EdgeCluster) => Data>> = {
  BootstrapToken: withToken,
  EdgeSystemComponents: ({ exclude, workloads, manifests, ...others }, conversion) => ({
    ...others,
    exclude: [
      ...conversion.list('exclude', exclude, (one, at) => conversion.made(at, one, knownComponent)),
      ...conversion.list('workloads', workloads, (one, at) => conversion.made(at, one, workloadOf)),
      ...conversion.list('manifests', manifests, (one, at) =>
        conversion.made(at, one, (manifest) => SystemComponent.fromManifest(manifest as string)),
      ),
    ],
  }),
  // beside its pools it names their cluster itself
  NodeAccess: (args, _, cluster) => ({ ...args, cluster }),
  NodeJoin: withToken,
  // the components of a program do not know each other here
  PoolAdmission: (args, _, cluster) => ({
    ...(args.otherPools === undefined && cluster?.hasOpenYurt() === true ? { pools: 'live' } : {}),
    ...args,
  }),
};

function clusterOf(cluster: unknown): EdgeCluster {
  return EdgeCluster.of(present(mapOf(cluster)) as unknown as EdgeClusterArgs);
}

/** A pool, also one that is unknown in a preview: then only its name counts, and the update knows the rest. */
function pooled(pool: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster): INodePool | undefined {
  const given = pulumi.Output.isInstance(pool) ? { poolName: pool.apply((known) => (known as Data).poolName) } : pool;
  return conversion.made(path, given, (one) => poolOf(one, path, conversion, cluster));
}

/** A pool by reference. Its cluster is that of the component; if that is refused, it has its own error. */
function poolOf(pool: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster): INodePool | undefined {
  const { hostNetwork = true, ...props } = present(mapOf(pool));
  const kind =
    hostNetwork === false
      ? ({ subject: 'RegularNodePool', mode: 'regular', makesObject: false } as const)
      : ({ subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: false } as const);
  const reservation = conversion.made(`${path}.reservation`, props.reservation, reservationOf);
  return cluster && importedPool(kind, present({ ...props, reservation, cluster }));
}

function reservationOf(reservation: unknown): NodeReservation {
  const { preset, capacity, maxPods, diskSize, ...amounts } = present(mapOf(reservation));
  if (preset === undefined) {
    return NodeReservation.of({ ...amounts, ...present({ capacity, maxPods, diskSize }) });
  }
  if (Object.keys(amounts).length > 0) {
    refuse(
      'EDGE_CONTRADICTION',
      `the reservation has a preset and ${Object.keys(amounts).join(', ')}`,
      'write either the preset or the amounts',
    );
  }
  return NodeReservation.preset(preset as ReservationPreset, present({ capacity, maxPods, diskSize }));
}

/** The token, which is a secret here in any case, or where the machine finds it. */
function withToken(args: Data, conversion: Conversion): Data {
  const { token, tokenFile, removeTokenFile, tokenCommand, tokenCommandTimeout, tokenSecret, ...others } = args;
  const ways = Object.keys(present({ token, tokenFile, tokenCommand, tokenSecret }));
  if (ways.length !== 1) {
    const named = ways.length === 0 ? 'the token is absent' : `there is more than one token: ${ways.join(', ')}`;
    conversion.made('token', '', () =>
      refuse(
        ways.length === 0 ? 'EDGE_MISSING' : 'EDGE_CONTRADICTION',
        named,
        'write one of token (a secret), tokenFile, tokenCommand and tokenSecret',
      ),
    );
  }
  const options = present({ removeAfterJoin: removeTokenFile });
  const timeout = present({ timeoutSeconds: tokenCommandTimeout });
  return {
    ...others,
    token:
      (token === undefined ? undefined : pulumi.secret(token)) ??
      conversion.made('tokenFile', tokenFile, (path) => JoinToken.fromFile(path as string, options)) ??
      conversion.made('tokenCommand', tokenCommand, (command) => JoinToken.fromCommand(command as string[], timeout)) ??
      conversion.made('tokenSecret', tokenSecret, (secret) =>
        JoinToken.fromSecret(present(mapOf(secret)) as unknown as TokenSecret),
      ),
  };
}

function componentQos(given: unknown, path: string, conversion: Conversion): Data {
  const { component, ...others } = present(mapOf(given));
  return present({ ...others, component: conversion.made(`${path}.component`, component, knownComponent) });
}

function knownComponent(name: unknown): SystemComponent {
  const known = Object.values(SystemComponent).filter((value) => value instanceof SystemComponent);
  return (
    known.find((one) => one.name === name) ??
    refuse(
      'EDGE_VALUE',
      `there is no component ${typeof name === 'string' ? quoted(name) : whatIs(name)}`,
      `write one of ${known.map((one) => one.name).join(', ')}; or name its workload in workloads`,
    )
  );
}

function workloadOf(workload: unknown): SystemComponent {
  return SystemComponent.of(present(mapOf(workload)) as unknown as SystemComponentProps);
}

function mapOf(value: unknown): object {
  return isMap(value)
    ? value
    : refuse('EDGE_TYPE', `this is ${whatIs(value)}, not a map`, 'write a map of its properties');
}

/** A type in the schema. */
interface Shape {
  readonly $ref?: string;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly plain?: boolean;
}

/** Types with properties in the schema, by reference. */
type Types = Readonly<Record<string, { readonly properties?: Readonly<Record<string, Shape>> }>>;

/**
 * Arguments in which lists and maps are plain, with Outputs in their places. Programs in YAML, and some in other languages, send a map with an Output in it as one Output:
 * which values it has is known here, if its value is, and the library needs to know it. What stays unknown stays one Output.
 *
 * @param shapes the arguments in the schema
 */
async function withKnownOutputs(given: Data, shapes: Readonly<Record<string, Shape>>, types: Types): Promise<Data> {
  const walk = async (value: unknown, shape: Shape | undefined): Promise<unknown> => {
    if (shape === undefined || shape.$ref === ANY || shape.oneOf !== undefined) {
      return value;
    }
    if (isOutput(value)) {
      const output = value as unknown as Details;
      const [known, isKnown, isSecret] = [await promiseOf(output), await output.isKnown, await output.isSecret];
      return isKnown ? opened(output, known, shape, isSecret) : value;
    }
    return eachIn(value, shape, walk);
  };
  const opened = (output: pulumi.Output<unknown>, known: unknown, shape: Shape, isSecret: boolean): unknown => {
    if (shape.plain === true && !isSecret) {
      return known;
    }
    if (!isShaped(shape) || known === null || typeof known !== 'object') {
      return output;
    }
    const part = (key: string | number, inner: unknown, innerShape?: Shape): unknown =>
      opened(
        output.apply((whole) => (whole as Data)[key]),
        inner,
        innerShape ?? {},
        isSecret,
      );
    return Array.isArray(known)
      ? known.map((item: unknown, index) => part(index, item, shape.items))
      : Object.fromEntries(
          Object.entries(known)
            .filter(([, inner]) => inner !== null)
            .map(([key, inner]) => [key, part(key, inner, shapeOf(shape, key))]),
        );
  };
  const shapeOf = ({ $ref, additionalProperties }: Shape, key: string): Shape | undefined =>
    $ref === undefined ? additionalProperties : types[$ref.replace('#/types/', '')]?.properties?.[key];
  const isShaped = ({ $ref, items, additionalProperties }: Shape): boolean =>
    items !== undefined ||
    additionalProperties !== undefined ||
    types[$ref?.replace('#/types/', '') ?? '']?.properties !== undefined;
  const eachIn = async (value: unknown, shape: Shape, run: typeof walk): Promise<unknown> => {
    if (Array.isArray(value)) {
      return Promise.all(value.map((item: unknown) => run(item, shape.items)));
    }
    if (isMap(value)) {
      const all = Object.entries(value).map(
        async ([key, item]) => [key, await run(item, shapeOf(shape, key))] as const,
      );
      return Object.fromEntries(await Promise.all(all));
    }
    return value;
  };
  const all = Object.entries(given).map(async ([name, value]) => [name, await walk(value, shapes[name])] as const);
  return Object.fromEntries(await Promise.all(all));
}

const ANY = 'pulumi.json#/Any';

/** What an Output knows about itself. */
type Details = pulumi.Output<unknown> & { readonly isKnown: Promise<boolean>; readonly isSecret: Promise<boolean> };

/** A map of arguments. */
export type Data = Readonly<Record<string, unknown>>;

/** Collects the problems of arguments, each with its path. */
class Conversion {
  private readonly problems: EdgeProblem[] = [];

  /** What a function makes of an argument; undefined if the argument is absent or refused. */
  public made<Out>(path: string, value: unknown, make: (value: unknown) => Out): Out | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    if (isOutput(value)) {
      this.problems.push({ code: 'EDGE_KNOWN_LATER', path, ...MUST_BE_PLAIN });
      return undefined;
    }
    try {
      return make(value);
    } catch (error) {
      if (!(error instanceof EdgeError)) {
        throw error;
      }
      // its names are those of a function that the program does not call
      const below = (inner: string): string => (/^(\w+\.)?(path|command|value|secret)\b/.test(inner) ? '' : inner);
      this.problems.push(
        ...error.problems.map((problem) => ({
          ...problem,
          path: [path, below(problem.path)].filter((part) => part !== '').join('.'),
        })),
      );
      return undefined;
    }
  }

  /** The items of a list, each made by a function that collects its problems. */
  public list<Out>(path: string, items: unknown, make: (item: unknown, path: string) => Out | undefined): Out[] {
    const made =
      this.made(path, items, (given) => {
        if (!Array.isArray(given)) {
          refuse('EDGE_TYPE', `this is ${whatIs(given)}, not a list`, 'write a list');
        }
        return given.map((item: unknown, index) => make(item, `${path}[${index}]`));
      }) ?? [];
    return made.filter((one) => one !== undefined);
  }

  public throwIfAny(subject: string): void {
    if (this.problems.length > 0) {
      throw new EdgeError(subject, this.problems);
    }
  }
}

/** Without arguments that another language leaves out: they arrive as null or undefined. */
function present(args: object): Data {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}

/** @throws {@link EdgeError} with one problem about the whole argument */
function refuse(code: EdgeCode, message: string, hint: string): never {
  throw new EdgeError('', [{ code, path: '', message, hint }]);
}

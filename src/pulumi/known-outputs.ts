import type * as pulumi from '@pulumi/pulumi';
import { isOutput, promiseOf } from './outputs.js';
import { isMap } from '../base/plain-data.js';
import type { Data } from './conversion.js';

/** A type in the schema. */
export interface Shape {
  readonly $ref?: string;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly plain?: boolean;
}

/** Types with properties in the schema, by reference. */
export type Types = Readonly<Record<string, { readonly properties?: Readonly<Record<string, Shape>> }>>;

/**
 * Arguments in which lists and maps are plain, with Outputs in their places. Programs in YAML, and some in other languages, send a map with an Output in it as one Output:
 * which values it has is known here, if its value is, and the library needs to know it. What stays unknown stays one Output.
 *
 * @param shapes the arguments in the schema
 */
export async function withKnownOutputs(
  given: Data,
  shapes: Readonly<Record<string, Shape>>,
  types: Types,
): Promise<Data> {
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

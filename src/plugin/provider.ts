import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { EdgeComponent } from '../pulumi/component.js';
import * as library from '../pulumi/index.js';
import { withInputErrors } from '../pulumi/input-errors.js';
import { sayInWords } from '../pulumi/log.js';
import { libraryArguments } from './arguments.js';
import type { Data } from './conversion.js';
import { type Shape, type Types, withKnownOutputs } from './known-outputs.js';
import { inEveryLanguage, NOTE } from './words.js';

type Component = new (name: string, args: object, options?: pulumi.ComponentResourceOptions) => EdgeComponent;

interface ComponentSchema {
  readonly inputProperties: Readonly<Record<string, Shape>>;
  readonly properties: Readonly<Record<string, Shape>>;
}

/** The part of the schema that is needed here. */
interface Schema {
  readonly version: string;
  readonly types: Types;
  readonly resources: Readonly<Record<string, ComponentSchema>>;
}

/**
 * A component, created for a program in another language.
 *
 * @param type its type, `edge-nodepools:index:HostNetworkNodePool`
 * @throws InputPropertiesError with all problems at once, in words of every language
 */
export function construct(
  name: string,
  type: string,
  args: Data,
  options?: pulumi.ComponentResourceOptions,
): pulumi.ComponentResource {
  const kind = type.slice(type.lastIndexOf(':') + 1);
  const component = (library as Readonly<Record<string, unknown>>)[kind];
  if (typeof component !== 'function' || !(component.prototype instanceof EdgeComponent)) {
    throw new Error(`edge-nodepools has no component ${kind}`);
  }
  return neutralErrors(() => {
    const given = withInputErrors(() => libraryArguments(kind, `${kind} ${name}`, args));
    return new (component as Component)(name, given, options);
  });
}

/**
 * Serves the components to the engine, for programs in other languages.
 *
 * @param folder where schema.json is
 */
export function serve(folder: string): Promise<void> {
  const text = readFileSync(join(folder, 'schema.json'), 'utf8');
  const { version, resources, types } = JSON.parse(text) as Schema;
  sayInWords(inEveryLanguage);
  const provider: pulumi.provider.Provider = {
    version,
    schema: text,
    construct: async (name, type, args, options) => {
      const { inputProperties = {}, properties = {} } = resources[type] ?? {};
      const component = construct(name, type, await withKnownOutputs(args, inputProperties, types), options);
      const state = Object.keys(properties).map((output): [string, unknown] => [
        output,
        (component as unknown as Data)[output],
      ]);
      return { urn: component.urn, state: Object.fromEntries(state) };
    },
  };
  return pulumi.provider.main(provider, process.argv.slice(2));
}

/** Runs a function; what it throws is in words of every language. */
function neutralErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!pulumi.InputPropertiesError.isInstance(error)) {
      throw error;
    }
    throw new pulumi.InputPropertiesError({
      message: `${inEveryLanguage(error.message)}\n${NOTE}`,
      errors: error.errors?.map(({ propertyPath, reason }) => ({ propertyPath, reason: inEveryLanguage(reason) })),
    });
  }
}

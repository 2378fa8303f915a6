import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { EdgeComponent } from './component.js';
import * as controlPlane from './control-plane.js';
import * as core from './index.js';
import { withInputErrors } from './input-errors.js';
import { orRefused } from './log.js';
import { promiseOf } from './outputs.js';
import { libraryArguments } from './arguments.js';
import type { Data } from './conversion.js';
import { type Shape, type Types, withKnownOutputs } from './known-outputs.js';
import { setProgramLanguage } from '../base/program-language.js';

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

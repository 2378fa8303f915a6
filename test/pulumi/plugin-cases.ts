// The same things through the plugin for other languages, and with the library.
import type * as pulumi from '@pulumi/pulumi';
import schema from '../../pulumi-plugin/schema.json';
import { type Data, type Schema, construct } from '../../src/pulumi/provider.js';
import * as library from '../doors/pulumi.js';
import type { Component, Noun } from '../nouns/noun.js';
import { AS_DATA, NOUNS, asInstances } from '../nouns/nouns.js';

/** A component through the plugin. */
export const through = (kind: Component, args: Data, name = 'x'): pulumi.ComponentResource =>
  construct(schema as unknown as Schema, name, `edge-nodepools:index:${kind}`, args);

/** Each example of each noun: through the plugin, and with the library. */
export const CASES = Object.entries<Noun<any>>(NOUNS).flatMap(([kind, { component, examples }]) =>
  Object.entries(examples).map(([id, { args, data = args }]): [Component, string, () => unknown, () => unknown] => [
    kind as Component,
    id,
    () => through(kind as Component, data(AS_DATA)),
    () =>
      (component ?? ((name: string, given: object) => new (library as any)[kind](name, given)))(
        'x',
        args(asInstances()),
      ),
  ]),
);

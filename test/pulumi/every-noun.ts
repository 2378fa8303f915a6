import type * as pulumi from '@pulumi/pulumi';
import * as library from '../doors/pulumi.js';
import type { Noun } from '../nouns/noun.js';
import { asInstances, NOUNS } from '../nouns/nouns.js';

/** A program with every component, each with at least one resource. */
export function everyNoun(options: pulumi.ComponentResourceOptions = {}): void {
  const { cluster, old } = asInstances();
  const pool = new library.HostNetworkNodePool('shops', { cluster, poolName: 'shops' }, options);
  for (const [name, { component, examples }] of Object.entries<Noun<any>>(NOUNS)) {
    const create =
      component ?? ((id: string, args: object, given: unknown): unknown => new (library as any)[name](id, args, given));
    Object.entries(examples)
      // each precondition has resources of its own
      .filter(([id], index) => (index === 0 || name === 'EdgePreconditions') && id !== 'shops')
      .forEach(([id, { args }]) => create(id, args({ cluster, old, pool }), options));
  }
}

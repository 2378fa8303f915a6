import { Declarations, type Scope } from '../src/cluster/scope.js';

/** A scope for plans that are made outside of a tree and of a program; what is known at the end is known at once. */
export function planScope(path = 'it'): Scope {
  return { path, owner: {}, declared: new Declarations(), atEnd: (produce) => produce() };
}

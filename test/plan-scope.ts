import { Declarations, type Scope } from '../src/cluster/scope.js';

/** A scope for plans outside of a tree and a program; values at the end of the program are available at once. */
export function planScope(path = 'it'): Scope {
  return { path, owner: {}, declared: new Declarations(), atEnd: (produce) => produce() };
}

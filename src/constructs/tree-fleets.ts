import type { Construct } from 'constructs';
import { type Declaration, Fleets } from '../cluster/fleet.js';

const trees = new WeakMap<Construct, Fleets>();

/** A construct as a declaration. What its tree has declared is held by the root, so it goes with the tree. */
export function declarationOf(construct: Construct): Declaration {
  const root = construct.node.root as Construct;
  const fleets = trees.get(root) ?? new Fleets();
  trees.set(root, fleets);
  return { path: construct.node.path, fleets };
}

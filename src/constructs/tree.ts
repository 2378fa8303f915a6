import type { App } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { EdgeError } from '../base/errors.js';
import { whatIs } from '../base/properties.js';

/** Whether this is a construct, without loading their library. */
export function isConstruct(value: unknown): value is IConstruct {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<IConstruct>).node?.findAll === 'function'
  );
}

/** Whether a tree is that of an app. Not `instanceof`: it may be of another copy of cdk8s. */
export function isApp(root: IConstruct): root is App {
  const { synth, outdir } = root as Partial<App>;
  return typeof synth === 'function' && typeof outdir === 'string';
}

/**
 * Refuses anything else than a construct, for functions that read a tree.
 *
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE
 */
export function requireConstruct(scope: unknown, noun: string): void {
  if (!isConstruct(scope)) {
    const isMissing = scope === undefined || scope === null;
    throw new EdgeError(noun, [
      {
        code: isMissing ? 'EDGE_MISSING' : 'EDGE_TYPE',
        path: 'scope',
        message: `the scope is ${whatIs(scope)}, not an app, a chart or another construct`,
        hint: `write ${noun}(app${noun.includes('setMode') ? ", 'error'" : ''})`,
      },
    ]);
  }
}

// Loads modules of the library from its sources, for scripts that print what it knows.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './install.mjs';

const require = createRequire(import.meta.url);

/** A module by its path below the root: `src/index.ts`. */
export function load(path) {
  require('./texts.cjs');
  return require('tsx/cjs/api').require(join(root, path), import.meta.url);
}

/** A module by its path below src. */
export const source = (path) => load(join('src', path));

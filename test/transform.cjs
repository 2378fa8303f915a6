// TypeScript to JavaScript for jest, without types: `npm run typecheck` checks them, and compiling costs more than all tests together.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');

const OPTIONS = {
  loader: 'ts',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  keepNames: false,
  supported: { 'dynamic-import': false },
};
const SELF = readFileSync(__filename);

// An import of ./a.js is an import of a.ts. A moduleNameMapper would also match in packages, and Jest resolves mapped names again for every import.
const RELATIVE = /(\brequire|\brequireActual)\("(\.\.?\/[^"]+)\.js"\)/g;

module.exports = {
  process: (source, path) => ({
    code: transformSync(source, { ...OPTIONS, sourcefile: path }).code.replace(RELATIVE, '$1("$2.ts")'),
  }),
  getCacheKey: (source, path) =>
    createHash('sha256').update(version).update(SELF).update(path).update('\0').update(source).digest('hex'),
};

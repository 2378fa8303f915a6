const isFull = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';

/** @type {import('jest').Config} */
module.exports = {
  globalSetup: '<rootDir>/test/global-setup.cjs',
  globalTeardown: '<rootDir>/test/global-teardown.cjs',
  // properties take longer where the machine is busy
  testTimeout: 60_000,
  // by default one core is left free, which is half of a machine with two
  maxWorkers: '100%',
  // Jest keeps something of every file, which slows down promises (of Pulumi above all) and fills the memory
  workerIdleMemoryLimit: '400MB',
  roots: ['<rootDir>/test', '<rootDir>/examples'],
  // looked up faster than in the global object of a test
  sandboxInjectedGlobals: ['Array', 'JSON', 'Map', 'Number', 'Object', 'Set', 'String'],
  testMatch: ['**/*.test.ts'],
  // it starts the compiler of TypeScript, which is a tenth of the time of all other tests
  testPathIgnorePatterns: ['/node_modules/', ...(isFull ? [] : ['/test/public-surface\\.test\\.ts$'])],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/lib/'],
  // without types: `npm run typecheck` checks them
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
    '^.+\\.(sh|html)$|/src/fleet/[^/]+\\.js$': '<rootDir>/scripts/texts.cjs',
  },
  moduleNameMapper: {
    '^edge-nodepools$': '<rootDir>/src/index.ts',
    '^edge-nodepools/pulumi$': '<rootDir>/src/pulumi/index.ts',
    '^edge-nodepools/(types|checks|testing)$': '<rootDir>/src/$1.ts',
    '^edge-nodepools/(pulumi/)?(control-plane|delivery)$': '<rootDir>/src/$1$2.ts',
    // an import of ./a.js is one of a.ts
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

const isFull = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/environment.cjs',
  globalSetup: '<rootDir>/test/print-depth.cjs',
  // properties take longer where the machine is busy
  testTimeout: 60_000,
  // by default one core is left free, which is half of a machine with two
  maxWorkers: '100%',
  roots: ['<rootDir>/test', '<rootDir>/examples'],
  testMatch: ['**/*.test.ts'],
  // it starts the compiler of TypeScript, which is a tenth of the time of all other tests
  testPathIgnorePatterns: ['/node_modules/', ...(isFull ? [] : ['/test/public-surface\\.test\\.ts$'])],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/lib/'],
  transform: { '^.+\\.ts$': '<rootDir>/test/transform.cjs' },
  moduleNameMapper: {
    '^edge-nodepools$': '<rootDir>/src/index.ts',
    '^edge-nodepools/(pulumi|testing)$': '<rootDir>/src/$1/index.ts',
    '^(\\.\\./)+typescript-shim$': '<rootDir>/test/pulumi/lazy-typescript.cjs',
    '^\\./(automation|closure/codePaths)$': '<rootDir>/test/pulumi/not-loaded.cjs',
  },
};

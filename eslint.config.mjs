import { fileURLToPath } from 'node:url';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// From the ground up: a room imports only from rooms that stand before it. test/house.test.ts has the same order, and finds cycles between rooms.
const subjects = [
  'validation',
  'text',
  'kubernetes',
  'cluster',
  'reservation',
  'pools',
  'workloads',
  'admission',
  'system-components',
  'preconditions',
  'join',
  'storage',
  'control-plane',
  'openstack',
  'placement',
  'upgrades',
];
const bindings = ['constructs', 'pulumi', 'plugin', 'app', 'testing'];
const rooms = Object.fromEntries([
  ...subjects.map((room, index) => [room, [...subjects.slice(index + 1), ...bindings]]),
  ['constructs', ['pulumi', 'plugin', 'app', 'testing']],
  ['pulumi', ['constructs', 'plugin', 'app', 'testing']],
  ['plugin', ['constructs', 'app', 'testing']],
]);

const versionText = {
  selector: 'Literal[value=/^v?1\\.\\d+(\\.\\d+)?$/]',
  message:
    'A version stands in src/cluster/openyurt-releases.ts and kubernetes-minors.ts only; ask EdgeCluster a question instead.',
};

function directionOf([room, above]) {
  const frameworks = subjects.includes(room)
    ? ['cdk8s', 'constructs', '@pulumi/*', 'node:fs', 'node:child_process', 'node:process']
    : room === 'pulumi' || room === 'plugin'
      ? ['cdk8s', 'constructs']
      : ['@pulumi/*'];
  return {
    files: [`src/${room}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...above.map((name) => ({
              group: [`../${name}/*`, `../${name}/**`, `../../${name}/*`, `../../${name}/**`],
              message: `${room} must not import ${name}: a room imports only from rooms below it.`,
            })),
            { group: frameworks, message: `${room} must not know this: see CONTRIBUTING, "The house".` },
          ],
        },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ['lib/', '**/dist/', 'node_modules/', '.cache/', 'coverage/', 'temp/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: fileURLToPath(new URL('.', import.meta.url)) },
    },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.js'],
      'import-x/resolver-next': [
        importX.createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } }),
      ],
    },
    rules: {
      'max-lines': ['error', { max: 350 }],
      'import-x/no-cycle': 'error',
      'import-x/no-self-import': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['openyurt-releases.ts', 'kubernetes-minors.ts', 'kubelet-flags.ts', 'removed-kubelet-flags.ts'].map(
      (name) => `src/cluster/${name}`,
    ),
    rules: { 'no-restricted-syntax': ['error', versionText] },
  },
  {
    // text of any length is read in linear time: no pattern may try the same characters again for each of them
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  ...Object.entries(rooms).map(directionOf),
  {
    // arguments of a component are the properties of its construct with Inputs: an interface, so that errors and documents name it
    files: ['src/pulumi/**/*.ts'],
    rules: { '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }] },
  },
  {
    files: ['bench/**/*.ts', 'test/**/*.ts', 'examples/**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
    },
  },
);

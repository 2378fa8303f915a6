import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// From the ground up: a room imports only from rooms that stand before it. test/house.test.ts finds cycles between rooms.
const subjects = JSON.parse(readFileSync(new URL('scripts/rooms.json', import.meta.url), 'utf8'));
/** What is behind the door `control-plane`: only this door and the plugin import it, so that the core is loaded without it. */
const product = ['control-plane'];
/** What is behind the door `delivery`. */
const delivery = ['delivery'];
const bindings = ['constructs', 'pulumi', 'cli'];
/** What writes and reads files, below the commands and the bindings; all else in the rooms of the subjects is pure. */
const withFiles = ['src/base/output.ts', 'src/base/peers.ts', 'src/fleet/edge-validation.ts'];
/** Files, and the rooms that they must not import. */
const directions = [
  ...subjects.map((room, index) => [`src/${room}/**/*.ts`, [...subjects.slice(index + 1), ...bindings]]),
  ['src/{index,checks,testing}.ts', [...product, ...delivery]],
  ['src/constructs/!(control-plane|fleet-delivery).ts', [...product, ...delivery, 'pulumi', 'cli']],
  ['src/constructs/fleet-delivery.ts', [...product, 'pulumi', 'cli']],
  ['src/constructs/control-plane.ts', [...delivery, 'pulumi', 'cli']],
  ['src/pulumi/!(control-plane|delivery|provider).ts', [...product, ...delivery, 'constructs', 'cli']],
  ['src/pulumi/control-plane.ts', [...delivery, 'constructs', 'cli']],
  ['src/pulumi/delivery.ts', [...product, 'constructs', 'cli']],
  ['src/pulumi/provider.ts', ['constructs', 'cli']],
  ['src/cli/*.ts', product],
];

const versionText = {
  selector: 'Literal[value=/^v?1\\.\\d+(\\.\\d+)?$/]',
  message:
    'A version stands in src/cluster/openyurt-releases.ts and kubernetes-minors.ts only; ask EdgeCluster a question instead.',
};

function directionOf([files, above]) {
  const room = files.split('/')[1];
  const frameworks = subjects.includes(room)
    ? ['cdk8s', 'constructs', '@pulumi/*', 'node:fs', 'node:child_process', 'node:process']
    : room === 'pulumi'
      ? ['cdk8s', 'constructs']
      : room === 'constructs'
        ? ['@pulumi/*']
        : [];
  return {
    files: [files],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            ...above.map((name) => ({
              // also a folder of this name in a binding, and `./storage` of an entry
              group: [`**/${name}/*`, `**/${name}/**`],
              message: `these files must not import ${name}: a room imports only from rooms below it, and the core nothing of the control plane.`,
            })),
            ...(frameworks.length === 0
              ? []
              : [{ group: frameworks, message: 'This room must not know it: see CONTRIBUTING, "The folders".' }]),
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
      'max-lines': ['error', { max: 700 }],
      'import-x/no-cycle': 'error',
      'import-x/no-self-import': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  {
    // scripts of pages
    files: ['src/**/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: { document: 'readonly', window: 'readonly', Option: 'readonly', requestAnimationFrame: 'readonly' },
    },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'prefer-const': 'error',
      'max-lines': ['error', { max: 700 }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['openyurt-releases.ts', 'kubernetes-minors.ts'].map((name) => `src/cluster/${name}`),
    rules: { 'no-restricted-syntax': ['error', versionText] },
  },
  {
    // loaded when they are first used: few programs print YAML, compare Corefiles or read tables, and they are 90 files
    files: ['src/**/*.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allow: ['^(yaml|diff|csv-parse/sync)$'] }] },
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
  ...directions.map(directionOf),
  {
    files: withFiles,
    rules: { 'no-restricted-imports': ['error', { patterns: ['**/constructs/*', '**/pulumi/*', '**/cli/*'] }] },
  },
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

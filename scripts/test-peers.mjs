// npm run test:peers: the tests of the Pulumi components, with mocks, against both ends of the range of peer dependencies: the oldest versions, and the
// newest ones that are known here, or with --latest those that the registry has. With the oldest, also the declarations of this package.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { binOf, ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const peers = Object.entries(peerDependencies).filter(([name]) => name.startsWith('@pulumi/'));

/** Fixed, so that a release of a peer does not fail the checks of a commit that was good before. */
const NEWEST = { '@pulumi/pulumi': '3.270.0', '@pulumi/kubernetes': '4.34.2' };
const isLatest = process.argv.includes('--latest');

/** What npm prints when it cannot reach the registry, as opposed to what it prints of a version that does not exist. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|EIDLETIMEOUT|E407|E50\d)\b/;

const work = mkdtempSync(join(tmpdir(), 'edge-nodepools-peers-'));
try {
  await build();
  await Promise.all([
    checkEnd(
      'oldest',
      peers.map(([name, range]) => `${name}@${range.replace('^', '')}`),
      [test, checkTypes],
    ),
    checkEnd(
      'newest',
      peers.map(([name]) => `${name}@${isLatest ? 'latest' : NEWEST[name]}`),
      [test],
    ),
  ]);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Installs one end of the range, and runs the checks that it needs. */
async function checkEnd(end, wanted, checks) {
  const { folder, output, failed } = await install(end, wanted);
  if (failed) {
    const isReachable = !UNREACHABLE.test(output);
    console.log(isReachable ? output : `${end} peers: skipped, because the npm registry cannot be reached`);
    process.exitCode = isReachable ? 1 : process.exitCode;
    return;
  }
  const versions = peers.map(([name]) => `${name} ${versionOf(folder, name)}`).join(', ');
  if (peers.every(([name]) => versionOf(folder, name) === versionOf(root, name))) {
    console.log(`${end} peers: ${versions}, those of npm test`);
    return;
  }
  for (const check of checks) {
    const begin = Date.now();
    const { code, output: said } = await check(folder);
    const seconds = Math.round((Date.now() - begin) / 1000);
    console.log(`${end} peers: ${versions}: ${check.name} ${code === 0 ? `is good, ${seconds} s` : `fails\n${said}`}`);
    process.exitCode = code === 0 ? process.exitCode : 1;
  }
}

async function install(end, wanted) {
  const folder = join(work, end);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...wanted];
  const { code, output } = await run('npm', args, folder, { npm_config_fetch_retries: '1' });
  return { folder, output, failed: code !== 0 };
}

function versionOf(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** Runs the tests, with the packages of a folder in place of those of this checkout, which Jest must not find. */
async function test(folder) {
  const config = join(folder, 'jest.config.cjs');
  const packages = `^(${peers.map(([name]) => name).join('|')})(/.*)?$`;
  writeFileSync(
    config,
    `const base = require(${JSON.stringify(join(root, 'jest.config.js'))});
module.exports = {
  ...base,
  rootDir: ${JSON.stringify(root)},
  testMatch: ['<rootDir>/test/pulumi/**/*.test.ts'],
  moduleNameMapper: { ...base.moduleNameMapper, ${JSON.stringify(packages)}: ${JSON.stringify(join(folder, 'node_modules', '$1$2'))} },
  modulePathIgnorePatterns: [...base.modulePathIgnorePatterns, '<rootDir>/node_modules/@pulumi/'],
};
`,
  );
  return run(process.execPath, [binOf('jest'), '--config', config, '--silent', '--maxWorkers=1'], root);
}

/** Compiles the declarations of this package with those of a folder. */
async function checkTypes(folder) {
  const config = join(folder, 'tsconfig.json');
  const declarations = join(folder, 'edge-nodepools');
  // a copy, so that the packages of the folder are found
  cpSync(join(root, 'lib'), declarations, { recursive: true, filter: (path) => !path.endsWith('.js') });
  const options = {
    skipLibCheck: false,
    paths: {},
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: options,
      files: [join(declarations, 'pulumi', 'index.d.ts')],
      include: [],
    }),
  );
  return run(process.execPath, [binOf('tsc'), '--project', config], folder);
}

function run(command, args, cwd, env = {}) {
  const shell = command === 'npm' && process.platform === 'win32';
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, shell });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

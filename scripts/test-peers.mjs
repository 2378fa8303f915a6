// npm run test:peers: the packed package as its users have it, with both ends of the range of peer dependencies, several versions of Node.js and of
// TypeScript. In each project all examples are type-checked, compiled, and run; and the tests of the Pulumi components run against both ends. The newest
// versions are those that are known here, or with --latest those that the registry has.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binOf, ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { peerDependencies, exports: doors } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Fixed, so that a release of a peer does not fail the checks of a commit that was good before. */
const NEWEST = {
  '@pulumi/pulumi': '3.270.0',
  '@pulumi/kubernetes': '4.34.2',
  cdk8s: '2.70.106',
  constructs: '10.8.1',
};
const isLatest = process.argv.includes('--latest');
const isPulumi = (name) => name.startsWith('@pulumi/');
const pulumiPeers = Object.keys(peerDependencies).filter(isPulumi);
const OLDEST_PEERS = Object.fromEntries(
  Object.entries(peerDependencies).map(([name, range]) => [name, range.replace('^', '')]),
);
const NEWEST_PEERS = isLatest ? Object.fromEntries(Object.keys(NEWEST).map((name) => [name, 'latest'])) : NEWEST;
const CDK8S_PEERS = Object.fromEntries(Object.entries(NEWEST_PEERS).filter(([name]) => !isPulumi(name)));

/**
 * What users have installed. Pulumi 3.270 needs Node.js 22. TypeScript 5.0 is the oldest that reads the declarations. Only projects without Pulumi can have
 * TypeScript 7: npm refuses it beside @pulumi/pulumi, which needs the API of the compiler to run programs and to read functions, and the package typescript
 * has none from version 7 on.
 */
const PROJECTS = [
  { name: 'oldest peers', peers: OLDEST_PEERS, typescript: '5.0.4', nodes: ['20.20.2'], tests: true },
  {
    name: 'newest peers',
    peers: NEWEST_PEERS,
    typescript: '6.0.3',
    refused: '7.0.2',
    nodes: ['22.23.3', '24.21.0', '26.10.0'],
    tests: true,
  },
  { name: 'cdk8s with TypeScript 5', peers: CDK8S_PEERS, typescript: '5.9.3', nodes: ['20.20.2'] },
  { name: 'cdk8s with TypeScript 7', peers: CDK8S_PEERS, typescript: '7.0.2', nodes: ['26.10.0'] },
];

/** What npm prints when it cannot reach the registry, and of what the registry does not have. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|EIDLETIMEOUT|E407|E50\d)\b/;
const ABSENT = /No matching version found for (\S+)@|404\s+'(\S+)@|Unsupported platform for (\S+)@/;

/** Every door of the package, required and imported: `node doors.mjs DOOR …`. */
const DOORS = `import assert from 'node:assert';
import { createRequire } from 'node:module';

const required = createRequire(import.meta.url);
for (const door of process.argv.slice(2)) {
  const names = Object.entries(required(door));
  const imported = await import(door);
  // one has only types
  assert.ok(names.length > 0 || door === 'edge-nodepools/types', door);
  names.forEach(([name, value]) => assert.equal(imported[name], value, name));
}
`;

const work = mkdtempSync(join(tmpdir(), 'edge-nodepools-peers-'));
/** Where a version of Node.js is installed, by its number. */
const runtimes = new Map();
/** The first row that wrote an example, and a hash of what it wrote, by what must be the same. */
const written = new Map();
try {
  const packed = await run('npm', ['pack', '--pack-destination', work, '--loglevel=error'], root);
  const tarball = readdirSync(work).find((file) => file.endsWith('.tgz'));
  if (packed.code !== 0 || tarball === undefined) {
    throw new Error(packed.output);
  }
  await Promise.all(PROJECTS.map((project) => check(project, join(work, tarball))));
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** One line for each check; a check returns what is wrong. */
async function row(name, check) {
  const begin = Date.now();
  const problem = await check();
  console.log(`${name}: ${problem ? `fails\n${problem}` : `good, ${Math.round((Date.now() - begin) / 1000)} s`}`);
  process.exitCode = problem ? 1 : process.exitCode;
}

async function check({ name, peers, typescript, refused, nodes, tests = false }, tarball) {
  const names = Object.keys(peers);
  const wanted = names.map((peer) => `${peer}@${peers[peer]}`);
  const folder = join(work, name.replaceAll(' ', '-'));
  const { missing, problem } = await install(folder, [
    tarball,
    ...wanted,
    `typescript@${typescript}`,
    '@types/node@20',
  ]);
  if (missing !== undefined || problem !== undefined) {
    console.log(`${name}: ${missing ? `skipped, because ${missing}` : `fails\n${problem}`}`);
    process.exitCode = problem ? 1 : process.exitCode;
    return;
  }
  const versions = names.map((peer) => `${peer} ${versionOf(folder, peer)}`).join(', ');
  if (tests && pulumiPeers.some((peer) => versionOf(folder, peer) !== versionOf(root, peer))) {
    await row(`${name} (${versions}): tests of Pulumi`, () => test(folder));
  }
  copyExamples(folder, names.some(isPulumi));
  await row(`${name} (${versions}): TypeScript ${typescript}`, () => compile(folder));
  if (refused !== undefined) {
    await row(`${name}: npm refuses TypeScript ${refused} beside Pulumi`, () => refuse(folder, refused));
  }
  for (const version of nodes) {
    const runtime = await runtimeOf(version);
    if (runtime.missing === undefined) {
      await row(`${name}: Node.js ${version}`, () => useWith(folder, runtime.bin, version, names));
    } else {
      console.log(`${name}: Node.js ${version}: skipped, because ${runtime.missing}`);
    }
  }
}

/** Installs packages into a folder. A peer that the registry does not have is a problem: its version stands in our package.json. */
async function install(folder, packages) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-user", "private": true }');
  const args = ['install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const retries = { npm_config_fetch_retries: '1' };
  const { code, output } = await run('npm', [...args, '--loglevel=error', ...packages], folder, retries);
  if (code === 0) {
    return {};
  }
  const absent = ABSENT.exec(output)?.slice(1).find(Boolean);
  if (UNREACHABLE.test(output)) {
    return { missing: 'the npm registry cannot be reached' };
  }
  return absent === undefined || absent in peerDependencies
    ? { problem: output }
    : { missing: `npm cannot install ${packages.find((one) => one.startsWith(`${absent}@`)) ?? absent}` };
}

/** A version of Node.js, once: npm's package `node` is a script that installs the package of the platform. */
function runtimeOf(version) {
  if (!runtimes.has(version)) {
    runtimes.set(version, installRuntime(version));
  }
  return runtimes.get(version);
}

async function installRuntime(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(work, `node-${version}`);
  const { missing, problem } = await install(folder, [`${name}@${version}`]);
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return { missing: missing ?? problem, bin: join(folder, 'node_modules', name, 'bin', file) };
}

function versionOf(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** The programs of users: the examples of the package, as they are packed. */
function copyExamples(folder, hasPulumi) {
  const from = join(folder, 'node_modules', 'edge-nodepools', 'examples');
  readdirSync(from)
    .filter((name) => hasPulumi || !name.startsWith('pulumi-'))
    .forEach((name) => cpSync(join(from, name), join(folder, 'examples', name), { recursive: true }));
}

/** The declarations of the package and of its peers are checked as well, and the examples become JavaScript. */
async function compile(folder) {
  const compilerOptions = {
    target: 'es2022',
    module: 'node16',
    moduleResolution: 'node16',
    strict: true,
    noEmitOnError: true,
    types: ['node'],
  };
  const files = { include: ['examples/*/*.ts'], exclude: ['examples/*/*.test.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, ...files }));
  const compiler = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const { code, output } = await run(process.execPath, [compiler, '--project', folder], folder);
  return code === 0 ? undefined : output;
}

/** Fails once the two can be installed together: then `newest peers` need no other compiler. */
async function refuse(folder, typescript) {
  const args = [
    'install',
    '--prefix',
    folder,
    '--dry-run',
    '--prefer-offline',
    '--loglevel=error',
    `typescript@${typescript}`,
  ];
  const { code, output } = await run('npm', args, folder);
  return code !== 0 && output.includes(`from @pulumi/pulumi@`) ? undefined : `npm ends with ${code}\n${output}`;
}

/** Uses the compiled examples, every door and the command with a version of Node.js, and compares what they write with what the others wrote. */
async function useWith(folder, bin, version, peers) {
  writeFileSync(join(folder, 'doors.mjs'), DOORS);
  const hasPulumi = peers.some(isPulumi);
  const named = Object.keys(doors)
    .filter((door) => !door.endsWith('.json') && (hasPulumi || !door.includes('pulumi')))
    .map((door) => join('edge-nodepools', door));
  const problems = [await silent(bin, ['doors.mjs', ...named], folder)];
  const command = join('node_modules', 'edge-nodepools', 'bin', 'edge-nodepools.js');
  for (const args of [['init', `project-${version}`, '--openyurt=1.7', '--kubernetes=1.34'], ['--version']]) {
    problems.push(await silent(bin, [command, ...args], folder));
  }
  const examples = readdirSync(join(folder, 'examples'));
  const ran = [];
  for (const name of examples) {
    const example = join(folder, 'examples', name);
    if (existsSync(join(example, 'main.js'))) {
      const dist = join(example, 'dist');
      rmSync(dist, { recursive: true, force: true });
      problems.push(await silent(bin, ['main.js'], example, { CDK8S_OUTDIR: 'dist' }));
      problems.push(differs(`${name} of cdk8s ${versionOf(folder, 'cdk8s')}`, version, filesOf(dist)));
      ran.push(name);
    } else if (existsSync(join(example, 'index.js'))) {
      const { code, output, said } = await run(bin, [join(root, 'scripts', 'pulumi-mocks.mjs'), example], example);
      problems.push(code === 0 ? undefined : output);
      const resources = said.split('\n').filter((line) => line.startsWith('[{'));
      problems.push(differs(`${name} of Pulumi ${versionOf(folder, '@pulumi/pulumi')}`, version, resources));
      ran.push(name);
    }
  }
  const least = hasPulumi ? 17 : 13;
  return [...problems, ran.length < least ? `only ${ran.length} examples ran: ${ran}` : undefined]
    .filter(Boolean)
    .join('\n');
}

/** What a program prints if it fails, or if Node.js warns of something that it uses. */
async function silent(bin, args, cwd, env) {
  const { code, output } = await run(bin, args, cwd, env);
  const isGood = code === 0 && !/\((DEP\d+|node:\d+)\)|(Deprecation|Experimental)Warning/.test(output);
  return isGood ? undefined : `${args.join(' ')} ends with ${code}\n${output}`;
}

function filesOf(folder) {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return paths
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((path) => `${path.slice(folder.length)}\n${readFileSync(path, 'utf8')}`);
}

/** Whether an example wrote nothing, or other bytes than with another version of Node.js and the same peers. */
function differs(what, version, texts) {
  const hash = createHash('sha256').update(texts.join('\0')).digest('hex');
  const first = written.get(what) ?? { hash, version };
  written.set(what, first);
  if (texts.length === 0) {
    return `${what} wrote nothing`;
  }
  return first.hash === hash ? undefined : `${what}: other bytes than with Node.js ${first.version}`;
}

/** Runs the tests, with the packages of a folder in place of those of this checkout, which Jest must not find. */
async function test(folder) {
  const config = join(folder, 'jest.config.cjs');
  const packages = `^(${pulumiPeers.join('|')})(/.*)?$`;
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
  const args = [binOf('jest'), '--config', config, '--silent', '--maxWorkers=1'];
  const { code, output } = await run(process.execPath, args, root);
  return code === 0 ? undefined : output;
}

/** @returns all that a program prints as `output`, and its standard output as `said` */
function run(command, args, cwd, env = {}) {
  const shell = command === 'npm' && process.platform === 'win32';
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, shell });
  const chunks = [];
  const said = [];
  child.stdout.on('data', (chunk) => {
    chunks.push(chunk);
    said.push(chunk);
  });
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const text = (parts) => Buffer.concat(parts).toString('utf8');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: text(chunks), said: text(said) }));
  });
}

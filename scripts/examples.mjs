// npm run examples [-- <name> …]
// Runs the real cdk8s synth on every example, twice, and compares all bytes that it writes. Pulumi programs run twice with mocks for an engine.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from './build.mjs';
import { binOf, ensureInstalled, root } from './install.mjs';

/** Synthesizes an example and returns what it wrote, by path. What the program prints is shown only when it fails. */
function synth(folder) {
  // cdk8s removes dist before it runs the app
  const args = [binOf('cdk8s'), 'synth', '--check-upgrade=false'];
  // the examples use the built package, as a user's program does
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.build.json') };
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) {
    console.error(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
    return undefined;
  }
  const dist = join(folder, 'dist');
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath ?? file.path, file.name);
      return [relative(dist, path).split(sep).join('/'), readFileSync(path)];
    }),
  );
}

/** Paths that are not the same in both, in order. */
function differences(first, second) {
  const paths = new Set([...first.keys(), ...second.keys()]);
  return [...paths].filter((path) => first.get(path)?.equals(second.get(path) ?? Buffer.alloc(0)) !== true).sort();
}

/** Kubernetes objects in all manifests. */
function countObjects(files) {
  return [...files]
    .filter(([path]) => path.endsWith('.yaml'))
    .flatMap(([, content]) => content.toString('utf8').split(/^---$/m))
    .filter((document) => document.trim() !== '').length;
}

function counted(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** Whether an example does the same twice. */
function check(name) {
  return existsSync(join(root, 'examples', name, 'Pulumi.yaml')) ? checkPulumi(name) : checkCdk8s(name);
}

/** The resources of a Pulumi program, as text. */
function registered(folder) {
  const args = [binOf('tsx'), join(root, 'scripts', 'pulumi-mocks.mjs'), folder];
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.build.json') };
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) {
    console.error(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
    return undefined;
  }
  return stdout.split('\n').find((line) => line.startsWith('[{'));
}

/** Whether a Pulumi program has the types of the built package, runs, and registers the same resources twice. */
function checkPulumi(name) {
  const folder = join(root, 'examples', name);
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
  ];
  const args = [binOf('tsc'), ...options, '--types', 'node', 'index.ts'];
  const typed = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const first = registered(folder);
  const second = registered(folder);
  if (typed.status !== 0 || first === undefined || first !== second) {
    console.error(
      `${name}: ${typed.status !== 0 ? typed.stdout : first === undefined ? 'failed' : 'other resources the second time'}`,
    );
    return false;
  }
  const resources = JSON.parse(second).filter(({ type }) => type.startsWith('kubernetes:'));
  console.log(`${name}: ${counted(resources.length, 'resource')}, the same twice`);
  return true;
}

/** Whether an example synthesizes, and to the same bytes twice. */
function checkCdk8s(name) {
  const folder = join(root, 'examples', name);
  const first = synth(folder);
  const second = first && synth(folder);
  if (second === undefined) {
    console.error(`${name}: cdk8s synth failed`);
    return false;
  }
  const objects = countObjects(second);
  const different = differences(first, second);
  if (different.length > 0 || objects === 0) {
    console.error(`${name}: ${objects === 0 ? 'no objects' : `other bytes the second time: ${different.join(', ')}`}`);
    return false;
  }
  console.log(`${name}: ${counted(second.size, 'file')}, ${counted(objects, 'object')}, same bytes twice`);
  return true;
}

ensureInstalled();
await build();
const only = process.argv.slice(2);
const names = readdirSync(join(root, 'examples'))
  .filter((name) => only.length === 0 || only.includes(name))
  .filter((name) => ['cdk8s.yaml', 'index.ts'].some((file) => existsSync(join(root, 'examples', name, file))))
  .sort();
if (names.length === 0) {
  console.error('there is no example');
}
// every example is run, also after one has failed
const failed = names.filter((name) => !check(name));
process.exitCode = names.length === 0 || failed.length > 0 ? 1 : 0;

// Runs the real cdk8s synth on every example, twice, and compares all bytes that it writes.
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

/** Whether an example synthesizes, and to the same bytes twice. */
function check(name) {
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
build();
const names = readdirSync(join(root, 'examples'))
  .filter((name) => existsSync(join(root, 'examples', name, 'cdk8s.yaml')))
  .sort();
if (names.length === 0) {
  console.error('there is no example');
}
// every example is run, also after one has failed
const failed = names.filter((name) => !check(name));
process.exitCode = names.length === 0 || failed.length > 0 ? 1 : 0;

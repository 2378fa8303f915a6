// Installs the dependencies if they are not those of package-lock.json. Uses nothing but Node.js and npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const marker = join(root, 'node_modules', '.edge-nodepools-installed');

/** Whether node_modules holds what package-lock.json says. */
function isInstalled(hash) {
  return existsSync(marker) && readFileSync(marker, 'utf8') === hash;
}

/** Runs a program and passes on its exit code when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error !== undefined) {
    console.error(`${command} cannot be run: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) {
    process.exit(result.status ?? 1);
  }
  return result;
}

/** Runs a program of a dependency. */
export function runBin(name, args, options = {}) {
  return run(process.execPath, [binOf(name), ...args], options);
}

/** The script behind a command of a dependency. */
export function binOf(name) {
  const owner =
    {
      tsc: 'typescript',
      cdk8s: 'cdk8s-cli',
      attw: '@arethetypeswrong/cli',
      'api-extractor': '@microsoft/api-extractor',
    }[name] ?? name;
  const folder = join(root, 'node_modules', owner);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}

export function ensureInstalled() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) {
    console.error(`Node.js ${process.versions.node} is too old: use version 20 or later`);
    process.exit(1);
  }
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (isInstalled(hash)) {
    return;
  }
  console.log('installing dependencies (once) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: process.platform === 'win32' });
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, hash);
}

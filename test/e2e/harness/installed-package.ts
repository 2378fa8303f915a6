import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');

/** Builds the package of the checkout, for programs that are linked to it. */
export function buildPackage(): void {
  must('node', [join(ROOT, 'scripts', 'build.mjs')]);
}

/** The packed package in the node_modules of a new project, as `npm install` leaves it there; what it depends on is linked, so that no registry is needed. */
export function installPackage(project: string): void {
  buildPackage();
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project]);
  const [tarball] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  must('tar', ['-xzf', join(project, tarball as string), '-C', modules]);
  const target = join(modules, 'edge-nodepools');
  renameSync(join(modules, 'package'), target);
  const { bin, dependencies } = jsonOf(join(target, 'package.json'));
  Object.keys(dependencies).forEach((name) => symlinkSync(join(ROOT, 'node_modules', name), join(modules, name)));
  Object.entries(bin).forEach(([name, file]) =>
    symlinkSync(join('..', 'edge-nodepools', file), join(modules, '.bin', name)),
  );
}

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

function jsonOf(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

function must(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  }
}

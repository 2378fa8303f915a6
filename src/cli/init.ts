import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { KUBERNETES_MINORS } from '../cluster/kubernetes-minors.js';
import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import { PACKAGE_MANAGERS } from './project-kind.js';
import { nextCommands, projectFiles } from './project.js';
import type { ProjectProps } from './project-kind.js';
import { shellCommand } from '../base/shell.js';
import { caCertHash, openyurt, text } from './options.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';

interface Options {
  readonly pulumi?: boolean;
  readonly openyurt?: string;
  readonly kubernetes?: string;
  readonly apiServer?: string;
  readonly caCertHash?: string;
  readonly packageManager: ProjectProps['packageManager'];
}

/** `edge-nodepools init`: writes a project that synthesizes, or previews. No file is overwritten. */
function runInit(folder: string, options: Options, line: CommandLine): number {
  const { pulumi = false, packageManager, apiServer, caCertHash } = options;
  if ((apiServer === undefined) !== (caCertHash === undefined)) {
    throw new UsageError(
      `a join needs both; write ${apiServer === undefined ? '--api-server <host:port>' : '--ca-cert-hash sha256:<64 hex digits>'}, too; kubeadm token create --print-join-command prints them`,
    );
  }
  const openYurt = options.openyurt ?? OPENYURT_RELEASES.at(-1)?.release ?? 'none';
  const kubernetes = options.kubernetes ?? newestFor(openYurt);
  const joins = apiServer === undefined ? {} : { apiServer, caCertHashes: [caCertHash as string] };
  const cluster = EdgeCluster.of({ openYurt, kubernetes, ...joins });
  const props = { name: projectName(folder), cluster, pulumi, packageManager, versions: projectVersions() };
  const files = projectFiles(props);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new UsageError(`${folder} is a file; write another folder`);
  }
  const there = files
    .map(({ path }) => path)
    .filter((path) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) {
    throw new UsageError(`${folder} already has ${there.join(', ')}; nothing is written: write a folder without them`);
  }
  mkdirSync(folder, { recursive: true });
  // "wx": also a file that appeared just now is not overwritten
  files.forEach(({ path, content }) => writeFileSync(join(folder, path), content, { flag: 'wx' }));
  const into = resolve(folder) === process.cwd() ? [] : [shellCommand('cd', folder)];
  line.stdout(
    [
      `a project for ${String(cluster)}: ${files.map(({ path }) => path).join(', ')}`,
      '',
      'next:',
      ...[...into, ...nextCommands(props)].map((command) => `  ${command}`),
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}

/** The newest minor that a release is tested with, by its project; without OpenYurt the newest known one. */
function newestFor(given: string): string {
  const newest = KUBERNETES_MINORS.at(-1)?.minor ?? '';
  // v1.7.0 is 1.7, too
  const { openYurt } = EdgeCluster.of({ openYurt: given, kubernetes: newest });
  return OPENYURT_RELEASES.find(({ release }) => release === openYurt)?.claimedKubernetes ?? newest;
}

/** A name for npm and for Pulumi. */
export function projectName(folder: string): string {
  const name = (
    basename(resolve(folder))
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).join('-');
  // npm refuses a project that depends on a package of its own name
  return name === '' || name === 'edge-nodepools' ? 'edge-fleet' : name.slice(0, 100);
}

/** The packages with which this version is tested, and this version. */
export function projectVersions(): Record<string, string> {
  const file = join(__dirname, '..', '..', 'package.json');
  const { version, dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly version: string;
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
  };
  return { ...dependencies, ...devDependencies, 'edge-nodepools': `^${version}` };
}

/** The options of `edge-nodepools init`. */
export function addInit(program: Command, action: Action): void {
  program
    .command('init')
    .description('writes a new project: a host-network pool, a workload on it, a workload excluded from it, and tests')
    .argument('[folder]', 'a new folder, or one in which nothing is overwritten', text, '.')
    .option('--pulumi', 'a Pulumi program instead of a cdk8s app')
    .addOption(openyurt('the newest known'))
    .option(
      '--kubernetes <minor>',
      'minor of Kubernetes, for example 1.36 (default: the newest that OpenYurt supports)',
      text,
    )
    .option('--api-server <host:port>', 'address of the API server for joining nodes; needs --ca-cert-hash', text)
    .addOption(caCertHash('hash of the CA of the cluster, sha256:<64 hex digits>'))
    .addOption(new Option('--package-manager <name>', 'the package manager').choices(PACKAGE_MANAGERS).default('npm'))
    .addHelpText(
      'after',
      '\nExit code 0: the project is written. 2: the input is invalid, or a file exists\nalready; nothing is written.',
    )
    .action(action(runInit));
}

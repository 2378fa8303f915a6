import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EdgeCluster } from '../../cluster/edge-cluster.js';
import { KUBERNETES_MINORS } from '../../cluster/kubernetes-minors.js';
import { OPENYURT_RELEASES } from '../../cluster/openyurt-releases.js';
import { nextCommands, projectFiles } from '../project/project.js';
import type { ProjectProps } from '../project/project-kind.js';
import { shellCommand } from '../../text/shell.js';
import { type CommandLine, EXIT, UsageError } from './command-line.js';

interface Options {
  readonly pulumi?: boolean;
  readonly openyurt?: string;
  readonly kubernetes?: string;
  readonly apiServer?: string;
  readonly caCertHash?: string;
  readonly packageManager: ProjectProps['packageManager'];
}

/** `edge-nodepools init`: writes a project that synthesizes, or previews. No file is overwritten. */
export function runInit(folder: string, options: Options, line: CommandLine): number {
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
  const props = { name: nameFor(folder), cluster, pulumi, packageManager, versions: versions() };
  const files = projectFiles(props);
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new UsageError(`${folder} is a file; write another folder`);
  }
  const there = files
    .map(({ path }) => path)
    .filter((path) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) {
    throw new UsageError(`${folder} already has ${there.join(', ')}; nothing is written: write an empty folder`);
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
function nameFor(folder: string): string {
  const name = (
    basename(resolve(folder))
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).join('-');
  // npm refuses a project that depends on a package of its own name
  return name === '' || name === 'edge-nodepools' ? 'edge-fleet' : name.slice(0, 100);
}

/** The packages with which this version is tested, and this version. */
function versions(): Record<string, string> {
  const file = join(__dirname, '..', '..', '..', 'package.json');
  const { version, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly version: string;
    readonly devDependencies: Record<string, string>;
  };
  return { ...devDependencies, 'edge-nodepools': `^${version}` };
}

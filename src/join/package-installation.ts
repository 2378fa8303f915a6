import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type ShellSteps, type ShellValue, together } from '../base/shell-script.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { checkOneOf, showValue } from '../base/properties.js';
import { type Check, checkProperties, mapWith, type PropertyTable } from '../base/property-table.js';
import { pathOnMachine } from './machine-path.js';
import { checkRepository } from './package-repository.js';
import {
  alternativesOf,
  checkRuntimePackage,
  type RuntimePackage,
  runtimeRepository,
  runtimeRepositoryFiles,
  unitOf,
} from './runtime-package.js';
import { shell } from './shell-parts.js';
import type { UpdateSubject } from './update-input.js';

/**
 * Packages of kubelet, kubeadm and the container runtime that are installed before the join.
 *
 * @category Join nodes
 */
export interface NodePackages {
  /** Package manager of the node. */
  readonly manager: 'apt' | 'dnf';
  /** Version of kubelet and kubeadm with the patch release, for example `1.34.2`. The packages are held, so that system upgrades do not change them. */
  readonly version: string;
  /** Base URL of the package repository, with deb or rpm packages.
   * @default - the repository of the minor at https://pkgs.k8s.io */
  readonly repository?: string;
  /** Container runtime to install with them. It is held, CRI is on, and it starts at every boot.
   * @default - none: it is already installed */
  readonly runtime?: RuntimePackage;
  /** Folder on the machine with the packages and all that they depend on, `*.deb` or `*.rpm`. They are installed without a repository and a network, and
   * without a check of signatures.
   * @default - none: they come from repositories */
  readonly folder?: string;
}

const FILES = {
  apt: ['/etc/apt/keyrings/kubernetes.asc', '/etc/apt/sources.list.d/kubernetes.list'],
  dnf: ['/etc/yum.repos.d/kubernetes.repo'],
} as const;

/** Files that the installation writes: repositories, and for apt their signing keys. */
export function packageFiles(packages: Partial<NodePackages> | undefined): readonly string[] {
  const { manager, runtime } = packages ?? {};
  return manager === undefined || !(manager in FILES)
    ? []
    : [...FILES[manager], ...runtimeRepositoryFiles(manager, isMap(runtime) ? runtime : undefined)];
}

/**
 * Checks packages for a cluster.
 *
 * @param runtime `runtime` of the join
 */
export function checkNodePackages(cluster: EdgeCluster, runtime: unknown): Check {
  return mapWith(
    (packages, problems) => {
      checkProperties<NodePackages>(packages, tableFor(cluster, runtime, packages), problems);
      if (packages.folder !== undefined && packages.repository !== undefined) {
        problems
          .at('repository')
          .add('EDGE_CONTRADICTION', 'with folder, no repository is used', 'leave repository or folder out');
      }
    },
    'packages must be a map',
    "write { manager: 'apt', version: '…' }",
  );
}

const HAS_PASSWORD = /^https?:\/\/[^/@:]*:[^/]*@/;

/** Warns about a password in the URL of a repository, which everybody who can read the published join can read. */
export function repositoryWarnings(packages: NodePackages | undefined): readonly EdgeWarning[] {
  const warnings = new ProblemList();
  for (const path of [['repository'], ['runtime', 'repository']]) {
    const url = path.reduce<unknown>((value, name) => (isMap(value) ? value[name] : undefined), packages);
    if (typeof url === 'string' && HAS_PASSWORD.test(url)) {
      warnings
        .at('packages', ...path)
        .add(
          'EDGE_PASSWORD',
          'the URL contains a password, and so do the files of the join and the ConfigMap in which it is published (value redacted)',
          'write the URL of a mirror that needs none, or a folder on the machine: packages.folder',
        );
    }
  }
  return warnings.problems;
}

function tableFor(cluster: EdgeCluster, runtime: unknown, packages: PlainMap): PropertyTable<NodePackages> {
  return {
    manager: checkManager,
    version: (version, problems) => checkVersion(version, cluster, problems),
    repository: (repository, problems) => checkRepository(repository, cluster, packages, problems),
    runtime: (value, problems) => checkRuntimePackage(cluster, runtime, packages)(value, problems),
    folder: pathOnMachine('/var/lib/edge/packages'),
  };
}

function checkManager(manager: unknown, problems: ProblemList): void {
  if (manager === undefined) {
    problems.add('EDGE_MISSING', 'manager is required', "write 'apt' or 'dnf'");
  }
  checkOneOf(manager, ['apt', 'dnf'], problems);
}

function checkVersion(version: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+$/.test(version)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(version)} is not a version with a patch release`,
      `write '${/^v?(\d+\.\d+\.\d+)-?/.exec(typeof version === 'string' ? version : '')?.[1] ?? `${cluster.kubernetes}.2`}', in quotes, without v and without the revision of a package`,
    );
  } else if (!cluster.isOfMinor(version)) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${version} is not a version of the cluster's minor ${cluster.kubernetes}`,
      `write '${cluster.kubernetes}.2'`,
    );
  }
}

/** Shell functions that install the packages, and what they read. */
function packageScript(packages: NodePackages, minor: string): Omit<ShellSteps, 'steps'> {
  const { manager, version, repository, runtime, folder } = packages;
  const kind = manager === 'apt' ? 'deb' : 'rpm';
  const source = runtime === undefined ? undefined : RUNTIME_SOURCES[runtime.name];
  return {
    variables: {
      kubelet_version: version,
      runtime_package: runtime?.name ?? '',
      ...(folder === undefined
        ? {
            repository: (repository ?? `https://pkgs.k8s.io/core:/stable:/v${minor}/${kind}`).replace(/\/$/, ''),
            runtime_sources: source === undefined ? '' : source.step,
          }
        : { folder_of_packages: folder }),
      ...(runtime === undefined
        ? {}
        : {
            runtime_version: runtime.version ?? '',
            runtime_alternatives: alternativesOf(runtime),
            ...(source === undefined || folder !== undefined
              ? {}
              : { runtime_repository: runtimeRepository(runtime, manager, minor) ?? '' }),
          }),
      ...(manager === 'dnf' ? dnfVariables(packages) : {}),
    },
    parts: [
      ...(manager === 'apt' && (folder !== undefined || runtime !== undefined) ? [shell('package-version')] : []),
      shell(`${manager}`),
      shell(`${manager}-${folder === undefined ? 'repositories' : 'folder'}`),
      ...(source === undefined || folder !== undefined ? [] : [shell(`${manager}-${source.part}`)]),
      ...(runtime === undefined ? [] : [shell(`${manager}-runtime`)]),
    ],
  };
}

/** The step that adds the repository of a container runtime, and the file in which it is; that of the distribution needs none. */
const RUNTIME_SOURCES = {
  containerd: undefined,
  'containerd.io': { step: 'add_docker', part: 'docker' },
  'cri-o': { step: 'add_crio', part: 'crio' },
} as const;

function dnfVariables({ runtime, folder }: NodePackages): Record<string, ShellValue> {
  if (folder !== undefined) {
    return { held: ['kubelet', 'kubeadm', ...(runtime === undefined ? [] : [runtime.name])] };
  }
  const own = runtimeRepositoryFiles('dnf', runtime)[0]?.replace(/^.*\/|[.]repo$/g, '');
  return {
    // what no repository of ours excludes
    held: runtime?.name === 'containerd' ? 'containerd' : '',
    // only a join or an update changes the packages of these
    excluding: ['kubernetes', own].filter((name) => name !== undefined).join(','),
    runtime_words:
      runtime === undefined
        ? ''
        : [
            runtime.version === undefined ? runtime.name : `${runtime.name}-${runtime.version}`,
            // SELinux rules, which the README of the CRI-O packages wants first
            ...(runtime.name === 'cri-o' ? ['container-selinux'] : []),
          ],
  };
}

/** The packages in an update, with the way back from them. */
export function packagesOfUpdate(packages: NodePackages, minor: string): UpdateSubject {
  const { variables, parts } = packageScript(packages, minor);
  const isOffline = packages.folder !== undefined;
  const ofRuntime = (step: string): string[] => (packages.runtime === undefined ? [] : [step]);
  return {
    variables,
    parts: [
      ...parts,
      shell(`${packages.manager}-back`),
      shell('update-packages'),
      ...ofRuntime(shell('update-runtime')),
      ...(isOffline ? [shell('update-folder')] : []),
    ],
    checks: ['check_packages', ...(isOffline ? ['check_folder'] : [])],
    files: packageFiles(packages),
    backups: ['save_packages', ...ofRuntime('save_runtime')],
    changes: [...ofRuntime('find_runtime'), 'change_packages'],
    returns: ['return_packages', ...ofRuntime('return_runtime')],
  };
}

/** Steps before and after the configuration of a container runtime that was just installed. */
export function startSteps({
  runtime,
}: Pick<NodePackages, 'runtime'>): readonly [before: ShellSteps, after: ShellSteps] {
  if (runtime === undefined) {
    return [together(), together()];
  }
  const unit = unitOf(runtime);
  const isContainerd = unit === 'containerd';
  return [
    {
      steps: [...(isContainerd ? ['find_plugins'] : []), 'enable_runtime'],
      variables: { runtime_unit: unit },
      parts: [...(isContainerd ? [shell('plugins')] : []), shell('runtime-of-package')],
    },
    { steps: ['start_runtime'], variables: {}, parts: [] },
  ];
}

/** The step that installs the packages. */
export function installSteps(packages: NodePackages, minor: string): ShellSteps {
  const { variables, parts } = packageScript(packages, minor);
  return { steps: ['install'], variables, parts: [...parts, shell('install')] };
}

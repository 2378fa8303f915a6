import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasCrioRepository, hasPackageRepository } from '../cluster/kubernetes-capabilities.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { checkOneOf, showValue } from '../base/properties.js';
import { type Check, checkProperties, mapWith, optional, type PropertyTable } from '../base/property-table.js';
import { type ShellSteps, type ShellValue, together } from '../base/shell-script.js';
import { pathOnMachine } from './machine-path.js';
import { shell } from './shell-parts.js';
import type { UpdateSubject } from './update-script.js';

const URL_OF_PACKAGES = /^https?:\/\/[A-Za-z0-9._~:/@-]+$/;

export function isRepository(repository: unknown): repository is string {
  return typeof repository === 'string' && URL_OF_PACKAGES.test(repository);
}

/** The Google-hosted repositories: gone since March 2024 (kubernetes/release#3485). */
const FORMER = /^https?:\/\/(?:(?:apt|yum)\.kubernetes\.io|packages\.cloud\.google\.com)(?:\/|$)/;

/** A repository of the Open Build Service, or a mirror of it: one minor, one format (pkgs.k8s.io,
 * download.opensuse.org). */
const OF_A_MINOR = /^(.*?(?:core|cri-o):\/(?:stable|prerelease):\/)v(\d+\.\d+)\/(deb|rpm)\/?$/;

/** Checks the repository of kubelet and kubeadm, for the packages of a cluster. */
export function checkRepository(
  repository: unknown,
  cluster: EdgeCluster,
  { folder, manager }: { readonly folder?: unknown; readonly manager?: unknown },
  problems: ProblemList,
): void {
  if (repository === undefined) {
    if (folder === undefined && !hasPackageRepository(cluster)) {
      problems.add(
        'EDGE_MISSING',
        `https://pkgs.k8s.io has no packages of Kubernetes ${cluster.kubernetes}, and the former repository no longer exists`,
        "write repository: 'https://packages.example/kubernetes/deb', the URL of your mirror",
      );
    }
  } else if (!isRepository(repository)) {
    problems.add(
      'EDGE_VALUE',
      'this is not the URL of a repository',
      "write 'https://packages.example/kubernetes/deb'",
    );
  } else if (FORMER.test(repository)) {
    problems.add(
      'EDGE_VALUE',
      'this repository no longer exists',
      hasPackageRepository(cluster)
        ? 'leave it out: https://pkgs.k8s.io has the packages'
        : "write 'https://packages.example/kubernetes/deb', the URL of your mirror",
    );
  } else if (/^https?:\/\/pkgs\.k8s\.io(?:\/|$)/.test(repository) && !OF_A_MINOR.test(repository)) {
    problems.add(
      'EDGE_VALUE',
      'https://pkgs.k8s.io has a repository for each minor and format',
      `write 'https://pkgs.k8s.io/core:/stable:/v${cluster.kubernetes}/${formatOf(manager) ?? 'deb'}', or leave it out`,
    );
  } else {
    checkOfMinor(repository, cluster, manager, problems);
  }
}

/** Refuses a repository whose URL says that it is of another minor than the cluster, or of packages that the manager
 * does not read. */
export function checkOfMinor(repository: string, cluster: EdgeCluster, manager: unknown, problems: ProblemList): void {
  const [, base = '', minor = '', format] = OF_A_MINOR.exec(repository) ?? [];
  const wanted = formatOf(manager) ?? format;
  if (format !== undefined && (minor !== cluster.kubernetes || format !== wanted)) {
    problems.add(
      'EDGE_CONTRADICTION',
      minor === cluster.kubernetes
        ? `this repository has ${format} packages, and ${String(manager)} reads ${wanted}`
        : `this repository has packages for Kubernetes ${minor}, and the cluster is of ${cluster.kubernetes}`,
      // the base may contain a password
      `write '${/^https?:\/\/[^@]*$/.test(base) ? base : '…'}v${cluster.kubernetes}/${wanted}'`,
    );
  }
}

/** Distributions for which download.docker.com has a folder (docs.docker.com/engine/install), by format. */
const OF_DOCKER: Readonly<Record<string, string>> = {
  ...{ debian: 'deb', raspbian: 'deb', ubuntu: 'deb' },
  ...{ centos: 'rpm', fedora: 'rpm', rhel: 'rpm', sles: 'rpm' },
};

/** Refuses the repository of Docker for a distribution with another package manager. */
export function checkOfDocker(repository: string, manager: unknown, problems: ProblemList): void {
  const [, distribution = ''] = /^https?:\/\/download\.docker\.com\/linux\/([a-z]+)\/?$/.exec(repository) ?? [];
  const wanted = formatOf(manager);
  const format = Object.hasOwn(OF_DOCKER, distribution) ? OF_DOCKER[distribution] : undefined;
  if (wanted !== undefined && format !== undefined && format !== wanted) {
    problems.add(
      'EDGE_CONTRADICTION',
      `this repository has ${format} packages, and ${String(manager)} reads ${wanted}`,
      `write 'https://download.docker.com/linux/${wanted === 'deb' ? 'debian' : 'rhel'}', or leave it out: the script reads the distribution of the machine`,
    );
  }
}

function formatOf(manager: unknown): 'deb' | 'rpm' | undefined {
  return manager === 'apt' ? 'deb' : manager === 'dnf' ? 'rpm' : undefined;
}

/**
 * A package of a container runtime.
 *
 * @category Join nodes
 */
export interface RuntimePackage {
  /** `containerd` of the distribution, `containerd.io` of Docker (docs.docker.com/engine/install), or `cri-o` of the
   * CRI-O project (github.com/cri-o/packaging). */
  readonly name: 'containerd' | 'containerd.io' | 'cri-o';
  /** Its version, for example `1.7.27`; of CRI-O the minor of the cluster.
   * @default - the newest one of the repository or the folder */
  readonly version?: string;
  /** Base URL of the repository of `containerd.io` or `cri-o`: a mirror of `https://download.docker.com/linux/debian`,
   * for example. `containerd` comes from the repositories that the machine has.
   * @default - the repository of Docker for the distribution of the machine, or that of CRI-O for the minor */
  readonly repository?: string;
}

const RUNTIME_PACKAGES: readonly RuntimePackage['name'][] = ['containerd', 'containerd.io', 'cri-o'];

/** Packages of the same program, of which a machine has one. */
export function alternativesOf({ name }: Pick<RuntimePackage, 'name'>): string {
  return RUNTIME_PACKAGES.filter((other) => (other === 'cri-o') === (name === 'cri-o')).join(' ');
}

/** The unit of a package. */
export function unitOf({ name }: RuntimePackage): 'containerd' | 'crio' {
  return name === 'cri-o' ? 'crio' : 'containerd';
}

/** Files of a package manager that a package needs: a repository and, for apt, its signing key. Those of Docker have
 * the names of its documentation, because apt refuses one repository with two keys. */
export function runtimeRepositoryFiles(
  manager: 'apt' | 'dnf',
  runtime: Pick<RuntimePackage, 'name'> | undefined,
): readonly string[] {
  const name = { containerd: undefined, 'containerd.io': 'docker', 'cri-o': 'cri-o' }[runtime?.name ?? 'containerd'];
  return name === undefined
    ? []
    : manager === 'apt'
      ? [`/etc/apt/keyrings/${name}.asc`, `/etc/apt/sources.list.d/${name}.list`]
      : [`/etc/yum.repos.d/edge-nodepools-${name}.repo`];
}

/** Base URL of a repository; undefined if the script reads the distribution of the machine for it. */
export function runtimeRepository(
  { name, repository }: RuntimePackage,
  manager: 'apt' | 'dnf',
  minor: string,
): string | undefined {
  const kind = manager === 'apt' ? 'deb' : 'rpm';
  const ofProject =
    name === 'cri-o' ? `https://download.opensuse.org/repositories/isv:/cri-o:/stable:/v${minor}/${kind}` : undefined;
  return repository?.replace(/\/$/, '') ?? ofProject;
}

/** Checks the package of a container runtime. */
export function checkRuntimePackage(
  cluster: EdgeCluster,
  runtime: unknown,
  { folder, manager }: { readonly folder?: unknown; readonly manager?: unknown },
): Check {
  return mapWith(
    (known, problems) => {
      checkProperties<RuntimePackage>(known, TABLE, problems);
      checkTogether(known, cluster, folder !== undefined, problems);
      if (isRepository(known.repository)) {
        const at = problems.at('repository');
        checkOfMinor(known.repository, cluster, manager, at);
        checkOfDocker(known.repository, manager, at);
      }
      const wanted = known.name === 'cri-o' ? 'cri-o' : 'containerd';
      if (RUNTIME_PACKAGES.includes(known.name as never) && (runtime ?? 'containerd') !== wanted) {
        problems
          .at('name')
          .add(
            'EDGE_CONTRADICTION',
            `the packages install ${wanted}, and the join uses ${showValue(runtime ?? 'containerd')}`,
            `write runtime: '${wanted}' in the join, or another package`,
          );
      }
    },
    'runtime must be a map',
    "write { name: 'containerd' }",
  );
}

const TABLE: PropertyTable<RuntimePackage> = {
  name: (name, problems) => {
    if (name === undefined) {
      problems.add('EDGE_MISSING', 'name is required', "write 'containerd', 'containerd.io' or 'cri-o'");
    }
    checkOneOf(name, RUNTIME_PACKAGES, problems);
  },
  version: optional((version, problems) => {
    if (typeof version !== 'string' || !/^\d+\.\d+\.\d+$/.test(version)) {
      problems.add('EDGE_VALUE', `${showValue(version)} is not a version`, "write '1.7.27', in quotes and without v");
    }
  }),
  repository: optional((repository, problems) => {
    if (!isRepository(repository)) {
      problems.add(
        'EDGE_VALUE',
        'this is not the URL of a repository',
        "write 'https://packages.example/docker/linux/debian'",
      );
    }
  }),
};

function checkTogether(
  { name, version, repository }: PlainMap,
  cluster: EdgeCluster,
  hasFolder: boolean,
  problems: ProblemList,
): void {
  if (repository !== undefined && (hasFolder || name === 'containerd')) {
    problems
      .at('repository')
      .add(
        'EDGE_CONTRADICTION',
        hasFolder
          ? 'with folder, no repository is used'
          : 'containerd comes from the repositories of the distribution, which the machine has',
        'leave it out',
      );
  }
  if (name !== 'cri-o') {
    return;
  }
  if (repository === undefined && !hasFolder && !hasCrioRepository(cluster)) {
    problems
      .at('repository')
      .add(
        'EDGE_MISSING',
        `the CRI-O project has no packages for Kubernetes ${cluster.kubernetes} (it has them from 1.28 on)`,
        "write repository: 'https://packages.example/cri-o/deb', the URL of your mirror",
      );
  }
  if (typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version) && !cluster.isOfMinor(version)) {
    problems
      .at('version')
      .add(
        'EDGE_CONTRADICTION',
        `CRI-O ${version} is not of the cluster's minor ${cluster.kubernetes}`,
        `write '${cluster.kubernetes}.0' or a later patch release`,
      );
  }
}

/**
 * Packages of kubelet, kubeadm and the container runtime that are installed before the join.
 *
 * @category Join nodes
 */
export interface NodePackages {
  /** Package manager of the node. */
  readonly manager: 'apt' | 'dnf';
  /** Version of kubelet and kubeadm with the patch release, for example `1.34.2`. The packages are held, so that system
   * upgrades do not change them. */
  readonly version: string;
  /** Base URL of the package repository, with deb or rpm packages.
   * @default - the repository of the minor at https://pkgs.k8s.io */
  readonly repository?: string;
  /** Container runtime to install with them. It is held, CRI is on, and it starts at every boot.
   * @default - none: it is already installed */
  readonly runtime?: RuntimePackage;
  /** Folder on the machine with the packages and all that they depend on, `*.deb` or `*.rpm`. They are installed
   * without a repository and a network, and without a check of signatures.
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

/** The step that adds the repository of a container runtime, and the file in which it is; that of the distribution
 * needs none. */
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

import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasPackageRepository } from '../cluster/kubernetes-capabilities.js';
import { checkOneOf, showValue } from '../validation/properties.js';
import { type Check, checkProperties, mapWith, type PropertyTable } from '../validation/property-table.js';
import { quoteForShell } from '../text/shell.js';

/**
 * Packages of kubelet and kubeadm that are installed before the join.
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
}

/** Configuration files of the package manager: the repository and its signing key. */
const FILES: Readonly<Record<NodePackages['manager'], readonly string[]>> = {
  apt: ['/etc/apt/keyrings/kubernetes.asc', '/etc/apt/sources.list.d/kubernetes.list'],
  dnf: ['/etc/yum.repos.d/kubernetes.repo'],
};

/** Files that {@link installLines} writes for a package manager. */
export function packageFiles(manager: NodePackages['manager'] | undefined): readonly string[] {
  return manager === undefined ? [] : (FILES[manager] ?? []);
}

/** Checks packages for a cluster. */
export function checkNodePackages(cluster: EdgeCluster): Check {
  return mapWith(
    (packages, problems) => checkProperties<NodePackages>(packages, tableFor(cluster), problems),
    'packages must be a map',
    "write { manager: 'apt', version: '…' }",
  );
}

function tableFor(cluster: EdgeCluster): PropertyTable<NodePackages> {
  return {
    manager: checkManager,
    version: (version, problems) => checkVersion(version, cluster, problems),
    repository: (repository, problems) => checkRepository(repository, cluster, problems),
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
      `write '${cluster.kubernetes}.2', in quotes and without v`,
    );
  } else if (!cluster.isOfMinor(version)) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${version} is not a version of the cluster's minor ${cluster.kubernetes}`,
      `write '${cluster.kubernetes}.2'`,
    );
  }
}

function checkRepository(repository: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (repository === undefined) {
    if (!hasPackageRepository(cluster)) {
      problems.add(
        'EDGE_MISSING',
        `https://pkgs.k8s.io has no packages of Kubernetes ${cluster.kubernetes}, and the former repository no longer exists`,
        "write repository: 'https://packages.example/kubernetes/deb', the URL of your mirror",
      );
    }
  } else if (typeof repository !== 'string' || !/^https?:\/\/[A-Za-z0-9._~:/@-]+$/.test(repository)) {
    problems.add(
      'EDGE_VALUE',
      'this is not the URL of a repository',
      "write 'https://packages.example/kubernetes/deb'",
    );
  }
}

/** Shell function that installs the packages and returns the exit status of the package manager. */
export function installLines(packages: NodePackages, minor: string): string[] {
  const { manager, version } = packages;
  const kind = manager === 'apt' ? 'deb' : 'rpm';
  const repository = (packages.repository ?? `https://pkgs.k8s.io/core:/stable:/v${minor}/${kind}`).replace(/\/$/, '');
  return manager === 'apt' ? aptLines(repository, version) : dnfLines(repository, version);
}

/** Shell function `install_version VERSION`, which installs another version from the repository that the machine has. */
export function reinstallLines({ manager }: NodePackages): string[] {
  return [
    'install_version() {',
    ...(manager === 'apt'
      ? [
          '  export DEBIAN_FRONTEND=noninteractive',
          // the package may be in the cache of a machine without a network
          '  apt-get -o DPkg::Lock::Timeout=300 update || :',
          '  dpkg --configure -a || :',
          '  apt-get -o DPkg::Lock::Timeout=300 install -y --allow-downgrades --allow-change-held-packages "kubelet=$1-*" "kubeadm=$1-*" || return',
          '  apt-mark hold kubelet kubeadm',
        ]
      : ['  dnf install -y --allowerasing --setopt=disable_excludes=kubernetes "kubelet-$1" "kubeadm-$1"']),
    '}',
  ];
}

function aptLines(repository: string, version: string): string[] {
  const [key = '', list = ''] = FILES.apt;
  const pinned = ['kubelet', 'kubeadm'].map((name) => quoteForShell(`${name}=${version}-*`)).join(' ');
  return [
    'install_packages() {',
    '  export DEBIAN_FRONTEND=noninteractive',
    '  mkdir -p /etc/apt/keyrings || return',
    '  if command -v curl >/dev/null 2>&1; then',
    `    curl -fsSL -o ${key} ${quoteForShell(`${repository}/Release.key`)} || return`,
    '  else',
    `    wget -q -O ${key} ${quoteForShell(`${repository}/Release.key`)} || return`,
    '  fi',
    `  chmod 0644 ${key}`,
    `  echo ${quoteForShell(`deb [signed-by=${key}] ${repository}/ /`)} > ${list} || return`,
    // right after the first boot, the machine's own upgrade may have the lock
    '  apt-get -o DPkg::Lock::Timeout=300 update || return',
    // an installation that the power cut off; apt-get says why, if this does not help
    '  dpkg --configure -a || :',
    // an image may have a newer patch release
    `  apt-get -o DPkg::Lock::Timeout=300 install -y --allow-downgrades --allow-change-held-packages ${pinned} || return`,
    '  apt-mark hold kubelet kubeadm',
    '}',
  ];
}

function dnfLines(repository: string, version: string): string[] {
  const lines = [
    '[kubernetes]',
    'name=Kubernetes',
    `baseurl=${repository}/`,
    'enabled=1',
    'gpgcheck=1',
    `gpgkey=${repository}/repodata/repomd.xml.key`,
    // held: an upgrade of the system skips them
    'exclude=kubelet kubeadm kubectl cri-tools kubernetes-cni',
  ];
  const pinned = ['kubelet', 'kubeadm'].map((name) => quoteForShell(`${name}-${version}`)).join(' ');
  return [
    'install_packages() {',
    `  printf '%s\\n' ${lines.map(quoteForShell).join(' ')} > ${FILES.dnf[0]} || return`,
    `  dnf install -y --setopt=disable_excludes=kubernetes ${pinned} || return`,
    '  systemctl enable kubelet',
    '}',
  ];
}

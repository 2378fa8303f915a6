import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasPackageRepository } from '../cluster/kubernetes-capabilities.js';
import type { ProblemList } from '../base/errors.js';

const URL_OF_PACKAGES = /^https?:\/\/[A-Za-z0-9._~:/@-]+$/;

export function isRepository(repository: unknown): repository is string {
  return typeof repository === 'string' && URL_OF_PACKAGES.test(repository);
}

/** The Google-hosted repositories: gone since March 2024 (kubernetes/release#3485). */
const FORMER = /^https?:\/\/(?:(?:apt|yum)\.kubernetes\.io|packages\.cloud\.google\.com)(?:\/|$)/;

/** A repository of the Open Build Service, or a mirror of it: one minor, one format (pkgs.k8s.io, download.opensuse.org). */
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

/** Refuses a repository whose URL says that it is of another minor than the cluster, or of packages that the manager does not read. */
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

import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasCrioRepository } from '../cluster/kubernetes-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import { checkOneOf, showValue } from '../base/properties.js';
import { type Check, checkProperties, mapWith, optional, type PropertyTable } from '../base/property-table.js';
import { checkOfDocker, checkOfMinor, isRepository } from './package-repository.js';

/**
 * A package of a container runtime.
 *
 * @category Join nodes
 */
export interface RuntimePackage {
  /** `containerd` of the distribution, `containerd.io` of Docker (docs.docker.com/engine/install), or `cri-o` of the CRI-O project
   * (github.com/cri-o/packaging). */
  readonly name: 'containerd' | 'containerd.io' | 'cri-o';
  /** Its version, for example `1.7.27`; of CRI-O the minor of the cluster.
   * @default - the newest one of the repository or the folder */
  readonly version?: string;
  /** Base URL of the repository of `containerd.io` or `cri-o`: a mirror of `https://download.docker.com/linux/debian`, for example. `containerd` comes from the
   * repositories that the machine has.
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

/** Files of a package manager that a package needs: a repository and, for apt, its signing key. Those of Docker have the names of its documentation,
 * because apt refuses one repository with two keys. */
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

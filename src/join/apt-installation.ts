import { quoteForShell } from '../text/shell.js';
import { STATE_FOLDER } from './node-paths.js';
import { alternativesOf, type RuntimePackage, runtimeRepository, runtimeRepositoryFiles } from './runtime-package.js';

/** What is installed. */
export interface Installation {
  readonly version: string;
  /** The repository of kubelet and kubeadm. */
  readonly repository: string;
  /** Minor of the cluster. */
  readonly minor: string;
  readonly runtime?: RuntimePackage;
  /** A folder with packages in the place of repositories. */
  readonly folder?: string;
}

/** The repository and its signing key. */
export const APT_FILES: readonly string[] = [
  '/etc/apt/keyrings/kubernetes.asc',
  '/etc/apt/sources.list.d/kubernetes.list',
];

const INDEX = `${STATE_FOLDER}/packages`;

// nothing but the folder: neither the repositories of the machine nor what is known of them
const ONLY_FOLDER = [
  '-o Dir::Etc::SourceList="$index/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$index/lists"',
  '-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o Acquire::Languages=none',
].join(' ');

/** Shell function that installs the packages and returns the exit status of the package manager. */
export function aptLines(what: Installation): string[] {
  return what.runtime === undefined && what.folder === undefined ? plainLines(what) : extendedLines(what);
}

function plainLines({ repository, version }: Installation): string[] {
  return [
    'install_packages() {',
    '  export DEBIAN_FRONTEND=noninteractive',
    ...repositoryLines(repository),
    // right after the first boot, the machine's own upgrade may have the lock
    '  apt-get -o DPkg::Lock::Timeout=300 update || return',
    // an installation that the power cut off; apt-get says why, if this does not help
    '  dpkg --configure -a || :',
    // an image may have a newer patch release
    `  apt-get -o DPkg::Lock::Timeout=300 install -y --allow-downgrades --allow-change-held-packages ${pinned(version)} || return`,
    '  apt-mark hold kubelet kubeadm',
    '}',
  ];
}

const pinned = (version: string): string =>
  ['kubelet', 'kubeadm'].map((name) => quoteForShell(`${name}=${version}-*`)).join(' ');

function repositoryLines(repository: string): string[] {
  const [key = '', list = ''] = APT_FILES;
  return [
    '  mkdir -p /etc/apt/keyrings || return',
    '  if command -v curl >/dev/null 2>&1; then',
    `    curl -fsSL -o ${key} ${quoteForShell(`${repository}/Release.key`)} || return`,
    '  else',
    `    wget -q -O ${key} ${quoteForShell(`${repository}/Release.key`)} || return`,
    '  fi',
    `  chmod 0644 ${key}`,
    `  echo ${quoteForShell(`deb [signed-by=${key}] ${repository}/ /`)} > ${list} || return`,
  ];
}

/** With a container runtime, or from a folder. */
function extendedLines({ repository, version, minor, runtime, folder }: Installation): string[] {
  const isOffline = folder !== undefined;
  const names = ['kubelet', 'kubeadm', ...(runtime === undefined ? [] : [runtime.name])];
  // the configuration of containerd is a file of its package that the join has changed
  const apt = `apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold${isOffline ? ` ${ONLY_FOLDER}` : ''}`;
  return [
    ...(isOffline ? folderLines(folder) : []),
    `apt_get() { ${apt} "$@"; }`,
    ...(runtime === undefined ? [] : runtimeLines(runtime, isOffline)),
    'install_packages() {',
    '  export DEBIAN_FRONTEND=noninteractive',
    ...(isOffline
      ? [
          ...names.map(
            (name) =>
              `  in_folder ${name} ${quoteForShell(name === runtime?.name ? (runtime.version ?? '') : version)} || return`,
          ),
          '  index_folder || return',
        ]
      : [
          ...repositoryLines(repository),
          ...(runtime === undefined ? [] : runtimeRepositoryLines(runtime, minor)),
          '  apt_get update || return',
        ]),
    '  dpkg --force-confdef --force-confold --configure -a || :',
    ...(runtime?.version === undefined ? [] : [`  exact=$(exactly ${runtime.name} ${runtime.version}) || return`]),
    `  apt_get install -y --allow-downgrades --allow-change-held-packages ${pinned(version)}${runtime === undefined ? '' : runtime.version === undefined ? ` ${runtime.name}` : ' "$exact"'} || return`,
    `  apt-mark hold ${names.join(' ')}`,
    '}',
  ];
}

/**
 * A repository made of the folder, with which apt finds what the packages depend on, and takes the right one of several versions. apt-get would install
 * all files that it is given. The names of the files are numbers, because apt reads `%3a` in a name as a colon.
 */
function folderLines(folder: string): string[] {
  return [
    `folder_of_packages=${quoteForShell(folder)} index=${INDEX}`,
    ...IS_VERSION_LINES,
    'in_folder() {',
    '  seen=',
    '  for file in "$folder_of_packages"/*.deb; do',
    '    [ -e "$file" ] && [ "$(dpkg-deb -f "$file" Package)" = "$1" ] || continue',
    '    seen="$seen $(dpkg-deb -f "$file" Version)"',
    '    ! is_version "${seen##* }" "$2" || return 0',
    '  done',
    '  say "$folder_of_packages has no package of $1 $2, but: ${seen:-none}"',
    '  return 66',
    '}',
    'index_folder() {',
    '  rm -rf "$index" && mkdir -p "$index/lists/partial" || return',
    '  number=0',
    '  for file in "$folder_of_packages"/*.deb; do',
    '    number=$((number + 1))',
    '    ln -s "$file" "$index/$number.deb" && dpkg-deb -f "$file" && sum=$(sha256sum < "$file") || return',
    `    printf 'Filename: ./%s.deb\\nSize: %s\\nSHA256: %s\\n\\n' "$number" "$(wc -c < "$file")" "\${sum%% *}"`,
    '  done > "$index/Packages"',
    '  echo "deb [trusted=yes] file:$index ./" > "$index/sources.list" || return',
    '  apt_get update > "$index/log" 2>&1 || { cat "$index/log" >&2; return 74; }',
    '}',
  ];
}

/** Shell function: whether a version of a package is a version of a program, `1:1.7.27~ds1-1` of `1.7.27`; every one is, of an empty text. */
const IS_VERSION_LINES: readonly string[] = [
  'is_version() {',
  '  case ${1#*:} in "$2" | "$2"[!0-9.]*) ;; *) [ -z "$2" ] ;; esac',
  '}',
];

/** Shell functions `exactly NAME VERSION`, `runtime_now` and `has_runtime`. */
function runtimeLines({ name, version = '' }: RuntimePackage, isOffline: boolean): string[] {
  return [
    ...(isOffline ? [] : IS_VERSION_LINES),
    'exactly() {',
    `  for known in $(apt-cache${isOffline ? ` ${ONLY_FOLDER}` : ''} madison "$1" | awk '{ print $3 }'); do`,
    '    if is_version "$known" "$2"; then echo "$1=$known"; return; fi',
    '  done',
    '  say "there is no $1 $2 in the repositories"',
    '  return 65',
    '}',
    'runtime_now() {',
    `  dpkg-query -W -f '\${db:Status-Status} \${Package}=\${Version}\\n' ${alternativesOf({ name })} 2>/dev/null | sed -n 's/^installed //p' | head -n 1`,
    '}',
    'has_runtime() {',
    '  known=$(runtime_now)',
    `  [ "\${known%%=*}" = ${name} ] && is_version "\${known#*=}" ${quoteForShell(version)}`,
    '}',
    'install_runtime() { apt_get install -y --allow-downgrades --allow-change-held-packages "$1"; }',
  ];
}

function runtimeRepositoryLines(runtime: RuntimePackage, minor: string): string[] {
  const [key, list] = runtimeRepositoryFiles('apt', runtime);
  const url = runtimeRepository(runtime, 'apt', minor);
  if (key === undefined || list === undefined || url === undefined) {
    return [];
  }
  const isDocker = runtime.name === 'containerd.io';
  return [
    // docs.docker.com/engine/install/debian and ubuntu
    ...(isDocker
      ? [
          '  codename=$(. /etc/os-release; echo "${UBUNTU_CODENAME:-${VERSION_CODENAME-}}")',
          '  distribution=$(. /etc/os-release; case " ${ID-} ${ID_LIKE-} " in (*" ubuntu "*) echo ubuntu ;; (*" raspbian "*) echo raspbian ;; (*) echo debian ;; esac)',
        ]
      : []),
    `  repository=${url}`,
    '  if command -v curl >/dev/null 2>&1; then',
    `    curl -fsSL -o ${key} "$repository/${isDocker ? 'gpg' : 'Release.key'}" || return`,
    '  else',
    `    wget -q -O ${key} "$repository/${isDocker ? 'gpg' : 'Release.key'}" || return`,
    '  fi',
    `  chmod 0644 ${key}`,
    `  echo "deb [${isDocker ? 'arch=$(dpkg --print-architecture) ' : ''}signed-by=${key}] $repository${isDocker ? ' $codename stable' : '/ /'}" > ${list} || return`,
  ];
}

/** Shell functions `packages` and `install_version VERSION`. */
export function aptReinstallLines(isExtended: boolean, isOffline: boolean): string[] {
  const apt = isExtended ? 'apt_get' : 'apt-get -o DPkg::Lock::Timeout=300';
  return [
    "packages() { dpkg-query -W -f '${Status} ${Package} ${Version}\\n' kubelet kubeadm 2>/dev/null; }",
    'install_version() {',
    '  export DEBIAN_FRONTEND=noninteractive',
    ...(isOffline
      ? ['  in_folder kubelet "$1" && in_folder kubeadm "$1" && index_folder || return']
      : // the package may be in the cache of a machine without a network
        [`  ${apt} update || :`]),
    `  dpkg ${isExtended ? '--force-confdef --force-confold ' : ''}--configure -a || :`,
    `  ${apt} install -y --allow-downgrades --allow-change-held-packages "kubelet=$1-*" "kubeadm=$1-*" || return`,
    '  apt-mark hold kubelet kubeadm',
    '}',
  ];
}

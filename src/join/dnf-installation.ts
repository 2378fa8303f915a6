import { quoteForShell } from '../text/shell.js';
import type { Installation } from './apt-installation.js';
import { STATE_FOLDER } from './node-paths.js';
import { alternativesOf, type RuntimePackage, runtimeRepository, runtimeRepositoryFiles } from './runtime-package.js';

export const DNF_FILES: readonly string[] = ['/etc/yum.repos.d/kubernetes.repo'];

/** Shell function that installs the packages and returns the exit status of the package manager. */
export function dnfLines(what: Installation): string[] {
  return what.runtime === undefined && what.folder === undefined ? plainLines(what) : extendedLines(what);
}

const pinned = (version: string): string =>
  ['kubelet', 'kubeadm'].map((name) => quoteForShell(`${name}-${version}`)).join(' ');

function repositoryLine(repository: string): string {
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
  return `  printf '%s\\n' ${lines.map(quoteForShell).join(' ')} > ${DNF_FILES[0]} || return`;
}

function plainLines({ repository, version }: Installation): string[] {
  return [
    'install_packages() {',
    repositoryLine(repository),
    `  dnf install -y --setopt=disable_excludes=kubernetes ${pinned(version)} || return`,
    '  systemctl enable kubelet',
    '}',
  ];
}

/** With a container runtime, or from a folder. */
function extendedLines({ repository, version, minor, runtime, folder }: Installation): string[] {
  const names = ['kubelet', 'kubeadm', ...(runtime === undefined ? [] : [runtime.name])];
  // what no repository of ours excludes
  const loose = folder === undefined ? (runtime?.name === 'containerd' ? ['containerd'] : []) : names;
  return [
    ...(folder === undefined ? [] : folderLines(folder)),
    ...(runtime === undefined ? [] : runtimeLines(runtime, folder !== undefined)),
    'install_packages() {',
    ...unlockLines(loose),
    ...(folder === undefined
      ? [
          repositoryLine(repository),
          ...(runtime === undefined ? [] : runtimeRepositoryLines(runtime, minor)),
          `  dnf install -y --allowerasing --setopt=disable_excludes=${excludes(runtime)} ${pinned(version)} ${runtimeWords(runtime)} || return`,
        ]
      : [
          `  install_files kubelet ${version} kubeadm ${version}${runtime === undefined ? '' : ` ${runtime.name} ${quoteForShell(runtime.version ?? '')}`} || return`,
        ]),
    ...lockLines(loose),
    '  if command -v systemctl >/dev/null 2>&1; then systemctl enable kubelet; fi',
    '}',
  ];
}

/** Name of the repository of a container runtime, which is that of its file. */
function repositoryOf(runtime: RuntimePackage | undefined): string | undefined {
  return runtimeRepositoryFiles('dnf', runtime)[0]?.replace(/^.*\/|[.]repo$/g, '');
}

/** Our repositories, whose packages only a join or an update changes. */
function excludes(runtime: RuntimePackage | undefined): string {
  return ['kubernetes', repositoryOf(runtime)].filter((name) => name !== undefined).join(',');
}

function runtimeWords(runtime: RuntimePackage | undefined): string {
  if (runtime === undefined) {
    return '';
  }
  const { name, version } = runtime;
  // SELinux rules, which the README of the CRI-O packages wants first
  const more = name === 'cri-o' ? ' container-selinux' : '';
  return `${version === undefined ? name : `${name}-${version}`}${more}`;
}

/** A plugin of dnf holds packages; not every machine has it. */
function lockLines(names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : [
        `  dnf -q versionlock add ${names.join(' ')} >/dev/null 2>&1 || say 'dnf has no versionlock here: an upgrade of the system can replace ${names.join(', ')}'`,
      ];
}

function unlockLines(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`  dnf -q versionlock delete ${names.join(' ')} >/dev/null 2>&1`];
}

/**
 * Shell function `install_files NAME VERSION …`: dnf installs all files that it is given, so it is given these versions, and of every other package the
 * newest one if the machine has none or an older one.
 */
function folderLines(folder: string): string[] {
  const list = `${STATE_FOLDER}/packages`;
  return [
    `folder_of_packages=${quoteForShell(folder)}`,
    'list_folder() {',
    '  for file in "$folder_of_packages"/*.rpm; do',
    `    [ ! -e "$file" ] || { rpm -qp --nosignature --qf '%{NAME} %{VERSION} %{VERSION}-%{RELEASE} ' "$file" && echo "$file"; } || return`,
    '  done | sort -k1,1 -k3,3V',
    '}',
    'in_folder() {',
    `  seen=$(list_folder | awk -v name="$1" '$1 == name { print $2, $3 }')`,
    '  if [ -z "$2" ]; then [ -z "$seen" ] || return 0; else case " $(echo $seen) " in *" $2 "*) return 0 ;; esac; fi',
    '  say "$folder_of_packages has no package of $1 $2, but:" ${seen:-none}',
    '  return 66',
    '}',
    'install_files() {',
    '  wanted="$*"',
    '  while [ $# -gt 1 ]; do in_folder "$1" "$2" || return; shift 2; done',
    `  list_folder | awk -v wanted="$wanted" '`,
    '    BEGIN { n = split(wanted, word, " "); for (i = 1; i <= n; i++) if (word[i + 1] ~ /^[0-9]/) version[word[i]] = word[i + 1] }',
    '    !($1 in version) || version[$1] == $2 || version[$1] == $3 { file[$1] = ($1 in version) " " $1 " " $3 " " $4 }',
    '    END { for (name in file) print file[name] }',
    `  ' > ${list} || return`,
    '  set --',
    '  while read -r own name offered file; do',
    '    known=$(rpm -q --qf \'%{VERSION}-%{RELEASE}\\n\' "$name" 2>/dev/null) || known=',
    '    known=$(echo "$known" | sort -V | tail -n 1)',
    `    if [ "$own" = 1 ] || [ -z "$known" ] || [ "$(printf '%s\\n' "$offered" "$known" | sort -V | tail -n 1)" != "$known" ]; then set -- "$@" "$file"; fi`,
    `  done < ${list}`,
    `  dnf install -y --disablerepo='*' --allowerasing "$@"`,
    '}',
  ];
}

/** Shell functions `runtime_now`, `has_runtime` and `install_runtime`. */
function runtimeLines(runtime: RuntimePackage, isOffline: boolean): string[] {
  const { name, version } = runtime;
  return [
    // `NAME VERSION-RELEASE`
    `runtime_now() { rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\\n' ${alternativesOf({ name })} | head -n 1; }`,
    'has_runtime() {',
    version === undefined
      ? `  rpm -q ${name} >/dev/null 2>&1`
      : `  [ "$(rpm -q --qf '%{VERSION}' ${name} 2>/dev/null)" = ${version} ]`,
    '}',
    isOffline
      ? 'install_runtime() { install_files ${1% *} "${1#* }"; }'
      : `install_runtime() { dnf install -y --allowerasing --setopt=disable_excludes=${excludes(runtime)} "\${1% *}-\${1#* }"; }`,
  ];
}

function runtimeRepositoryLines(runtime: RuntimePackage, minor: string): string[] {
  const [file] = runtimeRepositoryFiles('dnf', runtime);
  const url = runtimeRepository(runtime, 'dnf', minor);
  if (file === undefined || url === undefined) {
    return [];
  }
  const isDocker = runtime.name === 'containerd.io';
  const base = isDocker ? '$repository/\\$releasever/\\$basearch/stable/' : '$repository/';
  return [
    // docs.docker.com/engine/install/centos, rhel and fedora
    ...(isDocker
      ? ['  distribution=$(. /etc/os-release; case ${ID-} in (fedora | rhel) echo "$ID" ;; (*) echo centos ;; esac)']
      : []),
    `  repository=${url}`,
    `  printf '%s\\n' '[${repositoryOf(runtime)}]' 'name=${runtime.name}' "baseurl=${base}" enabled=1 gpgcheck=1 "gpgkey=$repository/${isDocker ? 'gpg' : 'repodata/repomd.xml.key'}" 'exclude=${runtime.name}' > ${file} || return`,
  ];
}

/** Shell functions `packages` and `install_version VERSION`. */
export function dnfReinstallLines(isOffline: boolean): string[] {
  return [
    'packages() { rpm -q kubelet kubeadm 2>/dev/null; }',
    'install_version() {',
    // a transaction that was cut off leaves the entries of both versions and the files of the new one: dnf would find the former one installed
    '  for package in kubelet kubeadm; do',
    '    [ -z "$(rpm -q "$package" | sed -n 2p)" ] || rpm -e --justdb --nodeps --noscripts --allmatches "$package" || return',
    '  done',
    ...(isOffline ? unlockLines(['kubelet', 'kubeadm']) : []),
    isOffline
      ? '  install_files kubelet "$1" kubeadm "$1" || return'
      : '  dnf install -y --allowerasing --setopt=disable_excludes=kubernetes "kubelet-$1" "kubeadm-$1"',
    ...(isOffline ? lockLines(['kubelet', 'kubeadm']) : []),
    '}',
  ];
}

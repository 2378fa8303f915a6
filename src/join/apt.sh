#: apt
# Right after the first boot, the machine's own upgrade may have the lock. A file of a package that the join has
# changed stays, for example the configuration of containerd.
apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef \
    -o Dpkg::Options::=--force-confold $apt_options "$@"
}
# of an installation that the power cut off; apt-get says why, if this does not help
end_installation() { DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold --configure -a || :; }
# install_exactly VERSION [PACKAGE]; an image may have a newer patch release
install_exactly() {
  version=$1
  shift
  apt_get install -y --allow-downgrades --allow-change-held-packages "kubelet=$version-*" "kubeadm=$version-*" "$@"
}
install_packages() {
  find_packages || return
  end_installation
  set -- "$kubelet_version"
  if [ -n "$runtime_package" ]; then exact=$(exact_runtime) || return; set -- "$@" "$exact"; fi
  install_exactly "$@" || return
  apt-mark hold kubelet kubeadm $runtime_package
}
#: apt-back
# packages says which ones are installed, and how far; install_version VERSION installs others
packages() { dpkg-query -W -f '${Status} ${Package} ${Version}\n' kubelet kubeadm 2>/dev/null; }
install_version() {
  find_version "$1" || return
  end_installation
  install_exactly "$1" || return
  apt-mark hold kubelet kubeadm
}
#: apt-crio
add_crio() { add_repository cri-o "$runtime_repository/Release.key" "$runtime_repository/ /"; }
#: apt-docker
# docs.docker.com/engine/install/debian and ubuntu; apt refuses one repository with two keys
add_docker() {
  codename=$(. /etc/os-release; echo "${UBUNTU_CODENAME:-${VERSION_CODENAME-}}")
  distribution=$(
    . /etc/os-release
    case " ${ID-} ${ID_LIKE-} " in
      *" ubuntu "*) echo ubuntu ;;
      *" raspbian "*) echo raspbian ;;
      *) echo debian ;;
    esac
  )
  base=${runtime_repository:-https://download.docker.com/linux/$distribution}
  add_repository docker "$base/gpg" "$base $codename stable" "arch=$(dpkg --print-architecture) "
}
#: apt-folder
# A repository made of the folder, with which apt finds what the packages depend on, and takes the right one of
# several versions: apt-get would install all files that it is given. It uses nothing else, neither the
# repositories of the machine nor what is known of them.
index=/var/lib/edge-nodepools/packages
apt_options="-o Dir::Etc::SourceList=$index/sources.list -o Dir::Etc::SourceParts=/dev/null
  -o Dir::State::Lists=$index/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
  -o Acquire::Languages=none"
# in_folder NAME VERSION
in_folder() {
  seen=''
  for file in "$folder_of_packages"/*.deb; do
    [ -e "$file" ] && [ "$(dpkg-deb -f "$file" Package)" = "$1" ] || continue
    seen="$seen $(dpkg-deb -f "$file" Version)"
    ! is_version "${seen##* }" "$2" || return 0
  done
  say "$folder_of_packages has no package of $1 $2, but: ${seen:-none}"
  return 66
}
# The names of the files are numbers, because apt reads %3a in a name as a colon.
index_folder() {
  rm -rf "$index" && mkdir -p "$index/lists/partial" || return
  number=0
  for file in "$folder_of_packages"/*.deb; do
    number=$((number + 1))
    ln -s "$file" "$index/$number.deb" && dpkg-deb -f "$file" && sum=$(sha256sum < "$file") || return
    printf 'Filename: ./%s.deb\nSize: %s\nSHA256: %s\n\n' "$number" "$(wc -c < "$file")" "${sum%% *}"
  done > "$index/Packages"
  echo "deb [trusted=yes] file:$index ./" > "$index/sources.list" || return
  apt_get update > "$index/log" 2>&1 || { cat "$index/log" >&2; return 74; }
}
find_packages() {
  find_version "$kubelet_version" &&
    { [ -z "$runtime_package" ] || in_folder "$runtime_package" "$runtime_version"; }
}
find_version() { in_folder kubelet "$1" && in_folder kubeadm "$1" && index_folder; }
#: apt-repositories
apt_options=''
# add_repository NAME KEY PLACE [OPTION]: in the files that the documentation of each project has
add_repository() {
  key=/etc/apt/keyrings/$1.asc
  mkdir -p /etc/apt/keyrings || return
  if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$key" "$2"; else wget -q -O "$key" "$2"; fi || return
  chmod 0644 "$key"
  echo "deb [${4-}signed-by=$key] $3" > "/etc/apt/sources.list.d/$1.list"
}
find_packages() {
  add_repository kubernetes "$repository/Release.key" "$repository/ /" || return
  for step in $runtime_sources; do $step || return; done
  apt_get update
}
# the package may be in the cache of a machine without a network
find_version() { apt_get update || :; }
#: apt-runtime
# The newest package with the wanted version of the program.
exact_runtime() {
  [ -n "$runtime_version" ] || { echo "$runtime_package"; return; }
  for known in $(apt-cache $apt_options madison "$runtime_package" | awk '{ print $3 }'); do
    if is_version "$known" "$runtime_version"; then echo "$runtime_package=$known"; return; fi
  done
  say "there is no $runtime_package $runtime_version in the repositories"
  return 65
}
runtime_now() {
  dpkg-query -W -f '${db:Status-Status} ${Package}=${Version}\n' $runtime_alternatives 2>/dev/null |
    sed -n 's/^installed //p' | head -n 1
}
has_runtime() {
  known=$(runtime_now)
  [ "${known%%=*}" = "$runtime_package" ] && is_version "${known#*=}" "$runtime_version"
}
install_runtime() { apt_get install -y --allow-downgrades --allow-change-held-packages "$1"; }

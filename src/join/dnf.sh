#: dnf
# A plugin of dnf holds what no repository of ours excludes; not every machine has it.
hold() {
  [ $# = 0 ] || dnf -q versionlock add "$@" >/dev/null 2>&1 ||
    say "dnf has no versionlock here: an upgrade of the system can replace $*"
}
unhold() { [ $# = 0 ] || dnf -q versionlock delete "$@" >/dev/null 2>&1; }
install_packages() {
  unhold $held
  install_wanted || return
  hold $held
  control enable kubelet
}
#: dnf-back
# packages says which ones are installed, and how far; install_version VERSION installs others
packages() { rpm -q kubelet kubeadm 2>/dev/null; }
install_version() {
  # a transaction that was cut off leaves the entries of both versions and the files of the new one: dnf would
  # find the former one installed
  for package in kubelet kubeadm; do
    [ -z "$(rpm -q "$package" | sed -n 2p)" ] ||
      rpm -e --justdb --nodeps --noscripts --allmatches "$package" || return
  done
  return_version "$1"
}
#: dnf-crio
add_crio() {
  add_repository edge-nodepools-cri-o edge-nodepools-cri-o cri-o "$runtime_repository/" \
    "$runtime_repository/repodata/repomd.xml.key" cri-o
}
#: dnf-docker
# docs.docker.com/engine/install/centos, rhel and fedora
add_docker() {
  distribution=$(. /etc/os-release; case ${ID-} in (fedora | rhel) echo "$ID" ;; (*) echo centos ;; esac)
  base=${runtime_repository:-https://download.docker.com/linux/$distribution}
  add_repository edge-nodepools-docker edge-nodepools-docker containerd.io "$base/\$releasever/\$basearch/stable/" \
    "$base/gpg" containerd.io
}
#: dnf-folder
list_folder() {
  for file in "$folder_of_packages"/*.rpm; do
    [ ! -e "$file" ] || {
      rpm -qp --nosignature --qf '%{NAME} %{VERSION} %{VERSION}-%{RELEASE} ' "$file" && echo "$file"
    } || return
  done | sort -k1,1 -k3,3V
}
# in_folder NAME VERSION
in_folder() {
  seen=$(list_folder | awk -v name="$1" '$1 == name { print $2, $3 }')
  if [ -z "$2" ]; then [ -z "$seen" ] || return 0
  else case " $(echo $seen) " in *" $2 "*) return 0 ;; esac; fi
  say "$folder_of_packages has no package of $1 $2, but:" ${seen:-none}
  return 66
}
# install_files NAME VERSION …: dnf installs all files that it is given, so it is given these versions, and of
# every other package the newest one if the machine has none or an older one
install_files() {
  list=$state/packages wanted="$*"
  while [ $# -gt 1 ]; do in_folder "$1" "$2" || return; shift 2; done
  list_folder | awk -v wanted="$wanted" '
    BEGIN {
      n = split(wanted, word, " ")
      for (i = 1; i <= n; i++) if (word[i + 1] ~ /^[0-9]/) version[word[i]] = word[i + 1]
    }
    !($1 in version) || version[$1] == $2 || version[$1] == $3 {
      file[$1] = ($1 in version) " " $1 " " $3 " " $4
    }
    END { for (name in file) print file[name] }' > "$list" || return
  set --
  while read -r own name offered file; do
    known=$(rpm -q --qf '%{VERSION}-%{RELEASE}\n' "$name" 2>/dev/null) || known=''
    known=$(echo "$known" | sort -V | tail -n 1)
    if [ "$own" = 1 ] || [ -z "$known" ] ||
      [ "$(printf '%s\n' "$offered" "$known" | sort -V | tail -n 1)" != "$known" ]; then set -- "$@" "$file"; fi
  done < "$list"
  dnf install -y --disablerepo='*' --allowerasing "$@"
}
install_wanted() {
  install_files kubelet "$kubelet_version" kubeadm "$kubelet_version" \
    ${runtime_package:+"$runtime_package" "$runtime_version"}
}
return_version() {
  unhold kubelet kubeadm
  install_files kubelet "$1" kubeadm "$1" || return
  hold kubelet kubeadm
}
install_runtime() { install_files "${1% *}" "${1#* }"; }
#: dnf-repositories
# add_repository FILE ID NAME PLACE KEY PACKAGES: an upgrade of the system skips these packages
add_repository() {
  printf '%s\n' "[$2]" "name=$3" "baseurl=$4" enabled=1 gpgcheck=1 "gpgkey=$5" "exclude=$6" \
    > "/etc/yum.repos.d/$1.repo"
}
install_wanted() {
  add_repository kubernetes kubernetes Kubernetes "$repository/" "$repository/repodata/repomd.xml.key" \
    'kubelet kubeadm kubectl cri-tools kubernetes-cni' || return
  for step in $runtime_sources; do $step || return; done
  dnf install -y ${runtime_package:+--allowerasing} "--setopt=disable_excludes=$excluding" \
    "kubelet-$kubelet_version" "kubeadm-$kubelet_version" $runtime_words
}
return_version() {
  dnf install -y --allowerasing --setopt=disable_excludes=kubernetes "kubelet-$1" "kubeadm-$1"
}
install_runtime() { dnf install -y --allowerasing "--setopt=disable_excludes=$excluding" "${1% *}-${1#* }"; }
#: dnf-runtime
# NAME VERSION-RELEASE
runtime_now() { rpm -qa --qf '%{NAME} %{VERSION}-%{RELEASE}\n' $runtime_alternatives | head -n 1; }
has_runtime() {
  if [ -z "$runtime_version" ]; then rpm -q "$runtime_package" >/dev/null 2>&1
  else [ "$(rpm -q --qf '%{VERSION}' "$runtime_package" 2>/dev/null)" = "$runtime_version" ]; fi
}

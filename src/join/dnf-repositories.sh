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

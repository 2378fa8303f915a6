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

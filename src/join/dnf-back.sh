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

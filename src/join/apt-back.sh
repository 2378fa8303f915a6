# packages says which ones are installed, and how far; install_version VERSION installs others
packages() { dpkg-query -W -f '${Status} ${Package} ${Version}\n' kubelet kubeadm 2>/dev/null; }
install_version() {
  find_version "$1" || return
  end_installation
  install_exactly "$1" || return
  apt-mark hold kubelet kubeadm
}

# Docker's packages of containerd switch CRI off, without which no node joins.
enable_cri() {
  toml=/etc/containerd/config.toml
  grep -q "^[[:space:]]*disabled_plugins.*[\"'.]cri[\"']" $toml 2>/dev/null || return 0
  sed -i "/^[[:space:]]*disabled_plugins/s/[\"'][a-z0-9.]*cri[\"'][[:space:]]*,*//g" $toml && control restart containerd
}

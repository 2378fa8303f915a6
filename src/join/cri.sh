# Docker's containerd comes with CRI off, without which no node joins.
enable_cri() {
  toml=/etc/containerd/config.toml
  grep -q "^ *disabled_plugins.*[\"'.]cri[\"']" $toml 2>/dev/null || return 0
  sed -i "/^ *disabled_plugins/s/[\"'][a-z0-9.]*cri[\"'] *,*//g" $toml && control restart containerd
}

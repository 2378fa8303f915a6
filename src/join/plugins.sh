# Debian's containerd looks for CNI plugins elsewhere than where the packages of Kubernetes (kubernetes-cni)
# have them.
find_plugins() {
  toml=/etc/containerd/config.toml
  plugins=$(sed -n 's/^ *bin_dir *= *"\([^"]*\)".*/\1/p' $toml 2>/dev/null | head -n 1)
  [ -n "$plugins" ] && [ ! -x "$plugins/loopback" ] && [ -x /opt/cni/bin/loopback ] || return 0
  beside=${toml%/*}/.${toml##*/}.edge-nodepools
  sed 's,^\( *bin_dir *= *\)"[^"]*",\1"/opt/cni/bin",' $toml > "$beside" && mv "$beside" $toml
}
